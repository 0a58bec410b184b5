# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sonar ring as one view: what was heard from where the robot was, seen from where it is."""

from __future__ import annotations

import math

import pytest
from bench import Bench, Place, place_at
from component_bench import ComponentBench

from amigobot_driver.profiles import SonarPose, load_profile
from amigobot_driver.protocol import parse
from amigobot_driver.robot import Odometry, Options, Report, SonarArray
from amigobot_driver.robot.sensing.state_estimator import StateEstimator

AMIGO = load_profile("amigo")


def seen_from(robot: Place, pose: SonarPose) -> Place:
    """A pose in the base frame as one in the odometry frame."""
    x, y, yaw = robot
    cos, sin = math.cos(yaw), math.sin(yaw)
    return x + cos * pose.x - sin * pose.y, y + sin * pose.x + cos * pose.y, yaw + pose.heading


def place(odometry: Odometry) -> Place:
    return odometry.x, odometry.y, odometry.yaw


def driven(*velocities: tuple[float, float]) -> list[Report]:
    """The reports of a robot that drives each of these for two seconds."""
    bench = Bench(Options(max_linear=0.7, max_angular=2.0)).connect()
    for velocity in velocities:
        bench.run(2.0, cmd_vel=velocity)
    return bench.reports


@pytest.mark.parametrize("velocity", [(0.3, 0.0), (0.0, 1.0), (0.25, -0.8)])
def test_sightings_stay_where_they_were_made(velocity: tuple[float, float]) -> None:
    ring, reports = SonarArray(keep=True), driven(velocity)
    furthest = 0.0
    places: dict[float, Place] = {}
    for report in reports:
        places[report.stamp] = place(report.odometry)
        ring.update(report, AMIGO)
        for seen in ring.newest():
            then = place_at(seen.ping.stamp, places)
            pose = AMIGO.sonar.poses[seen.ping.number]
            x, y, heading = seen_from(then, pose)
            # What is left is the odometry's step of half a millimetre and a velocity that changes between two SIPs.
            now_x, now_y, now_heading = seen_from(places[report.stamp], seen.pose)
            assert math.hypot(now_x - x, now_y - y) < 0.015
            assert abs(math.remainder(now_heading - heading, math.tau)) < 0.05
            furthest = max(furthest, math.hypot(seen.pose.x - pose.x, seen.pose.y - pose.y))
    assert furthest > 0.05, "the robot has not moved: nothing was tested"


def test_every_sonar_is_there_once_within_two_rounds() -> None:
    ring, reports = SonarArray(keep=True), driven((0.2, 0.0))
    for report in reports:
        brought = ring.update(report, AMIGO)
        assert [seen.ping for seen in brought] == list(report.pings)
        assert all(report.stamp - seen.ping.stamp < 0.8 for seen in ring.newest())
    assert sorted(seen.ping.number for seen in ring.newest()) == list(range(len(AMIGO.sonar.poses)))


def test_a_pose_that_is_set_moves_nothing() -> None:
    """Two robots drive alike; the odometry of one is set to somewhere else on the way."""
    views = []
    for place in (None, (5.0, -3.0, 2.0)):
        bench, ring = Bench(), SonarArray(keep=True)
        bench.connect()
        bench.run(1.0, cmd_vel=(0.3, 0.3))
        if place:
            bench.robot.set_odometry(*place)
        bench.run(0.5, cmd_vel=(0.3, 0.3))
        for report in bench.reports:
            ring.update(report, AMIGO)
        views.append(ring.newest())
    for seen, other in zip(*views, strict=True):
        assert seen.ping == other.ping
        assert (seen.pose.x, seen.pose.y) == pytest.approx((other.pose.x, other.pose.y), abs=0.002)
        assert seen.pose.heading == pytest.approx(other.pose.heading, abs=0.004)


@pytest.mark.parametrize(("reading", "echo"), [(99, 0.1), (4999, 4.999), (5000, math.inf), (6100, math.inf)])
def test_a_reading_at_the_range_limit_is_no_echo(reading: int, echo: float) -> None:
    """Some robots say exactly 5000 mm where others say 6100 (docs/protocol 5.2 and 8): neither is a wall."""
    sip = parse(bytes([0x32]) + bytes(18) + bytes([1, 3]) + reading.to_bytes(2, "little") + bytes(6))
    bench = ComponentBench("amigo")
    estimator = StateEstimator(bench.context, lambda: False)
    bench.receive(sip, 1.0)
    assert estimator.newest[3].range == pytest.approx(echo)
