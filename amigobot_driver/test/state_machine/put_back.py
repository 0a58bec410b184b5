# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m state_machine.put_back [FAULT ...]: put faults of the past back into the driver, and see them found.

Each fault is a small change of the driver's source, made in this process only: a text of one function is replaced, and
the function compiled again. A text that is no longer there is an error, so that no fault is tested that is none. Run it
in amigobot_driver/test; docs/explanation/state-machine.md has the results.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from amigobot_driver.protocol.sip import Sip
from amigobot_driver.robot import Robot, link
from amigobot_driver.robot.devices import working_values
from amigobot_driver.robot.motion.goal import Move
from amigobot_driver.robot.motion.motion import Motion
from amigobot_driver.robot.sensing.odometry import Odometer
from amigobot_driver.ros.tuning import TuningServices

from .machine import Statistics, explore

#: Sequences of one seed; then the next one chooses.
_BATCH = 25
#: Sequences after which a fault counts as not found.
_MOST = 1000


@dataclass(frozen=True)
class Change:
    """One text of a function, and what it is replaced by."""

    owner: Any  #: the class or module
    name: str
    old: str
    new: str

    def compiled(self) -> tuple[Callable[..., Any], CodeType]:
        """The function, and the code of the changed one. Raises ValueError if the text is not there."""
        function = inspect.unwrap(_plain(inspect.getattr_static(self.owner, self.name)))
        source = textwrap.dedent(inspect.getsource(function))
        if source.count(self.old) != 1:
            raise ValueError(f"{function.__qualname__} does not have this text once: {self.old!r}")
        return function, compile(source.replace(self.old, self.new), function.__code__.co_filename, "exec")

    def apply(self) -> None:
        """Put the changed function into the module it is from. Raises ValueError if the text is not there."""
        function, code = self.compiled()
        made: dict[str, Any] = {}
        exec(code, function.__globals__, made)
        setattr(self.owner, self.name, made[self.name])


def _plain(attribute: Any) -> Callable[..., Any]:
    return attribute.fget if isinstance(attribute, property) else attribute  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Fault:
    """A fault by what a user sees of it."""

    text: str
    changes: tuple[Change, ...]


FAULTS: dict[str, Fault] = {
    "1": Fault(
        "a move is measured in the odometry frame, so that setting the odometry moves the robot",
        (
            Change(
                Move,
                "_measure",
                "return odometry.travelled",
                "start = self.__dict__.setdefault('_start_pose', odometry)\n"
                "    import math\n"
                "    dx, dy = odometry.x - start.x, odometry.y - start.y\n"
                "    return dx * math.cos(start.yaw) + dy * math.sin(start.yaw)",
            ),
        ),
    ),
    "2": Fault(
        "a jump of the robot's counters rotates the path",
        (
            Change(
                Odometer,
                "update",
                "self.frame += jump is not None\n        self._anchor()",
                "self.frame += jump is not None\n        self._anchor()\n"
                "        self.rotation = old.yaw - before.heading * self._units.angle",
            ),
        ),
    ),
    "3": Fault(
        "a full command queue loses commands silently",
        (
            Change(Robot, "send_raw", "self.queue.put(instruction, Priority.RAW)", "self.queue.put(instruction)"),
            Change(link.RobotLink, "poll", "self.sends.run(now, self.queue.has_room)", "self.sends.run(now)"),
            Change(link.RobotLink, "next_time", " and self.queue.has_room()", ""),
        ),
    ),
    "4": Fault(
        "an empty set_pid request zeroes the controller",
        (Change(TuningServices, "_set_pid", " if getattr(request, term) or request.set_zeros}", "}"),),
    ),
    "5": Fault(
        "a negative deceleration sets the acceleration",
        (Change(working_values, "check_working_values", " or not known.allows(value)", ""),),
    ),
    "8": Fault(
        "a robot is at rest when the packet type says so",
        (Change(Sip, "moving", " or bool(self.left_velocity or self.right_velocity)", ""),),
    ),
    "9": Fault(
        "the result of a canceled goal comes before the robot is at rest",
        (
            Change(
                Motion,
                "_end_goal",
                "self._stopping.append(_Stopping(self.requested, why))",
                "self.requested.finish(Outcome(False, why))",
            ),
        ),
    ),
    "10": Fault(
        "a goal is aborted while the motors are being switched on",
        (Change(Robot, "__init__", "lambda: self.motors.switching_on", "lambda: False"),),
    ),
    "12": Fault(
        "a lower limit does not apply to the velocity being driven",
        (Change(Robot, "_limit", "self.motion.limits_changed()", "pass"),),
    ),
    "another-robot": Fault(
        "another robot on the port gets the working values that were set for the one before",
        (Change(Robot, "on_identity", "self.working_values.forget(options)", "pass"),),
    ),
}


def find(name: str, seed: int) -> tuple[Statistics, float]:
    """Put a fault back for good, and run sequences until a check notices it; the time is s of computing."""
    for change in FAULTS[name].changes:
        change.apply()
    statistics = Statistics()
    started = time.process_time()
    while not statistics.failures and statistics.sequences < _MOST:
        explore(_BATCH, seed, statistics, enough=lambda: bool(statistics.failures))
        seed += 1
    return statistics, time.process_time() - started


def main() -> int:
    """0: the fault was found."""
    parser = argparse.ArgumentParser(prog="python -m state_machine.put_back", description=__doc__)
    parser.add_argument("fault", choices=FAULTS, help="name of the fault in docs/explanation/state-machine.md")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    statistics, seconds = find(args.fault, args.seed)
    found = statistics.failures[0] if statistics.failures else None
    print(f"fault {args.fault}, {FAULTS[args.fault].text}: ", end="")
    print(f"{statistics.sequences} sequences, {seconds:.1f} s: {found.message if found else 'not found'}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
