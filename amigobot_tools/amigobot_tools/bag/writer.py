# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Writes a bag as the sqlite3 storage of rosbag2 has it; what was committed survives a killed recorder."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from ament_index_python import PackageNotFoundError, get_package_share_directory
from rclpy.duration import Duration
from rclpy.qos import QoSProfile

#: of metadata.yaml, and of how QoS is written in it: that of Jazzy and later
VERSION = 9
_SCHEMA = """
PRAGMA synchronous = NORMAL;
CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL);
CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL,
    offered_qos_profiles TEXT NOT NULL, type_description_hash TEXT NOT NULL);
CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, encoding TEXT NOT NULL,
    encoded_message_definition TEXT NOT NULL, type_description_hash TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,
    data BLOB NOT NULL);
CREATE INDEX timestamp_idx ON messages (timestamp ASC);
INSERT INTO schema VALUES (4, 'amigobot_tools');
"""
_SEPARATOR = "=" * 80


class BagWriter:
    """Takes messages as they came over the wire. Each method raises OSError when the disk is full.

    Args:
        path: Folder to make.
    """

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True)
        self._path = path
        self._topics: dict[str, dict[str, Any]] = {}
        self._numbers: dict[str, int] = {}
        self._times: list[int] = []  #: of the oldest and the newest message, ns since the epoch
        self._waiting: list[tuple[int, int, bytes]] = []
        self._database = sqlite3.connect(path / f"{path.name}.db3")
        with self._disk_errors():
            self._database.executescript(_SCHEMA)

    def add_topic(self, topic: str, kind: str, offered: Sequence[QoSProfile]) -> None:
        """Announce a topic, with the QoS its publishers offer. Raises LookupError when `kind` is not known here."""
        text, qos = definition(kind), qos_yaml(offered)
        number = self._numbers[topic] = len(self._topics) + 1
        self._topics[topic] = {
            "topic_metadata": {
                "name": topic,
                "type": kind,
                "serialization_format": "cdr",
                "offered_qos_profiles": yaml.safe_load(qos),
                "type_description_hash": "",
            },
            "message_count": 0,
        }
        with self._disk_errors(), self._database:
            self._database.execute("INSERT INTO topics VALUES (?, ?, ?, 'cdr', ?, '')", (number, topic, kind, qos))
            self._database.execute(
                "INSERT INTO message_definitions VALUES (?, ?, 'ros2msg', ?, '')", (number, kind, text)
            )

    def write(self, topic: str, data: bytes, time: int) -> None:
        """Append a message in CDR at the next `commit`; `time` in ns since the epoch."""
        self._waiting.append((self._numbers[topic], time, data))
        self._topics[topic]["message_count"] += 1
        self._times = [min([time, *self._times]), max([time, *self._times])]

    def commit(self) -> None:
        """Write the messages. In one short transaction: a program that is killed leaves no journal of it."""
        with self._disk_errors(), self._database:
            self._database.executemany("INSERT INTO messages VALUES (NULL, ?, ?, ?)", self._waiting)
        self._waiting.clear()
        # Afterwards: the metadata must not promise what is not in the database.
        new = self._path / "metadata.yaml.new"
        new.write_text(yaml.safe_dump({"rosbag2_bagfile_information": self._metadata()}), encoding="utf-8")
        new.replace(self._path / "metadata.yaml")

    def close(self) -> None:
        """Finish the files."""
        try:
            self.commit()
        finally:
            self._database.close()

    @contextmanager
    def _disk_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OSError(0, str(error), str(self._path)) from None

    def _metadata(self) -> dict[str, Any]:
        first, last = self._times or (0, 0)
        begin, duration = {"nanoseconds_since_epoch": first}, {"nanoseconds": last - first}
        count = sum(topic["message_count"] for topic in self._topics.values())
        file = f"{self._path.name}.db3"
        return {
            "version": VERSION,
            "storage_identifier": "sqlite3",
            "relative_file_paths": [file],
            "duration": duration,
            "starting_time": begin,
            "message_count": count,
            "topics_with_message_count": list(self._topics.values()),
            "compression_format": "",
            "compression_mode": "",
            "files": [{"path": file, "starting_time": dict(begin), "duration": dict(duration), "message_count": count}],
            "custom_data": None,
            "ros_distro": "amigobot_tools",
        }


def definition(kind: str) -> str:
    """Return the definition of a type such as "nav_msgs/msg/Odometry", with those of the types that it contains.

    Raises:
        LookupError: It is not installed.
    """
    texts: dict[str, str] = {}
    missing = [kind]
    while missing:
        name = missing.pop()
        if name not in texts:
            texts[name] = _source(name).read_text(encoding="utf-8")
            missing += _contained(texts[name], name.split("/")[0])
    first, *others = texts.items()
    parts = (f"{_SEPARATOR}\nMSG: {name.replace('/msg/', '/')}\n{text}" for name, text in others)
    return "\n".join((first[1], *parts))


def _source(kind: str) -> Path:
    package, _, name = kind.split("/")
    try:
        path = Path(get_package_share_directory(package)) / "msg" / f"{name}.msg"
    except PackageNotFoundError:
        raise LookupError(f"the package {package}, with the type {kind}, is not installed") from None
    if not path.is_file():
        raise LookupError(f"{path}: this definition is not installed")
    return path


def _contained(text: str, package: str) -> list[str]:
    """The message types of the fields of a definition; those of ROS itself begin with a lower-case letter."""
    found = re.findall(r"^\s*((?:\w+/)?[A-Z]\w*)(?:\[\S*\])?\s+\w", text, re.MULTILINE)
    return [f"{name.rpartition('/')[0] or package}/msg/{name.rpartition('/')[2]}" for name in found]


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
