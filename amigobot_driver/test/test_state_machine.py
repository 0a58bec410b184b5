# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Random orders of calls and faults, for the driver core and a simulated robot on one simulated clock.

The oracle is the truth of the simulator. The faults are those of the bounded fault model
(docs/explanation/architecture.md): one at a time, and ordinary commands in between. `make soak` runs more sequences.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from concurrent.futures import Future

from bench import Bench
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from amigobot_driver.protocol import BAUD_RATES
from amigobot_driver.robot import Options, Report, RequestRefusedError
from amigobot_driver.sim import Faults, SessionState

TIMEOUT = 0.5  # s, cmd_vel_timeout
REACTION = 0.5  # s from a time-out or a stop to the first effect at the robot, retries included
WATCHDOG = 2.0 + 0.5  # s, after the line or the computer failed
AT_REST = 0.002  # m/s of a wheel
SLICE = 0.05  # s between two looks
RECONNECT = 20.0  # s, two passes over all line speeds
ANSWER = 30.0  # s within which every request is answered
TRACK, TURN = (0.01, 0.01), (0.02, 0.01)  # odometry: m and rad, and their share of the path and of the turns

FRACTIONS = st.sampled_from((0.0, 0.1, -0.3, 0.5, -0.8, 1.0, -1.0, 2.0))
ODD = st.sampled_from((math.nan, math.inf, -math.inf))
SECONDS = st.sampled_from((0.3, 1.0, 2.0, 4.0))
SHORT = st.sampled_from((0.1, 0.5, 1.0, 2.0))


class Robots(RuleBasedStateMachine):
    """One robot and its driver, from the first byte to the last."""

    bench: Bench

    @initialize(
        profile=st.sampled_from(("amigo", "amigo-sh", "p3dx", "p3at-sh", "erratic")), baud=st.sampled_from(BAUD_RATES)
    )
    def begin(self, profile: str, baud: int) -> None:
        named = profile if profile == "erratic" else ""
        self.bench = Bench(Options(profile=named), profile, baud=None if named else baud, check_baud=not named)
        self.futures: list[tuple[float, Future]] = []
        self.driven_until = self.disturbed_until = -math.inf  #: s, the end of the newest command and fault
        self.emergency = False
        self.requested = self.fastest = 0.0  #: m/s of a wheel; the highest that was accepted since the last rest
        self.last_stamp = -math.inf
        self.bench.plug_in()
        self.recover()

    # -- what the robot really does ---------------------------------------------------------------------------

    @property
    def speed(self) -> float:
        """Speed of the faster wheel, m/s."""
        truth = self.bench.simulator.truth
        return max(abs(truth.left_velocity), abs(truth.right_velocity))

    @property
    def pose(self) -> tuple[float, float, float]:
        pose = self.bench.simulator.truth.pose
        return pose.x, pose.y, pose.heading

    @property
    def report(self) -> Report:
        return self.bench.robot.estimator.report

    def ramp(self) -> float:
        """Time in s to stop from the highest velocities with the decelerations that the robot has."""
        tuning = self.bench.simulator._firmware.drive.tuning
        linear, angular = self.bench.robot.limits.highest
        return max(1000 * linear / tuning.trans_decel, math.degrees(angular) / tuning.rot_decel)

    def anchor(self) -> None:
        """Compare the odometry with the truth from here on."""
        odometry = self.report.odometry
        self.anchored = self.bench.robot.session.connections
        self.start = self.pose, (odometry.x, odometry.y, odometry.yaw)
        self.path = self.turned = 0.0

    # -- time passes, and the oracle looks --------------------------------------------------------------------

    def run(self, seconds: float, cmd_vel: tuple[float, float] | None = None) -> None:
        bench, end = self.bench, self.bench.now + seconds
        published = -math.inf
        while bench.now < end:
            if cmd_vel and bench.now - published >= 0.099:
                published = bench.now
                self.request(lambda: bench.drive(*cmd_vel))
            before = self.pose
            bench.run(min(SLICE, end - bench.now))
            self.look(before)

    def look(self, before: tuple[float, float, float]) -> None:
        bench, now = self.bench, self.bench.now
        after = self.pose
        self.path += math.dist(before[:2], after[:2])
        self.turned += abs(math.remainder(after[2] - before[2], math.tau))
        late = WATCHDOG if self.disturbed_until > self.driven_until - TIMEOUT - REACTION else 0.0
        if now > self.driven_until + REACTION + late + self.ramp():
            assert self.speed <= AT_REST, f"{now - self.driven_until:.2f} s after the last command: {self.speed} m/s"
            self.fastest = 0.0
        assert self.speed <= 1.1 * self.fastest + 0.03, f"{self.speed} m/s where {self.fastest} was requested"
        stamps = [report.stamp for report in bench.reports if report.stamp > self.last_stamp]
        assert stamps == sorted(set(stamps))
        self.last_stamp = max((report.stamp for report in bench.reports), default=self.last_stamp)
        assert all(now - asked < ANSWER for asked, future in self.futures if not future.done())
        self.futures = [entry for entry in self.futures if not entry[1].done()]
        for log in (bench.events, bench.up.log, bench.down.log):
            log.clear()

    def rest(self) -> None:
        """Wait until the robot is at rest, and compare what the driver says with the truth."""
        bench = self.bench
        self.run(max(0.0, self.driven_until - bench.now) + REACTION + self.ramp() + 1.5)
        if bench.now < self.disturbed_until + WATCHDOG:
            self.run(WATCHDOG)
        if bench.robot.session.connections != self.anchored:
            self.anchor()
            return
        truth, odometry = self.pose, self.report.odometry
        (x, y, heading), (x0, y0, yaw0) = self.start
        turn = yaw0 - heading
        dx, dy = truth[0] - x, truth[1] - y
        expected = x0 + dx * math.cos(turn) - dy * math.sin(turn), y0 + dx * math.sin(turn) + dy * math.cos(turn)
        off = math.dist(expected, (odometry.x, odometry.y))
        assert off <= TRACK[0] + TRACK[1] * self.path, f"odometry {off:.3f} m off after {self.path:.2f} m"
        off = abs(math.remainder(odometry.yaw - truth[2] - turn, math.tau))
        assert off <= TURN[0] + TURN[1] * self.turned, f"yaw {off:.3f} rad off after {self.turned:.2f} rad"
        if bench.robot.profile.name != "erratic":  # its packets do not report motor state
            assert self.report.motors_enabled == bench.simulator._firmware.drive.motors_on
        assert not self.report.moving
        self.anchor()

    def recover(self) -> None:
        """A robot that is there is found."""
        self.bench.until(lambda: self.bench.robot.running, RECONNECT)
        self.bench.run(1.0)
        self.anchor()

    # -- requests ---------------------------------------------------------------------------------------------

    def request(self, drive: Callable[[], None]) -> None:
        """Request a velocity that may be refused for a reason."""
        try:
            drive()
        except RequestRefusedError as refusal:
            assert str(refusal)
            return
        assert not self.emergency
        self.driven_until = self.bench.now + TIMEOUT
        self.fastest = max(self.fastest, self.requested)

    def ask(self, make: Callable[[], Future]) -> None:
        self.futures.append((self.bench.now, self.bench.request(make)))

    def expect(self, linear: float, angular: float) -> tuple[float, float]:
        """Fractions of the limits as m/s and rad/s, which scale larger ones down."""
        top, turn = self.bench.robot.limits.effective
        track = self.bench.robot.profile.body.track
        self.requested = min(1, abs(linear)) * top + min(1, abs(angular)) * turn * track / 2
        return linear * top, angular * turn

    @rule(linear=FRACTIONS, angular=FRACTIONS, seconds=SECONDS)
    def drive(self, linear: float, angular: float, seconds: float) -> None:
        self.run(seconds, self.expect(linear, angular))

    @rule(linear=FRACTIONS, angular=FRACTIONS)
    def sender_dies(self, linear: float, angular: float) -> None:
        velocity = self.expect(linear, angular)
        self.run(1.0, velocity)
        self.rest()

    @rule(value=ODD)
    def drive_nonsense(self, value: float) -> None:
        for velocity in ((value, 0.0), (0.0, value)):
            try:
                self.bench.drive(*velocity)
            except RequestRefusedError:
                continue
            raise AssertionError(f"{velocity} was accepted")

    @rule()
    def stop(self) -> None:
        bench = self.bench
        bench.request(functools.partial(bench.robot.motion.stop, bench.now))
        self.driven_until = bench.now
        self.rest()

    @rule(clear=st.booleans())
    def emergency_stop(self, clear: bool) -> None:
        bench = self.bench
        bench.request(bench.robot.motion.emergency_stop)
        self.driven_until, self.emergency = bench.now, True
        self.run(1.0, (0.2, 0.0))
        self.rest()
        bench.request(lambda: bench.robot.motion.clear_emergency_stop(bench.now))
        self.emergency = False
        self.run(0.5)

    @rule(distance=st.sampled_from((0.05, 0.5, -0.3, 1.5)), turn=st.booleans())
    def move_or_turn(self, distance: float, turn: bool) -> None:
        bench = self.bench
        self.rest()
        self.expect(1.0, 1.0)
        self.fastest, begin = self.requested, self.pose
        try:
            goal = bench.robot.turn(distance, bench.now) if turn else bench.robot.move(distance, bench.now)
        except RequestRefusedError as refusal:
            assert "motors" in str(refusal) or "no robot" in str(refusal), str(refusal)
            return
        started = bench.now
        while not goal.ended.done():
            self.driven_until = bench.now + TIMEOUT
            self.run(0.2)
            assert bench.now - started < 60.0
        self.rest()
        assert goal.ended.result().success, goal.ended.result().message
        end = self.pose
        if turn:
            assert abs(math.remainder(end[2] - begin[2] - distance, math.tau)) < 0.07
        else:
            assert abs(math.dist(end[:2], begin[:2]) - abs(distance)) < 0.03

    @rule(on=st.booleans())
    def enable_motors(self, on: bool) -> None:
        bench = self.bench
        self.ask(lambda: bench.robot.enable_motors(on, bench.now))
        self.driven_until = min(self.driven_until, bench.now)
        self.run(1.0)

    @rule(pose=st.sampled_from(((0.0, 0.0, 0.0), (3.0, -2.0, 1.5))))
    def set_odometry(self, pose: tuple[float, float, float]) -> None:
        self.rest()
        self.bench.request(lambda: self.bench.robot.set_odometry(*pose))
        self.run(0.5)
        odometry = self.report.odometry
        assert math.dist((odometry.x, odometry.y), pose[:2]) < 0.005
        self.anchor()

    @rule(acceleration=st.sampled_from((200, 500)), turning=st.sampled_from((40, 120)), sonar=st.booleans())
    def tune(self, acceleration: int, turning: int, sonar: bool) -> None:
        bench = self.bench
        self.rest()
        options = Options(
            profile="erratic" if bench.robot.profile.name == "erratic" else "",
            sonar_on_connect=sonar,
            tuning={"trans_acc": acceleration, "trans_decel": acceleration, "rot_acc": turning, "rot_decel": turning},
        )
        self.ask(lambda: bench.robot.configure(options, bench.now))
        self.run(3.0)

    # -- faults: one at a time --------------------------------------------------------------------------------

    def disturb(self, seconds: float, velocity: tuple[float, float] | None) -> None:
        """Let a fault last, with a velocity that is published meanwhile or without one."""
        self.disturbed_until = self.bench.now + seconds
        self.run(seconds, velocity and self.expect(*velocity))
        self.disturbed_until = self.bench.now

    def restored(self) -> None:
        """The fault is over: ordinary commands, and everything is right again."""
        self.bench.until(lambda: self.bench.robot.running, RECONNECT)
        self.rest()
        self.run(1.0, self.expect(0.5, 0.5))
        self.rest()

    @rule(velocity=st.tuples(FRACTIONS, FRACTIONS) | st.none(), seconds=SECONDS)
    def noise(self, velocity: tuple[float, float] | None, seconds: float) -> None:
        self.bench.simulator.faults = Faults(corrupt=0.005, lose_bytes=0.005)
        self.disturb(seconds, velocity)
        self.bench.simulator.faults = Faults()
        self.restored()

    @rule(velocity=st.tuples(FRACTIONS, FRACTIONS) | st.none(), seconds=SHORT)
    def silence(self, velocity: tuple[float, float] | None, seconds: float) -> None:
        self.bench.lose_link()
        self.disturb(seconds, velocity)
        self.bench.restore_link()
        self.restored()

    @rule(velocity=st.tuples(FRACTIONS, FRACTIONS) | st.none(), seconds=SHORT)
    def burst(self, velocity: tuple[float, float] | None, seconds: float) -> None:
        self.bench.hold(seconds)
        self.disturb(seconds, velocity)
        self.restored()

    @rule(seconds=st.sampled_from((0.3, 1.5, 2.5, 30.0)))
    def computer_sleeps(self, seconds: float) -> None:
        self.disturbed_until = self.bench.now + seconds
        self.bench.sleep(seconds)
        self.restored()

    @rule(seconds=SHORT)
    def cable_is_pulled(self, seconds: float) -> None:
        self.bench.unplug()
        self.disturb(seconds, None)
        self.bench.plug_in()
        self.restored()

    @rule()
    @precondition(lambda self: self.bench.robot.running)
    def robot_restarts(self) -> None:
        self.bench.simulator.reset()
        self.driven_until = self.bench.now
        self.disturb(2.0, None)
        self.restored()

    def teardown(self) -> None:
        if not hasattr(self, "bench"):
            return
        bench = self.bench
        bench.request(bench.robot.link.close)
        self.driven_until = min(self.driven_until, bench.now)
        self.run(REACTION + WATCHDOG + self.ramp())
        assert self.speed <= AT_REST
        assert bench.simulator.session is not SessionState.OPEN or bench.robot.profile.name == "erratic"


TestRobots = Robots.TestCase
TestRobots.settings = settings(
    max_examples=max(15, settings.default.max_examples // 100),
    stateful_step_count=20,
    suppress_health_check=list(HealthCheck),
)
