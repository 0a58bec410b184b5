"""The standard server information packet, the heartbeat of a session (PROTOCOL 5.2; AmigoBot manual ch. 5)."""

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
_NO_TEMPERATURE = -127


@dataclass(frozen=True, slots=True, kw_only=True)
class SonarReading:
    """One ping: the sonar's number from 0, and its range in robot units (mm for most)."""

    number: U8
    range: U16


@dataclass(frozen=True, slots=True, kw_only=True)
class Sip(Packet):
    """The standard server information packet, in every length from P2OS to MTX (PROTOCOL 5.2).

    A field is None where the packet ends before it: after `digital_out` on AmigOS, after `charge_state` on
    AmigoSH and AROS, further on for ARCOS.
    """

    MOTORS: ClassVar[int] = 1 << 0
    SONAR: ClassVar[int] = 0b1111 << 1
    STOP_BUTTON: ClassVar[int] = 1 << 5
    MOVING: ClassVar[int] = 0x33
    #: whether the motors' flag is the robot's own word
    REPORTS_MOTORS: ClassVar[bool] = True

    id: U8 = 0x32
    #: 15-bit counters in a 16-bit field: only differences modulo 0x8000 mean anything
    x: U16
    y: U16
    #: 4096 to the turn, counter-clockwise
    heading: S16
    left_velocity: S16
    right_velocity: S16
    #: 0.1 V
    battery: U8
    left_stall_bumpers: U8
    right_stall_bumpers: U8
    #: the heading servo's set-point, as heading
    control: S16
    flags: U16
    compass: U8
    sonar: Annotated[tuple[SonarReading, ...], Counted(Record(SonarReading))]
    #: AmigOS: selected analog port and 0; AmigoSH and AROS: gripper and port (erratum E-30)
    port_low: U8 | None = None
    port_high: U8 | None = None
    analog: U8 | None = None
    digital_in: U8 | None = None
    digital_out: U8 | None = None
    #: 0.1 V
    battery_x10: U16 | None = None
    charge_state: U8 | None = None
    #: 0.1 deg/s
    rotation_velocity: S16 | None = None
    faults: U16 | None = None
    #: mm/s
    lateral_velocity: S16 | None = None
    #: deg C, -127: not available
    temperature: S8 | None = None
    #: %
    state_of_charge: S8 | None = None
    #: us
    robot_time: U32 | None = None
    flags3: U32 | None = None

    @property
    def moving(self) -> bool:
        return self.id == self.MOVING

    @property
    def motors_enabled(self) -> bool:
        return bool(self.flags & self.MOTORS)

    @property
    def sonar_enabled(self) -> bool:
        return bool(self.flags & self.SONAR)

    @property
    def stop_button(self) -> bool:
        return bool(self.flags & self.STOP_BUTTON)

    @property
    def left_stalled(self) -> bool:
        return bool(self.left_stall_bumpers & 1)

    @property
    def right_stalled(self) -> bool:
        return bool(self.right_stall_bumpers & 1)

    @property
    def charging(self) -> bool | None:
        """Whether the charger feeds the battery; None where the packet does not say."""
        return None if self.charge_state in (None, 255) else self.charge_state != 0

    @property
    def fault_names(self) -> tuple[str, ...]:
        """What the robot complains of; nothing where its packet ends before that."""
        faults = self.faults or 0
        return tuple(name for bit, name in enumerate(_FAULTS) if faults >> bit & 1)

    @property
    def celsius(self) -> int | None:
        """The controller's temperature; None where the packet or the robot does not say."""
        return None if self.temperature in (None, _NO_TEMPERATURE) else self.temperature

    @property
    def charge(self) -> int | None:
        """% of the battery's charge; None where the packet ends before it or the robot leaves it empty."""
        stated = self.state_of_charge or 0
        return stated if 0 < stated <= 100 else None

    @property
    def charge_name(self) -> str:
        """What the charger does, "" where the packet does not say."""
        return "" if self.charge_state is None else _CHARGE_STATES.get(self.charge_state, "unknown")

    @property
    def volts(self) -> float:
        """Battery voltage; the 16-bit field wins where it exists and is filled."""
        return (self.battery_x10 or self.battery) / 10
