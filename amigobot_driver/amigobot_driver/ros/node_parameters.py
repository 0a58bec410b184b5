# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node's parameters: one table that declares, checks and documents them."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..protocol import BAUD_RATES
from ..robot import COMPASSES, STALLS, TUNABLE, Options

Scalar = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Spec:
    """One parameter. `allowed` is a (low, high) pair for numbers, else all allowed values; () allows any value."""

    name: str
    default: Scalar
    description: str
    unit: str = ""
    allowed: tuple[Scalar, ...] = ()
    words: tuple[str, ...] = ()  #: texts that are allowed beside values of another type
    at_run_time: bool = False
    minimum: float | None = None  #: lowest value other than the default, where values between the two are not allowed
    #: the CONFIG field that this sets in the robot, and its units per unit of ours; the default sets nothing
    tunes: tuple[str, float] | None = None
    option: str = ""  #: the field of Options that this sets, if that has another name
    convert: Callable[[Any], object] | None = None  #: makes the value of that field from the parameter's

    @property
    def kind(self) -> type:
        """Type of the values."""
        return type(self.default)

    @property
    def has_range(self) -> bool:
        """Whether the parameter is a number with a lowest and a highest value."""
        return self.kind in (int, float) and len(self.allowed) == 2

    @property
    def has_dynamic_type(self) -> bool:
        """Whether ROS takes other types: a whole number for a real one, or a word that YAML reads as another type."""
        return self.kind is float or not {"off", "inf"}.isdisjoint(self.allowed) or bool(self.words)

    def range_text(self) -> str:
        """Describe the allowed values, such as "0.05 to 2 s"."""
        if self.has_range:
            low = self.allowed[0] if self.minimum is None else self.minimum
            text = f"{low:g} to {self.allowed[1]:g} {self.unit}".strip()
            return text if self.minimum is None else f"{self.default:g}, or {text}"
        if self.allowed:
            return ", ".join(map(repr, self.allowed))
        text = {bool: "true or false", str: "text"}.get(self.kind, f"a number {self.unit}".strip())
        return ", ".join((text.replace(" or ", ", "), *self.words)) if self.words else text

    def descriptor(self) -> ParameterDescriptor:
        """Return the ROS descriptor with description, range and constraints."""
        text = f"{self.description} [{self.unit}]" if self.unit else self.description
        descriptor = ParameterDescriptor(
            name=self.name,
            description=text,
            additional_constraints=self.range_text(),
            dynamic_typing=self.has_dynamic_type,
        )
        if not self.has_dynamic_type:
            descriptor.type = Parameter.Type.from_parameter_value(self.default).value
        descriptor.read_only = not self.at_run_time
        if self.has_range and self.kind is float:
            low, high = map(float, self.allowed)
            descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
        elif self.has_range:
            low, high = map(int, self.allowed)
            descriptor.integer_range = [IntegerRange(from_value=low, to_value=high, step=1)]
        return descriptor

    def check(self, value: object) -> Scalar:
        """Return the value, converted to the type of this parameter.

        Raises:
            ValueError: The value is not allowed. The text names the parameter, the value and what is allowed.
        """
        if self.kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if value is False and "off" in self.allowed:
            value = "off"  # YAML reads the bare word as a boolean
        if value == math.inf and "inf" in self.allowed:
            value = "inf"  # and this one as a number, after `-p name:=`
        valid = type(value) is self.kind or value in self.words
        if valid and self.has_range:
            valid = self.allowed[0] <= value <= self.allowed[1]  # type: ignore[operator]
            valid = valid and (self.minimum is None or value >= self.minimum or value == self.default)  # type: ignore[operator]
        elif valid and self.allowed:
            valid = value in self.allowed
        if not valid:
            raise ValueError(f"parameter {self.name} is {value!r}, allowed: {self.range_text()}")
        return value  # type: ignore[return-value]


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a sonar sequence."""
    return tuple(map(int, text.split()))


#: Value of sonar_on_connect with which the sonars fire only for subscribers.
SONAR_WHEN_SUBSCRIBED = "when_subscribed"

_DEG = 180 / math.pi

#: Nav2 publishes TwistStamped from Kilted on.
_STAMPED = os.environ.get("ROS_DISTRO", "") not in ("humble", "iron", "jazzy")


#: A parameter that may change while the node runs.
_Changeable = partial(Spec, at_run_time=True)


def _working_value(
    name: str, field: str, text: str, keep: float = -1, unit: str = "", factor: float = 1, highest: float | None = None
) -> Spec:
    """Return the parameter of a working value of the robot; the value `keep` does not set it.

    Args:
        name: Name of the parameter.
        field: Name of the value in the CONFIG packet.
        text: What it is.
        keep: Below all values that may be set, of the type of the parameter.
        unit: Unit of the parameter.
        factor: Units of the CONFIG packet per unit of the parameter.
        highest: Highest value; None: as the command carries it.
    """
    limits = TUNABLE[field]
    return _Changeable(
        name,
        keep,
        f"{text}; {keep:g} keeps the robot's setting",
        unit,
        (keep, limits.high / factor if highest is None else highest),
        minimum=limits.low / factor,
        tunes=(field, factor),
    )


TABLE = (
    Spec(
        "port",
        "sim://",
        "port of the robot: /dev/ttyUSB0, /dev/ttyUSB*, host:port, rfc2217://host:port, sim://NAME, replay://TOPICS",
    ),
    Spec(
        "baud",
        0,
        "line speed; 0: the profile's. The driver tries other speeds if no robot answers",
        "baud",
        (0, *BAUD_RATES),
    ),
    Spec(
        "bridge_baud",
        -1,
        "speed of the serial line behind a TCP bridge; 0: no serial line, as with a simulator; "
        "-1: the speed that the robot reports, if its profile has a bridge",
        "baud",
        (-1, 0, *BAUD_RATES),
    ),
    Spec("robot", "", "robot profile: a name or a .yaml file; empty: chosen from what the robot reports"),
    Spec("param_file", "", "ARIA parameter file (.p), used instead of robot"),
    Spec("odom_frame", "odom", "frame of the odometry"),
    Spec("base_frame", "base_link", "frame of the robot, on the floor between its wheels"),
    Spec("frame_prefix", "", "prefix of every frame name, for several robots in one TF tree"),
    _Changeable("publish_tf", True, "publish the transform from odom_frame to base_frame"),
    _Changeable(
        "cmd_vel_timeout",
        0.5,
        "the robot stops this long after the last velocity message",
        "s",
        (0.05, 2.0),
        option="command_timeout",
    ),
    Spec(
        "enable_stamped_cmd_vel",
        _STAMPED,
        "cmd_vel is TwistStamped if true, Twist if false; the default depends on ROS_DISTRO",
    ),
    _Changeable(
        "max_linear_velocity",
        0.0,
        "maximum linear velocity; faster velocities are scaled down; 0: the robot's limit",
        "m/s",
        (0.0, 10.0),
        minimum=0.001,
        option="max_linear",
    ),
    _Changeable(
        "max_angular_velocity",
        0.0,
        "maximum angular velocity; faster rotations are scaled down; 0: the robot's limit",
        "rad/s",
        (0.0, 20.0),
        minimum=1 / _DEG,
        option="max_angular",
    ),
    Spec(
        "motors_on_connect",
        True,
        "switch the motors on after connecting; the robot does not move until it receives a velocity",
    ),
    Spec(
        "sonar_on_connect",
        True,
        "switch the sonars on (true) or off (false) after connecting; "
        "when_subscribed: on while a sonar topic has a subscriber, off otherwise",
        words=(SONAR_WHEN_SUBSCRIBED,),
        convert=lambda value: value is True,
    ),
    Spec(
        "sonar_sequence",
        "",
        "firing order of the sonars: numbers from 0, separated by spaces; empty: the robot's order",
        convert=_numbers,
    ),
    Spec("publish_scan", False, "also publish the sonar ring as a LaserScan on sonar/scan"),
    _Changeable(
        "sonar_no_echo",
        "max_range",
        "range without an echo: max_range (Nav2 needs this) or inf (REP 117)",
        allowed=("max_range", "inf"),
    ),
    _working_value("linear_acceleration", "trans_acc", "linear acceleration", 0.0, "m/s^2", 1000, 4.0),
    _working_value("linear_deceleration", "trans_decel", "linear deceleration", 0.0, "m/s^2", 1000, 4.0),
    _working_value("angular_acceleration", "rot_acc", "angular acceleration", 0.0, "rad/s^2", _DEG, 20.0),
    _working_value("angular_deceleration", "rot_decel", "angular deceleration", 0.0, "rad/s^2", _DEG, 20.0),
    _working_value("rotation_kp", "rot_kp", "rotation servo, proportional term"),
    _working_value("rotation_kv", "rot_kv", "rotation servo, derivative term"),
    _working_value("rotation_ki", "rot_ki", "rotation servo, integral term"),
    _working_value("translation_kp", "trans_kp", "translation servo, proportional term"),
    _working_value("translation_kv", "trans_kv", "translation servo, derivative term"),
    _working_value("translation_ki", "trans_ki", "translation servo, integral term"),
    _working_value("rev_count", "rev_count", "RevCount: differential encoder ticks of one turn of the robot"),
    _working_value("ticks_per_mm", "ticks_mm", "encoder ticks per millimeter, if the firmware has this value"),
    _working_value(
        "drift_factor",
        "drift_factor",
        "DriftFactor: correction of the left encoder in 1/8192, if the firmware has this value",
        -32768,
    ),
    _Changeable("encoder_stream", False, "request ENCODER packets: publish raw encoder ticks on encoders"),
    _Changeable(
        "odometry_source",
        "robot",
        "source of odom: the SIPs (robot) or the encoder ticks (encoders, requests ENCODER packets)",
        allowed=("robot", "encoders"),
        option="encoder_odometry",
        convert=lambda source: source == "encoders",
    ),
    _Changeable(
        "gyro",
        "auto",
        "request GYRO packets for imu if the robot has a gyro (auto), or never (off)",
        allowed=("auto", "off"),
        convert=lambda choice: choice == "auto",
    ),
    _working_value("sonar_cycle", "sonar_cycle", "time for each sonar ping", 0.0, "s", 1000),
    _Changeable(
        "bumper_stall",
        "robot",
        "bumpers whose contact stalls the motors; robot keeps the robot's setting",
        allowed=("robot", *STALLS),
    ),
    _Changeable(
        "compass",
        "off",
        "compass of a Pioneer: off, from the SIPs in steps of 2 deg (sip), or from compass packets (packets)",
        allowed=COMPASSES,
    ),
    _Changeable(
        "gripper_stream", True, "request GRIPPER packets from a Pioneer with a gripper: all switches on gripper_state"
    ),
    _Changeable("joystick_stream", False, "request JOYSTICK packets from a Pioneer: publish its joystick on joy"),
    _Changeable("io_stream", False, "request IO packets: publish all analog inputs on io"),
    _Changeable(
        "analog_volts_per_count",
        0.0,
        "volts per count of the analog inputs in IO packets; 0: the profile's. The manuals disagree about it",
        "V",
        (0.0, 1.0),
    ),
    _Changeable(
        "digital_output_mask_first",
        False,
        "swap mask and states in DIGOUT, for a firmware whose outputs do not follow",
    ),
    Spec(
        "motor_pwm_frequency",
        0.0,
        "motor PWM frequency, 4000 to 16000 (Erratic only); 0 keeps the robot's setting",
        "Hz",
        (0.0, 16000.0),
        minimum=4000.0,
        option="pwm_frequency",
    ),
    Spec(
        "motor_pwm_max_duty",
        0.0,
        "maximum motor PWM duty cycle, 0.01 to 1 (Erratic only); 0 keeps the robot's setting",
        "",
        (0.0, 1.0),
        minimum=0.01,
        option="pwm_max_duty",
    ),
    _Changeable(
        "say_half_cycle",
        0.0001,
        "seconds per half-cycle count in say tones (undocumented; tune by ear)",
        "s",
        (0.000001, 0.01),
    ),
    _Changeable("allow_raw_commands", False, "allow raw commands through send_command (experts only)"),
    _Changeable(
        "publish_packets",
        False,
        "publish every frame on packets from the start of the driver; false: only while packets has a subscriber",
        option="trace",
    ),
)

_BY_NAME = {spec.name: spec for spec in TABLE}

#: Parameters that rclpy declares. There is no qos_overrides: no publisher and no subscription of the node takes it.
_OF_ROS = ("use_sim_time", "start_type_description_service")


def unknown_text(name: str) -> str:
    """Return the warning about a parameter that this node does not have."""
    near = difflib.get_close_matches(name, (*_BY_NAME, *_OF_ROS), n=1)
    proposal = f"did you mean {near[0]}?" if near else "`ros2 param list` shows those it has"
    return f"parameter {name} is not known to this node and has no effect: {proposal}"


class BadParameter(Exception):
    """The node cannot start with this parameter value. The message is one line for the user."""


class NodeParameters:
    """The checked parameters of one node.

    Raises:
        BadParameter: A value that the node was started with is not allowed.
    """

    def __init__(self, node: Node) -> None:
        """Declare the parameters.

        Args:
            node: A node that has already declared the parameters it was started with.
        """
        self._node = node
        self._values: dict[str, Scalar] = {}
        given = [name for name in node.get_parameters_by_prefix("") if name not in _OF_ROS]
        #: parameters that the node was started with and does not have
        self.unknown = tuple(name for name in given if name not in _BY_NAME)
        for name in given:
            # Known ones are declared again below, with a descriptor. Unknown ones must not look effective.
            node.undeclare_parameter(name)
        for spec in TABLE:
            value = node.declare_parameter(spec.name, spec.default, ParameterDescriptor(dynamic_typing=True)).value
            try:
                self._values[spec.name] = spec.check(value)
            except ValueError as error:
                raise BadParameter(str(error)) from None
            # Only now: the message of rclpy for a value out of range does not name the allowed range.
            node.set_descriptor(spec.name, spec.descriptor())
        if not all(word.isdecimal() for word in str(self["sonar_sequence"]).split()):
            allowed = "numbers from 0, separated by spaces"
            raise BadParameter(f"parameter sonar_sequence is {self['sonar_sequence']!r}, allowed: {allowed}")

    def __getitem__(self, name: str) -> Scalar:
        return self._values[name]

    def options(self) -> Options:
        """Return the options of the driver core that follow from the parameters."""
        values = self._values
        names = {field.name for field in fields(Options)}
        chosen: dict[str, Any] = {
            option: spec.convert(values[spec.name]) if spec.convert else values[spec.name]
            for spec in TABLE
            if (option := spec.option or spec.name) in names
        }
        return Options(
            profile=str(values["param_file"] or values["robot"]),
            tuning={
                spec.tunes[0]: round(float(values[spec.name]) * spec.tunes[1])
                for spec in TABLE
                if spec.tunes and values[spec.name] != spec.default
            },
            **chosen,
        )

    def check(self, changes: list[Parameter]) -> SetParametersResult:
        """Accept or reject changes at run time, all or none; a rejection has a reason."""
        for change in changes:
            if change.name in _BY_NAME:
                try:
                    _BY_NAME[change.name].check(change.value)
                except ValueError as error:
                    return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def apply(self, changes: list[Parameter]) -> None:
        """Apply changes that `check` has accepted."""
        for change in changes:
            if change.name in _BY_NAME:
                self._values[change.name] = _BY_NAME[change.name].check(change.value)
