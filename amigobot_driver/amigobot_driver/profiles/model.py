"""The values of a profile: frozen, in SI units, with the robot's own units only in `Units`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


class ProfileError(ValueError):
    """A profile that cannot be used; the message names the file, the key, its value and what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """What one unit in the packets is worth (docs/protocol.md 6.1)."""

    distance: float  #: m per unit of X and Y
    velocity: float  #: m/s per unit of a wheel velocity in the SIP
    range: float  #: m per unit of a sonar range
    angle: float = 2 * math.pi / 4096  #: rad per unit of TH
    wheel_velocity: float = 0.020  #: m/s per unit of VEL2


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Dimensions in m. `front` and `rear` are measured from the wheel axle, where base_link is."""

    length: float
    width: float
    height: float
    front: float
    rear: float
    wheel_diameter: float
    wheel_width: float
    track: float  #: between the wheels' contact points, the effective value: how wide the robot turns
    clearance: float = 0.03
    mass: float = 3.6  #: kg
    wheel_ticks: float = 0.0  #: of the encoder in one turn of a wheel; 0: nobody knows
    wheelbase: float = 0.0  #: from the front axle to the rear one, about base_link; 0: two wheels and a caster
    wheel_spacing: float = 0.0  #: between the middles of the tyres as built, where track is another; 0: it is not

    @property
    def radius(self) -> float:
        """Of the circle about the axle's middle that the corners of the body sweep, m."""
        return math.hypot(max(self.front, self.rear), self.width / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What this robot can do, m/s and rad/s; the firmware's own caps are those of the whole family."""

    linear: float
    angular: float


@dataclass(frozen=True, slots=True)
class SonarPose:
    """Where a sonar sits and points in base_link: m, m, rad."""

    x: float
    y: float
    heading: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sonar:
    """The sonars in firing order, and what they can see."""

    poses: tuple[SonarPose, ...] = ()
    min_range: float = 0.1  #: m
    max_range: float = 5.0  #: m; the robot reports this or more for "no echo"
    field_of_view: float = math.radians(15)  #: rad, full width
    cycle: float = 0.04  #: s from one ping to the next
    height: float = 0.1  #: m above the floor


@dataclass(frozen=True, slots=True, kw_only=True)
class Bumpers:
    """Rings of contact switches, by how many segments each has; 0: none (docs/protocol.md 6.2)."""

    front_segments: int = 0
    rear_segments: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """Infrared sensors that look down at the floor, for steps; in the order of their bits."""

    poses: tuple[SonarPose, ...] = ()
    height: float = 0.1  #: m above the floor
    first_bit: int = 0  #: of the digital inputs
    floor_is_high: bool = False  #: else a bit that is set means that there is no floor


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a count of the analog inputs is worth."""

    volts_per_count: float = 5.0 / 1024  #: docs/protocol.md E-29
    amps_per_count: float = 0.0  #: of the first two, where they are the motors' currents; 0: they are not


@dataclass(frozen=True, slots=True, kw_only=True)
class Servos:
    """Hobby servos that the controller drives, in the order of their numbers, and what a count means to them."""

    joints: tuple[str, ...] = ()  #: names
    neutral: float = 150.0  #: counts where the joint is at 0
    counts_per_degree: float = 1.0
    lowest: float = 100.0  #: counts
    highest: float = 200.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """Where the Erratic's manual and the driver that was deployed contradict each other."""

    heading_in_degrees: bool = False  #: else 4096 to the turn (docs/protocol.md E-42)
    left_wheel_first: bool = False  #: in VEL2, else the right one as in the whole family (docs/protocol.md E-45)
    duty_per_mille: bool = False  #: PWM_DUTY, else percent (docs/protocol.md E-46)
    checksum_over_count: bool = False  #: else over the data alone (docs/protocol.md E-40)


@dataclass(frozen=True, slots=True, kw_only=True)
class Battery:
    """A 12 V lead-acid battery: V, Ah; `curve` pairs volts with the charge left (0 to 1), rising."""

    low: float = 11.0
    cutoff: float = 10.0
    capacity: float = math.nan
    curve: tuple[tuple[float, float], ...] = ((10.5, 0.0), (11.5, 0.2), (12.0, 0.5), (12.4, 0.75), (12.8, 1.0))

    def charge(self, volts: float) -> float:
        """The share of charge left at this voltage, interpolated: an estimate, no measurement."""
        (low, first), *_ = self.curve
        if volts <= low:
            return first
        for (v0, c0), (v1, c1) in zip(self.curve, self.curve[1:], strict=False):
            if volts <= v1:
                return c0 + (c1 - c0) * (volts - v0) / (v1 - v0)
        return self.curve[-1][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """How to talk to the robot."""

    baud: int = 9600
    bridge_baud: int = 0  #: of the line behind the network bridge that this robot comes with; 0: it comes without one
    command_spacing: float = 0.02  #: s between two commands (docs/protocol.md E-69)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One robot of the family."""

    name: str
    description: str
    robot_class: str = "Pioneer"
    subclasses: tuple[str, ...] = ()  #: the names this robot gives itself, lower case
    #: its letters in the table of commands, and C for the ARCOS among the robots with an R; "": nobody knows
    firmware: str = ""
    units: Units
    body: Body
    limits: Limits
    sonar: Sonar = field(default_factory=Sonar)
    bumpers: Bumpers = field(default_factory=Bumpers)
    floor: Floor = field(default_factory=Floor)
    inputs: Inputs = field(default_factory=Inputs)
    servos: Servos = field(default_factory=Servos)
    quirks: Quirks = field(default_factory=Quirks)
    battery: Battery = field(default_factory=Battery)
    link: Link = field(default_factory=Link)
    #: FLASH values as the manual names them, where they differ from AmigOS's defaults; for the simulator
    flash: Mapping[str, int | str] = field(default_factory=lambda: MappingProxyType({}))
    #: keywords of an ARIA file that say nothing to this driver
    unused: tuple[str, ...] = ()
