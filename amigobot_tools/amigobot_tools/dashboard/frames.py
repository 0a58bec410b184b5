# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a browser is sent: the state of a robot as JSON, in SI units; null stands for a value that is not known."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from amigobot_driver.wording import given_name

from ..state import RobotState

#: Fields of a state that change while the robot is connected.
_LIVE = {field.name for field in dataclasses.fields(RobotState)} - {"profile", "echoes", "model", "name"}
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
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value)


def live_state(state: RobotState) -> dict[str, Any]:
    """Return what changes with every packet. A sonar without an echo has the range -1."""
    values = {name: getattr(state, name) for name in _LIVE}
    values["sonars"] = [(-1.0 if math.isinf(echo.range) else echo.range, echo.age) for echo in state.echoes]
    return values


def description(kind: str, where: str, state: RobotState) -> dict[str, Any]:
    """Return what stays: the robot's shape, its sonars and limits."""
    result: dict[str, Any] = {"kind": kind, "where": where, "name": given_name(state.name), "model": state.model}
    result["sonars"] = [(echo.x, echo.y, echo.heading) for echo in state.echoes]
    if profile := state.profile:
        result |= {"body": profile.body, "limits": profile.limits, "max_range": profile.sonar.max_range}
        result["field_of_view"] = profile.sonar.field_of_view
        result["has_bumpers"] = bool(profile.bumpers.front_segments or profile.bumpers.rear_segments)
    return result
