# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Reads bags: with rosbag2 where it is installed, else with `rosbags` from PyPI, which needs no ROS."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from amigobot_driver.wording import counted


class BagError(Exception):
    """A bag that cannot be read, or is not what it says of itself."""


@dataclass(frozen=True, slots=True)
class Message:
    """One recorded message; `time` is when the recorder got it, ns since the epoch."""

    topic: str
    kind: str
    time: int
    content: Any


def read_bag(path: Path, kinds: Collection[str] | None = None) -> list[Message]:
    """Read the messages of a bag, oldest first, decoded.

    Args:
        path: Its folder.
        kinds: Types of the messages that are read; None: all.

    Raises:
        BagError: It cannot be read, or does not hold what its metadata say.
    """
    for journal in path.glob("*.db3-journal"):  # a recorder was killed while it wrote: sqlite undoes that part
        with closing(sqlite3.connect(str(journal).removesuffix("-journal"))) as database:
            database.execute("SELECT count(*) FROM sqlite_master")
    read = _read_with_rosbag2 if find_spec("rosbag2_py") else _read_with_rosbags
    claimed, messages = read(path, kinds)
    found = Counter(message.topic for message in messages)
    for topic, count in claimed.items():
        if found[topic] < count:
            there = counted(found[topic], "message")
            raise BagError(f"{path} is damaged: {there} of {topic} found, its metadata say {count}")
    return messages


def _read_with_rosbags(path: Path, kinds: Collection[str] | None) -> tuple[dict[str, int], list[Message]]:
    """The number of messages by topic that the metadata say, and the messages."""
    from rosbags.highlevel import AnyReader, AnyReaderError

    try:
        with AnyReader([path]) as reader:
            wanted = [one for one in reader.connections if kinds is None or one.msgtype in kinds]
            messages = [
                Message(connection.topic, connection.msgtype, time, reader.deserialize(data, connection.msgtype))
                for connection, time, data in (reader.messages(wanted) if wanted else ())
            ]
            topics = {connection.topic for connection in wanted}
            return {topic: info.msgcount for topic, info in reader.topics.items() if topic in topics}, messages
    except (AnyReaderError, OSError) as error:
        raise BagError(f"{path}: {error}") from None


def _read_with_rosbag2(path: Path, kinds: Collection[str] | None) -> tuple[dict[str, int], list[Message]]:
    """Likewise."""
    import rosbag2_py

    try:
        metadata = rosbag2_py.Info().read_metadata(str(path), "")
        reader = rosbag2_py.SequentialReader()
        reader.open(
            rosbag2_py.StorageOptions(uri=str(path), storage_id=metadata.storage_identifier),
            rosbag2_py.ConverterOptions("cdr", "cdr"),
        )
        types = {
            topic.name: topic.type
            for topic in reader.get_all_topics_and_types()
            if kinds is None or topic.type in kinds
        }
        counts = {topic.topic_metadata.name: topic.message_count for topic in metadata.topics_with_message_count}
        claimed = {topic: count for topic, count in counts.items() if topic in types}
        return claimed, list(_decoded(reader, types))
    except (RuntimeError, LookupError) as error:
        raise BagError(f"{path}: {error}") from None


def _decoded(reader: Any, types: dict[str, str]) -> Iterator[Message]:
    from rclpy.serialization import deserialize_message

    from .recorder import message_class

    while reader.has_next():
        topic, data, time = reader.read_next()
        if topic in types:
            yield Message(topic, types[topic], time, deserialize_message(data, message_class(types[topic])))
