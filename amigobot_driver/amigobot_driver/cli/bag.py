# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Writes a rosbag from a recording, without ROS: with the library rosbags."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy
from rosbags.interfaces import Nodetype
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from ..packet_file import Head, RecordedFrame
from ..profiles import load_profile
from ..robot import Odometry, Report
from .replay import replayed

#: Version of metadata.yaml: that of Jazzy and later.
_VERSION: Final = 9
_TYPES = get_typestore(Stores.ROS2_JAZZY)
#: States of sensor_msgs/BatteryState.
_SUPPLY_STATUS = {None: 0, True: 1, False: 2}


def write_bag(path: Path, head: Head, records: list[RecordedFrame], profile: str) -> dict[str, int]:
    """Run the driver on a recording, and write what the node would publish.

    Args:
        path: Folder to make.
        head: Head of the recording.
        records: Its packets and commands, in the order of their times.
        profile: Name or file of the profile, for example with another calibration.

    Returns:
        Messages by topic: odom, tf, battery_state, sonar/range_N.

    Raises:
        ProfileError: There is no such profile.
        ValueError: No packet can be as long as one of the records.
        OSError: The bag cannot be written.
    """
    counts: dict[str, int] = {}
    connections: dict[str, Any] = {}
    reports = replayed(head, records, profile)
    with Writer(path, version=_VERSION, storage_plugin=StoragePlugin.MCAP) as writer:
        for time, report in reports:
            stamp = round((head.started + time) * 1e9)
            for topic, kind, message in _messages(stamp, report, profile):
                if topic not in connections:
                    connections[topic] = writer.add_connection(topic, kind, typestore=_TYPES)
                writer.write(connections[topic], stamp, _TYPES.serialize_cdr(message, kind))
                counts[topic] = counts.get(topic, 0) + 1
    return counts


def _messages(stamp: int, report: Report, profile: str) -> Iterator[tuple[str, str, Any]]:
    """Topic, type and message of everything that a report becomes."""
    odometry = report.odometry
    yield "/odom", "nav_msgs/msg/Odometry", _odometry(stamp, odometry)
    yield "/tf", "tf2_msgs/msg/TFMessage", _make("tf2_msgs/msg/TFMessage", transforms=[_transform(stamp, odometry)])
    yield "/battery_state", "sensor_msgs/msg/BatteryState", _battery(stamp, report)
    sonar = load_profile(profile).sonar
    for ping in report.pings:
        kind = "sensor_msgs/msg/Range"
        yield (
            f"/sonar/range_{ping.number}",
            kind,
            _make(
                kind,
                header=_header(stamp - round((report.stamp - ping.stamp) * 1e9), f"sonar_{ping.number}_link"),
                radiation_type=0,
                field_of_view=sonar.field_of_view,
                min_range=sonar.min_range,
                max_range=sonar.max_range,
                range=min(ping.range, sonar.max_range),
            ),
        )


def _odometry(stamp: int, odometry: Odometry) -> Any:
    xx, xy, xa, yy, ya, aa = odometry.covariance
    pose = [0.0] * 36
    for row, column, value in ((0, 0, xx), (0, 1, xy), (0, 5, xa), (1, 1, yy), (1, 5, ya), (5, 5, aa)):
        pose[6 * row + column] = pose[6 * column + row] = value
    twist = [0.0] * 36
    twist[0], twist[35] = odometry.velocity_variance
    return _make(
        "nav_msgs/msg/Odometry",
        header=_header(stamp, "odom"),
        child_frame_id="base_link",
        pose=_make(
            "geometry_msgs/msg/PoseWithCovariance",
            pose=_make(
                "geometry_msgs/msg/Pose",
                position=_make("geometry_msgs/msg/Point", x=odometry.x, y=odometry.y),
                orientation=_rotation(odometry.yaw),
            ),
            covariance=numpy.array(pose),
        ),
        twist=_make(
            "geometry_msgs/msg/TwistWithCovariance",
            twist=_make(
                "geometry_msgs/msg/Twist",
                linear=_make("geometry_msgs/msg/Vector3", x=odometry.linear),
                angular=_make("geometry_msgs/msg/Vector3", z=odometry.angular),
            ),
            covariance=numpy.array(twist),
        ),
    )


def _transform(stamp: int, odometry: Odometry) -> Any:
    return _make(
        "geometry_msgs/msg/TransformStamped",
        header=_header(stamp, "odom"),
        child_frame_id="base_link",
        transform=_make(
            "geometry_msgs/msg/Transform",
            translation=_make("geometry_msgs/msg/Vector3", x=odometry.x, y=odometry.y),
            rotation=_rotation(odometry.yaw),
        ),
    )


def _battery(stamp: int, report: Report) -> Any:
    unknown = dict.fromkeys(("temperature", "current", "charge", "capacity", "design_capacity"), math.nan)
    return _make(
        "sensor_msgs/msg/BatteryState",
        header=_header(stamp, "base_link"),
        voltage=report.smoothed_volts,
        percentage=math.nan if report.charge is None else report.charge,
        power_supply_status=_SUPPLY_STATUS[report.charging],
        present=True,
        **unknown,
    )


def _header(stamp: int, frame: str) -> Any:
    seconds, nanoseconds = divmod(stamp, 10**9)
    time = _make("builtin_interfaces/msg/Time", sec=seconds, nanosec=nanoseconds)
    return _make("std_msgs/msg/Header", stamp=time, frame_id=frame)


def _rotation(yaw: float) -> Any:
    return _make("geometry_msgs/msg/Quaternion", z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def _make(kind: str, **values: Any) -> Any:
    """Make a message; a field that is not given is 0, "" or empty."""
    missing = {name: _empty(*field) for name, field in _TYPES.fielddefs[kind][1] if name not in values}
    return _TYPES.types[kind](**values, **missing)


def _empty(node: Nodetype, field: Any) -> Any:
    """An empty value for the description of a field."""
    if node is Nodetype.NAME:
        return _make(field)
    if node is not Nodetype.BASE:
        return numpy.array([], numpy.float32)
    base = field[0]
    return "" if base == "string" else 0.0 if base.startswith("float") else 0
