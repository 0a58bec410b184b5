# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Turns and moves with an end, and the modes that exclude each other, against the simulated firmware."""

from __future__ import annotations

import math

import pytest
from bench import Bench

from amigobot_driver.protocol import Command
from amigobot_driver.robot import MotionGoal, Options, Outcome, RequestRefusedError
from amigobot_driver.robot.motion.setpoint import Wheels


@pytest.fixture(params=["amigo", "amigo-sh"])
def bench(request) -> Bench:
    bench = Bench(Options(), request.param)
    bench.connect()
    return bench


def finish(bench: Bench, goal: MotionGoal, within: float = 30.0) -> Outcome:
    bench.until(goal.ended.done, within)
    return goal.ended.result()


@pytest.mark.parametrize("degrees", [90, -90, 179, -45, 10])
def test_a_turn_ends_where_it_was_asked_to(bench, degrees):
    turn = bench.ask(lambda: bench.robot.turn(math.radians(degrees), bench.now))
    assert finish(bench, turn).success
    assert math.degrees(bench.simulator.truth.pose.heading) == pytest.approx(degrees, abs=4)
    assert abs(turn.remaining) < math.radians(3)


@pytest.mark.parametrize(
    ("goal", "value", "allowed"),
    [
        *(("turn", value, r"rad, allowed: -3.14 to 3.14 rad") for value in (3.2, -4.0, math.nan, math.inf)),
        *(("turn", math.radians(value), r"0 or at least 0.0175 rad \(1 deg\)") for value in (0.9, -0.1)),
        *(("move", value, r"m, allowed: -32 to 32 m; send several") for value in (33.0, math.nan, -math.inf)),
        *(("move", value, r"m, allowed: 0 or at least 0.001 m") for value in (0.0009, -0.0004)),
    ],
)
def test_a_goal_out_of_range_is_refused(bench, goal, value, allowed):
    with pytest.raises(RequestRefusedError, match=allowed):
        getattr(bench.robot, goal)(value, bench.now)


class TestWheels:
    def test_each_wheel_has_its_own_velocity(self, bench):
        for _ in range(20):
            bench.ask(lambda: bench.robot.drive_wheels(0.10, 0.20, bench.now))
            bench.run(0.1)
        state = bench.robot.estimator.odometer.state
        assert (state.left_velocity, state.right_velocity) == pytest.approx((0.10, 0.20), abs=0.01)

    def test_zero_is_a_velocity_of_zero(self, bench):
        bench.ask(lambda: bench.robot.drive_wheels(0.10, 0.20, bench.now))
        bench.run(0.1)
        since = bench.now
        bench.ask(lambda: bench.robot.drive_wheels(0.0, 0.0, bench.now))
        bench.run(0.1)
        assert bench.words(since) == ["VEL(0)", "RVEL(0)"]

    def test_too_fast_is_scaled_down_in_the_same_proportion(self, bench):
        since = bench.now
        bench.ask(lambda: bench.robot.drive_wheels(1e9, 0.5e9, bench.now))
        bench.run(0.1)
        limit = bench.robot.limits.working[0]
        left = math.floor(limit / 0.02)
        right = math.floor(limit / 2 / 0.02)  # 7.5: of two equally near ones, the slower
        assert f"VEL2({left << 8 | right})" in bench.words(since)

    def test_together_they_turn_no_faster_than_the_limit(self):
        bench = Bench(Options(max_angular=0.5), "amigo-sh")
        bench.connect()
        for _ in range(20):
            bench.ask(lambda: bench.robot.drive_wheels(-0.3, 0.3, bench.now))
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
    def test_they_are_the_nearest_steps_within_the_limits(self, left, right, difference, steps):
        (command,) = Wheels.nearest(left, right, 0.41, difference, 0.02).instructions
        assert command == Command.VEL2((steps[0] & 0xFF) << 8 | steps[1] & 0xFF)
