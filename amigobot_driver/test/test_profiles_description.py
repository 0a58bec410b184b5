# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot's description: what the profile says is what the model shows, and the node's frames are in it."""

from __future__ import annotations

import functools
import math
import subprocess
import sys
from pathlib import Path

import pytest

from amigobot_driver.cli import main as cli
from amigobot_driver.profiles import Profile, available_profiles, load_profile
from amigobot_driver.profiles.description import profile_yaml, robot_description
from amigobot_driver.resources import share

pytest.importorskip("xacro", reason="xacro is not installed")
urdf = pytest.importorskip("urdf_parser_py.urdf", reason="urdf_parser_py is not installed")

Robot = urdf.URDF


@functools.cache
def described(name: str, base_frame: str) -> str:
    return robot_description(load_profile(name), base_frame)


def model(profile: Profile, base_frame: str = "base_link") -> Robot:
    robot: Robot = urdf.URDF.from_xml_string(described(profile.name, base_frame).encode())
    robot.check_valid()
    return robot


@pytest.fixture(params=available_profiles())
def profile(request: pytest.FixtureRequest) -> Profile:
    return load_profile(request.param)


@pytest.mark.parametrize("name", available_profiles())
def test_a_profile_written_out_reads_the_same(name: str, tmp_path: Path) -> None:
    profile = load_profile(name)
    file = tmp_path / "written.yaml"
    file.write_text(profile_yaml(profile), encoding="utf-8")
    assert load_profile(str(file)) == profile


def test_sonars_are_where_the_profile_has_them(profile: Profile) -> None:
    robot = model(profile)
    joints = [robot.joint_map[f"sonar_{number}_joint"] for number in range(len(profile.sonar.poses))]
    assert sum(link.name.startswith("sonar_") for link in robot.links) == len(joints)
    for number, (joint, pose) in enumerate(zip(joints, profile.sonar.poses, strict=True)):
        assert (joint.parent, joint.child, joint.type) == ("base_link", f"sonar_{number}_link", "fixed")
        assert joint.origin.xyz == pytest.approx([pose.x, pose.y, profile.sonar.height])
        assert joint.origin.rpy == pytest.approx([0, 0, pose.heading])


def test_wheels_turn_about_the_axles_of_the_profile(profile: Profile) -> None:
    robot, body = model(profile), profile.body
    y, x = (body.wheel_spacing or body.track) / 2, body.wheelbase / 2
    places = {"left": (x, y), "right": (x, -y)}
    if body.wheelbase:
        places |= {"left_rear": (-x, y), "right_rear": (-x, -y)}
    assert {joint.name for joint in robot.joints if joint.type != "fixed"} == {f"{side}_wheel_joint" for side in places}
    for side, place in places.items():
        joint = robot.joint_map[f"{side}_wheel_joint"]
        assert joint.type == "continuous"
        assert joint.origin.xyz == pytest.approx([*place, body.wheel_diameter / 2])
        assert list(joint.axis) == [0, 1, 0]
        tyre = robot.link_map[joint.child].visuals[0].geometry
        assert (tyre.radius, tyre.length) == pytest.approx((body.wheel_diameter / 2, body.wheel_width))


def test_masses_and_inertias_are_those_of_real_things(profile: Profile) -> None:
    inertials = [link.inertial for link in model(profile).links if link.inertial]
    assert sum(inertial.mass for inertial in inertials) == pytest.approx(profile.body.mass)
    for inertial in inertials:
        a, b, c = sorted((inertial.inertia.ixx, inertial.inertia.iyy, inertial.inertia.izz))
        assert inertial.mass > 0 and a > 0
        assert a + b >= c  # no body can break this


@pytest.mark.parametrize("base_frame", ["base_link", "base_footprint", "chassis"])
def test_one_tree_whose_root_is_the_base_frame(base_frame: str) -> None:
    robot = model(load_profile("amigo"), base_frame)
    assert robot.get_root() == base_frame
    assert robot.link_map[base_frame].inertial is None  # KDL, and so robot_state_publisher, warns of one
    children = [joint.child for joint in robot.joints]
    assert len(children) == len(set(children)) == len(robot.links) - 1
    names = {base_frame, "base_footprint"} if base_frame != "base_footprint" else {base_frame, "base_link"}
    assert names <= set(robot.link_map)


def test_every_frame_the_node_stamps_is_there(profile: Profile) -> None:
    conversions = pytest.importorskip("amigobot_driver.ros.conversions", reason="rclpy or the messages are missing")
    robot = model(profile)
    assert {conversions.sonar_frame(number) for number in range(len(profile.sonar.poses))} <= set(robot.link_map)
    joints = {joint.name for joint in robot.joints if joint.type == "continuous" and not joint.mimic}
    assert joints == set(conversions.WHEEL_JOINTS)


def test_the_file_alone_is_an_amigobot() -> None:
    text = run_xacro()
    assert urdf.URDF.from_xml_string(text.encode()).joint_map["sonar_2_joint"].origin.rpy[2] == math.radians(15)
    expected = urdf.URDF.from_xml_string(robot_description(load_profile("amigo")).encode())
    assert urdf.URDF.from_xml_string(text.encode()).to_xml_string() == expected.to_xml_string()


def test_an_inheriting_profile_is_refused_by_its_file_alone() -> None:
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run_xacro(f"profile:={share('config', 'robots', 'amigo-sh.yaml')}")
    assert "complete in itself" in caught.value.stderr


def test_the_command_prints_profile_and_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(["describe", "amigo-sh"]) == 0
    assert capsys.readouterr().out == profile_yaml(load_profile("amigo-sh"))
    assert cli(["describe", "--urdf", "--base-frame", "chassis"]) == 0
    assert capsys.readouterr().out == robot_description(load_profile("amigo"), "chassis")
    assert cli(["describe", "p3at", "--rviz"]) == 0
    assert "sonar/range_15" in capsys.readouterr().out
    assert cli(["describe", "p3at", "--foxglove"]) == 0
    assert "/sonar/range_15.range" in capsys.readouterr().out
    assert cli(["describe", "r2d2"]) == 2
    assert "r2d2" in capsys.readouterr().err


def run_xacro(*arguments: str) -> str:
    code = "import xacro; xacro.main()"
    command = [sys.executable, "-c", code, str(share("urdf", "amigobot.urdf.xacro")), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
