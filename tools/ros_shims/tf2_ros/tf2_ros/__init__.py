# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The part of tf2_ros that a driver needs: the two broadcasters, with the real ones' names and QoS."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

__all__ = ["StaticTransformBroadcaster", "TransformBroadcaster"]

_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class TransformBroadcaster:
    """Publish transforms that change with time on /tf."""

    def __init__(self, node: Node, qos: QoSProfile | int = 100) -> None:
        self.pub_tf = node.create_publisher(TFMessage, "/tf", qos)

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Publish one transform, or several in one message."""
        self.pub_tf.publish(TFMessage(transforms=_listed(transform)))


class StaticTransformBroadcaster:
    """Publish transforms that never change on /tf_static, where late subscribers find them too."""

    def __init__(self, node: Node, qos: QoSProfile | int = _LATCHED) -> None:
        self.pub_tf = node.create_publisher(TFMessage, "/tf_static", qos)
        self._by_child: dict[str, TransformStamped] = {}

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:
        """Add one transform or several; with depth 1, each message must carry all that were sent so far."""
        self._by_child |= {one.child_frame_id: one for one in _listed(transform)}
        self.pub_tf.publish(TFMessage(transforms=list(self._by_child.values())))


def _listed(transform: TransformStamped | Iterable[TransformStamped]) -> list[TransformStamped]:
    return [transform] if isinstance(transform, TransformStamped) else list(transform)
