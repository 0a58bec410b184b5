# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node on a recording: what it published from the robot, it publishes again from the packets."""

from __future__ import annotations

import math
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import bag_player
import bench as simulated
import pytest
from launch_files import launch_file, loaded
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from rclpy.time import Time
from ros_bench import Bench, Node
from std_msgs.msg import Header

from amigobot_driver.robot import FrameSeen, Options
from amigobot_driver.ros.conversions import robot_config
from amigobot_msgs.msg import Packet
from amigobot_tools.bag.writer import BagWriter

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Drive:
    """Ten seconds of a simulated robot: its odometry, and what the driver publishes as packets and robot_config."""

    def __init__(self) -> None:
        bench = simulated.Bench(Options(trace=True)).connect()
        bench.run(10, cmd_vel=(0.3, 0.3))
        identity, config = bench.robot.session.identity, bench.robot.tuning.config
        assert identity and config
        self.config = robot_config(identity, bench.robot.profile, "", config, Header())
        self.odometry = {round(report.stamp * 1e9): report.odometry for report in bench.reports}
        self.packets: list[tuple[float, Packet]] = []  #: with the time (s) of each
        for time, event in bench.events:
            if isinstance(event, FrameSeen):
                packet = Packet(to_robot=event.to_robot, data=list(event.data), sequence=len(self.packets) + 1)
                packet.header.stamp = Time(nanoseconds=round(event.stamp * 1e9)).to_msg()
                self.packets.append((time, packet))


@pytest.fixture(scope="module")
def drive() -> Drive:
    return Drive()


def stamp(message: Odometry) -> int:
    return int(message.header.stamp.sec * 10**9 + message.header.stamp.nanosec)


def place(message: Odometry) -> tuple[float, float]:
    return message.pose.pose.position.x, message.pose.pose.position.y


def play(bench: Bench, packets: Iterable[Packet], count: int) -> list[Odometry]:
    """Publish packets as `ros2 bag play` would; so many messages of odometry that come of them."""
    odometry = bench.listen(Odometry, "odom", 5000)
    source = bench.client.node.create_publisher(Packet, "recorded/packets", 5000)
    bench.wait_until(lambda: bench.client.node.count_publishers("odom") and source.get_subscription_count())
    for packet in packets:
        source.publish(packet)
    bench.wait_until(lambda: len(odometry) >= count)
    return odometry.messages


def test_a_replay_publishes_the_recorded_odometry_with_its_stamps(drive: Drive) -> None:
    with Bench(None, port="replay://recorded") as bench:
        played = play(bench, (packet for _, packet in drive.packets), len(drive.odometry))
        assert bench.node.logged("profile amigo, because")
    assert [stamp(message) for message in played] == [*drive.odometry]
    for message, then in zip(played, drive.odometry.values(), strict=True):
        assert (*place(message), message.child_frame_id) == (then.x, then.y, "base_link")
        # Some mm/s count as motion only while a velocity is requested, which a replay does not know.
        assert message.twist.twist.linear.x == then.linear or abs(then.linear) < 0.01


def test_a_replay_with_another_profile_scales_the_distance(drive: Drive, tmp_path: Path) -> None:
    file = tmp_path / "mine.p"
    file.write_text("Class Pioneer\nSubclass amigo\nDistConvFactor 0.6\n", encoding="utf-8")
    with Bench(None, port="replay://recorded", param_file=str(file)) as bench:
        packets = [packet for _, packet in drive.packets]
        broken = Packet(header=packets[0].header, data=[])
        count = len(drive.odometry)
        # When a session ends, its last odometry comes once more, without a velocity.
        played = list(map(place, play(bench, [broken, *packets, *packets], 2 * count + 1)))
        first = played[:count]
        assert first == played[count + 1 :]
        then = [*drive.odometry.values()]
        before = math.dist((then[0].x, then[0].y), (then[-1].x, then[-1].y))
        assert math.dist(first[0], first[-1]) == pytest.approx(before * 0.6 / 0.5083, rel=1e-6)
        assert bench.node.logged("1 to 253 data bytes, not 0")
        values = {pair.key: pair.value for pair in bench.diagnostic("replay", fresh=True).values}
        assert (values["refused"], values["rewound"], values["sessions"], values["lost"]) == ("1", "1", "2", "0")
        assert int(values["to_robot"]) > 0
        bench.wait_until(lambda: bench.node.logged("the recording has ended or is paused"))


# --- a bag and a player ----------------------------------------------------------------------------------------


def write_bag(path: Path, drive: Drive, keep: Callable[[int, float], bool] = lambda number, time: True) -> Path:
    """Write a bag of a drive, with the packets that are to be kept; its path."""
    writer = BagWriter(path)
    writer.add_topic("/packets", "amigobot_msgs/msg/Packet", [QoSProfile(depth=100)])
    writer.add_topic("/robot_config", "amigobot_msgs/msg/RobotConfig", [LATCHED])
    for number, (time, packet) in enumerate(drive.packets, 1):
        if number == len(drive.packets) // 2:
            writer.write("/robot_config", bytes(serialize_message(drive.config)), round(time * 1e9))
        if keep(number, time - drive.packets[0][0]):
            writer.write("/packets", bytes(serialize_message(packet)), round(time * 1e9))
    writer.close()
    return path


@contextmanager
def playing(bench: Bench, bag: Path) -> Iterator[None]:
    """The player that replay.launch.py starts, in its own process, on the stand-in for rosbag2."""
    binaries = bag.with_name("bin")
    bag_player.install(binaries)
    command = loaded(launch_file("replay")).player_command(bag, "", "10", loop=False)
    environment = {**os.environ, "ROS_DOMAIN_ID": str(bench.domain)}
    environment["PATH"] = f"{binaries}{os.pathsep}{environment['PATH']}"
    player = subprocess.Popen(command, env=environment)
    try:
        yield
    finally:
        player.terminate()
        player.wait()


def logged_at(node: Node, words: str) -> float:
    """Time in s at which the node logged a line with these words."""
    (line,) = node.logged(words)
    return float(re.findall(r"\[(\d+\.\d+)\]", line)[0])


def test_a_recording_is_complete_if_its_player_waits(drive: Drive, tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", drive)
    count = sum(not packet.to_robot for _, packet in drive.packets) - 3  # three answer the handshake
    with Bench(None, port="replay://elsewhere") as bench, playing(bench, bag):
        bench.wait_until(lambda: bench.client.node.count_publishers("/recorded/packets"))
        late = bench.start(port="replay://recorded")
        (said,) = bench.wait_until(lambda: late.logged("the recording has ended or is paused"))  # not while it plays
        assert f"paused: it is complete so far; {count} packets of the robot in 1 session, 0 outside" in said
        assert late.logged("profile amigo, because") and not late.logged("no packets")
        # It also waits for the subscribers.
        assert logged_at(late, "player and node are ready") - logged_at(late, "waiting for a recording") > 1.9


def test_a_recording_begun_in_session_is_identified(drive: Drive, tmp_path: Path) -> None:
    last: list[int] = []

    def keep(number: int, time: float) -> bool:
        """From 3 s on, without four packets."""
        if time > 3.0:
            last.append(number)
        return time > 3.0 and number - last[0] not in (50, 51, 52, 60)

    bag = write_bag(tmp_path / "bag", drive, keep)
    with Bench(None, port="replay://recorded") as bench, playing(bench, bag):
        ended = "the recording has ended or is paused: 4 packets were lost while it was recorded;"
        bench.wait_until(lambda: bench.node.logged(ended))
        assert "4 packets were lost while it was recorded" in bench.diagnostic("replay", fresh=True).message
    assert bench.node.logged("profile amigo, because")
    assert bench.node.logged(ended, f"before it {last[0] - 1} packets were not recorded")
    assert bench.node.logged(ended, "it begins in an open session, without the handshake")
