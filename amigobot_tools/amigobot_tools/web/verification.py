# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot verify` in the page: the same steps and files, with the person at the page."""

from __future__ import annotations

import contextlib
import math
import time
from pathlib import Path

from amigobot_driver.doctor import Finding
from amigobot_driver.transport.simulated import simulator_of

from ..port_remote import PortRemote
from ..verify.client import Client, StoppedError
from ..verify.measurement import measure
from ..verify.person import Person
from ..verify.report import PAGE, RECORDING, REPORT, load
from ..verify.simulated import SimulatedLine, SimulatedPerson
from .serial import NAME, SerialLine
from .task import Task

_BUSY = 0.1  # s that a simulated robot may keep the page busy


class PagePerson(Person):
    """The person at the page."""

    stops = "The button Stop"

    def read_line(self, prompt: str) -> str:
        """Ask for a line. Raises StoppedError for Stop."""
        try:
            return super().read_line(prompt)
        except KeyboardInterrupt:
            raise StoppedError from None


class TaskLine:
    """The line for a client that waits: a wait suspends the task, and an interrupt ends it.

    Args:
        line: The robot's end.
        task: What may wait.
    """

    name = NAME

    def __init__(self, line: SerialLine, task: Task) -> None:
        self._line, self._task = line, task
        self.interrupted = False
        self.receive, self.transmit, self.next_event = line.receive, line.transmit, line.next_event
        self.set_client_baud = line.set_client_baud

    @property
    def byte_time(self) -> float | None:
        """Seconds that one byte takes."""
        return self._line.byte_time

    @property
    def unplugged(self) -> bool:
        """Whether the port is lost."""
        return self._line.unplugged

    def wait(self, until: float) -> None:
        """Wait for bytes, at most until a time (s)."""
        line, seconds = self._line, max(0.0, until - time.monotonic())
        try:
            self._task.wait(lambda: line.unplugged or line.next_event(0.0) < math.inf, seconds, time.monotonic)
        except KeyboardInterrupt:  # the client stops the robot and ends the session first
            self.interrupted = True


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
        self._run(url, Client(line, line.clock, self._pause), SimulatedPerson(simulator))

    def real(self, line: SerialLine, remote: PortRemote) -> None:
        """Verify the robot at the port; the dashboard looks for it again afterwards."""
        waiting = TaskLine(line, self._task)
        with remote.released("verify has the robot"):
            self._run(NAME, Client(waiting, stopped=lambda: waiting.interrupted), PagePerson())

    def files(self) -> list[Path]:
        """What there is of the report."""
        return [path for name in (PAGE, REPORT, RECORDING) if (path := self._folder / name).exists()]

    def _run(self, port: str, client: Client, person: Person) -> None:
        try:
            measure(client, person, self._folder, _print, port)
        except StoppedError:
            print("ended; the robot was stopped")
        if not (self._folder / REPORT).exists():
            return  # no step is done
        print("comparing with the simulator ...")
        with contextlib.suppress(KeyboardInterrupt):
            self._task.sleep(0.0)  # so that it is shown
        report = load(self._folder / REPORT)
        report.finish(self._folder)
        print(report.summary)

    def _pause(self) -> bool:
        """Let the page draw now and then. Returns whether the person has ended it."""
        if time.monotonic() - self._paused > _BUSY:
            self._paused = time.monotonic()
            try:
                self._task.sleep(0.0)
            except KeyboardInterrupt:
                return True
        return False


def _print(finding: Finding) -> None:
    print(f"{finding.check}: {finding.text}")
