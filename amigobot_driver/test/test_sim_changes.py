# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulator's world while it runs: the robot is carried, walls come and go."""

from __future__ import annotations

import math

import pytest
from bench import Bench

from amigobot_driver.sim import World, WorldError, WorldPose
from amigobot_driver.sim.world import box

WALL = World("wall", tuple(box(1.0, 0.0, 0.1, 2.0)))


def test_a_robot_that_is_carried_is_elsewhere_and_its_odometry_does_not_know() -> None:
    bench = Bench().connect()
    bench.simulator.place(WorldPose(2.0, -1.0, math.pi / 2))
    bench.run(1.0, cmd_vel=(0.2, 0.0))
    pose = bench.simulator.truth.pose
    assert pose.x == pytest.approx(2.0, abs=0.01) and pose.y > -0.95
    assert abs(bench.robot.estimator.odometer.state.y) < 0.01


def test_a_wall_that_is_put_up_stops_the_robot_and_the_sonars_see_it() -> None:
    bench = Bench().connect()
    bench.simulator.replace_world(WALL)
    bench.run(2.0)
    ahead = [bench.robot.estimator.newest[number].range for number in (2, 3)]
    assert all(distance < 1.0 for distance in ahead)
    bench.run(8.0, cmd_vel=(0.4, 0.0))
    assert bench.simulator.truth.pose.x < 0.95
    bench.simulator.replace_world(World("empty"))
    bench.run(3.0, cmd_vel=(0.4, 0.0))
    assert bench.simulator.truth.pose.x > 1.0


def test_neither_robot_nor_wall_is_put_where_the_other_is() -> None:
    bench = Bench()
    bench.simulator.replace_world(WALL)
    with pytest.raises(WorldError, match=r"wall: an obstacle would be inside the amigo at x 0\.95 m, y 0\.00 m, 0 deg"):
        bench.simulator.place(WorldPose(0.95, 0.0))
    with pytest.raises(WorldError, match="box: an obstacle would be inside the amigo"):
        bench.simulator.replace_world(World("box", tuple(box(0.0, 0.1, 0.2, 0.2))))
    assert bench.simulator.world is WALL and bench.simulator.truth.pose == WorldPose(0.0, 0.0)
