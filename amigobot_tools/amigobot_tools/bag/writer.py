# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Writes a bag with `rosbags`, of messages in serialized form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ament_index_python import PackageNotFoundError, get_package_share_directory
from rclpy.qos import QoSProfile
from rosbags.interfaces import Connection, Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.base import TypesysError

_NO_LIMIT = QosTime(0, 0)


class BagWriter:
    """Takes messages as they came over the wire. Each method raises OSError or sqlite3.Error when the disk is full.

    Args:
        path: Folder to make.
    """

    def __init__(self, path: Path) -> None:
        self._types = get_typestore(Stores.ROS2_JAZZY)
        self._bag = Writer(path, version=Writer.VERSION_LATEST, storage_plugin=StoragePlugin.SQLITE3)
        self._topics: dict[str, Connection] = {}
        self._bag.open()

    def add_topic(self, topic: str, kind: str, offered: Sequence[QoSProfile]) -> None:
        """Announce a topic, with the QoS its publishers offer. Raises LookupError when `kind` is not known here."""
        if kind not in self._types.fielddefs:
            self._register_package(kind.partition("/")[0])
        qos = [_qos(profile) for profile in offered]
        try:
            connection = self._bag.add_connection(topic, kind, typestore=self._types, offered_qos_profiles=qos)
        except (KeyError, TypesysError):
            raise LookupError(f"the type {kind}, or one that it contains, is not installed") from None
        self._topics[topic] = connection

    def write(self, topic: str, data: bytes, time: int) -> None:
        """Append a message in CDR; `time` in ns since the epoch."""
        self._bag.write(self._topics[topic], time, data)

    def commit(self) -> None:
        """Write what was appended to the disk. Only `close` writes the metadata; `ros2 bag reindex` does, too."""
        storage: Any = self._bag.storage
        storage.conn.commit()

    def close(self) -> None:
        """Finish the files."""
        self._bag.close()

    def _register_package(self, package: str) -> None:
        """Add the types of an installed package."""
        try:
            folder = Path(get_package_share_directory(package)) / "msg"
        except PackageNotFoundError:
            return
        for path in sorted(folder.glob("*.msg")):
            self._types.register(get_types_from_msg(path.read_text(encoding="utf-8"), f"{package}/msg/{path.stem}"))


def _qos(profile: QoSProfile) -> Qos:
    """Return the QoS with which a player publishes the messages as they were published."""
    reliability, durability = QosReliability[profile.reliability.name], QosDurability[profile.durability.name]
    kept, alive = (QosHistory.KEEP_LAST, profile.depth), QosLiveliness.AUTOMATIC
    return Qos(*kept, reliability, durability, _NO_LIMIT, _NO_LIMIT, alive, _NO_LIMIT, False)
