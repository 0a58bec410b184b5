# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The table of the node's parameters, config/parameters.yaml, and its checks. Works without ROS."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any

from .resources import read_yaml, share
from .robot import TUNABLE, Options

Scalar = bool | int | float | str

#: Units of the CONFIG packet per unit of a parameter: mm/s^2, deg/s^2 and ms.
_CONFIG_UNITS = {"m/s^2": 1000.0, "rad/s^2": math.degrees(1), "s": 1000.0}
_OPTIONS = Options()


@dataclass(frozen=True, slots=True)
class Spec:
    """One parameter. `allowed` is a (low, high) pair for numbers, else all allowed values; () allows any value."""

    name: str
    default: Scalar
    description: str
    unit: str = ""
    allowed: tuple[Scalar, ...] = ()
    words: tuple[str, ...] = ()  #: texts that are allowed beside values of another type
    at_run_time: bool = False
    minimum: float | None = None  #: lowest value other than the default, where values between the two are not allowed
    tunes: str = ""  #: the CONFIG field that this sets in the robot; the default sets nothing
    option: str = ""  #: the field of Options that this sets, if that has another name

    @property
    def kind(self) -> type:
        """Type of the values."""
        return type(self.default)

    @property
    def has_range(self) -> bool:
        """Whether the parameter is a number with a lowest and a highest value."""
        return self.kind in (int, float) and len(self.allowed) == 2

    @property
    def has_dynamic_type(self) -> bool:
        """Whether ROS takes other types: a whole number for a real one, or a word that YAML reads as another type."""
        return self.kind is float or not {"off", "inf"}.isdisjoint(self.allowed) or bool(self.words)

    def range_text(self) -> str:
        """Describe the allowed values, such as "0.05 to 2 s"."""
        if self.has_range:
            low = self.allowed[0] if self.minimum is None else self.minimum
            text = f"{low:g} to {self.allowed[1]:g} {self.unit}".strip()
            return text if self.minimum is None else f"{self.default:g}, or {text}"
        if self.allowed:
            return ", ".join(map(repr, self.allowed))
        text = {bool: "true or false", str: "text"}.get(self.kind, f"a number {self.unit}".strip())
        return ", ".join((text.replace(" or ", ", "), *self.words)) if self.words else text

    @property
    def factor(self) -> float:
        """Units of the CONFIG packet per unit of this parameter."""
        return _CONFIG_UNITS.get(self.unit, 1.0)

    def check(self, value: object) -> Scalar:
        """Return the value, converted to the type of this parameter.

        Raises:
            ValueError: The value is not allowed. The text names the parameter, the value and what is allowed.
        """
        if self.kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if value is False and "off" in self.allowed:
            value = "off"  # YAML reads the bare word as a boolean
        if value == math.inf and "inf" in self.allowed:
            value = "inf"  # and this one as a number, after `-p name:=`
        valid = type(value) is self.kind or value in self.words
        if valid and self.has_range:
            valid = self.allowed[0] <= value <= self.allowed[1]  # type: ignore[operator]
            valid = valid and (self.minimum is None or value >= self.minimum or value == self.default)  # type: ignore[operator]
        elif valid and self.allowed:
            valid = value in self.allowed
        if not valid:
            raise ValueError(f"parameter {self.name} is {value!r}, allowed: {self.range_text()}")
        return value  # type: ignore[return-value]


def _spec(name: str, *, highest: float | None = None, **row: Any) -> Spec:
    """Return the parameter of a row; see the head of the file."""
    if "default" not in row:
        row["default"] = getattr(_OPTIONS, row.get("option", name))
    if field := row.get("tunes"):
        factor, limits, keep = _CONFIG_UNITS.get(row.get("unit", ""), 1.0), TUNABLE[field], row["default"]
        row["description"] += f"; {keep:g} keeps the robot's setting"
        row["allowed"] = keep, limits.high / factor if highest is None else highest
        row |= {"minimum": limits.low / factor, "at_run_time": True}
    if name == "enable_stamped_cmd_vel":
        # Nav2 publishes TwistStamped from Kilted on.
        row["default"] = os.environ.get("ROS_DISTRO", "") not in ("humble", "iron", "jazzy")
    return Spec(name, **row | {key: tuple(row[key]) for key in ("allowed", "words") if key in row})


TABLE = tuple(_spec(name, **row) for name, row in read_yaml(share("config", "parameters.yaml")).items())
