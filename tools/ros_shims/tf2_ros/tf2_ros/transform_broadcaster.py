# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Publish transforms that change with time on /tf."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from tf2_msgs.msg import TFMessage

QOS = QoSProfile(
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
    history=HistoryPolicy.KEEP_LAST,
    depth=100,
)


class TransformBroadcaster:
    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        self.pub_tf = node.create_publisher(TFMessage, "/tf", QOS if qos is None else qos)

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Publish one transform, or several in one message."""
        single = isinstance(transform, TransformStamped)
        self.pub_tf.publish(TFMessage(transforms=[transform] if single else list(transform)))
