# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A driver core and a simulated robot on one simulated clock, watched: what is so, and what has happened since."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TypeVar

from bench import Bench

from amigobot_driver.connection_policy import (
    ANSWER_TIMEOUT,
    FIRST_SIP_TIMEOUT,
    GREETINGS,
    KEEP_ALIVE,
    LISTEN,
    OPEN_TRIES,
    SEARCH_SPEEDS,
    SETTLE,
    SYNC_ROUNDS,
)
from amigobot_driver.findings import PARTS, History
from amigobot_driver.profiles import Limits, Physics, Profile, load_profile
from amigobot_driver.protocol import OVERHEAD, encode_frame
from amigobot_driver.robot import (
    EncoderReading,
    Event,
    FrameSeen,
    LinkChanged,
    LinkState,
    Notice,
    Odometry,
    Options,
    Report,
    TurnRate,
)
from amigobot_driver.robot.devices.auxiliary import HOLD
from amigobot_driver.robot.motion.motion import LATE, WAKING
from amigobot_driver.robot.sensing.battery import BatteryMonitor
from amigobot_driver.robot.snapshot import take_snapshot
from amigobot_driver.ros.parameters import TABLE, NodeParameters, Scalar
from amigobot_driver.sim import Revision, Simulator
from amigobot_driver.sim.erratic.revision import revision_of
from amigobot_driver.sim.world import World as Surroundings

from .allowance import Allowance, Allowances
from .records import EncoderSighting, Meddling, Movement, Request, Seen, Sighting
from .setup import BRISK, ROOM, Setup
from .witness import TICK, Witness

T = TypeVar("T")

ENDLESS = Surroundings("endless")
#: s in which a wheel follows its set-point: three times the 0.1 s that the simulator's servo takes.
SERVO_LAG = 0.3
#: s between two observations while time passes.
SLICE = 0.25
#: s in which a servo that was held by force works off what it has stored, and comes to rest.
RELEASE = 2.0
#: Frames that may go out before the one that stops the robot: one that is being sent, and the three of a stop.
FRAMES_BEFORE = 4
#: Bytes of a frame with a number.
FRAME = OVERHEAD + 4
#: s that a request may take beyond its own tries: other features speak in the same turn.
LEEWAY = 1.0


class ObservedWorld:
    """The system under test, and what the oracle needs of it. Each method that acts lets no time pass."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        profile = load_profile(setup.profile)
        asked = setup.asked or not profile.subclasses
        self.values: dict[str, Scalar] = {spec.name: spec.default for spec in TABLE}
        self.values.update(
            robot=setup.profile if asked else "",
            motors_on_connect=setup.motors_on_connect,
            sonar_on_connect=setup.sonar_on_connect,
            publish_packets=True,
            encoder_stream=setup.encoders,
        )
        if setup.fast_limits:
            self.values.update(max_linear_velocity=profile.limits.linear, max_angular_velocity=profile.limits.angular)
        self.exchanged = 0  #: times that another robot of the model was put in the place of this one
        self.witnesses: list[Witness] = []
        self.bench = self._make_bench()
        self.began = self.bench.now
        self.profile: Profile = profile
        self.allowances = Allowances()
        self.meddling = Meddling()
        self.requests: list[Request] = []
        self.movement: Movement | None = None
        self.unfinished_movements: list[Movement] = []  #: the last one goes on, those before it come to rest
        self.finished_movements: list[Movement] = []
        self.odometry_set: tuple[float, float, float] | None = None
        self.settings = 0
        #: working parameters that were requested
        self.touched: set[str] = {"trans_vel_max", "rot_vel_max"} if setup.fast_limits else set()
        self.clean_since = math.inf  #: s; the line is in order and the robot on
        self.punctual_since = self.bench.now  #: s; bytes have come without delay
        self.running_since = math.inf  #: s; the link is up
        self.link_changed = self.bench.now
        self.lossless_since = -math.inf  #: s; no frame was lost or damaged on an open line
        self._delay = 0.0
        self._frame = b""
        self._frame_from_robot = False
        self._last_sip_data = b""
        self._motors_expected_off = False
        self.jammed = False
        self.closed = False
        self.queued = 0
        self.emergency_asked = False  #: the emergency stop was requested and not cleared
        self._history = History()
        self._diagnosed = self.bench.now
        #: s; a servo that was held by force lets go with what it has stored
        self.forced_until = -math.inf
        self.motors_asked = True  #: unless a caller switched them off
        self.woken = -math.inf  #: s, when the process was last frozen until
        self.powered = True
        self.bench.down.fault = self._disguise if not setup.moving_bit else None
        self.user_limits = [(self.bench.now, self._user_limits())]  #: m/s and rad/s, and since when (s)
        self._note_line()
        self.queued = sum(self.accounts)  #: commands that were put into the queue
        self._count_commands()

    # -- the parts --------------------------------------------------------------------------------------------

    def _make_bench(self) -> Bench:
        return Bench(self._options(), self.setup.profile, simulator=self._simulator, check_baud=self.setup.paced)

    def _simulator(self) -> Simulator:
        profile = load_profile(self.setup.profile)
        if self.setup.brisk:
            profile = dataclasses.replace(profile, flash={**profile.flash, **BRISK})
        revision: Revision | None = None
        if profile.firmware == "E":
            revision = dataclasses.replace(revision_of(profile), layout=self.setup.layout)
        simulator = Simulator(
            profile,
            ROOM if self.setup.walls else ENDLESS,
            name=f"Robot{self.exchanged}",
            baud=None if self.setup.paced else 0,
            revision=revision,
        )
        self.witnesses.append(Witness(simulator))
        return simulator

    def _count_commands(self) -> None:
        queue = self.robot.queue
        put = queue.put

        def counted(*arguments: object) -> bool:
            self.queued += 1
            return bool(put(*arguments))

        queue.put = self.robot.session.send = counted

    def _options(self) -> Options:
        """The core's options for the node's parameters, as the node makes them."""
        parameters = NodeParameters.__new__(NodeParameters)
        parameters._values = self.values
        return parameters.options()

    def _disguise(self, frame: bytes) -> bytes:
        return encode_frame(b"\x32" + frame[4:-2]) if frame[3] in (0x32, 0x33) else frame

    @property
    def witness(self) -> Witness:
        return self.witnesses[-1]

    @property
    def robot(self):  # type: ignore[no-untyped-def]  # the driver core
        return self.bench.robot

    @property
    def now(self) -> float:
        return self.bench.now

    @property
    def running(self) -> bool:
        return bool(self.robot.running)

    @property
    def note(self) -> str:
        """What the driver says of the link."""
        return str(self.robot.note)

    @property
    def connections(self) -> int:
        """Sessions so far."""
        return int(self.robot.session.connections)

    @property
    def info_cycle(self) -> float:
        """s between two SIPs, as the robot reports."""
        return float(self.robot.bandwidth.info_cycle)

    @property
    def silence(self) -> float:
        """s without a packet after which the driver takes the link for lost."""
        return float(self.robot.dialect.silence)

    @property
    def report(self) -> Report | None:
        """The newest report."""
        return self.robot.estimator.report  # type: ignore[no-any-return]

    @property
    def battery(self) -> BatteryMonitor:
        """What the driver knows of the battery."""
        return self.robot.estimator.battery  # type: ignore[no-any-return]

    @property
    def waiting(self) -> dict[str, int]:
        """How many commands wait, by their priority."""
        return {str(priority): len(commands) for priority, commands in self.robot.queue._waiting.items()}

    @property
    def accounts(self) -> tuple[int, int]:
        """Commands that were put into the queue, and what the queue says became of them."""
        stats, waiting = self.robot.queue.stats, sum(self.waiting.values())
        return self.queued, stats.sent + stats.refused + stats.replaced + stats.dropped + waiting

    @property
    def frames(self) -> tuple[int, int]:
        """Frames that were put on the line, and frames that the driver says it has sent."""
        return len(self.bench.up.log), self.robot.queue.stats.sent

    @property
    def emergency(self) -> bool:
        """The emergency stop is latched."""
        return bool(self.robot.motion.emergency)

    @property
    def odometry(self) -> Odometry:
        return self.robot.estimator.odometer.state  # type: ignore[no-any-return]

    @property
    def plugged(self) -> bool:
        return self.bench._plugged

    @property
    def limits(self) -> Limits:
        """m/s and rad/s that the user allows: the parameters, within what profile and firmware allow at most."""
        limits = self._user_limits()
        return Limits(
            linear=min(limits.linear, (self.witness.working("trans_vel_top") or math.inf) / 1000),
            angular=min(limits.angular, math.radians(self.witness.working("rot_vel_top") or math.inf)),
        )

    def _user_limits(self) -> Limits:
        """The parameters, within the profile."""
        linear, angular = self.profile.limits.linear, self.profile.limits.angular
        return Limits(
            linear=min(linear, float(self.values["max_linear_velocity"]) or linear),
            angular=min(angular, float(self.values["max_angular_velocity"]) or angular),
        )

    # -- what is derived --------------------------------------------------------------------------------------

    @property
    def knows_the_limits(self) -> bool:
        """The robot has confirmed the limits, and none was given up, which the driver says."""
        values = self.robot.working_values
        limits = [name for name in ("trans_vel_max", "rot_vel_max") if values.config and values.config.value(name)]
        return not values._request.pending and values.requested.keys() >= set(limits)

    @property
    def reaction(self) -> float:
        """s from a command to its effect at the wheels, on a line in order."""
        queue = self.robot.queue.spacing * FRAMES_BEFORE
        line = FRAMES_BEFORE * FRAME * self.bench.simulator.byte_time + HOLD + self._delay
        return queue + line + 2 * TICK + SERVO_LAG

    @property
    def repair(self) -> float:
        """s from the end of a disturbance until a lost stop has been sent again."""
        return max(KEEP_ALIVE, LISTEN) + self.reaction

    @property
    def reconnection(self) -> float:
        """s in which a robot that is there is found, in any state that it was left in.

        A robot that was just switched on boots; a lost one is noticed after the silence. Before the first connection
        the session may be busy with the other line speeds.
        """
        attempt = LISTEN + GREETINGS * ANSWER_TIMEOUT + SETTLE + OPEN_TRIES * FIRST_SIP_TIMEOUT
        visit = SYNC_ROUNDS * attempt + 2 * SETTLE
        visits = 2 if self.robot.session.connections else 1 + len(SEARCH_SPEEDS)
        return Physics().boot_time + self.silence + visits * visit + LEEWAY

    @property
    def in_order(self) -> bool:
        """The line is open and undisturbed, and the robot is on."""
        faults = self.bench.simulator.faults
        quiet = not (faults.corrupt or faults.lose_bytes or faults.lose_packets or faults.duplicate or faults.delay)
        through = self.bench.up.fault is None and self.bench.down.fault in (None, self._disguise)
        return quiet and not faults.babble and through and self.plugged and self.powered

    @property
    def can_be_driven(self) -> bool:
        """Nothing that is documented speaks against a command for the wheels."""
        awake = self.now - self.woken > LATE + WAKING
        return self.running_for(1.0) and self.clean_for(1.0) and awake and not self.emergency

    @property
    def motors_are_coming(self) -> bool:
        """The driver switches the motors on by itself, and nothing has asked for them to be off."""
        asked = (
            bool(self.values["motors_on_connect"])
            and self.motors_asked
            and not self.meddling.since(-math.inf, "motors")
        )
        undisturbed = self.clean_since <= self.running_since
        return asked and self.running and undisturbed and not self.emergency

    @property
    def values_are_coming(self) -> bool:
        """The driver sets working values, for which a movement waits before it starts."""
        return bool(self.robot.working_values.applying)

    def clean_for(self, seconds: float) -> bool:
        """The line has been in order for that long."""
        return self.now - self.clean_since >= seconds

    def running_for(self, seconds: float) -> bool:
        return self.running and self.now - self.running_since >= seconds

    def as_built(self) -> bool:
        """The servo's gains and the counters' units are those of the factory: the robot drives as it should."""
        names = ("rot_kp", "rot_kv", "rot_ki", "trans_kp", "trans_kv", "trans_ki", "rev_count", "ticks_mm")
        return not self.touched & {*names, "drift_factor"}

    # -- observation ------------------------------------------------------------------------------------------

    def _wait(self, seconds: float) -> None:
        for request in self.requests:
            if request.outcome is None:
                if self.running:
                    request.waited += seconds
                    request.orphaned = 0.0
                else:
                    request.orphaned += seconds
        movement = self.movement
        if movement:
            # Only a robot that could move is waited for.
            resting = self.running and all(tick.at_rest for tick in (self.witness.now, *self.witness.ticks))
            if not self.as_built():
                # In other units the counters may move much while the robot moves hardly at all.
                pose, movement.pose = movement.pose, (self.odometry.x, self.odometry.y, self.odometry.yaw)
                resting = resting and pose == movement.pose
            movement.at_rest_for = movement.at_rest_for + seconds if resting else 0.0
            movement.values_coming |= self.values_are_coming
        if not self.running:
            self._spoil()

    def observe(self) -> Seen:
        """Take in what has happened since the last time."""
        seen = Seen(ticks=[tick for witness in self.witnesses for tick in witness.take_ticks()])
        events, self.bench.events = self.bench.events, []
        for time, event in events:
            self._take(time, event, seen)
        for request in [request for request in self.requests if request.outcome is not None]:
            self.requests.remove(request)
            seen.ended.append(request)
        self._note_line()
        if self.now - self._diagnosed >= 1.0:
            self._diagnosed = self.now
            self._history.add(take_snapshot(self.robot))
            seen.diagnostics = {name: part(self._history, "simulated") for name, part in PARTS.items()}
        # A wall may have been in the way at the beginning of a freeze, and be no more at its end.
        began = min([self.now - SLICE, *(tick.time for tick in seen.ticks[:1])])
        if self.jammed or self.witness.stalled or self.witness.touched > began:
            self.forced_until = self.now + RELEASE
        if not self.as_built():
            self._spoil()
        return seen

    def _take(self, time: float, event: Event, seen: Seen) -> None:
        if isinstance(event, FrameSeen):
            if not event.to_robot:
                self._frame = event.data
        elif isinstance(event, Report):
            punctual = time >= self.punctual_since and not self._delay
            made = self.witness.find(self._frame, event.stamp, time, whole=self.setup.moving_bit, heap=not punctual)
            seen.sightings.append(
                Sighting(
                    time,
                    event,
                    made,
                    self.connections,
                    self.settings,
                    self.in_order and time >= self.clean_since,
                    punctual,
                )
            )
        elif isinstance(event, EncoderReading):
            frame = self.witness.find(self._frame, event.stamp, time, sip=False)
            if frame is not None:
                jumps = int(self.robot.encoders.jumps)
                seen.encoders.append(EncoderSighting(event, frame, self.connections, jumps))
        elif isinstance(event, TurnRate):
            if time >= self.punctual_since and not self._delay and self.in_order and time >= self.clean_since:
                seen.turn_rates.append(event)
        elif isinstance(event, Notice):
            seen.notices.append((time, event.text))
        elif isinstance(event, LinkChanged):
            seen.links.append((time, event.state))
            if (event.state is LinkState.RUNNING) != (self.running_since < math.inf):
                self.link_changed = time
                if event.state is LinkState.RUNNING:
                    self.running_since = time
                    self.profile = self.robot.profile
                else:
                    self.running_since = math.inf
                    self._allow(Allowance(), time)
                    self.allowances.disturb(time, time + SETTLE)
                    self._spoil()

    def _note_line(self) -> None:
        if not self.in_order:
            self.clean_since = math.inf
        elif self.clean_since == math.inf:
            self.clean_since = self.now

    def _spoil(self) -> None:
        """No movement without a result can be expected to arrive, nor to report what the robot of now has travelled."""
        for movement in self.unfinished_movements:
            movement.in_order = False

    # -- calls ------------------------------------------------------------------------------------------

    def call(self, action: Callable[[], T], *documented: type[Exception]) -> T | Exception:
        """Do something as a caller of the driver does; a documented exception is an answer."""
        try:
            return self.bench.ask(action)
        except documented as refusal:
            self.bench.ask(lambda: None)
            return refusal

    def _allow(self, allowance: Allowance, now: float | None = None, until: float = math.inf) -> None:
        self.allowances.allow(allowance, self.now if now is None else now, until)

    def _replaced(self) -> None:
        """A newer command has taken the place of the movement."""
        self.movement = None
