# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""An empty request of any service, as `ros2 service call NAME TYPE` sends it, changes nothing or is refused."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from nav_msgs.msg import Odometry
from ros_bench import Bench, Robot

from amigobot_msgs.srv import SetOdometry

#: Services whose empty request does something: the commands that it may send, and why that is right.
DO_WHAT_THEY_SAY: Mapping[str, tuple[set[str], str]] = {
    "enable_motors": ({"ENABLE(0)"}, "data: false switches off, which is safe and what the name says"),
    "enable_sonar": ({"SONAR(0)"}, "data: false switches off"),
    "enable_sounds": ({"SOUNDTOG(0)"}, "data: false switches off"),
    "deploy_charger": ({"CHARGE(0)"}, "data: false retracts, which is where the contacts are"),
    "reset_odometry": (set(), "it has no arguments"),
    "emergency_stop": ({"E_STOP", "STOP"}, "it has no arguments; it stops"),
    "clear_emergency_stop": (set(), "it has no arguments; nothing moves by it"),
    "stop": ({"STOP"}, "it has no arguments; it stops"),
}
#: What the driver sends to a robot at rest: keep-alives, and the end of a goal of zero.
IDLE = {"PULSE", "VEL(0)", "RVEL(0)"}
#: Commands that only read.
READING = {"CONFIG", "PLAYLIST", "GETAUX"}
#: Calls that end only when something happens that an empty request does not bring about, and that change nothing.
LEFT_OUT = ("/_action/get_result",)


def pose(bench: Bench) -> tuple[float, float, float]:
    """Where the odometry has the robot, to 0.1 m."""
    found = bench.client.receive(Odometry, "odom").pose.pose
    return tuple(round(value, 1) for value in (found.position.x, found.position.y, found.orientation.z))


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
    with Bench(Robot(request.param, flash=flash), allow_raw_commands=True) as bench:
        bench.connected().call(SetOdometry, "set_odometry", SetOdometry.Request(x=1.0, y=-2.0, yaw=0.6))
        yield bench


def test_an_empty_request_of_any_service_changes_nothing(bench: Bench) -> None:
    bench.pass_sips(20)  # until the start is over, and the node's services are known to the client
    offered = dict(bench.client.node.get_service_names_and_types_by_node("amigobot", "/"))
    own = {name for name, (kind, *_) in offered.items() if kind.startswith(("amigobot_msgs/", "std_srvs/"))}
    assert len(own) > 25
    allowed, expected = IDLE, pose(bench)  # First the services that may change nothing at all.
    for doing in (False, True):
        received, answers = len(bench.robot.received), {}
        for name, (kind, *_) in offered.items():
            plain = name.strip("/")
            if not name.endswith(LEFT_OUT) and (plain in DO_WHAT_THEY_SAY) is doing:
                answers[name] = getattr(bench.call(service_type(kind), name), "message", "")
                allowed = allowed | (DO_WHAT_THEY_SAY[plain][0] if doing else set())
        bench.pass_sips(8)
        sent = {str(one) for one in bench.robot.received[received:] if one.command.name not in READING}
        assert sent <= allowed, answers
        assert doing or pose(bench) == expected
