"""A robot that is not there, goes away and comes back: the node says what it sees, waits, and goes on."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from nav_msgs.msg import Odometry
from ros_bench import Bench, Robot, free_tcp_port
from sensor_msgs.msg import BatteryState

from amigobot_driver.protocol import Command
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
def nobody_there() -> Iterator[tuple[Bench, int]]:
    """A node whose TCP port nobody listens on, and the number of that."""
    number = free_tcp_port()
    with Bench(port=f"socket://127.0.0.1:{number}") as bench:
        yield bench, number


@pytest.fixture(scope="module", autouse=True)
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    robot = Robot(pty=tmp_path_factory.mktemp("dev") / "ttyUSB0")
    with Bench(robot, enable_stamped_cmd_vel=False) as bench:
        yield bench


@pytest.fixture
def bench(running: Bench) -> Bench:
    """A node that is connected."""
    return running.connected()


def is_down(bench: Bench) -> bool:
    return bench.diagnostic("link").level == DiagnosticStatus.ERROR


def seconds_pass(bench: Bench, count: int) -> None:
    """/diagnostics is the node's clock: retries come at least as often."""
    for _ in range(count):
        bench.diagnostic("link", fresh=True)


def test_a_port_that_is_not_there_is_one_line_until_it_appears(unplugged: Bench) -> None:
    bench, port = unplugged, str(unplugged.robot.url)
    bench.wait_until(lambda: is_down(bench))
    seconds_pass(bench, 2)
    (line,) = bench.node.logged("WARN")
    assert f"{port}: there is no such port; is the adapter plugged in?" in line
    assert bench.diagnostic("link").message in line
    assert bench.diagnostic("link").hardware_id == port
    assert bench.diagnostic("motors").level == DiagnosticStatus.ERROR
    assert bench.node.running
    bench.robot.plug_in()
    bench.connected()
    bench.wait_until(lambda: bench.diagnostic("link").level == DiagnosticStatus.OK)
    assert not bench.node.logged("Traceback")


def test_a_port_that_another_program_has_open_is_waited_for(turned_away: tuple[Bench, int]) -> None:
    bench, other = turned_away
    bench.wait_until(lambda: is_down(bench))
    seconds_pass(bench, 2)
    (line,) = bench.node.logged("WARN")
    url = bench.robot.url
    assert f"{url}: another program has it open; `fuser -v {url}` names it" in line
    os.close(other)
    bench.connected()


def test_nobody_listening_on_tcp_is_one_line_until_somebody_does(nobody_there: tuple[Bench, int]) -> None:
    bench, number = nobody_there
    bench.wait_until(lambda: is_down(bench))
    seconds_pass(bench, 2)
    (line,) = bench.node.logged("WARN")
    assert f"socket://127.0.0.1:{number}: Connection refused; is the robot or the simulator on" in line
    robot = Robot(tcp_port=number)
    bench.connected()
    robot.unplug()


class TestSilence:
    """The robot is out of range: the port is there, and nothing comes from it."""

    def test_nothing_stale_is_published(self, bench: Bench) -> None:
        odom, battery = bench.listen(Odometry, "odom"), bench.listen(BatteryState, "battery_state")
        status = bench.listen(RobotStatus, "status")
        bench.wait_until(lambda: odom.messages and status.messages)
        bench.robot.silent = True
        bench.wait_until(lambda: status.last.link_state == RobotStatus.LINK_LOST)
        assert "no packet for" in status.last.link_text
        assert not status.last.motors_enabled  # nobody knows
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

    def test_a_velocity_meanwhile_is_refused_and_not_remembered(self, bench: Bench) -> None:
        bench.robot.silent = True
        bench.wait_until(lambda: is_down(bench))
        with bench.driving(0.2):
            bench.wait_until(lambda: bench.node.logged("cmd_vel refused", "there is no robot to drive"))
        since = len(bench.robot.heard)
        bench.robot.silent = False
        bench.connected()
        bench.pass_sips(5)
        assert not any(bench.robot.values(Command.VEL, since))
        assert bench.robot.standing


class TestComingBack:
    def test_a_cable_pulled_and_put_back(self, bench: Bench) -> None:
        """The odometry goes on from where it was, and the robot does not start by itself."""
        odom = bench.listen(Odometry, "odom")
        with bench.driving(0.3, 0.3):
            bench.wait_until(lambda: odom.messages and bench.robot.speed > 0.1)
            bench.robot.unplug()
            bench.wait_until(lambda: "there is no such port" in bench.diagnostic("link").message)
            assert is_down(bench)
        before = odom.last.pose.pose
        odom.clear()
        since = len(bench.robot.heard)
        bench.robot.plug_in()
        bench.wait_until(lambda: odom.messages)
        after = odom.messages[0].pose.pose
        for axis in ("x", "y"):
            assert getattr(after.position, axis) == pytest.approx(getattr(before.position, axis), abs=0.02)
        assert after.orientation.z == pytest.approx(before.orientation.z, abs=0.02)
        bench.pass_sips(5)
        assert not any(bench.robot.values(Command.VEL, since))
        assert bench.node.running

    def test_a_robot_that_was_reset(self, bench: Bench) -> None:
        status = bench.listen(RobotStatus, "status")
        bench.wait_until(lambda: status.messages and status.last.motors_enabled)
        connections = int(bench.values("link", fresh=True)["connections"])
        since = len(bench.robot.heard)
        bench.robot.do(lambda robot: robot.reset())
        bench.wait_until(lambda: bench.node.logged("the robot's controller was reset"))
        bench.wait_until(lambda: int(bench.values("link")["connections"]) == connections + 1)
        # A stop comes before anything that could move it, and what was switched on is on again.
        heard = bench.robot.heard[since:]
        assert heard.index(Command.STOP()) < heard.index(Command.ENABLE(1))
        bench.wait_until(lambda: status.last.motors_enabled and status.last.sonar_enabled)

    def test_nothing_was_worth_a_traceback(self, bench: Bench) -> None:
        assert not bench.node.logged("Traceback")
        assert len(bench.node.log) < 40
