# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Follows the link of one robot: identity to profile, sessions to components, SIPs to odometry."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

from ..profiles import Profile, calibrated_profile, choose_profile
from ..protocol import ArcosTail, Command, Config, FrameDecoder, Packet, Sip, SyncReply
from .bandwidth import BandwidthPlanner
from .bridged_line import BridgedLine
from .command_queue import CommandQueue
from .component import Component
from .devices.motor_pwm import MotorPwm
from .devices.sonar_sequence import SonarSequence
from .devices.tuning import Tuning
from .dialects import Dialect
from .events import Event, Identified, Notice, OdometryStale
from .motion.limit_settings import LimitSettings
from .motion.motion import Motion
from .options import Options
from .packet_clock import PacketClock
from .sensing.encoders import WheelEncoders
from .sensing.rest import RestFilter
from .sensing.state_estimator import StateEstimator
from .session import LinkState


class LinkObserver(ABC):
    """The callbacks of a `RobotLink`, and the parts of a robot that they concern. `Robot` is derived from it."""

    options: Options
    profile: Profile
    profile_reason: str
    decoder: FrameDecoder
    queue: CommandQueue
    emit: Callable[[Event], object]
    components: list[Component]
    line: BridgedLine
    bandwidth: BandwidthPlanner
    limit_settings: LimitSettings
    motion: Motion
    tuning: Tuning
    sequence: SonarSequence
    pwm: MotorPwm
    encoders: WheelEncoders
    estimator: StateEstimator

    def __init__(self) -> None:
        self.identity: SyncReply | None = None  #: of the robot; None before the first session
        self.jumped = False  #: the counters have jumped in the newest SIP
        self._rest = RestFilter()
        self._packet_clock = PacketClock(
            lambda: self.decoder.byte_time, lambda: self.bandwidth.info_cycle, self._pose_age
        )

    @property
    @abstractmethod
    def state(self) -> LinkState:
        """State of the connection."""

    @property
    @abstractmethod
    def dialect(self) -> Dialect:
        """The dialect of the robot's firmware."""

    @abstractmethod
    def pace(self, now: float) -> None:
        """Use the line speed for stamps and for the plan of the streams."""

    @abstractmethod
    def driven(self) -> bool:
        """Return whether the wheels should turn."""

    def on_byte_time(self, byte_time: float | None) -> None:
        """The port was opened or runs at another speed; `byte_time` as Port has it."""
        self.line.on_byte_time(byte_time)
        self.pace(-math.inf)

    def on_identity(self, identity: SyncReply, now: float) -> None:
        """The robot has been identified, and a session is about to be opened: choose its profile for all components."""
        known, before = True, self.profile
        self.identity = identity
        if self.options.profile:
            self.profile_reason = f"it was requested: {self.options.profile}"
        else:
            chosen = choose_profile(identity.robot_class, identity.subclass, self.dialect.fallback)
            self.profile, self.profile_reason = calibrated_profile(*chosen, identity.name)
            known = identity.subclass.lower() in self.profile.subclasses
        self.dialect.set_profile(self.profile)
        self.estimator.forget_sonars()
        if self.profile != before:
            self.estimator = StateEstimator(self.profile, self.estimator)
        for component in self.components:
            component.on_profile()
        self.pace(now)
        self.queue.spacing = self.profile.link.command_spacing
        self.tuning.requested.update(self.limit_settings.tuning())
        self.limit_settings.apply()
        if self.dialect.supports(Command.POLLING, self.profile.firmware):
            self.sequence.configure(self.options.sonar_sequence)
        self.emit(Identified(identity, self.profile, self.profile_reason, known))

    def on_session_start(self, now: float) -> None:
        """A session was opened: start every component, first the stop, then the requested settings."""
        self.encoders.restart()
        self._packet_clock.restart()
        for component in self.components:
            component.on_session_start(now)
        self.pwm.configure(self.options.pwm_frequency, self.options.pwm_max_duty, now)

    def on_session_end(self, reason: str) -> None:
        """The session has ended, or the driver closes: end every component; the odometry has no velocity."""
        for component in self.components:
            component.on_session_end(reason)
        if not self.estimator.odometer.interrupted:
            self.estimator.odometer.interrupt()
            self.emit(OdometryStale(self.estimator.odometer.state))

    def on_reset(self) -> None:
        """The robot reported during a session that its controller was reset."""
        self.estimator.odometer.robot_reset()

    def on_packet_outside_session(self, packet: Packet, stamp: float) -> None:
        """A packet whose values are of the time `stamp` (s) arrived while no session was open."""
        # An Erratic streams before OPEN, which zeroes its counters: motion before that belongs to the pose.
        if isinstance(packet, Sip) and self.state is LinkState.OPENING:
            self.estimator.odometer.update(packet, stamp, self._packet_clock.cycle)

    def on_silence_of_driver(self, now: float) -> None:
        """The driver has sent nothing for so long that the robot's watchdog may have stopped it: queue a stop."""
        self.motion.on_silence_of_driver(now)

    def measurement_time(self, packet: Packet, stamp: float, size: int) -> float:
        """Return the time (s) at which the robot took the values of a packet.

        Args:
            packet: A packet of the session.
            stamp: Time in s at which its first byte was sent.
            size: Bytes of its frame.
        """
        return self._packet_clock.measurement_time(packet, stamp, size)

    def on_sip(self, sip: Sip, stamp: float, now: float) -> Sip:
        """Update the odometry from a SIP of the session and emit the report; return the SIP for the components."""
        sip = self._rest.filtered(sip, stamp, self.profile.units.velocity, driven=self.driven())
        jumps = self.estimator.odometer.jumps
        streamed = self.encoders.follows(stamp)
        for event in self.estimator.update(
            sip,
            stamp,
            self._packet_clock.cycle,
            pose_age=self._pose_age(),
            wheels_streamed=streamed,
            pose_streamed=streamed and self.encoders.leading,
        ):
            self.emit(event)
        self.jumped = self.estimator.odometer.jumps != jumps
        if self.jumped:
            text = "the robot's position counters jumped: the pose lacks what it moved meanwhile"
            self.emit(Notice(text))
        return sip

    # -- inside -----------------------------------------------------------------------------------------------

    def _pose_age(self) -> float:
        """Return by how many s the pose in a SIP is older than the SIP: the time that the firmware's gyro takes."""
        config = self.tuning.config
        if not (isinstance(config, Config) and isinstance(config.tail, ArcosTail)) or self.encoders.leading:
            return 0.0
        return (config.tail.kinematics_delay or 0) / 1000
