# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Every capability of the simulator can be had on the command line and in a sim:// URL, and is documented."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from amigobot_driver.cli import sim as command
from amigobot_driver.protocol import Command
from amigobot_driver.sim import (
    Faults,
    OptionError,
    Revision,
    Simulator,
    SonarModel,
    Wear,
    build_simulator,
    load_sounds,
    option_names,
    parse_aux,
)
from amigobot_driver.transport import simulated

DOCUMENT = (Path(__file__).parents[1] / "docs" / "explanation" / "simulator.md").read_text(encoding="utf-8")

#: Arguments of `Simulator` whose option has another name: on the command line, in the URL.
OTHER_NAMES: Mapping[str, tuple[str, str]] = {
    "profile": ("--robot", "robot"),
    "faults": ("--fault", "faults"),
    "revision": ("--variant", ""),  # in the URL each variant is an option, see below
}
#: Arguments without an option, and why.
FOR_PROGRAMS = {"on_event": "the command prints events; a driver that uses sim:// must not know them"}
#: Options of the command that are no argument of `Simulator`, and where else they are.
OF_THE_COMMAND = {
    "help": "argparse",
    "as": "as of the URL: a profile, its wear, faults and charge",
    "from_report": "report of the URL: a profile, its wear and its sonars in one file",
    "pty": "a way to serve; sim:// serves nobody else",
    "tcp": "a way to serve; sim:// serves nobody else",
    "robots": "several robots in one world: sim:// is one",
    "check_baud": "check_baud of the URL",
    "truth": "the truth is for tests and people, never for the driver, in whose process sim:// runs",
}


#: The other answer to each question of `Revision`.
VARIANTS = {
    "heading": "deg",
    "layout": "player",
    "wheels": "left",
    "duty": "permille",
    "bits": "player",
    "checksum": "count",
}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    command.add_arguments(made)
    return made


ARGUMENTS = [name for name in inspect.signature(Simulator).parameters if name not in FOR_PROGRAMS]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_every_argument_of_the_simulator_is_an_option_of_both_and_documented(name: str) -> None:
    option, key = OTHER_NAMES.get(name, (f"--{name.replace('_', '-')}", name))
    assert option in parser().format_help()
    assert f"`{option}" in DOCUMENT
    if key:
        assert key in option_names()
        assert f"`{key}=" in DOCUMENT or f"?{key}=" in DOCUMENT


@pytest.mark.parametrize("kind", [Faults, Wear, SonarModel, Revision])
def test_every_field_of_an_option_is_explained_by_the_command_and_the_document(kind: type) -> None:
    for item in fields(kind):  # type: ignore[arg-type]
        assert item.name in parser().epilog, item.name  # type: ignore[operator]
        assert f"`{item.name}=" in DOCUMENT, item.name


@pytest.mark.parametrize("name", [item.name for item in fields(Revision)])
def test_every_variant_is_an_option_of_the_url(name: str) -> None:
    choice = VARIANTS[name]
    simulator, _ = simulated.simulator_of(f"sim://erratic?{name}={choice}")
    assert getattr(simulator._firmware.revision, name) == choice  # type: ignore[attr-defined]


def of_command(*words: str) -> Simulator:
    return build_simulator(command._options(parser().parse_args(["--tcp", "1", *words])))


def of_url(query: str) -> Simulator:
    return simulated.simulator_of(f"sim://?{query}")[0]


@pytest.mark.parametrize(
    "refusing",
    [
        of_command("--charge", "0.02", "--refuse-low-battery"),
        of_url("charge=0.02&refuse_low_battery=1"),
    ],
    ids=["command", "url"],
)
def test_a_robot_with_a_low_battery_refuses_a_client_where_that_is_asked_for(refusing: Simulator) -> None:
    refusing.receive(Command.PULSE().encode(), 0.0)
    assert refusing.transmit(0.5) == b""


@pytest.mark.parametrize(
    ("words", "event_texts"),
    [
        (("--wear", "left=1"), "wear 'left' is not known, allowed: left_scale, right_scale, track_scale, slip"),
        (("--wear", "slip=nan"), "wear slip is 'nan', expected a number from 0 to 1"),
        (("--wear", "left_scale=0"), "wear left_scale is '0', expected a number from 0.5 to 2"),
        (("--sonar", "noise=-1"), "sonar noise is '-1', expected a number from 0 to 1 (m, standard deviation"),
        (("--aux", "4=loop"), "aux is '4=loop', expected PORT=DEVICE, with port 1, 2, 3"),
        (("--aux", "1=/nowhere"), "/nowhere: cannot be read (No such file or directory)"),
        (("--sounds", "/nowhere"), "/nowhere: cannot be read (No such file or directory)"),
    ],
    ids=str,
)
def test_a_wrong_option_is_named_with_what_is_allowed(words: tuple[str, ...], event_texts: str) -> None:
    with pytest.raises(OptionError) as error:
        of_command(*words)
    assert event_texts in str(error.value)


@pytest.mark.parametrize(
    "text", ["x", "1: 2", "{}", "- {request: V?}", "- {request: 5, answer: a}", "[[", "- 5", "300: x"]
)
def test_a_file_with_something_else_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(text)
    for read in (load_sounds, lambda name: parse_aux([f"1={name}"])):
        try:
            read(str(file))
        except OptionError as error:
            assert str(file) in str(error)
            assert "\n" not in str(error)
        else:
            assert text == "{}"
