# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The events of a `Robot`: frozen values in SI units; stamps are in s of the driver's clock."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from ..profiles import Profile, SonarPose
from ..protocol import Packet, SyncReply, TuningValues
from .session import LinkState

#: Least variance of each component of a velocity, and of the pose at the start: m^2, rad^2, (m/s)^2, (rad/s)^2.
LEAST_VARIANCE = 1e-6
#: Variance of an unknown velocity, (m/s)^2 and (rad/s)^2: so large that no filter uses the value.
UNKNOWN_VARIANCE = 1e4


class Event:
    """The base class of the events."""

    __slots__ = ()


class BatteryLevel(Enum):
    """State of the battery voltage."""

    GOOD = 0  #: above the alarm
    LOW = 1  #: charge it soon
    CRITICAL = 2  #: the robot switches itself off soon


@dataclass(frozen=True, slots=True)
class Odometry:
    """A pose in the odometry frame (m, m, rad), the velocity in the base frame, and their covariances."""

    x: float = 0.0  #: m
    y: float = 0.0  #: m
    yaw: float = 0.0  #: rad
    linear: float = 0.0  #: m/s
    angular: float = 0.0  #: rad/s
    left_angle: float = 0.0  #: rad the left wheel has turned
    right_angle: float = 0.0  #: rad the right wheel has turned
    left_velocity: float = 0.0  #: m/s at the rim
    right_velocity: float = 0.0  #: m/s at the rim
    #: m driven along the path since the start, backwards counts negative; setting the pose does not change it
    travelled: float = 0.0
    #: rad turned since the start, counter-clockwise positive, not wrapped; setting the pose does not change it
    turned: float = 0.0
    #: xx, xy, xyaw, yy, yyaw, yawyaw in m^2, m rad, rad^2
    covariance: tuple[float, ...] = (LEAST_VARIANCE, 0.0, 0.0, LEAST_VARIANCE, 0.0, LEAST_VARIANCE)
    #: of linear and angular velocity, (m/s)^2 and (rad/s)^2
    velocity_variance: tuple[float, float] = (LEAST_VARIANCE, LEAST_VARIANCE)


@dataclass(frozen=True, slots=True)
class LinkChanged(Event):
    """The state of the connection has changed; `note` describes it for the operator, with what to do."""

    state: LinkState  #: the new state
    note: str  #: the state, its cause and the remedy, as text
    requested: bool = False  #: the session ended because of a request of the user
    refused: bool = False  #: another robot answers at the port, and is left alone


@dataclass(frozen=True, slots=True)
class BaudChange(Event):
    """The port must change its line speed."""

    baud: int  #: the new speed in baud


@dataclass(frozen=True, slots=True)
class ModemCall(Event):
    """The port must send bytes that are no frame, to a radio modem."""

    data: bytes  #: the bytes


@dataclass(frozen=True, slots=True)
class Identified(Event):
    """The robot was identified and a profile was chosen, for the given reason."""

    identity: SyncReply  #: as the robot reports it
    profile: Profile  #: the chosen profile
    reason: str  #: why it was chosen, as text
    known: bool  #: False: the profile is generic, as none matches this robot, or one of another model was requested


@dataclass(frozen=True, slots=True)
class Configured(Event):
    """The tuning values of the robot, from its answer to CONFIG."""

    config: TuningValues


@dataclass(frozen=True, slots=True)
class Ping:
    """One sonar reading."""

    number: int  #: of the sonar, from 0
    range: float  #: m from the sonar, never below its minimum; inf for no echo
    stamp: float  #: s, when the sonar fired, estimated from its place in the SIP


@dataclass(frozen=True, slots=True)
class SonarReading:
    """The newest reading of one sonar, and where that sonar is on the robot."""

    number: int  #: from 0
    range: float  #: m from the sonar; inf: no echo; NaN: the sonar has not fired yet
    age: float  #: s since it fired; inf: it has not fired yet
    x: float  #: m, of the sonar, forward from the middle of the axle
    y: float  #: m, to the left
    heading: float  #: rad, the direction of the sonar; 0 is forward, positive to the left

    @property
    def point(self) -> tuple[float, float]:
        """Where the echo comes from, in m from the middle of the axle: forward, and to the left."""
        return self.x + self.range * math.cos(self.heading), self.y + self.range * math.sin(self.heading)

    @classmethod
    def newest(cls, poses: Sequence[SonarPose], pings: Mapping[int, Ping], now: float) -> tuple[SonarReading, ...]:
        """Return the reading of each sonar.

        Args:
            poses: Of the sonars, in the order of their numbers.
            pings: The newest of each sonar, by its number; one that has not fired is missing.
            now: Time in s.
        """
        unknown = Ping(0, math.nan, -math.inf)
        newest = [(number, pings.get(number, unknown), pose) for number, pose in enumerate(poses)]
        return tuple(
            cls(number, ping.range, max(0.0, now - ping.stamp), pose.x, pose.y, pose.heading)
            for number, ping, pose in newest
        )


@dataclass(frozen=True, slots=True)
class IoState:
    """Digital and analog ports. A value that the packets do not report is None or ()."""

    digital_inputs: int | None  #: bit n is pin n
    digital_outputs: int | None  #: bit n is output n
    more_digital_inputs: tuple[int, ...]  #: further bytes of a Pioneer: bumpers, infrared
    analog: tuple[float, ...]  #: V, of every analog port; needs Options(io_stream=True)
    selected_port: int  #: analog port of the next value, from 1; 0: unknown
    selected_analog: float | None  #: V


@dataclass(frozen=True, slots=True)
class Report(Event):
    """The values of one SIP in SI units."""

    stamp: float  #: s, when the robot took the values
    odometry: Odometry  #: pose and velocity after this SIP
    pings: tuple[Ping, ...]  #: new readings only, oldest first
    volts: float  #: V, of the battery
    motors_enabled: bool  #: the motors are on
    sonar_enabled: bool  #: the sonars are on
    moving: bool  #: the robot reports that it moves
    left_stalled: bool  #: the left motor is stalled
    right_stalled: bool  #: the right motor is stalled
    stop_button: bool  #: the stop button is pressed
    charging: bool | None  #: None: unknown, as the robot has never reported that it charges
    charge_state: str  #: state of the charger in words; "": the robot does not report it
    faults: tuple[str, ...]  #: faults that the robot reports
    celsius: int | None  #: the controller's temperature; None: the robot does not report it
    ports: IoState  #: digital and analog inputs, digital outputs
    turn_rate: float | None = None  #: rad/s; None: the robot does not report it
    charge: float = math.nan  #: 0 to 1, as the robot reports it (ARCOS), else estimated from the voltage
    reported_charge: float | None = None  #: 0 to 1; None: the robot does not report it
    smoothed_volts: float = math.nan  #: battery voltage, averaged over the last seconds
    #: changes when the pose or the counters of the robot are set; counts in this process (ignored by ==)
    frame: int = field(default=0, compare=False)
    wheels_streamed: bool = False  #: ENCODER packets arrive; an `EncoderReading` with better wheel angles follows
    pose_streamed: bool = False  #: ENCODER packets arrive; an `EncoderReading` with a better pose follows
    #: s since the last reading of each sonar, inf before its first (ignored by ==)
    sonar_ages: tuple[float, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class BatteryChanged(Event):
    """The battery level has changed."""

    level: BatteryLevel  #: the new level
    volts: float  #: V, smoothed


@dataclass(frozen=True, slots=True)
class EmergencyStopChanged(Event):
    """The emergency stop was latched or cleared."""

    latched: bool


@dataclass(frozen=True, slots=True)
class Notice(Event):
    """A message for the operator, in one line."""

    text: str  #: one line, without a full stop
    trouble: bool = True  #: a warning; False: information


@dataclass(frozen=True, slots=True)
class Received(Event):
    """Any packet that is not a SIP, unchanged."""

    packet: Packet  #: as it arrived
    stamp: float  #: s, when its first byte was put on the wire


@dataclass(frozen=True, slots=True)
class EncoderReading(Event):
    """One ENCODERpac."""

    stamp: float  #: s
    left: int  #: ticks, wrapping at 32 bits
    right: int  #: ticks, wrapping at 32 bits
    odometry: Odometry | None  #: by the ticks; None if their length is unknown, or the SIP of the cycle was lost
    leading: bool = False  #: the pose is computed from the ticks; otherwise only the wheel angles are


@dataclass(frozen=True, slots=True)
class OdometryStale(Event):
    """The session has ended: the last known pose, and an unknown velocity, given as zero."""

    odometry: Odometry


@dataclass(frozen=True, slots=True)
class TurnRate(Event):
    """One sample of a GYROpac."""

    stamp: float  #: s, in the middle of the sample
    rate: float  #: rad/s
    variance: float  #: (rad/s)^2


@dataclass(frozen=True, slots=True)
class MotorCurrents(Event):
    """Currents of the motors in A."""

    stamp: float  #: s
    left: float  #: A
    right: float  #: A


@dataclass(frozen=True, slots=True)
class FloorReading(Event):
    """Whether each floor sensor detects the floor."""

    stamp: float  #: s
    floors: tuple[bool, ...]  #: left, right; True: a floor


@dataclass(frozen=True, slots=True)
class BumperReading(Event):
    """The pressed segments of the bumpers: the front ring from the left, the rear one from the right."""

    stamp: float  #: s
    front: tuple[bool, ...]  #: (): there is no such ring
    rear: tuple[bool, ...]  #: (): there is no such ring


@dataclass(frozen=True, slots=True)
class CompassReading(Event):
    """One reading of the compass; NaN: the packet does not contain the value."""

    stamp: float  #: s
    heading: float  #: rad, 0 to 2 pi, clockwise from magnetic north
    resolution: float  #: rad
    pitch: float = math.nan  #: rad
    roll: float = math.nan  #: rad
    field: tuple[float, float, float] = (math.nan, math.nan, math.nan)  #: T
    celsius: float = math.nan  #: deg C
    error: int = 0  #: the error word of the compass, undecoded


class Paddles(Enum):
    """Position of the gripper's paddles."""

    UNKNOWN = 0  #: not reported
    BETWEEN = 1  #: neither open nor closed
    OPEN = 2  #: fully open
    CLOSED = 3  #: closed, on an object or on each other


class Lift(Enum):
    """Position of the gripper's lift; AT_END if the robot does not report which end."""

    UNKNOWN = 0  #: not reported
    BETWEEN = 1  #: at neither end
    UP = 4  #: at the upper end
    DOWN = 5  #: at the lower end
    AT_END = 6  #: at one of the ends


@dataclass(frozen=True, slots=True, kw_only=True)
class GripperReading(Event):
    """State of the gripper."""

    stamp: float  #: s
    paddles: Paddles  #: UNKNOWN if no packet reports it
    paddles_moving: bool  #: they open or close
    lift: Lift  #: UNKNOWN if no packet reports it
    lift_moving: bool  #: it moves up or down
    inner_beam: bool  #: broken
    outer_beam: bool  #: broken
    left_contact: bool  #: this paddle touches something
    right_contact: bool  #: this paddle touches something
    kind: int  #: 1: wired to the user I/O, 2: to the general I/O
    state: int  #: the SIP's byte
    switches: int  #: the bits that beams and contacts are from
    grasp_time: float | None  #: s; None: not reported


@dataclass(frozen=True, slots=True)
class JoystickReading(Event):
    """State of the joystick at the robot."""

    stamp: float  #: s
    axes: tuple[float, ...]  #: x, y, throttle, each -1 to 1
    buttons: tuple[bool, ...]  #: pressed, in the order of their numbers


@dataclass(frozen=True, slots=True)
class FrameSeen(Event):
    """A frame on the line, with `Options.trace`."""

    to_robot: bool  #: True: a command; False: a packet
    name: str  #: of the packet or command, as this robot means it
    data: bytes  #: without header, count and checksum
    stamp: float  #: s, when its first byte was put on the wire, or when it was handed to the port
