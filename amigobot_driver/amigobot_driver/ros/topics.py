# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""All topics of the node, in one table: names, types, queues, and what docs/reference/topics.md says about them.

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
    """One topic. `when` and `notes` are columns of the table in docs/reference."""

    name: str
    kind: type
    when: str = ""
    notes: str = ""
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


ODOM = Topic("odom", Odometry, "each SIP (10 or 20 Hz)", "m, rad, m/s, rad/s; `odom_frame` to `base_frame`")
TF = Topic("/tf", TFMessage, "each SIP", "off with `publish_tf: false`", 100)
RANGE = Topic(
    "sonar/range_{number}",
    Range,
    "when that sonar fired",
    "frame `sonar_N_link`; the range without an echo is [`sonar_no_echo`](../decisions/0001-sonar-no-echo.md)",
)
CLOUD = Topic(
    "sonar/cloud", PointCloud2, "each SIP with readings", "echoes in the base frame; `sensor_id` is the sonar"
)
SCAN = Topic(
    "sonar/scan", LaserScan, "each SIP with readings", "the present sonar ring, base frame; with `publish_scan`"
)
BATTERY = Topic(
    "battery_state",
    BatteryState,
    "1 Hz and on change",
    "V; the percentage is estimated from the voltage unless the robot reports it (ARCOS); values that are not "
    "measured are NaN",
)
JOINTS = Topic("joint_states", JointState, "each SIP", "`left_wheel_joint`, `right_wheel_joint`")
STATUS = Topic(
    "status",
    RobotStatus,
    "each SIP, and when the link changes",
    "motors, stalls, emergency stop, link, age of each sonar; ARCOS: faults, charge, temperature, turn rate",
)
CONFIG = Topic(
    "robot_config",
    RobotConfig,
    "latched",
    "identity, profile and the reason for it, every value of the CONFIG packet",
    _LATCHED,
)
ENCODERS = Topic("encoders", Encoders, "as streamed", "raw ticks")
_IMU_NOTES = (
    "AmigoSH, AROS from 1.8 on, ARCOS: turn rate of [a gyro that the driver reads]"
    "(../protocol/odometry.md#the-turn-rate-of-the-gyro); frame `imu_link`"
)
IMU = Topic("imu/data_raw", Imu, "as streamed", _IMU_NOTES)
IO = Topic("io", IoState, "each SIP or IOpac", "digital pins, analog volts")
CURRENTS = Topic("motor_currents", MotorCurrents, "as streamed", "Erratic; A")
BUMPERS = Topic(
    "bumpers",
    Bumpers,
    "each SIP",
    "Pioneer; pressed segments: `front` from the robot's left to its right, `rear` from its right to its left",
)
COMPASS = Topic("compass", Compass, "each SIP or TCM2pac", "Pioneer, with `compass`; clockwise from north, and as yaw")
GRIPPER = Topic("gripper_state", GripperState, "each SIP and GRIPPERpac", "Pioneer with a gripper")
JOY = Topic("joy", Joy, "as streamed", "the Pioneer's own joystick, with `joystick_stream`: axes x, y, throttle")
FLOOR = Topic(
    "floor/range_{number}",
    Range,
    "as streamed",
    "Erratic: -inf is a floor, +inf is no floor, as defined by Range for binary sensors",
)
AUX_RX = Topic(
    "aux{number}/rx",
    AuxData,
    "when bytes arrive",
    "`aux3` if the firmware has it (AmigoSH, ARCOS)",
    _DEEP,
    (1, 2, 3),
)
PACKETS = Topic("packets", Packet, "every frame", "with `publish_packets` from the start of the driver", _DEEP)
DIAGNOSTICS = Topic(
    "/diagnostics",
    DiagnosticArray,
    "1 Hz",
    "each status with its remedy",
)

#: Published by the node; a topic of a device that the robot lacks is missing.
PUBLISHED = (
    *(ODOM, TF, RANGE, CLOUD, SCAN, BATTERY, JOINTS, STATUS, CONFIG, ENCODERS, IMU, IO, CURRENTS, BUMPERS, COMPASS),
    *(GRIPPER, JOY, FLOOR, AUX_RX, PACKETS, DIAGNOSTICS),
)

CMD_VEL = Topic(
    "cmd_vel",
    Twist,
    "",
    "TwistStamped with `enable_stamped_cmd_vel`; expires after `cmd_vel_timeout`; scaled down to the limits on the "
    "same curve",
    _NEWEST,
)
CMD_VEL_STAMPED = Topic(CMD_VEL.name, TwistStamped, qos=CMD_VEL.qos)
CMD_WHEELS = Topic("cmd_wheels", WheelVelocities, "", "velocity of each wheel, m/s", _NEWEST)
CMD_HEADING = Topic("cmd_heading", HeadingVelocity, "", "a velocity while the robot keeps a heading", _NEWEST)
SERVOS = Topic(
    "servo_commands",
    JointState,
    "",
    "positions (rad) by the joint names of the profile: Erratic `pan_joint`, `tilt_joint`, `servo_joint`",
    _NEWEST,
)
AUX_TX = Topic("aux{number}/tx", AuxData, "", "bytes for the device; `aux3` as above", _DEEP, AUX_RX.numbers)

#: Subscribed by the node.
SUBSCRIBED = (CMD_VEL, CMD_WHEELS, CMD_HEADING, SERVOS, AUX_TX)

#: Topics without a namespace: all robots share them.
SHARED = (TF, DIAGNOSTICS)


def message_name(kind: Any) -> str:
    """Return the ROS name of a message, service or action type, such as "nav_msgs/Odometry"."""
    return f"{kind.__module__.split('.')[0]}/{kind.__name__}"
