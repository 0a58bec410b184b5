"""What the firmware sends by itself: a SIP each info cycle and the streams around it (docs/protocol.md 8.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from ..protocol import Config, Encoders, Packet, Sip, SonarReading
from .cycle import Cycle, signed
from .flash import Flash
from .line import Priority

if TYPE_CHECKING:
    from .firmware import Firmware

_FLASH_FIELDS = {item.name for item in fields(Flash)}
_CONFIG_FIELDS = [item.name for item in fields(Config) if item.name in _FLASH_FIELDS]
_SIP_FIELDS = [item.name for item in fields(Sip)]
#: of FLAGS
_RECHARGING = 1 << 10
#: of FAULTFLAGS: under-voltage
_UNDER_VOLTAGE = 1 << 3
#: deg C, where nothing measures it
_NO_TEMPERATURE = -127


class Telemetry(Cycle):
    """Builds the packets from the robot's state and puts them on the line, in the order of a cycle."""

    def __init__(self, robot: Firmware) -> None:
        super().__init__(robot.hardware.line)
        self._robot = robot
        self._forget_streams()

    def start(self, now: float) -> None:
        """OPEN: the first SIP at once."""
        super().start(now)
        self._forget_streams()

    def _forget_streams(self) -> None:
        # 0 none, 1 one packet, 2 one each cycle
        self.encoders = self.io = self.gripper = self.joystick = 0

    def _period(self) -> float:
        return self._robot.working.info_cycle_ms / 1000

    def _packets(self) -> Iterator[tuple[Packet, Priority]]:
        robot, parts = self._robot, self._robot.hardware
        if parts.gyro.on:
            yield parts.gyro.packet(), Priority.STREAM
        yield self._sip(), Priority.SIP
        if self.io:
            # Nothing of this kind has an infrared sensor: its byte is the last and stays 0.
            more = (*parts.bumpers.pressed(), 0) if robot.dialect.bumpers_in_io else ()
            yield parts.pins.packet(*more), Priority.STREAM
        if self.encoders:
            odometer = robot.drive.odometer
            packet = Encoders(left=signed(odometer.left_ticks, 32), right=signed(odometer.right_ticks, 32))
            yield packet, Priority.STREAM
        if self.gripper:
            yield parts.gripper.packet(), Priority.STREAM
        if self.joystick:
            yield parts.joystick.packet(), Priority.STREAM
        if parts.compass.mode > 1:
            yield parts.compass.packet(), Priority.STREAM
        self.io, self.encoders, self.gripper, self.joystick = (
            mode if mode == 2 else 0 for mode in (self.io, self.encoders, self.gripper, self.joystick)
        )
        listed = parts.sounds.next_listed()
        if listed is not None:
            yield listed, Priority.ANSWER

    def config(self) -> Config:
        """CONFIGpac: the working parameters, under the names they have in FLASH."""
        working, dialect = self._robot.working, self._robot.dialect
        known = _CONFIG_FIELDS[: _CONFIG_FIELDS.index(dialect.config_end) + 1]
        return Config(**{name: getattr(working, name) for name in known}, tail=dialect.config_tail)

    def _sip(self) -> Sip:
        robot, parts = self._robot, self._robot.hardware
        drive, dialect, units = robot.drive, robot.dialect, robot.profile.units
        left, right = (round(wheel.velocity / units.velocity) for wheel in (parts.body.left, parts.body.right))
        tenths = max(0, round(parts.battery.volts * 10))
        port, gripper, wired = parts.pins.selected, parts.gripper.state, parts.gripper.inputs
        front, rear = parts.bumpers.pressed()
        sip = Sip(
            id=Sip.MOVING if left or right else Sip.MOVING - 1,
            x=round(drive.odometer.x / units.distance) & dialect.position_mask,
            y=round(drive.odometer.y / units.distance) & dialect.position_mask,
            heading=_angle(drive.odometer.heading, units.angle),
            left_velocity=left,
            right_velocity=right,
            battery=min(tenths, 255),
            left_stall_bumpers=drive.left_stall.stalled | rear << 1,
            right_stall_bumpers=drive.right_stall.stalled | front << 1,
            control=_angle(drive.control, units.angle),
            flags=Sip.MOTORS * drive.motors_on | parts.sonar.arrays_on << 1 | _RECHARGING * parts.battery.charging,
            compass=parts.compass.byte,
            sonar=tuple(
                SonarReading(number=ping.number, range=round(ping.range / units.range)) for ping in parts.sonar.take()
            ),
            port_low=gripper if dialect.port_in_high_byte else port,
            port_high=port if dialect.port_in_high_byte else gripper,
            analog=parts.pins.analog_byte,
            digital_in=parts.pins.inputs if wired is None else wired,
            digital_out=parts.pins.outputs,
            battery_x10=tenths,
            charge_state=parts.battery.charge_state,
            rotation_velocity=round(10 * math.degrees(parts.body.turn_rate)),
            faults=_UNDER_VOLTAGE * (tenths < robot.working.low_battery),
            lateral_velocity=0,
            temperature=_NO_TEMPERATURE,
            state_of_charge=round(100 * parts.battery.charge),
        )
        missing: dict[str, Any] = dict.fromkeys(_SIP_FIELDS[_SIP_FIELDS.index(dialect.sip_end) + 1 :])
        return replace(sip, **missing)


def _angle(radians: float, unit: float) -> int:
    """In the packet's units, within half a turn either way."""
    return round(math.remainder(radians, math.tau) / unit)
