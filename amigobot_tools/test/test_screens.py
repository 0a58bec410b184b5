# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The full-screen views, drawn for terminals of several sizes."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace

import pytest
from fakes import FREE, FakeRemote, echoes
from rich.console import Console, RenderableType

from amigobot_driver import Ping, SonarReading
from amigobot_driver.profiles import load_profile
from amigobot_tools.canvas import Canvas
from amigobot_tools.hold import Hold
from amigobot_tools.monitor import View, as_json
from amigobot_tools.state import RobotState
from amigobot_tools.teleop import TeleopPilot, render

PIONEER = load_profile("p3dx")
SIXTEEN = SonarReading.newest(PIONEER.sonar.poses, {number: Ping(number, 4.999, 0.0) for number in range(16)}, 0.1)
STATES = {
    "driving": replace(FREE, volts=12.7, charge=0.9, motors=True, sonar=True, digital_inputs=63, digital_outputs=1),
    "sixteen sonars": replace(FREE, echoes=SIXTEEN, profile=PIONEER, model=PIONEER.description, name="a name" * 9),
    "all at once": replace(
        FREE,
        emergency=True,
        stalls=("left", "right"),
        faults=("left motor overheated", "battery very low indeed"),
        analog=(1.25,) * 8,
        link={f"figure {number}": "123456 packets in a second" for number in range(12)},
        note="no robot answers, at any line speed: is it on, is the cable in its serial port? " * 3,
        connected=False,
    ),
    "nothing known": RobotState(),
}


def drawn(what: RenderableType, width: int = 80, height: int = 24) -> list[str]:
    """The lines of a picture."""
    console = Console(width=width, height=height, file=io.StringIO(), legacy_windows=False, color_system=None)
    console.print(what, end="")
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return str(text).rstrip("\n").split("\n")


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("name", STATES)
def test_every_view_fits_whatever_the_robot_reports(name: str, width: int) -> None:
    remote = FakeRemote()
    remote.now = STATES[name]
    remote.lines = ["a line of the log that is much longer than the screen is wide " * 3] * 9
    view = View(remote)
    view.update()
    pilot = TeleopPilot(remote, 0.2, 0.8, governor=True, hold=Hold())
    pilot.update(0.0)
    for lines in (drawn(view.render(width, 24), width), drawn(render(pilot, width), width)):
        assert len(lines) <= 24 or width < 80, "\n".join(lines)
        assert max(map(len, lines)) <= width, "\n".join(lines)
        assert any("q quit" in line for line in lines[:24]), "\n".join(lines)


def test_the_monitor_shows_robot_heading_and_log() -> None:
    remote = FakeRemote()
    remote.lines = ["the battery is low"]
    view = View(remote)
    view.update()
    shown = "\n".join(drawn(view.render(80, 24)))
    assert "→" in shown
    assert "the battery is low" in shown
    remote.now = replace(FREE, yaw=math.pi / 2)
    view.update()
    assert "↑" in "\n".join(drawn(view.render(80, 24)))


def test_teleop_says_what_keeps_the_robot_from_driving() -> None:
    remote = FakeRemote()
    pilot = TeleopPilot(remote, 0.2, 0.8, governor=True, hold=Hold())
    for state, text in (
        (replace(FREE, emergency=True), "EMERGENCY STOP"),
        (replace(FREE, connected=False, note="the link is lost"), "the link is lost"),
        (replace(FREE, stalls=("left",)), "stalled: left wheel"),
    ):
        remote.now = state
        pilot.update(0.0)
        assert text in "\n".join(drawn(render(pilot, 80)))
    remote.now = replace(FREE, echoes=echoes(ahead=0.2))
    pilot.press("w", 0.0)
    pilot.update(0.0)
    assert "governor: an obstacle is near" in "\n".join(drawn(render(pilot, 80)))


def test_a_dot_of_the_canvas_is_at_its_point() -> None:
    canvas = Canvas(4, 2, (0.0, 0.0), 0.1)
    canvas.dot(0.0, 0.0, "")
    canvas.dot(-0.4, 0.3, "")
    canvas.dot(99.0, 0.0, "")
    canvas.character(0.35, -0.05, "X", "")
    assert canvas.text().plain.split("\n") == ["⠂   ", "  ⠁X"]


def test_the_json_state_has_null_for_the_unknown() -> None:
    state = json.loads(as_json(replace(FREE, echoes=echoes(ahead=math.inf)), ["a line"]))
    assert state["connected"] is True
    assert state["volts"] is None
    assert state["echoes"][2]["range"] is None
    assert state["messages"] == ["a line"]
    assert "body" not in state
