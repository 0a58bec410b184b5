"""One robot as an object: a link, the parts of the robot, and what may be wanted of them.

bytes  -> FrameDecoder -> Packet -> Dialect -> Session, features, Senses -> events
wishes -> Motion and other features -> Outbox -> Dialect -> frames
"""

from __future__ import annotations

import math
from concurrent.futures import Future

from ..profiles import choose_profile, load_profile
from ..protocol import (
    BAUD_RATES,
    OVERHEAD,
    Command,
    CommandTable,
    Encoders,
    ErraticCommand,
    Gyro,
    Io,
    Packet,
    Parameters,
    Sip,
    SyncReply,
)
from ..wording import counted
from .dialects import Dialect, dialects
from .driving.envelope import Envelope, Refused
from .driving.manoeuvre import MOVE_STEP, TURN_STEP, Manoeuvre, Move, Turn, whole_degrees
from .driving.motion import Motion
from .driving.setpoint import Velocity, Wheels
from .events import Identified, Notice, OdometryStale
from .health.punctuality import Punctuality
from .health.sonar_health import SonarHealth
from .health.stalls import Stalls
from .health.standstill import Standstill
from .link import Link
from .options import Options
from .outbox import QUEUE_FULL, Urgency
from .outcome import Outcome, finished
from .parts.auxiliary import aux_ports
from .parts.blind import Blind
from .parts.bridge import BridgedLine
from .parts.budget import Budget
from .parts.flash import Flash
from .parts.ports import ALL_PINS, AMIGO_PINS, AnalogInput, DigitalOutputs
from .parts.pwm import MotorPwm
from .parts.sequence import SonarSequence
from .parts.servos import ServoJoints
from .parts.setting import Setting
from .parts.sounds import Sounds
from .parts.streams import ENCODERS, GYRO, IO, Streams
from .parts.tuning import Tuning
from .pioneer.pioneer import Pioneer
from .raw import raw_instruction
from .sensing.encoders import WheelEncoders
from .sensing.gyro import Gyroscope
from .sensing.inputs import Inputs
from .sensing.odometry import ZeroingCommands
from .sensing.odometry_state import OdometryState
from .sensing.senses import Senses
from .session import LinkState

#: rad and m by which a request may miss a limit because of rounding.
_ROUNDING = 1e-6
#: m/s, and thousands of deg/s, that VEL and RVEL can say in their 16 bits.
_MOST = 32.0
#: s between two SIPs at least.
_MOMENT = 1e-6
#: s between two frames that the robot sent in one go.
_BACK_TO_BACK = 0.005
#: s a byte takes at most; for a line of which nobody here knows the speed.
_SLOWEST = 10 / BAUD_RATES[0]


class Robot(Link):
    """The driver's picture of one robot. Raises ProfileError for options that name no usable profile.

    Its parts are there to be read; what is wanted of more than one of them at once is a method here.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.profile = load_profile(options.profile or "amigo")
        self.profile_reason = "no robot has been seen yet"
        spoken = dialects()
        super().__init__(
            self.profile.link.command_spacing,
            spoken,
            pinned=next((dialect for dialect in spoken if self._is_asked_for(dialect)), None),
        )
        self.dialect.adopt(self.profile)
        self.senses = Senses(self.profile)
        self.sonar_health = SonarHealth(self.profile)
        self.punctuality = Punctuality()
        self.stalls = Stalls()
        self.standstill = Standstill(self._driven)
        self.raw_refused = 0
        limits = self.profile.limits
        self.envelope = Envelope((limits.linear, limits.angular))
        self.motors = Setting("motors", Command.ENABLE(1), Command.ENABLE(0), _motors_enabled)
        self.sonar = Setting("sonar", Command.SONAR(1), Command.SONAR(0), lambda sip: sip.sonar_enabled)
        self.motion = Motion(self.outbox, self.envelope, options.command_timeout, lambda: self.motors.coming_on)
        self.sequence = SonarSequence()
        self.tuning = Tuning(self.lacks)
        self.line = BridgedLine(self.profile, options.bridge_baud)
        self.budget = Budget(self.profile)
        self.sounds = Sounds(self.lacks)
        self.digital_outputs = DigitalOutputs(self.lacks)
        self.analog_input = AnalogInput(self.lacks)
        self.streams = Streams(self.budget, self.lacks)
        self.encoders = WheelEncoders()
        self.gyro = Gyroscope()
        self.inputs = Inputs(self.profile)
        self.blind = Blind()
        self.servos = ServoJoints(self.blind, self.lacks)
        self.pwm = MotorPwm(self.blind, self.lacks)
        self.flash = Flash(self.outbox, self._stands, self.lacks)
        self.pioneer = Pioneer(self.profile, self.streams, self.blind, self.lacks)
        self.aux = aux_ports(self.lacks, lambda: self.decoder.byte_time)
        self.motors.wanted = True if options.motors_on_connect else None
        self.sonar.wanted = options.sonar_on_connect
        self.features = (
            self.motion,
            self.motors,
            self.sonar,
            self.sequence,
            self.tuning,
            self.line,
            self.budget,
            self.sounds,
            self.digital_outputs,
            self.analog_input,
            self.streams,
            self.gyro,
            self.punctuality,
            self.stalls,
            self.standstill,
            *self.pioneer.features,
            self.blind,
            ZeroingCommands(lambda: self.senses.odometer),
            *(part for port in self.aux for part in (port.reader, port.writer)),
        )
        self._cycle = self._sip_by = -math.inf  #: when this info cycle's packets were made; a SIP by then is of it
        self._last_sip = -math.inf  #: its stamp
        self._identity: SyncReply | None = None  #: of the last robot
        self._stored: tuple[OdometryState, float] | None = None  #: until the first SIP; with its maximum age, s
        self._arrange(-math.inf)
        self._limit()

    @property
    def baud(self) -> int:
        """The line speed to begin with."""
        return self.session.found_at or self.options.baud or self.profile.link.baud

    def retuned(self, byte_time: float | None) -> None:
        """The line runs at another speed; `byte_time` as Port has it."""
        super().retuned(byte_time)
        self.line.opened(byte_time)
        self._pace()

    # -- the user's side --------------------------------------------------------------------------------------

    def drive(self, linear: float, angular: float, now: float) -> None:
        """Ask for a velocity, m/s and rad/s. Raises Refused."""
        self.motion.drive(linear, angular, now)

    def drive_wheels(self, left: float, right: float, now: float) -> None:
        """Ask for wheel velocities, m/s. Raises Refused."""
        self.motion.drive_wheels(left, right, self.profile.body.track, self.profile.units, now)

    def drive_course(self, linear: float, yaw: float, now: float) -> None:
        """Ask for a velocity (m/s) on a heading in the odometry frame (rad). Raises Refused."""
        self.motion.drive_course(linear, self._heading(yaw), now)

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
        odometry = self.senses.odometer.state
        if absolute:
            _check_heading(angle)
            angle = math.remainder(angle - odometry.yaw, math.tau)
        elif not abs(angle) <= math.pi:
            raise Refused(f"angle is {angle:g} rad, a turn takes -3.14 to 3.14; further turns are several")
        elif 0 < abs(angle) < TURN_STEP - _ROUNDING:
            raise Refused(f"angle is {angle:g} rad, the firmware turns by {TURN_STEP:.4f} rad (1 deg) at least")
        turn = Turn(angle)
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
        if not abs(distance) <= Move.FURTHEST:
            raise Refused(f"distance is {distance:g} m, a move takes {-Move.FURTHEST} to {Move.FURTHEST}")
        if 0 < abs(distance) < MOVE_STEP - _ROUNDING:
            raise Refused(f"distance is {distance:g} m, the firmware moves by {MOVE_STEP} m at least")
        move = Move(distance)
        self.motion.perform(move, self.senses.odometer.state, now)
        return move

    def cancel(self, manoeuvre: Manoeuvre) -> None:
        """Stop a turn or a move that is under way; of one that has ended already nothing is changed."""
        self.motion.cancel(manoeuvre)

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
        return self._ask(self.motors, on, now)

    def enable_sonar(self, on: bool, now: float) -> Future[Outcome]:
        """Switch the sonars; ends when the robot has confirmed it."""
        return self._ask(self.sonar, on, now)

    def poll_sonars(self, sonars: tuple[int, ...], now: float) -> Future[Outcome]:
        """Let these sonars fire in this order, none: all in the profile's; ends when their pings show it."""
        available = len(self.profile.sonar.poses)
        if why := self.lacks(Command.POLLING):
            return finished(False, why)
        return self.sequence.want(sonars or tuple(range(available)), available, now)

    def reset(self, now: float) -> Future[Outcome]:
        """Stop and reboot the controller; ends when the robot is connected again."""
        self.motion.stop()
        return self.pioneer.reset.want(now)

    def set_odometry(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> None:
        """The robot stands here (m, m, rad) from now on; the firmware's own counters are left alone."""
        self._stored = None
        self.senses.odometer.set(x, y, yaw)

    def continue_odometry(self, state: OdometryState, max_age: float) -> None:
        """Continue from the state of an earlier driver, if the first SIP fits it; call before the first connection.

        Whether it did is told by a `Notice`.

        Args:
            state: What `odometry_state` gave there, on the same computer since it was started.
            max_age: s that the state may be old.
        """
        self._stored = state, max_age

    def odometry_state(self) -> OdometryState | None:
        """The pose with the counters that it belongs to; None before the first SIP."""
        odometer, identity = self.senses.odometer, self._identity
        if odometer.counters is None or identity is None or self._stored is not None:
            return None
        pose, (sip, stamp) = odometer.state, odometer.counters
        return OdometryState(
            name=identity.name,
            robot_class=identity.robot_class,
            subclass=identity.subclass,
            profile=self.profile.name,
            stamp=stamp,
            x=pose.x,
            y=pose.y,
            yaw=pose.yaw,
            left_angle=pose.left_angle,
            right_angle=pose.right_angle,
            covariance=pose.covariance,
            counter_x=sip.x,
            counter_y=sip.y,
            counter_heading=sip.heading,
            left_velocity=sip.left_velocity,
            right_velocity=sip.right_velocity,
        )

    def lacks(self, command: CommandTable) -> str:
        """Why this robot cannot be asked for a command, "" when it can."""
        if not self.running:
            return f"there is no robot: {self.note}"
        return self._unknown(command)

    def send_raw(self, number: int, arguments: list[int], text: bytes) -> Outcome:
        """Send any command that does not go past the driver; nobody confirms it. Raises Refused."""
        try:
            instruction = raw_instruction(number, arguments, text, self.dialect.commands)
        except Refused:
            self.raw_refused += 1
            raise
        if not self.running:
            return Outcome(False, f"there is no robot: {self.note}")
        before = self.outbox.waiting(Urgency.RAW)
        if not self.outbox.put(instruction, Urgency.RAW):
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
        self._pace()
        self._limit()
        self._arrange(now)
        self.tuning.release(before.keys() - self._tuned().keys())
        if not self.running:
            return finished(True, "kept for the next connection")
        return self.tuning.want(self._tuned(), now)

    # -- inside -----------------------------------------------------------------------------------------------

    def _is_asked_for(self, dialect: Dialect) -> bool:
        """Whether the profile that was asked for talks so."""
        return bool(self.options.profile and set(self.profile.firmware) & set(dialect.firmware))

    def _identified(self, identity: SyncReply) -> None:
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
        self.senses = Senses(self.profile, self.senses, same_robot=same_identity and self.profile == before)
        if self.profile != before:
            self.sonar_health = SonarHealth(self.profile)
        self.inputs.profile = self.profile
        self.pioneer.adopt(self.profile)
        self.servos.servos, self.servos.command = self.profile.servos, self.dialect.servo
        self.line.profile = self.profile
        self.budget.identified(self.profile)
        self._pace()
        self.digital_outputs.pins = AMIGO_PINS if self.profile.firmware in ("A", "S") else ALL_PINS
        self.outbox.spacing = self.profile.link.command_spacing
        self._limit()
        self.tuning.wanted.update(self._tuned())
        if self.dialect.knows(Command.POLLING, self.profile.firmware):
            self.sequence.adopt(self.options.sonar_sequence, len(self.profile.sonar.poses))
        lack = self._unknown(ErraticCommand.PWM_FREQ)
        self._events += self.pwm.adopt(self.options.pwm_frequency, self.options.pwm_max_duty, lack)
        self._events.append(Identified(identity, self.profile, self.profile_reason, known))

    def _pace(self) -> None:
        """Use what is known of the line's speed for stamps and for the plan of the streams."""
        self.decoder.byte_time = self.line.byte_time
        self.budget.retuned(self.line.byte_time)

    def _arrange(self, now: float) -> None:
        """What the options say of the ports and streams."""
        options, config = self.options, self.tuning.config
        self.trace = options.trace
        self.digital_outputs.mask_first = options.digital_output_mask_first
        self.encoders.leading = options.encoder_odometry
        self.streams.want(IO, options.io_stream or self.inputs.needed, now)
        self.streams.want(ENCODERS, options.encoder_stream or options.encoder_odometry, now)
        # With a 2 there the firmware keeps the gyro to itself.
        self.streams.want(GYRO, options.gyro and config is not None and config.value("has_gyro") == 1, now)
        self.pioneer.arrange(options, config, now)

    def _began(self, now: float) -> None:
        """A session has been opened: stop first, then bring the robot to where it is wanted."""
        self.encoders.restart()
        for feature in self.features:
            feature.begin(now)

    def _end(self, why: str) -> None:
        super()._end(why)
        if not self.senses.odometer.interrupted:
            self.senses.odometer.interrupt()
            self._events.append(OdometryStale(self.senses.odometer.state))

    def _reset_seen(self, stamp: float) -> None:
        self.senses.odometer.robot_reset(stamp)

    def _overheard(self, packet: Packet, stamp: float) -> None:
        # An Erratic streams before OPEN, which zeroes its counters: what they said until then belongs to the pose.
        if isinstance(packet, Sip) and self.state is LinkState.OPENING:
            measured = self._measured(packet, stamp)
            self._continue(packet, measured)
            self.senses.odometer.update(packet, measured)

    def _continue(self, sip: Sip, stamp: float) -> None:
        """Continue the odometry of another driver with the first SIP, or say why not."""
        if self._stored is None:
            return
        (stored, max_age), self._stored = self._stored, None
        age = stamp - stored.stamp
        identity = self._identity or SyncReply(name="", robot_class="", subclass="")
        if (stored.name, stored.robot_class, stored.subclass) != (
            identity.name,
            identity.robot_class,
            identity.subclass,
        ):
            fits, why = False, f"the stored pose is that of another robot, {stored.name!r} ({stored.subclass})"
        elif stored.profile != self.profile.name:
            fits, why = False, f"the stored pose was measured with the profile {stored.profile}"
        elif not 0.0 <= age <= max_age:
            fits, why = False, f"the stored pose is {age:.0f} s old, allowed: 0 to {max_age:g} s"
        else:
            fits, why = self.senses.odometer.resume(stored, sip, stamp)
        if fits:
            text = f"odometry continues at x {stored.x:.2f} m, y {stored.y:.2f} m of {age:.1f} s ago: {why}"
        else:
            text = f"odometry starts at zero: {why}"
        self._events.append(Notice(text, trouble=not fits))

    def _stands(self) -> bool:
        report = self.senses.report
        return report is not None and not (report.moving or self.motion.wanted)

    def _unknown(self, command: CommandTable) -> str:
        if self.dialect.knows(command, self.profile.firmware):
            return ""
        return f"{self.profile.description} has no {command.name}"

    def _driven(self) -> bool:
        """Whether the wheels are to turn; a course may be kept while standing."""
        return isinstance(self.motion.wanted, Velocity | Wheels) and bool(self.motion.wanted)

    def _halt(self) -> None:
        self.motion.stop()

    def _heading(self, yaw: float) -> int:
        """A heading in the odometry frame (rad) as HEAD takes it: whole degrees in the robot's own frame."""
        _check_heading(yaw)
        return whole_degrees(yaw - self.senses.odometer.rotation)

    def _ask(self, setting: Setting, on: bool, now: float) -> Future[Outcome]:
        if not self.running:
            return finished(False, f"{setting.name}: there is no robot, {self.note}")
        return setting.want(on, now)

    def _perceive(self, packet: Packet, stamp: float, now: float) -> None:
        measured = self._measured(packet, stamp)
        if isinstance(packet, Sip):
            self._continue(packet, measured)
            jumps = self.senses.odometer.jumps
            self._events += self.senses.perceive(packet, measured)
            if self.senses.report:
                self.sonar_health.perceive(self.senses.report, self.sequence.wanted)
            odometer = self.senses.odometer
            heading = packet.heading * self.profile.units.angle
            self.motion.watch(odometer.state, heading, now, jumped=odometer.jumps != jumps)
        elif isinstance(packet, Encoders):
            self._events += self.encoders.perceive(
                packet, measured, self.senses.odometer, self.profile, self.tuning.config
            )
        elif isinstance(packet, Gyro) and self.options.gyro:
            self._events += self.gyro.perceive(packet, measured)
        elif isinstance(packet, Io):
            self._events += self.inputs.perceive(packet, measured)
        elif isinstance(packet, Parameters):
            self._pace()
            self._limit()
            self._arrange(now)
            self.senses.sonar_cycle = self.budget.sonar_cycle
        self._events += self.pioneer.perceive(packet, measured)

    def _measured(self, packet: Packet, stamp: float) -> float:
        """When the values of a packet were taken: those of a cycle at once, though the line takes one after the other.

        GYROpac, SIP, then the others (PROTOCOL 8.3).
        """
        if isinstance(packet, Gyro):
            size = len(packet.encode()) + OVERHEAD
            self._cycle, self._sip_by = stamp, stamp + size * (self.decoder.byte_time or _SLOWEST) + _BACK_TO_BACK
        elif isinstance(packet, Sip):
            before, cycle = self._last_sip, self._cycle if stamp < self._sip_by else stamp
            # Those of a heap may seem to be of one moment, and somebody divides by the time between them.
            self._cycle = self._last_sip = max(cycle, before + _MOMENT)
            self._sip_by = -math.inf
        elif stamp - self._cycle >= self.budget.info_cycle:
            return stamp
        return self._cycle

    def _limit(self) -> None:
        """Apply the limits: those of the options, else the robot's own, neither beyond its profile and its firmware."""
        linear, angular = self.profile.limits.linear, self.profile.limits.angular
        own_linear, own_angular = linear, angular
        if config := self.tuning.config:
            linear = min(linear, (config.value("trans_vel_top") or 0) / 1000 or linear)
            angular = min(angular, math.radians(config.value("rot_vel_top") or 0) or angular)
            own_linear = config.trans_vel_max / 1000 or linear
            own_angular = math.radians(config.rot_vel_max) or angular
        working = (
            min(linear, self.options.max_linear or own_linear, _MOST),
            min(angular, self.options.max_angular or own_angular, math.radians(_MOST * 1000)),
        )
        if working != self.envelope.working:
            self.envelope.working = working
            self.motion.limits_changed()

    def _tuned(self) -> dict[str, int]:
        """The working values the options ask for; the limits are for the firmware to keep too."""
        wanted = dict(self.options.tuning)
        linear, angular = self.envelope.working
        if self.options.max_linear:
            wanted["trans_vel_max"] = max(1, round(linear * 1000))
        if self.options.max_angular:
            wanted["rot_vel_max"] = max(1, round(math.degrees(angular)))
        return wanted


def _check_heading(yaw: float) -> None:
    if not math.isfinite(yaw):
        raise Refused(f"heading is {yaw}, a finite number of rad is needed")


def _motors_enabled(sip: Sip) -> bool | None:
    return sip.motors_enabled if sip.REPORTS_MOTORS else None
