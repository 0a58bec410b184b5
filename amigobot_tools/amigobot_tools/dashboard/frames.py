# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a browser is sent: the state of a robot as JSON, in SI units; null stands for a value that is not known."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

from amigobot_driver.profiles import Profile

from ..state import RobotState

#: Decimal places; the browser needs no more, and a frame is half as long.
_PLACES = 4


def plain(value: object) -> Any:
    """Return a value as JSON has it: tuples as lists, NaN and infinity as null, floats rounded."""
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return round(value, _PLACES) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return str(value)


def dumps(value: object) -> str:
    """Return a value as compact JSON."""
    return json.dumps(plain(value), separators=(",", ":"), allow_nan=False)


def live_state(state: RobotState) -> dict[str, Any]:
    """Return what changes with every packet. A sonar without an echo has the range -1."""
    values = {
        field.name: getattr(state, field.name)
        for field in dataclasses.fields(state)
        if field.name not in ("body", "limits", "echoes", "max_range", "model", "name")
    }
    values["sonars"] = [(-1.0 if math.isinf(echo.range) else echo.range, echo.age) for echo in state.echoes]
    return values


def description(kind: str, where: str, state: RobotState, profile: Profile | None) -> dict[str, Any]:
    """Return what stays: the robot's shape, its sonars and limits."""
    result: dict[str, Any] = {"kind": kind, "where": where, "name": state.name, "model": state.model}
    if state.limits:
        result["limits"] = state.limits
    if state.body:
        result["body"] = state.body
    result["max_range"] = state.max_range
    result["sonars"] = [(echo.x, echo.y, echo.heading) for echo in state.echoes]
    if profile:
        result["field_of_view"] = profile.sonar.field_of_view
        result["battery"] = {"low": profile.battery.low, "cutoff": profile.battery.cutoff}
        result["has_bumpers"] = bool(profile.bumpers.front_segments or profile.bumpers.rear_segments)
    return result
