# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A velocity and a stop are handled by two threads of the node: their order of arrival counts."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import rclpy
from geometry_msgs.msg import Twist, TwistStamped
from rclpy.context import Context
from ros_bench import free_domain

from amigobot_driver.robot import Refused
from amigobot_driver.ros.commands import VelocityInput

PATIENCE = 30.0  # s


class RecordingDriver:
    """Has the lock and the clock of a driver; its robot records when each velocity was requested."""

    clock = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.driven: list[float] = []
        self.entering = threading.Event()  #: a thread wants the lock
        self.refused = 0
        self.stopped_at = -math.inf
        self.motion = SimpleNamespace(drive=self._drive, refuse_if_stopped_since=self._refuse_if_stopped_since)

    @contextmanager
    def robot(self) -> Iterator[Any]:
        self.entering.set()
        with self.lock:
            yield self

    def _drive(self, linear: float, angular: float, now: float) -> None:
        self.driven.append(now)

    def _refuse_if_stopped_since(self, sent: float) -> None:
        if sent < self.stopped_at:
            self.refused += 1
            raise Refused("it was stopped")


@pytest.fixture
def node() -> Iterator[rclpy.node.Node]:
    context = Context()
    domain, lock = free_domain()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node("order", context=context)
    yield node
    node.destroy_node()
    rclpy.shutdown(context=context)
    lock.close()


def test_a_velocity_that_waits_while_a_stop_is_handled_counts_from_its_arrival(node: rclpy.node.Node) -> None:
    driver = RecordingDriver()
    parameters = {"enable_stamped_cmd_vel": False, "cmd_vel_timeout": 2 * PATIENCE}
    velocities = VelocityInput(SimpleNamespace(node=node, driver=driver, parameters=parameters))  # type: ignore[arg-type]
    publisher = node.create_publisher(Twist, "cmd_vel", 1)
    velocities.start()
    try:
        with driver.lock:  # as while a service is handled
            deadline = time.monotonic() + PATIENCE
            while not driver.entering.wait(0.1) and time.monotonic() < deadline:
                publisher.publish(Twist())
            stopped = time.monotonic()
        while not driver.driven and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        velocities.close()
    assert driver.driven[0] < stopped


def test_a_velocity_that_was_stamped_before_a_stop_is_refused(node: rclpy.node.Node) -> None:
    driver = RecordingDriver()
    parameters = {"enable_stamped_cmd_vel": True, "cmd_vel_timeout": 2 * PATIENCE}
    warnings: list[str] = []
    context = SimpleNamespace(
        node=node, driver=driver, parameters=parameters, warn=lambda topic, text, key: warnings.append(text)
    )
    velocities = VelocityInput(context)  # type: ignore[arg-type]
    publisher = node.create_publisher(TwistStamped, "cmd_vel", 1)
    deadline = time.monotonic() + PATIENCE
    message = TwistStamped()
    message.header.stamp = node.get_clock().now().to_msg()
    velocities.start()
    try:
        driver.stopped_at = time.monotonic()
        while not (driver.refused or driver.driven) and time.monotonic() < deadline:
            publisher.publish(message)
            time.sleep(0.01)
        assert driver.driven == []
        assert set(warnings) == {"refused: it was stopped"}
        while not driver.driven and time.monotonic() < deadline:
            message.header.stamp = node.get_clock().now().to_msg()
            publisher.publish(message)
            time.sleep(0.01)
    finally:
        velocities.close()
    assert driver.driven[0] > driver.stopped_at
