# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What each step makes of the packets that came back, one module for each part of the robot.

A function that a figure names (`fact`) gets what came back for one list of the step, and returns the value. A function
that a step names (`measure`) gets all of it, and yields the figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..step_data import Figure, StepData
from . import drives, erratic, link, sonars

#: The functions for steps.yaml: `drives.rotation`.
FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    f"{module.__name__.rpartition('.')[2]}.{name}": value
    for module in (drives, erratic, link, sonars)
    for name, value in vars(module).items()
    if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
}


def figures(data: StepData) -> Iterator[Figure]:
    """Yield the figures of a step in their order."""
    for key, row in data.step.figures.items():
        name = row.of or key
        if row.fact == "answer":
            yield data.figure(key, data.answers[name])
        elif row.fact and name in data.phases:  # the robot has the commands of this list
            yield data.figure(key, FUNCTIONS[row.fact](data.phase(name)))
    if data.step.measure:
        yield from FUNCTIONS[data.step.measure](data)
