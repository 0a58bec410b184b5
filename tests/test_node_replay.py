# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node on a recording: what it published from the robot, it publishes again from the packets."""

from __future__ import annotations

import math
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bag_player
import bench as simulated
import pytest
from builtin_interfaces.msg import Time
from launch_files import launch_file, loaded
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message
from ros_bench import Bench, Node, Robot
from std_msgs.msg import Header

from amigobot_driver.robot import FrameSeen, Options
from amigobot_driver.ros.conversions import robot_config
from amigobot_msgs.msg import Packet, RobotConfig
from amigobot_tools.bag.writer import BagWriter

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Recorded:
    """What a bag would hold of a robot's half minute, begun in mid-session."""

    def __init__(self) -> None:
        with Bench(Robot("amigo"), publish_packets=True) as bench:
            bench.connected()
            packets, odometry = bench.listen(Packet, "packets"), bench.listen(Odometry, "odom")
            config = bench.listen(RobotConfig, "robot_config", LATCHED)
            bench.wait_until(lambda: len(packets) and len(odometry) and len(config) and config.last.received)
            with bench.driving(0.4, 0.4):
                until = len(odometry) + 30
                bench.wait_until(lambda: len(odometry) > until)
            until = bench.robot.sips + 3
            bench.wait_until(lambda: bench.robot.sips > until)
        # Either topic was connected before the other, and may be ahead of it at the end.
        times = sorted(map(stamp, odometry.messages))
        self.packets: list[Packet] = [packet for packet in packets.messages if times[0] <= stamp(packet) <= times[-1]]
        self.odometry = {stamp(message): message for message in odometry.messages}
        self.config = config.last


def stamp(message: Any) -> int:
    return int(message.header.stamp.sec * 10**9 + message.header.stamp.nanosec)


def place(message: Odometry) -> tuple[float, float]:
    return message.pose.pose.position.x, message.pose.pose.position.y


def covered(odometry: list[Odometry]) -> float:
    """m from the first place to the last."""
    return math.dist(place(odometry[0]), place(odometry[-1]))


def then(message: Odometry, recorded: Recorded) -> Odometry | None:
    """The recorded odometry of the same packet.

    The recording begins in the middle of a session. So the filter of the robot's clock has seen fewer packets, and its
    stamps differ by up to some ms from those of then.
    """
    nearest = min(recorded.odometry, key=lambda other: abs(other - stamp(message)))
    return recorded.odometry[nearest] if abs(nearest - stamp(message)) < 4e7 else None


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return Recorded()


def play(bench: Bench, packets: list[Packet], *, config: RobotConfig | None = None) -> list[Odometry]:
    """Publish the packets as `ros2 bag play` would; the odometry that comes of them."""
    odometry = bench.listen(Odometry, "odom", 5000)
    source = bench.client.node.create_publisher(Packet, "recorded/packets", 5000)
    bench.wait_until(lambda: bench.client.node.count_publishers("odom") and source.get_subscription_count())
    if config:
        # Latched, as it was recorded: the node need not be there yet.
        latched = bench.client.node.create_publisher(RobotConfig, "recorded/robot_config", LATCHED)
        latched.publish(config)
        bench.wait_until(lambda: bench.node.logged("the recording is of"))
        bench.client.node.destroy_publisher(latched)
    for packet in packets:
        source.publish(packet)
    sips = sum(packet.name == "Sip" for packet in packets)
    bench.wait_until(lambda: len(odometry) >= sips)
    bench.client.node.destroy_publisher(source)
    return odometry.messages


@pytest.fixture
def bench() -> Iterator[Bench]:
    with Bench(None, port="replay://recorded") as bench:
        yield bench


def test_a_replay_publishes_the_recorded_odometry_with_its_stamps(bench: Bench, recorded: Recorded) -> None:
    played = play(bench, recorded.packets, config=recorded.config)
    assert bench.node.logged("profile amigo, because")
    both = [(message, before) for message in played if (before := then(message, recorded))]
    # The first and last messages received on the two topics may belong to different packets.
    assert len(both) >= len(played) - 3 > 20
    assert covered([message for message, _ in both]) == pytest.approx(covered([before for _, before in both]), abs=1e-6)
    for message, before in both:
        # Some mm/s count as motion only while a velocity is requested, which a replay does not know.
        assert message.twist.twist.linear.x in (before.twist.twist.linear.x, 0.0)
        if abs(before.twist.twist.linear.x) > 0.01:
            assert message.twist.twist.linear.x != 0.0
        assert message.child_frame_id == before.child_frame_id


def test_a_replay_with_another_profile_scales_the_distance(recorded: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "mine.p"
    file.write_text("Class Pioneer\nSubclass amigo\nDistConvFactor 0.6\n", encoding="utf-8")
    with Bench(None, port="replay://recorded", param_file=str(file)) as bench:
        broken = Packet(header=recorded.packets[0].header, data=[])
        played = play(bench, [broken, *recorded.packets, *recorded.packets])
        first = played[: len(played) // 2]
        assert [place(message) for message in first] == [place(message) for message in played[len(first) :]]
        both = [(message, before) for message in first if (before := then(message, recorded))]
        before = covered([before for _, before in both])
        assert covered([message for message, _ in both]) == pytest.approx(before * 0.6 / 0.5083, rel=1e-6)
        assert bench.node.logged("1 to 253 data bytes, not 0")
        values = {pair.key: pair.value for pair in bench.diagnostic("replay", fresh=True).values}
        assert (values["refused"], values["rewound"], values["sessions"], values["lost"]) == ("1", "1", "2", "0")
        assert int(values["to_robot"]) > 0
        bench.wait_until(lambda: bench.node.logged("the recording has ended or is paused"))


# --- a bag and a player ----------------------------------------------------------------------------------------


class Bag:
    """A drive of ten seconds: what the driver published as packets and as robot_config, and what of it was recorded."""

    def __init__(self, path: Path, keep: Callable[[int, float], bool] = lambda number, time: True) -> None:
        self.path = path
        then = simulated.Bench(Options(trace=True))
        then.connect()
        then.run(10, cmd_vel=(0.3, 0.3))
        writer = BagWriter(path)
        writer.add_topic("/packets", "amigobot_msgs/msg/Packet", [QoSProfile(depth=100)])
        writer.add_topic("/robot_config", "amigobot_msgs/msg/RobotConfig", [LATCHED])
        identity, config = then.robot.session.identity, then.robot.tuning.config
        assert identity and config
        message = robot_config(identity, then.robot.profile, "", config, Header())
        frames = [(time, event) for time, event in then.events if isinstance(event, FrameSeen)]
        for number, (time, event) in enumerate(frames, 1):
            if number == len(frames) // 2:
                writer.write("/robot_config", bytes(serialize_message(message)), round(time * 1e9))
            if keep(number, time - frames[0][0]):
                seconds, rest = divmod(round(event.stamp * 1e9), 10**9)
                packet = Packet(to_robot=event.to_robot, data=list(event.data), sequence=number)
                packet.header.stamp = Time(sec=seconds, nanosec=rest)
                writer.write("/packets", bytes(serialize_message(packet)), round(time * 1e9))
        writer.close()
        #: Packets in the session: three of the robot answer the handshake before.
        self.played = sum(not event.to_robot for _, event in frames) - 3


@contextmanager
def playing(bench: Bench, bag: Bag, folder: Path) -> Iterator[None]:
    """The player that replay.launch.py starts, in its own process, on the stand-in for rosbag2."""
    if not (folder / "bin").exists():
        bag_player.install(folder / "bin")
    command = loaded(launch_file("replay")).play(bag.path, "", "10", loop=False)
    environment = {**os.environ, "ROS_DOMAIN_ID": str(bench.domain)}
    environment["PATH"] = f"{folder / 'bin'}{os.pathsep}{environment['PATH']}"
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


def test_a_recording_is_complete_if_its_player_waits(tmp_path: Path) -> None:
    bag = Bag(tmp_path / "bag")
    with Bench(None, port="replay://elsewhere") as bench, playing(bench, bag, tmp_path):
        bench.wait_until(lambda: bench.client.node.count_publishers("/recorded/packets"))
        late = bench.start(port="replay://recorded")
        complete = f"paused: it is complete so far; {bag.played} packets of the robot in 1 session, 0 outside"
        bench.wait_until(lambda: late.logged("the recording has ended or is paused", complete))
        assert late.logged("profile amigo, because") and not late.logged("no packets")
        # It also waits for the subscribers.
        assert logged_at(late, "player and node are ready") - logged_at(late, "waiting for a recording") > 1.9


def test_a_recording_begun_in_session_is_identified(tmp_path: Path) -> None:
    last: list[int] = []

    def keep(number: int, time: float) -> bool:
        """From 3 s on, without four packets."""
        if time > 3.0:
            last.append(number)
        return time > 3.0 and number - last[0] not in (50, 51, 52, 60)

    with Bench(None, port="replay://recorded") as bench, playing(bench, Bag(tmp_path / "bag", keep), tmp_path):
        ended = "the recording has ended or is paused: 4 packets were lost while it was recorded;"
        bench.wait_until(lambda: bench.node.logged(ended))
        assert "4 packets were lost while it was recorded" in bench.diagnostic("replay", fresh=True).message
    assert bench.node.logged("profile amigo, because")
    assert bench.node.logged(ended, f"before it {last[0] - 1} packets were not recorded")
    assert bench.node.logged(ended, "it begins in an open session, without the handshake")
