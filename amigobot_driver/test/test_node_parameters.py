# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node's parameters: described, checked at the start and at run time, and kept by the robot."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import ParameterDescriptor
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters
from rclpy.context import Context
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.signals import SignalHandlerOptions
from ros_bench import NODE, Bench, Robot, shared_bench, stamp_of
from tf2_msgs.msg import TFMessage

from amigobot_driver.protocol import Command
from amigobot_driver.ros.node import AmigobotNode
from amigobot_driver.ros.node_parameters import BadParameterError

#: Parameters that every node has.
OF_ROS = {"use_sim_time", "start_type_description_service"}


bench = shared_bench(Robot)


def describe(bench: Bench, *names: str) -> dict[str, ParameterDescriptor]:
    request = DescribeParameters.Request(names=names)
    response = bench.call(DescribeParameters, "amigobot/describe_parameters", request)
    return {descriptor.name: descriptor for descriptor in response.descriptors}


def get(bench: Bench, name: str) -> Any:
    response = bench.call(GetParameters, "amigobot/get_parameters", GetParameters.Request(names=[name]))
    return parameter_value_to_python(response.values[0])


class TestDescription:
    def test_every_parameter_is_described(self, bench: Bench) -> None:
        names = bench.call(ListParameters, "amigobot/list_parameters").result.names
        own = [name for name in names if name not in OF_ROS]
        assert len(own) > 20
        for name, descriptor in describe(bench, *own).items():
            assert len(descriptor.description) > 10, name
            assert descriptor.additional_constraints, name

    def test_numbers_have_a_range_and_a_unit(self, bench: Bench) -> None:
        descriptor = describe(bench, "cmd_vel_timeout")["cmd_vel_timeout"]
        (allowed,) = descriptor.floating_point_range
        assert (allowed.from_value, allowed.to_value) == (0.05, 2.0)
        assert descriptor.description.endswith("[s]")
        assert descriptor.additional_constraints == "0.05 to 2 s"

    def test_parameters_of_the_start_are_read_only(self, bench: Bench) -> None:
        changeable = {"port": False, "baud": False, "odom_frame": False, "publish_tf": True, "cmd_vel_timeout": True}
        descriptors = describe(bench, *changeable)
        assert {name: not descriptor.read_only for name, descriptor in descriptors.items()} == changeable


class TestAtRunTime:
    @pytest.mark.parametrize(
        ("name", "value"), [("cmd_vel_timeout", -1.0), ("cmd_vel_timeout", math.nan), ("sonar_no_echo", "minus one")]
    )
    def test_setting_a_wrong_value_is_refused_with_the_reason(self, bench: Bench, name: str, value: object) -> None:
        before = get(bench, name)
        answer = bench.parameter(name, value)
        assert not answer.successful
        assert name in answer.reason
        assert get(bench, name) == before
        assert bench.node.running

    def test_velocity_limits_can_be_set_and_reset(self, bench: Bench) -> None:
        def allowed() -> tuple[str, str]:
            values = bench.values("commands")
            return values["max_linear_velocity"], values["max_angular_velocity"]

        own = ("0.300", "3.491")  # TransVelMax and RotVelMax of its FLASH
        bench.wait_until(lambda: allowed() == own)
        since = len(bench.robot.received)
        assert bench.parameter("max_linear_velocity", 0.25).successful
        assert bench.parameter("max_angular_velocity", 1).successful
        bench.wait_until(lambda: allowed() == ("0.250", "1.000"))
        bench.wait_until(lambda: 250 in bench.robot.values(Command.SETV, since))
        bench.wait_until(lambda: 57 in bench.robot.values(Command.SETRV, since))
        assert bench.parameter("max_linear_velocity", 0.0).successful
        assert bench.parameter("max_angular_velocity", 0.0).successful
        bench.wait_until(lambda: allowed() == own)

    def test_publish_tf_can_be_switched_off_and_on(self, bench: Bench) -> None:
        transforms, odom = bench.listen(TFMessage, "/tf"), bench.listen(Odometry, "odom")
        bench.wait_until(lambda: transforms.messages)
        assert bench.parameter("publish_tf", False).successful
        switched = time.time()
        bench.wait_until(lambda: odom.messages and stamp_of(odom.last) > switched + 0.5)
        bench.pass_sips(2)
        assert all(stamp_of(message) <= switched for message in transforms.messages)
        assert bench.parameter("publish_tf", True).successful
        seen = len(transforms)
        bench.wait_until(lambda: len(transforms) > seen)


#: parameter, value: what is said about it
WRONG: list[tuple[str, object, str]] = [
    ("robot", "r2d2", "parameter robot: robot 'r2d2' is not known, allowed: "),
    ("robot", "/nowhere/mine.yaml", "/nowhere/mine.yaml: cannot be read ([Errno 2] No such file or directory"),
    ("cmd_vel_timeout", -1.0, "parameter cmd_vel_timeout is -1.0, allowed: 0.05 to 2 s"),
    ("max_linear_velocity", math.nan, "parameter max_linear_velocity is nan, allowed: 0, or 0.001 to 10 m/s"),
    ("max_linear_velocity", 0.0004, "parameter max_linear_velocity is 0.0004, allowed: 0, or 0.001 to 10 m/s"),
    ("max_angular_velocity", 0.001, "parameter max_angular_velocity is 0.001, allowed: 0, or 0.017"),
    ("publish_tf", 1, "parameter publish_tf is 1, allowed: true or false"),
    ("baud", 1200, "parameter baud is 1200, allowed: 0, 9600, 19200, 38400, 57600, 115200"),
    ("port", [1, 2], "parameter port is [1, 2], allowed: text"),
    ("sonar_no_echo", "zero", "parameter sonar_no_echo is 'zero', allowed: 'max_range', 'inf'"),
]


class TestAtTheStart:
    @pytest.fixture(scope="class")
    def context(self) -> Iterator[Context]:
        context = Context()
        rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
        yield context
        rclpy.shutdown(context=context)

    @pytest.mark.parametrize(("name", "value", "expected"), WRONG, ids=[f"{name}={value}" for name, value, _ in WRONG])
    def test_a_wrong_start_value_tells_what_is_allowed(
        self, context: Context, name: str, value: object, expected: str
    ) -> None:
        with pytest.raises(BadParameterError, match=re.escape(expected)) as error:
            AmigobotNode(context=context, parameter_overrides=[Parameter(name, value=value)])
        assert "\n" not in str(error.value)

    def test_an_unreadable_ros_parameter_file_is_one_line(self, tmp_path: Path) -> None:
        file = tmp_path / "parameters.yaml"
        file.write_text("amigobot:\n  ros__parameters:\n    port:\n")
        command = (*NODE, "--ros-args", "--params-file", str(file))
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        *of_rcl, line = (result.stdout + result.stderr).splitlines()
        assert all("[rcl]" in other for other in of_rcl)
        assert result.returncode == 2
        assert str(file) in line and "No value at line 3" in line
        assert line.endswith("; correct the ROS arguments or the parameter file")
        assert ".c:" not in line

    def test_unknown_parameters_are_warned_about_once(self, tmp_path: Path) -> None:
        file = tmp_path / "parameters.yaml"
        file.write_text(
            "/**:\n  ros__parameters:\n    max_vel: 0.3\n    cmd_vel_timeout: 0.4\n    use_sim_time: false\n"
            "    use_sim_times: true\n"
            "    qos_overrides./tf.publisher.depth: 5\n    start_type_description_service: true\n"
        )
        command = (*NODE, "--ros-args", "--params-file", str(file), "-p", "max_speed:=1.0")
        with Bench(Robot(), node_command=(*command, "-p", "baud:=9600", "-p", "sonar_no_echo:=inf")) as bench:
            bench.connected()
            for name in ("max_speed", "max_vel", "use_sim_times", "qos_overrides./tf.publisher.depth"):
                assert len(bench.node.logged("WARN", f"parameter {name} is not known to this node")) == 1
            assert len(bench.node.logged("is not known to this node")) == 4
            assert bench.node.logged("parameter use_sim_times is not known", "did you mean use_sim_time?")
            assert (get(bench, "cmd_vel_timeout"), get(bench, "baud")) == (0.4, 9600)
            assert float(get(bench, "sonar_no_echo")) == math.inf  # which ROS reads as a number
            names = bench.call(ListParameters, "amigobot/list_parameters").result.names
            assert "max_speed" not in names
            assert not bench.parameter("max_speed", 2.0).successful

    def test_a_wrong_start_value_ends_with_exit_code_2(self) -> None:
        name, value, expected = WRONG[0]
        command = [sys.executable, "-m", "amigobot_driver.ros.main", "--ros-args", "-p", f"{name}:={value}"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert ended.returncode == 2
        (line,) = (ended.stdout + ended.stderr).splitlines()
        assert expected in line
