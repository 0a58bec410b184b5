# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The values of a profile: frozen dataclasses in SI units. Only `Units` has the robot's units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

#: Encoder ticks in one count of RevCount: AmigoBots, and Pioneers (docs/protocol E-19).
_REV_COUNT_UNITS = (1, 8)
_LEAST_TRACK = 0.001  #: m
#: Largest difference between the track by RevCount and that of the profile, as a share of it.
_SAME_TRACK = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """SI value of one unit in the packets (docs/protocol 6.1)."""

    distance: float  #: m per unit of X and Y
    velocity: float  #: m/s per unit of a wheel velocity in the SIP
    range: float  #: m per unit of a sonar range
    angle: float = 2 * math.pi / 4096  #: rad per unit of TH
    wheel_velocity: float = 0.020  #: m/s per unit of VEL2


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Dimensions and mass; base_link is on the wheel axle."""

    length: float  #: m
    width: float  #: m
    height: float  #: m
    front: float  #: m from the axle to the front
    rear: float  #: m from the axle to the rear
    wheel_diameter: float  #: m
    wheel_width: float  #: m
    track: float  #: m, effective distance between the contact points of the wheels when the robot turns
    clearance: float = 0.03  #: m between floor and body
    mass: float = 3.6  #: kg
    wheel_ticks: float = 0.0  #: encoder ticks in one turn of a wheel; 0: unknown
    wheelbase: float = 0.0  #: m from the front to the rear axle, centered on base_link; 0: two wheels and a caster
    wheel_spacing: float = 0.0  #: m between the centers of the tires, if it differs from track; 0: it does not

    @property
    def radius(self) -> float:
        """Radius (m) of the circle around base_link that the corners of the body sweep."""
        return math.hypot(max(self.front, self.rear), self.width / 2)

    def meters_per_tick(self, ticks_mm: int | None = None) -> float:
        """Return m for each encoder tick by the firmware's TicksMM, else by the profile; NaN: unknown."""
        if ticks_mm:
            return 1e-3 / ticks_mm
        return math.pi * self.wheel_diameter / self.wheel_ticks if self.wheel_ticks else math.nan

    def track_by(self, rev_count: int, meters_per_tick: float) -> float:
        """Return the track (m) that RevCount means: (R - L) / 2 in a turn (docs/protocol E-19).

        The track of the profile if RevCount differs too much to be the same quantity.
        """
        reported = self.reported_track(rev_count, meters_per_tick)
        return reported if abs(reported / self.track - 1) < _SAME_TRACK else self.track

    def reported_track(self, rev_count: int, meters_per_tick: float) -> float:
        """Return the track (m) that RevCount means, in that of its units which comes nearest to the profile."""
        tracks = (rev_count * unit * meters_per_tick / math.pi for unit in _REV_COUNT_UNITS)
        return min(tracks, key=lambda track: abs(math.log(max(track, _LEAST_TRACK) / self.track)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Velocity limits of the model. The fixed limit of its firmware can be higher (docs/protocol 5.5)."""

    linear: float  #: m/s
    angular: float  #: rad/s


@dataclass(frozen=True, slots=True)
class SonarPose:
    """Position and direction of a sonar in base_link: m, m, rad."""

    x: float  #: m ahead of the axle
    y: float  #: m to the left
    heading: float  #: rad, counter-clockwise from straight ahead


@dataclass(frozen=True, slots=True, kw_only=True)
class Sonar:
    """The sonars of a robot."""

    poses: tuple[SonarPose, ...] = ()  #: on the robot, in the order of their numbers
    min_range: float = 0.1  #: m
    max_range: float = 5.0  #: m; the robot reports this or more for "no echo"
    field_of_view: float = math.radians(15)  #: rad, full width
    cycle: float = 0.04  #: s from one ping to the next
    height: float = 0.1  #: m above the floor


#: Segments of one bumper: the SIP has that many bits for it beside the stall flag (docs/protocol 5.2).
MAX_BUMPER_SEGMENTS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Bumpers:
    """Number of segments of the bumpers; 0: none (docs/protocol 6.2).

    Raises:
        ValueError: A bumper has more segments than the SIP has bits.
    """

    front_segments: int = 0  #: 0 to 7, from the left
    rear_segments: int = 0  #: 0 to 7, from the right

    def __post_init__(self) -> None:
        for name in ("front_segments", "rear_segments"):
            if not 0 <= (segments := getattr(self, name)) <= MAX_BUMPER_SEGMENTS:
                raise ValueError(f"{name} is {segments}, allowed: 0 to {MAX_BUMPER_SEGMENTS}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """Infrared sensors that look down to detect steps, in the order of their bits."""

    poses: tuple[SonarPose, ...] = ()  #: on the robot, in the order of their bits
    height: float = 0.1  #: m above the floor
    first_bit: int = 0  #: first bit in the digital inputs
    floor_is_high: bool = False  #: if False, a bit that is set means that there is no floor


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Scale of the analog inputs."""

    volts_per_count: float = 5.0 / 1024  #: V per count of an analog input (docs/protocol E-29)
    amps_per_count: float = 0.0  #: A per count of the first two inputs, if they are motor currents; 0: they are not


@dataclass(frozen=True, slots=True, kw_only=True)
class Servos:
    """Hobby servos of the controller, in the order of their numbers, and their scale."""

    joints: tuple[str, ...] = ()  #: joint names of the URDF
    neutral: float = 150.0  #: counts at joint position 0
    counts_per_degree: float = 1.0  #: counts for one degree of the joint
    lowest: float = 100.0  #: counts
    highest: float = 200.0  #: counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """Choices where the Erratic manual and the deployed Player driver contradict each other."""

    heading_in_degrees: bool = False  #: if False, 4096 units per turn (docs/protocol E-42)
    left_wheel_first: bool = False  #: in VEL2; if False, the right one as on other robots (docs/protocol E-45)
    duty_per_mille: bool = False  #: in PWM_DUTY; if False, percent (docs/protocol E-46)
    checksum_over_count: bool = False  #: if False, over the data only (docs/protocol E-40)
    #: of 18 bytes; if False, of 19. The driver reads both, the simulator sends them (docs/protocol E-43)
    short_motor_packets: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Battery:
    """A 12 V lead-acid battery."""

    low: float = 11.0  #: V, below it the level is LOW
    cutoff: float = 10.0  #: V at which the robot switches itself off
    capacity: float = math.nan  #: Ah; NaN: unknown
    #: pairs of V and charge (0 to 1), rising
    curve: tuple[tuple[float, float], ...] = ((10.5, 0.0), (11.5, 0.2), (12.0, 0.5), (12.4, 0.75), (12.8, 1.0))

    def charge(self, volts: float) -> float:
        """Estimate the charge (0 to 1) from the voltage (V)."""
        return _interpolated(volts, self.curve)

    def volts(self, charge: float) -> float:
        """Return the open-circuit voltage (V) at a charge (0 to 1)."""
        return _interpolated(charge, [(share, volts) for volts, share in self.curve])


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Communication with the robot."""

    baud: int = 9600  #: line speed in baud
    bridge_baud: int = 0  #: line speed behind the built-in network bridge; 0: no bridge
    command_spacing: float = 0.02  #: s between two commands (docs/protocol E-69)
    info_cycle: float = 0.1  #: s between two SIPs, until the robot reports it


@dataclass(frozen=True, slots=True, kw_only=True)
class Physics:
    """How the simulated robot moves, and what its firmware makes of its settings; `amigobot verify` measures them.

    A ratio is what the robot does over what was commanded; the manuals promise 1 for all of them.
    """

    free_speed: float = 4 / 3  #: speed of a wheel at full voltage without load, over `limits.linear`
    motor_time: float = 0.15  #: s until a wheel under voltage is at 63 % of its final speed
    friction: float = 0.01  #: m/s by which friction slows a powered wheel; a voltage for less does not start it
    #: m/s^2, the part of the deceleration of a wheel without current that does not depend on its speed
    coast_deceleration: float = 0.6
    coast_time: float = 0.6  #: s; the part that grows with the speed is speed / coast_time
    brake_deceleration: float = 6.0  #: m/s^2 of a wheel whose motor is shorted: E_STOP
    velocity_ratio: float = 1.0  #: of VEL
    turn_rate_ratio: float = 1.0  #: of RVEL
    acceleration_ratio: float = 1.0  #: of TransAcc and SETA
    deceleration_ratio: float = 1.0  #: of TransDecel
    turn_acceleration_ratio: float = 1.0  #: of RotAcc and SETRA
    turn_deceleration_ratio: float = 1.0  #: of RotDecel
    watchdog_ratio: float = 1.0  #: of WatchDog
    cycle_ratio: float = 1.0  #: of SInfoCycle
    command_delay: float = 0.0  #: s from the last byte of a command to its execution, beside the control cycle
    boot_time: float = 1.0  #: s from a reset until the controller reads its line again
    gyro_scale: float = math.radians(0.954)  #: rad/s per count of the gyro
    gyro_period: float = 0.025  #: s between two samples of the gyro
    battery_divider: float = 0.25  #: voltage at AN5 over that of the battery (docs/protocol E-26)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How one robot differs from its model (docs/how-to/calibrate.md). The driver corrects its odometry by it."""

    left_wheel: float = 1.0  #: true distance of the left wheel over the distance that the robot reports
    right_wheel: float = 1.0  #: true distance of the right wheel over the reported one
    turn: float = 1.0  #: true turn over the turn that the robot reports, where no RevCount corrects it
    rev_count: int = 0  #: RevCount that the driver sets in the robot; 0: the robot's own

    @property
    def scale(self) -> float:
        """True distance over the reported one."""
        return (self.left_wheel + self.right_wheel) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One robot model."""

    name: str  #: as in the parameter `robot`
    description: str  #: model and controller, for messages
    robot_class: str = "Pioneer"  #: class that this robot reports
    subclasses: tuple[str, ...] = ()  #: names that this robot reports, lower case
    #: firmware letters as in the table of commands, plus C for ARCOS among the robots with R; "": unknown
    firmware: str = ""
    units: Units  #: what the units of its packets are
    body: Body  #: dimensions and mass
    limits: Limits  #: highest velocities
    sonar: Sonar = field(default_factory=Sonar)  #: poses and range of the sonars
    bumpers: Bumpers = field(default_factory=Bumpers)  #: segments of the bumper rings
    floor: Floor = field(default_factory=Floor)  #: floor sensors
    inputs: Inputs = field(default_factory=Inputs)  #: scale of the analog inputs
    servos: Servos = field(default_factory=Servos)  #: joints and their scale
    quirks: Quirks = field(default_factory=Quirks)  #: choices between contradicting documents
    battery: Battery = field(default_factory=Battery)  #: thresholds, capacity and charge curve
    link: Link = field(default_factory=Link)  #: line speed and pacing
    physics: Physics = field(default_factory=Physics)  #: for the simulator
    calibration: Calibration = field(default_factory=Calibration)  #: correction of the odometry
    #: FLASH values, named as in the manual, that differ from the defaults of AmigOS; for the simulator
    flash: Mapping[str, int | str] = field(default_factory=lambda: MappingProxyType({}))
    #: keywords of an ARIA file that the driver does not use
    unused: tuple[str, ...] = ()

    @property
    def erratic(self) -> bool:
        """Whether the firmware is that of the Videre Erratic."""
        return self.firmware == "E"


def _interpolated(x: float, points: Sequence[tuple[float, float]]) -> float:
    """Return y at x on the line through points (x, y) of rising x; beyond its ends, the y of the end."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x <= x0:
            return y0
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return points[-1][1]
