"""The ways to start that the README gives: a simulated robot on a serial port, on TCP, and in the node itself."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_bench import Bench, free_tcp_port

from amigobot_msgs.msg import RobotConfig

#: The command `amigobot`, wherever it is installed.
AMIGOBOT = (sys.executable, "-c", "import sys; from amigobot_driver.cli import main; sys.exit(main())")


@pytest.fixture(params=["pty", "tcp", "sim"])
def port(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a robot that somebody has started with the command line."""
    if request.param == "sim":
        yield "sim://amigo-sh?world=room&seed=1"
        return
    path, number = tmp_path / "robot", free_tcp_port()
    where = {"pty": ["--pty", str(path)], "tcp": ["--tcp", f"127.0.0.1:{number}"]}[request.param]
    simulator = subprocess.Popen([*AMIGOBOT, "sim", "--robot", "amigo-sh", *where], stdout=subprocess.DEVNULL)
    yield {"pty": str(path), "tcp": f"socket://127.0.0.1:{number}"}[request.param]
    simulator.send_signal(signal.SIGINT)
    assert simulator.wait(30) == 0


def test_it_drives(port: str) -> None:
    """From nothing to a robot that has driven, whichever of the two is started first."""
    with Bench(port=port, enable_stamped_cmd_vel=False) as bench:
        odom = bench.connected().listen(Odometry, "odom")
        with bench.driving(0.3):
            bench.wait_until(lambda: odom.messages and odom.last.pose.pose.position.x > 0.1)
        bench.wait_until(lambda: odom.last.twist.twist.linear.x == 0.0)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        config = bench.listen(RobotConfig, "robot_config", latched)
        bench.wait_until(lambda: config.messages and config.last.received)
        assert config.last.robot_subclass == "amigo-sh"
