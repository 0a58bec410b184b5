# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot verify` in the page: the same steps and files, with the person at the page."""

from __future__ import annotations

import contextlib
import math
import time
from pathlib import Path

from amigobot_driver import PortError
from amigobot_driver.transport.simulated import simulator_of

from ..port_remote import PortRemote
from ..verify.client import Client, StoppedError
from ..verify.measurement import Plan, measure
from ..verify.questions import AskedPerson
from ..verify.report import PAGE, RECORDING, REPORT, load
from ..verify.simulated import SimulatedLine, SimulatedPerson
from .serial import NAME, SerialLine
from .task import Task

_BUSY = 0.1  # s that a simulated robot may keep the page busy


class PagePerson(AskedPerson):
    """The person at the page."""

    def read_line(self, prompt: str) -> str:
        """Ask for a line. Raises StoppedError for Stop."""
        try:
            return input(prompt)
        except KeyboardInterrupt:
            raise StoppedError from None

    def tell(self, text: str) -> None:
        """Print a line."""
        print(text)


class LinePort:
    """The line as a port: a read suspends the task, and an interrupt ends the read.

    Args:
        line: The robot's end.
        task: What may wait.
    """

    name = NAME

    def __init__(self, line: SerialLine, task: Task) -> None:
        self._line, self._task = line, task
        self.interrupted = False
        self.write = lambda data: line.receive(data, 0.0)
        self.set_baud = line.set_client_baud

    @property
    def byte_time(self) -> float | None:
        """Seconds that one byte takes."""
        return self._line.byte_time

    def read(self, timeout: float) -> bytes:
        """Suspend the task until bytes arrive, at most `timeout` s. Raises PortError if the port is lost."""
        line = self._line
        try:
            self._task.wait(lambda: line.unplugged or line.next_event(0.0) < math.inf, timeout, time.monotonic)
        except KeyboardInterrupt:  # the client stops the robot and ends the session first
            self.interrupted = True
        if line.unplugged:
            raise PortError(f"{NAME}: the port has disappeared")
        return line.transmit(0.0)

    def close(self) -> None:
        """Have no effect: the page has the port."""


class Verification:
    """Verifies a robot, as the task.

    Args:
        folder: Of the report; its files are overwritten.
        task: What may wait.
    """

    def __init__(self, folder: Path, task: Task) -> None:
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        self._folder, self._task = folder, task
        self._paused = 0.0

    def simulated(self, url: str) -> None:
        """Verify another robot like the one of the dashboard, on simulated time."""
        simulator, _ = simulator_of(url)
        line = SimulatedLine(simulator)
        self._run(url, Client(lambda: line, line.now, self._pause), SimulatedPerson(simulator))

    def real(self, line: SerialLine, remote: PortRemote) -> None:
        """Verify the robot at the port; the dashboard looks for it again afterwards."""
        port = LinePort(line, self._task)
        with remote.released("verify has the robot"):
            self._run(NAME, Client(lambda: port, stopped=lambda: port.interrupted), PagePerson())

    def files(self) -> list[Path]:
        """What there is of the report."""
        return [path for name in (PAGE, REPORT, RECORDING) if (path := self._folder / name).exists()]

    def _run(self, port: str, client: Client, person: SimulatedPerson | PagePerson) -> None:
        try:
            measure(Plan(self._folder, port), client, person, print)
        except StoppedError:
            print("ended; the robot was stopped")
        if not (self._folder / REPORT).exists():
            return  # no step is done
        print("comparing with the simulator ...")
        with contextlib.suppress(KeyboardInterrupt):
            self._task.sleep(0.0)  # so that it is shown
        report = load(self._folder / REPORT)
        report.compare()
        report.save(self._folder)
        report.save_page(self._folder)
        print(f"{report.summary}")

    def _pause(self) -> bool:
        """Let the page draw now and then. Returns whether the person has ended it."""
        if time.monotonic() - self._paused > _BUSY:
            self._paused = time.monotonic()
            try:
                self._task.sleep(0.0)
            except KeyboardInterrupt:
                return True
        return False
