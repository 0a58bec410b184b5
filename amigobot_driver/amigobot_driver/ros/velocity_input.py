# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Velocity commands in three forms: `cmd_vel`, `cmd_wheels` and `cmd_heading`."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.qos import ReliabilityPolicy

from amigobot_msgs.msg import HeadingVelocity, WheelVelocities

from ..doctor import Finding, Severity
from ..robot import RequestRefusedError
from ..robot.motion.motion import Motion
from . import topics
from .interface import Interface, NodeContext

MessageInfo = Mapping[str, int]  #: as rclpy passes it: times in ns

#: Numbers in a reason.
_NUMBER = re.compile(r"-?\d[\d.e+-]*(, \d+)*|\b-?(nan|inf)\b")


class VelocityInput(Interface):
    """Subscribes to cmd_vel (Twist or TwistStamped), cmd_wheels and cmd_heading, and drives the robot.

    The core checks every value; this class checks the age of each message and logs why a velocity was refused.
    """

    def __init__(self, context: NodeContext) -> None:
        super().__init__(context)
        self._driver = context.driver
        self._stamped = bool(context.parameters["enable_stamped_cmd_vel"])
        if self._stamped:
            topics.CMD_VEL_STAMPED.subscribe(self._node, self._on_stamped)
        else:
            topics.CMD_VEL.subscribe(self._node, self._on_twist)
        topics.CMD_WHEELS.subscribe(self._node, self._on_wheels)
        topics.CMD_HEADING.subscribe(self._node, self._on_heading)

    def warn_about_publishers(self) -> None:
        """Warn about publishers that ROS never connects to this node: of the other Twist type, or best-effort."""
        expected = "TwistStamped" if self._stamped else "Twist"
        for publisher in self._node.get_publishers_info_by_topic(topics.CMD_VEL.name):
            kind = publisher.topic_type.rpartition("/")[2]
            name, topic = publisher.node_name, topics.CMD_VEL.name
            if kind != expected:
                remedy = f"start it with -p enable_stamped_cmd_vel:={str(not self._stamped).lower()}"
                text = f"{name} publishes {topic} as {kind}, but this node expects {expected}: {remedy}"
            elif publisher.qos_profile.reliability is ReliabilityPolicy.BEST_EFFORT:
                text = f"{name} publishes {topic} as best effort, but this node expects reliable: change its QoS"
            else:
                continue
            if self._context.throttle.due(text):
                self._node.get_logger().warning(text)

    def finding(self) -> Finding:
        """Return the diagnostics status: the publishers of velocities. Several are allowed."""
        found = self._node.get_publishers_info_by_topic(topics.CMD_VEL.name)
        names = ", ".join(sorted(publisher.node_name for publisher in found)) or "no node"
        message = f"published by {names}"
        if len(found) > 1:
            message = f"{len(found)} publishers, the newest message counts: {names}"
        return Finding("cmd_vel", Severity.OK, message, values={"publishers": len(found)})

    def _on_stamped(self, message: TwistStamped, info: MessageInfo) -> None:
        stamp, stamped = message.header.stamp, math.inf
        if stamp.sec or stamp.nanosec:
            # Plain numbers: the Time class of rclpy raises for a stamp before 1970.
            age = self._node.get_clock().now().nanoseconds * 1e-9 - (stamp.sec + stamp.nanosec * 1e-9)
            if abs(age) > self._timeout:
                self._refuse_old(topics.CMD_VEL.name, f"its stamp differs by {age:.1f} s from this computer's clock")
                return
            stamped = self._driver.clock() - age
        self._on_twist(message.twist, info, stamped)

    def _on_twist(self, twist: Twist, info: MessageInfo, stamped: float = math.inf) -> None:
        linear, angular = twist.linear.x, twist.angular.z
        self._drive(topics.CMD_VEL, info, lambda motion, now: motion.drive(linear, angular, now), stamped)

    def _on_wheels(self, message: WheelVelocities, info: MessageInfo) -> None:
        left, right = message.left, message.right
        self._drive(topics.CMD_WHEELS, info, lambda motion, now: motion.drive_wheels(left, right, now))

    def _on_heading(self, message: HeadingVelocity, info: MessageInfo) -> None:
        linear, yaw = message.velocity, message.heading
        self._drive(topics.CMD_HEADING, info, lambda motion, now: motion.drive_heading(linear, yaw, now))

    def _drive(
        self, topic: topics.Topic, info: MessageInfo, drive: Callable[[Motion, float], None], stamped: float = math.inf
    ) -> None:
        # A velocity counts from its arrival at this computer, which may be before a stop that was handled first.
        received = info["received_timestamp"]  # ns; 0 if the middleware does not report it
        waited = max(0.0, (time.time_ns() - received) * 1e-9) if received else 0.0
        if waited > self._timeout:
            self._refuse_old(topic.name, f"it waited for {waited:.1f} s in this computer's queue")
            return
        requested = self._driver.clock() - waited
        try:
            with self._driver.robot() as robot:
                if stamped < requested:
                    robot.motion.refuse_if_stopped_since(stamped)
                drive(robot.motion, requested)
        except RequestRefusedError as reason:
            self._refuse(topic.name, str(reason))

    @property
    def _timeout(self) -> float:
        return float(self._context.parameters["cmd_vel_timeout"])

    def _refuse_old(self, topic: str, reason: str) -> None:
        with self._driver.robot() as robot:
            robot.motion.stats.refused += 1
        self._refuse(topic, reason)

    def _refuse(self, topic: str, reason: str) -> None:
        # Refusals that differ in a number only are logged as one.
        self._context.warn(topic, f"refused: {reason}", key=_NUMBER.sub("#", reason))
