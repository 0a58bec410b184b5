# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the node publishes: types, frames, QoS, stamps, and whether the numbers are those of the robot."""

from __future__ import annotations

import itertools
import math
import statistics
import struct
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from ros_bench import Bench, Inbox, Robot, stamp_of
from sensor_msgs.msg import BatteryState, JointState, PointCloud2, Range
from tf2_msgs.msg import TFMessage

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import SipSonarReading
from amigobot_msgs.msg import RobotConfig, RobotStatus

PROFILE = load_profile("amigo")
SONARS = range(len(PROFILE.sonar.poses))

LATCHED = DurabilityPolicy.TRANSIENT_LOCAL
VOLATILE = DurabilityPolicy.VOLATILE

#: topic: type, durability, frame
TOPICS: dict[str, tuple[type, DurabilityPolicy, str]] = {
    "odom": (Odometry, VOLATILE, "odom"),
    "/tf": (TFMessage, VOLATILE, ""),
    "joint_states": (JointState, VOLATILE, "base_link"),
    "battery_state": (BatteryState, VOLATILE, "base_link"),
    "status": (RobotStatus, VOLATILE, "base_link"),
    "robot_config": (RobotConfig, LATCHED, "base_link"),
    "sonar/cloud": (PointCloud2, VOLATILE, "base_link"),
    **{f"sonar/range_{number}": (Range, VOLATILE, f"sonar_{number}_link") for number in SONARS},
    "/diagnostics": (DiagnosticArray, VOLATILE, ""),
}
#: Published with every SIP, all with its stamp.
EACH_SIP = ("odom", "joint_states", "status", "/tf")

#: s between two SIPs, and what the 9600 baud of a serial line make of the shortest of them.
CYCLE = 0.1
TIME_ON_THE_WIRE = 29 * 10 / 9600

Tour = dict[str, Inbox[Any]]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """An AmigoBot in a furnished room, on a serial line at the speed of the real one."""
    robot = Robot("amigo", world="room", seed=1, pty=tmp_path_factory.mktemp("dev") / "robot", baud=9600, flash={})
    with Bench(robot) as bench:
        yield bench.connected()


@pytest.fixture(scope="module")
def tour(bench: Bench) -> Tour:
    """Everything the node said while the robot drove a curve and came to rest."""
    late = QoSProfile(depth=1, durability=LATCHED)
    inboxes = {
        topic: bench.listen(kind, topic, late if durability is LATCHED else 100)
        for topic, (kind, durability, _) in TOPICS.items()
    }
    bench.wait_until(lambda: all(map(len, inboxes.values())))
    for topic in EACH_SIP:
        inboxes[topic].clear()  # until all of them were connected
    with bench.driving(0.3, 0.6):
        bench.wait_until(lambda: len(inboxes["odom"]) > 25)
    bench.wait_until(lambda: bench.robot.stopped)
    at_rest = time.time() + 5 * CYCLE
    bench.wait_until(lambda: all(stamp_of(inboxes[topic].last) > at_rest for topic in EACH_SIP))
    bench.wait_until(lambda: len(inboxes["battery_state"]) > 2)
    return {topic: copied(inbox) for topic, inbox in inboxes.items()}


def copied(inbox: Inbox[Any]) -> Inbox[Any]:
    """What came until now; nothing is added to it any more."""
    copy: Inbox[Any] = Inbox()
    copy.messages, copy.arrivals = list(inbox.messages), list(inbox.arrivals)
    return copy


def by_stamp(inbox: Inbox[Any]) -> dict[float, Any]:
    return {stamp_of(message): message for message in inbox.messages}


def test_every_topic_has_its_type_qos_and_frame(bench: Bench, tour: Tour) -> None:
    for topic, (kind, durability, frame) in TOPICS.items():
        (publisher,) = bench.wait_until(lambda topic=topic: bench.client.node.get_publishers_info_by_topic(topic))
        assert publisher.topic_type == f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"
        assert publisher.qos_profile.reliability is ReliabilityPolicy.RELIABLE
        assert publisher.qos_profile.durability is durability
        assert not frame or {message.header.frame_id for message in tour[topic].messages} == {frame}


class TestStamps:
    def test_a_stamp_is_when_the_packet_was_sent(self, tour: Tour) -> None:
        odom = tour["odom"]
        delays = [arrived - stamp_of(each) for arrived, each in zip(odom.arrivals, odom.messages, strict=True)]
        assert min(delays) > TIME_ON_THE_WIRE  # however fast the computer is
        assert min(delays) < TIME_ON_THE_WIRE + 0.1  # nothing waits in the node

    def test_all_messages_of_one_packet_share_its_stamp(self, tour: Tour) -> None:
        stamps = [set(by_stamp(tour[topic])) for topic in EACH_SIP]
        begin, end = max(map(min, stamps)), min(map(max, stamps))
        first, *others = [{stamp for stamp in topic if begin <= stamp <= end} for topic in stamps]
        assert len(first) > 20
        assert all(other == first for other in others)
        for topic in ("sonar/cloud", "battery_state"):
            assert {stamp for stamp in by_stamp(tour[topic]) if begin <= stamp <= end} <= first

    def test_each_ping_has_a_stamp_of_its_own(self, tour: Tour) -> None:
        """The sonars fire one at a time: a ring that moves needs to know when each of them did."""
        stamps = sorted(stamp for number in SONARS for stamp in by_stamp(tour[f"sonar/range_{number}"]))
        gaps = [after - before for before, after in itertools.pairwise(stamps)]
        assert statistics.median(gaps) == pytest.approx(PROFILE.sonar.cycle, rel=0.2)


class TestOdometry:
    def test_odometry_has_the_velocity_of_the_body(self, tour: Tour) -> None:
        fastest = max(tour["odom"].messages, key=lambda message: message.twist.twist.linear.x)
        assert {message.child_frame_id for message in tour["odom"].messages} == {"base_link"}
        assert fastest.twist.twist.linear.x == pytest.approx(0.3, abs=0.03)
        assert fastest.twist.twist.linear.y == 0.0
        # The median: one rate is as exact as two stamps, and those are no better than a busy machine's clock.
        rates = [message.twist.twist.angular.z for message in tour["odom"].messages]
        assert statistics.median(rate for rate in rates if rate > 0.5) == pytest.approx(0.6, abs=0.1)
        assert tour["odom"].last.twist.twist.linear.x == 0.0
        assert tour["odom"].last.twist.twist.angular.z == 0.0

    @pytest.mark.parametrize("part", ["pose", "twist"])
    def test_odometry_covariances_are_symmetric_with_positive_variances(self, tour: Tour, part: str) -> None:
        for message in tour["odom"].messages:
            covariance = getattr(message, part).covariance
            rows = [covariance[6 * row : 6 * row + 6] for row in range(6)]
            for row, column in itertools.product(range(6), repeat=2):
                assert rows[row][column] == rows[column][row]
                assert abs(rows[row][column]) <= 1e4  # that of a busy computer's lost link
                assert rows[row][column] ** 2 <= rows[row][row] * rows[column][column] * (1 + 1e-9)
            assert all(rows[axis][axis] > 0.0 for axis in range(6))

    def test_tf_equals_the_odometry(self, tour: Tour) -> None:
        transforms = by_stamp(tour["/tf"])
        compared = 0
        for stamp, message in by_stamp(tour["odom"]).items():
            if stamp not in transforms:
                continue  # one of the two was subscribed to first
            (transform,) = transforms[stamp].transforms
            assert (transform.header.frame_id, transform.child_frame_id) == ("odom", "base_link")
            position, translation = message.pose.pose.position, transform.transform.translation
            assert (position.x, position.y, position.z) == (translation.x, translation.y, translation.z)
            assert message.pose.pose.orientation == transform.transform.rotation
            compared += 1
        assert compared > 20


class TestBattery:
    def test_battery_state_has_nan_for_what_is_not_measured(self, tour: Tour) -> None:
        battery = tour["battery_state"].last
        assert 11.5 < battery.voltage < 14.0
        assert 0.0 <= battery.percentage <= 1.0
        assert all(math.isnan(value) for value in (battery.current, battery.charge, battery.capacity))
        assert math.isnan(battery.temperature)
        assert battery.design_capacity == pytest.approx(2.2)
        assert battery.present

    def test_comes_once_a_second(self, tour: Tour) -> None:
        stamps = sorted(by_stamp(tour["battery_state"]))
        gaps = [after - before for before, after in itertools.pairwise(stamps)]
        # A busy machine makes some of them longer, and then the next one shorter; never two in one cycle.
        assert min(gaps) > 5 * CYCLE
        assert len(stamps) <= stamps[-1] - stamps[0] + 2

    def test_a_lower_battery_level_is_published_at_once(self, bench: Bench) -> None:
        battery = bench.listen(BatteryState, "battery_state")
        with bench.robot.disguised(battery=98):
            bench.wait_until(lambda: battery.messages and battery.last.voltage < 10.5)
            bench.wait_until(lambda: "Stop and charge it now" in bench.diagnostic("battery").message)
            assert bench.diagnostic("battery").level == DiagnosticStatus.ERROR
            assert bench.node.logged("battery critical")
        bench.wait_until(lambda: bench.diagnostic("battery").level == DiagnosticStatus.OK)


class TestSonar:
    def showing(self, bench: Bench, *readings: tuple[int, int]) -> AbstractContextManager[None]:
        """Meanwhile each SIP carries these readings, number and mm, independent of the echoes."""
        sonar = tuple(SipSonarReading(number=number, range=distance) for number, distance in readings)
        return bench.robot.disguised(sonar=sonar)

    def reads(self, bench: Bench, number: int, distance: int) -> Range:
        """What the node makes of a reading in mm. Other sonars show that it is this very reading."""
        marker = bench.listen(Range, "sonar/range_7")
        inbox = bench.listen(Range, f"sonar/range_{number}")
        with self.showing(bench, (number, distance), (7, 1000 + distance)):
            bench.wait_until(lambda: marker.messages and marker.last.range == pytest.approx(1 + distance / 1000))
            shown = stamp_of(marker.last)
            bench.wait_until(lambda: inbox.messages and stamp_of(inbox.last) > shown)
        return inbox.last

    def test_a_range_is_meters_from_the_sonar(self, bench: Bench) -> None:
        assert self.reads(bench, 2, 1234).range == pytest.approx(1.234)

    def test_no_echo_is_infinite_with_sonar_no_echo_inf(self, bench: Bench) -> None:
        silence = bench.listen(Range, "sonar/range_3")
        assert bench.parameter("sonar_no_echo", "inf").successful
        try:
            with self.showing(bench, (3, 6100)):
                bench.wait_until(lambda: silence.messages and silence.last.range == math.inf)
        finally:
            assert bench.parameter("sonar_no_echo", "max_range").successful

    def test_the_cloud_is_where_the_echoes_are(self, bench: Bench) -> None:
        """Points in the base frame, no echo no point."""
        clouds = bench.listen(PointCloud2, "sonar/cloud")
        shown = ((0, 700), (2, 6100), (3, 1500), (6, 300))
        with self.showing(bench, *shown):
            bench.wait_until(lambda: clouds.messages and clouds.last.width == 3)
        cloud = clouds.last
        expected = []
        for number, distance in shown:
            pose = PROFILE.sonar.poses[number]
            if distance < 5000:
                x = pose.x + distance / 1000 * math.cos(pose.heading)
                y = pose.y + distance / 1000 * math.sin(pose.heading)
                expected += [x, y, PROFILE.sonar.height, number]
        assert [field.name for field in cloud.fields] == ["x", "y", "z", "sensor_id"]
        assert (cloud.height, cloud.point_step, cloud.row_step) == (1, 16, 48)
        assert cloud.is_dense
        assert not cloud.is_bigendian
        assert struct.unpack("<" + 3 * "fffBxxx", bytes(cloud.data)) == pytest.approx(expected)

    def test_a_nonexistent_sonar_is_counted_and_not_published(self, bench: Bench) -> None:
        with self.showing(bench, (11, 1000)):
            bench.wait_until(lambda: int(bench.values("link")["sonar_readings_refused"]) > 0)
        assert not bench.client.node.count_publishers("sonar/range_8")
        assert bench.node.running


class TestStatus:
    def test_status_has_the_state_of_robot_and_link(self, tour: Tour) -> None:
        status = tour["status"].last
        assert status.link_state == RobotStatus.LINK_RUNNING
        assert "connected to" in status.link_text
        assert status.motors_enabled
        assert status.sonar_enabled
        assert not status.moving
        assert not (status.stall_left or status.stall_right or status.emergency_stop or status.stop_button)

    def test_status_has_the_age_of_every_sonar(self, tour: Tour) -> None:
        """Eight sonars at 50 ms each: none is older than once around the ring, and a little more."""
        ages = [message.sonar_ages for message in tour["status"].messages]
        assert {len(each) for each in ages} == {len(SONARS)}
        assert min(map(min, ages)) >= 0.0
        assert statistics.median(map(max, ages)) < 0.7  # a busy machine makes some of them older

    def test_status_has_a_stall(self, bench: Bench) -> None:
        status = bench.listen(RobotStatus, "status")
        with bench.robot.disguised(left_stall_bumpers=1):
            bench.wait_until(lambda: status.messages and status.last.stall_left and not status.last.stall_right)
            bench.wait_until(lambda: bench.diagnostic("motors").level == DiagnosticStatus.ERROR)
            assert "left wheel stalled" in bench.diagnostic("motors").message


def test_robot_config_has_identity_and_settings(tour: Tour) -> None:
    config = tour["robot_config"].last
    assert (config.robot_class, config.robot_subclass, config.name) == ("Pioneer", "amigo", "not_set")
    assert config.profile == "amigo"
    assert "reports Pioneer/amigo" in config.profile_reason
    assert config.received
    assert config.info_cycle == pytest.approx(CYCLE)
    assert config.host_baud == 9600
    assert config.watchdog == pytest.approx(2.0)
    assert config.low_battery == pytest.approx(11.0)
    assert config.max_linear_velocity == pytest.approx(0.3)
    assert config.linear_acceleration == pytest.approx(0.3)
    assert list(config.translation_pid) == [40, 80, 0]
