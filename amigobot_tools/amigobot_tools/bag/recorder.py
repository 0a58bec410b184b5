# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Records topics of any type in serialized form: no message is decoded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import partial

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from .reader import message_class
from .writer import BagWriter

_SEARCH_PERIOD = 0.2  # s between two searches for new topics
_COMMIT_PERIOD = 1.0  # s of the recording that a killed program loses at most
_DEPTH = 1000  # messages that may wait for this process


class BagRecorder:
    """Records the topics given, or all there are, as soon as each has a publisher, and prints a line for each."""

    def __init__(self, node: Node, writer: BagWriter, topics: Collection[str]) -> None:
        self.counts: Counter[str] = Counter()
        self._node, self._writer = node, writer
        self._topics = {node.resolve_topic_name(topic) for topic in topics}
        self._seen: set[str] = set()
        node.create_timer(_SEARCH_PERIOD, self._subscribe_new)
        node.create_timer(_COMMIT_PERIOD, writer.commit)

    def _subscribe_new(self) -> None:
        for topic, kinds in self._node.get_topic_names_and_types():
            # Hidden topics, such as those of actions, only if they are asked for: as `ros2 bag record`.
            selected = topic in self._topics or not (self._topics or "/_" in topic)
            if selected and topic not in self._seen and (publishers := self._node.get_publishers_info_by_topic(topic)):
                self._seen.add(topic)
                try:
                    self._subscribe(topic, kinds, [publisher.qos_profile for publisher in publishers])
                    print(f"recording {topic} {kinds}", flush=True)
                except LookupError as error:
                    print(f"left out {topic}: {error}", flush=True)

    def _subscribe(self, topic: str, kinds: list[str], offered: list[QoSProfile]) -> None:
        """Record a topic. Raises LookupError if its type is not known here."""
        if len(kinds) > 1:
            raise LookupError(f"it has several types, {' and '.join(kinds)}")
        kind = message_class(kinds[0])
        self._writer.add_topic(topic, kinds[0], offered)
        self._node.create_subscription(kind, topic, partial(self._write, topic), _matching(offered), raw=True)

    def _write(self, topic: str, data: bytes, info: dict[str, int]) -> None:
        self._writer.write(topic, data, info["received_timestamp"])
        self.counts[topic] += 1


def _matching(offered: list[QoSProfile]) -> QoSProfile:
    """Return the strictest QoS that all of these publishers offer."""
    reliable = all(qos.reliability is ReliabilityPolicy.RELIABLE for qos in offered)
    latched = all(qos.durability is DurabilityPolicy.TRANSIENT_LOCAL for qos in offered)
    return QoSProfile(
        depth=_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )
