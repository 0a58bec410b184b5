# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Requests of the page to a robot, through the Python API or through the services of a node with the same methods."""

from __future__ import annotations

from typing import Any

from amigobot_driver.parameter_table import Scalar, Spec
from amigobot_driver.wording import counted

from ..messages import Byte, Sound, anyone
from .source import Source


class RobotSource(Source):
    """A robot at a port or behind a node."""

    robot: Any  #: an `AmigoBot`, or a `NodeRobot`

    def __init__(self) -> None:
        self._more: dict[str, Any] = {}  #: sections that come later: sounds, map

    def do_motors(self, on: bool) -> str:
        """Switch the motors."""
        return str(self.robot.enable_motors(on))

    def do_sonar(self, on: bool) -> str:
        """Switch the sonars."""
        return str(self.robot.enable_sonar(on))

    def do_sounds(self, on: bool) -> str:
        """Switch the sounds."""
        return str(self.robot.enable_sounds(on))

    @anyone
    def do_list_sounds(self) -> str:
        """Read the names of the sounds."""
        sounds = self.robot.list_sounds()
        rows = [{"number": sound.number, "name": sound.name, "group": sound.is_group} for sound in sounds]
        self._more["sounds"] = rows
        return counted(sum(not sound.is_group for sound in sounds), "sound")

    def do_play_sound(self, number: Sound) -> str:
        """Play a sound."""
        return str(self.robot.play_sound(number))

    def do_reset_odometry(self) -> str:
        """Make this pose the origin."""
        self.robot.reset_odometry()
        return "the robot is at the origin of the odometry frame now"

    def do_outputs(self, mask: Byte, states: Byte) -> str:
        """Set digital outputs."""
        return f"digital outputs: {self.robot.set_digital_outputs(mask, states):08b}"


def parameter_row(spec: Spec, value: Scalar) -> dict[str, Any]:
    """Return a parameter and its value for the page."""
    row = {"name": spec.name, "value": value, "unit": spec.unit, "text": spec.description, "whole": spec.kind is int}
    return row | dict(zip(("low", "high"), spec.allowed, strict=True)) if spec.has_range else row
