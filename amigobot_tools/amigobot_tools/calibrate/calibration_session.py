# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The guided part of a calibration: explain, ask, drive, measure."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import yaml

from amigobot_driver import AmigoBot, AmigoBotError, ConnectionLostError, Report
from amigobot_driver.transport.simulated import simulated_pose
from amigobot_driver.wording import counted, robot_name

from ..geometry import Pose
from ..governor import MARGIN, free_distance
from ..person import StoppedError
from ..terminal_person import TerminalPerson
from .fit import Measured, Step

STEPS = ("turns", "straight", "square")
_SILENCE = 2.0  # s without a packet after which a drive is given up; the robot has stopped by then
_SETTLE = 0.5  # s after the robot is at rest until its last packet has come

#: A motion of the firmware: `move` and m, or `turn` and rad.
Motion = tuple[str, float]


def turns(count: int) -> list[Motion]:
    """Return the motions of so many turns to the left; three make a turn, as half a turn may go either way round."""
    return [("turn", math.tau / 3)] * (3 * count)


def square(side: float, *, left: bool) -> list[Motion]:
    """Return the motions of a square with sides of so many m, with a turn at the last corner, too."""
    return [("move", side), ("turn", math.pi / 2 if left else -math.pi / 2)] * 4


class DriveError(AmigoBotError):
    """A drive cannot go on; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredDrive:
    """One drive of a calibration: a row of drives.yaml, which describes the keys."""

    text: str
    mark: str
    motions: list[Motion]
    questions: Mapping[str, str]


def drives_of(step: str, count: int, distance: float, side: float) -> Iterator[MeasuredDrive]:
    """Yield the drives of a step; the other arguments are those of `CalibrationSession.run`."""
    motions = {
        "turns": turns(count),
        "straight": [("move", distance)],
        "left square": square(side, left=True),
        "right square": square(side, left=False),
    }
    content = yaml.safe_load(files(__package__).joinpath("drives.yaml").read_text(encoding="utf-8"))
    for row in content[step]:
        text = row["text"].format(turns=counted(count, "time"), distance=distance, side=side)
        yield MeasuredDrive(**{**row, "text": text, "motions": motions[row["motions"]]})


class CalibrationSession:
    """Leads through a calibration.

    Args:
        robot: Connected, with its motors on.
        port: Its port.
        person: Who is at the robot; None: it is simulated, and measures itself.
    """

    def __init__(self, robot: AmigoBot, port: str, person: TerminalPerson | None) -> None:
        self._robot, self._port, self._person = robot, port, person

    def run(self, steps: Sequence[str], count: int, distance: float, side: float) -> list[Measured]:
        """Drive and measure every step that the user does not skip.

        Args:
            steps: Some of `STEPS`.
            count: Number of turns on the spot.
            distance: Of the straight drive, m.
            side: Of the square, m.

        Raises:
            DriveError: A drive cannot go on.
            StoppedError: The person has ended it.
        """
        robot, body = self._robot, self._robot.profile.body
        room = max(distance if "straight" in steps else 0.0, side if "square" in steps else 0.0)
        print(f"{robot_name(robot.identity.name)}, {robot.profile.description}, on {self._port}")
        if self._person is None:
            print("This robot is simulated: it measures itself, and needs no confirmation of a drive.")
        else:
            print(
                f"It needs flat floor: {room + body.radius + 0.5:.1f} m ahead, and as much to its left and right for\n"
                "the square; and a tape measure, and tape to mark the floor. ANY KEY STOPS THE ROBOT."
            )
        measured: list[Measured] = []
        for number, step in enumerate(steps, 1):
            print(f"\nStep {number} of {len(steps)}: {step}")
            for drive in drives_of(step, count, distance, side):
                print(drive.text)
                if self._person is None or self._person.do("MARK", drive.mark):
                    measured += self._measure(drive)
        return measured

    def _measure(self, drive: MeasuredDrive) -> list[Measured]:
        """Drive, and return what was measured; [] if the person has skipped a question."""
        start = simulated_pose(self._port)
        steps = self._drive(drive.motions)
        end = simulated_pose(self._port)
        if self._person is None:
            assert start and end
            x, y, turned = Pose(end.x, end.y, end.heading).seen_from(Pose(start.x, start.y, start.heading))
            answers = {"x": x, "y": y, "distance": math.hypot(x, y), "turned": turned}
            found = {name: answers[name] for name in drive.questions}
        else:
            found = {name: self._asked(name, text) for name, text in drive.questions.items()}
        if any(map(math.isnan, found.values())):
            return []
        if "turned" in found:
            turned = sum(amount for kind, amount in drive.motions if kind == "turn")
            found["turned"] += math.tau * round(turned / math.tau)
        return [Measured(steps=steps, **found)]

    def _asked(self, name: str, question: str) -> float:
        """Ask for a measurement; NaN: none was made."""
        assert self._person is not None
        unit, size = ("deg", math.radians(1)) if name == "turned" else ("cm", 0.01)
        return size * self._person.number(question, unit)

    # -- driving ----------------------------------------------------------------------------------------------

    def _drive(self, motions: list[Motion]) -> list[Step]:
        """Drive, and return what the robot reported."""
        with self._robot.reports(maxlen=100) as reports:
            last = self._next(reports.get)
            steps: list[Step] = []
            try:
                for kind, amount in motions:
                    (self._robot.start_turn if kind == "turn" else self._robot.start_move)(amount)
                    while not self._robot.is_task_complete():
                        if self._person and self._person.stopped():
                            raise StoppedError("a key was pressed, the robot is stopped")
                        self._check(last, ahead=kind == "move")
                        last = _append(steps, last, self._next(reports.get))
                    self._robot.get_result()
            finally:
                # At once, also after an error: the driver's own time-out would take half a second more.
                with contextlib.suppress(ConnectionLostError):
                    self._robot.stop(wait=False)
            self._robot.stop()
            end = time.monotonic() + _SETTLE
            while (report := reports.get(max(0.0, end - time.monotonic()))) is not None:
                last = _append(steps, last, report)
        return steps

    def _next(self, get: Callable[[float], Report | None]) -> Report:
        if (report := get(_SILENCE)) is None:
            raise DriveError(f"no packet from the robot for {_SILENCE:g} s")
        return report

    def _check(self, report: Report, *, ahead: bool) -> None:
        """Raise DriveError if the robot must not drive on."""
        if report.left_stalled or report.right_stalled:
            raise DriveError("a wheel is stalled: is something in the way?")
        if self._robot.emergency_stopped or report.motors_enabled is False:
            raise DriveError("the motors are off: press MOTORS on the robot, and start again")
        if ahead and (room := free_distance(self._robot.sonar, self._robot.profile.body, forward=True)) < MARGIN:
            raise DriveError(f"an obstacle is {room:.2f} m ahead: make room, and start again")


def _append(steps: list[Step], before: Report, after: Report) -> Report:
    """Append the motion between two reports."""
    if after.frame != before.frame:
        raise DriveError("the robot's counters jumped: start again")
    a, b = before.odometry, after.odometry
    steps.append((b.travelled - a.travelled, b.turned - a.turned))
    return after
