# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The telemetry of an ActivMedia robot: a SIP each info cycle, and the streams around it (docs/protocol 8.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any

from ...protocol import ArcosTail, Config, Encoders, Joystick, Packet, Sip, signed
from ..controller import Controller
from ..line import SendPriority
from ..telemetry import Sent, Telemetry
from .dialect import SimulatedDialect
from .flash import ActivMediaFlash

#: the axes in the middle, the throttle at its lower end
_JOYSTICK_AT_REST = Joystick(button1=0, button2=0, x=512, y=512, throttle=0)
#: a bit of FLAGS
_RECHARGING = 1 << 10
#: a bit of FAULTFLAGS
_UNDER_VOLTAGE = 1 << 3
#: deg C, the value for "no sensor"
_NO_TEMPERATURE = -127


class SipTelemetry(Telemetry):
    """Builds the packets from the robot's state and puts them on the line, in the order of a cycle."""

    def __init__(self, robot: Controller[ActivMediaFlash], dialect: SimulatedDialect) -> None:
        """Start with all streams off.

        Args:
            robot: Read again in each cycle.
            dialect: The firmware.
        """
        self._robot, self._dialect, parts = robot, dialect, robot.hardware
        streams: dict[str, Callable[[], Packet]] = {
            "io": self._io,
            "encoders": self._encoders,
            "gripper": parts.gripper.packet,
            "joystick": lambda: _JOYSTICK_AT_REST,
        }
        super().__init__(parts.line, streams)

    def _period(self) -> float:
        return self._robot.tuning.info_cycle_ms / 1000 * self._robot.profile.physics.cycle_ratio

    def _packets(self) -> Iterator[Sent]:
        robot, parts = self._robot, self._robot.hardware
        sip = self._sip()
        if parts.gyro.sends:
            gyro = parts.gyro.packet()
            # Immediately before its SIP, or never: the SIP has priority (docs/protocol 5.9).
            if self._fits(robot.now, gyro, sip):
                yield gyro, SendPriority.SIP
        yield sip, SendPriority.SIP
        yield from self._requested()
        if parts.compass.mode > 1:
            yield parts.compass.packet(), SendPriority.STREAM
        if entry := parts.sounds.next_entry():
            yield entry, SendPriority.ANSWER

    def _io(self) -> Packet:
        parts = self._robot.hardware
        # The last byte is that of the infrared sensors, which no simulated robot has.
        return parts.pins.packet(*((*parts.bumpers.pressed(), 0) if self._dialect.bumpers_in_io else ()))

    def _encoders(self) -> Packet:
        odometer = self._robot.drive.odometer
        return Encoders(left=signed(odometer.left_ticks, 32), right=signed(odometer.right_ticks, 32))

    def config(self) -> Config:
        """Return CONFIGpac: the tuning values."""
        tuning, dialect = self._robot.tuning, self._dialect
        tail = dialect.config_tail
        if isinstance(tail, ArcosTail):
            dot = "\0" if self._robot.hardware.body.faults.two_versions else "."
            version = tuning.firmware_version.replace(".", dot)
            tail = ArcosTail(version=version, **tuning.values_in(ArcosTail))
        return Config(**{**tuning.values_in(Config), **_fields_after(Config, dialect.config_end), "tail": tail})

    def _sip(self) -> Sip:
        robot, parts = self._robot, self._robot.hardware
        drive, dialect, units = robot.drive, self._dialect, robot.profile.units
        velocities = parts.body.measure()
        left, right = (round(velocity / units.velocity) for velocity in velocities)
        turn_rate = (velocities[1] - velocities[0]) / 2 / drive.server.half_track
        tenths = max(0, round(parts.battery.volts * 10))
        port, gripper, wired = parts.pins.selected, parts.gripper.state, parts.gripper.inputs
        front, rear = parts.bumpers.pressed()
        left_stall, right_stall = drive.stalls
        sip = Sip(
            id=Sip.MOVING if (left or right) and not parts.body.at_rest else Sip.MOVING - 1,
            x=round(drive.odometer.x / units.distance) & dialect.position_mask,
            y=round(drive.odometer.y / units.distance) & dialect.position_mask,
            heading=_angle(drive.odometer.heading, units.angle),
            left_velocity=left,
            right_velocity=right,
            battery=min(tenths, 255),
            left_stall_bumpers=left_stall | rear << 1,
            right_stall_bumpers=right_stall | front << 1,
            control=_angle(drive.control, units.angle),
            flags=Sip.MOTORS * drive.motors_on
            | parts.sonar.arrays_on << 1
            | Sip.STOP_BUTTON * parts.body.faults.stop_button
            | _RECHARGING * parts.battery.charging,
            compass=parts.compass.byte,
            sonar=parts.sonar.take(),
            port_low=gripper if dialect.port_in_high_byte else port,
            port_high=port if dialect.port_in_high_byte else gripper,
            analog=parts.pins.analog_byte,
            digital_in=parts.pins.inputs if wired is None else wired,
            digital_out=parts.pins.outputs,
            battery_x10=tenths,
            charge_state=parts.battery.charge_state,
            rotation_velocity=signed(round(10 * math.degrees(turn_rate)), 16),
            faults=_UNDER_VOLTAGE * (tenths < robot.tuning.low_battery),
            lateral_velocity=0,
            temperature=_NO_TEMPERATURE,
            state_of_charge=round(100 * parts.battery.charge),
        )
        return replace(sip, **_fields_after(Sip, dialect.sip_end))


@cache
def _fields_after(packet: type[Config | Sip], last: str) -> dict[str, Any]:
    """Return the fields of later firmwares, behind the last one that a firmware sends; their value is None."""
    names = [item.name for item in fields(packet)]
    return dict.fromkeys(names[names.index(last) + 1 :])


def _angle(radians: float, unit: float) -> int:
    """Convert an angle to the packet's unit (rad per count), within half a turn to either side."""
    return round(math.remainder(radians, math.tau) / unit)
