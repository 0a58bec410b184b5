# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""An empty request of any service, as `ros2 service call NAME TYPE` sends it, changes nothing or is refused."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from nav_msgs.msg import Odometry
from ros_bench import Bench, Robot
from std_srvs.srv import SetBool

from amigobot_msgs.srv import (
    SelectAnalogInput,
    SetDigitalOutputs,
    SetOdometry,
    SetPid,
    SetRobotConfig,
    SetSonarSequence,
)

#: Services whose empty request does something: what may change by it, and why that is right.
DO_WHAT_THEY_SAY: Mapping[str, tuple[set[str], str]] = {
    "enable_motors": ({"motors"}, "data: false switches off, which is safe and what the name says"),
    "enable_sonar": ({"sonar on"}, "data: false switches off"),
    "enable_sounds": ({"sounds"}, "data: false switches off"),
    "deploy_charger": ({"charger"}, "data: false retracts, which is where the contacts are"),
    "reset_odometry": ({"pose"}, "it has no arguments"),
    "emergency_stop": (set(), "it has no arguments; it stops"),
    "clear_emergency_stop": (set(), "it has no arguments; nothing moves by it"),
    "stop": (set(), "it has no arguments; it stops"),
}
#: Calls that end only when something happens that an empty request does not bring about, and that change nothing.
LEFT_OUT = ("/_action/get_result",)

SET_UP: tuple[tuple[type, str, dict[str, Any]], ...] = (
    (SetSonarSequence, "set_sonar_sequence", {"sonars": [2, 3]}),
    (SetPid, "set_pid", {"kp": 33, "kv": 63, "ki": 3}),
    (SetRobotConfig, "set_robot_config", {"names": ["trans_vel_max", "rot_acc"], "values": [250, 61]}),
    (SetDigitalOutputs, "set_digital_outputs", {"mask": 1, "states": 1}),
    (SelectAnalogInput, "select_analog_input", {"port": 3}),
    (SetOdometry, "set_odometry", {"x": 1.0, "y": -2.0, "yaw": 0.6}),
)


def state(bench: Bench) -> dict[str, object]:
    """All that a request may set: in the simulated robot, and the pose that the driver publishes."""
    firmware = bench.robot._simulator._firmware
    parts, drive = firmware.hardware, firmware.drive
    pose = bench.client.receive(Odometry, "odom").pose.pose
    return {
        "session": firmware.session.name,
        "tuning values": dataclasses.asdict(firmware.tuning),
        "FLASH": dataclasses.asdict(firmware.flash),
        "motors": drive.motors_on,
        "sonar on": parts.sonar.arrays_on,
        "sonar sequence": [array._sequence for array in parts.sonar._arrays],
        "sonar cycle": parts.sonar.cycle,
        "outputs": parts.pins.outputs,
        "analog port": parts.pins.selected,
        "sounds": parts.sounds.enabled,
        "line speed": bench.robot.byte_time,
        "gripper": (parts.gripper._paddles.goal, parts.gripper._lift.goal),
        "compass": parts.compass.mode,
        "charger": parts.battery.reaching,
        "bumpers": getattr(firmware, "bump_stall", 0),
        "servos": getattr(firmware, "servos", None),
        "streams": dict(firmware.telemetry.modes),
        "pose": tuple(round(value, 1) for value in (pose.position.x, pose.position.y, pose.orientation.z)),
        "at rest": bench.robot.stopped,
    }


def service_type(name: str) -> Any:
    """The class of "package/srv/Name" or "package/action/Name_SendGoal"."""
    package, kind, word = name.split("/")
    module = importlib.import_module(f"{package}.{kind}")
    if kind == "srv":
        return getattr(module, word)
    action, _, part = word.rpartition("_")
    implementation = getattr(module, action).Impl
    return {"SendGoal": implementation.SendGoalService, "GetResult": implementation.GetResultService}[part]


#: An AmigoBot-SH has the services of an AmigoBot.
ROBOTS = ("amigo", "p3dx-sh", "erratic")


@pytest.fixture(scope="module", params=ROBOTS)
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    flash = {"p3dx-sh": {"Charger": 1, "Gripper": 1}, "amigo": {"io0": 1, "SInfoCycle": 1}}.get(request.param, {})
    robot = Robot(request.param, flash=flash)
    with Bench(robot, allow_raw_commands=True) as bench:
        bench.connected()
        for kind, name, values in SET_UP:
            # Not every robot has all of these; what it has is away from its default then.
            bench.call(kind, name, kind.Request(**values))
        bench.call(SetBool, "enable_sonar", SetBool.Request(data=True))
        yield bench


def test_an_empty_request_of_any_service_changes_nothing(bench: Bench) -> None:
    bench.pass_sips(5)  # the answers to the requests above show that the node's services are known to the client
    offered = dict(bench.client.node.get_service_names_and_types_by_node("amigobot", "/"))
    own = {name for name, (kind, *_) in offered.items() if kind.startswith(("amigobot_msgs/", "std_srvs/"))}
    assert len(own) > 25
    allowed: set[str] = set()
    # First those that may change nothing at all. Two packets show a change; what is allowed to change takes longer.
    for doing, packets in ((False, 3), (True, 8)):
        before, received, answers = state(bench), len(bench.robot.received), {}
        for name, (kind, *_) in offered.items():
            plain = name.strip("/")
            if not name.endswith(LEFT_OUT) and (plain in DO_WHAT_THEY_SAY) is doing:
                answers[name] = getattr(bench.call(service_type(kind), name), "message", "")
                allowed |= DO_WHAT_THEY_SAY[plain][0] if doing else set()
        bench.pass_sips(packets)
        after = state(bench)
        changed = {key for key in before if before[key] != after[key]}
        assert changed <= allowed, (answers, list(map(str, bench.robot.received[received:])))
