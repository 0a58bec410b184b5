# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Velocity commands in three forms, `cmd_vel`, `cmd_wheels` and `cmd_heading`, received in a thread of their own.

For each message rclpy builds a wait set of everything that its executor serves. With some 40 services of the node that
costs ten times what the velocity itself does (docs/performance.md), so the velocities have a small node of their own.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Mapping

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from amigobot_msgs.msg import HeadingVelocity, WheelVelocities

from ..findings import OK, Finding
from ..robot import Refused, Robot
from . import topics
from .interface import Interface, NodeContext

MessageInfo = Mapping[str, int]  #: as rclpy passes it: times in ns

_NUMBER = re.compile(r"-?\d[\d.e+-]*|\b-?(nan|inf)\b")
#: s that a callback may take to end when the node is closed.
_END_TIMEOUT = 2.0


class VelocityInput(Interface):
    """Subscribes to cmd_vel (Twist or TwistStamped), cmd_wheels and cmd_heading, and drives the robot.

    The core checks every value; this class checks the age of stamped messages and logs why a velocity was refused.
    """

    def __init__(self, context: NodeContext) -> None:
        super().__init__(context)
        self._driver = context.driver
        self._stamped = bool(context.parameters["enable_stamped_cmd_vel"])
        #: the node that has the subscriptions
        self.node = _minimal_node(context.node)
        if self._stamped:
            topics.CMD_VEL_STAMPED.subscribe(self.node, self._on_stamped)
        else:
            topics.CMD_VEL.subscribe(self.node, self._on_twist)
        topics.CMD_WHEELS.subscribe(self.node, self._on_wheels)
        topics.CMD_HEADING.subscribe(self.node, self._on_heading)
        #: set when an exception has ended the thread; the robot was stopped
        self.failed = threading.Event()
        self._ending = threading.Event()
        self._executor = SingleThreadedExecutor(context=self.node.context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._run, name="amigobot-velocity", daemon=True)

    def start(self) -> None:
        """Start the thread. Returns at once."""
        self._thread.start()

    def close(self) -> None:
        """End the thread: after this no velocity reaches the robot."""
        self._ending.set()
        if self._thread.is_alive():
            self._executor.create_task(lambda: None)  # ends spin_once
            self._thread.join(_END_TIMEOUT)
            if self._thread.is_alive():
                return  # it ends after its callback; until then it uses the node
        self._executor.shutdown()
        self.node.destroy_node()

    def _run(self) -> None:
        try:
            while not self._ending.is_set():
                self._executor.spin_once()
        except BaseException:
            if not self.node.context.ok():
                return  # ROS was shut down, which rclpy reports in several ways
            with self._driver.robot() as robot:
                robot.stop(self._driver.clock())
            self.failed.set()
            raise

    def warn_about_twist_type(self) -> None:
        """Warn about publishers of the other Twist type: ROS never connects them to this node."""
        if not self.node.count_publishers(topics.CMD_VEL.name):
            return  # counting takes a tenth of the time of the query below
        expected = "TwistStamped" if self._stamped else "Twist"
        for publisher in self.node.get_publishers_info_by_topic(topics.CMD_VEL.name):
            kind = publisher.topic_type.rpartition("/")[2]
            if kind != expected and self._context.throttle.due(f"{publisher.node_name} {kind}"):
                self._node.get_logger().warning(
                    f"{publisher.node_name} publishes {topics.CMD_VEL.name} as {kind}, but this node expects "
                    f"{expected}: start it with -p enable_stamped_cmd_vel:={str(not self._stamped).lower()}"
                )

    def finding(self) -> Finding:
        """Return the diagnostics status: the publishers of velocities. Several are allowed."""
        found = self.node.get_publishers_info_by_topic(topics.CMD_VEL.name)
        names = ", ".join(sorted(publisher.node_name for publisher in found)) or "no node"
        message = f"published by {names}"
        if len(found) > 1:
            message = f"{len(found)} publishers, the newest message counts: {names}"
        return OK, message, {"publishers": len(found)}

    def _on_stamped(self, message: TwistStamped, info: MessageInfo) -> None:
        stamp, stamped = message.header.stamp, math.inf
        if stamp.sec or stamp.nanosec:
            # Plain numbers: the Time class of rclpy raises for a stamp before 1970.
            age = self._node.get_clock().now().nanoseconds * 1e-9 - (stamp.sec + stamp.nanosec * 1e-9)
            if abs(age) > self._timeout:
                self._refuse_old(topics.CMD_VEL.name, f"its stamp differs by {age:.1f} s from this computer's clock")
                return
            stamped = self._driver.clock() - age
        linear, angular = message.twist.linear.x, message.twist.angular.z
        self._drive(topics.CMD_VEL.name, info, Robot.drive, linear, angular, stamped=stamped)

    def _on_twist(self, twist: Twist, info: MessageInfo) -> None:
        self._drive(topics.CMD_VEL.name, info, Robot.drive, twist.linear.x, twist.angular.z)

    def _on_wheels(self, message: WheelVelocities, info: MessageInfo) -> None:
        self._drive(topics.CMD_WHEELS.name, info, Robot.drive_wheels, message.left, message.right)

    def _on_heading(self, message: HeadingVelocity, info: MessageInfo) -> None:
        self._drive(topics.CMD_HEADING.name, info, Robot.drive_course, message.velocity, message.heading)

    def _drive(
        self,
        topic: str,
        info: MessageInfo,
        command: Callable[..., None],
        *values: float,
        stamped: float = math.inf,
    ) -> None:
        # A velocity counts from its arrival at this computer, which may be before a stop that another thread handled.
        received = info["received_timestamp"]  # ns; 0 if the middleware does not tell
        waited = max(0.0, (time.time_ns() - received) * 1e-9) if received else 0.0
        if waited > self._timeout:
            self._refuse_old(topic, f"it waited for {waited:.1f} s in this computer's queue")
            return
        requested = self._driver.clock() - waited
        try:
            with self._driver.robot() as robot:
                if stamped < requested:
                    robot.motion.refuse_if_stopped_since(stamped)
                command(robot, *values, requested)
        except Refused as reason:
            self._refuse(topic, str(reason))

    @property
    def _timeout(self) -> float:
        return float(self._context.parameters["cmd_vel_timeout"])

    def _refuse_old(self, topic: str, reason: str) -> None:
        with self._driver.robot() as robot:
            robot.motion.add_refused()
        self._refuse(topic, reason)

    def _refuse(self, topic: str, reason: str) -> None:
        # Refusals that differ in a number only are logged as one.
        self._context.warn(topic, f"refused: {reason}", key=_NUMBER.sub("#", reason))


def _minimal_node(node: Node) -> Node:
    """Create a second node without services, parameters and log topic."""
    name = f"{node.get_name()}_velocity"
    return Node(
        name,
        context=node.context,
        namespace=node.get_namespace(),
        # Without this, a remapping of the node's name on the command line would rename this node, too.
        cli_args=["--ros-args", "-r", f"__node:={name}"],
        enable_rosout=False,
        start_parameter_services=False,
        parameter_overrides=[
            Parameter("use_sim_time", value=False),
            Parameter("start_type_description_service", value=False),
        ],
    )
