# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""motors_on_connect: false, and sonar_on_connect: when_subscribed: the sonars fire only for a subscriber."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ros_bench import Bench, Inbox, Robot, shared_bench
from sensor_msgs.msg import PointCloud2, Range

from amigobot_driver.protocol import Command
from amigobot_msgs.msg import RobotStatus

OPTIONS = {"sonar_on_connect": "when_subscribed", "motors_on_connect": False, "enable_stamped_cmd_vel": False}


bench = shared_bench(lambda: Robot("amigo", world="room", seed=1), **OPTIONS)


@pytest.fixture(scope="module")
def status(bench: Bench) -> Inbox[RobotStatus]:
    return bench.listen(RobotStatus, "status")


@contextmanager
def subscriber(bench: Bench, kind: type, topic: str) -> Iterator[list[object]]:
    received: list[object] = []
    subscription = bench.client.node.create_subscription(kind, topic, received.append, 10)
    try:
        yield received
    finally:
        bench.client.node.destroy_subscription(subscription)


def wait_for_sonar(bench: Bench, status: Inbox[RobotStatus], on: bool) -> None:
    bench.wait_until(lambda: status.messages and status.last.sonar_enabled is on)


def test_no_sonar_fires_for_nobody(bench: Bench, status: Inbox[RobotStatus]) -> None:
    wait_for_sonar(bench, status, False)
    begin = len(bench.robot.received)
    bench.pass_sips(15)
    assert not status.last.sonar_enabled
    assert not bench.robot.values(Command.SONAR, begin)


@pytest.mark.parametrize(("kind", "topic"), [(Range, "sonar/range_3"), (PointCloud2, "sonar/cloud")])
def test_the_first_and_last_subscriber_switch_the_sonars(
    bench: Bench, status: Inbox[RobotStatus], kind: type, topic: str
) -> None:
    with subscriber(bench, kind, topic) as received:
        bench.wait_until(lambda: received)
        wait_for_sonar(bench, status, True)
    wait_for_sonar(bench, status, False)


def test_a_subscriber_gets_readings_again_after_a_reconnect(bench: Bench, status: Inbox[RobotStatus]) -> None:
    with subscriber(bench, Range, "sonar/range_0") as received:
        bench.wait_until(lambda: received)
        bench.robot.unplug()
        status.clear()
        bench.wait_until(lambda: status.messages and status.last.link_state != RobotStatus.LINK_RUNNING)
        bench.robot.plug_in()
        received.clear()
        bench.wait_until(lambda: received)


def test_motors_stay_off_with_motors_on_connect_false(bench: Bench, status: Inbox[RobotStatus]) -> None:
    bench.wait_until(lambda: status.messages)
    assert bench.robot.values(Command.ENABLE) == []
    assert not status.last.motors_enabled
    with bench.driving(0.3):
        bench.wait_until(lambda: bench.node.logged("a velocity arrives while the motors are off"))
    assert bench.robot.stopped
