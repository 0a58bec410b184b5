# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""amigobot_tools.bag: what is recorded can be read back, by other programs too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed: nothing can be recorded")
pytest.importorskip("ros_bench", reason="the benches of amigobot_driver are not on the path")

import yaml
from nav_msgs.msg import Odometry
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from ros_bench import Client, free_domain
from std_msgs.msg import String

from amigobot_tools.bag import reader
from amigobot_tools.bag.reader import read_bag
from amigobot_tools.bag.writer import BagWriter

TABLE = Path(__file__).parents[1] / "examples" / "bag_to_csv.py"
LATCHED = QoSProfile(depth=3, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def odometry(second: int) -> bytes:
    """Each second half a meter further ahead, and half of that further to the right."""
    message = Odometry(child_frame_id="base_link")
    message.header.frame_id, message.header.stamp.sec, message.header.stamp.nanosec = "odom", second, 500_000_000
    message.pose.pose.position.x, message.pose.pose.position.y = 0.5 * second, -0.25 * second
    return bytes(serialize_message(message))


def write(path: Path) -> None:
    """Write a bag with three poses on /odom."""
    writer = BagWriter(path)
    writer.add_topic("/odom", "nav_msgs/msg/Odometry", [LATCHED])
    writer.add_topic("/silent", "std_msgs/msg/String", [])
    for second in range(3):
        writer.write("/odom", odometry(second), second * 10**9)
    writer.close()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "bag")
    messages = read_bag(tmp_path / "bag")
    assert [(m.topic, m.kind, m.time) for m in messages] == [
        ("/odom", "nav_msgs/msg/Odometry", second * 10**9) for second in range(3)
    ]
    assert [m.content.pose.pose.position.x for m in messages] == [0.0, 0.5, 1.0]
    assert messages[0].content.child_frame_id == "base_link"


def test_a_bag_has_the_metadata_of_ros2_bag(tmp_path: Path) -> None:
    write(tmp_path / "bag")
    info = yaml.safe_load((tmp_path / "bag" / "metadata.yaml").read_text())["rosbag2_bagfile_information"]
    assert info["storage_identifier"] == "sqlite3"
    assert info["message_count"] == 3
    assert info["duration"] == {"nanoseconds": 2 * 10**9}
    topic = info["topics_with_message_count"][0]["topic_metadata"]
    (qos,) = topic["offered_qos_profiles"]
    assert (qos["durability"], qos["reliability"], qos["depth"]) == ("transient_local", "reliable", 3)


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


def test_unknown_type_is_refused(tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / "bag")
    for kind in ("no_such_msgs/msg/Odometry", "nav_msgs/msg/Nothing"):
        with pytest.raises(LookupError, match=kind):
            writer.add_topic("/odom", kind, [])
    writer.close()


@pytest.mark.parametrize("command", ["-m amigobot_tools.bag info BAG", f"{TABLE} BAG /odom child_frame_id"])
def test_a_reader_that_ends_first_gets_no_traceback(tmp_path: Path, command: str) -> None:
    write(tmp_path / "bag")
    arguments = command.replace("BAG", str(tmp_path / "bag")).split()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()  # before the process has begun to write
    assert process.stderr.read() == b""


def test_rosbag2_reads_what_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [("/odom", odometry(1), 7), ("/odom", odometry(2), 8)]

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


def test_a_recorder_keeps_latched_and_new_messages(tmp_path: Path) -> None:
    """A latched message sent before the recorder came, others while it listens, then Ctrl-C."""
    bag = tmp_path / "bag"
    domain, lock = free_domain()
    with lock:
        client = Client(domain, "talker")
        latched = client.node.create_publisher(String, "latched", LATCHED)
        latched.publish(String(data="before"))
        talk = client.publisher(String, "talk")
        log = (tmp_path / "log").open("w+")
        recorder = subprocess.Popen(
            [sys.executable, "-m", "amigobot_tools.bag", "record", str(bag), "latched", "/talk"],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
        )
        try:
            deadline = time.monotonic() + 60
            while (tmp_path / "log").read_text().count("recording /") < 2 or talk.get_subscription_count() < 1:
                assert time.monotonic() < deadline, (tmp_path / "log").read_text()
                time.sleep(0.05)
            for number in range(5):
                talk.publish(String(data=str(number)))
            assert talk.wait_for_all_acked(Duration(seconds=60))
        finally:
            recorder.send_signal(signal.SIGINT)
            assert recorder.wait(30) == 0, (tmp_path / "log").read_text()
            client.close()
    received = [(m.topic, m.content.data) for m in read_bag(bag)]
    assert ("/latched", "before") in received
    assert [data for topic, data in received if topic == "/talk"] == list("01234")
    assert "6 messages of 2 topics" in (tmp_path / "log").read_text()


#: A recorder beside a publisher that never pauses, with files of at most some bytes.
BUSY = """
import resource, sys, threading, time
import rclpy
from std_msgs.msg import String
from amigobot_tools.bag.__main__ import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))
context = rclpy.Context()
rclpy.init(context=context)
node = rclpy.create_node("talker", context=context)
talk = node.create_publisher(String, "talk", 10)
def run():
    while True:
        talk.publish(String(data="x" * 250))
        time.sleep(0.01)
threading.Thread(target=run, daemon=True).start()
sys.argv = ["bag", "record", sys.argv[1], "/talk"]
sys.exit(main())
"""


@pytest.mark.parametrize(("status", "limit"), [(0, -1), (1, 100_000)])
def test_a_signal_or_a_full_disk_ends_a_recording(tmp_path: Path, status: int, limit: int) -> None:
    """The messages never pause."""
    bag = tmp_path / "bag"
    domain, lock = free_domain()
    with lock:
        recorder = subprocess.Popen(
            [sys.executable, "-c", BUSY, str(bag), str(limit)],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
        )
        if status == 0:
            deadline = time.monotonic() + 60
            while not (bag / "bag.db3").exists() or (bag / "bag.db3").stat().st_size < 50_000:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            recorder.send_signal(signal.SIGHUP)
        error = recorder.communicate(timeout=60)[1]
    assert recorder.returncode == status, error
    assert error.count("\n") == status
    assert status or read_bag(bag)
