# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Reads bags: with rosbag2 where it is installed, else with `rosbags` from PyPI, which needs no ROS."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from amigobot_driver.cli import UsageError


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
        UsageError: It cannot be read.
    """
    if find_spec("rosbag2_py"):
        return list(_read_with_rosbag2(path, kinds))
    return _read_with_rosbags(path, kinds)


def _read_with_rosbags(path: Path, kinds: Collection[str] | None) -> list[Message]:
    from rosbags.highlevel import AnyReader, AnyReaderError

    try:
        with AnyReader([path]) as reader:
            selected = [one for one in reader.connections if kinds is None or one.msgtype in kinds]
            return [
                Message(connection.topic, connection.msgtype, time, reader.deserialize(data, connection.msgtype))
                for connection, time, data in (reader.messages(selected) if selected else ())
            ]
    except (AnyReaderError, OSError) as error:
        raise UsageError(f"{path}: {error}") from None


def _read_with_rosbag2(path: Path, kinds: Collection[str] | None) -> Iterator[Message]:
    import rosbag2_py
    from rclpy.serialization import deserialize_message

    try:
        storage = rosbag2_py.Info().read_metadata(str(path), "").storage_identifier
        reader = rosbag2_py.SequentialReader()
        options = rosbag2_py.StorageOptions(uri=str(path), storage_id=storage)
        reader.open(options, rosbag2_py.ConverterOptions("cdr", "cdr"))
        types = {topic.name: topic.type for topic in reader.get_all_topics_and_types()}
        while reader.has_next():
            topic, data, time = reader.read_next()
            if kinds is None or types[topic] in kinds:
                yield Message(topic, types[topic], time, deserialize_message(data, message_class(types[topic])))
    except (RuntimeError, LookupError) as error:
        raise UsageError(f"{path}: {error}") from None


def message_class(kind: str) -> Any:
    """Return the class of a type such as "nav_msgs/msg/Odometry".

    Raises:
        LookupError: It is not installed.
    """
    package, _, name = kind.split("/")
    try:
        return getattr(import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError):
        raise LookupError(f"the type {kind} is not installed") from None
