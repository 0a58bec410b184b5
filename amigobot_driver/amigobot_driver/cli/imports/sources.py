# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The parameters of p2os, RosAria, rosaria2, Player's p2os driver and ARIA, each with its counterpart.

Sources: `p2os.cpp` of allenh1/p2os (ROS 1, main) and of pondersome/p2os2 (ROS 2), `RosAria.cpp` and `RosAria.cfg` of
amor-ros-pkg/rosaria, `rosaria2_node.cpp` of ruipaulorocha/rosaria2, `p2os.cc` and `configfile.cc` of
playerproject/player,
`ArRobotParams.cpp` of reedhedges/AriaCoda. docs/migration has the same tables for a reader.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from .rules import Rule, Scalar, Source, if_at_least, integer, scaled, socket_url, switch, text, unless

_MM = 0.001
_DEG = math.pi / 180

#: BUMPSTALL as p2os and Player have it.
_BUMPERS = {-1: "robot", 0: "none", 1: "front", 2: "rear", 3: "both"}

_GAINS = {
    **{f"rot_k{term}": Rule(f"rotation_k{term}", if_at_least(0)) for term in "pvi"},
    **{f"trans_k{term}": Rule(f"translation_k{term}", if_at_least(0)) for term in "pvi"},
}
_NO_LIMIT = "A velocity ends 0.5 s after the last cmd_vel (cmd_vel_timeout). {}: publish at 5 Hz or more."
_LASER = Rule(note="a laser has a driver of its own in ROS 2")
_ARIA_LOG = Rule(note="the driver logs through ROS; publish_packets publishes every packet")
_LATERAL = Rule(note="these robots do not move sideways")
_SONAR_FRAME = Rule(note="each sonar has its own frame, sonar_0_link and so on, from the robot's profile")
_BUMPER_FRAME = Rule(note="bumpers are published in the frame of the robot")


def _bumper_stall(value: Scalar) -> str:
    if integer(value) not in _BUMPERS:
        raise ValueError("a whole number from -1 to 3")
    return _BUMPERS[integer(value)]


def _bridge(given: dict[str, Scalar]) -> Mapping[str, Scalar]:
    """Take use_tcp and the address of the bridge out of the parameters; the port follows from them."""
    use = switch(given.pop("use_tcp", False))
    host, port = given.pop("tcp_remote_host", "localhost"), given.pop("tcp_remote_port", 8101)
    if not use:
        return {}
    given.pop("port", None)
    return {"port": f"socket://{host}:{integer(port)}"}


P2OS = Source(
    "p2os",
    {
        **_GAINS,
        "port": Rule("port", text),
        "odom_frame_id": Rule("odom_frame", text),
        "base_link_frame_id": Rule("base_frame", text),
        "use_sonar": Rule("sonar_on_connect", switch),
        "bumpstall": Rule("bumper_stall", _bumper_stall),
        "max_xspeed": Rule("max_linear_velocity", scaled()),
        "max_yawspeed": Rule("max_angular_velocity", scaled()),
        "max_xaccel": Rule("linear_acceleration", scaled()),
        "max_xdecel": Rule("linear_deceleration", scaled()),
        "max_yawaccel": Rule("angular_acceleration", scaled()),
        "max_yawdecel": Rule("angular_deceleration", scaled()),
        "pulse": Rule(note="the driver keeps the session alive itself, and never keeps an old velocity alive"),
        "radio": Rule(note="the driver copes with a radio modem without being told"),
        # Of its port to ROS 2, pondersome/p2os2.
        "publish_tf": Rule("publish_tf", switch),
        "cmd_vel_timeout": Rule("cmd_vel_timeout", scaled()),
        "baud_rate": Rule(note="the driver finds the speed of the robot and never changes it"),
        "joystick": Rule(note="p2os reads it and does nothing with it"),
        "direct_wheel_vel_control": Rule(note="p2os reads it and does nothing with it; for wheels use cmd_wheels"),
    },
    defaults={
        "port": "/dev/ttyS0",
        "max_linear_velocity": 0.5,
        "max_angular_velocity": round(100 * _DEG, 4),
        "motors_on_connect": False,
        "sonar_on_connect": False,
    },
    differences=(
        _NO_LIMIT.format("p2os had no such limit"),
        "The motors stay off until `enable_motors` is called, as with p2os; delete motors_on_connect to have them on.",
    ),
    topics={"pose": "odom"},
    combine=_bridge,
)

_CALIBRATION = {
    "TicksMM": Rule("ticks_per_mm", if_at_least(1)),
    "DriftFactor": Rule("drift_factor", unless(-99999)),
    "RevCount": Rule("rev_count", if_at_least(1)),
}


_TIMEOUT = Rule(note="RosAria takes 0.6 s for every value above 0, and no limit for 0, which this driver does not have")

_SEEN_BY_ARIA = (
    "The motors are switched on after connecting, as RosAria does; motors_on_connect: false leaves them off.",
    "The sonars are on from the start; sonar_on_connect: when_subscribed switches them as RosAria does.",
)

_CLOUD = {"sonar_pointcloud2": "sonar/cloud"}

ROSARIA = Source(
    "RosAria",
    {
        **_CALIBRATION,
        "port": Rule("port", socket_url),
        "baud": Rule("baud", integer),
        "odom_frame": Rule("odom_frame", text),
        "base_link_frame": Rule("base_frame", text),
        "bumpers_frame": _BUMPER_FRAME,
        "sonar_frame": _SONAR_FRAME,
        "cmd_vel_timeout": _TIMEOUT,
        "trans_accel": Rule("linear_acceleration", scaled()),
        "trans_decel": Rule("linear_deceleration", scaled()),
        "rot_accel": Rule("angular_acceleration", scaled()),
        "rot_decel": Rule("angular_deceleration", scaled()),
        "lat_accel": _LATERAL,
        "lat_decel": _LATERAL,
        "publish_aria_lasers": _LASER,
        "debug_aria": _ARIA_LOG,
        "aria_log_filename": _ARIA_LOG,
    },
    defaults={"port": "/dev/ttyUSB0", "motors_on_connect": True, "cmd_vel_timeout": 0.6},
    differences=_SEEN_BY_ARIA,
    topics={"pose": "odom", **_CLOUD},
)

ROSARIA2 = Source(
    "rosaria2",
    {
        "ticks_mm": _CALIBRATION["TicksMM"],
        "drif_factor": Rule("drift_factor", unless(-1), "rosaria2 declares it under this name and does not send it"),
        "rev_count": _CALIBRATION["RevCount"],
        "serial_port": Rule("port", socket_url),
        "serial_baud": Rule("baud", integer),
        "odom_frame_id": Rule("odom_frame", text),
        "base_frame_id": Rule("base_frame", text),
        "tf_prefix": Rule("frame_prefix", lambda value: f"{value}/" if value else None),
        "bumper_frame_id": _BUMPER_FRAME,
        "sonar_frame_id": _SONAR_FRAME,
        "sonar_enabled": Rule("sonar_on_connect", switch),
        "publish_sonar": Rule(note="sonar topics are published while they have a subscriber"),
        "publish_sonar_pointcloud2": Rule(note="sonar/cloud is published while it has a subscriber"),
        "publish_motors_state": Rule(note="motors_enabled is a field of the topic status"),
        "cmd_vel_timeout": Rule(note="rosaria2 does not declare it and takes 0.6 s always"),
        "publish_aria_lasers": _LASER,
        "debug_aria": _ARIA_LOG,
        "aria_log_filename": _ARIA_LOG,
    },
    defaults={
        "port": "/dev/ttyUSB0",
        "motors_on_connect": True,
        "sonar_on_connect": False,
        "cmd_vel_timeout": 0.6,
    },
    differences=_SEEN_BY_ARIA[:1],
    topics=_CLOUD,
)

#: Parameters of p2os that are not in Player's file.
_OF_ROS = ("odom_frame_id", "base_link_frame_id", "use_sonar", "publish_tf", "cmd_vel_timeout", "baud_rate")
_ARM = Rule(note="the driver has no arm")
_CAMERA = Rule(note="cameras are connected to an AUX port: topics aux1/tx and aux1/rx")
_GRIPPER_SIZE = Rule(note="the driver does not publish the size of the gripper")

#: The first lines of Player's file name the units of lengths and angles; the reader converts them to m and rad.
PLAYER_LENGTHS = ("max_xspeed", "max_xaccel", "max_xdecel")
PLAYER_ANGLES = ("max_yawspeed", "max_yawaccel", "max_yawdecel")

PLAYER = Source(
    "Player",
    {
        **{key: rule for key, rule in P2OS.rules.items() if key not in _OF_ROS},
        "joystick": Rule(note="a joystick at the robot would move it past limits and emergency stop"),
        "direct_wheel_vel_control": Rule(
            note="cmd_vel lets the robot control both velocities; for wheels use cmd_wheels"
        ),
        "use_vel_band": Rule(note="velocities are scaled down to the limits on the same curve"),
        "ignore_checksum": Rule(note="damaged packets are never used"),
        "name": Rule(note="the driver of the file"),
        "provides": Rule(note="every topic is there; a message without a subscriber is not built"),
        "requires": Rule(note="ROS connects topics by their names"),
        "plugin": Rule(note="ROS has no plugins here"),
        "alwayson": Rule(note="the driver connects when it starts"),
        "fov": _CAMERA,
        **dict.fromkeys(("gripper_pose", "gripper_outersize", "gripper_innersize"), _GRIPPER_SIZE),
        **dict.fromkeys(("aa_basepos", "aa_baseorient", "aa_offsets", "aa_orients", "aa_axes"), _ARM),
        **dict.fromkeys(("limb_pos", "limb_links", "limb_offsets", "armgrip_outersize", "armgrip_innersize"), _ARM),
    },
    defaults=P2OS.defaults,
    differences=(
        _NO_LIMIT.format("Player had no such limit"),
        "Units are m, rad, m/s and rad/s everywhere; Player's file has degrees unless it says otherwise.",
        "The motors stay off until `enable_motors` is called, as a client of Player had to do.",
    ),
    combine=_bridge,
)

#: Keywords of a `.p` file that are settings of the program, not facts about the robot. The rest is read as a profile.
ARIA = Source(
    "ARIA",
    {
        "param_file": Rule("param_file", text),
        "TransVelMax": Rule("max_linear_velocity", scaled(_MM)),
        "RotVelMax": Rule("max_angular_velocity", scaled(_DEG)),
        "TransAccel": Rule("linear_acceleration", scaled(_MM)),
        "TransDecel": Rule("linear_deceleration", scaled(_MM)),
        "RotAccel": Rule("angular_acceleration", scaled(_DEG)),
        "RotDecel": Rule("angular_deceleration", scaled(_DEG)),
        "RequestIOPackets": Rule("io_stream", switch),
        "RequestEncoderPackets": Rule("encoder_stream", switch),
        "SwitchToBaudRate": Rule(note="the driver keeps the line speed of the robot and finds it by itself"),
        "GyroScaler": Rule(note="the driver has the scale of the manual (documentation: Protocol, 5.9)"),
        "CompassType": Rule(note="a Pioneer's compass is switched on with the parameter compass"),
    },
    defaults={"motors_on_connect": False},
    differences=(
        _NO_LIMIT.format("ARIA sends the last setVel() again every 0.5 s"),
        "Units are m, rad, m/s and rad/s, not mm and degrees.",
        "The motors stay off until `enable_motors` is called, as enableMotors() had to be.",
    ),
)

SOURCES = {"p2os": P2OS, "rosaria": ROSARIA, "rosaria2": ROSARIA2, "player": PLAYER, "aria": ARIA}
