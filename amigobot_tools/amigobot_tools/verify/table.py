# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The table of steps: steps.yaml as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from amigobot_driver import Profile


class Place(Enum):
    """Where the robot is during a step."""

    ANYWHERE = "anywhere"
    LIFTED = "wheels off the floor"
    FLOOR = "2 x 2 m of free floor"
    WALL = "in front of a wall"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """What is known of a figure before it is measured; steps.yaml describes the keys."""

    title: str
    unit: str = ""
    tolerance: float = 0.0
    share: float = 0.0
    floor: float = 0.0
    parameter: str = ""
    compared: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One row of the table; steps.yaml describes the keys."""

    name: str
    title: str
    tell: str
    measure: str
    figures: Mapping[str, FigureRow]
    place: Place = Place.ANYWHERE
    moves: str = ""
    send: Sequence[Any] = ()
    repeat: int = 1
    errata: Sequence[str] = ()
    needs: str = ""
    not_erratic: str = ""
    only_erratic: bool = False

    @classmethod
    def of(cls, name: str, row: Mapping[str, Any]) -> Step:
        """Return a step from its row in the file."""
        figures = {key: FigureRow(**values) for key, values in row["figures"].items()}
        place = Place[row.get("place", "anywhere").upper()]
        return cls(name=name, **{**row, "figures": figures, "place": place})


@dataclass(frozen=True, slots=True)
class Table:
    """The content of steps.yaml."""

    steps: tuple[Step, ...]
    no_step: Mapping[str, str] = field(default_factory=dict)  #: erratum: why a robot cannot settle it


@cache
def table() -> Table:
    """Return the table of steps."""
    content = yaml.safe_load(files(__package__).joinpath("steps.yaml").read_text(encoding="utf-8"))
    return Table(tuple(Step.of(name, row) for name, row in content["steps"].items()), content["no_step"])


def steps_of(profile: Profile) -> list[Step]:
    """Return the steps for a robot; the runner says why it cannot do some of them."""
    return [step for step in table().steps if profile.erratic or not step.only_erratic]
