# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Every subcommand with a robot that fails: one line on standard error, an exit status, and no traceback."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import simulated_robot

from amigobot_driver import AmigoBot, Options
from amigobot_driver.cli import main

ROBOT = "sim://amigo?world=empty&baud=115200"
#: Subcommands that ask a robot at a port, with what they need; {} is a folder.
ASKING = {
    "aux": ("aux", "1", "--send", "x"),
    "calibrate": ("calibrate", "--steps", "straight", "--out", "{}/mine.yaml", "--yes"),
    "config": ("config", "show"),
    "io": ("io",),
    "monitor": ("monitor", "--json", "--count", "16"),
    "record": ("record", "{}/drive.amigo", "--seconds", "8"),
    "say": ("say", "0.1:440"),
    "sounds": ("sounds", "list"),
    "wander": ("wander", "--seconds", "8"),
}
Subcommand = Callable[..., tuple[int, str, list[str]]]


@pytest.fixture
def subcommand(tmp_path: Path, own_subcommands: None, capfd: pytest.CaptureFixture[str]) -> Subcommand:
    """Run a subcommand with a port: exit status, standard output, lines of standard error."""

    def run(name: str, port: str, timeout: str = "30") -> tuple[int, str, list[str]]:
        arguments = [word.format(tmp_path) for word in ASKING[name]]
        status = main([*arguments, "--port", port, "--timeout", timeout])
        captured = capfd.readouterr()
        return status, captured.out, captured.err.splitlines()

    return run


@pytest.mark.parametrize("name", ASKING)
def test_a_robot_that_does_not_answer(name: str, subcommand: Subcommand) -> None:
    status, out, (line,) = subcommand(name, f"{ROBOT}&faults=silence=0:1000", "0.5")
    assert (status, out) == (1, "")
    assert line.startswith(f"amigobot {name}: {ROBOT}")
    waited = re.search(r"\(no robot after ([0-9.]+) s\)", line)
    assert waited
    assert float(waited[1]) >= 0.5


@pytest.fixture(scope="module")
def busy_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A port that another program uses."""
    with (
        simulated_robot(tmp_path_factory.mktemp("busy")) as robot,
        AmigoBot(robot.port, timeout=60, options=Options(motors_on_connect=False)),
    ):
        yield robot.port


@pytest.mark.parametrize("name", sorted(ASKING.keys() - {"calibrate", "wander"}))
def test_a_port_that_another_program_uses(name: str, busy_port: str, subcommand: Subcommand) -> None:
    status, out, (line,) = subcommand(name, busy_port, "0.5")
    assert (status, out) == (1, "")
    assert line.startswith(f"amigobot {name}: {busy_port}: another program has it open; `fuser -v {busy_port}`")


@pytest.mark.parametrize("fault", ["unplug=3.5:1000", "silence=3.5:1000"])
@pytest.mark.parametrize(
    ("name", "status", "says"),
    [("calibrate", 1, "nothing was written"), ("record", 1, "the connection was lost 1 time"), ("sounds", 1, "")],
)
def test_a_robot_that_is_lost_in_the_middle(
    name: str, status: int, says: str, fault: str, subcommand: Subcommand
) -> None:
    # Of another name at each try, as a robot that is unplugged is kept under its URL.
    ended, _, lines = subcommand(name, f"{ROBOT}&name={name}{time.monotonic() * 1000:.0f}&faults={fault}")
    assert ended == status
    assert lines[-1].startswith(f"amigobot {name}: ") and says in lines[-1]
    assert not any("Traceback" in line for line in lines)


def test_monitor_and_wander_say_what_is_wrong(subcommand: Subcommand) -> None:
    status, out, _ = subcommand("monitor", f"{ROBOT}&name=m&faults=silence=3.5:1000")
    assert status == 0
    last = json.loads(out.splitlines()[-1])
    assert not last["connected"] and "is the robot switched on and in range?" in last["note"]
    status, out, _ = subcommand("wander", f"{ROBOT}&name=w&faults=silence=3:1000")
    assert status == 0
    assert "nan" not in out and "is the robot switched on and in range?" in out
