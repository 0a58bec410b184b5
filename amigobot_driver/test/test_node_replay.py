"""The node on a recording: what it published from the robot, it publishes again from the packets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bench as simulated
import pytest
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_bench import Bench, Robot
from std_msgs.msg import Header

from amigobot_driver.robot import Options
from amigobot_driver.ros.conversions import robot_config
from amigobot_driver.ros.replay import _packets_of
from amigobot_msgs.msg import Packet, RobotConfig

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
        self.packets: list[Packet] = packets.messages
        self.odometry = {stamp(message): message for message in odometry.messages}
        self.config = config.last


def stamp(message: Any) -> int:
    return int(message.header.stamp.sec * 10**9 + message.header.stamp.nanosec)


def place(message: Odometry) -> tuple[float, float]:
    return message.pose.pose.position.x, message.pose.pose.position.y


def way(odometry: list[Odometry]) -> float:
    """m from the first place to the last."""
    return math.dist(place(odometry[0]), place(odometry[-1]))


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return Recorded()


def play(bench: Bench, packets: list[Packet], *, config: RobotConfig | None = None) -> list[Odometry]:
    """Publish the packets as `ros2 bag play` would; the odometry that comes of them."""
    odometry = bench.listen(Odometry, "odom", 5000)
    source = bench.client.node.create_publisher(Packet, "recorded/packets", 5000)
    bench.wait_until(lambda: bench.client.node.count_publishers("odom") and source.get_subscription_count())
    if config:
        bench.publish("recorded/robot_config", config)
        bench.wait_until(lambda: bench.node.logged("the recording is of"))
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


def test_the_same_odometry_with_the_same_stamps(bench: Bench, recorded: Recorded) -> None:
    played = play(bench, recorded.packets, config=recorded.config)
    assert bench.node.logged("profile amigo, because")
    both = [message for message in played if stamp(message) in recorded.odometry]
    # What was heard of either topic first and last need not be of one packet.
    assert len(both) >= len(played) - 3 > 20
    assert way(both) == pytest.approx(way([recorded.odometry[stamp(message)] for message in both]), abs=1e-6)
    for message in both:
        then = recorded.odometry[stamp(message)]
        assert message.twist.twist.linear.x == then.twist.twist.linear.x
        assert message.child_frame_id == then.child_frame_id


def test_another_calibration_and_bad_packets(recorded: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "mine.p"
    file.write_text("Class Pioneer\nSubclass amigo\nDistConvFactor 0.6\n", encoding="utf-8")
    with Bench(None, port="replay://recorded", param_file=str(file)) as bench:
        broken = Packet(header=recorded.packets[0].header, data=[])
        played = play(bench, [broken, *recorded.packets, *recorded.packets])
        then = [recorded.odometry[stamp(message)] for message in played if stamp(message) in recorded.odometry]
        first = played[: len(played) // 2]
        assert [place(message) for message in first] == [place(message) for message in played[len(first) :]]
        both = [message for message in first if stamp(message) in recorded.odometry]
        assert way(both) == pytest.approx(way(then[: len(both)]) * 0.6 / 0.5083, rel=1e-6)
        assert bench.node.logged("1 to 253 data bytes, not 0")
        values = {pair.key: pair.value for pair in bench.diagnostic("replay", fresh=True).values}
        assert (values["refused"], values["rewound"], values["sessions"], values["lost"]) == ("1", "1", "2", "0")
        assert int(values["to_robot"]) > 0
        bench.wait_until(lambda: bench.node.logged("the recording has ended, or is paused"))


def test_a_name_that_is_none(recorded: Recorded) -> None:
    with Bench(None, port="replay://two words") as bench:
        assert bench.node.wait() == 2
        assert bench.node.logged("parameter port is 'replay://two words', allowed: replay://NAME")


@pytest.mark.parametrize("profile", ["amigo", "amigo-sh", "p3dx-sh", "erratic"])
def test_robot_config_holds_the_packets_it_was_made_of(profile: str) -> None:
    then = simulated.Bench(Options(), profile)
    then.connect()
    identity, config = then.robot.session.identity, then.robot.tuning.config
    assert identity and config
    message = robot_config(identity, then.robot.profile, "", config, Header())
    assert list(_packets_of(message)) == [identity, config]


def test_what_another_version_wrote_is_left_alone() -> None:
    message = RobotConfig(received=True, raw_names=["rev_count", "colour"], raw_values=["19000", "red"])
    assert list(_packets_of(message)) == []
