# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A step as a row, what is known of the robot, what came back in the step, and the figures that a measure returns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from amigobot_driver import Profile
from amigobot_driver.protocol import Packet, Sip, SipSonarReading, SyncReply, TuningValues

from .client import Stamped
from .measured_motion import Instant, motion_log

P = TypeVar("P", bound=Packet)

Value = float | str | None


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


class StepError(Exception):
    """The robot does not do what the step needs; the message says what."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One finding: a number is a quantity, a text a fact; None was asked for and not found."""

    key: str  #: "motor.top_speed": steps.yaml has its title and unit, and how it is compared
    step: str  #: name of the step
    value: Value
    uncertainty: float = 0.0  #: standard uncertainty, in the unit
    expected: Value = None  #: what the simulator shows; None: nothing to compare with
    expected_uncertainty: float = 0.0
    verdict: str = "unknown"  #: "as simulated", "differs" or "unknown"


@dataclass(slots=True)
class KnownRobot:
    """What is known of the robot; the steps add to it."""

    identity: SyncReply
    profile: Profile  #: nominal dimensions and units
    config: TuningValues | None = None  #: as the robot reports it; None if it was not read
    figures: dict[str, Figure] = field(default_factory=dict)  #: what was measured so far, by key

    def found(self, key: str, default: float) -> float:
        """Return a quantity that an earlier step has found, or the nominal one."""
        figure = self.figures.get(key)
        return figure.value if figure is not None and isinstance(figure.value, float) else default

    def configured(self, name: str) -> int:
        """Return a value of the CONFIG packet by its name; 0 if it was not read, or has no such value."""
        return (self.config.value(name) if self.config is not None else None) or 0

    @property
    def nominal_ticks(self) -> float:
        """Encoder ticks per m as CONFIG or the profile has them; NaN: unknown."""
        return 1 / self.profile.body.meters_per_tick(self.configured("ticks_mm"))

    @property
    def ticks_per_meter(self) -> float:
        """Encoder ticks per m; NaN: unknown."""
        return self.found("scale.encoder", self.nominal_ticks)

    @property
    def half_track(self) -> float:
        """Meters of wheel travel for each rad of turning, as the firmware computes it."""
        body = self.profile.body
        # The RevCount of an Erratic counts turns of a wheel, and there is no ticks_mm beside it.
        if self.configured("ticks_mm"):
            return body.track_by(self.configured("rev_count"), 1 / self.nominal_ticks) / 2
        return body.track / 2

    @property
    def front_sonars(self) -> list[int]:
        """Numbers of the sonars that look ahead."""
        poses = self.profile.sonar.poses
        flattest = min((abs(pose.heading) for pose in poses), default=0.0)
        return [number for number, pose in enumerate(poses) if abs(pose.heading) < flattest + 0.01]

    def pings(self, packets: Sequence[Stamped]) -> list[tuple[float, SipSonarReading]]:
        """Return the readings of the front sonars, and when (s)."""
        front = self.front_sonars
        sips = [(stamped.time, stamped.packet) for stamped in packets if isinstance(stamped.packet, Sip)]
        return [(time, reading) for time, sip in sips for reading in sip.sonar if reading.number in front]


@dataclass(frozen=True, slots=True)
class Phase:
    """What came back for one named list."""

    sent: float  #: s, when its last command was sent
    ended: float  #: s
    packets: list[Stamped]
    robot: KnownRobot

    @property
    def log(self) -> list[Instant]:
        """The motion in it, in SI units by the scales found so far."""
        robot, units = self.robot, self.robot.profile.units
        distance = robot.found("scale.position", units.distance)
        velocity = robot.found("scale.velocity", units.velocity)
        return motion_log(self.packets, distance, velocity, robot.ticks_per_meter)

    def of(self, kind: type[P]) -> list[P]:
        """Return the packets of a kind."""
        return [stamped.packet for stamped in self.packets if isinstance(stamped.packet, kind)]


@dataclass(frozen=True, slots=True)
class StepData:
    """What came back in a step."""

    step: Step
    robot: KnownRobot
    phases: dict[str, list[Phase]] = field(default_factory=dict)  #: by the name of their list, one for each repetition
    answers: dict[str, Any] = field(default_factory=dict)  #: of the person, by what was asked

    def phase(self, name: str) -> Phase:
        """Return what came back for a list of the step, the last time."""
        return self.phases[name][-1]

    def figure(self, key: str, value: object, error: float = 0.0) -> Figure:
        """Return a figure of the step: a float is a quantity (NaN: not found), None not found, True the fact "yes".

        Args:
            key: Of the figure in steps.yaml; another one is a fact, and its own title.
            value: What was found; all else is a fact as text.
            error: Standard uncertainty from the scatter, in the unit.
        """
        if isinstance(value, float) and math.isfinite(value):
            floor = self.step.figures[key].floor if key in self.step.figures else 0.0
            return Figure(key, self.step.name, value, math.hypot(error, floor * value))
        if isinstance(value, bool):
            value = "yes" if value else "no"
        fact = None if value is None or isinstance(value, float) else str(value)
        return Figure(key, self.step.name, fact)
