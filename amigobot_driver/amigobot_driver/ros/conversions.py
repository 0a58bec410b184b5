"""Conversion of events to ROS messages: pure functions, one for each message."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable

from geometry_msgs.msg import Quaternion, TransformStamped
from nav_msgs.msg import Odometry as OdometryMsg
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, Imu, JointState, LaserScan, PointCloud2, PointField, Range
from std_msgs.msg import Header

from amigobot_msgs.msg import RobotConfig, RobotStatus

from ..profiles import Profile, Sonar
from ..protocol import BAUD_RATES, Parameters, SyncReply
from ..robot import BatteryMonitor, Odometry, Ping, Report, Robot, SonarPoint, TurnRate

#: Variance of motions that a wheeled robot cannot make: small, but never zero.
_FLAT = 1e-6

#: Variance of the two axes that the gyro does not measure, (rad/s)^2.
_UNKNOWN = 1e6

WHEEL_JOINTS = ("left_wheel_joint", "right_wheel_joint")


def sonar_frame(number: int) -> str:
    """Return the frame of a sonar, as in the URDF."""
    return f"sonar_{number}_link"


def floor_frame(number: int) -> str:
    """Return the frame of a floor sensor, as in the URDF."""
    return f"floor_{number}_link"


def header_now(node: Node, frame: str) -> Header:
    """Return a header with the present time of the node."""
    return Header(stamp=node.get_clock().now().to_msg(), frame_id=frame)


def quaternion(yaw: float) -> Quaternion:
    """Return the rotation by `yaw` (rad) about z."""
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def odometry(state: Odometry, header: Header, base_frame: str) -> OdometryMsg:
    """Convert odometry to a message; covariances are 6x6, row-major."""
    message = OdometryMsg(header=header, child_frame_id=base_frame)
    message.pose.pose.position.x = state.x
    message.pose.pose.position.y = state.y
    message.pose.pose.orientation = quaternion(state.yaw)
    message.twist.twist.linear.x = state.linear
    message.twist.twist.angular.z = state.angular
    xx, xy, xa, yy, ya, aa = state.covariance
    # Row-major 6x6 of x, y, z, roll, pitch, yaw.
    pose = [0.0] * 36
    pose[0], pose[1], pose[5] = xx, xy, xa
    pose[6], pose[7], pose[11] = xy, yy, ya
    pose[30], pose[31], pose[35] = xa, ya, aa
    pose[14] = pose[21] = pose[28] = _FLAT
    message.pose.covariance = pose
    twist = [0.0] * 36
    twist[0], twist[35] = state.velocity_variance
    twist[7] = twist[14] = twist[21] = twist[28] = _FLAT
    message.twist.covariance = twist
    return message


def transform(state: Odometry, header: Header, base_frame: str) -> TransformStamped:
    """Convert odometry to a transform."""
    message = TransformStamped(header=header, child_frame_id=base_frame)
    message.transform.translation.x = state.x
    message.transform.translation.y = state.y
    message.transform.rotation = quaternion(state.yaw)
    return message


def imu(turn: TurnRate, header: Header) -> Imu:
    """Convert a turn rate about z. A covariance that begins with -1 means "not measured" (REP 145)."""
    message = Imu(header=header)
    message.angular_velocity.z = turn.rate
    rates = [0.0] * 9
    rates[0] = rates[4] = _UNKNOWN
    rates[8] = turn.variance
    message.angular_velocity_covariance = rates
    message.orientation_covariance = message.linear_acceleration_covariance = [-1.0] + [0.0] * 8
    return message


def joint_states(state: Odometry, header: Header, wheel_radius: float) -> JointState:
    """Convert odometry to wheel angles (rad) and velocities (rad/s); `wheel_radius` in m."""
    return JointState(
        header=header,
        name=WHEEL_JOINTS,
        position=[state.left_angle, state.right_angle],
        velocity=[state.left_velocity / wheel_radius, state.right_velocity / wheel_radius],
    )


def sonar_range(ping: Ping, header: Header, sonar: Sonar, no_echo: float) -> Range:
    """Convert a ping to a range in the frame of its sonar; `no_echo` (m) is the range without an echo."""
    return Range(
        header=header,
        radiation_type=Range.ULTRASOUND,
        field_of_view=sonar.field_of_view,
        min_range=sonar.min_range,
        max_range=sonar.max_range,
        range=ping.range if math.isfinite(ping.range) else no_echo,
    )


#: Beams of the virtual scan (3 deg each), and rays that represent the cone of one echo.
_BEAMS = 120
_RAYS = 8

_POINT = struct.Struct("<fff")


def sonar_cloud(points: Iterable[SonarPoint], header: Header, sonar: Sonar) -> PointCloud2:
    """The echoes among the points, as points in the base frame."""
    points = [
        _POINT.pack(
            pose.x + distance * math.cos(pose.heading), pose.y + distance * math.sin(pose.heading), sonar.height
        )
        for point in points
        for pose, distance in ((point.pose, point.ping.range),)
        if math.isfinite(distance)
    ]
    return PointCloud2(
        header=header,
        height=1,
        width=len(points),
        fields=[
            PointField(name=name, offset=4 * place, datatype=PointField.FLOAT32, count=1)
            for place, name in enumerate("xyz")
        ],
        point_step=_POINT.size,
        row_step=_POINT.size * len(points),
        data=b"".join(points),
        is_dense=True,
    )


def sonar_scan(points: Iterable[SonarPoint], header: Header, sonar: Sonar) -> LaserScan:
    """Convert the sonar ring to a scan in the base frame. Each echo fills its cone; other beams are NaN."""
    ranges = [math.nan] * _BEAMS
    step = math.tau / _BEAMS
    half = sonar.field_of_view / 2
    for point in points:
        pose, ping = point.pose, point.ping
        reach = min(ping.range, sonar.max_range)
        for place in range(_RAYS + 1):
            heading = pose.heading + half * (2 * place / _RAYS - 1)
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


def battery_state(monitor: BatteryMonitor, report: Report, header: Header) -> BatteryState:
    """Convert the battery. The charge is estimated from the voltage unless the robot reports it."""
    status = {
        None: BatteryState.POWER_SUPPLY_STATUS_UNKNOWN,
        True: BatteryState.POWER_SUPPLY_STATUS_CHARGING,
        False: BatteryState.POWER_SUPPLY_STATUS_DISCHARGING,
    }
    return BatteryState(
        header=header,
        voltage=monitor.voltage,
        temperature=math.nan,
        current=math.nan,
        charge=math.nan,
        capacity=math.nan,
        design_capacity=monitor.battery.capacity,
        percentage=monitor.charge if report.charge is None else report.charge,
        power_supply_status=status[report.charging],
        power_supply_health=BatteryState.POWER_SUPPLY_HEALTH_UNKNOWN,
        power_supply_technology=getattr(BatteryState, "POWER_SUPPLY_TECHNOLOGY_VRLA", 0),
        present=True,
    )


def robot_status(robot: Robot, report: Report | None, header: Header) -> RobotStatus:
    """Convert the state of robot and link; without a report only the link is known."""
    message = RobotStatus(
        header=header,
        link_state=robot.state.value,
        link_text=robot.note,
        emergency_stop=robot.motion.emergency,
        state_of_charge=math.nan,
        temperature=math.nan,
        turn_rate=math.nan,
    )
    if report:
        message.motors_enabled = report.motors_enabled
        message.moving = report.moving
        message.stall_left = report.left_stalled
        message.stall_right = report.right_stalled
        message.sonar_enabled = report.sonar_enabled
        message.stop_button = report.stop_button
        message.faults = list(report.faults)
        message.charge_state = report.charge_state
        message.state_of_charge = _or_nan(report.charge)
        message.temperature = _or_nan(report.celsius)
        message.turn_rate = _or_nan(report.turn_rate)
        message.sonar_ages = [_or_nan(age) for age in report.sonar_ages]
    return message


def _or_nan(value: float | None) -> float:
    """Return NaN for a value that the packet does not have."""
    return math.nan if value is None else float(value)


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
    identity: SyncReply, profile: Profile, reason: str, config: Parameters | None, header: Header
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
        setattr(message, field, _baud(config.value(field)))
    message.rev_count = config.rev_count
    message.stall_pwm = max(0, config.stall_val)
    message.pwm_max = max(0, config.pwm_max)
    message.rotation_pid = [config.rot_kp, config.rot_kv, config.rot_ki]
    message.translation_pid = [config.trans_kp, config.trans_kv, config.trans_ki]
    message.has_gyro = bool(config.value("has_gyro"))
    message.has_charger = bool(config.value("charger"))
    for field in ("front_sonar", "rear_sonar", "front_bumpers", "rear_bumpers"):
        setattr(message, field, bool(config.value(field)))
    for name, value in config.values():
        message.raw_names.append(name)
        message.raw_values.append(str(value))
    return message


def _baud(code: int | None) -> int:
    """Return the line speed of a code; 0 for no code or an unknown one."""
    return BAUD_RATES[code] if code is not None and code < len(BAUD_RATES) else 0
