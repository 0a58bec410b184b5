# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Publish transforms that never change on /tf_static, where late subscribers find them too."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from tf2_msgs.msg import TFMessage

QOS = QoSProfile(
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
)


class StaticTransformBroadcaster:
    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        self.pub_tf = node.create_publisher(TFMessage, "/tf_static", QOS if qos is None else qos)
        self._by_child: dict[str, TransformStamped] = {}

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Add one transform or several; with depth 1, each message must carry all that were sent so far."""
        for one in [transform] if isinstance(transform, TransformStamped) else transform:
            self._by_child[one.child_frame_id] = one
        self.pub_tf.publish(TFMessage(transforms=list(self._by_child.values())))
