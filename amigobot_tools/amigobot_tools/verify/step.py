# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A row of the table of steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from .trial import Trial


class Place(Enum):
    """Where the robot is during a step."""

    ANYWHERE = "anywhere"
    LIFTED = "wheels off the floor"
    FLOOR = "2 x 2 m of free floor"
    WALL = "in front of a wall"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the acceptance test."""

    name: str
    title: str
    explanation: str  #: what it measures and why, for the owner
    place: Place
    run: Callable[[Trial], None]
    moves: str = ""  #: what moves; "" for nothing
    errata: tuple[str, ...] = ()  #: contradictions of the manuals that it settles, by docs/protocol.md
    not_erratic: str = ""  #: why an Erratic cannot do it; "" if it can
    only_erratic: bool = False  #: it is about an Erratic, and left out for other robots
