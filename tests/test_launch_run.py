# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The launch files for real, where `launch` and `launch_ros` are installed: processes, topics, the tree of frames."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest

pytest.importorskip("launch_ros", reason="launch and launch_ros are not installed")

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_bench import Client, Node, free_domain
from tf2_msgs.msg import TFMessage

from amigobot_driver.resources import share

#: What `ros2 launch` does, which is not everywhere where `launch` is.
LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

arguments = [argument.split(":=", 1) for argument in sys.argv[2:]]
service = LaunchService()
source = PythonLaunchDescriptionSource(sys.argv[1])
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(source, launch_arguments=arguments)]))
sys.exit(service.run())
"""


def has(package: str) -> bool:
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


class Launched:
    """A launch file at work, and a user who looks at what it brought about."""

    def __init__(self, domain: int, name: str, *arguments: str) -> None:
        self.client = Client(domain)
        self.parents: dict[str, set[str]] = {}
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.client.node.create_subscription(TFMessage, "/tf", self._take, 100)
        self.client.node.create_subscription(TFMessage, "/tf_static", self._take, latched)
        command = [sys.executable, "-c", LAUNCH, str(share("launch", f"{name}.launch.py")), *arguments]
        self.process = Node(domain, command=command)

    def _take(self, message: TFMessage) -> None:
        for transform in message.transforms:
            self.parents.setdefault(transform.child_frame_id, set()).add(transform.header.frame_id)

    def close(self) -> int:
        """Ctrl-C; the exit code."""
        self.process.send(signal.SIGINT)
        code = self.process.wait()
        self.client.close()
        return code


@pytest.fixture
def domain() -> Iterator[int]:
    number, lock = free_domain()
    with lock:
        yield number


def test_a_robot_with_names_of_its_own(domain: int) -> None:
    described = has("robot_state_publisher")
    launched = Launched(
        domain,
        "amigobot",
        "port:=sim://amigo-sh",
        "namespace:=alpha",
        "frame_prefix:=a/",
        "base_frame:=chassis",
        "odom_frame:=wheels",
        f"use_description:={str(described).lower()}",
    )
    try:
        odometry = launched.client.receive(Odometry, "/alpha/odom")
        assert (odometry.header.frame_id, odometry.child_frame_id) == ("a/wheels", "a/chassis")
        launched.client.wait_until(lambda: launched.parents.get("a/chassis"))
        if described:
            launched.client.wait_until(lambda: {"a/sonar_7_link", "a/left_wheel_link"} <= set(launched.parents))
            roots = set().union(*launched.parents.values()) - set(launched.parents)
            assert roots == {"a/wheels"}
            assert all(len(parents) == 1 for parents in launched.parents.values())
    finally:
        code = launched.close()
    assert code == 0
    assert not launched.process.logged("Traceback"), launched.process.log
    assert launched.process.logged("amigobot_node", "finished cleanly"), launched.process.log


def test_a_fleet_in_one_tree(domain: int) -> None:
    for package in ("robot_state_publisher", "tf2_ros"):
        if not has(package):
            pytest.skip(f"{package} is not installed")
    launched = Launched(domain, "fleet")
    try:
        frames = {f"{name}/{frame}" for name in ("alpha", "beta") for frame in ("odom", "base_link", "sonar_0_link")}
        launched.client.wait_until(lambda: frames <= set(launched.parents))
        roots = set().union(*launched.parents.values()) - set(launched.parents)
        assert roots == {"map"}
        assert all(len(parents) == 1 for parents in launched.parents.values())
    finally:
        assert launched.close() == 0
