# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Writes rosbags as `ros2 bag record` does, with `rosbags`: the tests have no rosbag2."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from ament_index_python import get_package_share_directory
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from rosbags.interfaces import Connection, Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

_NO_LIMIT = QosTime(0, 0)


class BagWriter:
    """Takes messages until the `with` block ends."""

    def __init__(self, path: Path) -> None:
        self._types = get_typestore(Stores.ROS2_JAZZY)
        for file in sorted((Path(get_package_share_directory("amigobot_msgs")) / "msg").glob("*.msg")):
            self._types.register(get_types_from_msg(file.read_text(), f"amigobot_msgs/msg/{file.stem}"))
        self._bag = Writer(path, version=Writer.VERSION_LATEST, storage_plugin=StoragePlugin.SQLITE3)
        self._topics: dict[str, Connection] = {}
        self._bag.open()

    def __enter__(self) -> BagWriter:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._bag.close()

    def add_topic(self, topic: str, kind: str, offered: QoSProfile) -> None:
        """Announce a topic, with its type and the QoS of its publisher."""
        policies = QosReliability[offered.reliability.name], QosDurability[offered.durability.name]
        kept, alive = (QosHistory.KEEP_LAST, offered.depth), QosLiveliness.AUTOMATIC
        qos = [Qos(*kept, *policies, _NO_LIMIT, _NO_LIMIT, alive, _NO_LIMIT, False)]
        self._topics[topic] = self._bag.add_connection(topic, kind, typestore=self._types, offered_qos_profiles=qos)

    def write(self, topic: str, message: Any, time: int) -> None:
        """Append a message; `time` in ns since the epoch."""
        self._bag.write(self._topics[topic], time, bytes(serialize_message(message)))
