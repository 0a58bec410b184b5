# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Odometry across jumps of the robot's counters, against the simulator's true pose."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from bench import Bench, losing

from amigobot_driver.protocol import Command
from amigobot_driver.robot import Odometry, OdometryStale, Options
from amigobot_driver.robot.events import UNKNOWN_VARIANCE

ROBOTS = ("amigo", "amigo-sh", "p3dx", "erratic")
#: How often the counters jump round the turn, and the step in deg: on no symmetry, together more than a turn.
EVERYWHERE, HERE_AND_THERE = (13, 31), (4, 101)
SETO = Command.SETO.number
#: How the robot moves while its counters jump: m/s, rad/s.
MOTIONS = {
    "at rest": (0.0, 0.0),
    "straight": (0.3, 0.0),
    "curve": (0.25, 0.5),
    "reversing": (-0.2, 0.0),
    "turning on the spot": (0.0, 0.8),
}


def started(robot: str, degrees: float = 0.0, *, away: bool = True, options: Options | None = None) -> Bench:
    """A robot that has turned to a heading, and driven some way from the origin of its counters where `away`."""
    bench = Bench(options or Options(), robot)
    bench.connect()
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
    return (
        math.hypot(state.x - truth.x, state.y - truth.y),
        abs(math.remainder(state.yaw - truth.heading, math.tau)),
    )


def send_seto(bench: Bench) -> None:
    assert bench.ask(lambda: bench.robot.send_raw(SETO, [], b"")).success


def zero_counters(bench: Bench) -> None:
    """The robot zeroes its counters by itself, without a command."""
    bench.simulator._firmware.drive.odometer.zero()


def check_motion(bench: Bench, since: float, velocity: tuple[float, float]) -> None:
    """No pose leaps, no twist exceeds what was commanded, and twist agrees with the difference of the poses."""
    linear, angular = velocity
    reports = [report for report in bench.reports if report.stamp >= since]
    assert len(reports) > 10
    for before, after in pairwise(reports):
        dt = after.stamp - before.stamp
        way = math.hypot(after.odometry.x - before.odometry.x, after.odometry.y - before.odometry.y)
        turn = math.remainder(after.odometry.yaw - before.odometry.yaw, math.tau)
        assert way <= 1.2 * max(abs(before.odometry.linear), abs(after.odometry.linear)) * dt + 0.006
        assert abs(turn) <= 1.2 * max(abs(before.odometry.angular), abs(after.odometry.angular)) * dt + 0.006
        assert abs(after.odometry.linear) <= abs(linear) * 1.2 + 0.02
        assert abs(after.odometry.angular) <= abs(angular) * 1.3 + 0.06


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


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("robot", ROBOTS)
def test_seto_at_any_heading_leaves_pose_direction_and_twist(robot: str, motion: str) -> None:
    round_the_turn(robot, motion, Options(), EVERYWHERE if robot == "amigo" else HERE_AND_THERE)


@pytest.mark.parametrize("motion", ["at rest", "curve"])
@pytest.mark.parametrize("robot", ["amigo", "amigo-sh", "erratic"])
def test_seto_with_odometry_from_the_encoders(robot: str, motion: str) -> None:
    every = EVERYWHERE if (robot, motion) == ("amigo-sh", "curve") else HERE_AND_THERE
    round_the_turn(robot, motion, Options(encoder_odometry=True), every)


def round_the_turn(robot: str, motion: str, options: Options, jumps: tuple[int, int]) -> None:
    """SETO at each heading, some way from the origin that the one before has made."""
    bench, velocity = started(robot, options=options), MOTIONS[motion]
    times, step = jumps
    for number in range(times):
        turn_to(bench, math.radians(step))
        before, since = error(bench), bench.now
        bench.run(0.73 + number * 0.013, cmd_vel=velocity)
        send_seto(bench)
        bench.run(0.6, cmd_vel=velocity)
        bench.run(0.6)
        come_to_rest(bench)
        check_motion(bench, since, velocity)
        assert error(bench)[0] < before[0] + NEAR, f"SETO {number}"
        assert error(bench)[1] < before[1] + ALIGNED, f"SETO {number}"
        if number % 4 == 0:
            assert drive_a_metre(bench) < ALIGNED + before[1], f"SETO {number}"


@pytest.mark.parametrize("zero", [send_seto, zero_counters], ids=["SETO sent", "by itself"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_counters_zeroed_at_rest_near_their_origin(robot: str, zero: type[send_seto]) -> None:
    """Turned on the spot, or 0.05 to 0.25 m away: the distance alone shows nothing."""
    bench = started(robot, away=False)
    for way in (0.0, 0.05, 0.25):
        for degrees in (1, 8, -28, 90, 180) if robot == "amigo" else (8, -100):
            turn_to(bench, math.radians(degrees))
            if way:
                bench.run(way / 0.2, cmd_vel=(0.2, 0.0))
                bench.run(0.6)
                come_to_rest(bench)
            before, since = error(bench), bench.now
            bench.run(0.8)
            zero(bench)
            bench.run(0.5)
            check_motion(bench, since, (0.0, 0.0))
            assert error(bench) == pytest.approx(before, abs=0.003), f"{degrees} deg, {way} m"


@pytest.mark.parametrize(
    ("robot", "motion", "phase"),
    [(robot, motion, 0) for robot in ROBOTS for motion in MOTIONS] + [("amigo", motion, 70) for motion in MOTIONS],
)
def test_seto_again_and_again_while_driving(robot: str, motion: str, phase: int) -> None:
    """Each is near the origin that the one before has made, at any time within the cycle of the SIPs."""
    bench = started(robot, 60)
    before, velocity, since = error(bench), MOTIONS[motion], bench.now
    for pause in (0.35, 0.1, 0.25, 0.02, 0.45, 0.15, 0.2):
        bench.run(pause + phase / 1000, cmd_vel=velocity)
        send_seto(bench)
    bench.run(0.5, cmd_vel=velocity)
    bench.run(2)
    check_motion(bench, since, velocity)
    assert error(bench)[0] < before[0] + 2 * NEAR
    assert error(bench)[1] < before[1] + ALIGNED


@pytest.mark.parametrize(
    ("robot", "motion", "after"),
    [
        (robot, motion, after)
        for robot in ROBOTS
        for motion in MOTIONS
        for after in ((0.13, 0.37, 1.2) if robot == "amigo" else (0.37,))
    ],
)
def test_counters_zeroed_by_themselves_while_driving(robot: str, motion: str, after: float) -> None:
    """Without a command that announces it the pose is off by what one cycle drives, at most."""
    bench = started(robot, 0, away=False)
    linear, angular = velocity = MOTIONS[motion]
    before, since = error(bench), bench.now
    bench.run(after, cmd_vel=velocity)
    zero_counters(bench)
    bench.run(1, cmd_vel=velocity)
    bench.run(2)
    check_motion(bench, since, (abs(linear) + 0.02, abs(angular) * 1.6 + 0.02))
    cycle = 0.1
    assert error(bench)[0] < before[0] + NEAR + abs(linear) * cycle
    assert error(bench)[1] < before[1] + ALIGNED + abs(angular) * cycle


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("frozen", [0.25, 0.5, 0.8])
def test_seto_before_the_process_was_frozen(robot: str, frozen: float) -> None:
    """The SIPs come late and in one heap: the time between them says nothing of how far the robot drove."""
    bench = started(robot)
    before = error(bench)
    bench.run(1.03, cmd_vel=(0.3, 0.0))
    send_seto(bench)
    bench.run(0.06)
    bench.sleep(frozen)
    bench.run(1.5)
    come_to_rest(bench)
    # What the robot drives in the time that the command takes, which nobody here knows.
    assert error(bench)[0] < before[0] + NEAR + 0.3 * 0.05
    assert error(bench)[1] < before[1] + ALIGNED


@pytest.mark.parametrize("robot", ROBOTS)
def test_seto_after_a_turn_of_a_few_counts(robot: str) -> None:
    """Less than the position's resolution would show, where the position did not change."""
    bench = started(robot, 0, away=False)
    bench.run(0.5, cmd_vel=(0.0, 0.02))
    come_to_rest(bench)
    before = odometry(bench).yaw
    assert before < 0.02
    send_seto(bench)
    bench.run(0.5)
    assert odometry(bench).yaw == pytest.approx(before, abs=0.0016)


def test_several_setos_at_once_behind_a_long_answer() -> None:
    """None of them adds motion that the robot did not make."""
    bench = started("amigo")
    bench.run(1.0, cmd_vel=(0.0, 0.8))
    before = odometry(bench).yaw
    bench.ask(lambda: bench.robot.send_raw(Command.CONFIG.number, [], b""))
    for _ in range(3):
        send_seto(bench)
    bench.run(0.06)
    bench.ask(bench.robot.emergency_stop)
    come_to_rest(bench)
    assert odometry(bench).yaw > before
    assert error(bench)[1] < 0.8 * 0.1 + ALIGNED


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("away", [True, False])
def test_a_seto_that_is_lost_changes_nothing(robot: str, away: bool) -> None:
    bench = started(robot, 40, away=away)
    before, since = error(bench), bench.now
    bench.run(0.5, cmd_vel=(0.2, 0.3))
    jumps = bench.robot.estimator.odometer.jumps
    bench.up.fault = losing(Command.SETO)
    send_seto(bench)
    bench.run(2, cmd_vel=(0.2, 0.3))
    bench.run(2)
    check_motion(bench, since, (0.2, 0.3))
    assert error(bench)[0] < before[0] + NEAR
    assert error(bench)[1] < before[1] + ALIGNED
    assert bench.robot.estimator.odometer.jumps == jumps


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("degrees", [75])
def test_the_way_rolled_while_the_link_was_lost_is_counted(robot: str, motion: str, degrees: int) -> None:
    """The robot rolls on until its watchdog stops it; its counters go on, so does the pose."""
    bench = started(robot, degrees)
    before, velocity = error(bench), MOTIONS[motion]
    bench.run(2.04, cmd_vel=velocity)
    bench.go_out_of_range()
    bench.run(7)
    assert not bench.robot.running
    bench.come_back()
    bench.until(lambda: bench.robot.running, within=60)
    bench.run(2)
    assert error(bench)[0] < before[0] + 2 * NEAR + before[1]
    assert error(bench)[1] < before[1] + ALIGNED
    assert drive_a_metre(bench) < ALIGNED + before[1]


@pytest.mark.parametrize("seconds", [0.2, 0.3, 0.4])
@pytest.mark.parametrize("velocity", [(0.7, 0.0), (0.7, 1.0), (0.0, 2.0)])
def test_a_link_lost_near_the_origin_adds_no_motion_that_was_not_made(
    velocity: tuple[float, float], seconds: float
) -> None:
    """A robot there may have zeroed its counters and then moved, or just moved: the smaller motion counts."""
    bench = started("amigo", away=False, options=Options(max_linear=0.7, max_angular=5.2))
    bench.run(seconds, cmd_vel=velocity)
    bench.ask(lambda: bench.robot.enable_motors(True, bench.now))
    bench.run(0.1)
    bench.go_out_of_range()
    bench.run(4)
    assert not bench.robot.running
    bench.come_back()
    bench.until(lambda: bench.robot.running, within=60)
    bench.run(0.5)
    assert error(bench)[0] < NEAR
    assert error(bench)[1] < ALIGNED


@pytest.mark.parametrize(
    ("robot", "motion", "degrees"),
    [(robot, motion, 75) for robot in ROBOTS for motion in MOTIONS] + [("amigo", motion, 200) for motion in MOTIONS],
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


@pytest.mark.parametrize(
    ("robot", "degrees"),
    [*(("amigo", degrees) for degrees in (0, 75, 160, 200)), ("amigo-sh", 75), ("amigo-sh", 200), ("p3dx", 160)],
)
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
    bench.plug_in()
    bench.until(lambda: bench.robot.running, within=30)
    bench.run(1)
    assert error(bench) == pytest.approx(before, abs=0.003)
    assert drive_a_metre(bench) < ALIGNED + before[1]


def test_the_velocity_is_unknown_once_the_link_is_lost() -> None:
    bench = started("amigo")
    bench.run(2, cmd_vel=(0.2, 0.1))
    last = bench.reports[-1].odometry
    bench.go_out_of_range()
    bench.until(lambda: not bench.robot.running)
    (stale,) = (event.odometry for event in bench.told(OdometryStale))
    assert (stale.x, stale.y, stale.yaw) == (last.x, last.y, last.yaw)
    assert last.linear > 0.15
    assert (stale.linear, stale.angular, stale.left_velocity, stale.right_velocity) == (0, 0, 0, 0)
    assert stale.velocity_variance == (UNKNOWN_VARIANCE, UNKNOWN_VARIANCE)
