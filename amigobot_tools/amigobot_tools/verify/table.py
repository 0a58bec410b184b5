# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The table of steps: steps.yaml as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import yaml

from amigobot_driver import Profile


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
    fact: str = ""
    of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One row of the table; steps.yaml describes the keys."""

    name: str
    title: str
    tell: str
    figures: Mapping[str, FigureRow]
    measure: str = ""
    place: str = "anywhere"
    moves: str = ""
    send: Sequence[Any] = ()
    repeat: int = 1
    errata: Sequence[str] = ()
    needs: str = ""
    sonars: bool = False
    only_erratic: bool = False

    @property
    def lists(self) -> list[tuple[str, Any]]:
        """Name ("": none) and words of each list of `send`; a request to the person has a text in place of words."""
        return [next(iter(item.items())) if isinstance(item, dict) else ("", item) for item in self.send]

    @property
    def texts(self) -> list[str]:
        """The words of all lists, and the requests, with their arguments and without the waits."""
        texts = [text for name, words in self.lists for text in ([name] if isinstance(words, str) else words)]
        return [text for text in texts if isinstance(text, str)]

    def arguments(self, word: str) -> list[float]:
        """Return the number that follows a word in `send`, each time: [300.0, -300.0] for `VEL`."""
        return [float(text.removeprefix(word)) for text in self.texts if text.startswith(f"{word} ")]


_TABLE: Mapping[str, Any] = yaml.safe_load(files(__package__).joinpath("steps.yaml").read_text(encoding="utf-8"))
#: The steps, in their order.
STEPS = tuple(
    Step(name=name, **{**row, "figures": {key: FigureRow(**values) for key, values in row["figures"].items()}})
    for name, row in _TABLE["steps"].items()
)
BY_NAME = {step.name: step for step in STEPS}
#: Errata without a step, and why (docs/protocol 7).
NO_STEP: Mapping[str, str] = _TABLE["no_step"]
_FIGURES = {key: row for step in STEPS for key, row in step.figures.items()}


def row_of(key: str) -> FigureRow:
    """Return what is known of a figure; a value of CONFIG without a row has its name as title."""
    return _FIGURES.get(key) or FigureRow(title=key.partition(".")[2])


def has_figure(step: str, key: str) -> bool:
    """Return whether a step has a figure; `config` has one for each value of CONFIG."""
    return step == "config" or (step in BY_NAME and key in BY_NAME[step].figures)


def steps_of(profile: Profile) -> list[Step]:
    """Return the steps for a robot; `Trial.run` says why it cannot do some of them."""
    return [step for step in STEPS if profile.erratic or not step.only_erratic]
