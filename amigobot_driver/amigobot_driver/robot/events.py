"""What a `Robot` has to tell: frozen values in SI units, stamped in seconds of the clock it was given."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from ..profiles import Profile
from ..protocol import Packet, Parameters, SyncReply
from .session import LinkState

#: Of each component of a pose and a velocity when nothing has moved yet, in m, rad and s, squared.
START_VARIANCE = 1e-6
#: Of a velocity, (m/s)^2 and (rad/s)^2, while no packet tells it: so large that no filter uses the value.
UNKNOWN_VARIANCE = 1e4


class BatteryLevel(Enum):
    """How much is left, in three words."""

    GOOD = 0
    LOW = 1
    CRITICAL = 2


@dataclass(frozen=True, slots=True)
class Odometry:
    """A pose in the odometry frame (m, m, rad), the velocity in the base frame, and how sure both are."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    linear: float = 0.0  #: m/s
    angular: float = 0.0  #: rad/s
    left_angle: float = 0.0  #: rad the left wheel has turned
    right_angle: float = 0.0
    left_velocity: float = 0.0  #: m/s at the rim
    right_velocity: float = 0.0
    #: m driven along the path since the start, backwards counts negative; setting the pose does not change it
    travelled: float = 0.0
    #: rad turned since the start, counter-clockwise positive, not wrapped; setting the pose does not change it
    turned: float = 0.0
    #: xx, xy, xyaw, yy, yyaw, yawyaw
    covariance: tuple[float, ...] = (START_VARIANCE, 0.0, 0.0, START_VARIANCE, 0.0, START_VARIANCE)
    #: of linear and angular velocity
    velocity_variance: tuple[float, float] = (START_VARIANCE, START_VARIANCE)


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """The connection stands differently; `note` says so in plain words, with the remedy where there is one."""

    state: LinkState
    note: str
    requested: bool = False  #: the user asked for what made the session end


@dataclass(frozen=True, slots=True)
class BaudChange:
    """The line is to run at another speed from now on."""

    baud: int


@dataclass(frozen=True, slots=True)
class Identified:
    """A robot has said who it is, and a profile was chosen for it, for the reason given."""

    identity: SyncReply
    profile: Profile
    reason: str
    known: bool  #: False: no profile is this robot's, and the one chosen is a guess


@dataclass(frozen=True, slots=True)
class Configured:
    """The robot has answered CONFIG."""

    config: Parameters


@dataclass(frozen=True, slots=True)
class Ping:
    """One sonar reading."""

    number: int
    range: float  #: m from the sonar, never below its minimum; inf for no echo
    stamp: float  #: s, when that sonar fired, as near as its SIP tells


@dataclass(frozen=True, slots=True)
class PortState:
    """The ports as one SIP shows them. A field is None where the packet ends before it."""

    digital_in: int | None
    digital_out: int | None
    selected: int  #: analog port, from 1; 0: unknown
    analog: int | None  #: of the selected port, 0 to 255 for 0 to 5 V


@dataclass(frozen=True, slots=True)
class Report:
    """One SIP, converted."""

    stamp: float  #: s, when its first byte was put on the wire
    odometry: Odometry
    pings: tuple[Ping, ...]  #: new readings only, oldest first
    volts: float
    motors_enabled: bool
    sonar_enabled: bool
    moving: bool
    left_stalled: bool
    right_stalled: bool
    stop_button: bool
    charging: bool | None  #: None: this firmware does not say
    charge_state: str  #: "" likewise
    faults: tuple[str, ...]  #: what the robot itself complains of
    celsius: int | None  #: the controller's temperature; None likewise
    ports: PortState
    turn_rate: float | None = None  #: rad/s, the robot's own word; None likewise
    charge: float | None = None  #: 0 to 1, the robot's own word; None likewise
    #: s since the last reading of each sonar, None before its first; follows from the stamps, which are compared
    sonar_ages: tuple[float | None, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class BatteryChanged:
    """The battery's level is another one now."""

    level: BatteryLevel
    volts: float


@dataclass(frozen=True, slots=True)
class Notice:
    """Something an operator wants to know, once, in one line."""

    text: str
    trouble: bool = True


@dataclass(frozen=True, slots=True)
class Received:
    """Any other packet, as it came."""

    packet: Packet
    stamp: float


@dataclass(frozen=True, slots=True)
class EncoderReading:
    """One ENCODERpac."""

    stamp: float  #: s
    left: int  #: ticks, wrapping at 32 bits
    right: int
    odometry: Odometry | None  #: with the ticks worked in; None where the length of a tick is unknown


@dataclass(frozen=True, slots=True)
class OdometryStale:
    """The session has ended: the pose is the last one known, the velocity is unknown and stated as zero."""

    odometry: Odometry


@dataclass(frozen=True, slots=True)
class TurnRate:
    """One sample of a GYROpac, which has four."""

    stamp: float  #: s, in the middle of the time that the sample is of
    rate: float  #: rad/s
    variance: float  #: (rad/s)^2


@dataclass(frozen=True, slots=True)
class MotorCurrents:
    """What the motors draw, in A."""

    stamp: float  #: s
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class FloorReading:
    """Whether each of the sensors that look at the floor sees one."""

    stamp: float  #: s
    floors: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class BumperReading:
    """Which segments of the bumpers something presses: the front ring from the left, the rear one from the right."""

    stamp: float  #: s
    front: tuple[bool, ...]  #: (): there is no such ring
    rear: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class CompassReading:
    """One reading of the compass; NaN is what the packet does not tell."""

    stamp: float  #: s
    heading: float  #: rad, 0 to 2 pi, clockwise from magnetic north
    resolution: float  #: rad
    pitch: float = math.nan  #: rad
    roll: float = math.nan
    field: tuple[float, float, float] = (math.nan, math.nan, math.nan)  #: T
    celsius: float = math.nan
    error: int = 0  #: as it came


class Paddles(Enum):
    """Where the gripper's paddles are."""

    UNKNOWN = 0
    BETWEEN = 1
    OPEN = 2
    CLOSED = 3


class Lift(Enum):
    """Where the gripper's lift is; AT_END where the robot does not report which end."""

    UNKNOWN = 0
    BETWEEN = 1
    UP = 4
    DOWN = 5
    AT_END = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class GripperReading:
    """How the gripper stands."""

    stamp: float  #: s
    paddles: Paddles
    paddles_moving: bool
    lift: Lift
    lift_moving: bool
    inner_beam: bool  #: broken
    outer_beam: bool
    left_contact: bool  #: this paddle touches something
    right_contact: bool
    kind: int  #: 1 wired to the user I/O, 2 to the general I/O
    state: int  #: the SIP's byte
    switches: int  #: the bits that beams and contacts are from
    grasp_time: float | None  #: s; None: not told


@dataclass(frozen=True, slots=True)
class JoystickReading:
    """The robot's own joystick."""

    stamp: float  #: s
    axes: tuple[float, ...]  #: x, y, throttle, each -1 to 1
    buttons: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class FrameSeen:
    """A frame on the line, where `Options.trace` asks for them."""

    to_robot: bool
    name: str  #: of the packet or command, as this robot means it
    data: bytes  #: without header, count and checksum
    stamp: float  #: s, when its first byte was put on the wire, or when it was handed to the port


Event = (
    LinkChanged
    | BaudChange
    | Identified
    | Configured
    | Report
    | BatteryChanged
    | Notice
    | Received
    | EncoderReading
    | OdometryStale
    | TurnRate
    | MotorCurrents
    | FloorReading
    | BumperReading
    | CompassReading
    | GripperReading
    | JoystickReading
    | FrameSeen
)
