# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Every way of ending the node stops the robot and closes its session."""

from __future__ import annotations

import itertools
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from ros_bench import Bench, Robot

from amigobot_driver.protocol import Command

#: The last commands that the robot receives.
SHUTDOWN_SEQUENCE = [Command.STOP(), Command.ENABLE(0), Command.SONAR(0), Command.CLOSE()]


#: A node with a bug that shows as soon as the robot moves.
BROKEN = """
from amigobot_driver.ros import main
from amigobot_driver.ros.telemetry_publisher import TelemetryPublisher

def on_report(self, report, good=TelemetryPublisher._on_report):
    if report.odometry.linear >= 0.1:
        raise ValueError("a bug")
    good(self, report)

TelemetryPublisher._on_report = on_report
raise SystemExit(main.main())
"""


#: A node whose main thread does not return from a callback.
STUCK = """
import threading
from amigobot_driver.ros import main, node

def stuck(self, changes):
    print("stuck", flush=True)
    threading.Event().wait()

node.AmigobotNode._on_parameters = stuck
main._STOP_LIMIT = 0.1
raise SystemExit(main.main())
"""


#: A node that gets Ctrl-C while it imports ROS.
EARLY = """
import os, signal, sys
from amigobot_driver.ros import main

class Interrupted:
    def find_spec(self, name, *rest):
        if name == "rclpy":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupted())
raise SystemExit(main.main())
"""


#: A node that is never ready.
NEVER_READY = """
import threading
from amigobot_driver.ros import main, node

def never_ready():
    print("stuck", flush=True)
    threading.Event().wait()

node.AmigobotNode = never_ready
main._END_LIMIT = 0.1
raise SystemExit(main.main())
"""


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iterator[Bench]]:
    """A node for each test to end; while one is ended the next is starting already, which saves half of the time.

    The robots are on serial lines, where a session outlives its client.
    """
    folder = tmp_path_factory.mktemp("dev")
    with ExitStack() as stack:
        robots = (Robot(pty=folder / f"ttyUSB{number}") for number in itertools.count())
        started = (stack.enter_context(Bench(robot, enable_stamped_cmd_vel=False)) for robot in robots)
        yield (bench for bench, _ in itertools.pairwise(started))


@pytest.fixture
def bench(benches: Iterator[Bench]) -> Bench:
    return next(benches).connected()


def assert_a_clean_end(bench: Bench) -> None:
    bench.wait_until(lambda: not bench.node.running)
    assert bench.node.wait() == 0
    assert not bench.node.logged("Traceback")
    assert not bench.node.logged("Error")
    # The last bytes may still be on the line.
    bench.wait_until(lambda: bench.robot.received[-len(SHUTDOWN_SEQUENCE) :] == SHUTDOWN_SEQUENCE)
    bench.wait_until(lambda: not bench.robot.in_session)
    bench.wait_until(lambda: bench.robot.stopped)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_driving_stops_and_closes(bench: Bench, number: signal.Signals) -> None:
    """Ctrl-C, a service manager, and a terminal that is closed."""
    with bench.driving(0.3):
        bench.wait_until(lambda: bench.robot.speed > 0.1)
        bench.node.send(number)
        assert_a_clean_end(bench)


def test_a_signal_stops_the_robot_beside_a_blocked_callback() -> None:
    with Bench(Robot(), node_command=(sys.executable, "-c", STUCK), enable_stamped_cmd_vel=False) as bench:
        with bench.connected().driving(0.3):
            bench.wait_until(lambda: bench.robot.speed > 0.1)
            change = Parameter("cmd_vel_timeout", value=1.0).to_parameter_msg()
            bench.client.ask(SetParameters, "amigobot/set_parameters", SetParameters.Request(parameters=[change]))
            bench.wait_until(lambda: bench.node.logged("stuck"))
            bench.node.send(signal.SIGTERM)
            bench.wait_until(lambda: bench.robot.stopped and not bench.robot.in_session)
            bench.wait_until(lambda: bench.node.logged("in stuck"))  # it prints where the main thread is
        bench.node.send(signal.SIGKILL)


def test_an_early_signal_ends_the_node_without_a_traceback() -> None:
    with Bench(node_command=(sys.executable, "-c", EARLY)) as bench:
        assert bench.node.wait() == 0
        assert not bench.node.logged("Traceback")


def test_a_signal_ends_a_node_that_hangs() -> None:
    with Bench(node_command=(sys.executable, "-c", NEVER_READY)) as bench:
        bench.wait_until(lambda: bench.node.logged("stuck"))
        bench.node.send(signal.SIGTERM)
        assert bench.node.wait() == -signal.SIGALRM


def test_a_second_ctrl_c_does_not_interrupt_the_shutdown(bench: Bench) -> None:
    """Under ros2 launch it does: from the terminal and from launch. An impatient user does the same."""
    with bench.driving(0.3):
        bench.wait_until(lambda: bench.robot.speed > 0.1)
        bench.node.send(signal.SIGINT)
        bench.wait_until(lambda: Command.STOP() in bench.robot.received[-3:] or not bench.node.running)
        bench.node.send(signal.SIGINT)
        assert_a_clean_end(bench)


def test_an_exception_stops_the_robot_before_the_node_ends() -> None:
    """The driver stops the robot and closes the session; then it prints the traceback."""
    with Bench(Robot(), node_command=(sys.executable, "-c", BROKEN), enable_stamped_cmd_vel=False) as bench:
        with bench.connected().driving(0.3):
            bench.wait_until(lambda: not bench.node.running)
        assert bench.node.wait() == 1
        assert bench.node.logged("a driver thread has ended with an error; the robot was stopped")
        bench.wait_until(lambda: not bench.robot.in_session and bench.robot.stopped)


def test_after_a_kill_the_watchdog_stops_the_robot(bench: Bench) -> None:
    with bench.driving(0.3):
        bench.wait_until(lambda: bench.robot.speed > 0.1)
        bench.node.send(signal.SIGKILL)
        bench.wait_until(lambda: not bench.node.running)
    bench.wait_until(lambda: bench.robot.stopped)
    assert bench.robot.values(Command.VEL)[-1] == 300, "nothing but the watchdog stopped it"
    assert bench.robot.in_session

    since = len(bench.robot.received)
    again = bench.start(port=bench.robot.url, enable_stamped_cmd_vel=False)
    odom = bench.listen(Odometry, "odom")
    bench.wait_until(lambda: odom.messages)
    assert again.logged("in a session that another program left open: stopping it and closing that session")
    # Any command brings a stopped robot's old velocity back to life, except this one.
    commands = [instruction.command for instruction in bench.robot.received[since:]]
    assert Command.STOP in commands
    bench.wait_until(lambda: bench.robot.stopped)
    with bench.driving(0.3):
        bench.wait_until(lambda: bench.robot.speed > 0.1)
