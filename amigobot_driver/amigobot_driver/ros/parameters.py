"""The node's parameters: one table that declares them, checks them and documents them."""

from __future__ import annotations

import difflib
import math
import os
from dataclasses import dataclass

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..protocol import BAUD_RATES
from ..robot import STALLS, TUNABLE, Options

Scalar = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Spec:
    """One parameter. `allowed` is a (low, high) pair for numbers, else all allowed values, () for anything."""

    name: str
    default: Scalar
    description: str
    unit: str = ""
    allowed: tuple[Scalar, ...] = ()
    at_run_time: bool = False
    least: float | None = None  #: where there is a gap between it and the default
    #: the field of CONFIGpac this sets in the robot, and its units to one of ours; the default leaves it alone
    tunes: tuple[str, float] | None = None

    @property
    def kind(self) -> type:
        return type(self.default)

    @property
    def has_range(self) -> bool:
        return self.kind in (int, float) and len(self.allowed) == 2

    def range_text(self) -> str:
        if self.has_range:
            low = self.allowed[0] if self.least is None else self.least
            text = f"{low:g} to {self.allowed[1]:g} {self.unit}".strip()
            return text if self.least is None else f"{self.default:g}, or {text}"
        if self.allowed:
            return ", ".join(map(repr, self.allowed))
        return {bool: "true or false", str: "text"}.get(self.kind, f"a number {self.unit}".strip())

    def descriptor(self) -> ParameterDescriptor:
        text = f"{self.description} [{self.unit}]" if self.unit else self.description
        descriptor = ParameterDescriptor(
            name=self.name, description=text, additional_constraints=self.range_text(), dynamic_typing=True
        )
        descriptor.read_only = not self.at_run_time
        if self.has_range and self.kind is float:
            low, high = map(float, self.allowed)
            descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
        elif self.has_range:
            low, high = map(int, self.allowed)
            descriptor.integer_range = [IntegerRange(from_value=low, to_value=high, step=1)]
        return descriptor

    def check(self, value: object) -> Scalar:
        """The value in this parameter's type. Raises ValueError with the name, the value and what is allowed."""
        if self.kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if value is False and "off" in self.allowed:
            value = "off"  # YAML takes the bare word for a boolean
        good = type(value) is self.kind
        if good and self.has_range:
            good = self.allowed[0] <= value <= self.allowed[1]  # type: ignore[operator]
            good = good and (self.least is None or value >= self.least or value == self.default)  # type: ignore[operator]
        elif good and self.allowed:
            good = value in self.allowed
        if not good:
            raise ValueError(f"parameter {self.name} is {value!r}, allowed: {self.range_text()}")
        return value  # type: ignore[return-value]


_DEG = 180 / math.pi

#: Nav2 publishes TwistStamped from Kilted on.
_STAMPED = os.environ.get("ROS_DISTRO", "") not in ("humble", "iron", "jazzy")

TABLE = (
    Spec(
        "port",
        "sim://",
        "where the robot is: /dev/ttyUSB0, /dev/ttyUSB*, socket:// or rfc2217://host:port, sim://NAME, replay://TOPICS",
    ),
    Spec("baud", 0, "line speed, 0: the profile's; others are tried when nothing answers", "baud", (0, *BAUD_RATES)),
    Spec(
        "bridge_baud",
        -1,
        "speed of the serial line behind a TCP bridge, 0: there is none, as with a simulator; "
        "-1: what the robot reports, if its profile says that it comes with a bridge",
        "baud",
        (-1, 0, *BAUD_RATES),
    ),
    Spec("robot", "", "profile: a name, or a file ending in .yaml; empty: what the robot says it is"),
    Spec("param_file", "", "an ARIA parameter file (.p) to take the robot's numbers from, instead of robot"),
    Spec("odom_frame", "odom", "frame the odometry is measured in"),
    Spec("base_frame", "base_link", "the robot's own frame, on the floor between its wheels"),
    Spec("frame_prefix", "", "put before every frame, for several robots in one tree"),
    Spec("publish_tf", True, "publish the transform from odom_frame to base_frame", at_run_time=True),
    Spec(
        "cmd_vel_timeout",
        0.5,
        "a velocity ends this long after its last message",
        "s",
        (0.05, 2.0),
        at_run_time=True,
    ),
    Spec("enable_stamped_cmd_vel", _STAMPED, "cmd_vel is TwistStamped, else Twist; the default follows ROS_DISTRO"),
    Spec(
        "max_linear_velocity",
        0.0,
        "faster velocities are scaled down to this, 0: the robot's own limit",
        "m/s",
        (0.0, 10.0),
        least=0.001,
        at_run_time=True,
    ),
    Spec(
        "max_angular_velocity",
        0.0,
        "faster rotations are scaled down to this, 0: the robot's own limit",
        "rad/s",
        (0.0, 20.0),
        least=1 / _DEG,
        at_run_time=True,
    ),
    Spec("motors_on_connect", True, "switch the motors on when the robot is found; it stands until it is driven"),
    Spec("sonar_on_connect", True, "switch the sonars on, or off, when the robot is found"),
    Spec("sonar_sequence", "", "sonars that fire, in this order: numbers from 0 with blanks; empty: as the robot does"),
    Spec("publish_scan", False, "publish the sonar ring as a LaserScan too, on sonar/scan"),
    Spec(
        "sonar_no_echo",
        "max_range",
        "what Range says when nothing answers: max_range as Nav2 needs it, or inf as REP-117 says",
        allowed=("max_range", "inf"),
        at_run_time=True,
    ),
)

TABLE += tuple(
    Spec(
        name,
        0.0,
        f"{text}, 0: the robot's own",
        unit,
        (0.0, top),
        least=TUNABLE[field].low / factor,
        at_run_time=True,
        tunes=(field, factor),
    )
    for name, text, unit, top, field, factor in (
        ("linear_acceleration", "how fast the robot speeds up", "m/s^2", 4.0, "trans_acc", 1000.0),
        ("linear_deceleration", "how fast the robot slows down", "m/s^2", 4.0, "trans_decel", 1000.0),
        ("angular_acceleration", "how fast a rotation speeds up", "rad/s^2", 20.0, "rot_acc", _DEG),
        ("angular_deceleration", "how fast a rotation slows down", "rad/s^2", 20.0, "rot_decel", _DEG),
    )
)

TABLE += tuple(
    Spec(
        name,
        low,
        f"{text}, {low}: the robot's own",
        "",
        (low, TUNABLE[field].high),
        least=TUNABLE[field].low,
        at_run_time=True,
        tunes=(field, 1.0),
    )
    for name, text, low, field in (
        ("rotation_kp", "rotation servo, proportional term", -1, "rot_kp"),
        ("rotation_kv", "rotation servo, derivative term", -1, "rot_kv"),
        ("rotation_ki", "rotation servo, integral term", -1, "rot_ki"),
        ("translation_kp", "translation servo, proportional term", -1, "trans_kp"),
        ("translation_kv", "translation servo, derivative term", -1, "trans_kv"),
        ("translation_ki", "translation servo, integral term", -1, "trans_ki"),
        ("rev_count", "encoder ticks of a turn, for the robot's own odometry", -1, "rev_count"),
        ("ticks_per_mm", "encoder ticks of a millimetre, where the firmware has it", -1, "ticks_mm"),
        ("drift_factor", "added to the left encoder in 1/8192, where the firmware has it", -32768, "drift_factor"),
    )
)

TABLE += (
    Spec("encoder_stream", False, "have the robot send ENCODERpacs: raw ticks on encoders", at_run_time=True),
    Spec(
        "odometry_source",
        "robot",
        "where odom comes from: the SIPs, or the encoders' ticks, which are streamed then",
        allowed=("robot", "encoders"),
        at_run_time=True,
    ),
    Spec(
        "odometry_state_max_age",
        60.0,
        "after a restart, continue the odometry if the stored pose is at most this old; 0 stores nothing",
        "s",
        (0.0, 3600.0),
    ),
    Spec(
        "odometry_state_file",
        "",
        "file that the pose is stored in; empty: one for each node and port below $XDG_STATE_HOME/amigobot",
    ),
    Spec(
        "gyro",
        "auto",
        "have the robot send GYROpacs where it has a gyro, for imu, or never",
        allowed=("auto", "off"),
        at_run_time=True,
    ),
    Spec(
        "sonar_cycle",
        0.0,
        "how long a sonar is listened to before the next one fires, 0: the robot's own",
        "s",
        (0.0, TUNABLE["sonar_cycle"].high / 1000),
        least=TUNABLE["sonar_cycle"].low / 1000,
        at_run_time=True,
        tunes=("sonar_cycle", 1000.0),
    ),
    Spec(
        "bumper_stall",
        "robot",
        "whose touch counts as a stall of the motors; robot: as it is set there",
        allowed=("robot", *STALLS),
        at_run_time=True,
    ),
    Spec(
        "compass",
        "off",
        "have a Pioneer tell its compass: in steps of 2 deg in its SIPs, or all of it in packets",
        allowed=("off", "sip", "packets"),
        at_run_time=True,
    ),
    Spec(
        "gripper_stream",
        True,
        "have a Pioneer with a gripper send GRIPPERpacs: all its switches on gripper_state",
        at_run_time=True,
    ),
    Spec("joystick_stream", False, "have a Pioneer send JOYSTICKpacs: its joystick on joy", at_run_time=True),
    Spec("io_stream", False, "have the robot send IOpacs: all analog inputs on io", at_run_time=True),
    Spec(
        "analog_volts_per_count",
        0.0,
        "what a count of an IOpac's analog input is worth, 0: as the profile has it; the manuals contradict each other",
        "V",
        (0.0, 1.0),
        at_run_time=True,
    ),
    Spec(
        "digital_output_mask_first",
        False,
        "DIGOUT with mask and states swapped, for a firmware on which outputs do not follow",
        at_run_time=True,
    ),
    Spec(
        "motor_pwm_frequency",
        0.0,
        "of the pulses that drive the motors, 4000 to 16000, where they can be told (Erratic); 0: the robot's own",
        "Hz",
        (0.0, 16000.0),
        least=4000.0,
    ),
    Spec(
        "motor_pwm_max_duty",
        0.0,
        "the longest that these pulses are on, as a share, where that can be told (Erratic); 0: the robot's own",
        "",
        (0.0, 1.0),
        least=0.01,
    ),
    Spec(
        "say_half_cycle",
        0.0001,
        "what the service say takes one count of a tone's half-cycle for; no manual says",
        "s",
        (0.000001, 0.01),
        at_run_time=True,
    ),
    Spec("allow_raw_commands", False, "let send_command send any command, for experts", at_run_time=True),
    Spec("publish_packets", False, "publish every frame of the line, both ways, on packets", at_run_time=True),
)

_BY_NAME = {spec.name: spec for spec in TABLE}

#: Parameters that ROS declares itself, as full names and as the beginnings of names.
_OF_ROS = ("use_sim_time", "start_type_description_service", "qos_overrides.")
#: How alike two names must be for one to be proposed for the other.
_ALIKE = 0.6


def nearest_name(name: str) -> str:
    """The parameter whose name is most like this one, in letters and in whole words; "" when none is alike."""
    words = set(name.split("_"))

    def likeness(known: str) -> float:
        shared = len(words & set(known.split("_"))) / len(words)
        return difflib.SequenceMatcher(None, name, known).ratio() + 0.5 * shared

    best = max(_BY_NAME, key=likeness)
    return best if likeness(best) >= _ALIKE else ""


def unknown_text(name: str) -> str:
    """What the operator is told about a parameter that this node does not have."""
    near = nearest_name(name)
    proposal = f"did you mean {near}?" if near else "`ros2 param list` shows those it has"
    return f"parameter {name} is not known to this node and has no effect: {proposal}"


class BadParameter(Exception):
    """A parameter that the node cannot start with; one line for the person who set it."""


class NodeParameters:
    """The parameters of one node, checked. Raises BadParameter."""

    def __init__(self, node: Node) -> None:
        """Declare the parameters of `node`, which must have declared those that it was started with itself."""
        self._node = node
        self._values: dict[str, Scalar] = {}
        given = [name for name in node.get_parameters_by_prefix("") if not name.startswith(_OF_ROS)]
        #: parameters that the node was started with and does not have
        self.unknown = tuple(name for name in given if name not in _BY_NAME)
        for name in given:
            # Declared anew below, with a descriptor; an unknown one must not look as if it had an effect.
            node.undeclare_parameter(name)
        for spec in TABLE:
            value = node.declare_parameter(spec.name, spec.default, ParameterDescriptor(dynamic_typing=True)).value
            try:
                self._values[spec.name] = spec.check(value)
            except ValueError as error:
                raise BadParameter(str(error)) from None
            # Only now, because what rclpy says of a value outside the range helps nobody.
            node.set_descriptor(spec.name, spec.descriptor())
        if not all(word.isdecimal() for word in str(self["sonar_sequence"]).split()):
            raise BadParameter(f"parameter sonar_sequence is {self['sonar_sequence']!r}, allowed: numbers and blanks")

    def __getitem__(self, name: str) -> Scalar:
        return self._values[name]

    def options(self) -> Options:
        """What the robot needs to know of them."""
        values = self._values
        return Options(
            profile=str(values["param_file"] or values["robot"]),
            baud=int(values["baud"]),
            bridge_baud=int(values["bridge_baud"]),
            command_timeout=float(values["cmd_vel_timeout"]),
            max_linear=float(values["max_linear_velocity"]),
            max_angular=float(values["max_angular_velocity"]),
            motors_on_connect=bool(values["motors_on_connect"]),
            sonar_on_connect=bool(values["sonar_on_connect"]),
            sonar_sequence=tuple(map(int, str(values["sonar_sequence"]).split())),
            io_stream=bool(values["io_stream"]),
            encoder_stream=bool(values["encoder_stream"]),
            encoder_odometry=values["odometry_source"] == "encoders",
            gyro=values["gyro"] == "auto",
            bumper_stall=str(values["bumper_stall"]),
            compass=str(values["compass"]),
            gripper_stream=bool(values["gripper_stream"]),
            joystick_stream=bool(values["joystick_stream"]),
            digital_output_mask_first=bool(values["digital_output_mask_first"]),
            pwm_frequency=float(values["motor_pwm_frequency"]),
            pwm_max_duty=float(values["motor_pwm_max_duty"]),
            trace=bool(values["publish_packets"]),
            tuning={
                spec.tunes[0]: round(float(values[spec.name]) * spec.tunes[1])
                for spec in TABLE
                if spec.tunes and values[spec.name] != spec.default
            },
        )

    def check(self, changes: list[Parameter]) -> SetParametersResult:
        """Whether changes at run time are acceptable, all or none, with the reason where one is not."""
        for change in changes:
            if change.name in _BY_NAME:
                try:
                    _BY_NAME[change.name].check(change.value)
                except ValueError as error:
                    return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def apply(self, changes: list[Parameter]) -> None:
        """Take changes that `check` has accepted."""
        for change in changes:
            if change.name in _BY_NAME:
                self._values[change.name] = _BY_NAME[change.name].check(change.value)
