# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The telemetry of an Erratic, 20 times a second: the motor packet always, the other streams while they are on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from ...protocol import Packet, SipSonarReading, encode_frame
from ...protocol.erratic import Analog, ErraticEncoders, Motor, ShortMotor, Sonar
from ..body import Wheel
from ..controller import Controller
from ..line import SendPriority
from ..telemetry import Telemetry, signed
from .flash import ErraticFlash

#: s (Erratic manual E.7)
_PERIOD = 0.05
_STOPPED, _MOVING = 0x82, 0x83
#: V and counts of the analog inputs; A per count of those for the motors' currents (Erratic manual 5.6.2)
_REFERENCE, _FULL_SCALE, _AMPERES = 3.5, 1023, 0.025
#: A that a blocked motor draws at full voltage: half of the 30 A of the motor driver, the manual's only number
_STALL_CURRENT = 15.0
_LEFT_STALL, _RIGHT_STALL = 0b0100, 0b1000


class ErraticTelemetry(Telemetry):
    """Builds the packets from the robot's state and puts them on the line."""

    def __init__(self, robot: Controller[ErraticFlash]) -> None:
        """Start with all streams off.

        Args:
            robot: Read again in each cycle.
        """
        super().__init__(robot.hardware.line, partial(encode_frame, check=robot.check))
        self._robot, self._quirks = robot, robot.profile.quirks
        self._encoders = self._analog = False
        self.heading_target = 0.0  #: rad, of the last turn to a heading
        self.distance_target = 0  #: mm, of the last move over a distance

    def stop(self) -> None:
        """Stop sending, and switch all streams off."""
        super().stop()
        self._encoders = self._analog = False

    def switch_encoders(self, on: bool) -> None:
        """Execute ENCODER: switch the stream of encoder packets."""
        self._encoders = on

    def switch_analog(self, on: bool) -> None:
        """Execute ANALOG: switch the stream of analog and digital inputs."""
        self._analog = on

    def _period(self) -> float:
        return _PERIOD * self._robot.profile.physics.cycle_ratio

    def _packets(self) -> Iterator[tuple[Packet, SendPriority]]:
        robot, parts = self._robot, self._robot.hardware
        yield self._motor(), SendPriority.SIP
        if self._encoders:
            left, right = (
                signed(ticks, 24) for ticks in (robot.drive.odometer.left_ticks, robot.drive.odometer.right_ticks)
            )
            yield ErraticEncoders(left=left, right=right), SendPriority.STREAM
        if self._analog:
            yield self._inputs(), SendPriority.STREAM
        pings = parts.sonar.take()
        if pings and parts.sonar.on:
            unit = robot.profile.units.range
            readings = (SipSonarReading(number=ping.number, range=round(ping.range / unit)) for ping in pings)
            yield Sonar(readings=tuple(readings)), SendPriority.STREAM

    def _motor(self) -> Motor | ShortMotor:
        robot, body, units = self._robot, self._robot.hardware.body, self._robot.profile.units
        odometer, drive = robot.drive.odometer, robot.drive
        left, right = (round(velocity / units.velocity) for velocity in body.measure())
        short = self._quirks.short_motor_packets
        return (ShortMotor if short else Motor)(
            id=_MOVING if (left or right) and not body.at_rest else _STOPPED,
            x=signed(round(odometer.x / units.distance), 24),
            y=signed(round(odometer.y / units.distance), 24),
            heading=self._angle(odometer.heading),
            left_velocity=left,
            right_velocity=right,
            battery=max(0, min(255, round(robot.hardware.battery.volts * 10))),
            **(
                {
                    "left_stall": drive.left_stall.stalled,
                    "right_stall": drive.right_stall.stalled,
                    "control": self._angle(self.heading_target),
                }
                if short
                else {
                    "stall": _LEFT_STALL * drive.left_stall.stalled | _RIGHT_STALL * drive.right_stall.stalled,
                    "heading_target": self._angle(self.heading_target),
                    "distance_target": self.distance_target,
                }
            ),
        )

    def _angle(self, radians: float) -> int:
        turn = 360 if self._quirks.heading_in_degrees else 4096
        return round(radians / math.tau * turn) % turn

    def _inputs(self) -> Analog:
        parts = self._robot.hardware
        currents = (_current(wheel) for wheel in (parts.body.left, parts.body.right))
        user = (max(0, min(_FULL_SCALE, round(volts / _REFERENCE * _FULL_SCALE))) for volts in parts.pins.volts[:2])
        floor = self._robot.profile.floor
        left, right = (parts.floor.detects_floor(number) is floor.floor_is_high for number in (0, 1))
        digital = (left | right << 1 | (parts.pins.levels & 1) << 2) << floor.first_bit
        return Analog(analog=(*currents, *user), digital=digital)


def _current(wheel: Wheel) -> int:
    return min(_FULL_SCALE, round(wheel.load * _STALL_CURRENT / _AMPERES))
