# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Publishes odometry, joint states, status, battery and sonar, from the reader thread.

A message without a subscriber is not built, and a message of each SIP is built once and filled again (conversions.py).
"""

from __future__ import annotations

import math

from builtin_interfaces.msg import Time as TimeMsg
from sensor_msgs.msg import Range
from std_msgs.msg import Header

from ..profiles import Profile
from ..protocol import TuningValues
from ..robot import (
    BatteryChanged,
    Configured,
    EmergencyStopChanged,
    EncoderReading,
    Identified,
    LinkChanged,
    LinkState,
    OdometryStale,
    Report,
    SonarArray,
)
from ..robot import Odometry as OdometryState
from . import conversions, stamps, topics
from .interface import Interface, NodeContext
from .node_parameters import SONAR_WHEN_SUBSCRIBED

_BATTERY_PERIOD = 1.0  #: s between two battery messages while the level does not change


class TelemetryPublisher(Interface):
    """Publishes the topics that every robot has. One thread at a time calls its methods, in the order of the events."""

    def __init__(self, context: NodeContext, profile: Profile) -> None:
        super().__init__(context)
        self.handlers = {
            Report: self._on_report,
            EncoderReading: self._on_encoders,
            OdometryStale: self._on_stale,
            LinkChanged: self._on_link,
            EmergencyStopChanged: self._on_emergency_stop,
            Identified: self._on_identified,
            Configured: self._on_configured,
            BatteryChanged: self._on_battery,
        }
        node, parameters = context.node, context.parameters
        self._parameters = parameters
        self._time = context.time
        self._odom = topics.ODOM.publisher(node)
        self._tf = topics.TF.publisher(node)
        self._joints = topics.JOINTS.publisher(node)
        self._status = topics.STATUS.publisher(node)
        self._battery = topics.BATTERY.publisher(node)
        self._cloud = topics.CLOUD.publisher(node)
        self._scan = topics.SCAN.publisher(node) if parameters["publish_scan"] else None
        self._config = topics.CONFIG.publisher(node)
        frames = context.prefixed(str(parameters["odom_frame"])), context.base_frame
        self._odom_message = conversions.odometry_message(*frames)
        self._tf_message = conversions.transform_message(*frames)
        self._joint_message = conversions.joint_message(context.base_frame)
        self._cloud_message = conversions.cloud_message(context.base_frame)
        self._emergency_stop = False
        #: of the state of the link; filled with each report
        self._status_message = conversions.link_status(
            LinkChanged(LinkState.DISCONNECTED, "not connected"), False, Header(frame_id=context.base_frame)
        )
        self._ranges: list[tuple[topics.TopicPublisher, Range]] = []  #: of each sonar
        self._sonar_on_demand = parameters["sonar_on_connect"] == SONAR_WHEN_SUBSCRIBED
        self._sonar_requested = False  #: in this session, for the subscribers
        self._sonars = SonarArray(keep=self._scan is not None)
        self._next_battery = -math.inf
        self._transformed: TimeMsg | None = None  #: stamp of the last transform
        self._identified: Identified | None = None
        self._newest_config: TuningValues | None = None
        self._use_profile(profile)

    def _use_profile(self, profile: Profile) -> None:
        self._profile = profile
        self._wheel_radius = profile.body.wheel_diameter / 2
        publishers = [publisher for publisher, _ in self._ranges]
        for number in range(len(publishers), len(profile.sonar.poses)):
            publishers.append(topics.RANGE.publisher(self._node, number))
        frames = (self._context.prefixed(conversions.sonar_frame(number)) for number in range(len(publishers)))
        self._ranges = [
            (publisher, conversions.range_message(frame, profile.sonar))
            for publisher, frame in zip(publishers, frames, strict=True)
        ]

    def _on_report(self, report: Report) -> None:
        """Publish all messages of one SIP, stamped with the time the robot sent it."""
        nanoseconds = self._time.of(report.stamp)
        stamp = stamps.message(nanoseconds)
        # While ENCODER packets arrive, the one after this SIP is more precise.
        if not report.pose_streamed:
            self._publish_pose(report.odometry, report.stamp, stamp)
        if not report.wheels_streamed:
            self._publish_joints(report.odometry, report.stamp, stamp)
        self._publish_sonar(report, nanoseconds, stamp)
        if self._sonar_on_demand:
            self._switch_sonar(report.stamp)
        if self._status.subscribed(report.stamp):
            conversions.fill_status(self._status_message, report, stamp)
            self._status.publish(self._status_message)
        if report.stamp >= self._next_battery and self._battery.subscribed(report.stamp):
            # Advance from due time to due time, so that the jitter of the stamps does not add up.
            late = report.stamp - self._next_battery
            self._next_battery = (report.stamp if late > _BATTERY_PERIOD else self._next_battery) + _BATTERY_PERIOD
            header = Header(stamp=stamp, frame_id=self._context.base_frame)
            self._battery.publish(conversions.battery_state(self._profile.battery, report, header))

    def _publish_pose(self, state: OdometryState, now: float, stamp: TimeMsg) -> None:
        if self._odom.subscribed(now):
            conversions.fill_odometry(self._odom_message, state, stamp)
            self._odom.publish(self._odom_message)
        # Packets that arrived together may have the same stamp; tf2 warns about a repeated one.
        if self._parameters["publish_tf"] and stamp != self._transformed and self._tf.subscribed(now):
            self._transformed = stamp
            conversions.fill_transform(self._tf_message, state, stamp)
            self._tf.publish(self._tf_message)

    def _publish_joints(self, state: OdometryState, now: float, stamp: TimeMsg) -> None:
        if self._joints.subscribed(now):
            conversions.fill_joints(self._joint_message, state, stamp, self._wheel_radius)
            self._joints.publish(self._joint_message)

    def _publish_sonar(self, report: Report, nanoseconds: int, stamp: TimeMsg) -> None:
        cloud, sonar = self._cloud.subscribed(report.stamp), self._profile.sonar
        points = self._sonars.update(report, self._profile) if cloud or self._scan else ()
        if not report.pings:
            return
        no_echo = sonar.max_range if self._parameters["sonar_no_echo"] == "max_range" else math.inf
        for ping in report.pings:
            publisher, message = self._ranges[ping.number]
            if publisher.subscribed(report.stamp):
                age = round((report.stamp - ping.stamp) * 1e9)
                message.header.stamp = stamps.message(max(0, nanoseconds - age)) if age else stamp
                message.range = ping.range if ping.range != math.inf else no_echo
                publisher.publish(message)
        if cloud:
            conversions.fill_cloud(self._cloud_message, points, stamp, sonar)
            self._cloud.publish(self._cloud_message)
        if self._scan and self._scan.subscribed(report.stamp):
            header = Header(stamp=stamp, frame_id=self._context.base_frame)
            self._scan.publish(conversions.sonar_scan(self._sonars.newest(), header, sonar))

    def _switch_sonar(self, now: float) -> None:
        """Switch the sonars on for the first subscriber of a sonar topic, and off after the last one."""
        publishers = [self._cloud, *(publisher for publisher, _ in self._ranges), *([self._scan] if self._scan else [])]
        needed = any([publisher.subscribed(now) for publisher in publishers])
        if needed != self._sonar_requested:
            self._sonar_requested = needed
            pending = self._context.call(lambda robot, now: robot.sonar.set(needed, now))
            self._context.warn_if_failed(pending, "sonar_on_connect:")

    def _on_encoders(self, reading: EncoderReading) -> None:
        """Publish the wheels from an ENCODER packet, and the pose if odometry_source is encoders."""
        if reading.odometry is not None:
            stamp = self._context.ros_time(reading.stamp)
            self._publish_joints(reading.odometry, reading.stamp, stamp)
            if reading.leading:
                self._publish_pose(reading.odometry, reading.stamp, stamp)

    def _on_stale(self, event: OdometryStale) -> None:
        """Publish the last pose of an ended session with unknown velocity, without a (stale) transform."""
        header = self._context.header_now()
        conversions.fill_odometry(self._odom_message, event.odometry, header.stamp)
        self._odom.publish(self._odom_message)
        conversions.fill_joints(self._joint_message, event.odometry, header.stamp, self._wheel_radius)
        self._joint_message.velocity = []
        self._joints.publish(self._joint_message)

    def _on_link(self, event: LinkChanged) -> None:
        """Publish the status: without a link it is the only topic."""
        self._status_message = conversions.link_status(event, self._emergency_stop, self._context.header_now())
        self._status.publish(self._status_message)

    def _on_emergency_stop(self, event: EmergencyStopChanged) -> None:
        self._emergency_stop = event.latched
        self._status_message.emergency_stop = event.latched

    def _on_identified(self, event: Identified) -> None:
        if self._identified and self._identified.identity != event.identity:
            self._newest_config = None
        self._identified = event
        self._use_profile(event.profile)
        self._publish_config()

    def _on_configured(self, event: Configured) -> None:
        self._newest_config = event.config
        self._publish_config()

    def _on_battery(self, event: BatteryChanged) -> None:
        """Publish the battery with the next report, however recent the last message is."""
        self._next_battery = -math.inf

    def _publish_config(self) -> None:
        if event := self._identified:
            self._config.publish(
                conversions.robot_config(
                    event.identity, event.profile, event.reason, self._newest_config, self._context.header_now()
                )
            )
