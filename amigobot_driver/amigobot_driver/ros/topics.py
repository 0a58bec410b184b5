# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""All topics of the node, in one table: names, types and queues. docs/reference/topics.yaml has what they are for.

The node creates its publishers and subscriptions from these rows. The recorder, the security policy and the table in
docs/reference/topics.md are made from them, too. Names are relative to the namespace of the robot; `{number}` stands
for the number of a sonar, a floor sensor or an auxiliary port.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import BatteryState, Imu, JointState, Joy, LaserScan, PointCloud2, Range
from tf2_msgs.msg import TFMessage

from amigobot_msgs.msg import (
    AuxData,
    Bumpers,
    Compass,
    Encoders,
    GripperState,
    HeadingVelocity,
    IoState,
    MotorCurrents,
    Packet,
    RobotConfig,
    RobotStatus,
    WheelVelocities,
)

#: Reliable and keep-last: matches best-effort and reliable subscribers.
_DEPTH = 10
#: Messages that must not be lost in a burst: bytes of a serial line, frames of a recording.
_DEEP = 100
#: Only the newest message is used.
_NEWEST = 1
#: s between two counts of the subscribers of a topic.
_RECOUNT = 0.5
_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class TopicPublisher:
    """A publisher that asks the middleware for its subscribers twice a second, and not with each SIP.

    Attributes:
        publish: Publishes a message.
        count: Asks the middleware, and returns the number of subscribers.
    """

    __slots__ = ("_asked", "_subscribed", "count", "publish")

    def __init__(self, publisher: Publisher) -> None:
        self.publish = publisher.publish
        self.count = publisher.get_subscription_count
        self._asked = -math.inf
        self._subscribed = False

    def subscribed(self, now: float) -> bool:
        """Return whether a message is needed; a new subscriber counts after 0.5 s at most.

        Args:
            now: Time of the message on the driver's clock, s.
        """
        if not 0.0 <= now - self._asked < _RECOUNT:
            self._asked, self._subscribed = now, bool(self.count())
        return self._subscribed


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic."""

    name: str
    kind: type
    qos: int | QoSProfile = _DEPTH
    numbers: tuple[int, ...] = ()  #: all that there may be; (): as many as the profile of the robot has

    def publisher(self, node: Node, number: int | None = None) -> TopicPublisher:
        """Create the publisher, for a sonar, sensor or port with this number."""
        # rclpy waits for the QoS events of a publisher too: 60 % of a wait set. The subscriber logs the same.
        no_events = PublisherEventCallbacks(use_default_callbacks=False)
        name = self._name(number)
        return TopicPublisher(node.create_publisher(self.kind, name, self.qos, event_callbacks=no_events))

    def subscribe(self, node: Node, callback: Callable[..., object], number: int | None = None) -> None:
        """Create the subscription, for a port with this number, whose callback gets the number first."""
        callback = callback if number is None else partial(callback, number)
        # As above: a quarter of the CPU at 10 velocities a second. The publisher logs the same.
        no_events = SubscriptionEventCallbacks(use_default_callbacks=False)
        node.create_subscription(self.kind, self._name(number), callback, self.qos, event_callbacks=no_events)

    def pattern(self) -> str:
        """Return the name as a regular expression."""
        return re.escape(self.name).replace(r"\{number\}", r"\d+")

    def names(self, others: str) -> list[str]:
        """Return all names; without known numbers `others` stands for the number."""
        if "{number}" not in self.name:
            return [self.name]
        return [self.name.format(number=number) for number in self.numbers or (others,)]

    def _name(self, number: int | None) -> str:
        return self.name if number is None else self.name.format(number=number)


ODOM = Topic("odom", Odometry)
TF = Topic("/tf", TFMessage, 100)
RANGE = Topic("sonar/range_{number}", Range)
CLOUD = Topic("sonar/cloud", PointCloud2)
SCAN = Topic("sonar/scan", LaserScan)
BATTERY = Topic("battery_state", BatteryState)
JOINTS = Topic("joint_states", JointState)
STATUS = Topic("status", RobotStatus)
CONFIG = Topic("robot_config", RobotConfig, _LATCHED)
ENCODERS = Topic("encoders", Encoders)
IMU = Topic("imu/data_raw", Imu)
IO = Topic("io", IoState)
CURRENTS = Topic("motor_currents", MotorCurrents)
BUMPERS = Topic("bumpers", Bumpers)
COMPASS = Topic("compass", Compass)
GRIPPER = Topic("gripper_state", GripperState)
JOY = Topic("joy", Joy)
FLOOR = Topic("floor/range_{number}", Range)
AUX_RX = Topic("aux{number}/rx", AuxData, _DEEP, (1, 2, 3))
PACKETS = Topic("packets", Packet, _DEEP)
DIAGNOSTICS = Topic("/diagnostics", DiagnosticArray)

#: Published by the node; a topic of a device that the robot lacks is missing.
PUBLISHED = (
    *(ODOM, TF, RANGE, CLOUD, SCAN, BATTERY, JOINTS, STATUS, CONFIG, ENCODERS, IMU, IO, CURRENTS, BUMPERS, COMPASS),
    *(GRIPPER, JOY, FLOOR, AUX_RX, PACKETS, DIAGNOSTICS),
)

CMD_VEL = Topic("cmd_vel", Twist, _NEWEST)
CMD_VEL_STAMPED = Topic(CMD_VEL.name, TwistStamped, qos=CMD_VEL.qos)
CMD_WHEELS = Topic("cmd_wheels", WheelVelocities, _NEWEST)
CMD_HEADING = Topic("cmd_heading", HeadingVelocity, _NEWEST)
SERVOS = Topic("servo_commands", JointState, _NEWEST)
AUX_TX = Topic("aux{number}/tx", AuxData, _DEEP, AUX_RX.numbers)

#: Subscribed by the node.
SUBSCRIBED = (CMD_VEL, CMD_WHEELS, CMD_HEADING, SERVOS, AUX_TX)

#: Topics without a namespace: all robots share them.
SHARED = (TF, DIAGNOSTICS)


def message_name(kind: Any) -> str:
    """Return the ROS name of a message, service or action type, such as "nav_msgs/Odometry"."""
    return f"{kind.__module__.split('.')[0]}/{kind.__name__}"
