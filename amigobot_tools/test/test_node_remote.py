# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Tools through a running node: what they see, and that they drive it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fakes import PATIENCE, until

pytest.importorskip("rclpy", reason="ROS 2 is not set up")
pytest.importorskip("amigobot_msgs.msg", reason="the messages are not built")
ros_bench = pytest.importorskip("ros_bench", reason="the benches of amigobot_driver are not on the path")

from amigobot_driver.errors import ConnectionFailedError  # noqa: E402
from amigobot_tools.node_remote import NodeRemote  # noqa: E402


@pytest.fixture(scope="module")
def bench() -> Iterator[ros_bench.Bench]:
    """A node in a namespace, with a robot."""
    with ros_bench.Bench(ros_bench.Robot(name="anna"), namespace="anna") as bench:
        yield bench


@pytest.fixture
def remote(bench: ros_bench.Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[NodeRemote]:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(bench.domain))
    remote = NodeRemote("anna", drives=True, timeout=PATIENCE)
    yield remote
    remote.clear_emergency_stop()
    remote.close()


def test_a_tool_sees_the_robot_of_the_node(remote: NodeRemote) -> None:
    until(lambda: all(echo.age < 2.0 for echo in remote.state().echoes), "every sonar reports")
    until(lambda: remote.state().volts > 12.0, "the battery reports")
    until(lambda: remote.state().link, "diagnostics of the link")
    state = remote.state()
    assert (remote.where, state.name, state.model) == ("/anna/amigobot", "anna", "AmigoBot (AmigOS)")
    assert (state.connected, state.motors, state.emergency, len(state.echoes)) == (True, True, False, 8)
    assert int(state.link["packets"]) > 0


def test_a_tool_drives_and_stops_through_the_node(remote: NodeRemote, bench: ros_bench.Bench) -> None:
    def driving() -> bool:
        assert remote.drive(0.2, 0.0) == ""
        return bool(bench.robot.speed > 0.1)

    until(driving, "the robot drives")
    remote.emergency_stop()
    until(lambda: remote.state().emergency and bench.robot.stopped, "the emergency stop is latched")
    assert remote.drive(0.2, 0.0) == ""
    remote.clear_emergency_stop()
    until(lambda: not remote.state().emergency, "the emergency stop is cleared")


@pytest.fixture
def empty_domain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A ROS domain without a node, which no other test is given."""
    domain, lock = ros_bench.free_domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    with lock:
        yield


@pytest.mark.usefixtures("empty_domain")
def test_without_a_node_the_message_names_it() -> None:
    with pytest.raises(ConnectionFailedError, match="/bert/amigobot: no such node yet; is amigobot_node running"):
        NodeRemote("bert", drives=False, timeout=0.5)


def test_a_node_without_a_robot_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with ros_bench.Bench(port="/dev/ttyNONE") as bench:
        monkeypatch.setenv("ROS_DOMAIN_ID", str(bench.domain))
        remote = NodeRemote("", drives=False, timeout=0.0)
        try:
            until(lambda: "there is no such port" in remote.state().note, "the diagnostics of the link")
        finally:
            remote.close()


@pytest.mark.usefixtures("empty_domain")
def test_a_node_may_come_later() -> None:
    remote = NodeRemote("bert", drives=True, timeout=0.0)
    try:
        assert remote.state().note.startswith("no such node yet; is amigobot_node running")
        assert remote.drive(0.1, 0.0) == "/bert/amigobot does not subscribe to cmd_vel yet"
    finally:
        remote.close()
