# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Turns and moves in every order of requests, against the simulator's ground truth, on each kind of controller."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from bench import Bench, connected, losing, losing_first

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, encode_frame
from amigobot_driver.robot import MotionGoal, Options, Outcome, RequestRefusedError
from amigobot_driver.robot.motion.setpoint import WheelSetpoint
from amigobot_driver.sim import Simulator

ROBOTS = ["amigo", "amigo-sh", "p3dx", "erratic"]

#: Poses that a localization may set in the middle of anything.
POSES = [(0.0, 0.0, 0.0), (40.0, 0.0, 0.0), (5.0, -3.0, 2.0), (-1.0, 0.0, -math.pi / 2)]


def spread(cases: Iterable[tuple[Any, ...]], elsewhere: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Every case on the first of the robots, some on the others; the fixture `bench` takes the robot's name."""
    some = list(elsewhere)
    return [(robot, *case) for robot in ROBOTS for case in (cases if robot == ROBOTS[0] else some)]


@pytest.fixture(params=ROBOTS)
def bench(request: pytest.FixtureRequest) -> Bench:
    return connected(request.param)


def moved(bench: Bench, distance: float) -> MotionGoal:
    return bench.request(lambda: bench.robot.move(distance, bench.now))


def turned(bench: Bench, degrees: float, *, absolute: bool = False) -> MotionGoal:
    return bench.request(lambda: bench.robot.turn(math.radians(degrees), bench.now, absolute=absolute))


def finish(bench: Bench, goal: MotionGoal, within: float = 30.0) -> Outcome:
    bench.until(goal.ended.done, within)
    return goal.ended.result()


def at_rest(bench: Bench) -> bool:
    truth = bench.simulator.truth
    return max(abs(truth.left_velocity), abs(truth.right_velocity)) < 0.002


class TruePath:
    """How far the robot really goes along its path, and turns, from now on."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._start = self._last = bench.simulator.truth.pose
        self.turned = 0.0

    @property
    def along(self) -> float:
        """m along the heading at the start."""
        pose, start = self._bench.simulator.truth.pose, self._start
        return (pose.x - start.x) * math.cos(start.heading) + (pose.y - start.y) * math.sin(start.heading)

    @property
    def degrees(self) -> float:
        """Turned, within half a turn."""
        return math.degrees(math.remainder(self._bench.simulator.truth.pose.heading - self._start.heading, math.tau))


def never_moving(frame: bytes) -> bytes:
    """MobileSim sends one packet type only."""
    return encode_frame(b"\x32" + frame[4:-2]) if frame[3] == 0x33 else frame


class TestSettingTheOdometry:
    @pytest.mark.parametrize(
        ("bench", "delay", "pose"),
        spread(list(product([0.0, 1.2], POSES)), [(0.0, POSES[2]), (1.2, POSES[1])]),
        indirect=["bench"],
    )
    def test_setting_the_odometry_keeps_the_distance_of_a_move(
        self, bench: Bench, delay: float, pose: tuple[float, float, float]
    ) -> None:
        path = TruePath(bench)
        move = moved(bench, 0.7)
        bench.run(delay)
        bench.robot.set_odometry(*pose)
        assert finish(bench, move).success
        bench.run(2)
        assert path.along == pytest.approx(0.7, abs=0.02)
        assert move.covered == pytest.approx(0.7, abs=0.02)

    @pytest.mark.parametrize(
        ("bench", "absolute", "delay", "pose"),
        spread(list(product([False, True], [0.0, 0.7], POSES[1:3])), [(False, 0.7, POSES[2]), (True, 0.0, POSES[1])]),
        indirect=["bench"],
    )
    def test_setting_the_odometry_keeps_the_end_of_a_turn(
        self, bench: Bench, absolute: bool, delay: float, pose: tuple[float, float, float]
    ) -> None:
        """A heading is that of the frame as it was when the turn was requested."""
        bench.robot.set_odometry(1.0, 1.0, 0.5)
        path = TruePath(bench)
        turn = turned(bench, 80 + absolute * math.degrees(0.5), absolute=absolute)
        bench.run(delay)
        bench.robot.set_odometry(*pose)
        assert finish(bench, turn).success
        bench.run(2)
        assert path.degrees == pytest.approx(80, abs=2)

    @pytest.mark.parametrize("pose", POSES[2:])
    def test_setting_the_odometry_leaves_a_kept_heading(self, bench: Bench, pose: tuple[float, float, float]) -> None:
        for _ in range(30):
            bench.request(lambda: bench.robot.motion.drive_heading(0.1, 0.5, bench.now))
            bench.run(0.1)
        path = TruePath(bench)
        bench.robot.set_odometry(*pose)
        bench.run(3)
        assert path.degrees == pytest.approx(0, abs=2)


def test_a_counter_jump_stops_a_robot_keeping_a_heading(bench: Bench) -> None:
    """The robot's own heading is 0 from then on: it must not turn to what the kept heading means now."""
    assert finish(bench, moved(bench, 0.6)).success
    for _ in range(30):
        bench.request(lambda: bench.robot.motion.drive_heading(0.1, 1.5, bench.now))
        bench.run(0.1)
    path = TruePath(bench)
    bench.simulator._firmware.drive.odometer.zero()
    bench.run(3)
    assert at_rest(bench)
    assert abs(path.degrees) < 15


ENDS: dict[str, Callable[[Bench, MotionGoal], object]] = {
    "cancel": lambda bench, goal: bench.robot.motion.cancel(goal),
    "stop": lambda bench, goal: bench.robot.motion.stop(bench.now),
    "emergency stop": lambda bench, goal: bench.robot.motion.emergency_stop(),
    "a velocity of zero": lambda bench, goal: bench.robot.motion.drive(0.0, 0.0, bench.now),
    "motors off": lambda bench, goal: bench.robot.enable_motors(False, bench.now),
}


class TestEnds:
    @pytest.mark.parametrize(
        ("bench", "end", "delay"),
        spread(list(product(ENDS, [0.05, 0.3, 1.5])), product(ENDS, [0.3])),
        indirect=["bench"],
    )
    def test_a_move_that_is_ended_reports_at_rest(self, bench: Bench, end: str, delay: float) -> None:
        path = TruePath(bench)
        move = moved(bench, 2.0)
        bench.run(delay)
        bench.request(lambda: ENDS[end](bench, move))
        outcome = finish(bench, move, within=6.0)
        assert at_rest(bench)
        assert not outcome.success
        assert move.covered == pytest.approx(path.along, abs=0.005)
        assert outcome.message.startswith(f"ended after {move.covered:.3f} m of 2.000 m: ")
        bench.run(3)
        assert move.covered == pytest.approx(path.along, abs=0.005)

    def test_another_movement_ends_a_move_with_its_distance(self, bench: Bench) -> None:
        path = TruePath(bench)
        move = moved(bench, 2.0)
        bench.run(1.5)
        bench.drive(0.1, 0.2)
        assert move.ended.done()
        assert move.covered == pytest.approx(path.along, abs=0.08)
        assert "another movement was requested" in move.ended.result().message

    def test_a_lost_link_ends_a_move_with_its_distance(self, bench: Bench) -> None:
        path = TruePath(bench)
        move = moved(bench, 2.0)
        bench.run(1.5)
        bench.unplug()
        assert move.covered == pytest.approx(path.along, abs=0.08)
        message = move.ended.result(timeout=0).message
        assert message.startswith(f"ended after {move.covered:.3f} m of 2.000 m: ")
        assert message.endswith("the port has disappeared; the robot may have rolled on after that")

    def test_a_move_without_progress_ends_at_rest(self, bench: Bench) -> None:
        """The manual of AmigOS does not list MOVE; ARIA's parameters of this robot say that it has it."""
        bench.up.fault = losing(Command.MOVE)
        path = TruePath(bench)
        outcome = finish(bench, moved(bench, 0.5))
        assert outcome.message.endswith("no progress for 3 s, 0.500 m are left: is something in the way?")
        assert at_rest(bench)
        assert path.along == pytest.approx(0.0, abs=0.001)

    def test_a_weakly_braking_robot_ends_a_move_in_time(self) -> None:
        bench = connected("amigo")
        bench.simulator._firmware.drive.tune("trans_decel", 20)
        move = moved(bench, 20.0)
        bench.run(2)
        bench.request(lambda: bench.robot.motion.stop(bench.now))
        assert "has not come to rest within 5 s" in finish(bench, move, within=6.0).message

    def test_the_motors_button_ends_a_move_with_the_remedy(self) -> None:
        bench = connected("amigo")
        path = TruePath(bench)
        move = moved(bench, 2.0)
        bench.run(1.5)
        bench.simulator.press_motors_button()
        outcome = finish(bench, move, within=6.0)
        assert "the motors are off: switch them on" in outcome.message
        assert move.covered == pytest.approx(path.along, abs=0.005)


class TestStart:
    @pytest.mark.parametrize("robot", ROBOTS)
    @pytest.mark.parametrize("goal", [lambda bench: moved(bench, 0.3), lambda bench: turned(bench, 40)])
    def test_a_goal_waits_for_motors_being_switched_on(self, robot: str, goal: Callable[[Bench], MotionGoal]) -> None:
        bench = Bench(Options(profile="erratic" if robot == "erratic" else ""), robot)
        bench.open_session()
        outcome = finish(bench, goal(bench))
        assert outcome.success, outcome.message

    @pytest.mark.parametrize("robot", ROBOTS)
    @pytest.mark.parametrize("lost", [0, 2])
    def test_a_goal_waits_for_limits_being_set(self, robot: str, lost: int) -> None:
        """A controller begins each session with the limits of its FLASH, at which a move would begin."""
        bench = Bench(Options(profile="erratic" if robot == "erratic" else "", max_linear=0.1), robot)
        bench.up.fault = losing_first(lost, Command.SETV)
        bench.open_session()
        move, fastest = moved(bench, 0.3), 0.0
        while not move.ended.done():
            bench.run(0.05)
            fastest = max(fastest, bench.simulator.truth.left_velocity)
        assert move.ended.result().success
        assert fastest == pytest.approx(0.1, abs=0.01)

    def test_a_goal_fails_with_the_reason_without_motors(self) -> None:
        bench = Bench(Options(), "amigo")
        bench.up.fault = losing(Command.ENABLE)
        bench.open_session()
        outcome = finish(bench, moved(bench, 0.3), within=6.0)
        assert "the motors are off" in outcome.message

    @pytest.mark.parametrize(
        ("bench", "driven", "velocity"),
        spread(
            list(product([0.02, 0.1, 1.0], [(0.25, 0.0), (0.0, 0.8), (-0.2, 0.5)])),
            [(0.02, (0.0, 0.8)), (0.1, (0.25, 0.0)), (1.0, (-0.2, 0.5))],
        ),
        indirect=["bench"],
    )
    def test_a_turn_from_any_velocity_ends_as_requested(
        self, bench: Bench, driven: float, velocity: tuple[float, float]
    ) -> None:
        bench.run(driven, cmd_vel=velocity)
        turn = turned(bench, 30)
        path = TruePath(bench)
        assert finish(bench, turn).success
        assert path.degrees == pytest.approx(30, abs=8), "measured from the last packet before the request"

    @pytest.mark.parametrize("lost", [1, 2, 3])
    def test_a_lost_move_is_sent_again(self, bench: Bench, lost: int) -> None:
        path = TruePath(bench)
        bench.up.fault = losing_first(lost, Command.MOVE)
        assert finish(bench, moved(bench, 0.3)).success
        assert path.along == pytest.approx(0.3, abs=0.02)

    @pytest.mark.parametrize("distance", [0.015, 0.02, -0.03, 0.3])
    @pytest.mark.parametrize("driven", [0.0, 0.1])
    def test_a_move_is_sent_once_through_delays(self, bench: Bench, distance: float, driven: float) -> None:
        """0.2 s each way, as through a radio modem: the effect shows long after the command."""
        bench.up.delay = bench.down.delay = 0.2
        bench.run(driven, cmd_vel=(0.1, 0.0))
        path = TruePath(bench)
        started = bench.now
        assert finish(bench, moved(bench, distance)).success
        assert at_rest(bench)
        assert path.along == pytest.approx(distance, abs=0.5 * abs(distance) if not driven else 0.03)
        assert sum(command.startswith("MOVE") for command in bench.commands(started)) == 1
        bench.run(2.0)
        assert path.along == pytest.approx(distance, abs=0.5 * abs(distance) if not driven else 0.03)


class TestAServoThatSwings:
    """Without damping the wheels have no velocity for a moment each time they change their direction."""

    @pytest.fixture
    def bench(self) -> Bench:
        amigo = load_profile("amigo")
        brisk = replace(amigo, flash={**amigo.flash, "RotAcc": 300, "RotDecel": 300})
        bench = Bench(simulator=lambda: Simulator(brisk)).connect()
        bench.request(lambda: bench.robot.tuning.set({"rot_kv": 0}, bench.now))
        bench.run(1.0)
        return bench

    @pytest.mark.parametrize("degrees", range(-170, -20, 12))
    def test_a_turn_has_no_result_while_the_servo_swings(self, bench: Bench, degrees: float) -> None:
        finish(bench, turned(bench, degrees))
        assert at_rest(bench)


@pytest.mark.parametrize("robot", ["amigo", "amigo-sh", "p3dx"])
def test_a_move_needs_no_packets_that_say_moving(robot: str) -> None:
    """MobileSim: only the wheels' velocities show it."""
    bench = connected(robot)
    bench.down.fault = never_moving
    path, since = TruePath(bench), bench.now
    assert finish(bench, moved(bench, -0.5)).success
    assert at_rest(bench)
    assert sum(command.startswith("MOVE") for command in bench.commands(since)) == 1
    bench.run(2)
    assert path.along == pytest.approx(-0.5, abs=0.02)


class TestSmallRequests:
    @pytest.mark.parametrize(
        ("bench", "before", "degrees"),
        spread(list(product([0, 33.4], [1.0, -1.5, 2.9, -4.0])), [(0, 1.0), (33.4, -1.5), (0, 2.9), (33.4, -4.0)]),
        indirect=["bench"],
    )
    def test_a_small_turn_turns(self, bench: Bench, before: float, degrees: float) -> None:
        if before:
            finish(bench, turned(bench, before))
        path = TruePath(bench)
        turn = turned(bench, degrees)
        outcome = finish(bench, turn)
        assert outcome.success, outcome.message
        assert path.degrees == pytest.approx(degrees, abs=min(0.8 * abs(degrees), 1.0))
        assert math.degrees(turn.remaining) == pytest.approx(degrees - path.degrees, abs=0.2)

    @pytest.mark.parametrize("distance", [0.001, -0.005, 0.015, 0.03])
    def test_a_small_move_moves(self, bench: Bench, distance: float) -> None:
        path = TruePath(bench)
        outcome = finish(bench, moved(bench, distance))
        assert outcome.success, outcome.message
        assert path.along == pytest.approx(distance, abs=max(0.001, 0.1 * abs(distance)))

    def test_a_heading_already_reached_ends_at_once(self, bench: Bench) -> None:
        assert finish(bench, turned(bench, 0.4, absolute=True)).message == "reached, 0.4 deg off"


def test_a_robot_that_goes_beyond_the_goal_is_stopped(bench: Bench) -> None:
    """Here another client of the robot caused it."""
    path = TruePath(bench)
    move = moved(bench, 0.1)
    bench.run(0.3)
    bench.request(lambda: bench.robot.queue.put(Command.VEL(200)))
    outcome = finish(bench, move)
    assert not outcome.success
    assert "beyond the goal" in outcome.message
    assert path.along < 0.5
    assert move.covered == pytest.approx(path.along, abs=0.01)


class TestLimitsThatChange:
    def test_a_lower_limit_slows_without_another_velocity(self, bench: Bench) -> None:
        bench.request(lambda: bench.robot.configure(Options(command_timeout=2.0), bench.now))
        bench.run(2, cmd_vel=(0.25, 0.5))
        bench.drive(0.25, 0.5)
        bench.request(
            lambda: bench.robot.configure(Options(max_linear=0.1, max_angular=0.2, command_timeout=2.0), bench.now)
        )
        bench.run(1.5)
        truth = bench.simulator.truth
        assert (truth.left_velocity + truth.right_velocity) / 2 == pytest.approx(0.1, abs=0.01)
        assert truth.turn_rate == pytest.approx(0.2, abs=0.02)

    @pytest.mark.parametrize(
        "request_motion",
        [
            lambda bench: bench.drive(0.25, 0.5),
            lambda bench: bench.request(lambda: bench.robot.motion.drive_wheels(0.25, 0.2, bench.now)),
            lambda bench: bench.request(lambda: bench.robot.motion.drive_heading(0.25, 0.0, bench.now)),
        ],
        ids=["velocity", "wheels", "heading"],
    )
    def test_a_higher_limit_waits_for_the_next_velocity(
        self, bench: Bench, request_motion: Callable[[Bench], object]
    ) -> None:
        def limit(linear: float) -> None:
            bench.request(lambda: bench.robot.configure(Options(max_linear=linear, command_timeout=2.0), bench.now))

        limit(0.3)
        bench.run(0.5)
        request_motion(bench)
        limit(0.1)
        bench.run(0.7)
        slow = bench.robot.motion.requested
        limit(0.3)
        bench.run(0.7)
        assert bench.robot.motion.requested == slow
        assert bench.simulator.truth.left_velocity < 0.12
        request_motion(bench)
        assert bench.robot.motion.requested.size > 2 * slow.size


@pytest.mark.parametrize("request_goal", [lambda bench: moved(bench, 0.5), lambda bench: turned(bench, 45)])
def test_a_goal_from_before_a_freeze_is_refused(bench: Bench, request_goal: Callable[[Bench], MotionGoal]) -> None:
    bench.run(1)
    path = TruePath(bench)
    bench.sleep(3)
    bench.run(0.2)
    with pytest.raises(RequestRefusedError, match="was suspended: the goal may be an old one, send it again"):
        request_goal(bench)
    bench.run(2)
    assert path.along == pytest.approx(0.0, abs=0.001)
    assert finish(bench, request_goal(bench)).success


@pytest.mark.parametrize(
    ("goal", "value", "allowed"),
    [
        *(("turn", value, r"rad, allowed: -3.14 to 3.14 rad") for value in (3.2, -4.0, math.nan, math.inf)),
        *(("turn", math.radians(value), r"0 or at least 0.0175 rad \(1 deg\)") for value in (0.9, -0.1)),
        *(("move", value, r"m, allowed: -32 to 32 m; send several") for value in (33.0, math.nan, -math.inf)),
        *(("move", value, r"m, allowed: 0 or at least 0.001 m") for value in (0.0009, -0.0004)),
    ],
)
def test_a_goal_out_of_range_is_refused(goal: str, value: float, allowed: str) -> None:
    bench = connected("amigo")
    with pytest.raises(RequestRefusedError, match=allowed):
        getattr(bench.robot, goal)(value, bench.now)


class TestWheels:
    @pytest.fixture(params=["amigo", "amigo-sh"])
    def bench(self, request: pytest.FixtureRequest) -> Bench:
        return connected(request.param)

    def test_wheels_at_zero_are_a_velocity_of_zero(self, bench: Bench) -> None:
        bench.request(lambda: bench.robot.motion.drive_wheels(0.10, 0.20, bench.now))
        bench.run(0.1)
        since = bench.now
        bench.request(lambda: bench.robot.motion.drive_wheels(0.0, 0.0, bench.now))
        bench.run(0.1)
        assert bench.commands(since) == ["VEL(0)", "RVEL(0)"]

    def test_too_fast_wheels_are_scaled_in_proportion(self, bench: Bench) -> None:
        since = bench.now
        bench.request(lambda: bench.robot.motion.drive_wheels(1e9, 0.5e9, bench.now))
        bench.run(0.1)
        limit = bench.robot.limits.effective[0]
        left = math.floor(limit / 0.02)
        right = math.floor(limit / 2 / 0.02)  # 7.5: of two equally near ones, the slower
        assert f"VEL2({left << 8 | right})" in bench.commands(since)

    def test_wheels_turn_the_robot_within_the_angular_limit(self) -> None:
        bench = Bench(Options(max_angular=0.5), "amigo-sh").connect()
        for _ in range(20):
            bench.request(lambda: bench.robot.motion.drive_wheels(-0.3, 0.3, bench.now))
            bench.run(0.1)
        assert 0.3 < bench.simulator.truth.turn_rate < 0.51

    @pytest.mark.parametrize(
        ("left", "right", "difference", "steps"),
        [
            (0.048, -0.032, 0.2, (2, -2)),
            (0.05, 0.05, 0.2, (2, 2)),
            (-0.0116, 0.0116, 0.0232, (0, 0)),  # the difference of one step would also drive the robot forward
            (-0.03, 0.03, 0.06, (-1, 1)),
            (0.008, 0.03, 0.022, (0, 1)),
            (0.088, 0.106, 0.018, (5, 5)),
            (1.9, 0.05, 9.0, (20, 2)),
        ],
    )
    def test_wheels_get_the_nearest_steps_within_the_limits(
        self, left: float, right: float, difference: float, steps: tuple[int, int]
    ) -> None:
        (command,) = WheelSetpoint.nearest(left, right, 0.41, difference, 0.02).instructions
        assert command == Command.VEL2((steps[0] & 0xFF) << 8 | steps[1] & 0xFF)
