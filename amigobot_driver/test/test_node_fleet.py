# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Several robots on one computer, and the node on simulated time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from nav_msgs.msg import Odometry
from ros_bench import Bench, Robot
from rosgraph_msgs.msg import Clock
from tf2_msgs.msg import TFMessage

TEAM = ("anna", "bert")


@pytest.fixture(scope="module")
def robots() -> Iterator[dict[str, Robot]]:
    robots = {name: Robot(name=name) for name in TEAM}
    yield robots
    for robot in robots.values():
        robot.unplug()


@pytest.fixture(scope="module")
def bench(robots: dict[str, Robot]) -> Iterator[Bench]:
    """Two nodes that differ in nothing but port, namespace and frame_prefix."""
    first, second = (
        {"port": robots[name].url, "namespace": name, "frame_prefix": f"{name}/", "enable_stamped_cmd_vel": False}
        for name in TEAM
    )
    with Bench(**first) as bench:
        bench.start(**second)
        for name in TEAM:
            bench.client.receive(Odometry, f"{name}/odom")
        yield bench


@pytest.mark.parametrize("name", TEAM)
class TestFleet:
    def test_each_robot_has_its_topics(self, bench: Bench, name: str) -> None:
        (publisher,) = bench.wait_until(lambda: bench.client.node.get_publishers_info_by_topic(f"/{name}/robot_config"))
        assert publisher.node_namespace == f"/{name}"
        for topic in ("odom", "joint_states", "status", "battery_state", "sonar/cloud", "sonar/range_7"):
            bench.wait_until(lambda topic=topic: bench.client.node.count_publishers(f"/{name}/{topic}") == 1)
            assert bench.client.node.count_publishers(f"/{topic}") == 0

    def test_both_robots_are_in_one_tf_tree(self, bench: Bench, name: str) -> None:
        transforms = bench.listen(TFMessage, "/tf")

        def pairs() -> set[tuple[str, str]]:
            every = (transform for message in transforms.messages for transform in message.transforms)
            return {(transform.header.frame_id, transform.child_frame_id) for transform in every}

        both = {(f"{name}/odom", f"{name}/base_link") for name in TEAM}
        bench.wait_until(lambda: pairs() >= both and len(transforms) > 10)
        assert pairs() == both

    def test_each_robot_drives_alone(self, bench: Bench, robots: dict[str, Robot], name: str) -> None:
        (other,) = set(TEAM) - {name}
        with bench.driving(0.2, topic=f"{name}/cmd_vel"):
            bench.wait_until(lambda: robots[name].speed > 0.1)
            assert robots[other].stopped
        bench.wait_until(lambda: robots[name].stopped)


@pytest.fixture(scope="module", autouse=True)
def simulated_time() -> Iterator[Bench]:
    """Started with the others, which saves time."""
    with Bench(Robot(), use_sim_time=True, publish_tf=False, enable_stamped_cmd_vel=False) as bench:
        yield bench


class TestSimulatedTime:
    @pytest.fixture
    def bench(self, simulated_time: Bench) -> Bench:
        return simulated_time.connected()

    def test_without_simulated_time_messages_have_stamp_zero(self, bench: Bench) -> None:
        odom = bench.client.receive(Odometry, "odom")
        assert (odom.header.stamp.sec, odom.header.stamp.nanosec) == (0, 0)
        bench.wait_until(lambda: bench.diagnostic("link").message.startswith("connected to"))
        with bench.driving(0.2):
            bench.wait_until(lambda: bench.robot.speed > 0.1)
        bench.wait_until(lambda: bench.robot.stopped)  # the timeout is one of real time
        assert bench.node.running

    def test_stamps_follow_simulated_time(self, bench: Bench) -> None:
        odom = bench.listen(Odometry, "odom")
        clock = bench.client.publisher(Clock, "/clock")
        now = Clock()
        now.clock.sec = 1000
        timer = bench.client.node.create_timer(0.05, lambda: clock.publish(now))
        bench.wait_until(lambda: odom.messages and 999 <= odom.last.header.stamp.sec <= 1000)
        bench.client.node.destroy_timer(timer)
