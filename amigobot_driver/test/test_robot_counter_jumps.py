# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Odometry across jumps of the robot's counters, against the simulator's true pose."""

from __future__ import annotations

import math

import pytest
from bench import Bench

from amigobot_driver.robot import Odometry, OdometryStale, Options
from amigobot_driver.robot.events import UNKNOWN_VARIANCE

ROBOTS = ("amigo", "amigo-sh", "p3dx", "erratic")
#: How the robot moves while its counters jump: m/s, rad/s.
MOTIONS = {
    "at rest": (0.0, 0.0),
    "straight": (0.3, 0.0),
    "curve": (0.25, 0.5),
    "reversing": (-0.2, 0.0),
    "turning on the spot": (0.0, 0.8),
}


def started(robot: str, degrees: float = 0.0, *, away: bool = True, options: Options | None = None) -> Bench:
    """A robot that has turned to a heading, and driven some distance from the origin of its counters where `away`."""
    bench = Bench(options or Options(), robot).connect()
    if degrees:
        turn_to(bench, math.radians(degrees))
    if away:
        bench.run(2, cmd_vel=(0.3, 0.0))
        bench.run(0.6)
        come_to_rest(bench)
    return bench


def turn_to(bench: Bench, yaw: float) -> None:
    """Turn on the spot to about this heading (rad), and stop."""
    rate = 0.8 if math.remainder(yaw, math.tau) > 0 else -0.8
    bench.run(abs(math.remainder(yaw, math.tau)) / abs(rate), cmd_vel=(0.0, rate))
    bench.run(0.6)
    come_to_rest(bench)


def come_to_rest(bench: Bench) -> None:
    """Until the robot has stopped: some servos leave the wheels a creep that no SIP shows."""
    creep = 0.001
    bench.until(
        lambda: max(abs(bench.simulator.truth.left_velocity), abs(bench.simulator.truth.right_velocity)) < creep
    )
    bench.run(0.3)


def odometry(bench: Bench) -> Odometry:
    return bench.robot.estimator.odometer.state


def error(bench: Bench) -> tuple[float, float]:
    """How far the odometry of a robot at rest is from the truth: m, rad."""
    state, truth = odometry(bench), bench.simulator.truth.pose
    return (math.hypot(state.x - truth.x, state.y - truth.y), abs(math.remainder(state.yaw - truth.heading, math.tau)))


def lose_the_link(bench: Bench, seconds: float) -> None:
    """Until it is back."""
    bench.lose_link()
    bench.run(seconds)
    assert not bench.robot.running
    bench.restore_link()
    bench.until(lambda: bench.robot.running, within=60)


def drive_a_metre(bench: Bench) -> float:
    """Drive 1 m straight on; how far its direction in the odometry frame is from the true one, rad."""
    start, true_start = odometry(bench), bench.simulator.truth.pose
    bench.run(5, cmd_vel=(0.25, 0.0))
    bench.run(2)
    end, true_end = odometry(bench), bench.simulator.truth.pose
    assert math.hypot(true_end.x - true_start.x, true_end.y - true_start.y) > 0.8
    return abs(
        math.remainder(
            math.atan2(end.y - start.y, end.x - start.x)
            - math.atan2(true_end.y - true_start.y, true_end.x - true_start.x),
            math.tau,
        )
    )


#: m and rad that no test here exceeds: some counts, and what the firmware's RevCount is off after turning.
NEAR, ALIGNED = 0.006, 0.012


@pytest.mark.parametrize("motion", ["at rest", "curve"])
@pytest.mark.parametrize("robot", ["amigo", "amigo-sh", "erratic"])
def test_counters_zeroed_without_a_command_move_nothing(robot: str, motion: str) -> None:
    bench = started(robot, 75)
    bench.run(1.04, cmd_vel=MOTIONS[motion])
    before, doubt = error(bench), odometry(bench).covariance
    bench.simulator._firmware.drive.odometer.zero()
    bench.run(0.3, cmd_vel=MOTIONS[motion])
    linear, angular = MOTIONS[motion]
    assert error(bench)[0] < before[0] + NEAR + 0.3 * abs(linear)
    assert error(bench)[1] < before[1] + ALIGNED + 0.3 * abs(angular)
    assert bench.robot.estimator.odometer.jumps == 1
    assert any("position counters jumped" in notice for notice in bench.notices)
    assert odometry(bench).covariance[0] > doubt[0] + 0.001


@pytest.mark.parametrize(
    ("robot", "motion"),
    [*((robot, "curve") for robot in ROBOTS), *(("amigo", motion) for motion in MOTIONS if motion != "curve")],
)
def test_the_distance_rolled_without_link_is_counted(robot: str, motion: str) -> None:
    """The robot rolls on until its watchdog stops it; its counters go on, so does the pose."""
    bench = started(robot, 75)
    before, velocity = error(bench), MOTIONS[motion]
    bench.run(2.04, cmd_vel=velocity)
    lose_the_link(bench, 7)
    bench.run(2)
    assert error(bench)[0] < before[0] + 2 * NEAR + before[1]
    assert error(bench)[1] < before[1] + ALIGNED
    assert drive_a_metre(bench) < ALIGNED + before[1]


@pytest.mark.parametrize("seconds", [0.2, 0.3, 0.4])
@pytest.mark.parametrize("velocity", [(0.7, 0.0), (0.7, 1.0), (0.0, 2.0)])
def test_a_link_lost_near_the_origin_adds_no_motion(velocity: tuple[float, float], seconds: float) -> None:
    """A robot there may have zeroed its counters and then moved, or just moved: the smaller motion counts."""
    bench = started("amigo", away=False, options=Options(max_linear=0.7, max_angular=5.2))
    bench.run(seconds, cmd_vel=velocity)
    bench.request(lambda: bench.robot.enable_motors(True, bench.now))
    bench.run(0.1)
    lose_the_link(bench, 4)
    bench.run(0.5)
    assert error(bench)[0] < NEAR
    assert error(bench)[1] < ALIGNED


@pytest.mark.parametrize(
    ("robot", "motion", "degrees"),
    [*((robot, "curve", 75) for robot in ROBOTS), *(("amigo", motion, 200) for motion in MOTIONS)],
)
def test_reset_of_the_controller(robot: str, motion: str, degrees: int) -> None:
    """The pose goes on; off by what the robot drives between its last packet and the reset."""
    bench = started(robot, degrees)
    before, velocity = error(bench), MOTIONS[motion]
    bench.run(2.04, cmd_vel=velocity)
    bench.simulator.reset()
    bench.run(1.5)
    bench.until(lambda: bench.robot.running and bench.robot.estimator.report.motors_enabled, within=60)
    bench.run(1)
    cycle = 0.2  # s; the reset may cut a packet
    assert error(bench)[0] < before[0] + NEAR + abs(velocity[0]) * cycle + before[1]
    assert error(bench)[1] < before[1] + ALIGNED + abs(velocity[1]) * cycle
    assert drive_a_metre(bench) < ALIGNED + before[1] + abs(velocity[1]) * cycle


@pytest.mark.parametrize(("robot", "degrees"), [("amigo", 0), ("amigo", 75), ("amigo-sh", 200), ("p3dx", 160)])
def test_a_controller_that_zeroes_its_counters_at_open(robot: str, degrees: int) -> None:
    """As MobileSim does it: reconnecting at any heading goes on from the pose."""
    bench = started(robot, degrees)
    before = error(bench)
    bench.unplug()
    bench.run(1)
    simulator = bench.simulator._firmware
    opened = simulator._open

    def zero_and_open() -> None:
        simulator.drive.odometer.zero()
        opened()

    simulator._open = zero_and_open
    bench.open_session(30)
    bench.run(1)
    assert error(bench) == pytest.approx(before, abs=0.003)
    assert drive_a_metre(bench) < ALIGNED + before[1]


def test_the_velocity_is_unknown_once_the_link_is_lost() -> None:
    bench = started("amigo")
    bench.run(2, cmd_vel=(0.2, 0.1))
    last = bench.reports[-1].odometry
    bench.lose_link()
    bench.until(lambda: not bench.robot.running)
    (stale,) = (event.odometry for event in bench.emitted(OdometryStale))
    assert (stale.x, stale.y, stale.yaw) == (last.x, last.y, last.yaw)
    assert last.linear > 0.15
    assert (stale.linear, stale.angular, stale.left_velocity, stale.right_velocity) == (0, 0, 0, 0)
    assert stale.velocity_variance == (UNKNOWN_VARIANCE, UNKNOWN_VARIANCE)
