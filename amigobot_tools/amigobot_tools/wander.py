# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Let a robot wander about and avoid what its sonars detect, for as long as you like.

    amigobot wander                                  a simulated robot
    amigobot wander --port /dev/ttyUSB0 --seconds 60

The robot drives forward while its sonars see free floor, and turns to the freer side. It backs off when a wheel stalls.
It can touch what no sonar detects: thin legs, cloth, low things. Stay near it; Ctrl-C stops it.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterable

from amigobot_driver import SonarReading
from amigobot_driver.cli import UsageError, ranges

from .governor import MARGIN, free_distance, safe_speed
from .person import check_terminal, confirm
from .remote_connection import add_connection_arguments, connected
from .state import Remote, RobotState

_PERIOD = 0.1  #: s between two commands
_TURN_AT = 0.35  #: m of free floor at which the robot turns
_DRIVE_AT = 0.7  #: m of free floor at which it drives on; the difference is against frequent turns
_BACK_TIME = 1.5  #: s that the robot drives back after a stall
_REPORT_PERIOD = 5.0  #: s between two lines
_SIDE = math.radians(20), math.radians(110)  #: directions of the sonars that look aside


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    add_connection_arguments(parser)
    parser.add_argument("--seconds", type=ranges.duration, default=math.inf, metavar="S", help="end after this time")
    ranges.add_number(parser, "--speed", ranges.speed, 0.2, "m/s", "highest speed")
    parser.add_argument("--yes", action="store_true", help="do not ask before a real robot moves")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    if not args.yes and args.port and not args.port.startswith("sim:"):
        check_terminal()
    with connected(args, drives=True) as remote:
        state = remote.state()
        if not state.echoes:
            raise UsageError(f"{state.model} has no sonars, and cannot see obstacles")
        simulated = remote.where.startswith("sim:")
        if not simulated and not args.yes:
            confirm(f"{remote.where}: the robot will wander about until Ctrl-C.")
        try:
            _wander(remote, Wanderer(args.speed), args.seconds)
        finally:
            remote.stop()
    return 0


def _wander(remote: Remote, wanderer: Wanderer, seconds: float) -> None:
    began = time.monotonic()
    next_line = began
    while (now := time.monotonic()) - began < seconds:
        state = remote.state()
        refused = remote.drive(*wanderer.velocity(state, now))
        if now >= next_line:
            next_line = now + _REPORT_PERIOD
            place = "" if math.isnan(state.x) else f"x {state.x:+.2f} m  y {state.y:+.2f} m  "
            print(f"{now - began:6.1f} s  {place}{refused or wanderer.doing}", flush=True)
        time.sleep(_PERIOD)


class Wanderer:
    """Decides where to drive.

    Args:
        speed: Highest speed, m/s.
    """

    def __init__(self, speed: float) -> None:
        self.doing = ""  #: in words
        self._speed = speed
        self._turning = 0  #: 1 left, -1 right, 0 not
        self._back_until = -math.inf

    def velocity(self, state: RobotState, now: float) -> tuple[float, float]:
        """Return the velocity (m/s, rad/s) at a time (s)."""
        if state.profile is None or not state.connected:
            self.doing = state.note
            return 0.0, 0.0
        ahead = free_distance(state.echoes, state.profile.body, forward=True)
        behind = free_distance(state.echoes, state.profile.body, forward=False)
        if state.stalls:
            self._back_until = now + _BACK_TIME
        if now < self._back_until:
            self.doing = "backing off: a wheel stalled"
            self._turning = self._turning or _freer_side(state.echoes)
            return -min(0.1, safe_speed(behind)), 0.0
        if math.isnan(ahead):
            self.doing = "waiting: the sonars that look ahead are silent"
            return 0.0, 0.0
        if ahead < _TURN_AT or (self._turning and ahead < _DRIVE_AT):
            self._turning = self._turning or _freer_side(state.echoes)
            self.doing = f"turning {'left' if self._turning > 0 else 'right'}: {ahead:.2f} m ahead"
            return 0.0, 0.6 * self._turning
        self._turning = 0
        self.doing = "driving"
        # Away from a wall that is near on one side.
        near = min(_room(state.echoes)) < 2.5 * MARGIN
        return min(self._speed, safe_speed(ahead)), near * 0.3 * _freer_side(state.echoes)


def _freer_side(echoes: Iterable[SonarReading]) -> int:
    """Return 1 if there is more room on the left, else -1."""
    left, right = _room(echoes)
    return 1 if left >= right else -1


def _room(echoes: Iterable[SonarReading]) -> tuple[float, float]:
    """Return the shortest range (m, at most 2) to the left and to the right."""
    known = [echo for echo in echoes if not math.isnan(echo.range) and _SIDE[0] < abs(echo.heading) < _SIDE[1]]
    left, right = (min([2.0, *(echo.range for echo in known if echo.heading * side > 0)]) for side in (1, -1))
    return left, right
