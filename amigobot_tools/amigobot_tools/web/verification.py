# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot verify` in the page: the same steps and files, with the person at the page. Everything runs as the task."""

from __future__ import annotations

from pathlib import Path

from amigobot_driver.transport.simulated import simulator_of

from ..person import Person, StoppedError
from ..verify.client import Client
from ..verify.report import PAGE, REPORT, load
from ..verify.runs import RECORDING, run_steps
from ..verify.simulated_person import simulated
from .serial import SerialLine
from .task import Task

#: The files of a report, the page for people first.
FILES = PAGE, REPORT, RECORDING


def measure_robot(line: SerialLine | None, url: str, folder: Path, task: Task) -> None:
    """Measure the robot at the port, which nothing else uses meanwhile; without one another simulated robot."""
    if line:
        client, person = Client.at_port(line, task.stopped), Person()
        person.stops = "The button Stop"
    else:
        client, person = simulated(simulator_of(url)[0], task.stopped)
    try:
        run_steps(client, person, folder, lambda finding: print(f"{finding.check}: {finding.text}"), url)
    except StoppedError:
        print("ended; the robot was stopped")
        task.interrupted = False


def compare(folder: Path, task: Task) -> None:
    """Compare what was measured with the simulator, and write it into the report."""
    if (folder / REPORT).exists():  # a step is done
        print("comparing with the simulator ...")
        report = load(folder / REPORT)
        report.finish(folder, task.stopped)
        print(report.summary)
