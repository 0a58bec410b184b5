"""One robot as an object: a link, components, and the requests that concern several of them.

    bytes    -> FrameDecoder -> Packet -> Dialect -> Session, components -> events
    requests -> Motion and other components -> CommandQueue -> Dialect -> frames
"""

from __future__ import annotations

import math
from concurrent.futures import Future

from ..errors import Refused
from ..profiles import choose_profile, load_profile
from ..protocol import (
    Command,
    CommandTable,
    Encoders,
    ErraticCommand,
    Packet,
    Parameters,
    Sip,
    SyncReply,
)
from ..wording import counted
from .bandwidth import BandwidthPlanner
from .bridged_line import BridgedLine
from .command_queue import QUEUE_FULL, Priority
from .component import Context
from .devices.auxiliary import aux_ports
from .devices.bumpers import BumperReader
from .devices.charger import Charger
from .devices.compass import CompassReader
from .devices.controller_reset import ControllerReset
from .devices.digital_io import AnalogInput, DigitalOutputs
from .devices.flash import Flash
from .devices.gripper import Gripper, fitted
from .devices.joystick import JoystickReader
from .devices.motor_pwm import MotorPwm
from .devices.servos import ServoJoints
from .devices.sonar_sequence import SonarSequence
from .devices.sounds import Sounds
from .devices.switch import Switch
from .devices.wired_inputs import WiredInputs
from .devices.working_values import WorkingValues
from .dialects import Dialect, dialects
from .events import Identified, OdometryStale
from .link import Link
from .monitors.link_timing import LinkTiming
from .monitors.sonar_health import SonarHealth
from .monitors.stalls import StallMonitor
from .monitors.standstill import StandstillMonitor
from .motion.goal import MotionGoal, Move, Turn, whole_degrees
from .motion.limits import VelocityLimits, checked_heading, working_limits
from .motion.motion import Motion
from .motion.setpoint import Velocity, Wheels
from .options import Options
from .outcome import Outcome, finished
from .packet_clock import PacketClock
from .raw import raw_instruction
from .sensing.encoders import WheelEncoders
from .sensing.gyro import Gyroscope
from .sensing.odometry_continuation import OdometryContinuation
from .sensing.odometry_state import OdometryState
from .sensing.state_estimator import StateEstimator
from .session import LinkState
from .streams import COMPASS, ENCODERS, GRIPPER, GYRO, IO, JOYSTICK, Streams
from .unconfirmed import UnconfirmedCommands


class Robot:
    """One robot: its link, its components, and the requests that concern several of them.

    The owner of the port uses `link`; everybody else uses the methods and the components. `state`, `running` and `note`
    tell how the link stands.
    """

    def __init__(self, options: Options) -> None:
        """Make a robot that is not connected.

        Raises:
            ProfileError: the options name no usable profile.
        """
        self.options = options
        self.profile = load_profile(options.profile or "amigo")
        self.profile_reason = "no robot has been seen yet"
        spoken = dialects()
        self.link = Link(
            self,
            self.profile.link.command_spacing,
            spoken,
            pinned=next((dialect for dialect in spoken if self._is_asked_for(dialect)), None),
        )
        self.queue, self.session = self.link.queue, self.link.session
        context = Context(
            self.queue,
            self.link.sends,
            self.link.timeouts,
            self.link.dispatcher,
            self.link.emit,
            self.unsupported,
            self.no_robot,
        )
        self.dialect.adopt(self.profile)
        self.estimator = StateEstimator(self.profile)
        self.sonar_health = SonarHealth(self.profile)
        limits = self.profile.limits
        self.limits = VelocityLimits((limits.linear, limits.angular))
        self.raw_refused = 0
        # In this order the components learn of a new session, so this is the order of their first commands.
        self.motion = Motion(context, self.limits, options.command_timeout, lambda: self.motors.switching_on)
        motors_on = True if options.motors_on_connect else None
        self.motors = Switch(context, "motors", Command.ENABLE(1), Command.ENABLE(0), Sip.MOTORS, motors_on)
        sonar_on = options.sonar_on_connect
        self.sonar = Switch(context, "sonar", Command.SONAR(1), Command.SONAR(0), Sip.SONAR, sonar_on)
        self.working_values = WorkingValues(context)
        self.line = BridgedLine(context, self.profile, options.bridge_baud)
        self.bandwidth = BandwidthPlanner(context, self.profile)
        self.sounds = Sounds(context)
        self.digital_outputs = DigitalOutputs(context)
        self.analog_input = AnalogInput(context)
        self.streams = Streams(context, self.bandwidth)
        self.aux = aux_ports(context, lambda: self.link.decoder.byte_time)
        self.sequence = SonarSequence(context)
        self.gyro = Gyroscope(context)
        self.inputs = WiredInputs(context, self.profile)
        self.link_timing = LinkTiming(context)
        self.stalls = StallMonitor(context)
        self.standstill = StandstillMonitor(context, self._driven)
        self.unconfirmed = UnconfirmedCommands(context)
        self.servos = ServoJoints(context, self.unconfirmed, self.profile, lambda *servo: self.dialect.servo(*servo))
        self.pwm = MotorPwm(context, self.unconfirmed)
        self.flash = Flash(context, self._stands)
        self.bumpers = BumperReader(context, self.unconfirmed, self.profile)
        self.gripper = Gripper(context, self.profile)
        self.charger = Charger(context)
        self.controller_reset = ControllerReset(context)
        self.compass = CompassReader(context)
        self.joystick = JoystickReader(context)
        self.components = context.components
        self.encoders = WheelEncoders()
        # SETO zeroes the counters always, OPEN on some robots.
        for command in (Command.SETO, Command.OPEN, ErraticCommand.SETO, ErraticCommand.OPEN):
            context.on_sent(command, lambda _, now: self.estimator.odometer.expect_zero(now))
        self._packet_clock = PacketClock(lambda: self.link.decoder.byte_time, lambda: self.bandwidth.info_cycle)
        context.on_packet(Sip, self._on_sip)
        context.on_packet(Encoders, self._on_encoders)
        context.on_packet(Parameters, self._on_config)
        self._identity: SyncReply | None = None  #: of the last robot
        self._continuation = OdometryContinuation()
        self._arrange(-math.inf)
        self._limit()

    @property
    def baud(self) -> int:
        """The line speed to begin with."""
        return self.session.found_at or self.options.baud or self.profile.link.baud

    @property
    def state(self) -> LinkState:
        """Where the connection stands."""
        return self.session.state

    @property
    def running(self) -> bool:
        """Whether a session is open and SIPs arrive."""
        return self.session.running

    @property
    def note(self) -> str:
        """How the link stands, in plain words."""
        return self.session.note

    @property
    def dialect(self) -> Dialect:
        """The language of the robot's firmware."""
        return self.session.dialect

    def no_robot(self) -> str:
        """That no robot is connected, and why; "" when one is."""
        return "" if self.running else f"there is no robot: {self.note}"

    # -- the user's side --------------------------------------------------------------------------------------

    def drive(self, linear: float, angular: float, now: float) -> None:
        """Ask for a velocity, m/s and rad/s. Raises Refused."""
        self.motion.drive(linear, angular, now)

    def drive_wheels(self, left: float, right: float, now: float) -> None:
        """Ask for wheel velocities, m/s. Raises Refused."""
        self.motion.drive_wheels(left, right, self.profile.body.track, self.profile.units, now)

    def drive_course(self, linear: float, yaw: float, now: float) -> None:
        """Ask for a velocity (m/s) on a heading in the odometry frame (rad). Raises Refused."""
        self.motion.drive_course(linear, whole_degrees(checked_heading(yaw) - self.estimator.odometer.rotation), now)

    def turn(self, angle: float, now: float, *, absolute: bool = False) -> Turn:
        """Turn on the spot by an angle, or to a heading in the odometry frame as it is now.

        It starts when the robot is at rest, and waits for motors that the driver is switching on already.

        Args:
            angle: rad; 0 or 0.0175 (1 deg) to 3.14, either sign, or any finite heading.
            now: s.
            absolute: The angle is a heading.

        Raises:
            Refused: The angle is out of range, or the robot cannot move now.
        """
        odometry = self.estimator.odometer.state
        turn = Turn.to_heading(angle, odometry.yaw) if absolute else Turn.by(angle)
        self.motion.perform(turn, odometry, now)
        return turn

    def move(self, distance: float, now: float) -> Move:
        """Drive straight on.

        It starts when the robot is at rest, and waits for motors that the driver is switching on already.

        Args:
            distance: m; 0 or 0.001 to 32, negative backwards.
            now: s.

        Raises:
            Refused: The distance is out of range, or the robot cannot move now.
        """
        move = Move.by(distance)
        self.motion.perform(move, self.estimator.odometer.state, now)
        return move

    def cancel(self, goal: MotionGoal) -> None:
        """Stop a turn or a move that is under way; of one that has ended already nothing is changed."""
        self.motion.cancel(goal)

    def stop(self) -> None:
        """Stop with the robot's normal deceleration; the next velocity drives again."""
        self.motion.stop()

    def emergency_stop(self) -> None:
        """Brake as hard as the robot can and refuse every velocity until `clear_emergency_stop`."""
        self.motion.brake()

    def clear_emergency_stop(self) -> None:
        """Take velocities again; the robot stands until one comes."""
        self.motion.release()

    def enable_motors(self, on: bool, now: float) -> Future[Outcome]:
        """Switch the motors; ends when the robot has confirmed it."""
        self.motion.stand()
        return self.motors.set(on, now)

    def enable_sonar(self, on: bool, now: float) -> Future[Outcome]:
        """Switch the sonars; ends when the robot has confirmed it."""
        return self.sonar.set(on, now)

    def poll_sonars(self, sonars: tuple[int, ...], now: float) -> Future[Outcome]:
        """Let these sonars fire in this order, none: all in the profile's; ends when their pings show it."""
        available = len(self.profile.sonar.poses)
        if why := self.unsupported(Command.POLLING):
            return finished(False, why)
        return self.sequence.set(sonars or tuple(range(available)), available, now)

    def reset(self, now: float) -> Future[Outcome]:
        """Stop and reboot the controller; ends when the robot is connected again."""
        self.motion.stop()
        return self.controller_reset.reset(now)

    def set_odometry(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> None:
        """The robot stands here (m, m, rad) from now on; the firmware's own counters are left alone."""
        self._continuation.discard()
        self.estimator.odometer.set(x, y, yaw)

    def restart_odometry(self) -> None:
        """The pose is the origin, and the next counters have nothing to do with those before: a recording begins."""
        self.estimator.odometer.forget_counters()
        self.set_odometry()

    def continue_odometry(self, state: OdometryState, max_age: float) -> None:
        """Continue from the state of an earlier driver, if the first SIP fits it; call before the first connection.

        Whether it did is told by a `Notice`.

        Args:
            state: What `odometry_state` gave there, on the same computer since it was started.
            max_age: s that the state may be old.
        """
        self._continuation.store(state, max_age)

    def odometry_state(self) -> OdometryState | None:
        """The pose with the counters that it belongs to; None before the first SIP."""
        return self._continuation.state(self.estimator.odometer, self._identity, self.profile.name)

    def unsupported(self, command: CommandTable) -> str:
        """Why this robot cannot be asked for a command, "" when it can."""
        return self.no_robot() or self._unknown(command)

    def send_raw(self, number: int, arguments: list[int], text: bytes) -> Outcome:
        """Send any command that does not go past the driver; no packet confirms it. Raises Refused."""
        try:
            instruction = raw_instruction(number, arguments, text, self.dialect.commands)
        except Refused:
            self.raw_refused += 1
            raise
        if not self.running:
            return Outcome(False, f"there is no robot: {self.note}")
        before = self.queue.waiting(Priority.RAW)
        if not self.queue.put(instruction, Priority.RAW):
            return Outcome(False, f"{instruction} is not sent: {QUEUE_FULL}")
        sent = f"{instruction} waits behind {counted(before, 'command')}, is sent" if before else f"sent {instruction}"
        return Outcome(True, f"{sent} once; the robot confirms no single command")

    def configure(self, options: Options, now: float) -> Future[Outcome]:
        """Take changed options; ends when the robot has confirmed those that it keeps itself.

        What is only asked for on connecting waits for the next time.
        """
        before = self._tuned()
        self.options = options
        self.motion.timeout = options.command_timeout
        self.line.chosen = options.bridge_baud
        self._pace(now)
        self._limit()
        self._arrange(now)
        self.working_values.release(before.keys() - self._tuned().keys())
        if not self.running:
            return finished(True, "kept for the next connection")
        return self.working_values.set(self._tuned(), now)

    # -- inside -----------------------------------------------------------------------------------------------

    def _is_asked_for(self, dialect: Dialect) -> bool:
        """Whether the profile that was asked for talks so."""
        return bool(self.options.profile and set(self.profile.firmware) & set(dialect.firmware))

    # -- LinkObserver -----------------------------------------------------------------------------------------

    def on_byte_time(self, byte_time: float | None) -> None:
        self.line.opened(byte_time)
        self._pace(-math.inf)

    def on_identity(self, identity: SyncReply, now: float) -> None:
        known, before = True, self.profile
        same_identity, self._identity = identity == self._identity, identity
        if self.options.profile:
            self.profile_reason = f"it was asked for: {self.options.profile}"
        else:
            self.profile, self.profile_reason = choose_profile(
                identity.robot_class, identity.subclass, self.dialect.fallback
            )
            known = identity.subclass.lower() in self.profile.subclasses
        self.dialect.adopt(self.profile)
        same_robot = same_identity and self.profile == before
        self.estimator = StateEstimator(self.profile, self.estimator, same_robot=same_robot)
        if self.profile != before:
            self.sonar_health = SonarHealth(self.profile)
        for component in self.components:
            component.on_profile(self.profile)
        self._pace(now)
        self.queue.spacing = self.profile.link.command_spacing
        self._limit()
        self.working_values.requested.update(self._tuned())
        if self.dialect.knows(Command.POLLING, self.profile.firmware):
            self.sequence.configure(self.options.sonar_sequence, len(self.profile.sonar.poses))
        self.link.emit(Identified(identity, self.profile, self.profile_reason, known))

    def _pace(self, now: float) -> None:
        """Use what is known of the line's speed for stamps and for the plan of the streams."""
        self.link.decoder.byte_time = self.queue.byte_time = self.line.byte_time
        self.bandwidth.set_byte_time(self.line.byte_time, now)

    def _arrange(self, now: float) -> None:
        """What the options say of the ports and streams."""
        options, config = self.options, self.working_values.config
        self.link.trace = options.trace
        self.digital_outputs.mask_first = options.digital_output_mask_first
        self.encoders.leading = options.encoder_odometry
        self.streams.set(IO, options.io_stream or self.inputs.needed, now)
        self.streams.set(ENCODERS, options.encoder_stream or options.encoder_odometry, now)
        # With a 2 there the firmware keeps the gyro to itself.
        self.streams.set(GYRO, options.gyro and config is not None and config.value("has_gyro") == 1, now)
        self.gyro.enabled = options.gyro
        self.streams.set(COMPASS, options.compass == "packets", now)
        self.streams.set(GRIPPER, options.gripper_stream and config is not None and fitted(config), now)
        self.streams.set(JOYSTICK, options.joystick_stream, now)
        self.compass.show_in_sip(options.compass == "sip", now)
        self.bumpers.configure(options.bumper_stall, now)

    def on_session_start(self, now: float) -> None:
        """A session has been opened: stop first, then bring the robot to where it is wanted."""
        self.encoders.restart()
        self._packet_clock.restart()
        for component in self.components:
            component.on_session_start(now)
        self.pwm.configure(self.options.pwm_frequency, self.options.pwm_max_duty, now)

    def on_session_end(self, reason: str) -> None:
        for component in self.components:
            component.on_session_end(reason)
        if not self.estimator.odometer.interrupted:
            self.estimator.odometer.interrupt()
            self.link.emit(OdometryStale(self.estimator.odometer.state))

    def on_reset(self, stamp: float) -> None:
        self.estimator.odometer.robot_reset(stamp)

    def on_packet_outside_session(self, packet: Packet, stamp: float) -> None:
        # An Erratic streams before OPEN, which zeroes its counters: what they said until then belongs to the pose.
        if isinstance(packet, Sip) and self.state is LinkState.OPENING:
            measured = self.measured(packet, stamp)
            if self._continuation.pending:
                self._continue_odometry(packet, measured)
            self.estimator.odometer.update(packet, measured, self._packet_clock.cycle)

    def on_silence_of_driver(self, now: float) -> None:
        self.motion.on_silence_of_driver(now)

    def measured(self, packet: Packet, stamp: float) -> float:
        return self._packet_clock.measured(packet, stamp)

    # -- packets ----------------------------------------------------------------------------------------------

    def _continue_odometry(self, sip: Sip, stamp: float) -> None:
        identity = self._identity or SyncReply(name="", robot_class="", subclass="")
        odometer, profile = self.estimator.odometer, self.profile.name
        self.link.emit(self._continuation.apply(odometer, sip, stamp, identity, profile))

    def _stands(self) -> bool:
        report = self.estimator.report
        return report is not None and not (report.moving or self.motion.requested)

    def _unknown(self, command: CommandTable) -> str:
        if self.dialect.knows(command, self.profile.firmware):
            return ""
        return f"{self.profile.description} has no {command.name}"

    def _driven(self) -> bool:
        """Whether the wheels are to turn; a course may be kept while standing."""
        return isinstance(self.motion.requested, Velocity | Wheels) and bool(self.motion.requested)

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        if self._continuation.pending:
            self._continue_odometry(sip, stamp)
        odometer = self.estimator.odometer
        jumps = odometer.jumps
        for event in self.estimator.update(sip, stamp, self._packet_clock.cycle):
            self.link.emit(event)
        if self.estimator.report:
            self.sonar_health.update(self.estimator.report, self.sequence.requested)
        heading = sip.heading * self.profile.units.angle
        self.motion.watch(odometer.state, heading, now, jumped=odometer.jumps != jumps)

    def _on_encoders(self, packet: Encoders, stamp: float, now: float) -> None:
        config, odometer = self.working_values.config, self.estimator.odometer
        for event in self.encoders.update(packet, stamp, odometer, self.profile, config):
            self.link.emit(event)

    def _on_config(self, config: Parameters, stamp: float, now: float) -> None:
        self._pace(now)
        self._limit()
        self._arrange(now)
        self.estimator.sonar_cycle = self.bandwidth.sonar_cycle

    def _limit(self) -> None:
        """Apply the limits: those of the options, else the robot's own, neither beyond its profile and its firmware."""
        requested = self.options.max_linear, self.options.max_angular
        working = working_limits(self.profile.limits, self.working_values.config, requested)
        if working != self.limits.working:
            self.limits.working = working
            self.motion.limits_changed()

    def _tuned(self) -> dict[str, int]:
        """The working values the options ask for; the limits are for the firmware to keep too."""
        values = dict(self.options.tuning)
        linear, angular = self.limits.working
        if self.options.max_linear:
            values["trans_vel_max"] = max(1, round(linear * 1000))
        if self.options.max_angular:
            values["rot_vel_max"] = max(1, round(math.degrees(angular)))
        return values
