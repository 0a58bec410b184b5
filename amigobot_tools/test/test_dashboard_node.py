# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The dashboard through a running node: what it sees, and that its controls reach the robot."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from operator import itemgetter

import pytest
from fakes import PATIENCE, until

pytest.importorskip("rclpy", reason="ROS 2 is not set up")
pytest.importorskip("amigobot_msgs.msg", reason="the messages are not built")
pytest.importorskip("aiohttp", reason="aiohttp is not installed")
ros_bench = pytest.importorskip("ros_bench", reason="the benches of amigobot_driver are not on the path")

from diagnostic_msgs.msg import DiagnosticStatus  # noqa: E402
from nav_msgs.msg import OccupancyGrid  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402

from amigobot_driver import RequestFailedError  # noqa: E402
from amigobot_driver.doctor import Finding  # noqa: E402
from amigobot_tools.dashboard.pilot import Pilot  # noqa: E402
from amigobot_tools.dashboard.sources.node_source import NodeSource, _finding  # noqa: E402


@pytest.fixture(scope="module")
def bench() -> Iterator[ros_bench.Bench]:
    with ros_bench.Bench(ros_bench.Robot(name="anna"), namespace="anna") as bench:
        yield bench


@pytest.fixture(scope="module")
def source(bench: ros_bench.Bench) -> Iterator[NodeSource]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_DOMAIN_ID", str(bench.domain))
        source = NodeSource("anna", timeout=PATIENCE)
    yield source
    source.close()


def test_the_page_shows_state_parameters_and_diagnostics(source: NodeSource) -> None:
    until(lambda: source.state().connected and source.state().volts > 12, "the state of the robot")
    until(lambda: source.sections()["parameters"], "the parameters")
    rows = {row["name"]: row for row in source.sections()["parameters"]}
    assert (rows["cmd_vel_timeout"]["low"], rows["cmd_vel_timeout"]["high"]) == (0.05, 2.0)
    assert "stops this long after" in rows["cmd_vel_timeout"]["text"] and "port" not in rows  # it cannot change
    until(lambda: source.sections()["diagnostics"], "diagnostics")
    found = {row["name"]: row for row in source.sections()["diagnostics"]}
    assert found["link"]["level"] == "ok" and "battery" in found
    assert _finding("gripper", DiagnosticStatus(level=b"\xff"))["level"] == "stale", "of another publisher"


def test_controls_of_the_page_reach_the_robot(source: NodeSource, bench: ros_bench.Bench) -> None:
    do = {name: request.run for name, request in source.requests.items()}
    do["motors"](on=True)
    until(lambda: source.state().motors, "the motors are on")
    do["sonar"](on=False)
    until(lambda: source.state().sonar is False, "the sonar is off")
    do["sonar"](on=True)
    do["reset_odometry"]()
    until(lambda: source.sections()["parameters"], "the parameters")
    assert do["parameter"](name="cmd_vel_timeout", value=1) == "cmd_vel_timeout is 1.0 now"
    until(lambda: ("cmd_vel_timeout", 1.0) in [*map(itemgetter("name", "value"), source.sections()["parameters"])], "1")
    with pytest.raises(RequestFailedError, match="cmd_vel_timeout out of range"):
        do["parameter"](name="cmd_vel_timeout", value=9.0)
    with pytest.raises(RequestFailedError, match=r"is True, allowed: 0\.05 to 2 s"):
        do["parameter"](name="cmd_vel_timeout", value=True)
    do["list_sounds"]()
    assert source.sections()["sounds"]


def test_a_browser_that_goes_leaves_a_drivable_node(source: NodeSource, bench: ros_bench.Bench) -> None:
    log: list[str] = []
    pilot = Pilot(source, log.append)
    until(lambda: pilot.drive(0.2, 0.0) or bench.robot.speed > 0.1, "the robot drives")
    until(lambda: pilot.step() or bench.robot.stopped, "the robot is at rest")
    assert log, "the log says why"
    until(lambda: pilot.step() or not (pilot.braking or source.state().emergency), "the stop is cleared")
    until(lambda: pilot.drive(0.2, 0.0) or bench.robot.speed > 0.1, "the robot drives again")
    pilot.brake("gone")
    until(lambda: pilot.step() or not pilot.braking, "the braking ends")
    until(lambda: bench.robot.stopped and not source.state().emergency, "at rest at the end, and not latched")


def test_the_doctor_looks_at_the_nodes(source: NodeSource, bench: ros_bench.Bench) -> None:
    progress: list[str] = []
    findings: dict[str, Finding] = {}

    def sees_the_driver() -> bool:
        findings.update((finding.check, finding) for finding in source.examination().findings(progress.append))
        return "the driver runs: /anna/amigobot" in findings["ROS nodes"].text

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_DOMAIN_ID", str(bench.domain))
        until(sees_the_driver, "the driver among the nodes")  # a busy computer takes longer than the doctor waits
    assert "amigobot doctor PORT" in findings["port"].text and progress


def test_frames_of_the_line_while_somebody_looks(source: NodeSource) -> None:
    source.watch_frames(True)
    until(lambda: {frame.to_robot for _, frame in source.frames.after(0)} == {True, False}, "frames both ways")
    destroy, threads = source.node.destroy_subscription, set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            source.node, "destroy_subscription", lambda one: threads.add(threading.get_ident()) or destroy(one)
        )
        source.watch_frames(False)
        until(lambda: threads, "the subscription is destroyed")
    assert threads == {source._thread.ident}, "another thread would end the one that waits for messages"


def test_the_map_of_a_navigation_run(source: NodeSource, bench: ros_bench.Bench) -> None:
    assert "map" not in source.sections()
    grid = OccupancyGrid()
    grid.info.width, grid.info.height, grid.info.resolution = 3, 2, 0.5
    grid.info.origin.position.x = -1.0
    grid.data = [0, 100, -1, 0, 0, 0]
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = source.node.create_publisher(OccupancyGrid, "map", latched)
    publisher.publish(grid)
    until(lambda: "map" in source.sections(), "the map")
    shown = source.sections()["map"]
    assert (shown["width"], shown["height"], shown["resolution"], shown["x"]) == (3, 2, 0.5, -1.0)
    assert shown["cells"] == "AAECAAAA"


def test_parameters_of_a_node_without_robot(source: NodeSource, bench: ros_bench.Bench) -> None:
    bench.robot.unplug()
    until(lambda: not source.alive, "the node reports no robot")
    source.do_parameter("max_linear_velocity", 1)
    new = ("max_linear_velocity", 1.0)
    until(lambda: new in [*map(itemgetter("name", "value"), source.sections()["parameters"])], "the new value")
    bench.robot.plug_in()
