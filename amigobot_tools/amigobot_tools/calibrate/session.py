# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The guided part of a calibration: explain, ask, drive, measure."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from amigobot_driver import AmigoBot, ConnectionLostError, Report
from amigobot_driver.transport.simulated import simulated_pose
from amigobot_driver.wording import counted, robot_name

from ..governor import MARGIN, free_distance
from ..keys import Keyboard, keyboard
from ..state import Echo
from .fit import Measured, Step

STEPS = ("turns", "straight", "square")
#: s without a packet after which a drive is given up; the robot has stopped by then.
_SILENCE = 2.0
#: s after the robot is at rest until its last packet has come.
_SETTLE = 0.5


#: A motion of the firmware: `move` and m, or `turn` and rad.
Motion = tuple[str, float]


def turns(count: int) -> list[Motion]:
    """Return the motions of so many turns to the left; three make a turn, as half a turn may go either way round."""
    return [("turn", math.tau / 3)] * (3 * count)


def square(side: float, *, left: bool) -> list[Motion]:
    """Return the motions of a square with sides of so many m, with a turn at the last corner, too."""
    return [("move", side), ("turn", math.pi / 2 if left else -math.pi / 2)] * 4


class Stopped(Exception):
    """A drive ended early. The message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is driven."""

    steps: tuple[str, ...]
    turns: int
    distance: float  #: m
    side: float  #: m


class Session:
    """Leads through a calibration.

    Args:
        robot: Connected, with its motors on.
        port: Its port; a simulated robot measures itself.
        say: Writes a line for the user.
    """

    def __init__(self, robot: AmigoBot, port: str, say: Callable[[str], None]) -> None:
        self._robot = robot
        self._port = port
        self._say = say

    @property
    def _simulated(self) -> bool:
        return simulated_pose(self._port) is not None

    def run(self, plan: Plan) -> list[Measured]:
        """Drive and measure every step that the user does not skip.

        Raises:
            Stopped: A drive ended early.
            TerminalClosedError: The terminal was closed.
        """
        robot, body = self._robot, self._robot.profile.body
        room = max(plan.distance if "straight" in plan.steps else 0.0, plan.side if "square" in plan.steps else 0.0)
        self._say(f"{robot_name(robot.identity.name)}, {robot.profile.description}, on {self._port}")
        if self._simulated:
            self._say("This robot is simulated: it measures itself, and needs no confirmation of a drive.")
        else:
            self._say(
                f"It needs flat floor: {room + body.radius + 0.5:.1f} m ahead, and as much to its left and right for\n"
                "the square; and a tape measure, and tape to mark the floor. ANY KEY STOPS THE ROBOT."
            )
        drives: list[Measured] = []
        for number, step in enumerate(plan.steps, 1):
            self._say(f"\nStep {number} of {len(plan.steps)}: {step}")
            drives += {"turns": self._turns, "straight": self._straight, "square": self._squares}[step](plan)
        return drives

    # -- the steps --------------------------------------------------------------------------------------------

    def _turns(self, plan: Plan) -> Iterator[Measured]:
        self._say(f"The robot turns {counted(plan.turns, 'time')} to the left on the spot.")
        if not self._confirmed("Mark on the floor where its nose points."):
            return
        steps, truth = self._drive(turns(plan.turns))
        if truth:
            yield Measured(steps=steps, turned=truth.turned)
        else:
            beyond = self._ask("How many degrees has it turned beyond the mark? (minus: too little)")
            yield Measured(steps=steps, turned=plan.turns * math.tau + math.radians(beyond))

    def _straight(self, plan: Plan) -> Iterator[Measured]:
        self._say(f"The robot drives {plan.distance:g} m straight on.")
        if not self._confirmed("Mark on the floor where one wheel touches it."):
            return
        steps, truth = self._drive([("move", plan.distance)])
        if truth:
            yield Measured(steps=steps, distance=math.hypot(truth.x, truth.y))
        else:
            yield Measured(steps=steps, distance=self._ask("How far is the wheel from the mark? (cm)") / 100)

    def _squares(self, plan: Plan) -> Iterator[Measured]:
        for left in (True, False):
            side = "left" if left else "right"
            self._say(f"The robot drives a square of {plan.side:g} m to the {side}, back to its start.")
            if not self._confirmed("Mark on the floor the middle between its wheels, and where its nose points."):
                continue
            steps, truth = self._drive(square(plan.side, left=left))
            if truth:
                yield Measured(steps=steps, x=truth.x, y=truth.y)
            else:
                x = self._ask("How far is it now ahead of the mark, in the old direction? (cm, minus: behind)")
                y = self._ask("And how far to the left of it? (cm, minus: to the right)")
                yield Measured(steps=steps, x=x / 100, y=y / 100)

    # -- driving ----------------------------------------------------------------------------------------------

    def _drive(self, motions: list[Motion]) -> tuple[list[Step], _Truth | None]:
        """Drive, and return what the robot reported, and where a simulated robot really went."""
        witness = _Witness(self._port)
        with self._keys() as keys, self._robot.reports(maxlen=100) as reports:
            last = self._next(reports.get)
            steps: list[Step] = []
            try:
                for kind, amount in motions:
                    (self._robot.start_turn if kind == "turn" else self._robot.start_move)(amount)
                    while not self._robot.is_task_complete():
                        witness.look()
                        if keys and keys.read(0.0):
                            raise Stopped("a key was pressed, the robot is stopped")
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
                witness.look()
        return steps, witness.truth()

    def _next(self, get: Callable[[float], Report | None]) -> Report:
        if (report := get(_SILENCE)) is None:
            raise Stopped(f"no packet from the robot for {_SILENCE:g} s")
        return report

    def _check(self, report: Report, *, ahead: bool) -> None:
        """Raise Stopped if the robot must not drive on."""
        if report.left_stalled or report.right_stalled:
            raise Stopped("a wheel is stalled: is something in the way?")
        if self._robot.emergency_stopped or report.motors_enabled is False:
            raise Stopped("the motors are off: press MOTORS on the robot, and start again")
        echoes = (Echo(sonar.range, sonar.age, sonar.x, sonar.y, sonar.heading) for sonar in self._robot.sonar)
        if ahead and (room := free_distance(echoes, self._robot.profile.body, forward=True)) < MARGIN:
            raise Stopped(f"an obstacle is {room:.2f} m ahead: make room, and start again")

    @contextlib.contextmanager
    def _keys(self) -> Iterator[Keyboard | None]:
        """The keys of the terminal; none where a simulated robot is calibrated by a script."""
        if self._simulated and not sys.stdin.isatty():
            yield None
            return
        with keyboard() as keys:
            yield keys

    # -- asking -----------------------------------------------------------------------------------------------

    def _confirmed(self, preparation: str) -> bool:
        """Whether the user has prepared this drive and wants it."""
        if self._simulated:
            return True
        self._say(preparation)
        answer = _line("Enter: drive, s: skip, q: quit > ").lower()
        if answer in ("q", "quit"):
            raise Stopped("ended")
        return answer == ""

    def _ask(self, question: str) -> float:
        """A number from the user."""
        while True:
            answer = _line(f"{question} > ")
            with contextlib.suppress(ValueError):
                if math.isfinite(value := float(answer.replace(",", "."))):
                    return value
            self._say(f"{answer!r:.40} is not a number")


@dataclass(frozen=True, slots=True)
class _Truth:
    """The true end of a drive, seen from its start."""

    x: float  #: m
    y: float  #: m
    turned: float  #: rad


class _Witness:
    """Follows the true pose of a simulated robot, often enough to count its turns."""

    def __init__(self, port: str) -> None:
        self._port = port
        self._start = self._last = simulated_pose(port)
        self._turned = 0.0

    def look(self) -> None:
        """Look at the robot."""
        if (pose := simulated_pose(self._port)) and self._last:
            self._turned += math.remainder(pose.heading - self._last.heading, math.tau)
            self._last = pose

    def truth(self) -> _Truth | None:
        """Return the end of the drive; None for a robot that is not simulated in this process."""
        self.look()
        if self._start is None or self._last is None:
            return None
        start, end = self._start, self._last
        dx, dy = end.x - start.x, end.y - start.y
        cos, sin = math.cos(start.heading), math.sin(start.heading)
        return _Truth(cos * dx + sin * dy, cos * dy - sin * dx, self._turned)


def _append(steps: list[Step], before: Report, after: Report) -> Report:
    """Append the motion between two reports."""
    if after.frame != before.frame:
        raise Stopped("the robot's counters jumped: start again")
    a, b = before.odometry, after.odometry
    steps.append(Step(b.travelled - a.travelled, b.turned - a.turned))
    return after


def _line(prompt: str) -> str:
    """A line that the user types."""
    print(prompt, end="", file=sys.stderr, flush=True)
    if not (line := sys.stdin.readline()):
        raise Stopped("standard input has ended")
    return line.strip()
