"""What the firmware sends by itself: a SIP each info cycle and the streams around it (PROTOCOL 8.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING

from ..protocol import Config, Encoders, Packet, Sip, SonarReading
from .cycle import Cycle, signed
from .flash import Flash
from .line import Priority

if TYPE_CHECKING:
    from .firmware import Firmware

_FLASH_FIELDS = {item.name for item in fields(Flash)}


class Telemetry(Cycle):
    """Builds the packets from the robot's state and puts them on the line, in the order of a cycle."""

    def __init__(self, robot: Firmware) -> None:
        super().__init__(robot.hardware.line)
        self._robot = robot
        # 0 none, 1 one packet, 2 one each cycle
        self.encoders = self.io = 0

    def start(self, now: float) -> None:
        """OPEN: the first SIP at once."""
        super().start(now)
        self.encoders = self.io = 0

    def _period(self) -> float:
        return self._robot.working.info_cycle_ms / 1000

    def _packets(self) -> Iterator[tuple[Packet, Priority]]:
        robot, parts = self._robot, self._robot.hardware
        if parts.gyro.on:
            yield parts.gyro.packet(), Priority.STREAM
        yield self._sip(), Priority.SIP
        if self.io:
            yield parts.pins.packet(), Priority.STREAM
        if self.encoders:
            odometer = robot.drive.odometer
            packet = Encoders(left=signed(odometer.left_ticks, 32), right=signed(odometer.right_ticks, 32))
            yield packet, Priority.STREAM
        self.io, self.encoders = (mode if mode == 2 else 0 for mode in (self.io, self.encoders))
        listed = parts.sounds.next_listed()
        if listed is not None:
            yield listed, Priority.ANSWER

    def config(self) -> Config:
        """CONFIGpac: the working parameters, under the names they have in FLASH."""
        working, tail = self._robot.working, self._robot.dialect.config_tail
        values = {
            item.name: getattr(working, item.name)
            for item in fields(Config)
            if item.name in _FLASH_FIELDS and (tail or item.default in (MISSING, 0))
        }
        return Config(**values, tail=tail)

    def _sip(self) -> Sip:
        robot, parts = self._robot, self._robot.hardware
        drive, dialect, units = robot.drive, robot.dialect, robot.profile.units
        left, right = (round(wheel.velocity / units.velocity) for wheel in (parts.body.left, parts.body.right))
        tenths = max(0, round(parts.battery.volts * 10))
        port = parts.pins.selected
        return Sip(
            id=Sip.MOVING if left or right else Sip.MOVING - 1,
            x=round(drive.odometer.x / units.distance) & dialect.position_mask,
            y=round(drive.odometer.y / units.distance) & dialect.position_mask,
            heading=_angle(drive.odometer.heading, units.angle),
            left_velocity=left,
            right_velocity=right,
            battery=min(tenths, 255),
            left_stall_bumpers=drive.left_stall.stalled,
            right_stall_bumpers=drive.right_stall.stalled,
            control=_angle(drive.control, units.angle),
            flags=Sip.MOTORS * drive.motors_on | 0b10 * parts.sonar.on,
            compass=0,
            sonar=tuple(
                SonarReading(number=ping.number, range=round(ping.range / units.range)) for ping in parts.sonar.take()
            ),
            port_low=0 if dialect.port_in_high_byte else port,
            port_high=port if dialect.port_in_high_byte else 0,
            analog=parts.pins.analog_byte,
            digital_in=parts.pins.inputs,
            digital_out=parts.pins.outputs,
            battery_x10=tenths if dialect.long_sip else None,
            charge_state=0 if dialect.long_sip else None,
        )


def _angle(radians: float, unit: float) -> int:
    """In the packet's units, within half a turn either way."""
    return round(math.remainder(radians, math.tau) / unit)
