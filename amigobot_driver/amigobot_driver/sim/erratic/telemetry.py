# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The telemetry of an Erratic, 20 times a second: the motor packet always, the other streams while they are on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from ...protocol import Packet, signed
from ...protocol.erratic import Analog, ErraticConfig, ErraticEncoders, Motor, ShortMotor, Sonar
from ..body import Wheel
from ..contact import detects_floor
from ..controller import Controller
from ..line import SendPriority
from ..telemetry import Sent, Telemetry
from .flash import ErraticFlash

_PERIOD = 0.05  # s between two motor packets (Erratic manual E.7)
_PARAMETER_VERSION = 1  # of the layout of the parameters in CONFIG
_STOPPED = 0x82  # id of the motor packet of a robot at rest
_MOVING = 0x83  # id of the motor packet of a robot that moves
_REFERENCE = 3.5  # V at full scale of an analog input
_FULL_SCALE = 1023  # counts of an analog input
_AMPERES = 0.025  # A per count of the inputs for the motors' currents (Erratic manual 5.6.2)
#: A that a blocked motor draws at full voltage: half of the 30 A of the motor driver, the manual's only number
_STALL_CURRENT = 15.0
_LEFT_STALL = 0b0100  # bit of the stall byte
_RIGHT_STALL = 0b1000  # bit of the stall byte


class ErraticTelemetry(Telemetry):
    """Builds the packets from the robot's state and puts them on the line."""

    def __init__(self, robot: Controller[ErraticFlash]) -> None:
        """Start with all streams off.

        Args:
            robot: Read again in each cycle.
        """
        self._robot, self._quirks = robot, robot.profile.quirks
        streams: dict[str, Callable[[], Packet]] = {"encoders": self._encoders, "analog": self._inputs}
        super().__init__(robot.hardware.line, streams, robot.check)
        self.heading_target = 0.0  #: rad, of the last turn to a heading
        self.distance_target = 0  #: mm, of the last move over a distance

    def config(self) -> ErraticConfig:
        """Return the configuration packet: the tuning values."""
        return ErraticConfig(parameter_version=_PARAMETER_VERSION, **self._robot.tuning.values_in(ErraticConfig))

    def _period(self) -> float:
        return _PERIOD * self._robot.profile.physics.cycle_ratio

    def _packets(self) -> Iterator[Sent]:
        yield self._motor(), SendPriority.SIP
        yield from self._requested()
        sonar = self._robot.hardware.sonar
        readings = sonar.take()
        if readings and sonar.on:
            yield Sonar(readings=readings), SendPriority.STREAM

    def _encoders(self) -> ErraticEncoders:
        odometer = self._robot.drive.odometer
        return ErraticEncoders(left=signed(odometer.left_ticks, 24), right=signed(odometer.right_ticks, 24))

    def _motor(self) -> Motor | ShortMotor:
        robot, body, units = self._robot, self._robot.hardware.body, self._robot.profile.units
        odometer, drive = robot.drive.odometer, robot.drive
        left, right = (round(velocity / units.velocity) for velocity in body.measure())
        stalls, target = drive.stalls, self._angle(self.heading_target)
        common: dict[str, Any] = {
            "id": _MOVING if (left or right) and not body.at_rest else _STOPPED,
            "x": signed(round(odometer.x / units.distance), 24),
            "y": signed(round(odometer.y / units.distance), 24),
            "heading": self._angle(odometer.heading),
            "left_velocity": left,
            "right_velocity": right,
            "battery": max(0, min(255, round(robot.hardware.battery.volts * 10))),
        }
        if self._quirks.short_motor_packets:
            return ShortMotor(**common, left_stall=stalls[0], right_stall=stalls[1], control=target)
        bits = _LEFT_STALL * stalls[0] | _RIGHT_STALL * stalls[1]
        return Motor(**common, stall=bits, heading_target=target, distance_target=self.distance_target)

    def _angle(self, radians: float) -> int:
        turn = 360 if self._quirks.heading_in_degrees else 4096
        return round(radians / math.tau * turn) % turn

    def _inputs(self) -> Analog:
        parts = self._robot.hardware
        currents = (_current(wheel) for wheel in (parts.body.left, parts.body.right))
        user = (max(0, min(_FULL_SCALE, round(volts / _REFERENCE * _FULL_SCALE))) for volts in parts.pins.volts[:2])
        floor = self._robot.profile.floor
        left, right = (detects_floor(parts.body, number) is floor.floor_is_high for number in (0, 1))
        digital = (left | right << 1 | (parts.pins.levels & 1) << 2) << floor.first_bit
        return Analog(analog=(*currents, *user), digital=digital)


def _current(wheel: Wheel) -> int:
    return min(_FULL_SCALE, round(wheel.load * _STALL_CURRENT / _AMPERES))
