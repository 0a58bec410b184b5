# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Writes a bag with `rosbags`, so that what was committed survives a killed recorder."""

from __future__ import annotations

import copy
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ament_index_python import PackageNotFoundError, get_package_share_directory
from rclpy.qos import QoSProfile
from rosbags.interfaces import Connection, Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.base import TypesysError

_NO_LIMIT = QosTime(0, 0)


class BagWriter:
    """Takes messages as they came over the wire. Each method raises OSError when the disk is full.

    Args:
        path: Folder to make.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._types = get_typestore(Stores.ROS2_JAZZY)
        self._bag = Writer(path, version=Writer.VERSION_LATEST, storage_plugin=StoragePlugin.SQLITE3)
        self._topics: dict[str, Connection] = {}
        self._waiting: list[tuple[Connection, int, bytes]] = []
        with self._disk_errors():
            self._bag.open()

    def add_topic(self, topic: str, kind: str, offered: Sequence[QoSProfile]) -> None:
        """Announce a topic, with the QoS its publishers offer. Raises LookupError when `kind` is not known here."""
        if kind not in self._types.fielddefs:
            self._register_package(kind.partition("/")[0])
        qos = [_qos(profile) for profile in offered]
        try:
            with self._disk_errors():
                self._topics[topic] = self._bag.add_connection(
                    topic, kind, typestore=self._types, offered_qos_profiles=qos
                )
        except (KeyError, TypesysError):
            raise LookupError(f"the type {kind}, or one that it contains, is not installed") from None

    def write(self, topic: str, data: bytes, time: int) -> None:
        """Append a message in CDR at the next `commit`; `time` in ns since the epoch."""
        self._waiting.append((self._topics[topic], time, data))

    def commit(self) -> None:
        """Write the messages. In one short transaction: a program that is killed leaves no journal of it."""
        storage: Any = self._bag.storage
        with self._disk_errors():
            for message in self._waiting:
                self._bag.write(*message)
            storage.conn.commit()
        self._waiting.clear()
        # Afterwards: the metadata must not promise what is not in the database. A copy of the writer, which keeps the
        # database open, writes them.
        snapshot = copy.copy(self._bag)
        snapshot.storage = SimpleNamespace(path=storage.path, close=lambda version, metadata: None)  # type: ignore[assignment]
        snapshot.close()

    def close(self) -> None:
        """Finish the files."""
        try:
            self.commit()
        except OSError:
            self._bag.abort()
            raise
        with self._disk_errors():
            self._bag.close()

    def _register_package(self, package: str) -> None:
        """Add the types of an installed package."""
        try:
            folder = Path(get_package_share_directory(package)) / "msg"
        except PackageNotFoundError:
            return
        for path in sorted(folder.glob("*.msg")):
            self._types.register(get_types_from_msg(path.read_text(encoding="utf-8"), f"{package}/msg/{path.stem}"))

    @contextmanager
    def _disk_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OSError(0, str(error), str(self._path)) from None


def _qos(profile: QoSProfile) -> Qos:
    """What a player needs to publish the messages as they were published."""
    return Qos(
        QosHistory.KEEP_LAST,
        profile.depth,
        QosReliability[profile.reliability.name],
        QosDurability[profile.durability.name],
        _NO_LIMIT,
        _NO_LIMIT,
        QosLiveliness.AUTOMATIC,
        _NO_LIMIT,
        False,
    )
