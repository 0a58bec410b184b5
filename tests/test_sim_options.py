# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The options of the simulator: documented, the same on the command line and in a sim:// URL, refused with a reason."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

import pytest

from amigobot_driver.cli import sim as command
from amigobot_driver.sim import Faults, Simulator, SonarModel, Wear, build_simulator
from amigobot_driver.transport import simulated

DOCUMENT = (Path(__file__).parents[1] / "docs" / "explanation" / "simulator.md").read_text(encoding="utf-8")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    command.add_arguments(made)
    return made


def of_command(*words: str) -> Simulator:
    return build_simulator(command._options(parser().parse_args(["--tcp", "1", *words])))


@pytest.mark.parametrize("kind", [Faults, Wear, SonarModel])
def test_every_option_name_is_explained_by_command_and_document(kind: type) -> None:
    for item in fields(kind):  # type: ignore[arg-type]
        assert item.name in parser().epilog, item.name  # type: ignore[operator]
        assert f"`{item.name}=" in DOCUMENT, item.name


def test_command_and_url_describe_the_same_robot() -> None:
    words = "--robot p3dx --world empty --start 1,2,90 --seed 3 --name Zoe --charge 0.5 --baud 0"
    one = of_command(*words.split(), "--fault", "corrupt=0.1", "--fault", "reset=5", "--wear", "slip=0.1")
    query = "world=empty&start=1,2,90&seed=3&name=Zoe&charge=0.5&baud=0&faults=corrupt=0.1;reset=5&wear=slip=0.1"
    other, _ = simulated.simulator_of(f"sim://p3dx?{query}")
    for simulator in (one, other):
        assert simulator.profile.name == "p3dx" and simulator.world.name == "empty" and simulator.byte_time == 0
        assert (simulator.truth.pose.x, simulator.truth.pose.y, simulator.battery.charge) == (1, 2, 0.5)
        assert simulator.faults.corrupt == 0.1 and simulator.faults.reset is not None
