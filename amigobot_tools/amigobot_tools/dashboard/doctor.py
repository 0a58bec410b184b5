# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The doctor in the page: examines the robot in a thread of its own, while the robot rests."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Any, Protocol

from amigobot_driver import AmigoBotError, RequestRefusedError
from amigobot_driver.doctor import Finding, as_json

from ..state import RobotState
from .examination import Examination
from .pilot import Pilot

#: s that a robot is given to come to rest, and s between two checks whether it is.
_BRAKING, _POLL_PERIOD = 3.0, 0.05
_WHY = "the doctor examines the robot, which must be at rest for that"


class Patient(Protocol):
    """What can be examined."""

    def examination(self) -> Examination | None:
        """Return what the doctor does now; None where there is nothing to examine."""
        ...

    def state(self) -> RobotState:
        """Return what is known of the robot now."""
        ...


class Doctor:
    """Runs one examination at a time.

    Args:
        patient: What is examined.
        pilot: Drives the robot; it drives nothing during an examination.
    """

    def __init__(self, patient: Patient, pilot: Pilot) -> None:
        self._patient, self._pilot = patient, pilot
        self._lock = threading.Lock()
        self._running = False
        self._progress = ""
        self._findings: list[Finding] = []
        self._result: dict[str, Any] = {}

    def start(self) -> str:
        """Begin an examination. Returns at once.

        Raises:
            RequestRefusedError: One is running, or there is nothing to examine.
        """
        with self._lock:
            if self._running:
                raise RequestRefusedError("the doctor examines the robot already")
            examination = self._patient.examination()
            if examination is None:
                raise RequestRefusedError("there is no robot to examine")
            self._running, self._findings, self._result = True, [], {}
        threading.Thread(target=self._run, args=(examination,), name="dashboard-doctor", daemon=True).start()
        return "examining; this takes about 15 s"

    def section(self) -> dict[str, Any]:
        """Return what the page shows: nothing before the first examination."""
        with self._lock:
            return {"running": self._running, "progress": self._progress, **self._result}

    # -- the thread -------------------------------------------------------------------------------------------

    def _run(self, examination: Examination) -> None:
        began = time.monotonic()
        try:
            with self._pilot.holding(_WHY) if examination.rests else contextlib.nullcontext():
                if examination.rests:
                    self._wait_for_rest()
                for finding in examination.findings(self._show):
                    self._findings.append(finding)
                    self._publish(examination, began)
            self._show("")
        except AmigoBotError as error:
            self._show(str(error))
        finally:
            with self._lock:
                self._running = False

    def _wait_for_rest(self) -> None:
        self._show("the robot stops")
        end = time.monotonic() + _BRAKING
        while time.monotonic() < end:
            if self._patient.state().at_rest:
                return
            time.sleep(_POLL_PERIOD)

    def _show(self, text: str) -> None:
        with self._lock:
            self._progress = text

    def _publish(self, examination: Examination, began: float) -> None:
        result = as_json(examination.target, self._findings, time.monotonic() - began)
        # Here a button checks again; the command could not open the port that the dashboard holds.
        again = examination.target.command()
        for cause in result["verdict"]:
            cause["again"] = cause["command"] == again
        with self._lock:
            self._result = result
