# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a step asks of the person at the robot: to do something, to measure something, to look or listen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol


class Action(Enum):
    """What the person does by hand."""

    LIFT = auto()  #: takes the wheels off the floor
    FLOOR = auto()  #: puts the robot on 2 x 2 m of free floor and marks where it is
    WALL = auto()  #: puts the robot in front of a wall, at a distance
    HAND = auto()  #: holds a hand in front of a sonar
    TOUCH = auto()  #: lays a hand on a sonar
    AWAY = auto()  #: takes hands and obstacles away
    BUTTON = auto()  #: presses MOTORS
    WIRE = auto()  #: connects TxD and RxD of AUX1


class Measure(Enum):
    """What the person measures."""

    FORWARD = auto()  #: m from the mark, along the first heading
    LEFT = auto()  #: m from the mark, to the left
    TURNED = auto()  #: deg by which the nose is past the mark, counter-clockwise


class Look(Enum):
    """What the person observes."""

    WHEELS_FORWARD = auto()
    LEFT_WHEEL_ONLY = auto()
    SOUND = auto()


class AfterStop(Enum):
    """What follows a stop by a key."""

    REPEAT = auto()
    SKIP = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Request:
    """Something to do."""

    action: Action
    text: str  #: the same for a person
    value: float = 0.0  #: distance in m, or number of the sonar


class Person(Protocol):
    """Who is at the robot."""

    def explain(self, title: str, text: str, moves: str) -> bool:
        """Explain a step, and what moves in it ("" for nothing). Returns whether it shall be done."""

    def do(self, request: Request) -> bool:
        """Ask for something to be done. Returns whether it was."""

    def measure(self, what: Measure, text: str) -> float | None:
        """Ask for a measurement; None: not measured."""

    def look(self, what: Look, text: str) -> bool | None:
        """Ask what happened, yes or no; None: not seen."""

    def tell(self, text: str) -> None:
        """Say something."""

    def stopped(self) -> bool:
        """Whether a key was pressed to stop the robot."""

    def after_stop(self) -> AfterStop:
        """Ask what to do after a stop."""
