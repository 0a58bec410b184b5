# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot verify` in the page: the same steps and files, with the person at the page. Everything runs as the task."""

from __future__ import annotations

from pathlib import Path

from amigobot_driver.doctor import Finding
from amigobot_driver.transport.simulated import simulator_of

from ..verify.client import Client, StoppedError
from ..verify.measurement import measure
from ..verify.person import Person
from ..verify.report import PAGE, RECORDING, REPORT, load
from ..verify.simulated import simulated
from .serial import SerialLine
from .task import Task

#: The files of a report, the page for people first.
FILES = PAGE, REPORT, RECORDING


class PagePerson(Person):
    """The person at the page."""

    stops = "The button Stop"

    def __init__(self, task: Task) -> None:
        super().__init__()
        self._task = task

    def read_line(self, prompt: str) -> str:
        """Ask for a line. Raises StoppedError for Stop."""
        line = super().read_line(prompt)
        if self._task.interrupted:
            raise StoppedError
        return line


def measure_simulated(url: str, folder: Path, task: Task) -> None:
    """Measure another robot like the one of the dashboard, on simulated time."""
    simulator, _ = simulator_of(url)
    _measure(*simulated(simulator, task.stopped), folder, url, task)


def measure_real(line: SerialLine, folder: Path, task: Task) -> None:
    """Measure the robot at the port, which nothing else uses meanwhile."""
    _measure(Client.at_port(line, task.stopped), PagePerson(task), folder, line.name, task)


def compare(folder: Path, task: Task) -> None:
    """Compare what was measured with the simulator, and write it into the report."""
    if (folder / REPORT).exists():  # a step is done
        print("comparing with the simulator ...")
        report = load(folder / REPORT)
        report.finish(folder, task.stopped)
        print(report.summary)


def _measure(client: Client, person: Person, folder: Path, port: str, task: Task) -> None:
    try:
        measure(client, person, folder, _print, port)
    except StoppedError:
        print("ended; the robot was stopped")
        task.interrupted = False


def _print(finding: Finding) -> None:
    print(f"{finding.check}: {finding.text}")
