# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sequences of steps, run again and made shorter."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator
from typing import Any

from .base import Base
from .failure import Failure, Step
from .setup import Setup

#: Runs that making a sequence shorter may take.
MOST_RUNS = 400


def run(machine_class: type[Base], steps: tuple[Step, ...]) -> Failure | None:
    """Run a sequence on a new machine; the failure, if it fails."""
    machine = machine_class()
    try:
        for name, arguments in steps:
            method = getattr(machine, name)
            if all(condition(machine) for condition in getattr(method, "preconditions", ())):
                method(**arguments)
        machine.finish_sequence()
    except Exception as error:
        return Failure.of(machine.steps, error)
    return None


def shorten(machine_class: type[Base], failure: Failure, most: int = MOST_RUNS) -> Failure:
    """The shortest sequence found that fails in the same way: steps left out, then simpler arguments."""
    left = [most]

    def fails(steps: tuple[Step, ...]) -> Failure | None:
        if left[0] <= 0:
            return None
        left[0] -= 1
        found = run(machine_class, steps)
        return found if found and found.kind == failure.kind else None

    logging.disable(logging.CRITICAL)
    try:
        best = fails(failure.steps)
        if best is None:
            return failure
        size = max(1, len(best.steps) // 2)
        while True:
            smaller = next(filter(None, (fails(steps) for steps in _without(best.steps, size))), None)
            if smaller:
                best = smaller
                size = min(size, max(1, len(best.steps) // 2))
            elif size > 1:
                size //= 2
            else:
                break
        while simpler := next(filter(None, (fails(steps) for steps in _simpler(best.steps))), None):
            best = simpler
        return best
    finally:
        logging.disable(logging.NOTSET)


def _without(steps: tuple[Step, ...], size: int) -> Iterator[tuple[Step, ...]]:
    """The sequence without some of its steps, never without the first; the last ones first."""
    for start in range(len(steps) - size, 0, -size):
        yield steps[:start] + steps[start + size :]


def _simpler(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """The sequence with one argument that is simpler."""
    for place, (name, arguments) in enumerate(steps):
        for key, value in arguments.items():
            for other in _simpler_values(key, value):
                yield (*steps[:place], (name, {**arguments, key: other}), *steps[place + 1 :])


def _simpler_values(key: str, value: Any) -> Iterator[Any]:
    if isinstance(value, Setup):
        for field in dataclasses.fields(Setup):
            if getattr(value, field.name) != field.default:
                yield dataclasses.replace(value, **{field.name: field.default})
    elif key == "pause" and value:
        yield from (0.0, 0.1, 0.5)[: (value > 0.1) + (value > 0.5) + 1]
    elif isinstance(value, float) and value not in (0.0, 1.0):
        yield from (0.0, 1.0)
