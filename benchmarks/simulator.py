# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulator against real time: seconds of a robot for each second of one core."""

from __future__ import annotations

import time
from collections.abc import Iterator

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command
from amigobot_driver.sim import SharedWorld, Simulator, WorldPose, load_world

from .report import Row, row

#: s of simulated time of each round, rounds, and s between two reads of the port.
_SECONDS, _ROUNDS, _STEP = 60.0, 3, 0.1
#: Places of robots in the office, m.
_PLACES = ((1.5, 4.5), (2.5, 4.5), (3.5, 4.5), (4.5, 4.5))
_GOAL = 240.0


def simulator() -> Iterator[Row]:
    """An AmigoBot that drives in the office with all sonars; then four in one world, their seconds added."""
    one = [_speed(1) for _ in range(_ROUNDS)]
    yield row("simulator, s of a robot for each s of CPU", "s", _GOAL, one, [1.0] * _ROUNDS, at_least=True)
    four = [_speed(len(_PLACES)) for _ in range(_ROUNDS)]
    yield row("simulator, four robots in one world", "s", _GOAL, four, [1.0] * _ROUNDS, at_least=True)


def _speed(count: int) -> float:
    world, profile = load_world("office"), load_profile("amigo")
    robots = [Simulator(profile, world, start=WorldPose(x, y, 0.0)) for x, y in _PLACES[:count]]
    if count > 1:
        SharedWorld({str(number): robot for number, robot in enumerate(robots)})
    for step, command in enumerate((Command.PULSE, Command.OPEN, Command.CLOSE, Command.OPEN)):
        for robot in robots:
            robot.receive(command().encode(), _STEP * step)
    for robot in robots:
        robot.receive(Command.ENABLE(1).encode(), 0.5)
        robot.transmit(0.6)
    now, begin = 0.6, time.process_time()
    while now < _SECONDS:
        now += _STEP
        for robot in robots:
            robot.receive(Command.RVEL(30).encode(), now)
            robot.transmit(now)
    return count * _SECONDS / (time.process_time() - begin)
