# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""How many robots one computer carries: drivers with a simulated robot each, 20 SIPs a second, none missed."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from .program import Client, Program, driver
from .report import Row, row

#: s from one SIP to the next.
_CYCLE = 0.05
#: Robots that are tried in turn, s of each trial, and s after which no larger number is tried.
_NUMBERS, _SECONDS, _ENOUGH = (1, 2, 4, 8, 16, 32, 64), 8.0, 100.0
#: Robots for each core that an onboard computer should carry at least.
_EACH_CORE = 4
_PROFILE = "extends: amigo\nname: amigo\nflash:\n  SInfoCycle: 1\n"


class _Robot:
    """A driver with a robot of its own, and the stamps of its odometry."""

    def __init__(self, client: Client, number: int, profile: Path) -> None:
        namespace = f"__ns:=/robot_{number}"
        self.program = Program([*driver(f"sim://?robot={profile}&seed={number}"), "-r", namespace])
        self.stamps = client.stamps(f"/robot_{number}/odom")

    def missed(self) -> int:
        """Number of SIPs between the first and the last message that were not published."""
        return round((self.stamps[-1] - self.stamps[0]) / _CYCLE) + 1 - len(self.stamps)


def fleet() -> Iterator[Row]:
    """Add robots until one misses a SIP, or until it takes too long."""
    begin, cores = time.monotonic(), len(os.sched_getaffinity(0))
    carried, cpu = 0, dict[int, float]()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        profile = folder / "amigo.yaml"
        profile.write_text(_PROFILE, encoding="utf-8")
        client = Client()
        stack.callback(client.close)
        robots: list[_Robot] = []
        for number in _NUMBERS:
            if time.monotonic() - begin > _ENOUGH:
                break
            while len(robots) < number:
                robots.append(_Robot(client, len(robots), profile))
                stack.callback(robots[-1].program.end)
            client.wait(lambda: all(len(robot.stamps) > 1 / _CYCLE for robot in robots), 120.0)
            for robot in robots:
                robot.stamps.clear()
            before = sum(robot.program.cpu() for robot in robots)
            client.spin(_SECONDS)
            cpu[number] = 100 * (sum(robot.program.cpu() for robot in robots) - before) / _SECONDS / number
            if any(robot.missed() > 0 for robot in robots):
                break
            carried = number
    name = "robots at 20 SIPs a second for each core, none missed"
    yield row(name, "", _EACH_CORE, [carried], [cores], at_least=True)
    if carried:
        yield row("CPU of each of these robots, against one alone", "%", 1.2, [cpu[carried]], [cpu[1]])
