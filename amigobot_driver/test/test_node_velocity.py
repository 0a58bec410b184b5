# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""cmd_vel: what drives the robot, what is refused, and that no velocity outlives its sender."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile, ReliabilityPolicy
from ros_bench import NODE, Bench, Client, Node, Robot, shared_bench
from standstill import METER

from amigobot_driver.protocol import Command

bench = shared_bench(Robot, enable_stamped_cmd_vel=False, max_linear_velocity=0.75)


@pytest.fixture(scope="module", autouse=True)
def second_node() -> Iterator[Bench]:
    """Started with the first, which saves time."""
    with Bench(Robot(), enable_stamped_cmd_vel=True) as bench:
        yield bench


@pytest.fixture(scope="module")
def stamped(second_node: Bench) -> Bench:
    """As Nav2 drives from Kilted on."""
    return second_node.connected()


@pytest.fixture(autouse=True)
def stopped_at_the_end(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each test leaves the robot stopped."""
    yield
    for name in {"bench", "stamped"} & set(request.fixturenames):
        bench = request.getfixturevalue(name)
        bench.publish("cmd_vel", bench.client.velocity(0.0, stamped=name == "stamped"))
        bench.wait_until(lambda bench=bench: bench.robot.stopped)


def moves_asked_for(bench: Bench, since: int) -> list[int]:
    """The velocities other than zero that have come over the wire."""
    values = bench.robot.values(Command.VEL, since) + bench.robot.values(Command.RVEL, since)
    return [value for value in values if value]


def keeps_moving(bench: Bench, seconds: float) -> bool:
    """Spin for so long (the robot's time); whether no velocity of zero came, and some other."""
    since = len(bench.robot.received)
    bench.pass_sips(round(seconds / 0.1))
    values = bench.robot.values(Command.VEL, since)
    return bool(values) and 0 not in values


def refused(bench: Bench, *, fresh: bool = False) -> int:
    return int(bench.values("commands", fresh=fresh)["refused"])


class TestDriving:
    def test_cmd_vel_drives_forward_and_left(self, bench: Bench) -> None:
        odom, since = bench.listen(Odometry, "odom"), len(bench.robot.received)
        with bench.driving(0.25, 0.5):
            bench.wait_until(lambda: bench.robot.speed > 0.24 and bench.robot.truth.turn_rate > 0.4)
            bench.wait_until(lambda: odom.last.twist.twist.linear.x == pytest.approx(0.25, abs=0.02))
        assert set(moves_asked_for(bench, since)) == {250, 29}  # mm/s and deg/s

    def test_the_newest_of_two_publishers_counts(self, bench: Bench) -> None:
        """A teleop may take over from a planner; two at a time make a robot that cannot decide, and no error."""
        second = bench.client.node.create_publisher(Twist, "cmd_vel", 10)
        bench.wait_until(second.get_subscription_count)
        since = len(bench.robot.received)
        with bench.driving(0.1):
            bench.wait_until(lambda: 100 in bench.robot.values(Command.VEL, since))
            timer = bench.client.node.create_timer(0.1, lambda: second.publish(bench.client.velocity(0.2)))
            bench.wait_until(lambda: bench.robot.values(Command.VEL, since).count(200) > 3)
            bench.wait_until(lambda: bench.robot.values(Command.VEL, since).count(100) > 3)
            both = "2 publishers, the newest message counts: user, user"
            bench.wait_until(lambda: bench.diagnostic("cmd_vel").message == both)
            bench.client.node.destroy_timer(timer)
            bench.client.node.destroy_publisher(second)
            since = len(bench.robot.received)
            bench.wait_until(lambda: bench.robot.values(Command.VEL, since).count(100) > 9)
            assert 200 not in bench.robot.values(Command.VEL, since)[-5:], "the one that died leaves nothing behind"
        bench.wait_until(lambda: bench.robot.stopped)
        bench.wait_until(lambda: bench.diagnostic("cmd_vel").message == "published by user")

    def test_a_late_publisher_drives(self, bench: Bench) -> None:
        """It publishes before it is discovered: the first messages are lost, and the robot does not move."""
        late = Client(bench.domain, "late")
        publisher = late.publisher(Twist, "cmd_vel")
        assert bench.robot.stopped
        publishing = late.node.create_timer(0.05, lambda: publisher.publish(late.velocity(0.2)))
        late.wait_until(lambda: bench.robot.speed > 0.15)
        late.node.destroy_timer(publishing)
        bench.wait_until(lambda: bench.robot.stopped)
        late.close()


class TestTimeout:
    def test_a_velocity_ends_with_its_sender(self, bench: Bench) -> None:
        with bench.driving(0.3):
            bench.wait_until(lambda: bench.robot.speed > 0.1)
        bench.wait_until(lambda: bench.robot.stopped)
        bench.wait_until(lambda: int(bench.values("commands")["timeouts"]) > 0)
        lines = bench.wait_until(lambda: bench.node.logged("no velocity for"))
        assert all("no velocity for 0.5 s: stopped" in line for line in lines)
        # Once, however many there were in the tests before; on a machine that stands still they take so long that the
        # log says it again.
        assert len(lines) == 1 or METER.stood_still(bench.node.started)

    def test_cmd_vel_timeout_can_be_changed(self, bench: Bench) -> None:
        assert bench.parameter("cmd_vel_timeout", 2.0).successful
        try:
            with bench.driving(0.2, rate=1.2):
                # With the default of 0.5 s there is a stop between any two messages, 0.83 s apart.
                bench.wait_until(lambda: keeps_moving(bench, seconds=1.2))
        finally:
            bench.publish("cmd_vel", bench.client.velocity(0.0))
            assert bench.parameter("cmd_vel_timeout", 0.5).successful


class TestRefused:
    def test_a_refused_velocity_is_never_sent(self, bench: Bench) -> None:
        before, since = refused(bench), len(bench.robot.received)
        reason = "the angular velocity is -inf, expected a finite number of rad/s"
        with bench.driving(0.1, -math.inf, rate=20.0):
            bench.wait_until(lambda: refused(bench) > before + 5)
        assert moves_asked_for(bench, since) == []
        assert bench.robot.stopped
        bench.wait_until(lambda: bench.node.logged("cmd_vel refused", reason))
        assert len(bench.node.logged("cmd_vel refused", reason)) == 1  # once, not at every message

    def test_a_refused_velocity_keeps_the_last_good_one(self, bench: Bench) -> None:
        with bench.driving(0.2):
            bench.wait_until(lambda: bench.robot.speed > 0.15)
            since = len(bench.robot.received)
            bench.publish("cmd_vel", bench.client.velocity(math.nan))
            bench.wait_until(lambda: len(moves_asked_for(bench, since)) > 5)
            assert set(moves_asked_for(bench, since)) == {200}


class TestTwistStamped:
    def test_a_stamped_velocity_drives(self, stamped: Bench) -> None:
        with stamped.driving(0.2, stamped=True):
            stamped.wait_until(lambda: stamped.robot.speed > 0.15)

    def test_a_velocity_with_stamp_zero_drives(self, stamped: Bench) -> None:
        since = len(stamped.robot.received)
        velocity = TwistStamped(twist=stamped.client.velocity(0.15))
        stamped.publish_until("cmd_vel", velocity, lambda: 150 in stamped.robot.values(Command.VEL, since))

    @pytest.mark.parametrize("age", [5, -5, 2_000_000_000])
    def test_a_velocity_with_a_wrong_stamp_is_refused(self, stamped: Bench, age: int) -> None:
        """From the past, from the future, and from before 1970."""
        before, since = refused(stamped, fresh=True), len(stamped.robot.received)
        message = stamped.client.velocity(0.2, stamped=True)
        message.header.stamp.sec -= age
        stamped.publish("cmd_vel", message)
        stamped.wait_until(lambda: refused(stamped) > before)
        assert moves_asked_for(stamped, since) == []


def test_the_log_names_publishers_that_ros_never_connects_once(bench: Bench) -> None:
    text = {
        "best_effort": "as best effort, but this node expects reliable",
        "stamped": "as TwistStamped, but this node expects Twist: start it with",
    }
    other = Client(bench.domain, "best_effort")
    other.node.create_publisher(Twist, "cmd_vel", QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
    stamped = Client(bench.domain, "stamped")
    stamped.node.create_publisher(TwistStamped, "cmd_vel", 1)
    for name, reason in text.items():
        bench.wait_until(lambda name=name, reason=reason: bench.node.logged(f"{name} publishes cmd_vel {reason}"))
    bench.pass_sips(60)  # it looks for strangers each 5 s
    assert [len(bench.node.logged(f"{name} publishes cmd_vel")) for name in text] == [1, 1]
    other.close()
    stamped.close()


def test_every_velocity_topic_belongs_to_the_node(bench: Bench) -> None:
    """`ros2 node info /amigobot` lists them, and `ros2 param list` asks no other node of the driver."""
    names = set(bench.client.node.get_node_names())
    topics = dict(bench.client.node.get_subscriber_names_and_types_by_node("amigobot", "/"))
    assert {name for name in names if name != "user"} == {"amigobot"}
    assert topics.keys() >= {"/cmd_vel", "/cmd_wheels", "/cmd_heading"}


def test_a_remapping_that_names_the_node_reaches_cmd_vel(bench: Bench) -> None:
    remapped = Node(
        bench.domain,
        {"port": "/dev/no-such-port", "enable_stamped_cmd_vel": False},
        namespace="remapped",
        command=(*NODE, "--ros-args", "-r", "amigobot:cmd_vel:=base/cmd_vel", "--"),
    )
    bench.nodes.append(remapped)
    publisher = bench.client.publisher(Twist, "remapped/base/cmd_vel")
    bench.wait_until(publisher.get_subscription_count)
    remapped.end()
