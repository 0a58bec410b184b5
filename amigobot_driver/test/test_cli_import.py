# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot import`: the parameter files of p2os, RosAria, rosaria2, Player and ARIA as parameters of this driver."""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from amigobot_driver.cli import import_file
from amigobot_driver.cli.errors import UsageError
from amigobot_driver.cli.imports.sources import SOURCES

ARIA_FILE = Path(__file__).parent / "data" / "aria" / "amigo.p"

P2OS_LAUNCH = """\
<launch>
  <arg name="port" default="/dev/ttyUSB0"/>
  <node pkg="p2os_driver" type="p2os_driver" name="p2os_driver">
    <param name="port" value="$(arg port)"/>
    <param name="pulse" value="1.0"/>
    <param name="use_sonar" value="true"/>
    <param name="bumpstall" value="3"/>
    <param name="max_xspeed" value="0.75"/>
    <param name="max_xdecel" value="-0.3"/>
    <param name="rot_kp" value="-1"/>
    <rosparam>
      trans_kp: 15
      odom_frame_id: wheel_odom
    </rosparam>
  </node>
  <param name="p2os_driver/max_yawspeed" value="1.2"/>
</launch>
"""
ROSARIA_YAML = """\
RosAria:
  port: 192.168.1.32:8101
  TicksMM: 138
  RevCount: 32550
  DriftFactor: -99999
  trans_accel: 0.3
  sonar_frame: sonar
  cmd_vel_timeout: 0
"""
ROSARIA2_YAML = """\
pioneer_p3dx_driver:
  ros__parameters:
    serial_port: /dev/ttyS1
    serial_baud: 38400
    tf_prefix: alpha
    base_frame_id: base_link
    publish_motors_state: true
    cmd_vel_timeout: 2000
    rev_count: -1
"""
PLAYER_CFG = """\
# a Pioneer of the laboratory
unit_angle "radians"
driver
(
  name "p2os"
  provides ["odometry::position2d:0" "sonar:0" "power:0"]
  use_tcp 1
  tcp_remote_host "10.0.0.7"
  max_xspeed 0.4      # m/s
  max_yawspeed 0.5
  max_yawaccel 0
  pulse -1
  aa_offsets [0.06875 0.16 0 0.13775 0.11321 0]
)
driver ( name "sicklms200" provides ["laser:0"] port "/dev/ttyS2" )
"""


def imported(capsys: pytest.CaptureFixture[str], path: Path, source: str | None = None) -> tuple[dict[str, Any], str]:
    """The parameters of a file, and the text with its comments."""
    assert import_file.run(argparse.Namespace(file=path, source=source)) == 0
    text = capsys.readouterr().out
    return yaml.safe_load(text)["/**"]["ros__parameters"], text


#: What people have in the launch file of a robot beside its parameters.
WHOLE_LAUNCH = """\
<launch>
  <arg name="port" default="/dev/ttyUSB0"/>
  <arg name="sim" default="false"/>
  <env name="ROSCONSOLE_FORMAT" value="${message}"/>
  <param name="robot_description" command="xacro robot.xacro"/>
  <remap from="cmd_vel" to="safe_cmd_vel"/>
  <group ns="alpha">
    <param name="base/max_xspeed" value="0.6"/>
    <rosparam>
      base: {trans_kp: 15}
      laser: {port: /dev/ttyUSB7, angles: [1, 2]}
    </rosparam>
    <node pkg="p2os_driver" type="p2os_driver" name="base" respawn="true" launch-prefix="nice"
          args="_use_sonar:=true battery_state:=power --quiet __name:=other">
      <param name="port" value="$(arg port)"/>
      <param name="bumpstall" value="0" unless="$(arg sim)"/>
      <param name="bumpstall" value="3" if="$(arg sim)"/>
      <rosparam param="max_yawspeed">1.2</rosparam>
      <remap from="pose" to="odom"/>
    </node>
  </group>
  <group if="$(arg sim)"><node pkg="stage_ros" type="stageros" name="stage"/></group>
  <node pkg="joy" type="joy_node" name="joystick"><param name="dev" value="/dev/input/js0"/></node>
  <node pkg="p2os_driver" type="p2os_driver" name="second"/>
  <include file="$(find laser)/laser.launch"><arg name="port" value="/dev/ttyUSB7"/></include>
</launch>
"""
YOURS = "in a launch file of yours (documentation: Start the driver with a launch file)"
#: Each thing in it that is no parameter, in the words of the comment.
NAMED = (
    "env ROSCONSOLE_FORMAT: not a parameter",
    "param robot_description: not a parameter of the robot's node",
    "namespace /alpha: start the launch file with namespace:=alpha",
    f'remap cmd_vel to safe_cmd_vel: write SetRemap("cmd_vel", "safe_cmd_vel") {YOURS}',
    "remap pose to odom: nothing to do, the topic has this name here",
    f'remap battery_state to power: write SetRemap("battery_state", "power") {YOURS}',
    "respawn: start the launch file with use_respawn:=true",
    "launch-prefix=nice: an attribute of the node, not a parameter",
    "args --quiet: the driver has no such argument",
    "args __name:=other: the driver has no such argument",
    "param bumpstall: is not launched (if is false)",
    "group : is not launched (if is false)",
    "node joystick (joy): not the driver of the robot; start it from a launch file of yours",
    "node second: a second robot; for its parameters delete the first one in a copy, and import that",
    "include $(find laser)/laser.launch: not followed; import that file too if it sets parameters of the robot",
)


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def file(name: str, content: str) -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return file


def test_a_launch_file_of_p2os(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    values, text = imported(capsys, write("p2os.launch", P2OS_LAUNCH))
    assert values == {
        "port": "/dev/ttyUSB0",
        "sonar_on_connect": True,
        "motors_on_connect": False,
        "bumper_stall": "both",
        "max_linear_velocity": 0.75,
        "max_angular_velocity": 1.2,
        "linear_deceleration": 0.3,
        "translation_kp": 15,
        "odom_frame": "wheel_odom",
    }
    assert "# - pulse: 1.0: the driver keeps the session alive itself, and never keeps an old velocity alive" in text
    assert "# - rot_kp: -1" in text


def test_everything_else_in_a_launch_file_is_named(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    values, text = imported(capsys, write("robot.launch", WHOLE_LAUNCH))
    assert values == {
        "port": "/dev/ttyUSB0",
        "sonar_on_connect": True,
        "motors_on_connect": False,
        "bumper_stall": "none",
        "max_linear_velocity": 0.6,
        "max_angular_velocity": 1.2,
        "translation_kp": 15,
    }
    section = text.partition("# In the file, and no parameter of the robot:\n")[2].partition("/**")[0]
    assert sorted(section.splitlines()) == sorted(f"# - {line}" for line in NAMED)


def test_a_launch_file_without_a_port_gets_that_of_the_other_driver(
    capsys: pytest.CaptureFixture[str], write: Any
) -> None:
    for package, port, name in (("p2os_driver", "/dev/ttyS0", "p2os"), ("rosaria", "/dev/ttyUSB0", "RosAria")):
        values, text = imported(capsys, write("a.launch", f"<launch><node pkg='{package}' name='r'/></launch>"))
        assert values["port"] == port
        assert f"port: {port}  # as {name} does by default" in text


def test_a_launch_file_of_ros_2(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    content = """
    <launch>
      <let name="port" value="/dev/ttyS4"/>
      <push_ros_namespace namespace="alpha"/>
      <node pkg="rosaria2" exec="rosaria2_node" name="base" namespace="b">
        <param name="serial_port" value="$(var port)"/>
        <remap from="odom" to="wheel_odom"/>
      </node>
    </launch>"""
    values, text = imported(capsys, write("a.launch.xml", content))
    assert values["port"] == "/dev/ttyS4"
    assert "# - namespace /alpha/b: start the launch file with namespace:=alpha/b" in text
    assert '# - remap odom to wheel_odom: write SetRemap("odom", "wheel_odom")' in text


@pytest.mark.parametrize(
    ("package", "namespace", "remap", "what_to_do"),
    [
        ("p2os_driver", "", ("pose", "odom"), "nothing to do"),
        ("p2os_driver", "", ("/pose", "/odom"), "nothing to do"),
        ("p2os_driver", "alpha", ("pose", "/alpha/odom"), "nothing to do"),
        ("p2os_driver", "alpha", ("pose", "/odom"), 'SetRemap("odom", "/odom")'),
        ("p2os_driver", "", ("pose", "wheel_odom"), 'SetRemap("odom", "wheel_odom")'),
        ("p2os_driver", "", ("sonar_pointcloud2", "sonar/cloud"), 'SetRemap("sonar_pointcloud2", "sonar/cloud")'),
        ("rosaria", "", ("~cmd_vel", "cmd_vel"), "nothing to do"),
        ("rosaria", "", ("/r/cmd_vel", "/cmd_vel"), "nothing to do"),
        ("rosaria", "alpha", ("~/pose", "odom"), "nothing to do"),
        ("rosaria", "alpha", ("r/pose", "pose"), 'SetRemap("odom", "pose")'),
        ("rosaria", "alpha", ("r/sonar_pointcloud2", "echoes"), 'SetRemap("sonar/cloud", "echoes")'),
        ("rosaria2", "", ("pose", "odom"), 'SetRemap("pose", "odom")'),
    ],
)
def test_a_remap_to_the_name_that_the_topic_has_here_needs_nothing(
    capsys: pytest.CaptureFixture[str],
    write: Any,
    package: str,
    namespace: str,
    remap: tuple[str, str],
    what_to_do: str,
) -> None:
    old, new = remap
    node = f"<node pkg='{package}' name='r'><remap from='{old}' to='{new}'/></node>"
    _, text = imported(capsys, write("a.launch", f"<launch><group ns='{namespace}'>{node}</group></launch>"))
    (line,) = [line for line in text.splitlines() if "remap" in line]
    assert f"# - remap {old} to {new}: " in line and what_to_do in line
    assert ("SetRemap" in line) is what_to_do.startswith("SetRemap")


def test_only_the_section_of_the_robot_is_taken(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    content = """
    /**: {ros__parameters: {sonar_frame: all, port: /dev/ttyS8}}
    alpha: {RosAria: {port: /dev/ttyS3}}
    sicklms: {port: /dev/ttyS9, scan: [1, 2]}
    """
    values, text = imported(capsys, write("robots.yaml", content))
    assert values["port"] == "/dev/ttyS3"
    assert "# - section sicklms: of another node" in text
    assert "# - namespace alpha: start the launch file with namespace:=alpha" in text


def test_the_other_drivers_of_player_are_named(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    assert "# - driver sicklms200: not imported" in imported(capsys, write("pioneer.cfg", PLAYER_CFG))[1]


def test_what_p2os_does_by_default_is_said_to_the_driver(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    values, text = imported(capsys, write("p2os.yaml", "p2os_driver: {bumpstall: -1}"))
    assert values["motors_on_connect"] is False and values["sonar_on_connect"] is False
    assert values["max_linear_velocity"] == 0.5
    assert math.isclose(values["max_angular_velocity"], math.radians(100), abs_tol=1e-4)
    assert text.index("A velocity ends 0.5 s after the last cmd_vel") < text.index("ros__parameters")


def test_a_file_of_rosaria(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    values, text = imported(capsys, write("rosaria.yaml", ROSARIA_YAML))
    assert values == {
        "port": "socket://192.168.1.32:8101",
        "motors_on_connect": True,
        "cmd_vel_timeout": 0.6,
        "ticks_per_mm": 138,
        "rev_count": 32550,
        "linear_acceleration": 0.3,
    }
    assert "no limit for 0, which this driver does not have" in text
    assert "sonar_0_link" in text


def test_a_file_of_rosaria2_whose_node_has_another_name(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    values, text = imported(capsys, write("rosaria2.yaml", ROSARIA2_YAML))
    assert values["cmd_vel_timeout"] == 0.6
    assert "cmd_vel_timeout: 2000: rosaria2 does not declare it" in text
    assert values["port"] == "/dev/ttyS1" and values["baud"] == 38400
    assert values["frame_prefix"] == "alpha/" and values["base_frame"] == "base_link"
    assert "rev_count" not in values


def test_a_configuration_file_of_player(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    values, text = imported(capsys, write("pioneer.cfg", PLAYER_CFG))
    assert values["port"] == "socket://10.0.0.7:8101"
    assert values["max_linear_velocity"] == 0.4 and values["max_angular_velocity"] == 0.5
    assert "aa_offsets: 0.06875 0.16 0 0.13775 0.11321 0: the driver has no arm" in text


def test_player_has_degrees_unless_it_says_otherwise(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    values, _ = imported(capsys, write("robot.cfg", 'driver ( name "p2os" max_yawspeed 90 max_xspeed 0.2 )'))
    assert math.isclose(values["max_angular_velocity"], math.pi / 2, abs_tol=1e-4)
    values, _ = imported(capsys, write("robot.cfg", 'unit_length "cm" driver ( name "p2os" max_xspeed 20 )'))
    assert values["max_linear_velocity"] == 0.2


def test_a_file_of_aria(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    more = "\nTransVelMax 300\nRotAccel 90\nTransDecel 0\nRequestIOPackets true\nSwitchToBaudRate 38400 ; unused\n"
    path = write("mine.p", ARIA_FILE.read_text(encoding="utf-8") + more)
    values, text = imported(capsys, path)
    assert values["param_file"] == str(path)
    assert values["max_linear_velocity"] == 0.3 and values["io_stream"] is True
    assert math.isclose(values["angular_acceleration"], math.pi / 2, abs_tol=1e-5)
    assert "linear_deceleration" not in values and "SwitchToBaudRate: 38400" in text


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.yaml", "port: /dev/ttyS0", "do not show which driver they are for: give --source"),
        ("a.yaml", "- port", "has no parameters"),
        (
            "a.yaml",
            "p2os_driver: {max_xspeed: fast}",
            "max_xspeed is 'fast', expected a number",
        ),
        ("a.yaml", "p2os_driver: {max_xspeed: .nan}", "expected a finite number"),
        ("a.yaml", "p2os_driver: {bumpstall: 7}", "bumpstall is 7, expected a whole number from -1 to 3"),
        ("a.yaml", "p2os_driver: {use_sonar: maybe}", "expected true or false"),
        ("a.yaml", "p2os_driver: {port: [1, 2]}", "port is [1, 2], expected a single value"),
        ("a.yaml", "a: {", "is not valid YAML: "),
        ("a.launch", "<launch>", "is not XML"),
        ("a.launch", "<launch><node pkg='turtlesim'/></launch>", "starts no node of p2os_driver, rosaria or rosaria2"),
        (
            "a.launch",
            "<launch><node pkg='rosaria' name='r'><param name='port' value='$(env P)'/></node></launch>",
            "parameter port is $(env P): put its value in the place of $(...)",
        ),
        (
            "a.launch",
            "<launch><node pkg='rosaria' name='r'><rosparam file='x.yaml'/></node></launch>",
            "loads x.yaml: import that file instead",
        ),
        (
            "a.launch",
            "<launch>" + "<node pkg='rosaria' name='r'><param name='port' value='$(arg p)'/></node></launch>",
            "parameter port is $(arg p): put its value",
        ),
        (
            "a.launch",
            "<launch><arg name='p'/><node pkg='rosaria'><param name='port' value='$(arg p)'/></node></launch>",
            "parameter port is $(arg p): put its value",
        ),
        ("a.launch", "<launch><node pkg='rosaria' if='$(eval 1+1)'/></launch>", "has the condition if='$(eval 1+1)'"),
        ("a.launch", "<launch><node pkg='rosaria'><rosparam>port</rosparam></node></launch>", "without names: 'port'"),
        (
            "a.launch",
            "<launch><node pkg='rosaria2'><param from='a.yaml'/></node></launch>",
            "loads a.yaml: import that",
        ),
        ("a.launch.py", "import launch", "is a launch file in Python, which is not read: import the YAML file"),
        ("a.yaml", "a: {RosAria: {port: x}}\nb: {RosAria: {port: y}}", "of several robots (a/RosAria, b/RosAria)"),
        ("a.yaml", "a: {baud: 9600}\nb: {baud: 38400}", "baud is in a and in b: delete the other one in a copy"),
        ("a.yaml", 'RosAria: {port: "a\\nb"}', "port is 'a\\nb', expected one line of text"),
        ("a.cfg", 'driver ( name "erratic" )', "has no driver p2os (its drivers: erratic)"),
        ("a.cfg", 'driver ( name "p2os"', "a closing parenthesis is missing"),
        ("a.cfg", 'unit_angle "grad" driver ( name "p2os" )', "its units are m and grad"),
        ("a.p", "SonarUnit 0 1", "SonarUnit is '0 1', expected a number, x and y in mm, and a heading in degrees"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(write: Any, name: str, content: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        import_file.run(argparse.Namespace(file=write(name, content), source=None))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_line_break_in_a_value_stays_in_its_comment(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    values, text = imported(capsys, write("a.yaml", 'p2os_driver: {port: "/dev/a b", pulse: "1\\n    port: evil"}'))
    assert values["port"] == "/dev/a b"
    assert "# - pulse: 1 port: evil:" in text
    long = "/dev/" + " ".join(["long"] * 30)
    assert imported(capsys, write("a.yaml", f"p2os_driver: {{port: {long}}}"))[0]["port"] == long


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.yaml: cannot be read \(No such file or directory\)"):
        import_file.run(argparse.Namespace(file=tmp_path / "gone.yaml", source=None))


def test_the_source_can_be_said(capsys: pytest.CaptureFixture[str], write: Any) -> None:
    values, _ = imported(capsys, write("a.yaml", "port: /dev/ttyS3"), "rosaria")
    assert values["port"] == "/dev/ttyS3" and values["cmd_vel_timeout"] == 0.6


@pytest.mark.parametrize(
    ("given", "parameter", "value", "allowed"),
    [
        ("p2os_driver: {max_xdecel: -0.05}", "linear_deceleration", None, "0, or 0.1 to 4 m/s^2"),
        ("p2os_driver: {max_xspeed: 20.0}", "max_linear_velocity", 0.5, "0, or 0.001 to 10 m/s"),
        ("p2os_driver: {rot_kp: 40000}", "rotation_kp", None, "-1, or 0 to 32767"),
        ("RosAria: {RevCount: 40000}", "rev_count", None, "-1, or 1 to 32767"),
        ("RosAria: {baud: 1200}", "baud", None, "0, 9600, 19200, 38400, 57600, 115200"),
    ],
)
def test_a_value_that_the_node_refuses_is_left_out_with_what_is_allowed(
    capsys: pytest.CaptureFixture[str], write: Any, given: str, parameter: str, value: object, allowed: str
) -> None:
    pytest.importorskip("amigobot_driver.ros.parameters")
    values, text = imported(capsys, write("a.yaml", given))
    assert values.get(parameter) == value
    assert re.search(rf"^# - .*parameter {parameter} is .*, allowed: {re.escape(allowed)}$", text, re.MULTILINE)


@pytest.mark.parametrize("name", SOURCES)
def test_every_counterpart_is_a_parameter_of_the_node(name: str) -> None:
    parameters = pytest.importorskip("amigobot_driver.ros.parameters")
    known = {spec.name: spec for spec in parameters.TABLE}
    source = SOURCES[name]
    assert {rule.parameter for rule in source.rules.values() if rule.parameter} <= known.keys()
    topics = pytest.importorskip("amigobot_driver.ros.topics").PUBLISHED
    assert set(source.topics.values()) <= {topic.name for topic in topics}
    for parameter, value in source.defaults.items():
        known[parameter].check(value)
    assert all(rule.parameter or rule.note for rule in source.rules.values())


_PIECES = (
    P2OS_LAUNCH,
    WHOLE_LAUNCH,
    ROSARIA_YAML,
    PLAYER_CFG,
    "driver (",
    "[",
    "<node pkg='rosaria'>",
    "{",
    ": ",
    "\n",
    "\x00",
    "$(",
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=20)), max_size=8).map("".join),
    st.sampled_from(("a.yaml", "a.launch", "a.cfg", "a.p")),
    st.sampled_from((None, *SOURCES)),
)
def test_any_text_is_imported_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, content: str, name: str, source: str | None
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_text(content, encoding="utf-8", errors="replace")
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            import_file.run(argparse.Namespace(file=path, source=source))
    except UsageError as error:
        assert "\n" not in str(error)
    else:
        lines = out.getvalue().partition("/**:\n  ros__parameters:\n")[2].splitlines()
        assert len(yaml.safe_load(out.getvalue())["/**"]["ros__parameters"]) == len(lines)


def test_a_file_that_is_nested_without_end_is_refused(write: Any) -> None:
    with pytest.raises(UsageError, match="nested too deeply"):
        import_file.run(argparse.Namespace(file=write("a.yaml", "[" * 50_000), source=None))
