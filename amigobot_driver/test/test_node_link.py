# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot that is not there, goes away and comes back: the node says what it sees, waits, and goes on."""

from __future__ import annotations

import fcntl
import math
import os
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from nav_msgs.msg import Odometry
from ros_bench import Bench, Robot, stamp_of
from sensor_msgs.msg import BatteryState, JointState

from amigobot_driver.protocol import Command
from amigobot_driver.ros.log import INTERVAL
from amigobot_msgs.msg import RobotStatus


@pytest.fixture(scope="module", autouse=True)
def unplugged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A node whose port is not there yet. All nodes of this module are started together, which saves time."""
    robot = Robot(pty=tmp_path_factory.mktemp("dev") / "ttyUSB0")
    robot.unplug()
    with Bench(robot) as bench:
        yield bench


@pytest.fixture(scope="module", autouse=True)
def turned_away(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, int]]:
    """A node whose port another program has open, and its file descriptor there."""
    robot = Robot(pty=tmp_path_factory.mktemp("dev") / "ttyUSB0")
    other = os.open(robot.url, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with Bench(robot) as bench:
        yield bench, other


@pytest.fixture(scope="module", autouse=True)
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    robot = Robot(pty=tmp_path_factory.mktemp("dev") / "ttyUSB0")
    with Bench(robot, enable_stamped_cmd_vel=False) as bench:
        yield bench


@pytest.fixture
def bench(running: Bench) -> Bench:
    """A node that is connected."""
    return running.connected()


def velocity_is_unknown(odom: Odometry) -> bool:
    """The last message of a session: no velocity, with variances that give it no weight."""
    covariance = odom.twist.covariance
    return odom.twist.twist.linear.x == odom.twist.twist.angular.z == 0.0 and min(covariance[0], covariance[35]) > 1e3


def is_down(bench: Bench) -> bool:
    return bench.diagnostic("link").level == DiagnosticStatus.ERROR


def seconds_pass(bench: Bench, count: int) -> None:
    """/diagnostics is the node's clock: retries come at least as often."""
    for _ in range(count):
        bench.diagnostic("link", fresh=True)


def warned_once(bench: Bench) -> str:
    """The one warning, which the log repeats no sooner than after INTERVAL, and then more and more rarely."""
    lines = bench.node.logged("WARN")
    assert len({line.split("]: ", 1)[-1] for line in lines}) == 1, lines
    assert len(lines) <= 1 + math.log2(1 + (time.monotonic() - bench.node.started) / INTERVAL)
    return lines[0]


def test_a_missing_port_is_logged_once_until_it_appears(unplugged: Bench) -> None:
    bench, port = unplugged, str(unplugged.robot.url)
    bench.wait_until(lambda: is_down(bench))
    seconds_pass(bench, 2)
    assert f"{port}: there is no such port; is the adapter plugged in?" in warned_once(bench)
    assert f"{port}: there is no such port" in bench.diagnostic("link").message
    assert bench.diagnostic("link").hardware_id == port
    assert bench.diagnostic("motors").level == DiagnosticStatus.ERROR
    assert bench.node.running
    bench.robot.plug_in()
    bench.connected()
    bench.wait_until(lambda: bench.diagnostic("link").level == DiagnosticStatus.OK)
    assert not bench.node.logged("Traceback")


def test_the_driver_waits_for_a_port_in_use(turned_away: tuple[Bench, int]) -> None:
    bench, other = turned_away
    bench.wait_until(lambda: is_down(bench))
    seconds_pass(bench, 2)
    line = warned_once(bench)
    url = bench.robot.url
    assert f"{url}: another program has it open; `fuser -v {url}` names it" in line
    os.close(other)
    bench.connected()


def test_nothing_stale_is_published_while_the_robot_is_silent(bench: Bench) -> None:
    """The robot is out of range: the port is there, and nothing comes from it."""
    odom, battery = bench.listen(Odometry, "odom"), bench.listen(BatteryState, "battery_state")
    status = bench.listen(RobotStatus, "status")
    bench.wait_until(lambda: odom.messages and status.messages)
    bench.robot.silent = True
    bench.wait_until(lambda: status.last.link_state == RobotStatus.LINK_LOST)
    assert "no packet for" in status.last.link_text
    assert not status.last.motors_enabled  # unknown
    bench.wait_until(lambda: velocity_is_unknown(odom.last))
    odom.clear()
    battery.clear()
    seconds_pass(bench, 2)
    assert len(odom) == len(battery) == 0
    assert is_down(bench)
    assert bench.diagnostic("battery").level == bench.diagnostic("motors").level == DiagnosticStatus.ERROR
    assert len(bench.node.logged("is the robot switched on and in range?")) == 1
    bench.robot.silent = False
    bench.wait_until(lambda: odom.messages)
    bench.wait_until(lambda: status.last.link_state == RobotStatus.LINK_RUNNING and status.last.motors_enabled)


def test_driving_continues_after_a_pulled_cable_is_back(bench: Bench) -> None:
    """The odometry goes on, with the distance rolled until the watchdog; the robot does not start by itself."""
    odom = bench.listen(Odometry, "odom")
    joints = bench.listen(JointState, "joint_states")
    bench.wait_until(lambda: odom.messages and bench.robot.stopped)
    bench.pass_sips(3)
    start, true_start = odom.last.pose.pose.position, bench.robot.truth.pose
    with bench.driving(0.3, 0.3):
        bench.wait_until(lambda: odom.last.twist.twist.linear.x > 0.1)
        bench.robot.unplug()
        bench.wait_until(lambda: "there is no such port" in bench.diagnostic("link").message)
        assert is_down(bench)
    bench.wait_until(lambda: velocity_is_unknown(odom.last) and not joints.last.velocity)
    assert all(before < after for before, after in pairwise(map(stamp_of, odom.messages)))
    odom.clear()
    since = len(bench.robot.received)
    bench.robot.plug_in()
    bench.wait_until(lambda: odom.messages)
    bench.wait_until(lambda: bench.robot.stopped)
    bench.pass_sips(3)
    bench.wait_until(lambda: odom.last.twist.twist.linear.x == 0.0)
    end, true_end = odom.last.pose.pose.position, bench.robot.truth.pose
    assert math.hypot(end.x - start.x, end.y - start.y) == pytest.approx(
        math.hypot(true_end.x - true_start.x, true_end.y - true_start.y), abs=0.02
    )
    bench.pass_sips(5)
    assert not any(bench.robot.values(Command.VEL, since))
    assert bench.node.running
