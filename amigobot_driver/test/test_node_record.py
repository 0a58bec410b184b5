# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What record.launch.py records: every topic of the node, and its packets for as long as the recording lasts."""

from __future__ import annotations

import contextlib
import re
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import rclpy
from launch_files import mocked_launch
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import Parameter
from rclpy.task import Future
from ros_bench import Bench, Robot, free_domain

from amigobot_driver.resources import share
from amigobot_driver.ros.node import AmigobotNode
from amigobot_driver.ros.packet_switch import PacketSwitch
from amigobot_msgs.msg import Packet

#: What every node has; transforms and diagnostics are recorded for all robots together.
OF_EVERY_NODE = {"/rosout", "/parameter_events", "/clock"}
SWITCH = (sys.executable, "-m", "amigobot_driver.ros.packet_switch")


def topics_of_the_node(robot: str) -> set[str]:
    """The topics that the node of this robot has, with all that can be switched on."""
    context = rclpy.Context()
    settings = {"port": f"sim://{robot}", "robot": robot, "publish_scan": "true", "publish_packets": "true"}
    arguments = [word for name, value in settings.items() for word in ("-p", f"{name}:={value}")]
    domain, lock = free_domain()
    rclpy.init(args=["--ros-args", "-r", "__ns:=/alpha", *arguments], context=context, domain_id=domain)
    node = AmigobotNode(context=context)
    try:
        endpoints = [*node.publishers, *node.subscriptions]
        return {endpoint.topic_name for endpoint in endpoints} - OF_EVERY_NODE
    finally:
        node.close()
        node.destroy_node()
        rclpy.shutdown(context=context)
        lock.close()


@pytest.mark.parametrize("robot", ["amigo", "amigo-sh", "p3dx", "p3at-sh", "erratic"])
def test_every_topic_of_the_node_is_recorded(robot: str) -> None:
    with mocked_launch(share("launch")) as load:
        recorded = load("record").topics("alpha", "")
    missing = {topic for topic in topics_of_the_node(robot) if not re.search(recorded, topic)}
    assert not missing


@pytest.fixture
def bench() -> Iterator[Bench]:
    with Bench(Robot("amigo"), namespace="alpha", node_command=SWITCH) as bench:
        yield bench


def published(bench: Bench) -> bool:
    """The driver's parameter. A driver that was killed seems to be there for a while: its request is repeated."""
    request = GetParameters.Request(names=["publish_packets"])
    answers: list[Any] = []

    def answered() -> bool:
        return any(answer.done() for answer in answers)

    while not answered():
        assert len(answers) < 10, bench.nodes[-1].log
        answers.append(bench.client.ask(GetParameters, "/alpha/amigobot/get_parameters", request))
        with contextlib.suppress(TimeoutError):
            bench.client.wait_until(answered, 5.0)
    newest = next(answer for answer in reversed(answers) if answer.done())
    return bool(newest.result().values[0].bool_value)


def test_packets_are_published_while_they_are_recorded(bench: Bench) -> None:
    """The switch is there before the driver, and sees the next driver; at its end it undoes what it has done."""
    packets = bench.listen(Packet, "/alpha/packets")
    first = bench.start(namespace="alpha", port=bench.robot.url)
    bench.wait_until(lambda: len(packets))
    first.send(signal.SIGKILL)
    first.wait()
    bench.start(namespace="alpha", port=bench.robot.url)
    # Packets of the first driver may still arrive now.
    bench.wait_until(lambda: published(bench))
    packets.clear()
    bench.wait_until(lambda: len(packets))
    bench.node.send(signal.SIGINT)
    assert bench.node.wait() == 0
    assert bench.node.logged("publish_packets is off again")
    assert not bench.node.logged("Traceback"), bench.node.log
    assert not published(bench)


def test_packet_switch_leaves_publish_packets_on_if_it_was_on_before(bench: Bench) -> None:
    packets = bench.listen(Packet, "/alpha/packets")
    bench.start(namespace="alpha", port=bench.robot.url, publish_packets=True)
    bench.wait_until(lambda: len(packets))
    count = len(packets)
    bench.wait_until(lambda: len(packets) > count + 100)
    bench.node.send(signal.SIGINT)
    assert bench.node.wait() == 0
    assert not bench.node.logged("off again")
    assert published(bench)


def test_packet_switch_without_a_driver_ends_without_an_error(bench: Bench) -> None:
    bench.wait_until(lambda: bench.node.logged("waiting for the driver /alpha/amigobot"))
    bench.node.send(signal.SIGINT)
    assert bench.node.wait() == 0
    assert not bench.node.logged("Traceback"), bench.node.log


class SlowDriver:
    """Parameter services of a driver that answers only when the test sets the result."""

    def __init__(self) -> None:
        self.reading: list[Future] = []
        self.sent: list[bool] = []

    def services_are_ready(self) -> bool:
        return True

    def get_parameters(self, _: list[str]) -> Future:
        self.reading.append(Future())
        return self.reading[-1]

    def set_parameters(self, parameters: list[Parameter]) -> Future:
        self.sent += [parameter.value for parameter in parameters]
        return Future()


@pytest.fixture
def switch() -> Iterator[Any]:
    domain, lock = free_domain()
    rclpy.init(domain_id=domain)
    node: Any = PacketSwitch()
    node._driver = SlowDriver()
    node.count_subscribers = lambda _: 1
    yield node
    node.destroy_node()
    rclpy.shutdown()
    lock.close()


def is_off() -> GetParameters.Response:
    return GetParameters.Response(values=[ParameterValue(bool_value=False)])


def test_packet_switch_resets_publish_packets_before_the_driver_has_answered(switch: Any) -> None:
    switch._check()
    switch._driver.reading[0].set_result(is_off())
    assert switch.switch_off()
    assert switch._driver.sent == [True, False]


def test_packet_switch_does_not_set_publish_packets_again_after_the_reset(switch: Any) -> None:
    switch._check()
    assert switch.switch_off() is None
    switch._driver.reading[0].set_result(is_off())
    assert switch._driver.sent == []
    assert switch._timer.is_canceled()
