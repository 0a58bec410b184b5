# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The Python API on a simulated robot in this process, whose truth and faults the tests can reach."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from standstill import AFTERMATH, METER, passes

from amigobot_driver import AmigoBot
from amigobot_driver.errors import MotionFailedError, RequestRefusedError
from amigobot_driver.sim import Simulator
from amigobot_driver.sim.simulator import Truth
from amigobot_driver.transport import simulated

#: s that nothing here ever takes, on however slow a machine.
PATIENCE = 60.0
#: A robot whose packets need little time, in an empty world.
FAST = "sim://amigo?world=empty&baud=115200"


T = TypeVar("T")


def eventually(condition: Callable[[], object], what: str = "the condition") -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what} was not met"
        time.sleep(0.005)


def accepted(request: Callable[[], T]) -> T:
    """Make a request, again while it is refused because this machine stood still."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return request()
        except RequestRefusedError as refused:
            if not passes(refused) or time.monotonic() > end:
                raise
        time.sleep(0.02)


def undisturbed(robot: AmigoBot, movement: Callable[[], T]) -> T:
    """Make a movement, again from rest if it failed while this machine stood still, or soon after."""
    end = time.monotonic() + PATIENCE
    while True:
        began = time.monotonic()
        try:
            return movement()
        except (RequestRefusedError, MotionFailedError):
            if METER.stood_still(began - AFTERMATH) == 0.0 or time.monotonic() > end:
                raise
        robot.wait_until_connected(PATIENCE)
        robot.stop()


def failure(movement: Callable[[], object], text: str) -> MotionFailedError:
    """The error of a movement that fails with this text; any other error is raised."""
    with pytest.raises(MotionFailedError) as failed:
        movement()
    if text not in str(failed.value):
        raise failed.value
    return failed.value


@contextmanager
def once(condition: Callable[[], object], action: Callable[[], object]) -> Iterator[None]:
    """Do something in another thread as soon as a condition holds. That thread ends with the block.

    What it raises is raised at the end of the block.
    """
    over = threading.Event()
    raised: list[BaseException] = []

    def run() -> None:
        try:
            while not over.wait(0.005):
                if condition():
                    action()
                    return
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, name="once")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(PATIENCE)
        assert not thread.is_alive(), "what another thread should do has no end"
        if raised:
            raise raised[0]


#: m/s, half of the smallest velocity of a wheel that a packet shows.
CREEP = 0.0005


class SimulatedRobots:
    """The simulated robots that ports of sim:// URLs have made, the newest last."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ports: list[simulated.SimulatedPort] = []
        made = self.ports

        class NotedPort(simulated.SimulatedPort):
            def __init__(self, url: str) -> None:
                super().__init__(url)
                made.append(self)

        monkeypatch.setattr(simulated, "SimulatedPort", NotedPort)

    @contextmanager
    def simulator(self) -> Iterator[Simulator]:
        """The newest robot at the present time, also after its port was closed."""
        port = self.ports[-1]
        with port.lock:
            port.simulator.advance(time.monotonic())
            yield port.simulator
            port._changed.notify_all()

    @property
    def truth(self) -> Truth:
        """What the newest robot really does."""
        with self.simulator() as simulator:
            return simulator.truth

    @property
    def at_rest(self) -> bool:
        """Whether no wheel of the newest robot turns by more than the creep of its servo, which no packet shows."""
        return max(abs(self.truth.left_velocity), abs(self.truth.right_velocity)) < CREEP

    def moving(self) -> bool:
        """Whether a wheel of the newest robot turns."""
        return not self.at_rest

    def inject(self, **faults: Any) -> None:
        """Replace faults of the newest robot."""
        with self.simulator() as simulator:
            simulator.faults = dataclasses.replace(simulator.faults, **faults)
