# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The driver with the rest of the family, on a simulated clock: recognised, driven, and believed."""

from __future__ import annotations

import math

import pytest
from bench import Bench

from amigobot_driver.profiles import available_profiles, load_profile
from amigobot_driver.robot import Identified, Report
from amigobot_driver.sim import Simulator, load_world

PIONEERS = [name for name in available_profiles() if name.startswith("p")]


@pytest.mark.parametrize("robot", PIONEERS)
def test_a_pioneer_is_recognised_with_true_odometry(robot: str) -> None:
    bench = Bench(robot=robot).connect()
    (identified,) = bench.emitted(Identified)
    assert (identified.profile, identified.known) == (load_profile(robot), True)
    bench.run(4.0, cmd_vel=(0.25, 0.3))
    bench.run(3.0)
    truth, odometry = bench.simulator.truth.pose, bench.reports[-1].odometry
    assert math.hypot(truth.x, truth.y) > 0.5 and truth.heading > 0.6
    assert (odometry.x, odometry.y) == pytest.approx((truth.x, truth.y), abs=0.004)
    assert odometry.yaw == pytest.approx(truth.heading, abs=0.004)
    assert bench.simulator.truth.left_velocity == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("robot", ["p2dx", "p3at", "p3dx-sh", "powerbot-sh"])
def test_every_ring_is_heard_in_metres(robot: str) -> None:
    profile = load_profile(robot)
    bench = Bench(robot=robot, simulator=lambda: Simulator(profile, load_world("room"))).connect()
    start = bench.now
    bench.run(2.0)
    pings = [ping for report in bench.emitted(Report, since=start) for ping in report.pings]
    assert {ping.number for ping in pings} == set(range(len(profile.sonar.poses)))
    world, pose = bench.simulator.world, bench.simulator.truth.pose
    ahead = next(n for n, mount in enumerate(profile.sonar.poses) if abs(mount.heading) < math.radians(11))
    mount = profile.sonar.poses[ahead]
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    x, y = pose.x + c * mount.x - s * mount.y, pose.y + s * mount.x + c * mount.y
    half = profile.sonar.field_of_view / 2
    beam = [world.cast(x, y, pose.heading + mount.heading + half * share) for share in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    ranges = [ping.range for ping in pings if ping.number == ahead]
    assert ranges and ranges[0] == pytest.approx(min(beam), abs=0.05)
