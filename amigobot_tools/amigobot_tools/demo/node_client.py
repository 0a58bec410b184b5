# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot behind an amigobot_node, through topics and services."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import BatteryState, Range
from std_srvs.srv import SetBool, Trigger

from amigobot_driver.profiles import load_profile
from amigobot_msgs.msg import RobotConfig, RobotStatus

from ..state import yaw_of
from .client import Answer
from .guard import Guard
from .tour import Pose

_VELOCITIES = {"geometry_msgs/msg/Twist": Twist, "geometry_msgs/msg/TwistStamped": TwistStamped}


class NodeClient(Node):
    """Subscribes to the topics of the robot and publishes velocities.

    Args:
        clearance: For the `guard`, m.
    """

    def __init__(self, clearance: float) -> None:
        super().__init__("tour")
        self.guard = Guard((), clearance)
        self.name = ""
        self.pose: Pose | None = None
        self.received_at = -math.inf  #: when the last odometry came, on the monotonic clock
        self.speed = math.nan
        self.turn_rate = math.nan
        self._status = RobotStatus()
        self.volts = math.nan
        self.packets = 0
        self.link = ""  #: state of the connection to the robot
        self._clearance = clearance
        self._configured = False
        self._publisher: Any = None
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_subscription(Odometry, "odom", self._on_odometry, 1)
        self.create_subscription(RobotStatus, "status", self._on_status, 10)
        self.create_subscription(RobotConfig, "robot_config", self._on_config, latched)
        self.create_subscription(BatteryState, "battery_state", self._on_battery, 1)
        self.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self._services_used = {
            name: self.create_client(kind, name)
            for name, kind in (("enable_motors", SetBool), ("reset_odometry", Trigger), ("stop", Trigger))
        }

    def ready(self) -> bool:
        """Return whether everything that is needed for driving is there."""
        if self._publisher is None:
            self._publisher = self._make_publisher()
        return (
            self._publisher is not None
            and self._status.link_state == RobotStatus.LINK_RUNNING
            and self._configured
            and self.pose is not None
            and not self.guard.silent_sonar(time.monotonic())
            and all(client.service_is_ready() for client in self._services_used.values())
        )

    @property
    def stalled(self) -> bool:
        """Whether a wheel is stalled."""
        return bool(self._status.stall_left or self._status.stall_right)

    def drive(self, linear: float, angular: float) -> None:
        """Publish a velocity, m/s and rad/s; nothing while there is no subscriber."""
        if self._publisher is None:
            return
        message = twist = self._publisher.msg_type()
        if isinstance(message, TwistStamped):
            message.header.stamp = self.get_clock().now().to_msg()
            message.header.frame_id = "base_link"
            twist = message.twist
        twist.linear.x, twist.angular.z = linear, angular
        self._publisher.publish(message)

    def call(self, request: str) -> Future[Answer]:
        """Call a service: enable_motors (with true), reset_odometry or stop."""
        client = self._services_used[request]
        content = client.srv_type.Request()
        if isinstance(content, SetBool.Request):
            content.data = True
        answer: Future[Answer] = Future()
        client.call_async(content).add_done_callback(
            lambda future: answer.set_result(Answer(future.result().success, future.result().message))
        )
        return answer

    def listen(self, seconds: float) -> None:
        """Take in messages for that long."""
        deadline = time.monotonic() + seconds
        while True:
            self._executor.spin_once(timeout_sec=max(0.0, deadline - time.monotonic()))
            if time.monotonic() >= deadline:
                return

    def close(self) -> None:
        """Leave the graph. The node keeps its robot."""
        self.destroy_node()
        rclpy.try_shutdown()

    def _make_publisher(self) -> Any:
        """Of whichever type the robot's node takes; None while that is not known."""
        for subscription in self.get_subscriptions_info_by_topic("cmd_vel"):
            if kind := _VELOCITIES.get(subscription.topic_type):
                return self.create_publisher(kind, "cmd_vel", 1)
        return None

    def _on_odometry(self, message: Odometry) -> None:
        pose = message.pose.pose
        self.pose = Pose(pose.position.x, pose.position.y, yaw_of(pose.orientation))
        self.speed, self.turn_rate = message.twist.twist.linear.x, message.twist.twist.angular.z
        self.received_at = time.monotonic()

    def _on_status(self, message: RobotStatus) -> None:
        self._status = message

    def _on_battery(self, message: BatteryState) -> None:
        self.volts = message.voltage

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name.endswith(": link"):
                self.link = status.message
                self.packets = int({value.key: value.value for value in status.values}["packets_received"])

    def _on_config(self, message: RobotConfig) -> None:
        """Take the poses of the sonars from the profile of the robot."""
        if not self._configured and message.received:
            self._configured = True
            self.name = message.name
            sonars = load_profile(message.profile).sonar.poses
            self.guard = Guard(sonars, self._clearance)
            for number in range(len(sonars)):
                self.create_subscription(Range, f"sonar/range_{number}", self._range_listener(number), 1)

    def _range_listener(self, number: int) -> Callable[[Range], None]:
        return lambda message: self.guard.update(number, message.range, time.monotonic())
