# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The doctor in the page: examines the robot while it rests."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from amigobot_driver import AmigoBotError, RequestRefusedError
from amigobot_driver.doctor import Finding, as_json

from .pilot import Pilot
from .sources.source import Examination, Source

_BRAKING = 3.0  # s that a robot is given to come to rest
_POLL_PERIOD = 0.05  # s between two checks whether it is at rest
_WHY = "the doctor examines the robot, which must be at rest for that"


class Doctor:
    """Runs one examination at a time.

    Args:
        source: What is examined.
        pilot: Drives the robot; it drives nothing during an examination.
    """

    def __init__(self, source: Source, pilot: Pilot) -> None:
        self._source, self._pilot = source, pilot
        self._task: asyncio.Task[None] | None = None
        self._progress = ""
        self.result: dict[str, Any] = {}  #: as `amigobot doctor --json` prints it; {} before the first finding

    @property
    def _running(self) -> bool:
        return self._task is not None and not self._task.done()

    def start(self) -> str:
        """Begin an examination. Returns at once.

        Raises:
            RequestRefusedError: One is running, or there is nothing to examine.
        """
        if self._running:
            raise RequestRefusedError("the doctor examines the robot already")
        examination = self._source.examination()
        self.result = {}
        self._task = asyncio.get_running_loop().create_task(self._run(examination))
        return "examining; this takes about 15 s"

    def section(self) -> dict[str, Any]:
        """Return what the page shows: nothing before the first examination."""
        return {"running": self._running, "progress": self._progress, **self.result}

    async def _run(self, examination: Examination) -> None:
        try:
            if examination.rests:
                self._pilot.hold(_WHY)
                await self._wait_for_rest()
            await self._source.perform(lambda: self._examine(examination))
            self._progress = ""
        except AmigoBotError as error:
            self._progress = str(error)
        finally:
            if examination.rests:
                self._pilot.release()

    async def _wait_for_rest(self) -> None:
        self._progress = "the robot stops"
        end = time.monotonic() + _BRAKING
        while time.monotonic() < end and not self._source.state().at_rest:
            await asyncio.sleep(_POLL_PERIOD)

    def _examine(self, examination: Examination) -> None:
        """Publish the findings as they come. May wait for the robot."""
        began = time.monotonic()
        findings: list[Finding] = []
        for finding in examination.findings(self._show):
            findings.append(finding)
            result = as_json(examination.target, findings, time.monotonic() - began)
            # Here a button checks again; the command could not open the port that the dashboard holds.
            again = examination.target.command()
            for cause in result["verdict"]:
                cause["again"] = cause["command"] == again
            self.result = result

    def _show(self, text: str) -> None:
        self._progress = text
