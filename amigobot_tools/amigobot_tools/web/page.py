# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The Python side of the page: a robot with its dashboard, and the program that drives it."""

from __future__ import annotations

import asyncio
import json
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from amigobot_driver import AmigoBot, AmigoBotError, PortError, RequestRefusedError
from amigobot_driver.doctor.table import table
from amigobot_driver.robot import Event, Robot

from ..dashboard.browser import Browser
from ..dashboard.core import Dashboard
from ..dashboard.sources.paced import SteppedBot
from ..dashboard.sources.port import PortSource
from ..dashboard.sources.simulator import SimulatorSource
from .recorder import Recorder
from .serial import FAREWELL, NAME, SerialLine, SerialSource
from .shared_driver import SharedDriver
from .task import Task

#: The robot that stands there at first.
FIRST = "sim://?world=room"


class Page:
    """Connects the page with a robot.

    Args:
        post: Called with the kind of a message and its content: `frame` (text for the dashboard), `closed`,
            `output` (text that the program printed), `running` (whether a program runs), `farewell` (bytes for the
            port if this worker is blocked), `file` (name and bytes for the person), `recording` (whether it is on), and
            what a `SerialLine` posts.
    """

    def __init__(self, post: Callable[[str, object], None]) -> None:
        self._post = post
        self._task = Task()
        self._url = ""
        self._line: SerialLine | None = None
        self._dashboard: Dashboard | None = None
        self._browser: Browser | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._opened: list[SharedDriver] = []
        self._recorder: Recorder | None = None
        AmigoBot._new_driver = self._new_driver  # type: ignore[method-assign, assignment]
        sys.stdout = sys.stderr = _Output(post)  # type: ignore[assignment]
        time.sleep = self._task.sleep

    # -- robots -----------------------------------------------------------------------------------------------

    def simulate(self, url: str = FIRST) -> None:
        """Put a simulated robot there."""
        self._line = None
        self._show(SimulatorSource(url), url)

    def open_port(self) -> None:
        """The page has a serial port: look for a robot there."""
        table()  # here, as reading so much YAML needs a deep stack
        self._post("farewell", FAREWELL)
        self._line = SerialLine(self._post)
        self._show(SerialSource(self._line, self._task), NAME)

    def received(self, data: Any) -> None:
        """Bytes have come from the port."""
        if self._line:
            self._line.feed(data.to_bytes())

    def plug(self, on: bool) -> None:
        """The port has come back, or is lost."""
        if self._line:
            self._line.unplugged = not on

    def _show(self, source: PortSource, url: str) -> None:
        """Show another robot."""
        if self._recorder:
            self.record()
        if self._dashboard:
            for task in self._tasks:
                task.cancel()
            self._browser = None
            self._dashboard.source.close()
        self._dashboard, self._url = Dashboard(source), url
        self._tasks = [asyncio.ensure_future(self._dashboard.run())]
        self._post("closed", None)

    @property
    def _bot(self) -> SteppedBot:
        assert self._dashboard and isinstance(self._dashboard.source, PortSource)
        return self._dashboard.source.robot  # type: ignore[return-value]

    # -- the dashboard ----------------------------------------------------------------------------------------

    def connect(self) -> None:
        """The dashboard's page has opened its connection."""
        if self._dashboard and (browser := self._dashboard.join()):
            if self._browser:
                self._dashboard.leave(self._browser)
            self._browser = browser
            self._tasks.append(asyncio.ensure_future(self._send(self._dashboard, browser)))

    def receive(self, text: str) -> None:
        """Take a message of the dashboard's page."""
        if self._dashboard and self._browser:
            self._dashboard.receive(self._browser, text)

    def hide(self) -> None:
        """The page cannot be seen any more: who cannot see the robot does not drive it, and neither does a program."""
        if self._dashboard:
            self._dashboard.pilot.brake("the page is hidden")
        if self._line and self._task.running:
            self._task.interrupt()

    async def _send(self, dashboard: Dashboard, browser: Browser) -> None:
        while True:
            text = await browser.next()
            self._post("frame", dashboard.frame(browser) if text is None else text)

    # -- files ------------------------------------------------------------------------------------------------

    def record(self) -> None:
        """Begin a recording, or end it and give it to the person as a file."""
        if self._recorder:
            self._post("file", ("drive.amigo", self._recorder.stop()))
            self._recorder = None
        elif self._dashboard:
            try:
                self._recorder = Recorder(self._bot, self._url)
            except AmigoBotError as error:
                print(error)
        self._post("recording", self._recorder is not None)

    def report(self) -> None:
        """Give the person the findings of the doctor as a file, as `amigobot doctor --json` prints them."""
        found = self._dashboard.doctor.result if self._dashboard else {}
        if found:
            self._post("file", ("doctor.json", json.dumps(found, indent=2).encode()))
        else:
            print("There is no report yet: choose Doctor below the map, and examine the robot.")

    # -- the program ------------------------------------------------------------------------------------------

    def run(self, program: str) -> None:
        """Run a program, unless one runs."""
        try:
            self._task.start(lambda: self._run(program))
        except RequestRefusedError as error:
            print(error)
        else:
            self._post("running", True)

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the program, where it waits."""
        self._task.interrupt()

    def _run(self, program: str) -> None:
        sys.argv = ["program.py"]
        try:
            exec(compile(program, "program.py", "exec"), {"__name__": "__main__"})
        except (SystemExit, KeyboardInterrupt):
            pass
        except BaseException as error:
            print(_explained(error))
        finally:
            for driver in self._opened:
                driver.close()
            self._opened.clear()
            self._post("running", False)

    def _new_driver(self, robot: Robot, url: str, listener: Callable[[Event], None]) -> SharedDriver:
        """The driver of an `AmigoBot` of the program: a real robot that is connected serves every port.

        Raises:
            PortError: There is no such port in a web page, or the program uses another robot.
        """
        if not self._line:
            if not url.startswith("sim://"):
                raise PortError(f"{url}: no robot is connected to this page; allowed: sim://")
            if url not in (self._url, "sim://"):
                if any(driver.is_open for driver in self._opened):
                    raise PortError(f"{url}: a page has one robot at a time; close the other one first")
                self.simulate(url)
        driver = SharedDriver(robot, listener, self._bot, self._task)
        self._opened.append(driver)
        return driver


class _Output:
    """A text file that the page shows."""

    def __init__(self, post: Callable[[str, object], None]) -> None:
        self._post = post

    def write(self, text: str) -> int:
        """Show a text."""
        self._post("output", text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: nothing is kept."""


def _explained(error: BaseException) -> str:
    """What a person is told: one line of the driver's errors, the lines of the program for all others."""
    frames: list[Any] = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "program.py"]
    if isinstance(error, AmigoBotError):
        return f"line {frames[-1].lineno}: {error}" if frames else str(error)
    return "".join([*traceback.format_list(frames), *traceback.format_exception_only(error)]).rstrip()
