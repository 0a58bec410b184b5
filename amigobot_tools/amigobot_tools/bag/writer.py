# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Two ways to write a bag, with one interface: rosbag2 itself where it is installed, else `rosbags` from PyPI."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import yaml
from rclpy.duration import Duration
from rclpy.qos import QoSProfile

if TYPE_CHECKING:
    from rosbags.interfaces import Connection

STORAGE = "mcap"
#: of metadata.yaml, and of how QoS is written in it: that of Jazzy and later
VERSION: Final = 9


class BagWriter(Protocol):
    """Takes messages as they came over the wire."""

    def add_topic(self, topic: str, kind: str, offered: Sequence[QoSProfile]) -> None:
        """Announce a topic, with the QoS its publishers offer. Raises LookupError when `kind` is not known here."""
        ...

    def write(self, topic: str, data: bytes, time: int) -> None:
        """Append a message in CDR; `time` in ns since the epoch."""
        ...

    def close(self) -> None:
        """Finish the files."""
        ...


def open_writer(path: Path) -> BagWriter:
    """A writer for a bag that does not exist yet."""
    return Rosbag2Writer(path) if find_spec("rosbag2_py") else RosbagsWriter(path)


class RosbagsWriter:
    """The writer from PyPI."""

    def __init__(self, path: Path) -> None:
        from rosbags.rosbag2 import StoragePlugin, Writer

        from .definitions import Definitions

        self._definitions = Definitions()
        self._connections: dict[str, Connection] = {}
        self._writer = Writer(path, version=VERSION, storage_plugin=StoragePlugin[STORAGE.upper()])
        self._writer.open()

    def add_topic(self, topic: str, kind: str, offered: Sequence[QoSProfile]) -> None:
        """See `BagWriter`."""
        from rosbags.rosbag2.metadata import parse_qos

        self._definitions.need(kind)
        self._connections[topic] = self._writer.add_connection(
            topic, kind, typestore=self._definitions.store, offered_qos_profiles=parse_qos(qos_yaml(offered))
        )

    def write(self, topic: str, data: bytes, time: int) -> None:
        """See `BagWriter`."""
        self._writer.write(self._connections[topic], time, data)

    def close(self) -> None:
        """See `BagWriter`."""
        self._writer.close()


class Rosbag2Writer:
    """The writer of ROS."""

    def __init__(self, path: Path) -> None:
        import rosbag2_py

        self._rosbag2 = rosbag2_py
        self._writer = rosbag2_py.SequentialWriter()
        self._writer.open(
            rosbag2_py.StorageOptions(uri=str(path), storage_id=STORAGE), rosbag2_py.ConverterOptions("cdr", "cdr")
        )

    def add_topic(self, topic: str, kind: str, offered: Sequence[QoSProfile]) -> None:
        """See `BagWriter`."""
        qos = self._rosbag2.to_rclcpp_qos_vector(qos_yaml(offered), VERSION)
        self._writer.create_topic(
            self._rosbag2.TopicMetadata(
                id=0, name=topic, type=kind, serialization_format="cdr", offered_qos_profiles=qos
            )
        )

    def write(self, topic: str, data: bytes, time: int) -> None:
        """See `BagWriter`."""
        self._writer.write(topic, data, time)

    def close(self) -> None:
        """See `BagWriter`."""
        self._writer.close()


def qos_yaml(profiles: Sequence[QoSProfile]) -> str:
    """QoS as metadata.yaml has it."""
    return yaml.safe_dump(
        [
            {
                "history": profile.history.name.lower(),
                "depth": profile.depth,
                "reliability": profile.reliability.name.lower(),
                "durability": profile.durability.name.lower(),
                "deadline": _time(profile.deadline),
                "lifespan": _time(profile.lifespan),
                "liveliness": profile.liveliness.name.lower(),
                "liveliness_lease_duration": _time(profile.liveliness_lease_duration),
                "avoid_ros_namespace_conventions": profile.avoid_ros_namespace_conventions,
            }
            for profile in profiles
        ]
    )


def _time(duration: Duration) -> dict[str, int]:
    seconds, nanoseconds = divmod(duration.nanoseconds, 10**9)
    return {"sec": seconds, "nsec": nanoseconds}
