# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A rosbag with the packets of the line (`record.launch.py packets:=true`) as a recording."""

from __future__ import annotations

from pathlib import Path

from amigobot_driver.cli import UsageError
from amigobot_driver.packet_file import Head, RecordedFrame
from amigobot_driver.profiles import load_profile

from .reader import Message, read_bag

_PACKET, _CONFIG = "amigobot_msgs/msg/Packet", "amigobot_msgs/msg/RobotConfig"


def is_bag(path: Path) -> bool:
    """Whether a path is that of a rosbag: its folder, or its file."""
    return (path / "metadata.yaml").is_file() or (path.is_file() and path.suffix in (".mcap", ".db3"))


def read_packets(path: Path, namespace: str = "", profile: str = "") -> tuple[Head, list[RecordedFrame]]:
    """Return the packets of a bag, as of a file of `amigobot record`.

    Args:
        path: Folder or file of the bag.
        namespace: Of the robot; "": the only one in the bag.
        profile: Instead of the profile in the bag; "": that one.

    Raises:
        UsageError: The bag cannot be read, or has no packets of this robot; the message says what to do.
    """
    messages = read_bag(path.parent if path.is_file() else path, (_PACKET, _CONFIG))
    found = sorted({_namespace(message) for message in messages if message.kind == _PACKET})
    if not found:
        raise UsageError(
            f"{path} has no packets of the serial line: record with "
            "`ros2 launch amigobot_driver record.launch.py packets:=true`; rviz2 and Foxglove show this bag"
        )
    namespace = namespace.strip("/")
    if (not namespace and len(found) > 1) or (namespace and namespace not in found):
        raise UsageError(f"--name {namespace or '(not given)'}: {path} has the robots {', '.join(found)}")
    own = [message for message in messages if _namespace(message) == (namespace or found[0])]
    config = next((message.content for message in own if message.kind == _CONFIG), None)
    used = profile or (config.profile if config else "")
    if not used:
        raise UsageError(f"{path} does not say which robot it is of, as robot_config is missing: give --robot")
    packets = [message for message in own if message.kind == _PACKET]
    stamps = (message.content.header.stamp for message in packets)
    times = [float(stamp.sec + stamp.nanosec * 1e-9) for stamp in stamps]
    head = Head(
        started=times[0],
        port="",
        name=config.name if config else "",
        robot_class=config.robot_class if config else "",
        subclass=config.robot_subclass if config else "",
        profile=config.profile if config else profile,
        erratic=load_profile(used).erratic,
    )
    records = [
        RecordedFrame(time - times[0], bool(message.content.to_robot), bytes(message.content.data))
        for time, message in zip(times, packets, strict=True)
    ]
    return head, records


def _namespace(message: Message) -> str:
    """Namespace of the topic of a message, without slashes around it."""
    return message.topic.rpartition("/")[0].strip("/")
