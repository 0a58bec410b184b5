"""Publishes what the robot says: every topic that leaves the node, from the thread that read the port."""

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
    Event,
    Identified,
    LinkChanged,
    OdometryStale,
    Report,
    Robot,
    Rolled,
    SonarArray,
)
from ..robot import Odometry as OdometryState
from . import conversions, stamps
from .parameters import NodeParameters

#: Reliable and keep-last: heard by best-effort and reliable subscribers alike.
_DEPTH = 10
_LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: s between two battery messages while nothing changes.
_BATTERY_PERIOD = 1.0


class TelemetryPublisher:
    """The node's publishers. Its methods are called by one thread at a time, in the order things happened."""

    events = (Report, Rolled, OdometryStale, LinkChanged, Identified, Configured, BatteryChanged)

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
        self._offer_ranges()

    def on_event(self, event: Event) -> None:
        """Publish the message of an event, if it has one."""
        if isinstance(event, Report):
            self._report(event)
        elif isinstance(event, Rolled):
            self._rolled(event)
        elif isinstance(event, OdometryStale):
            self._publish_stale(event.odometry)
        elif isinstance(event, LinkChanged):
            self._link_changed()
        elif isinstance(event, Identified):
            self._identified = event
            self._offer_ranges()
            self._config_changed()
        elif isinstance(event, Configured):
            self._config_changed()
        elif isinstance(event, BatteryChanged):
            # The next report carries a battery message, whenever the last one was.
            self._next_battery = -math.inf

    def _report(self, report: Report) -> None:
        """All messages of one SIP are stamped with the time it was sent."""
        in_base = self.header(report.stamp)
        # While ENCODERpacs come, the one behind this SIP knows better.
        if not self._robot.encoders.leads(report.stamp):
            self._publish_pose(report.odometry, in_base.stamp)
        if not self._robot.encoders.follows(report.stamp):
            self._publish_joints(report.odometry, in_base)
        self._publish_sonar(report, in_base)
        self._status.publish(conversions.robot_status(self._robot, report, in_base))
        if report.stamp >= self._next_battery:
            # From one due time to the next, lest the jitter of the stamps add up.
            late = report.stamp - self._next_battery
            self._next_battery = (report.stamp if late > _BATTERY_PERIOD else self._next_battery) + _BATTERY_PERIOD
            self._battery.publish(conversions.battery_state(self._robot.senses.battery, report, in_base))

    def _rolled(self, rolled: Rolled) -> None:
        """The encoders' word on the wheels, and where they lead, on the pose."""
        if rolled.odometry is None:
            return
        in_base = self.header(rolled.stamp)
        self._publish_joints(rolled.odometry, in_base)
        if self._robot.encoders.leading:
            self._publish_pose(rolled.odometry, in_base.stamp)

    def _publish_pose(self, state: OdometryState, stamp: TimeMsg) -> None:
        in_odom, base = Header(stamp=stamp, frame_id=self._odom_frame), self._base_frame
        self._odom.publish(conversions.odometry(state, in_odom, base))
        # Packets that came in one heap may have the same stamp; to tf2 a second transform of it is a mistake.
        if self._parameters["publish_tf"] and stamp != self._transformed:
            self._transformed = stamp
            self._tf.sendTransform(conversions.transform(state, in_odom, base))

    def _publish_stale(self, state: OdometryState) -> None:
        """The last word on a session that has ended: the velocity is not known. No transform: that would be stale."""
        in_base = self._header_now()
        in_odom = Header(stamp=in_base.stamp, frame_id=self._odom_frame)
        self._odom.publish(conversions.odometry(state, in_odom, in_base.frame_id))
        joints = conversions.joint_states(state, in_base, self._robot.profile.body.wheel_diameter / 2)
        joints.velocity = []
        self._joints.publish(joints)

    def _publish_joints(self, state: OdometryState, in_base: Header) -> None:
        self._joints.publish(conversions.joint_states(state, in_base, self._robot.profile.body.wheel_diameter / 2))

    def _link_changed(self) -> None:
        """Without a link the status is the only topic that goes on."""
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
        """Of a message in the base frame, with a time of the driver's clock."""
        return Header(stamp=self.ros_time(stamp), frame_id=self._base_frame)

    def prefixed(self, frame: str) -> str:
        """A frame of the robot's description as it is called in this node's tree."""
        return f"{self._parameters['frame_prefix']}{frame}"

    def ros_time(self, stamp: float) -> TimeMsg:
        """A time of the driver's clock as ROS has it."""
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

    def _offer_ranges(self) -> None:
        for number in range(len(self._ranges), len(self._robot.profile.sonar.poses)):
            publisher = self._node.create_publisher(Range, f"sonar/range_{number}", _DEPTH)
            self._ranges.append((publisher, self.prefixed(conversions.sonar_frame(number))))
