# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Conversion of events to ROS messages.

A message that is published with each SIP is made once, with its constant parts, and filled for each SIP: to create an
Odometry message takes ten times as long as to fill it (docs/performance.md).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from typing import Any

from builtin_interfaces.msg import Time as TimeMsg
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry as OdometryMsg
from sensor_msgs.msg import BatteryState, JointState, LaserScan, PointCloud2, PointField, Range
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from amigobot_msgs.msg import RobotConfig, RobotStatus

from ..profiles import Battery, Profile, Sonar
from ..protocol import SyncReply, TuningValues
from ..robot import LinkChanged, Odometry, Report, SonarPoint

#: Variance (m^2, rad^2) of motions that a wheeled robot cannot make: small, but never zero.
_PLANAR_VARIANCE = 1e-6

WHEEL_JOINTS = ("left_wheel_joint", "right_wheel_joint")


def sonar_frame(number: int) -> str:
    """Return the frame of a sonar, as in the URDF."""
    return f"sonar_{number}_link"


def message_of(kind: Any, source: object, **others: object) -> Any:
    """Return a message with the values that `source` has under the names of its fields, and with `others`."""
    names = [name for name in kind.get_fields_and_field_types() if name not in others and hasattr(source, name)]
    return kind(**{name: getattr(source, name) for name in names}, **others)


def odometry_message(odom_frame: str, base_frame: str) -> OdometryMsg:
    """Return a message with the constant parts, for `fill_odometry`."""
    message = OdometryMsg(child_frame_id=base_frame)
    message.header.frame_id = odom_frame
    for index in (14, 21, 28):  # diagonal: z, roll, pitch
        message.pose.covariance[index] = _PLANAR_VARIANCE
    for index in (7, 14, 21, 28):  # diagonal: y, z, roll, pitch
        message.twist.covariance[index] = _PLANAR_VARIANCE
    return message


def fill_odometry(message: OdometryMsg, state: Odometry, stamp: TimeMsg) -> None:
    """Convert odometry; covariances are 6x6 of x, y, z, roll, pitch, yaw, row-major."""
    message.header.stamp = stamp
    pose, twist, half = message.pose.pose, message.twist.twist, state.yaw / 2
    pose.position.x, pose.position.y = state.x, state.y
    pose.orientation.z, pose.orientation.w = math.sin(half), math.cos(half)
    twist.linear.x, twist.angular.z = state.linear, state.angular
    xx, xy, xa, yy, ya, aa = state.covariance
    covariance = message.pose.covariance
    covariance[0], covariance[1], covariance[5] = xx, xy, xa
    covariance[6], covariance[7], covariance[11] = xy, yy, ya
    covariance[30], covariance[31], covariance[35] = xa, ya, aa
    covariance = message.twist.covariance
    covariance[0], covariance[35] = state.velocity_variance


def transform_message(odom_frame: str, base_frame: str) -> TFMessage:
    """Return a message with one transform and its constant parts, for `fill_transform`."""
    transform = TransformStamped(child_frame_id=base_frame)
    transform.header.frame_id = odom_frame
    return TFMessage(transforms=[transform])


def fill_transform(message: TFMessage, state: Odometry, stamp: TimeMsg) -> None:
    """Convert odometry to a transform."""
    transform, half = message.transforms[0], state.yaw / 2
    transform.header.stamp = stamp
    translation, rotation = transform.transform.translation, transform.transform.rotation
    translation.x, translation.y = state.x, state.y
    rotation.z, rotation.w = math.sin(half), math.cos(half)


def joint_message(base_frame: str) -> JointState:
    """Return a message with the constant parts, for `fill_joints`."""
    message = JointState(name=WHEEL_JOINTS)
    message.header.frame_id = base_frame
    return message


def fill_joints(message: JointState, state: Odometry, stamp: TimeMsg, wheel_radius: float) -> None:
    """Convert odometry to wheel angles (rad) and velocities (rad/s); `wheel_radius` in m."""
    message.header.stamp = stamp
    message.position = [state.left_angle, state.right_angle]
    message.velocity = [state.left_velocity / wheel_radius, state.right_velocity / wheel_radius]


def range_message(frame: str, sonar: Sonar) -> Range:
    """Return a message with the constant parts of a sonar; its range and stamp are set for each ping."""
    message = Range(
        radiation_type=Range.ULTRASOUND,
        field_of_view=sonar.field_of_view,
        min_range=sonar.min_range,
        max_range=sonar.max_range,
    )
    message.header.frame_id = frame
    return message


_BEAMS = 120  # of the virtual scan, 3 deg each
_RAYS = 8  # that represent the cone of one echo

#: x, y, z in m, number of the sonar
_POINT = struct.Struct("<fffBxxx")


def cloud_message(base_frame: str) -> PointCloud2:
    """Return a message with the constant parts, for `fill_cloud`."""
    fields = [
        PointField(name=name, offset=4 * index, datatype=PointField.FLOAT32, count=1)
        for index, name in enumerate("xyz")
    ]
    fields.append(PointField(name="sensor_id", offset=12, datatype=PointField.UINT8, count=1))
    message = PointCloud2(height=1, fields=fields, point_step=_POINT.size, is_dense=True)
    message.header.frame_id = base_frame
    return message


def fill_cloud(message: PointCloud2, points: Iterable[SonarPoint], stamp: TimeMsg, sonar: Sonar) -> None:
    """Convert the echoes among the points to points in the base frame."""
    message.header.stamp = stamp
    message.data = data = b"".join(
        [
            _POINT.pack(
                point.pose.x + point.ping.range * math.cos(point.pose.heading),
                point.pose.y + point.ping.range * math.sin(point.pose.heading),
                sonar.height,
                point.ping.number,
            )
            for point in points
            if point.ping.range != math.inf
        ]
    )
    message.row_step = len(data)
    message.width = len(data) // _POINT.size


def sonar_scan(points: Iterable[SonarPoint], header: Header, sonar: Sonar) -> LaserScan:
    """Convert the sonars to a scan in the base frame. A ping fills its cone, inf without an echo; others are NaN."""
    ranges = [math.nan] * _BEAMS
    step = math.tau / _BEAMS
    half = sonar.field_of_view / 2
    for point in points:
        pose, ping = point.pose, point.ping
        reach = min(ping.range, sonar.max_range)
        for ray in range(_RAYS + 1):
            heading = pose.heading + half * (2 * ray / _RAYS - 1)
            x, y = pose.x + reach * math.cos(heading), pose.y + reach * math.sin(heading)
            beam = round((math.atan2(y, x) + math.pi) / step) % _BEAMS
            distance = math.hypot(x, y) if math.isfinite(ping.range) else math.inf
            # NaN compares false: the first value always counts, then the nearest.
            if not ranges[beam] <= distance:
                ranges[beam] = distance
    return LaserScan(
        header=header,
        angle_min=-math.pi,
        angle_max=math.pi - step,
        angle_increment=step,
        range_min=0.05,
        range_max=sonar.max_range + 0.2,
        ranges=ranges,
    )


_SUPPLY_STATUS = {
    None: BatteryState.POWER_SUPPLY_STATUS_UNKNOWN,
    True: BatteryState.POWER_SUPPLY_STATUS_CHARGING,
    False: BatteryState.POWER_SUPPLY_STATUS_DISCHARGING,
}


def battery_state(battery: Battery, report: Report, header: Header) -> BatteryState:
    """Convert the battery. The charge is estimated from the voltage unless the robot reports it."""
    return BatteryState(
        header=header,
        voltage=report.smoothed_volts,
        temperature=math.nan,
        current=math.nan,
        charge=math.nan,
        capacity=math.nan,
        design_capacity=battery.capacity,
        percentage=report.charge,
        power_supply_status=_SUPPLY_STATUS[report.charging],
        power_supply_health=BatteryState.POWER_SUPPLY_HEALTH_UNKNOWN,
        power_supply_technology=getattr(BatteryState, "POWER_SUPPLY_TECHNOLOGY_VRLA", 0),
        present=True,
    )


def link_status(link: LinkChanged, emergency_stop: bool, header: Header) -> RobotStatus:
    """Convert the state of the link, without a report of the robot."""
    return RobotStatus(
        header=header,
        link_state=link.state.value,
        link_text=link.note,
        emergency_stop=emergency_stop,
        state_of_charge=math.nan,
        temperature=math.nan,
        turn_rate=math.nan,
    )


def fill_status(message: RobotStatus, report: Report, stamp: TimeMsg) -> None:
    """Convert a report into a message of `link_status`."""
    nan = math.nan
    message.header.stamp = stamp
    message.motors_enabled = report.motors_enabled
    message.moving = report.moving
    message.stall_left = report.left_stalled
    message.stall_right = report.right_stalled
    message.sonar_enabled = report.sonar_enabled
    message.stop_button = report.stop_button
    message.faults = list(report.faults)
    message.charge_state = report.charge_state
    message.state_of_charge = nan if report.reported_charge is None else report.reported_charge
    message.temperature = nan if report.celsius is None else float(report.celsius)
    message.turn_rate = nan if report.turn_rate is None else report.turn_rate
    message.sonar_ages = list(report.sonar_ages)


#: Fields of RobotConfig, their CONFIG field, and its unit in SI units.
_CONFIG_NUMBERS = (
    ("low_battery", "low_battery", 0.1),
    ("shutdown_voltage", "shutdown_volts", 0.1),
    ("watchdog", "watchdog", 1e-3),
    ("max_linear_velocity", "trans_vel_max", 1e-3),
    ("max_angular_velocity", "rot_vel_max", math.radians(1)),
    ("top_linear_velocity", "trans_vel_top", 1e-3),
    ("top_angular_velocity", "rot_vel_top", math.radians(1)),
    ("linear_acceleration", "trans_acc", 1e-3),
    ("linear_deceleration", "trans_decel", 1e-3),
    ("angular_acceleration", "rot_acc", math.radians(1)),
    ("angular_deceleration", "rot_decel", math.radians(1)),
    ("top_linear_acceleration", "trans_acc_top", 1e-3),
    ("top_angular_acceleration", "rot_acc_top", math.radians(1)),
    ("sonar_cycle", "sonar_cycle", 1e-3),
    ("drift_factor", "drift_factor", 1.0),
    ("ticks_per_mm", "ticks_mm", 1.0),
)


def robot_config(
    identity: SyncReply, profile: Profile, reason: str, config: TuningValues | None, header: Header
) -> RobotConfig:
    """Convert the identity of the robot and its CONFIG packet, in SI units."""
    message = RobotConfig(
        header=header,
        name=identity.name,
        robot_class=identity.robot_class,
        robot_subclass=identity.subclass,
        profile=profile.name,
        profile_reason=reason,
        received=config is not None,
    )
    for field, source, unit in _CONFIG_NUMBERS:
        value = config.value(source) if config else None
        setattr(message, field, math.nan if value is None else value * unit)
    message.info_cycle = config.info_cycle_ms / 1000 if config else math.nan
    message.stall_time = config.stall_time_ms / 1000 if config else math.nan
    if config is None:
        return message
    message.serial_number = config.serial
    message.firmware_version = config.firmware_version
    for field in ("host_baud", "aux1_baud", "aux2_baud", "aux3_baud"):
        setattr(message, field, config.baud(field))
    message.rev_count = config.rev_count
    message.stall_pwm = max(0, config.stall_val)
    message.pwm_max = max(0, config.pwm_max)
    message.rotation_pid = config.pid("rot")
    message.translation_pid = config.pid("trans")
    message.has_gyro = bool(config.value("has_gyro"))
    message.has_charger = bool(config.value("charger"))
    for field in ("front_sonar", "rear_sonar", "front_bumpers", "rear_bumpers"):
        setattr(message, field, bool(config.value(field)))
    for name, raw in config.values():
        message.raw_names.append(name)
        message.raw_values.append(str(raw))
    return message
