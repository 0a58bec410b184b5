# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the recorded ROS nodes send to the robot for the velocities on cmd_vel, and when.

The nodes run on clocks of their own, whose phase no recording shows: `PHASES` has the candidates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from amigobot_driver.protocol import Command, Instruction

from .recording import Array

#: s, the cycle of a SIP, after each of which p2os sends one command
_SIP = 0.1
#: s until p2os sends a velocity again that has not changed
_REPEAT = 2.0
#: s by which a late repeat misses the watchdog, besides the SIP for which p2os waits
_MISS = 0.02
#: m/s or rad/s up to which p2os takes two velocities for the same
_SAME = 0.01
#: m/s, p2os's max_xspeed
_TOP = 0.5
#: s, the timer with which ARIA's node stops the robot when no velocity has arrived since
_TIMER = 0.6

#: s, start of the node's clock
PHASES = {"p2os": (0.0, 0.05, 0.1, 0.15, 0.2, 0.25), "ros2aria": tuple(step * 0.02 for step in range(30))}


def sent(
    client: str, commands: Array, phase: float, end: float, late: frozenset[int] = frozenset()
) -> Iterator[tuple[float, Instruction]]:
    """Yield what the node sends: time in s, and command.

    Args:
        client: `p2os` or `ros2aria`.
        commands: Rows of time (s), speed (m/s) and turn rate (rad/s).
        phase: Start of the node's clock, s.
        end: Time of the last packet, s.
        late: Numbers of the repeats of p2os that come too late for the robot's watchdog.
    """
    return _p2os(commands, phase, end, late) if client == "p2os" else _ros2aria(commands, phase, end)


def _p2os(commands: Array, now: float, end: float, late: frozenset[int]) -> Iterator[tuple[float, Instruction]]:
    """Only the newest velocity counts, and only if it differs; VEL and RVEL take a SIP each, and so does the loop.

    A held velocity is sent again after 2.0 s, counted in SIPs: 1.9 s or 2.0 s after the last RVEL. The robot's watchdog
    takes 2.0 s, so it is a matter of ms whether the robot begins to stop before.
    """
    speed = turn_rate = since = 0.0
    following = repeats = 0
    while now < end:
        arrived = int(np.searchsorted(commands[:, 0], now, side="right"))
        dirty, missed = False, 0.0
        if arrived > following:
            following = arrived
            _, v, w = commands[arrived - 1]
            if abs(v - speed) > _SAME or abs(w - turn_rate) > _SAME:
                speed, turn_rate, dirty = v, w, True
            elif now - since > _REPEAT and (abs(speed) > _SAME or abs(turn_rate) > _SAME):
                dirty = True
                missed = _MISS if repeats in late else 0.0
                now += _SIP if missed else 0.0
                repeats += 1
        if dirty:
            since = now
            yield now + missed, Command.VEL(int(1000 * max(-_TOP, min(_TOP, speed))))
            yield now + _SIP, Command.RVEL(round(math.degrees(turn_rate)))
        now += 3 * _SIP if dirty else _SIP


def _ros2aria(commands: Array, phase: float, end: float) -> Iterator[tuple[float, Instruction]]:
    """Every velocity counts; each 0.6 s a timer stops the robot if the newest one is older than that."""
    latest, timer = math.inf, phase
    for t, v, w in (*commands, (end, 0.0, 0.0)):
        while timer < t:
            if timer - latest > _TIMER:
                yield timer, Command.VEL(0)
                yield timer, Command.RVEL(0)
                latest = math.inf
            timer += _TIMER
        yield t, Command.VEL(round(1000 * v))
        yield t, Command.RVEL(round(math.degrees(w)))
        latest = t
