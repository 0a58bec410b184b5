# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What each step makes of the packets that came back, one module for each part of the robot.

A function that a figure names (`fact`) gets what came back for one list of the step, and returns the value. A function
that a step names (`measure`) gets all of it, and yields the figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from types import SimpleNamespace

from ..step_data import Figure, StepData
from . import drives, erratic, link, sonars

_MODULES = SimpleNamespace(drives=drives, erratic=erratic, link=link, sonars=sonars)


def figures(data: StepData) -> Iterator[Figure]:
    """Yield the figures of a step in their order."""
    for key, row in data.step.figures.items():
        name = row.of or key
        if row.fact == "answer":
            yield data.figure(key, {True: "yes", False: "no"}.get(data.answers[name]))
        elif row.fact and name in data.phases:  # the robot has the commands of this list
            yield data.figure(key, attrgetter(row.fact)(_MODULES)(data.phase(name)))
    if data.step.measure:
        yield from attrgetter(data.step.measure)(_MODULES)(data)
