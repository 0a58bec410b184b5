"""One robot as an object: bytes and time in, events and frames out. No I/O, no threads, no clock of its own.

    bytes  -> FrameDecoder -> Packet -> Session, Settings, Odometer -> events
    wishes -> Motion, Settings -> Outbox -> frames

Whoever owns the port (driver.py, or a test on simulated time) calls `receive` with what came in, `poll` when
`next_time` is reached, and writes what `take` gives until it gives None.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass

from ..profiles import choose_profile, load_profile
from ..protocol import (
    Command,
    Config,
    DecoderStats,
    FrameDecoder,
    Instruction,
    Malformed,
    Packet,
    Sip,
    SyncReply,
    Unknown,
    parse,
)
from .battery import BatteryMonitor
from .events import (
    BaudChange,
    BatteryChanged,
    Configured,
    Event,
    Identified,
    LinkChanged,
    Notice,
    Ping,
    Received,
    Report,
)
from .motion import Motion, MotionStats, Refused
from .odometry import Odometer, Odometry
from .outbox import Outbox, Urgency
from .session import LinkState, Session
from .setting import Outcome, Setting

#: s between two keep-alives; the firmware's watchdog is 2 s, so several may be lost.
KEEP_ALIVE = 0.25
#: s without a frame from us after which the robot's watchdog may have stopped it: any frame but STOP would revive it.
STALE = 1.0
#: CONFIG is asked for this often (s), this many times.
CONFIG_RETRY, CONFIG_TRIES = 0.5, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a user may choose. Zero limits mean: the robot's own."""

    profile: str = ""  #: name or file of a profile; "": choose by what the robot says
    baud: int = 0  #: 0: the profile's
    command_timeout: float = 0.5  #: s a velocity outlives its sender
    max_linear: float = 0.0  #: m/s
    max_angular: float = 0.0  #: rad/s
    motors_on_connect: bool = True
    sonar_on_connect: bool = True


@dataclass(slots=True)
class PacketStats:
    """Good frames by what became of them."""

    sips: int = 0
    other: int = 0
    unknown: int = 0
    malformed: int = 0
    bad_pings: int = 0  #: readings of a sonar this robot does not have


class Robot:
    """The driver's picture of one robot. Raises ProfileError for options that name no usable profile."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.profile = load_profile(options.profile or "amigo")
        self.config: Config | None = None
        self.battery = BatteryMonitor(self.profile.battery)
        self.packets = PacketStats()
        self.motors = Setting("motors", Command.ENABLE(1), Command.ENABLE(0))
        self.sonar = Setting("sonar", Command.SONAR(1), Command.SONAR(0))
        self.motors.wanted = True if options.motors_on_connect else None
        self.sonar.wanted = options.sonar_on_connect
        self.last_report: Report | None = None
        self.pinged: dict[int, float] = {}  #: when each sonar last fired, s
        self._decoder = FrameDecoder()
        self._outbox = Outbox(self.profile.link.command_spacing)
        self._session = Session(self._outbox.put, self._tune)
        self._odometer = Odometer(self.profile)
        self._motion = Motion((self.profile.limits.linear, self.profile.limits.angular), options.command_timeout)
        self._events: list[Event] = []
        self._next_keep_alive = math.inf
        self._next_config = math.inf
        self._config_tries = 0
        self._motors_noticed = False
        self._farewell = False
        self._settings = (self.motors, self.sonar)
        self._limit()

    # -- what is known ----------------------------------------------------------------------------------------

    @property
    def state(self) -> LinkState:
        return self._session.state

    @property
    def running(self) -> bool:
        """SIPs arrive."""
        return self._session.state is LinkState.RUNNING

    @property
    def note(self) -> str:
        """How the link stands, in plain words."""
        return self._session.note

    @property
    def baud(self) -> int:
        """The line speed to begin with."""
        return self.options.baud or self.profile.link.baud

    @property
    def identity(self) -> SyncReply | None:
        return self._session.identity

    @property
    def connections(self) -> int:
        """Sessions opened since the start."""
        return self._session.connections

    @property
    def odometry(self) -> Odometry:
        return self._odometer.state

    @property
    def jumps(self) -> int:
        """Times a position counter moved further than the robot could have; the difference was left out."""
        return self._odometer.jumps

    @property
    def emergency(self) -> bool:
        """The emergency stop is latched."""
        return self._motion.emergency

    @property
    def limits(self) -> tuple[float, float]:
        """The velocities in force, m/s and rad/s."""
        return self._motion.working

    @property
    def motion_stats(self) -> MotionStats:
        return self._motion.stats

    @property
    def link_stats(self) -> DecoderStats:
        return self._decoder.stats

    @property
    def frames_sent(self) -> int:
        return self._outbox.sent

    # -- the port's side --------------------------------------------------------------------------------------

    def connected(self, byte_time: float, now: float) -> list[Event]:
        """The port was opened; `byte_time` as Port has it."""
        self._decoder.reset()
        self._decoder.byte_time = byte_time
        self._outbox.drop()
        with self._watching(now):
            self._session.start(now, self.baud if byte_time else 0)
        return self._flush()

    def disconnected(self, why: str, now: float) -> list[Event]:
        """The port has gone, or could not be opened."""
        with self._watching(now):
            self._session.stop(why)
        self._outbox.drop()
        return self._flush()

    def retuned(self, byte_time: float) -> None:
        """The line runs at the speed of the last BaudChange now."""
        self._decoder.reset()
        self._decoder.byte_time = byte_time

    def receive(self, data: bytes, now: float) -> list[Event]:
        """Bytes came in until `now`. Never raises, whatever they are."""
        for frame in self._decoder.feed(data, now):
            packet = parse(frame.data)
            with self._watching(now):
                self._session.receive(packet, now)
            self._dispatch(packet, frame.stamp, now)
        return self._flush()

    def poll(self, now: float) -> list[Event]:
        """Do what has become due; call when `next_time` is reached, or any time earlier."""
        with self._watching(now):
            self._session.poll(now)
        if self.running:
            self._keep_running(now)
        return self._flush()

    def take(self, now: float) -> bytes | None:
        """The next frame to write, if one is due."""
        if self.running and now - self._outbox.last_sent > STALE:
            # This process slept: what was wanted then is void, and the robot must hear a stop before all else.
            self._motion.halt()
            self._outbox.drop(Urgency.VELOCITY, Urgency.KEEP_ALIVE)
            self._outbox.put(Command.STOP(), Urgency.STOP)
        instruction = self._outbox.take(now)
        return instruction.encode() if instruction else None

    def next_time(self) -> float:
        """When `poll` or `take` has something to do."""
        times = [self._session.next_time(), self._outbox.next_time()]
        if self.running:
            times += [self._motion.next_time(), self._next_keep_alive, self._next_config]
            times += [setting.next_time() for setting in self._settings]
        return min(times)

    # -- the user's side --------------------------------------------------------------------------------------

    def drive(self, linear: float, angular: float, now: float) -> None:
        """Ask for a velocity, m/s and rad/s. Raises Refused."""
        instructions = self._motion.drive(linear, angular, now)
        if not self.running:
            self._motion.halt()
            raise Refused(f"there is no robot to drive: {self.note}")
        if self._motion.velocity and self.motors.reported is False and not self._motors_noticed:
            self._motors_noticed = True
            self._notice(
                "a velocity arrives while the motors are off: call the service enable_motors with data: true, "
                "or press MOTORS on the robot"
            )
        for instruction in instructions:
            self._outbox.put(instruction, Urgency.VELOCITY)
        self._next_keep_alive = now + KEEP_ALIVE

    def stop(self) -> None:
        """Stop with the robot's normal deceleration; the next velocity drives again."""
        self._motion.halt()
        self._outbox.drop(Urgency.VELOCITY)
        if self.running:
            self._outbox.put(Command.STOP(), Urgency.STOP)

    def emergency_stop(self) -> None:
        """Brake as hard as the robot can and refuse every velocity until `clear_emergency_stop`."""
        self._motion.latch()
        self._outbox.drop(Urgency.VELOCITY, Urgency.STOP, Urgency.KEEP_ALIVE)
        if self.running:
            self._outbox.put(Command.E_STOP(), Urgency.EMERGENCY)

    def clear_emergency_stop(self) -> None:
        """Take velocities again; the robot stands until one comes."""
        self._motion.clear()

    def enable_motors(self, on: bool, now: float) -> Future[Outcome]:
        """Switch the motors; ends when the robot has confirmed it."""
        self._stand()
        return self._switch(self.motors, on, now)

    def enable_sonar(self, on: bool, now: float) -> Future[Outcome]:
        """Switch the sonars; ends when the robot has confirmed it."""
        return self._switch(self.sonar, on, now)

    def configure(self, options: Options, now: float) -> None:
        """Take changed limits and time-out; what is only asked for on connecting waits for the next time."""
        self.options = options
        self._motion.timeout = options.command_timeout
        self._limit()
        if self.running:
            self._ask_config(now)

    def reset_odometry(self) -> None:
        """The robot stands at the origin from now on; the firmware's own counters are left alone."""
        self._odometer.reset()

    def close(self) -> None:
        """End the session: stop, motors off, sonar off, CLOSE. `take` gives the frames, then nothing more.

        Again, should the robot go on sending.
        """
        self._farewell = self._farewell or self.state in (LinkState.RUNNING, LinkState.OPENING)
        self._session.stop("closed")
        self._outbox.drop()
        for setting in self._settings:
            setting.abandon("the driver is closing")
        if self._farewell:
            self._outbox.put(Command.STOP(), Urgency.STOP)
            self._outbox.put(Command.ENABLE(0))
            self._outbox.put(Command.SONAR(0))
            self._outbox.put(Command.CLOSE())

    # -- inside -----------------------------------------------------------------------------------------------

    @contextmanager
    def _watching(self, now: float) -> Iterator[None]:
        """Whatever the session does inside, its consequences are drawn once behind it."""
        before = self._session.state, self._session.note
        yield
        state = self._session.state
        if (state, self._session.note) == before:
            return
        self._events.append(LinkChanged(state, self._session.note))
        if state is before[0]:
            return
        if before[0] is LinkState.RUNNING:
            self._motion.halt()
            self._outbox.drop()
            for setting in self._settings:
                setting.abandon(self._session.note)
        if state is LinkState.OPENING and self.identity:
            self._identify(self.identity)
        elif state is LinkState.RUNNING:
            self._begin(now)

    def _identify(self, identity: SyncReply) -> None:
        if self.options.profile:
            profile, reason = self.profile, f"the parameter robot says {self.options.profile}"
        else:
            profile, reason = choose_profile(identity.robot_class, identity.subclass)
        self.profile = profile
        self.config = None
        self.battery = BatteryMonitor(profile.battery)
        self._outbox.spacing = profile.link.command_spacing
        self._odometer = Odometer(profile, self._odometer)
        self._limit()
        self._events.append(Identified(identity, profile, reason))

    def _begin(self, now: float) -> None:
        """A session has been opened: stop first, then bring the robot to where it is wanted."""
        self._outbox.put(Command.STOP(), Urgency.STOP)
        self._stand()
        self._odometer.restart()
        for setting in self._settings:
            setting.reapply(now)
        self._next_keep_alive = now + KEEP_ALIVE
        self._ask_config(now)

    def _stand(self) -> None:
        """Zero both velocities before anything else goes out, lest old ones come to life with the motors."""
        self._motion.halt()
        self._outbox.drop(Urgency.VELOCITY)
        if self.running:
            for instruction in self._motion.velocity.instructions():
                self._outbox.put(instruction, Urgency.STOP)

    def _switch(self, setting: Setting, on: bool, now: float) -> Future[Outcome]:
        if not self.running:
            refused: Future[Outcome] = Future()
            refused.set_result(Outcome(False, f"{setting.name}: there is no robot, {self.note}"))
            return refused
        return setting.want(on, now)

    def _keep_running(self, now: float) -> None:
        if self._motion.expire(now):
            self._stand()
            self._notice(f"no velocity for {self.options.command_timeout:g} s (cmd_vel_timeout): stopped")
        if now >= self._next_keep_alive:
            self._next_keep_alive = now + KEEP_ALIVE
            if self._motion.emergency and self.last_report and self.last_report.moving:
                self._outbox.put(Command.E_STOP(), Urgency.EMERGENCY)
            for instruction in self._motion.keep_alive():
                self._outbox.put(instruction, Urgency.KEEP_ALIVE)
        for setting in self._settings:
            if due := setting.due(now):
                self._outbox.put(due)
        if now >= self._next_config:
            self._request_config(now)

    def _dispatch(self, packet: Packet, stamp: float, now: float) -> None:
        if isinstance(packet, Sip):
            self.packets.sips += 1
            if self.running:
                self._report(packet, stamp)
            return
        self.packets.other += 1
        self.packets.unknown += isinstance(packet, Unknown)
        self.packets.malformed += isinstance(packet, Malformed)
        if isinstance(packet, Config) and self.running:
            self._take_config(packet, now)
        self._events.append(Received(packet, stamp))

    def _report(self, sip: Sip, stamp: float) -> None:
        odometry = self._odometer.update(sip, stamp)
        if self.motors.observe(sip.motors_enabled):
            self._notice(f"the motors were switched {'on' if sip.motors_enabled else 'off'} at the robot")
        self.sonar.observe(sip.sonar_enabled)
        self._motors_noticed &= not sip.motors_enabled
        if self.battery.update(sip.volts, stamp):
            self._events.append(BatteryChanged(self.battery.level, self.battery.voltage))
        self.last_report = Report(
            stamp=stamp,
            odometry=odometry,
            pings=self._pings(sip, stamp),
            volts=sip.volts,
            motors_enabled=sip.motors_enabled,
            sonar_enabled=sip.sonar_enabled,
            moving=sip.moving,
            left_stalled=sip.left_stalled,
            right_stalled=sip.right_stalled,
            stop_button=sip.stop_button,
            charging=sip.charging,
        )
        self._events.append(self.last_report)

    def _pings(self, sip: Sip, stamp: float) -> tuple[Ping, ...]:
        pings = []
        for reading in sip.sonar:
            if reading.number >= len(self.profile.sonar.poses):
                self.packets.bad_pings += 1
                continue
            distance = reading.range * self.profile.units.range
            pings.append(Ping(reading.number, distance if distance <= self.profile.sonar.max_range else math.inf))
            self.pinged[reading.number] = stamp
        return tuple(pings)

    def _ask_config(self, now: float) -> None:
        self._config_tries = 0
        self._next_config = now

    def _request_config(self, now: float) -> None:
        if self._config_tries == CONFIG_TRIES:
            self._next_config = math.inf
            self._notice("the robot does not answer CONFIG: limits and parameters are the profile's")
            return
        self._config_tries += 1
        self._next_config = now + CONFIG_RETRY
        for instruction in self._wanted_limits():
            self._outbox.put(instruction)
        self._outbox.put(Command.CONFIG())

    def _take_config(self, config: Config, now: float) -> None:
        self._next_config = math.inf
        self.config = config
        self._limit()
        self._events.append(Configured(config))

    def _wanted_limits(self) -> Iterator[Instruction]:
        """The user's limits, for the firmware to enforce too."""
        if self.options.max_linear:
            yield Command.SETV(round(self._motion.working[0] * 1000))
        if self.options.max_angular:
            yield Command.SETRV(round(math.degrees(self._motion.working[1])))

    def _limit(self) -> None:
        """What the robot can do: its profile, capped by its firmware. What it may: the user's word, else its own."""
        linear, angular = self.profile.limits.linear, self.profile.limits.angular
        own_linear, own_angular = linear, angular
        if self.config:
            linear = min(linear, self.config.trans_vel_top / 1000 or linear)
            angular = min(angular, math.radians(self.config.rot_vel_top) or angular)
            own_linear = self.config.trans_vel_max / 1000 or linear
            own_angular = math.radians(self.config.rot_vel_max) or angular
        self._motion.capable = linear, angular
        self._motion.working = (
            min(linear, self.options.max_linear or own_linear),
            min(angular, self.options.max_angular or own_angular),
        )

    def _tune(self, baud: int) -> None:
        self._events.append(BaudChange(baud))

    def _notice(self, text: str) -> None:
        self._events.append(Notice(text))

    def _flush(self) -> list[Event]:
        events, self._events = self._events, []
        return events
