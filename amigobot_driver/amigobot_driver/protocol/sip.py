"""The standard server information packet, the heartbeat of a session (docs/protocol.md 5.2; AmigoBot manual ch. 5)."""

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

    number: U8  #: number of the sonar, from 0
    range: U16  #: robot units, mm for most robots


@dataclass(frozen=True, slots=True, kw_only=True)
class Sip(Packet):
    """The standard server information packet, in every length from P2OS to MTX (docs/protocol.md 5.2).

    A field is None where the packet ends before it: after `digital_out` on AmigOS, after `charge_state` on
    AmigoSH and AROS, further on for ARCOS.
    """

    MOTORS: ClassVar[int] = 1 << 0
    SONAR: ClassVar[int] = 0b1111 << 1
    STOP_BUTTON: ClassVar[int] = 1 << 5
    MOVING: ClassVar[int] = 0x33
    #: whether the motors' flag is the robot's own word
    REPORTS_MOTORS: ClassVar[bool] = True

    id: U8 = 0x32  #: 0x32 motors stopped, 0x33 moving; 0x30 to 0x3F are read
    x: U16  #: robot units; a 15-bit counter: only differences modulo 0x8000 mean anything
    y: U16  #: as x
    heading: S16  #: 4096 to the turn, counter-clockwise
    left_velocity: S16  #: robot units, mm/s on most robots
    right_velocity: S16  #: as left_velocity
    battery: U8  #: 0.1 V
    left_stall_bumpers: U8  #: bit 0 left motor stalled; bits 1 to 7 rear bumpers
    right_stall_bumpers: U8  #: bit 0 right motor stalled; bits 1 to 7 front bumpers
    control: S16  #: set-point of the heading servo, unit as heading
    flags: U16  #: bit 0 motors on; bits 1 to 4 sonar arrays on; 5 stop button; 10 recharging
    compass: U8  #: 2 deg, 0 none (Pioneer with a compass)
    sonar: Annotated[tuple[SonarReading, ...], Counted(Record(SonarReading))]  #: the readings since the last SIP
    port_low: U8 | None = None  #: AmigOS: selected analog port; AmigoSH and AROS: gripper (docs/protocol.md E-30)
    port_high: U8 | None = None  #: AmigOS: 0; AmigoSH and AROS: selected analog port
    analog: U8 | None = None  #: 5/255 V at the selected port
    digital_in: U8 | None = None  #: bits 0 to 5: IO_0 to IO_5 where configured as input
    digital_out: U8 | None = None  #: bits 0 to 5: IO_0 to IO_5 where configured as output
    battery_x10: U16 | None = None  #: 0.1 V
    charge_state: U8 | None = None  #: 0 not charging, 1 bulk, 2 overcharge, 3 float, 4 balance, 255 unknown
    rotation_velocity: S16 | None = None  #: 0.1 deg/s
    faults: U16 | None = None  #: bit field, see fault_names
    lateral_velocity: S16 | None = None  #: mm/s
    temperature: S8 | None = None  #: deg C, -127: not available
    state_of_charge: S8 | None = None  #: %
    robot_time: U32 | None = None  #: us
    flags3: U32 | None = None  #: bit field of late MTX robots

    @property
    def moving(self) -> bool:
        """Whether the packet type says so, or a wheel has a velocity: MobileSim sends one packet type only."""
        return self.id == self.MOVING or bool(self.left_velocity or self.right_velocity)

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
