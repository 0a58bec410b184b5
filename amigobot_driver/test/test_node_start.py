# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The ways to start that the README gives: a simulated robot on a serial port, on TCP, and in the node itself."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_bench import DEADLINE, Bench, free_tcp_port

from amigobot_msgs.msg import RobotConfig

#: The command `amigobot`, wherever it is installed.
AMIGOBOT = (sys.executable, "-c", "import sys; from amigobot_driver.cli import main; sys.exit(main())")


@contextmanager
def simulator(*where: str) -> Iterator[None]:
    """A robot that was started in another terminal."""
    process = subprocess.Popen([*AMIGOBOT, "sim", "--robot", "amigo-sh", *where], stdout=subprocess.DEVNULL)
    yield
    process.send_signal(signal.SIGINT)
    assert process.wait(DEADLINE) == 0


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Bench]]:
    """A node each way, started before it matters whether robot or node is first."""
    path, number = tmp_path_factory.mktemp("dev") / "robot", free_tcp_port()
    urls = {
        "serial": str(path),
        "tcp": f"socket://127.0.0.1:{number}",
        "in the node": "sim://amigo-sh?world=room&seed=1",
    }
    with ExitStack() as stack:
        started = {
            name: stack.enter_context(Bench(port=url, enable_stamped_cmd_vel=False)) for name, url in urls.items()
        }
        with simulator("--pty", str(path)), simulator("--tcp", f"127.0.0.1:{number}"):
            yield started


@pytest.mark.parametrize("where", ["serial", "tcp", "in the node"])
def test_a_node_started_with_defaults_drives(benches: dict[str, Bench], where: str) -> None:
    """From nothing to a robot that has driven."""
    bench = benches[where].connected()
    odom = bench.listen(Odometry, "odom")
    with bench.driving(0.3):
        bench.wait_until(lambda: odom.messages and odom.last.pose.pose.position.x > 0.1)
    bench.wait_until(lambda: odom.last.twist.twist.linear.x == 0.0)
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    config = bench.listen(RobotConfig, "robot_config", latched)
    bench.wait_until(lambda: config.messages and config.last.received)
    assert config.last.robot_subclass == "amigo-sh"
