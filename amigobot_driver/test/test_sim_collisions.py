# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Walls: the body stops, the wheels stall, the packets say so, and the way back is free. A robot that is carried."""

from __future__ import annotations

import math

import pytest
from bench import Bench

from amigobot_driver.sim import WorldPose


def test_a_carried_robot_is_elsewhere_without_knowing() -> None:
    bench = Bench().connect()
    bench.simulator.place(WorldPose(2.0, -1.0, math.pi / 2))
    bench.run(1.0, cmd_vel=(0.2, 0.0))
    pose = bench.simulator.truth.pose
    assert pose.x == pytest.approx(2.0, abs=0.01) and pose.y > -0.95
    assert abs(bench.robot.estimator.odometer.state.y) < 0.01
