# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""amigobot_tools.bag: what was recorded is read, with rosbag2 and without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed: its messages cannot be written")

from bag_writer import BagWriter
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message

from amigobot_tools.bag import reader
from amigobot_tools.bag.reader import read_bag

TABLE = Path(__file__).parents[1] / "examples" / "bag_to_csv.py"


def odometry(second: int) -> Odometry:
    """Each second half a meter further ahead, and half of that further to the right."""
    message = Odometry(child_frame_id="base_link")
    message.header.frame_id, message.header.stamp.sec, message.header.stamp.nanosec = "odom", second, 500_000_000
    message.pose.pose.position.x, message.pose.pose.position.y = 0.5 * second, -0.25 * second
    return message


def write(path: Path) -> None:
    """Write a bag with three poses on /odom."""
    with BagWriter(path) as writer:
        writer.add_topic("/odom", "nav_msgs/msg/Odometry", QoSProfile(depth=3))
        writer.add_topic("/silent", "std_msgs/msg/String", QoSProfile(depth=3))
        for second in range(3):
            writer.write("/odom", odometry(second), second * 10**9)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "bag")
    messages = read_bag(tmp_path / "bag")
    assert [(m.topic, m.kind, m.time) for m in messages] == [
        ("/odom", "nav_msgs/msg/Odometry", second * 10**9) for second in range(3)
    ]
    assert [m.content.pose.pose.position.x for m in messages] == [0.0, 0.5, 1.0]
    assert messages[0].content.child_frame_id == "base_link"


@pytest.mark.parametrize(
    "damage",
    [
        lambda bag: (bag / "bag.db3").unlink(),
        lambda bag: (bag / "bag.db3").write_bytes((bag / "bag.db3").read_bytes()[:500]),
        lambda bag: bag.rename(bag.with_name("elsewhere")),
    ],
)
def test_damaged_bag_is_refused(tmp_path: Path, damage: Any) -> None:
    write(tmp_path / "bag")
    damage(tmp_path / "bag")
    with pytest.raises(reader.UsageError, match="bag"):
        read_bag(tmp_path / "bag")


def test_a_reader_that_ends_first_gets_no_traceback(tmp_path: Path) -> None:
    write(tmp_path / "bag")
    command = [sys.executable, TABLE, tmp_path / "bag", "/odom", "child_frame_id"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()  # before the process has begun to write
    assert process.stderr.read() == b""


def test_rosbag2_reads_what_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [("/odom", serialize_message(odometry(second)), second + 6) for second in (1, 2)]

    opened = Mock()
    opened.get_all_topics_and_types.return_value = [SimpleNamespace(name="/odom", type="nav_msgs/msg/Odometry")]
    opened.has_next.side_effect = lambda: bool(entries)
    opened.read_next.side_effect = lambda: entries.pop(0)
    rosbag2 = SimpleNamespace(
        SequentialReader=lambda: opened,
        Info=lambda: SimpleNamespace(read_metadata=lambda path, storage: SimpleNamespace(storage_identifier="mcap")),
        StorageOptions=lambda **options: options,
        ConverterOptions=lambda *formats: formats,
    )
    monkeypatch.setitem(sys.modules, "rosbag2_py", rosbag2)
    monkeypatch.setattr(reader, "find_spec", lambda name: rosbag2)
    messages = read_bag(tmp_path)
    opened.open.assert_called_once_with({"uri": str(tmp_path), "storage_id": "mcap"}, ("cdr", "cdr"))
    assert [(m.topic, m.kind, m.time, m.content.pose.pose.position.x) for m in messages] == [
        ("/odom", "nav_msgs/msg/Odometry", 7, 0.5),
        ("/odom", "nav_msgs/msg/Odometry", 8, 1.0),
    ]
