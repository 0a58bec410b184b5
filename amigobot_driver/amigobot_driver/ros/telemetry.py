"""Publishes odometry, joint states, status, battery and sonar, from the reader thread."""

from __future__ import annotations

import math

from builtin_interfaces.msg import Time as TimeMsg
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import BatteryState, JointState, LaserScan, PointCloud2, Range
from std_msgs.msg import Header
from tf2_ros import TransformBroadcaster

from amigobot_msgs.msg import RobotConfig, RobotStatus

from ..robot import (
    BatteryChanged,
    Configured,
    EncoderReading,
    Event,
    Identified,
    LinkChanged,
    OdometryStale,
    Report,
    Robot,
    SonarArray,
)
from ..robot import Odometry as OdometryState
from . import conversions, stamps
from .parameters import NodeParameters

#: Reliable and keep-last: matches best-effort and reliable subscribers.
_DEPTH = 10
_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: Seconds between two battery messages while the level does not change.
_BATTERY_PERIOD = 1.0


class TelemetryPublisher:
    """Publishes the topics that every robot has. One thread at a time calls its methods, in the order of the events."""

    events = (Report, EncoderReading, OdometryStale, LinkChanged, Identified, Configured, BatteryChanged)

    def __init__(self, node: Node, parameters: NodeParameters, robot: Robot, time: stamps.Stamps) -> None:
        self._node = node
        self._time = time
        self._parameters = parameters
        self._robot = robot
        self._odom = node.create_publisher(Odometry, "odom", _DEPTH)
        self._joints = node.create_publisher(JointState, "joint_states", _DEPTH)
        self._status = node.create_publisher(RobotStatus, "status", _DEPTH)
        self._battery = node.create_publisher(BatteryState, "battery_state", _DEPTH)
        self._cloud = node.create_publisher(PointCloud2, "sonar/cloud", _DEPTH)
        self._scan = node.create_publisher(LaserScan, "sonar/scan", _DEPTH) if parameters["publish_scan"] else None
        self._config = node.create_publisher(RobotConfig, "robot_config", _LATCHED)
        self._tf = TransformBroadcaster(node)
        self._odom_frame = self.prefixed(str(parameters["odom_frame"]))
        self._base_frame = self.prefixed(str(parameters["base_frame"]))
        self._ranges: list[tuple[Publisher, str]] = []  #: of each sonar, with its frame
        self._sonars = SonarArray(keep=self._scan is not None)
        self._next_battery = -math.inf
        self._transformed: TimeMsg | None = None  #: stamp of the last transform
        self._identified: Identified | None = None
        self._create_range_publishers()

    def on_event(self, event: Event) -> None:
        """Publish the message of an event, if it has one."""
        if isinstance(event, Report):
            self._report(event)
        elif isinstance(event, EncoderReading):
            self._encoders_read(event)
        elif isinstance(event, OdometryStale):
            self._publish_stale(event.odometry)
        elif isinstance(event, LinkChanged):
            self._link_changed()
        elif isinstance(event, Identified):
            self._identified = event
            self._create_range_publishers()
            self._config_changed()
        elif isinstance(event, Configured):
            self._config_changed()
        elif isinstance(event, BatteryChanged):
            # Publish the battery with the next report, however recent the last message is.
            self._next_battery = -math.inf

    def _report(self, report: Report) -> None:
        """Publish all messages of one SIP, stamped with the time the robot sent it."""
        in_base = self.header(report.stamp)
        # While ENCODER packets arrive, the one after this SIP is more precise.
        if not self._robot.encoders.leads(report.stamp):
            self._publish_pose(report.odometry, in_base.stamp)
        if not self._robot.encoders.follows(report.stamp):
            self._publish_joints(report.odometry, in_base)
        self._publish_sonar(report, in_base)
        self._status.publish(conversions.robot_status(self._robot, report, in_base))
        if report.stamp >= self._next_battery:
            # Advance from due time to due time, so that the jitter of the stamps does not add up.
            late = report.stamp - self._next_battery
            self._next_battery = (report.stamp if late > _BATTERY_PERIOD else self._next_battery) + _BATTERY_PERIOD
            self._battery.publish(conversions.battery_state(self._robot.estimator.battery, report, in_base))

    def _encoders_read(self, reading: EncoderReading) -> None:
        """Publish the wheels from an ENCODER packet, and the pose if odometry_source is encoders."""
        if reading.odometry is None:
            return
        in_base = self.header(reading.stamp)
        self._publish_joints(reading.odometry, in_base)
        if self._robot.encoders.leading:
            self._publish_pose(reading.odometry, in_base.stamp)

    def _publish_pose(self, state: OdometryState, stamp: TimeMsg) -> None:
        in_odom, base = Header(stamp=stamp, frame_id=self._odom_frame), self._base_frame
        self._odom.publish(conversions.odometry(state, in_odom, base))
        # Packets that arrived together may have the same stamp; tf2 warns about a repeated one.
        if self._parameters["publish_tf"] and stamp != self._transformed:
            self._transformed = stamp
            self._tf.sendTransform(conversions.transform(state, in_odom, base))

    def _publish_stale(self, state: OdometryState) -> None:
        """Publish the last pose of an ended session with unknown velocity, without a (stale) transform."""
        in_base = self._header_now()
        in_odom = Header(stamp=in_base.stamp, frame_id=self._odom_frame)
        self._odom.publish(conversions.odometry(state, in_odom, in_base.frame_id))
        joints = conversions.joint_states(state, in_base, self._robot.profile.body.wheel_diameter / 2)
        joints.velocity = []
        self._joints.publish(joints)

    def _publish_joints(self, state: OdometryState, in_base: Header) -> None:
        self._joints.publish(conversions.joint_states(state, in_base, self._robot.profile.body.wheel_diameter / 2))

    def _link_changed(self) -> None:
        """Publish the status: without a link it is the only topic."""
        self._status.publish(conversions.robot_status(self._robot, None, self._header_now()))

    def _config_changed(self) -> None:
        if self._identified:
            event, config = self._identified, self._robot.working_values.config
            self._config.publish(
                conversions.robot_config(event.identity, event.profile, event.reason, config, self._header_now())
            )

    def _header_now(self) -> Header:
        return Header(stamp=stamps.message(self._time.now()), frame_id=self._base_frame)

    def header(self, stamp: float) -> Header:
        """Return a header in the base frame for a time of the driver's clock (s)."""
        return Header(stamp=self.ros_time(stamp), frame_id=self._base_frame)

    def prefixed(self, frame: str) -> str:
        """Return the name of a frame of the robot description with frame_prefix."""
        return f"{self._parameters['frame_prefix']}{frame}"

    def ros_time(self, stamp: float) -> TimeMsg:
        """Return a time of the driver's clock (s) as a ROS stamp."""
        return stamps.message(self._time.of(stamp))

    def _publish_sonar(self, report: Report, in_base: Header) -> None:
        points = self._sonars.update(report, self._robot.profile)
        if not report.pings:
            return
        sonar = self._robot.profile.sonar
        no_echo = sonar.max_range if self._parameters["sonar_no_echo"] == "max_range" else math.inf
        for ping in report.pings:
            publisher, frame = self._ranges[ping.number]
            header = Header(stamp=self.ros_time(ping.stamp), frame_id=frame)
            publisher.publish(conversions.sonar_range(ping, header, sonar, no_echo))
        self._cloud.publish(conversions.sonar_cloud(points, in_base, sonar))
        if self._scan:
            self._scan.publish(conversions.sonar_scan(self._sonars.newest(), in_base, sonar))

    def _create_range_publishers(self) -> None:
        for number in range(len(self._ranges), len(self._robot.profile.sonar.poses)):
            publisher = self._node.create_publisher(Range, f"sonar/range_{number}", _DEPTH)
            self._ranges.append((publisher, self.prefixed(conversions.sonar_frame(number))))
