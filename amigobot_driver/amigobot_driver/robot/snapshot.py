# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The state of a robot at one instant, as frozen values: what diagnostics and service responses are made of.

    with driver.robot() as robot:
        snapshot = take_snapshot(robot)

The caller holds the robot's lock while the snapshot is taken, and needs no lock to use it. Counters are copied whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..profiles import Profile
from ..protocol import SyncReply, TuningValues
from ..protocol.decoder import DecoderStats
from .command_queue import QueueStats
from .devices.auxiliary import AuxStats
from .events import BatteryLevel, BumperReading, Odometry, Report, SonarReading
from .link import PacketStats
from .monitors.stalls import Stall
from .motion.motion import MotionStats
from .robot import Robot
from .session import LinkState
from .streams import Plan


@dataclass(frozen=True, slots=True)
class LinkSnapshot:
    """The connection. Counters count from the start of the driver; times are in s, NaN if not measured."""

    state: LinkState  #: RUNNING while the robot is connected
    note: str  #: the state in plain words
    baud: int  #: of the line; 0: no line
    connections: int  #: sessions that were opened
    decoder: DecoderStats  #: bytes and frames received
    packets: PacketStats  #: packets received
    period: float  #: s, median time between two SIPs
    gaps: int  #: late or missing SIPs
    longest_gap: float  #: s without a SIP, in the last minute
    answer_latency: float  #: s from CONFIG to its answer

    @property
    def running(self) -> bool:
        """Whether a session is open and SIPs arrive."""
        return self.state is LinkState.RUNNING


@dataclass(frozen=True, slots=True)
class CommandSnapshot:
    """What became of commands; counters since the start of the driver."""

    motion: MotionStats  #: velocities and goals by result
    limited: int  #: velocities that were scaled down
    max_linear: float  #: m/s
    max_angular: float  #: rad/s
    queue: QueueStats  #: commands by what became of them
    raw_refused: int  #: refused calls of send_command
    requests: Mapping[str, int]  #: how often each component sent again or gave up


@dataclass(frozen=True, slots=True)
class StreamSnapshot:
    """Packets that the robot streams besides its SIPs."""

    name: str  #: for example ENCODERpac
    packets: int  #: that have arrived
    resent: int  #: how often it was requested again
    silent: bool  #: it does not come although it was requested several times


@dataclass(frozen=True, slots=True)
class RobotSnapshot:
    """The state of robot and driver at one instant; values of one packet are in `report`."""

    identity: SyncReply | None  #: None: no robot has replied yet
    profile: Profile  #: in use
    profile_reason: str  #: why this profile was chosen
    config: TuningValues | None  #: the newest CONFIG packet of this session
    odometry: Odometry  #: the pose that is known; without a connection, the last one
    report: Report | None  #: of the newest SIP
    link: LinkSnapshot  #: the connection
    emergency_stop: bool  #: it is latched
    motors_problem: str  #: that the robot does not switch its motors as requested; ""
    sonar_problem: str  #: that the robot does not switch its sonars as requested; ""
    standstill: str  #: that the robot does not move although it is driven; ""
    stalls: Mapping[str, Stall]  #: left, right
    battery_level: BatteryLevel  #: by the smoothed voltage
    sonars: tuple[SonarReading, ...]  #: those that have fired, or are in the requested sequence
    bumpers: BumperReading | None  #: None: no bumpers
    commands: CommandSnapshot  #: velocity limits in use, and counters of commands
    plan: Plan  #: which streams the line can carry
    streams: tuple[StreamSnapshot, ...]  #: packets that are requested besides the SIPs
    aux: tuple[AuxStats, ...]  #: bytes at each auxiliary port
    odometry_jumps: int  #: jumps of the robot's position counters that it cannot have driven
    encoder_jumps: int  #: jumps of the encoder ticks that no wheel can have turned
    bad_pings: int  #: readings of sonars that the robot does not have
    gyro_center: float  #: counts; NaN: not measured


def take_snapshot(robot: Robot) -> RobotSnapshot:
    """Return the present state of a robot; the caller holds its lock."""
    estimator = robot.estimator
    return RobotSnapshot(
        identity=robot.session.identity,
        profile=robot.profile,
        profile_reason=robot.profile_reason,
        config=robot.tuning.config,
        odometry=estimator.odometer.state,
        report=estimator.report,
        link=_link(robot),
        emergency_stop=robot.motion.emergency,
        motors_problem=robot.motors.problem,
        sonar_problem=robot.sonar.problem,
        standstill=robot.standstill.problem,
        stalls={wheel: replace(stall) for wheel, stall in robot.stalls.wheels.items()},
        battery_level=estimator.battery.level,
        sonars=_sonars(robot),
        bumpers=robot.inputs.bumpers,
        commands=_commands(robot),
        plan=robot.streams.plan,
        streams=tuple(
            StreamSnapshot(stream.name, state.packets, state.resent, state.silent)
            for stream, state in robot.streams.states.items()
        ),
        aux=tuple(replace(port.stats) for port in robot.aux),
        odometry_jumps=estimator.odometer.jumps,
        encoder_jumps=estimator.encoders.jumps,
        bad_pings=estimator.bad_pings,
        gyro_center=robot.gyro.center if robot.gyro.calibrated > -math.inf else math.nan,
    )


def _link(robot: Robot) -> LinkSnapshot:
    timing = robot.link_timing
    return LinkSnapshot(
        state=robot.state,
        note=robot.note,
        baud=robot.line.baud,
        connections=robot.session.connections,
        decoder=replace(robot.link.decoder.stats),
        packets=replace(robot.link.packets),
        period=timing.period,
        gaps=timing.gaps,
        longest_gap=timing.longest_gap,
        answer_latency=timing.answer_latency,
    )


def _sonars(robot: Robot) -> tuple[SonarReading, ...]:
    newest, report = robot.estimator.newest, robot.estimator.report
    expected = {*newest, *(robot.sequence.requested or ())}
    readings = SonarReading.newest(robot.profile.sonar.poses, newest, report.stamp if report else 0.0)
    return tuple(reading for reading in readings if reading.number in expected)


def _commands(robot: Robot) -> CommandSnapshot:
    max_linear, max_angular = robot.limits.effective
    requests: dict[str, int] = {}
    for component in robot.components:
        requests.update(component.counters())
    return CommandSnapshot(
        motion=replace(robot.motion.stats),
        limited=robot.limits.limited,
        max_linear=max_linear,
        max_angular=max_angular,
        queue=replace(robot.queue.stats),
        raw_refused=robot.raw_refused,
        requests=requests,
    )
