# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Browsers that go while they drive: the tab is closed, the browser crashes, the network fails."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from dashboard_bench import Bench, Page, dashboard, simulator

from amigobot_tools.dashboard.sources.simulator import SimulatorSource

from .figure import Figure, Share

#: s from the loss until the robot must be at rest.
_LIMIT = 0.5
#: m/s; and s between two velocities, as the page sends them.
_SPEED, _PERIOD = 0.3, 0.05
_WAYS = ("closed", "crashed", "silent")


def browsers_gone(share: Share) -> Iterator[Figure]:
    """Browsers that go while they drive the simulated robot."""
    count = share.of(200)
    rng = random.Random(share.seed)
    with simulator("sim://amigo?world=empty&baud=0") as source:
        losses = asyncio.run(_losses(source, count, rng))
    late = [one for one in losses if one.seconds > _LIMIT + one.lateness]
    times = [one.seconds for one in losses]
    worst = max(one.lateness for one in losses)
    yield Figure(
        f"{count} times a browser that drives goes: tab closed, crash, network lost",
        f"the robot is at rest within {_LIMIT:g} s, and the time that this computer gave another process instead",
        f"{count - len(late)} of {count}; at rest after {min(times):.2f} to {max(times):.2f} s, "
        f"{sum(seconds <= _LIMIT for seconds in times)} within {_LIMIT:g} s; "
        f"the computer was late by up to {worst:.2f} s",
        not late,
    )


@dataclass(frozen=True, slots=True)
class Loss:
    """One browser that has gone. Times are in s."""

    way: str
    seconds: float  #: until the robot was at rest
    lateness: float  #: by which a thread that only sleeps was late meanwhile, in sum


class _Sleeper:
    """A thread that only sleeps, and knows how late it was woken."""

    def __init__(self) -> None:
        self.lateness = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        before = time.monotonic()
        while not self._ended.wait(0.01):
            now = time.monotonic()
            self.lateness += max(0.0, now - before - 0.02)
            before = now

    def end(self) -> float:
        self._ended.set()
        self._thread.join()
        return self.lateness


async def _losses(source: SimulatorSource, count: int, rng: random.Random) -> list[Loss]:
    losses = []
    async with dashboard(source) as bench, bench.page() as page:
        await page.ask("motors", on=True)
        await page.ask("leave")
        for number in range(count):
            losses.append(await _loss(source, bench, _WAYS[number % len(_WAYS)], rng))
            # The next one drives from somewhere else: the world has no end, the coordinates have.
            source.requests["place"].run(x=0.0, y=0.0, heading=0.0)
            await page.until(lambda: not page.now["stick"]["braking"] and page.now["stick"]["holder"] is None)
    return losses


async def _loss(source: SimulatorSource, bench: Bench, way: str, rng: random.Random) -> Loss:
    """Drive, go in one way, and wait until the robot is at rest."""
    async with bench.page() as page:
        end = time.monotonic() + 1.0 + rng.random() * 0.3
        sent = 0.0
        while time.monotonic() < end or _speed(source) < _SPEED / 2:
            if time.monotonic() - sent >= _PERIOD:
                sent = time.monotonic()
                await page.send("drive", linear=_SPEED, angular=0.0)
            await page.read()
        sleeper = _Sleeper()
        if way == "closed":
            sent = time.monotonic()
            await page.socket.close()
        elif way == "crashed":
            sent = time.monotonic()
            _abort(page)
        while _speed(source) > 0:
            await asyncio.sleep(0.002)
        return Loss(way, time.monotonic() - sent, sleeper.end())


def _abort(page: Page) -> None:
    """Reset the connection, as the kernel does for a process that was killed."""
    response = page.socket._response
    assert response.connection is not None and response.connection.transport is not None
    response.connection.transport.abort()


def _speed(source: SimulatorSource) -> float:
    sim = source.live()["sim"]
    return max(abs(sim["left_velocity"]), abs(sim["right_velocity"]))
