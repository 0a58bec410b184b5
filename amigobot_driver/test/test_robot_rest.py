# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot that reports velocities of some mm/s at rest, as real Pioneers do, rests; a slow motion is motion."""

from __future__ import annotations

import math
import random

import pytest
from bench import Bench

from amigobot_driver.protocol import encode_frame
from amigobot_driver.robot import Options, Report

#: Offset of the wheel velocities in a SIP and in the motor packet of an Erratic, by the upper half of the id.
_VELOCITIES = {0x30: 7, 0x80: 9}


class NoiseAtRest:
    """Wheel velocities of a robot at rest: up to `limit` mm/s, either sign."""

    def __init__(self, limit: int, unit: float, *, moving: bool = False) -> None:
        self._random = random.Random(1)
        self._limit = round(limit / 1000 / unit)
        self._moving = moving

    def __call__(self, frame: bytes) -> bytes:
        data = bytearray(frame[3:-2])
        left = _VELOCITIES.get(data[0] & 0xF0, 0)
        if left and not any(data[left : left + 4]):
            for offset in (left, left + 2):
                noise = self._random.randint(-self._limit, self._limit)
                data[offset : offset + 2] = noise.to_bytes(2, "little", signed=True)
            data[0] |= self._moving  # 0x33: moving, 0x32: stopped
        return encode_frame(bytes(data))


@pytest.fixture(
    params=[("amigo", 9, False), ("amigo-sh", 1, False), ("amigo-sh", 9, True), ("p3dx-sh", 9, False)],
    ids=lambda param: "-".join(map(str, param)),
)
def bench(request) -> Bench:
    robot, limit, moving = request.param
    bench = Bench(Options(), robot).connect()
    bench.down.fault = NoiseAtRest(limit, bench.robot.profile.units.velocity, moving=moving)
    bench.run(1.0)
    return bench


def test_moves_and_turns_end_where_they_should(bench):
    for request in (
        lambda: bench.robot.move(0.3, bench.now),
        lambda: bench.robot.turn(math.radians(60), bench.now),
        lambda: bench.robot.move(-0.2, bench.now),
    ):
        goal = bench.request(request)
        bench.until(goal.ended.done)
        assert goal.ended.result().success, goal.ended.result().message
    assert bench.simulator.truth.pose.x == pytest.approx(0.3 - 0.2 * math.cos(math.radians(60)), abs=0.03)
    assert len([command for command in bench.commands() if command.startswith(("MOVE", "HEAD"))]) == 3


def test_the_odometry_shows_rest(bench):
    bench.robot.set_odometry(1.0, 2.0, 0.5)
    begin = bench.now
    bench.run(20.0)
    reports = bench.emitted(Report, begin)
    assert not any(report.moving for report in reports)
    for state in (report.odometry for report in reports):
        assert (state.x, state.y, state.yaw) == (1.0, 2.0, 0.5)
        assert (state.linear, state.angular, state.left_velocity, state.right_velocity) == (0.0, 0.0, 0.0, 0.0)
    assert [report.stamp for report in reports] == sorted({report.stamp for report in reports})


@pytest.mark.parametrize("linear", [0.002, 0.009])
def test_a_slow_velocity_is_motion(bench, linear):
    bench.run(3.0, cmd_vel=(linear, 0.0))
    moving = [report for report in bench.reports if report.stamp > bench.now - 1.5]
    assert all(report.moving for report in moving)
    assert sum(report.odometry.linear for report in moving) / len(moving) == pytest.approx(linear, abs=0.002)


def test_a_slow_move_is_motion():
    bench = Bench(Options(tuning={"trans_vel_max": 6}), "amigo-sh").connect()
    bench.down.fault = NoiseAtRest(9, 0.001, moving=True)
    bench.run(1.0)
    move = bench.request(lambda: bench.robot.move(0.1, bench.now))
    bench.run(5.0)
    assert bench.reports[-1].moving and not move.ended.done()
    bench.until(move.ended.done, 20.0)
    assert move.ended.result().success
    assert bench.simulator.truth.pose.x == pytest.approx(0.1, abs=0.02)
    assert sum(command.startswith("MOVE") for command in bench.commands()) == 1
