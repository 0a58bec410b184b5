# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot doctor` on seeded causes: whether it names them in time, and whether its remedy cures them."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from doctor_bench import CAUSES, fault

from .figure import Figure, Share

#: s within which the verdict must be there.
_LIMIT = 20.0
#: Share of the trials that must succeed: 58 of 60.
_ENOUGH = 58 / 60


@dataclass(frozen=True, slots=True)
class Trial:
    """One cause with one seed."""

    cause: str
    seed: int
    seconds: float
    named: int | None  #: place of the cause in the verdict, from 1; None: it is not there
    cured: bool
    moved: bool

    @property
    def good(self) -> bool:
        """Whether all went as it should."""
        return self.named is not None and self.seconds <= _LIMIT and self.cured and not self.moved

    def __str__(self) -> str:
        place = f"place {self.named}" if self.named else "not named"
        ends = [f"{self.seconds:.1f} s", place, "cured" if self.cured else "not cured", *["moved"] * self.moved]
        return f"{self.cause} {self.seed}: {', '.join(ends)}"


def diagnosis(share: Share) -> Iterator[Figure]:
    """amigobot doctor: twelve causes, several seeds each; the remedy is typed as it is printed."""
    trials = []
    for seed in range(share.of(5)):
        for name in CAUSES:
            trials.append(_try(name, share.seed * 1000 + seed))
            print(f"         {trials[-1]}", flush=True)
    good = sum(trial.good for trial in trials)
    first = sum(trial.named == 1 for trial in trials)
    longest = max(trial.seconds for trial in trials)
    yield Figure(
        f"{len(trials)} faulty robots and lines diagnosed",
        f"{100 * _ENOUGH:.0f} % of the verdicts name the cause within {_LIMIT:g} s, the remedy cures it as it is "
        "printed, and the robot does not move",
        f"{good} of {len(trials)}, the cause in first place {first} times, {longest:.1f} s at most",
        good >= _ENOUGH * len(trials),
    )


def _try(name: str, seed: int) -> Trial:
    try:
        return _trial(name, seed)
    except (AssertionError, OSError, subprocess.SubprocessError) as error:
        print(f"         {name} {seed}: {error}")
        return Trial(name, seed, math.inf, None, False, False)


def _trial(name: str, seed: int) -> Trial:
    with fault(name, seed) as made:
        found = made.bench.doctor(made.target)
        named = found.causes.index(made.key) + 1 if made.key in found.causes else None
        cured = named is not None and made.is_cured(found.result["verdict"][named - 1]["command"])
        return Trial(name, seed, found.seconds, named, cured, made.robot is not None and made.robot.has_moved)
