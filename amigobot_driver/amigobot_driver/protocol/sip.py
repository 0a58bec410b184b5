# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The standard server information packet, the heartbeat of a session (docs/protocol 5.2; AmigoBot manual ch. 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from .packet import Packet
from .wire import S8, S16, U8, U16, U32, Counted, Record

#: The bits of FAULTFLAGS from 0 on, as ARIA names them.
_FAULTS = (
    "laser power",
    "over-temperature",
    "power",
    "under-voltage",
    "gyro",
    "battery temperature",
    "battery balance",
    "encoder degraded",
    "encoder failure",
    "drive",
    *(f"safety {number}" for number in range(1, 7)),
)
_CHARGE_STATES = {0: "not charging", 1: "bulk", 2: "overcharge", 3: "float", 4: "balance"}
_NO_TEMPERATURE = -127  # deg C: the robot has no sensor


@dataclass(frozen=True, slots=True, kw_only=True)
class SipSonarReading:
    """One sonar reading."""

    number: U8  #: number of the sonar, from 0
    range: U16  #: robot units, mm for most robots


@dataclass(frozen=True, slots=True, kw_only=True)
class Sip(Packet):
    """The standard server information packet, in every length from P2OS to MTX (docs/protocol 5.2).

    A field is None where the packet ends before it: after `digital_out` on AmigOS, after `charge_state` on
    AmigoSH and AROS, further on for ARCOS.
    """

    MOTORS: ClassVar[int] = 1 << 0  #: bit of `flags`
    SONAR: ClassVar[int] = 0b1111 << 1  #: bits of `flags`
    STOP_BUTTON: ClassVar[int] = 1 << 5  #: bit of `flags`
    MOVING: ClassVar[int] = 0x33  #: id of a robot that moves
    UNREPORTED: ClassVar[int] = 0  #: bits of `flags` that the robot does not report

    id: U8 = 0x32  #: 0x32 motors stopped, 0x33 moving; 0x30 to 0x3F are read
    x: U16  #: robot units; a 15-bit counter: only differences modulo 0x8000 mean anything
    y: U16  #: as x
    heading: S16  #: 4096 units per turn, counter-clockwise
    left_velocity: S16  #: robot units, mm/s on most robots
    right_velocity: S16  #: as left_velocity
    battery: U8  #: 0.1 V
    left_stall_bumpers: U8  #: bit 0: left motor stalled; bits 1 to 7: rear bumpers
    right_stall_bumpers: U8  #: bit 0: right motor stalled; bits 1 to 7: front bumpers
    control: S16  #: set-point of the heading servo, unit as heading
    flags: U16  #: bit 0: motors on; bits 1 to 4: sonar arrays on; 5: stop button; 10: recharging
    compass: U8  #: 2 deg, 0 none (Pioneer with a compass)
    sonar: Annotated[tuple[SipSonarReading, ...], Counted(Record(SipSonarReading))]  #: the readings since the last SIP
    port_low: U8 | None = None  #: AmigOS: selected analog port; AmigoSH and AROS: gripper (docs/protocol E-30)
    port_high: U8 | None = None  #: AmigOS: 0; AmigoSH and AROS: selected analog port
    analog: U8 | None = None  #: 5/255 V at the selected port
    digital_in: U8 | None = None  #: bits 0 to 5: IO_0 to IO_5 where configured as input
    digital_out: U8 | None = None  #: bits 0 to 5: IO_0 to IO_5 where configured as output
    battery_x10: U16 | None = None  #: 0.1 V
    charge_state: U8 | None = None  #: 0: not charging, 1: bulk, 2: overcharge, 3: float, 4: balance, 255: unknown
    rotation_velocity: S16 | None = None  #: 0.1 deg/s
    faults: U16 | None = None  #: bit field, see fault_names
    lateral_velocity: S16 | None = None  #: mm/s
    temperature: S8 | None = None  #: deg C, -127: not available
    state_of_charge: S8 | None = None  #: %
    robot_time: U32 | None = None  #: us
    flags3: U32 | None = None  #: bit field of late MTX robots

    @property
    def moving(self) -> bool:
        """Whether the packet type is "moving" or a wheel has a velocity. MobileSim sends only one packet type."""
        return self.id == self.MOVING or bool(self.left_velocity or self.right_velocity)

    @property
    def motors_enabled(self) -> bool:
        """Whether the motors are on."""
        return bool(self.flags & self.MOTORS)

    @property
    def sonar_enabled(self) -> bool:
        """Whether the sonars are on."""
        return bool(self.flags & self.SONAR)

    @property
    def stop_button(self) -> bool:
        """Whether the stop button is pressed."""
        return bool(self.flags & self.STOP_BUTTON)

    @property
    def left_stalled(self) -> bool:
        """Whether the left motor is stalled."""
        return bool(self.left_stall_bumpers & 1)

    @property
    def right_stalled(self) -> bool:
        """Whether the right motor is stalled."""
        return bool(self.right_stall_bumpers & 1)

    @property
    def charging(self) -> bool | None:
        """Whether the battery is charging; None if the packet does not say."""
        return None if self.charge_state in (None, 255) else self.charge_state != 0

    @property
    def fault_names(self) -> tuple[str, ...]:
        """Names of the reported faults; empty if the packet ends before the field."""
        faults = self.faults
        if not faults:
            return ()
        return tuple(name for bit, name in enumerate(_FAULTS) if faults >> bit & 1)

    @property
    def celsius(self) -> int | None:
        """Temperature of the controller in deg C; None if it is unknown."""
        return None if self.temperature in (None, _NO_TEMPERATURE) else self.temperature

    @property
    def charge(self) -> int | None:
        """Charge of the battery, 1 to 100 %; None if the robot does not report it."""
        stated = self.state_of_charge or 0
        return stated if 0 < stated <= 100 else None

    @property
    def charge_name(self) -> str:
        """Charge state as text; "" if the packet does not say."""
        return "" if self.charge_state is None else _CHARGE_STATES.get(self.charge_state, "unknown")

    @property
    def volts(self) -> float:
        """Battery voltage in V, from the 16-bit field if it is filled, else from the 8-bit one."""
        return (self.battery_x10 or self.battery) / 10
