"""The system under test: the driver core and a simulated robot on one simulated clock.

All access to the driver core and to the simulator is in this module (and in witness.py, for the simulator's truth), so
that a renamed core changes this file only. `World` keeps what the oracle needs: what was asked and when, what the
robot really did, and when the line was in order.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

from bench import Bench, lost

from amigobot_driver.connection_policy import (
    ANSWER_TIMEOUT,
    DRIVER_SILENCE,
    FIRST_SIP_TIMEOUT,
    GREETINGS,
    KEEP_ALIVE,
    LISTEN,
    OPEN_TRIES,
    SETTLE,
    SYNC_ROUNDS,
)
from amigobot_driver.profiles import Limits, Profile, load_profile
from amigobot_driver.protocol import OVERHEAD, Command, encode_frame
from amigobot_driver.robot import (
    TUNABLE,
    Event,
    FrameSeen,
    LinkChanged,
    LinkState,
    MotionGoal,
    Notice,
    Odometry,
    Options,
    Outcome,
    Refused,
    Report,
)
from amigobot_driver.robot.command_queue import MAX_ROUTINE
from amigobot_driver.robot.devices import (
    charger,
    controller_reset,
    digital_io,
    gripper,
    sonar_sequence,
    sounds,
    switch,
    working_values,
)
from amigobot_driver.robot.devices.auxiliary import HOLD
from amigobot_driver.robot.motion.goal import MOVE_TOLERANCE, PATIENCE, TURN_TOLERANCE
from amigobot_driver.robot.motion.motion import LATE, WAKING
from amigobot_driver.ros.parameters import TABLE, NodeParameters, Scalar, Spec
from amigobot_driver.sim import Faults, Revision, Simulator, Window
from amigobot_driver.sim.body import _COAST_DECELERATION
from amigobot_driver.sim.controller import BOOT_TIME
from amigobot_driver.sim.erratic.revision import revision_of
from amigobot_driver.sim.world import World as Surroundings

from .allowance import Allowance, Allowances
from .witness import KEPT, TICK, Made, Tick, Witness

T = TypeVar("T")

#: s in which a wheel follows its set-point: three times the 0.1 s that the simulator's servo takes.
SERVO_LAG = 0.3
#: s in which a servo that was held by force works off what it has stored, and comes to rest.
RELEASE = 2.0
#: Frames that may go out before the one that stops the robot: one that is being sent, and the three of a stop.
FRAMES_BEFORE = 4
#: Bytes of a frame with a number.
FRAME = OVERHEAD + 4
#: s that a request may take beyond its own tries: other features speak in the same turn.
LEEWAY = 1.0
#: FLASH of a robot that reaches its speeds within the seconds of a step.
BRISK = {"TransAcc": 1500, "TransDecel": 1500, "RotAcc": 300, "RotDecel": 300}
#: s between two observations while time passes.
SLICE = 0.25

#: s that each kind of request may take while the link is up.
BOUNDS = {
    "motors": switch.RETRIES.duration,
    "sonar": switch.RETRIES.duration,
    "sonar sequence": sonar_sequence.RETRIES.interval * (sonar_sequence.RETRIES.limit + 1),
    "tuning": working_values.RETRIES.duration,
    "digital outputs": digital_io.RETRIES.duration,
    "analog input": digital_io.RETRIES.duration,
    "sounds": sounds.RETRIES.duration,
    "play": 2 * sounds.RETRIES.duration + sounds.QUIET,
    "say": sounds.RETRIES.duration,
    "gripper": gripper.RETRIES.duration,
    "charger": charger.RETRIES.duration,
    "reset": controller_reset.RETRIES.duration,
}

PROFILES = (
    "amigo",
    "amigo-sh",
    "amigo-1.0",
    "p3dx",
    "p3at",
    "erratic",
    "generic",
    "p2dx",
    "p2at",
    "p2at8",
    "p2ce",
    "p2d8",
    "p2de",
    "p3at-sh",
    "p3atiw-sh",
    "p3dx-sh",
    "powerbot-sh",
    "erratic-player",
    "erratic-player-h",
    "erratic-degrees",
)

#: Parameters that the node takes at run time and that reach the driver core.
PARAMETERS: dict[str, Spec] = {
    spec.name: spec
    for spec in TABLE
    if spec.at_run_time
    and spec.name
    not in ("publish_tf", "sonar_no_echo", "analog_volts_per_count", "say_half_cycle", "allow_raw_commands")
    and spec.name != "publish_packets"
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One robot, one line and how the driver is started."""

    profile: str = "amigo"
    asked: bool = False  #: the driver is told the profile instead of finding it
    paced: bool = True  #: bytes take their time on the line
    moving_bit: bool = True  #: False: the packets never say that the robot moves, as MobileSim's
    layout: str = "manual"  #: of an Erratic's motor packet
    motors_on_connect: bool = True
    sonar_on_connect: bool = True
    brisk: bool = True  #: the robot speeds up and slows down several times as fast as it leaves the factory
    fast_limits: bool = True  #: the parameters max_linear_velocity and max_angular_velocity are those of the profile


class Meddling:
    """When a person, or a raw command, last changed something at the robot past the driver's own requests."""

    def __init__(self) -> None:
        self._times: dict[str, float] = {}

    def note(self, now: float, *subjects: str) -> None:
        for subject in subjects:
            self._times[subject] = now

    def since(self, time: float, *subjects: str) -> bool:
        return any(self._times.get(subject, -math.inf) >= time for subject in (*subjects, "all"))


@dataclass(slots=True, eq=False)
class Request:
    """Something that was asked for and will be answered."""

    kind: str
    text: str
    asked: float
    future: Future[Outcome]
    bound: float  #: s that it may take while the link is up
    judge: Callable[[Outcome], str]  #: what is wrong with an answer, "" when it is true
    ends_with_session: bool = True
    waited: float = 0.0  #: s with the link up
    orphaned: float = 0.0  #: s without a session
    ended: float = math.inf
    outcome: Outcome | None = None
    wrong: str = ""


@dataclass(slots=True, eq=False)
class Movement:
    """A move or a turn."""

    what: str
    wanted: float  #: m or rad
    task: MotionGoal
    travel: float  #: m that the wheels had rolled when it was accepted
    heading: float  #: rad, of the robot then
    asked: float
    ended: float = math.inf
    outcome: Outcome | None = None
    end: Tick | None = None
    end_travel: float = 0.0
    linked: bool = True  #: the link was up when it ended
    in_order: bool = True  #: nothing but commands of the driver's caller has disturbed it
    at_rest_for: float = 0.0  #: s that the robot has not moved with the link up
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Sighting:
    """A report, and the packet at the robot that it is of."""

    time: float
    report: Report
    made: Made | None
    connections: int
    settings: int  #: times that the odometry was set
    clean: bool
    punctual: bool  #: bytes had come without delay


@dataclass(slots=True)
class Seen:
    """What has happened since the last observation."""

    ticks: list[Tick] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    notices: list[tuple[float, str]] = field(default_factory=list)
    links: list[tuple[float, LinkState]] = field(default_factory=list)
    ended: list[Request] = field(default_factory=list)


class World:
    """Everything together. Each method that acts lets no time pass; `advance` does."""

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
        )
        if setup.fast_limits:
            self.values.update(max_linear_velocity=profile.limits.linear, max_angular_velocity=profile.limits.angular)
        self.witnesses: list[Witness] = []
        self.bench = Bench(self._options(), setup.profile, simulator=self._simulator, check_baud=setup.paced)
        self.profile: Profile = profile
        self.allowances = Allowances()
        self.meddling = Meddling()
        self.requests: list[Request] = []
        self.movement: Movement | None = None
        self.finished_movements: list[Movement] = []
        self.odometry_set: tuple[float, float, float] | None = None
        self.settings = 0
        #: working parameters that somebody asked for
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
        #: s; a servo that was held by force lets go with what it has stored
        self.forced_until = -math.inf
        self.motors_asked = True  #: unless a caller switched them off
        self.woken = -math.inf  #: s, when the process was last frozen until
        self.powered = True
        self.bench.down.fault = self._disguise if not setup.moving_bit else None
        self._note_line()

    # -- the parts --------------------------------------------------------------------------------------------

    def _simulator(self) -> Simulator:
        profile = load_profile(self.setup.profile)
        if self.setup.brisk:
            profile = dataclasses.replace(profile, flash={**profile.flash, **BRISK})
        revision: Revision | None = None
        if profile.firmware == "E":
            revision = dataclasses.replace(revision_of(profile), layout=self.setup.layout)
        simulator = Simulator(profile, Surroundings("endless"), baud=None if self.setup.paced else 0, revision=revision)
        self.witnesses.append(Witness(simulator))
        return simulator

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
    def silence(self) -> float:
        """s without a packet after which the driver takes the link for lost."""
        return float(self.robot.dialect.silence)

    @property
    def report(self) -> Report | None:
        """The newest report."""
        return self.robot.estimator.report  # type: ignore[no-any-return]

    @property
    def waiting(self) -> dict[str, int]:
        """How many commands wait, by their priority."""
        return {str(priority): len(commands) for priority, commands in self.robot.queue._waiting.items()}

    @property
    def frames(self) -> tuple[int, int]:
        """Frames that were put on the line, and frames that the driver says it has sent."""
        return len(self.bench.up.log), self.robot.queue.sent

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
        """m/s and rad/s that the robot's user allows: the parameters, within what the profile says the robot can do."""
        linear, angular = self.profile.limits.linear, self.profile.limits.angular
        return Limits(
            linear=min(linear, float(self.values["max_linear_velocity"]) or linear),
            angular=min(angular, float(self.values["max_angular_velocity"]) or angular),
        )

    # -- what is derived --------------------------------------------------------------------------------------

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
        """s in which a robot that is there is found, whatever state it was left in.

        The session tries the likely line speed at every second visit. A robot that was just switched on boots; a lost
        one is noticed after the silence.
        """
        attempt = LISTEN + GREETINGS * ANSWER_TIMEOUT + SETTLE + OPEN_TRIES * FIRST_SIP_TIMEOUT
        visit = SYNC_ROUNDS * attempt + 2 * SETTLE
        return BOOT_TIME + self.silence + 2 * visit + LEEWAY

    @property
    def deceleration(self) -> tuple[float, float]:
        """m/s^2, rad/s^2 with which this robot comes to rest: as the firmware is set, or coasting without power."""
        linear, angular = self.witness.deceleration
        coasting = _COAST_DECELERATION
        return min(linear, coasting), min(angular, coasting / (self.profile.body.track / 2))

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
        return asked and self.running and self.clean_for(1.0) and not self.emergency

    def clean_for(self, seconds: float) -> bool:
        """The line has been in order for that long."""
        return self.now - self.clean_since >= seconds

    def running_for(self, seconds: float) -> bool:
        return self.running and self.now - self.running_since >= seconds

    def as_built(self) -> bool:
        """The servo's gains and the counters' units are those of the factory: the robot drives as it should."""
        names = ("rot_kp", "rot_kv", "rot_ki", "trans_kp", "trans_kv", "trans_ki", "rev_count", "ticks_mm")
        return not self.touched & {*names, "drift_factor"}

    # -- time -------------------------------------------------------------------------------------------------

    def advance(self, seconds: float, *, cmd_vel: tuple[float, float] | None = None) -> list[Seen]:
        """Let time pass, and meanwhile publish this velocity ten times a second; what was seen, slice by slice."""
        seen = []
        end = self.now + seconds
        while self.now < end:
            if cmd_vel is not None:
                self.drive(*cmd_vel)
            step = min(0.1 if cmd_vel is not None else SLICE, end - self.now)
            self.bench.run(step)
            self._wait(step)
            seen.append(self.observe())
        return seen

    def freeze(self, seconds: float, *, writer_first: bool) -> Seen:
        """The process of the driver stands still."""
        start = self.now
        self.bench.sleep(seconds, writer_first=writer_first)
        self.bench.run(1e-6)
        self.allowances.disturb(start, self.now)
        self.punctual_since = self.now + 2 * TICK
        self.woken = self.now
        if self.running and seconds > DRIVER_SILENCE:
            # Documented: what was asked before the process slept is void.
            self._allow(Allowance())
        self._spoil()
        return self.observe()

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
            resting = self.witness.now.at_rest and self.running
            movement.at_rest_for = movement.at_rest_for + seconds if resting else 0.0
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
        if self.jammed or self.witness.stalled:
            self.forced_until = self.now + RELEASE
        if not self.as_built() or self.jammed or self.witness.stalled or not self.witness.motors_on:
            self._spoil()
        return seen

    def _take(self, time: float, event: Event, seen: Seen) -> None:
        if isinstance(event, FrameSeen):
            if not event.to_robot:
                self._frame = event.data
        elif isinstance(event, Report):
            punctual = time >= self.punctual_since and not self._delay
            made = self.witness.find(self._frame, event.stamp, whole=self.setup.moving_bit, heap=not punctual)
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
        """The movement that goes on cannot be expected to arrive."""
        if self.movement:
            self.movement.in_order = False

    # -- calls ------------------------------------------------------------------------------------------------

    def call(self, action: Callable[[], T], *documented: type[Exception]) -> T | Exception:
        """Do something as a caller of the driver does; a documented exception is an answer."""
        try:
            return self.bench.ask(action)
        except documented as refusal:
            self.bench.ask(lambda: None)
            return refusal

    def _allow(self, allowance: Allowance, now: float | None = None, until: float = math.inf) -> None:
        self.allowances.allow(allowance, self.now if now is None else now, until)

    def drive(self, linear: float, angular: float) -> bool:
        """cmd_vel; whether the velocity was accepted."""
        answer = self.call(lambda: self.robot.drive(linear, angular, self.now), Refused)
        return self._driving(answer, Allowance.of(linear, angular) if answer is None else Allowance())

    def drive_wheels(self, left: float, right: float) -> bool:
        """cmd_wheels; whether it was accepted. While one wheel catches up with the other the robot may turn."""
        answer = self.call(lambda: self.robot.drive_wheels(left, right, self.now), Refused)
        if isinstance(answer, Refused):
            return False
        fastest = max(abs(left), abs(right))
        turn = 2 * fastest / self.profile.body.track
        both = Allowance((-fastest, fastest), (-turn, turn))
        self._replaced()
        rest = not (left or right)
        self._allow(Allowance() if rest else both, until=math.inf if rest else self.now + self._timeout)
        return True

    def drive_heading(self, linear: float, yaw: float) -> bool:
        """cmd_heading; whether it was accepted."""
        answer = self.call(lambda: self.robot.drive_course(linear, yaw, self.now), Refused)
        if isinstance(answer, Refused):
            return False
        top = self._top_rates[1]
        return self._driving(answer, Allowance.of(linear, 0.0) | Allowance((0.0, 0.0), (-top, top)), clamp=False)

    def _driving(self, answer: object, allowance: Allowance, *, clamp: bool = True) -> bool:
        if isinstance(answer, Refused):
            return False
        if clamp:
            allowance = allowance.clamped(self.limits.linear, self.limits.angular)
        self._replaced()
        self._allow(allowance, until=self.now + self._timeout if allowance else math.inf)
        return True

    @property
    def _timeout(self) -> float:
        return float(self.values["cmd_vel_timeout"])

    @property
    def _top_rates(self) -> tuple[float, float]:
        """m/s, rad/s that the firmware's own movements reach, while commands may still change its limits."""
        linear = (self.witness.working("trans_vel_max") or 0) / 1000
        angular = math.radians(self.witness.working("rot_vel_max") or 0)
        return max(linear, self.profile.limits.linear), max(angular, self.profile.limits.angular)

    def move(self, distance: float) -> Movement | Refused:
        """The action move."""
        answer = self.call(lambda: self.robot.move(distance, self.now), Refused)
        if isinstance(answer, Refused):
            return answer
        top = math.copysign(self._top_rates[0], distance)
        allowance = Allowance.of(top, 0.0)
        if not self.witness.now.at_rest:
            allowance |= Allowance.of(-top, 0.0)  # measured from the request: it comes back from where it rolls to
        return self._started("move", distance, answer, allowance)

    def turn(self, angle: float, *, absolute: bool) -> Movement | Refused:
        """The action turn."""
        start = self.odometry.yaw
        answer = self.call(lambda: self.robot.turn(angle, self.now, absolute=absolute), Refused)
        if isinstance(answer, Refused):
            return answer
        top = self._top_rates[1]
        wanted = math.remainder(angle - start, math.tau) if absolute else angle
        return self._started("turn", wanted, answer, Allowance((0.0, 0.0), (-top, top)))

    def _started(self, what: str, wanted: float, task: object, allowance: Allowance) -> Movement:
        assert isinstance(task, MotionGoal)
        self._replaced()
        witness = self.witness
        movement = Movement(what, wanted, task, witness.travel, witness.now.heading, self.now)
        # It begins with what the robot rolls on with, which is no part of the distance.
        movement.in_order = witness.now.at_rest and self.in_order and self.running
        self.movement = movement
        self._allow(allowance)

        def ended(future: Future[Outcome]) -> None:
            movement.ended, movement.outcome, movement.linked = self.now, future.result(), self.running
            movement.end, movement.end_travel = self.witness.now, self.witness.travel
            self.finished_movements.append(movement)
            if self.movement is movement:
                self.movement = None
                self._allow(Allowance())

        task.ended.add_done_callback(ended)
        return movement

    def _replaced(self) -> None:
        """A newer command has taken the place of the movement."""
        self.movement = None

    def travelled(self, movement: Movement) -> float:
        """What the result of a movement says was travelled (m or rad), as the action computes it."""
        return movement.task.covered

    def stop(self) -> None:
        self._rest(self.robot.stop)

    def emergency_stop(self) -> None:
        self._rest(self.robot.emergency_stop)

    def clear_emergency_stop(self) -> None:
        self._rest(self.robot.clear_emergency_stop)

    def _rest(self, action: Callable[[], None]) -> None:
        self.call(action)
        self._replaced()
        self._allow(Allowance())

    # -- requests ---------------------------------------------------------------------------------------------

    def request(
        self,
        kind: str,
        text: str,
        action: Callable[[], Future[Outcome]],
        judge: Callable[[Outcome], str] = lambda outcome: "",
        *documented: type[Exception],
        bound: float | None = None,
        ends_with_session: bool = True,
    ) -> Request | Exception:
        """Ask for something; `judge` says what is wrong with the answer at the moment it comes."""
        future = self.call(action, Refused, *documented)
        if isinstance(future, Exception):
            return future
        own = BOUNDS[kind] if bound is None else bound
        queue = MAX_ROUTINE * self.robot.queue.spacing
        request = Request(
            kind, text, self.now, future, own + queue + LEEWAY, judge, ends_with_session=ends_with_session
        )

        def ended(future: Future[Outcome]) -> None:
            request.ended, request.outcome = self.now, future.result()
            request.wrong = request.judge(request.outcome)

        if kind == "reset":
            for other in self.requests:
                if other.kind == kind:
                    other.waited = 0.0  # both wait for the same reset, which begins anew
        self.requests.append(request)
        future.add_done_callback(ended)
        return request

    def enable_motors(self, on: bool) -> None:
        self._replaced()
        asked = self.now
        self.motors_asked = on
        self.request(
            "motors",
            f"enable_motors({on})",
            lambda: self.robot.enable_motors(on, self.now),
            lambda outcome: self._differs(outcome, asked, "motors", self.witness.motors_on, on),
        )
        self._allow(Allowance())

    def enable_sonar(self, on: bool) -> None:
        asked = self.now
        self.request(
            "sonar",
            f"enable_sonar({on})",
            lambda: self.robot.enable_sonar(on, self.now),
            lambda outcome: self._differs(outcome, asked, "sonar", self.witness.sonar_on, on),
        )

    def poll_sonars(self, sonars: tuple[int, ...]) -> Request | Exception:
        return self.request(
            "sonar sequence",
            f"poll_sonars({sonars})",
            lambda: self.robot.poll_sonars(sonars, self.now),
            lambda outcome: "",
            ValueError,
        )

    def reset(self) -> None:
        asked, epoch = self.now, self.witness.epoch
        self._replaced()

        def judge(outcome: Outcome) -> str:
            if outcome.success and self.witness.epoch == epoch and not self.meddling.since(asked, "power"):
                return "success, but the controller was not reset"
            return ""

        self.request("reset", "reset()", lambda: self.robot.reset(self.now), judge, ends_with_session=False)
        self._allow(Allowance())
        self.meddling.note(self.now, "all")

    def tune(self, values: dict[str, int]) -> Request | Exception:
        """set_robot_config, set_pid."""
        asked = self.now

        def judge(outcome: Outcome) -> str:
            if not outcome.success or self.meddling.since(asked, "tuning"):
                return ""
            held = {name: self.witness.working(name) for name in values}
            wrong = {name: held[name] for name, value in values.items() if held[name] not in (value, None)}
            return f"success, but the robot holds {wrong}" if wrong else ""

        if not self.running:
            return Refused("there is no robot")
        answer = self.request(
            "tuning", f"tune({values})", lambda: self.robot.working_values.set(values, self.now), judge, ValueError
        )
        if not isinstance(answer, Exception):
            self.touched |= values.keys()
        return answer

    def read_config(self) -> None:
        if self.running:
            self.request("tuning", "read_config()", lambda: self.robot.working_values.read(self.now))

    def set_digital_outputs(self, mask: int, states: int) -> None:
        asked = self.now

        def judge(outcome: Outcome) -> str:
            wrong = (self.witness.digital_outputs ^ states) & mask
            meddled = self.meddling.since(asked, "digital outputs")
            return f"success, but the outputs {wrong:#04x} differ" if outcome.success and wrong and not meddled else ""

        self.request(
            "digital outputs",
            f"set_digital_outputs({mask:#04x}, {states:#04x})",
            lambda: self.robot.digital_outputs.set(mask, states, self.now),
            judge,
        )

    def select_analog_input(self, port: int) -> None:
        asked = self.now
        self.request(
            "analog input",
            f"select_analog_input({port})",
            lambda: self.robot.analog_input.select(port, self.now),
            lambda outcome: self._differs(outcome, asked, "analog input", self.witness.analog_port, port),
        )

    def enable_sounds(self, on: bool) -> None:
        asked = self.now
        self.request(
            "sounds",
            f"enable_sounds({on})",
            lambda: self.robot.sounds.switch(on, self.now),
            lambda outcome: self._differs(outcome, asked, "sounds", self.witness.sounds_on, on),
        )

    def play_sound(self, number: int) -> None:
        self.request("play", f"play_sound({number})", lambda: self.robot.sounds.play(number, self.now), bound=10.0)

    def say(self, tones: bytes) -> None:
        self.request("say", f"say({tones!r})", lambda: self.robot.sounds.say(tones, self.now))

    def list_sounds(self, refresh: bool) -> None:
        # Each of at most 255 entries may need all its tries.
        bound = sounds.LAST_SOUND * sounds.RETRIES.duration
        self.request(
            "sounds", f"list_sounds({refresh})", lambda: self.robot.sounds.list(refresh, self.now), bound=bound
        )

    def order_gripper(self, name: str, duration: float) -> None:
        self.request(
            "gripper",
            f"gripper({name!r}, {duration})",
            lambda: self.robot.gripper.order(name, duration, self.now),
        )

    def order_charger(self, out: bool) -> None:
        self.request("charger", f"charger({out})", lambda: self.robot.charger.deploy(out, self.now))

    def aux_write(self, port: int, data: bytes) -> None:
        # What waits before it, at the slowest line there is and the port's own speed.
        bound = 2 * 8192 * 10 / 9600 * 2 + 8192 / 20 * self.robot.queue.spacing
        self.request(
            "aux write",
            f"aux_write({port}, {len(data)})",
            lambda: self.robot.aux[port - 1].writer.write(data),
            bound=bound,
        )

    def aux_read(self, port: int, count: int, timeout: float) -> None:
        bound = timeout if 0.0 <= timeout < math.inf else 0.0
        self.request(
            "aux read",
            f"aux_read({port}, {count}, {timeout})",
            lambda: self.robot.aux[port - 1].reader.read(count, timeout, self.now),
            bound=bound,
        )

    def turn_servo(self, joint: str, angle: float) -> Exception | None:
        answer = self.call(lambda: self.robot.servos.turn(joint, angle, self.now), Refused)
        return answer if isinstance(answer, Exception) else None

    def set_motor_pwm(self, frequency: float, max_duty: float) -> object:
        self.touched |= {"pwm_max", "pwm_wrap", "stall_val"}
        return self.call(lambda: self.robot.pwm.set(frequency, max_duty, self.now), Refused)

    def save_config(self) -> object:
        return self.call(lambda: self.robot.flash.save(), Refused)

    def set_odometry(self, x: float, y: float, yaw: float) -> None:
        self.call(lambda: self.robot.set_odometry(x, y, yaw))
        self.settings += 1
        self.odometry_set = x, y, yaw

    def send_raw(self, number: int, arguments: list[int], text: bytes) -> object:
        """send_command; the answer, or the refusal."""
        answer = self.call(lambda: self.robot.send_raw(number, arguments, text), Refused)
        if isinstance(answer, Outcome) and answer.success:
            self.meddling.note(self.now, *_SUBJECTS.get(number, ("other",)))
            self.touched |= _TOUCHED.get(number, set())
            if number in _RESTARTS:
                self._spoil()
        return answer

    def set_parameter(self, name: str, value: object) -> bool:
        """Set one of the node's parameters at run time; whether it was taken."""
        spec = PARAMETERS[name]
        try:
            self.values[name] = spec.check(value)
        except ValueError:
            return False
        if spec.tunes:
            self.touched.add(spec.tunes[0])
        if name in ("max_linear_velocity", "max_angular_velocity"):
            self.touched |= {"trans_vel_max", "rot_vel_max"}
            self.allowances.limit(self.limits.linear, self.limits.angular, self.now)
        options = self._options()
        self.request("tuning", f"{name}={value!r}", lambda: self.robot.configure(options, self.now), lambda outcome: "")
        return True

    def _differs(self, outcome: Outcome, asked: float, subject: str, held: object, wanted: object) -> str:
        if not outcome.success or held == wanted or self.meddling.since(asked, subject):
            return ""
        return f"success, but at the robot it is {held}"

    # -- beside the robot -------------------------------------------------------------------------------------

    def press_motors_button(self) -> None:
        self.bench.simulator.press_motors_button()
        self.meddling.note(self.now, "motors")
        self._spoil()

    def press_reset_button(self) -> None:
        self.bench.simulator.reset()
        self.meddling.note(self.now, "all", "power")
        self._spoil()

    def move_joystick(self, x: float, y: float, throttle: float, buttons: tuple[bool, bool]) -> None:
        joystick = self.bench.simulator.joystick
        joystick.x, joystick.y, joystick.throttle, joystick.buttons = x, y, throttle, buttons

    def jam(self, on: bool) -> None:
        """Hold the wheels, or let them go."""
        self.witness._body.jammed = on
        self.jammed = on
        self.bench.simulator.faults = dataclasses.replace(self.bench.simulator.faults, jam=_ALWAYS if on else None)
        self._spoil()

    def connect(self) -> None:
        """Plug in and wait until the driver has what it wants."""
        if not self.plugged:
            self.bench.plug_in()
        self.observe()

    def unplug(self) -> None:
        if self.plugged:
            self.allowances.disturb(self.now, math.inf)
            self._allow(Allowance())
            self.bench.unplug()
            self._replaced()
            self.observe()

    def plug_in(self) -> None:
        if not self.plugged:
            self._mend()
            self.bench.plug_in()
            self.observe()

    def switch_off(self) -> None:
        """The robot's power goes."""
        if self.powered:
            self.allowances.disturb(self.now, math.inf)
            self.powered = False
            self.bench.switch_off()
            self.meddling.note(self.now, "all", "power")
            self._spoil()
            self.observe()

    def switch_on(self) -> None:
        if not self.powered:
            self.powered = True
            self.bench.switch_on()
            self._mend()
            self.meddling.note(self.now, "all", "power")
            self.observe()

    def set_faults(self, faults: Faults) -> None:
        """What goes wrong on the line from now on."""
        self._begin_disturbance()
        self.bench.simulator.faults = dataclasses.replace(faults, jam=self.bench.simulator.faults.jam)
        self._mend()
        self.observe()

    def set_range(self, to_robot: bool, from_robot: bool) -> None:
        """Which directions of the radio link work."""
        self._begin_disturbance()
        self.bench.up.fault = None if to_robot else lost
        self.bench.down.fault = (None if self.setup.moving_bit else self._disguise) if from_robot else lost
        self._mend()
        self.observe()

    def set_delay(self, seconds: float) -> None:
        """How long bytes travel, both ways."""
        if seconds != self._delay:
            self.allowances.disturb(self.now, self.now + self._delay)
            self.punctual_since = self.now + self._delay + 1.0
            self._delay = self.bench.up.delay = self.bench.down.delay = seconds

    def heal(self) -> None:
        """Everything is in order again."""
        self.set_faults(Faults())
        self.set_range(True, True)
        self.set_delay(0.0)
        self.jam(False)
        self.switch_on()
        self.plug_in()

    def _begin_disturbance(self) -> None:
        self._mend()
        self.allowances.disturb(self.now, math.inf)
        self.lossless_since = math.inf
        self.punctual_since = math.inf
        self._spoil()

    def _mend(self) -> None:
        """End the disturbances that no longer go on."""
        if self.in_order or (self.bench.up.fault is None and self.plugged and self.powered):
            faults = self.bench.simulator.faults
            if not (faults.corrupt or faults.lose_bytes or faults.lose_packets or faults.duplicate or faults.delay):
                self.allowances._disturbed = [
                    (start, self.now if end == math.inf else end) for start, end in self.allowances._disturbed
                ]
                if self.lossless_since == math.inf:
                    self.lossless_since = self.now
                if self.punctual_since == math.inf:
                    self.punctual_since = self.now + 1.0

    # -- the end ----------------------------------------------------------------------------------------------

    def close(self) -> None:
        """The driver ends."""
        self.closed = True
        self.call(self.robot.link.close)
        self._replaced()
        self._allow(Allowance())


_ALWAYS = Window(0.0, math.inf)

#: What raw commands change, by their numbers.
_TOUCHED: dict[int, set[str]] = {}
for _name, _value in TUNABLE.items():
    _TOUCHED.setdefault(_value.command.number, set()).add(_name)
_SUBJECTS: dict[int, tuple[str, ...]] = {
    **dict.fromkeys(_TOUCHED, ("tuning",)),
    Command.SONAR.number: ("sonar",),
    Command.DIGOUT.number: ("digital outputs",),
    Command.ADSEL.number: ("analog input",),
    Command.SOUNDTOG.number: ("sounds",),
    Command.RESET.number: ("all", "power"),
    Command.BATTEST.number: ("all",),
}
_RESTARTS = {
    Command.RESET.number,
    Command.BATTEST.number,
    Command.SETO.number,
    Command.STOP.number,
    Command.E_STOP.number,
}

__all__ = [
    "KEPT",
    "MAX_ROUTINE",
    "MOVE_TOLERANCE",
    "PARAMETERS",
    "PATIENCE",
    "PROFILES",
    "TUNABLE",
    "TURN_TOLERANCE",
    "Made",
    "Movement",
    "Refused",
    "Request",
    "Seen",
    "Setup",
    "Sighting",
    "World",
]
