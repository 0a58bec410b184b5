"""Reads bags without ROS: the definitions of the messages are in the file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosbags.highlevel import AnyReader, AnyReaderError


class BagError(Exception):
    """A bag that cannot be read, or is not what it says of itself."""


@dataclass(frozen=True, slots=True)
class Message:
    """One recorded message; `time` is when the recorder got it, ns since the epoch."""

    topic: str
    kind: str
    time: int
    content: Any


def read_bag(path: Path) -> list[Message]:
    """All messages of a bag, oldest first, decoded. Raises BagError, also when it does not hold what it says."""
    try:
        with AnyReader([path]) as reader:
            messages = [
                Message(connection.topic, connection.msgtype, time, reader.deserialize(data, connection.msgtype))
                for connection, time, data in reader.messages()
            ]
            claimed = {topic: info.msgcount for topic, info in reader.topics.items()}
    except (AnyReaderError, OSError) as error:
        raise BagError(f"{path}: {error}") from None
    found = Counter(message.topic for message in messages)
    for topic, count in claimed.items():
        if found[topic] != count:
            raise BagError(f"{path}: {found[topic]} messages of {topic}, its metadata say {count}")
    return messages
