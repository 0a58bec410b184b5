# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The table of steps: steps.yaml as values, read and checked when it is used first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from inspect import signature

import yaml

from amigobot_driver import Profile
from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, SyncReply

from .measures import FUNCTIONS
from .script import WORDS, Script, instruction
from .step_data import FigureRow, KnownRobot, Step


@cache
def steps() -> Mapping[str, Step]:
    """Return the steps by name, in their order.

    Raises:
        ValueError: A row is wrong; the message says which, and what is allowed.
    """
    found = {}
    content = yaml.safe_load(files(__package__).joinpath("steps.yaml").read_text(encoding="utf-8"))
    for name, row in content["steps"].items():
        figures = {key: FigureRow(**values) for key, values in row["figures"].items()}
        found[name] = Step(name=name, **{**row, "figures": figures})
        check(found[name])
    return found


def check(step: Step) -> None:
    """Raise ValueError if a row names a command, word or function that does not exist, or a wrong argument."""
    names = [
        ("needs", step.needs, [*Command.__members__]),
        *(("send", text.split()[0], ["do", "measure", "look", *WORDS, *Command.__members__]) for text in step.texts),
        ("measure", step.measure, [*FUNCTIONS]),
        *((f"{key}: fact", row.fact, ["answer", *FUNCTIONS]) for key, row in step.figures.items()),
    ]
    for key, name, allowed in names:
        if name and name not in allowed:
            raise ValueError(f"steps.yaml: {step.name}: {key}: {name!r} is not known, allowed: {', '.join(allowed)}")
    robot = KnownRobot(SyncReply(name="", robot_class="", subclass=""), load_profile("generic"))
    for text in step.texts:
        name, *arguments = text.split()
        try:
            if name in WORDS:
                signature(vars(Script)[name]).bind(None, *arguments)
            elif name in Command.__members__:
                instruction(text, robot)
        except (TypeError, ValueError) as error:
            raise ValueError(f"steps.yaml: {step.name}: send: {text!r}: {error}") from None


def row_of(key: str) -> FigureRow:
    """Return what is known of a figure; a value of CONFIG without a row has its name as title."""
    rows = (step.figures[key] for step in steps().values() if key in step.figures)
    return next(rows, FigureRow(title=key.partition(".")[2]))


def has_figure(step: str, key: str) -> bool:
    """Return whether a step has a figure; `config` has one for each value of CONFIG."""
    return step == "config" or (step in steps() and key in steps()[step].figures)


def steps_of(profile: Profile) -> list[Step]:
    """Return the steps for a robot; `Trial.run` says why it cannot do some of them."""
    return [step for step in steps().values() if profile.erratic or not step.only_erratic]
