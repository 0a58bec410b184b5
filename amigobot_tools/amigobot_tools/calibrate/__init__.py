# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Measure how one robot differs from its model, step by step, and have the driver correct its odometry.

    amigobot calibrate --port "sim://?world=empty"  a simulated robot, which measures itself
    amigobot calibrate --port /dev/ttyUSB0
    amigobot calibrate --port /dev/ttyUSB0 --steps turns,straight --out mine.yaml

The robot turns on the spot (RevCount), drives straight on (size of the wheels), and drives a square both ways (unequal
wheels). After each drive you measure where it is. The program asks before each drive; any key stops the robot.

The result is a file in ~/.config/amigobot/robots, which the driver loads for the robot with this name. With --out it is
another file. End a running node first.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import math
import sys
from pathlib import Path

import yaml

from amigobot_driver import AmigoBot, AmigoBotError, Options, RequestFailedError, RequestRefusedError
from amigobot_driver.cli import UsageError, ranges
from amigobot_driver.cli.command_line_robot import CommandLineRobot
from amigobot_driver.cli.robot_arguments import DEFAULT_PORT, add_robot_arguments
from amigobot_driver.profiles import Calibration, Profile, calibration_file, load_profile
from amigobot_driver.transport.simulated import simulated_pose

from ..person import StoppedError, agrees, check_terminal
from ..terminal_person import TerminalPerson
from .calibration_session import STEPS, CalibrationSession
from .fit import Fit, combined, fit

_WORST = 4.0  # error of the fit / standard deviation by hand, above which a measurement is wrong
_MAX_CORRECTION = 0.2  # share, above which it is not wear: another robot's profile, or a wrong measurement


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    add_robot_arguments(parser)
    usual = ",".join(STEPS)
    parser.add_argument("--steps", type=_steps, default=usual, metavar="LIST", help="which of %(default)s")
    turns, text = ranges.number(1, 50, whole=True), "turns on the spot (%(default)s)"
    parser.add_argument("--turns", type=turns, default=5, metavar="N", help=text)
    ranges.add_number(parser, "--distance", ranges.number(0.3, 20, "m"), 2.0, "m", "straight distance")
    ranges.add_number(parser, "--side", ranges.number(0.3, 10, "m"), 1.0, "m", "side of the square")
    ranges.add_number(parser, "--speed", ranges.number(0.05, 0.5, "m/s"), 0.2, "m/s", "speed")
    ranges.add_number(parser, "--rate", ranges.number(0.05, 1.5, "rad/s"), 0.6, "rad/s", "turn rate")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write here (default: the file of the robot's name)")
    parser.add_argument("--yes", action="store_true", help="write without asking; drives of a real robot still ask")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    port = args.port or DEFAULT_PORT
    if not port.startswith("sim:"):
        check_terminal()
    options = Options(profile=args.robot, max_linear=args.speed, max_angular=args.rate)
    with CommandLineRobot(port, timeout=args.timeout, options=options) as robot:
        name, profile = robot.identity.name, robot.profile
        file = args.out or calibration_file(name)
        if file is None:
            raise UsageError("this robot has no name of its own: name the file with --out FILE")
        _check_writable(file)  # before the drives: a person measures after each
        rev_count = _rev_count(robot)
        try:
            with contextlib.ExitStack() as stack:
                stack.enter_context(contextlib.redirect_stdout(sys.stderr))  # standard output is for the result
                person = None if simulated_pose(port) else stack.enter_context(TerminalPerson())
                drives = CalibrationSession(robot, port, person).run(args.steps, args.turns, args.distance, args.side)
        except (StoppedError, AmigoBotError) as end:
            raise AmigoBotError(f"{end}; nothing was written") from None
        if not drives:
            raise UsageError("nothing was measured; nothing was written")
        found = fit(drives, profile.body.track)
        before = dataclasses.replace(profile.calibration, rev_count=rev_count)
        calibration = with_rev_count(combined(before, found.correction))
    if problem := _implausible(found):
        raise AmigoBotError(f"{problem}; nothing was written")
    if args.json:
        print(json.dumps({"name": name, "profile": profile.name, "file": str(file), **dataclasses.asdict(calibration)}))
    else:
        _show(found, before, calibration)
    content = text(name, profile, calibration)
    if not args.yes and not agrees(f"\nWrite this to {file}?"):
        raise AmigoBotError("not written; --yes writes without asking")
    file.write_text(content, encoding="utf-8")
    print(f"written: {file}", file=sys.stderr)
    return 0


def _steps(text: str) -> tuple[str, ...]:
    """The type of the option --steps."""
    steps = tuple(step for step in text.split(",") if step)
    if not steps or any(step not in STEPS for step in steps):
        raise argparse.ArgumentTypeError(f"is {text!r:.40}, allowed: {', '.join(STEPS)}, separated by commas")
    return steps


def _rev_count(robot: AmigoBot) -> int:
    """The RevCount of the robot; 0 if no command sets it, or if the robot turns by its gyro instead."""
    config = robot.get_config()
    value = config.get("rev_count")
    if not isinstance(value, int) or not value or int(config.get("has_gyro") or 0) >= 2:
        return 0
    try:
        # Another value first: firmware without the command reports the old one, as if it had been set.
        robot.set_config(rev_count=value + 1)
        robot.set_config(rev_count=value)
    except (RequestRefusedError, RequestFailedError):
        return 0
    return value


def with_rev_count(calibration: Calibration) -> Calibration:
    """Return a calibration that corrects turns by the RevCount, if there is one: its own turns are right then."""
    if not calibration.rev_count:
        return calibration
    return dataclasses.replace(calibration, turn=1.0, rev_count=round(calibration.rev_count / calibration.turn))


def _corrections(found: Fit) -> tuple[tuple[str, float, float], ...]:
    """What is corrected, by which share, and its standard deviation."""
    correction, deviation = found.correction, found.deviation
    return (
        ("distances", correction.scale - 1, deviation.scale),
        ("turns", correction.turn - 1, deviation.turn),
        ("right wheel over left", correction.unequal, deviation.unequal),
    )


def _implausible(found: Fit) -> str:
    """Why a result cannot be used; "" if it can."""
    for what, value, _ in _corrections(found):
        if abs(value) > _MAX_CORRECTION:
            return (
                f"{what}: the correction would be {value:+.0%}, more than {_MAX_CORRECTION:.0%}; "
                "is a measurement wrong, or the profile (--robot)?"
            )
    if found.worst > _WORST:
        return f"the measurements contradict each other ({found.worst:.0f} times the usual error): measure again"
    return ""


def _show(found: Fit, before: Calibration, calibration: Calibration) -> None:
    print("\nresult                     correction  uncertainty")
    for what, value, uncertainty in _corrections(found):
        shown = "not measured" if math.isinf(uncertainty) else f"{value:+10.2%}   {uncertainty:9.2%}"
        print(f"  {what:24} {shown}")
    if calibration.rev_count:
        print(f"  RevCount                 {before.rev_count} -> {calibration.rev_count}")


def text(name: str, profile: Profile, calibration: Calibration) -> str:
    """Return the content of a file.

    Raises:
        UsageError: The robot uses a profile of the user, which must stay; the message has what belongs in it.
    """
    usual = dataclasses.asdict(Calibration())
    values = {key: round(value, 5) for key, value in dataclasses.asdict(calibration).items() if value != usual[key]}
    if dataclasses.replace(profile, calibration=Calibration()) != load_profile(profile.name):
        inline = yaml.safe_dump(values, default_flow_style=True, sort_keys=False).strip()
        raise UsageError(f"the profile is a file of yours, put this into it: calibration: {inline}")
    content = yaml.safe_dump({"extends": profile.name, "calibration": values}, sort_keys=False)
    return f"# Calibration of {name!a} by `amigobot calibrate`; docs/how-to/calibrate.md\n{content}"


def _check_writable(file: Path) -> None:
    """Raise OSError if a file cannot be written."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.open("a").close()
    if not file.stat().st_size:
        file.unlink()
