# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One robot as an object: a link, components, and the requests that concern several of them.

Bytes pass FrameDecoder, the dialect, the session and the components, and become events. Requests pass Motion or another
component, CommandQueue and the dialect, and become frames.
"""

from __future__ import annotations

import math
from concurrent.futures import Future

from ..errors import RequestRefusedError
from ..profiles import calibrated_profile, choose_profile, load_profile
from ..protocol import Command, CommandTable, ErraticCommand, Packet, Sip, SyncReply, TuningValues
from .bridged_line import BridgedLine
from .command_queue import Priority
from .component import Context
from .devices.auxiliary import PORTS, AuxPort
from .devices.charger import Charger
from .devices.compass import CompassReader
from .devices.controller_reset import ControllerReset
from .devices.digital_io import AnalogInput, DigitalOutputs
from .devices.erratic_settings import ErraticSettings, pwm_values
from .devices.gripper import GripperControl
from .devices.servos import ServoJoints
from .devices.sonar_sequence import SonarSequence
from .devices.sounds import SoundPlayer
from .devices.switch import Switch
from .devices.tuning import Tuning
from .dialects import Dialect, dialects
from .events import Identified
from .link import RobotLink
from .monitors.link_timing import LinkTiming
from .monitors.stalls import StallMonitor
from .monitors.standstill import StandstillMonitor
from .motion.goal import Move, Turn
from .motion.limits import VelocityLimits, check_finite
from .motion.motion import Motion
from .options import Options
from .outcome import Outcome, finished
from .raw import raw_instruction
from .remedies import GENERAL_REMEDIES, Remedies
from .sensing.gyro import Gyroscope
from .sensing.inputs import STALLS, InputReader
from .sensing.state_estimator import StateEstimator
from .session import LinkState
from .streams import COMPASS, ENCODERS, GRIPPER, GYRO, IO, JOYSTICK, Streams
from .unconfirmed import UnconfirmedCommands


class Robot:
    """One robot: its link, its components, and the requests that concern several of them.

    The owner of the port uses `link`; others use the methods and the components.
    """

    def __init__(self, options: Options, remedies: Remedies = GENERAL_REMEDIES) -> None:
        """Make a robot that is not connected.

        Args:
            options: The user's.
            remedies: For its messages.

        Raises:
            ProfileError: The options name no usable profile.
        """
        self.options = options
        self.profile = load_profile(options.profile or "amigo")
        self.profile_reason = "no robot has been seen yet"
        known_dialects, firmware = dialects(), set(self.profile.firmware if options.profile else "")
        pinned = next((dialect for dialect in known_dialects if firmware & set(dialect.firmware)), None)
        self.link = RobotLink(self, self.profile.link.command_spacing, known_dialects, pinned)
        self.queue, self.session, self.components = self.link.queue, self.link.session, self.link.components
        self.raw_refused = 0
        context = Context(
            self.queue,
            self.link.sends,
            self.link.timeouts,
            self.link.dispatcher,
            self.link.emit,
            lambda: self.profile,
            lambda: self.tuning.config,
            self.unsupported,
            self.no_robot,
            remedies,
            self.components,
        )
        self.dialect.set_profile(self.profile)
        self.line = BridgedLine(context, options.bridge_baud)
        self.limits = VelocityLimits(context, lambda: self.options, lambda: self.tuning.requested)
        # The components are notified of packets and of a new session in this order: it is that of their first commands.
        self.estimator = StateEstimator(context, lambda: self.motion.driven)
        self.motion = Motion(
            context,
            self.limits,
            options.command_timeout,
            self.estimator,
            lambda: self.motors.switching_on,
            lambda: self.tuning.applying,
        )
        motors_on = True if options.motors_on_connect else None
        self.motors = Switch(context, "motors", Command.ENABLE, Sip.MOTORS, motors_on)
        self.sonar = Switch(context, "sonar", Command.SONAR, Sip.SONAR, options.sonar_on_connect)
        self.tuning = Tuning(context)
        self.sounds = SoundPlayer(context)
        self.digital_outputs = DigitalOutputs(context)
        self.analog_input = AnalogInput(context)
        self.streams = Streams(context)
        self.aux = tuple(AuxPort(number, context) for number in range(1, len(PORTS) + 1))
        self.sequence = SonarSequence(context)
        self.gyro = Gyroscope(context)
        self.inputs = InputReader(context)
        self.link_timing = LinkTiming(context)
        self.stalls = StallMonitor(context)
        self.standstill = StandstillMonitor(context, lambda: self.motion.driven)
        self.unconfirmed = UnconfirmedCommands(context)
        self.servos = ServoJoints(context, self.unconfirmed, lambda *servo: self.dialect.servo(*servo))
        self.erratic = ErraticSettings(context, self.unconfirmed, self._at_rest)
        self.gripper = GripperControl(context)
        self.charger = Charger(context)
        self.controller_reset = ControllerReset(context)
        self.compass = CompassReader(context)
        context.on_packet(TuningValues, self._on_config)
        self._apply_options(-math.inf)

    @property
    def baud(self) -> int:
        """Line speed in baud to open the port with."""
        return self.session.found_at or self.options.baud or self.profile.link.baud

    @property
    def state(self) -> LinkState:
        """State of the connection."""
        return self.session.state

    @property
    def running(self) -> bool:
        """Whether a session is open and SIPs arrive."""
        return self.session.running

    @property
    def note(self) -> str:
        """Description of the state for the operator."""
        return self.session.note

    @property
    def dialect(self) -> Dialect:
        """The dialect of the robot's firmware."""
        return self.session.dialect

    def no_robot(self) -> str:
        """Return why no robot is connected; "" if one is."""
        return "" if self.running else f"there is no robot: {self.note}"

    # -- requests ---------------------------------------------------------------------------------------------

    def turn(self, angle: float, now: float, *, absolute: bool = False) -> Turn:
        """Turn on the spot by an angle, or to a heading in the odometry frame as it is now.

        It starts when the robot is at rest, and waits for motors and tuning values that the driver is setting already.

        Args:
            angle: rad; 0 or 0.0175 (1 deg) to 3.14, either sign, or any finite heading.
            now: s.
            absolute: The angle is a heading.

        Raises:
            RequestRefusedError: The angle is out of range, or the robot cannot move now.
        """
        odometry = self.estimator.odometer.state
        scale = self.profile.calibration.turn
        with self.motion.counting_refusals():
            turn = Turn.to_heading(angle, odometry.yaw, scale) if absolute else Turn.by(angle, scale)
        self.motion.perform(turn, now)
        return turn

    def move(self, distance: float, now: float) -> Move:
        """Drive straight on.

        It starts when the robot is at rest, and waits for motors and tuning values that the driver is setting already.

        Args:
            distance: m; 0 or 0.001 to 32, negative backwards.
            now: s.

        Raises:
            RequestRefusedError: The distance is out of range, or the robot cannot move now.
        """
        with self.motion.counting_refusals():
            move = Move.by(distance, self.profile.calibration.scale)
        self.motion.perform(move, now)
        return move

    def enable_motors(self, on: bool, now: float) -> Future[Outcome]:
        """Switch the motors. Velocities that are requested end.

        Args:
            on: True switches on.
            now: Time in s.

        Returns:
            The result, when the robot has confirmed it or the retries are over.
        """
        self.motion.zero_velocities()
        return self.motors.set(on, now)

    def reset(self, now: float) -> Future[Outcome]:
        """Stop and reboot the controller.

        Returns:
            The result, when the robot is connected again.
        """
        self.motion.stop(now)
        return self.controller_reset.reset(now)

    def set_odometry(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> None:
        """Set the pose (m, m, rad) in the odometry frame; the firmware's counters are left alone.

        Raises:
            RequestRefusedError: A value is not finite.
        """
        for name, value, unit in (("x", x, "m"), ("y", y, "m"), ("yaw", yaw, "rad")):
            check_finite(name, value, unit)
        self.estimator.odometer.set(x, y, yaw)

    def restart_odometry(self) -> None:
        """Begin at the origin with the counters of the next SIP: a recording begins."""
        self.estimator.odometer.counters = None
        self.set_odometry()

    def aux_port(self, number: int) -> AuxPort:
        """Return an auxiliary port.

        Raises:
            RequestRefusedError: There is no port with this number.
        """
        if not 1 <= number <= len(self.aux):
            raise RequestRefusedError(f"port is {number}, allowed: 1 to {len(self.aux)}")
        return self.aux[number - 1]

    def unsupported(self, command: CommandTable | int) -> str:
        """Return why a command cannot be sent to this robot; "" if it can."""
        if isinstance(command, int) or self.dialect.supports(command, self.profile.firmware):
            return self.no_robot()
        return self.no_robot() or f"{self.profile.description} has no {command.name}"

    def send_raw(self, number: int, arguments: list[int], text: bytes) -> Outcome:
        """Send a command that does not bypass the driver; no packet confirms it.

        Args:
            number: Number of the command.
            arguments: None or one integer.
            text: Text argument.

        Raises:
            RequestRefusedError: The command is not allowed, or its argument does not fit.
        """
        try:
            instruction = raw_instruction(number, arguments, text, self.dialect.commands)
        except RequestRefusedError:
            self.raw_refused += 1
            raise
        if reason := self.no_robot():
            return Outcome(False, reason)
        return self.queue.send_once(str(instruction), instruction, priority=Priority.RAW)

    def configure(self, options: Options, now: float) -> Future[Outcome]:
        """Apply changed options. Those that only matter on connecting wait for the next session.

        Returns:
            The result, when the robot has confirmed the tuning values or the retries are over.
        """
        before = self.limits.tuning()
        self.options = options
        self.motion.timeout = options.command_timeout
        self.line.requested_baud = options.bridge_baud
        self._apply_line_speed(now)
        self._apply_options(now)
        values = self.limits.tuning()
        self.tuning.release(before.keys() - values.keys())
        # Only what has changed: the robot may have refused some of the others.
        changed = {name: value for name, value in values.items() if before.get(name) != value}
        if self.running:
            result = self.tuning.set(changed, now)
        else:
            self.tuning.requested.update(changed)
            result = finished(Outcome(True, "kept for the next connection"))
        self.motion.limits_changed()
        return result

    # -- for RobotLink ---------------------------------------------------------------------------------------

    def on_byte_time(self, byte_time: float | None) -> None:
        """The port was opened or runs at another speed; `byte_time` as in `Port`."""
        self.line.port_byte_time = byte_time
        self._apply_line_speed(-math.inf)

    def on_identity(self, identity: SyncReply, now: float) -> None:
        """Choose the profile of the identified robot for all components, before a session is opened."""
        chosen, reason = choose_profile(identity.robot_class, identity.subclass, self.dialect.fallback)
        reported = identity.subclass.lower()
        known = reported in chosen.subclasses
        if not self.options.profile:
            self.profile, self.profile_reason = calibrated_profile(chosen, reason, identity.name)
        elif known and self.profile.subclasses and reported not in self.profile.subclasses:
            known, self.profile_reason = False, f"it was requested, though {reason}"
        else:
            known, self.profile_reason = True, f"it was requested: {self.options.profile}"
        self.dialect.set_profile(self.profile)
        for component in self.components:
            component.on_profile()
        self._apply_line_speed(now)
        self.queue.spacing = self.profile.link.command_spacing
        self.tuning.requested.update(self.limits.tuning())
        if self.dialect.supports(Command.POLLING, self.profile.firmware):
            self.sequence.configure(self.options.sonar_sequence)
        self.link.emit(Identified(identity, self.profile, self.profile_reason, known))

    def measured(self, packet: Packet, stamp: float, size: int) -> tuple[Packet, float]:
        """Return a packet as the components handle it, and the time (s) at which the robot took its values."""
        return self.estimator.measured(packet, stamp, size)

    def on_early_sip(self, sip: Sip, stamp: float) -> None:
        """Take a SIP from before the session, whose values are of the time `stamp` (s)."""
        self.estimator.on_early_sip(sip, stamp)

    # -- inside -----------------------------------------------------------------------------------------------

    def _apply_line_speed(self, now: float) -> None:
        """Use the line speed for stamps and for the plan of the streams."""
        self.link.decoder.byte_time = self.queue.byte_time = self.line.byte_time
        self.streams.review(now)

    def _apply_options(self, now: float) -> None:
        """Apply the options that work during a session, except the limits."""
        options, config = self.options, self.tuning.config
        if options.trace and not self.link.trace and not self.unsupported(Command.CONFIG):
            self.queue.put(Command.CONFIG())  # a recording that begins in mid-session needs it
        self.link.trace = options.trace
        self.digital_outputs.mask_first = options.digital_output_mask_first
        self.estimator.ports.volts_per_count = options.analog_volts_per_count
        self.estimator.encoders.leading = options.encoder_odometry
        self.streams.set(IO, options.io_stream or self.inputs.wired, now)
        self.streams.set(ENCODERS, options.encoder_stream or options.encoder_odometry, now)
        # With has_gyro 2 the firmware uses the gyro itself and sends no packets.
        self.streams.set(GYRO, options.gyro and config is not None and config.value("has_gyro") == 1, now)
        self.gyro.enabled = options.gyro
        self.streams.set(COMPASS, options.compass == "packets", now)
        self.streams.set(GRIPPER, options.gripper_stream and bool(self.gripper.fitted), now)
        self.streams.set(JOYSTICK, options.joystick_stream, now)
        self.compass.show_in_sip(options.compass == "sip", now)
        self.unconfirmed.configure(Command.BUMPSTALL, STALLS.get(options.bumper_stall), now)
        pwm = pwm_values(options.pwm_frequency, options.pwm_max_duty)
        for command in (ErraticCommand.PWM_FREQ, ErraticCommand.PWM_DUTY):
            self.unconfirmed.configure(command, pwm.get(command), now)

    def _at_rest(self) -> bool:
        report = self.estimator.report
        return report is not None and not (report.moving or self.motion.requested)

    def _on_config(self, config: TuningValues, stamp: float, now: float) -> None:
        self._apply_line_speed(now)
        self.motion.limits_changed()
        self._apply_options(now)
