# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The Python side of the page: a robot with its dashboard, and the program that drives it."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable
from typing import Any

from amigobot_driver import AmigoBot, AmigoBotError, PortError
from amigobot_driver.robot import Event, Robot

from ..dashboard.browser import Browser
from ..dashboard.core import Dashboard
from ..dashboard.sources.port import PortSource
from ..dashboard.sources.simulator import SimulatorSource
from . import threads
from .shared_driver import SharedDriver

#: The robot that stands there at first.
FIRST = "sim://?world=room"


class Page:
    """Connects the page with a robot.

    Args:
        post: Called with the kind of a message and its content: `frame` (text for the dashboard), `closed`,
            `output` (text that the program printed), `running` (whether a program runs).
    """

    def __init__(self, post: Callable[[str, object], None]) -> None:
        self._post = post
        self._url = ""
        self._dashboard: Dashboard | None = None
        self._browser: Browser | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._program: threads.Thread | None = None
        self._opened: list[SharedDriver] = []
        AmigoBot._new_driver = self._new_driver  # type: ignore[method-assign, assignment]
        sys.stdout = sys.stderr = _Output(post)  # type: ignore[assignment]

    def start(self, url: str = FIRST) -> None:
        """Put another simulated robot there. Waits until it is connected."""
        if self._dashboard:
            self._close()
        self._dashboard = Dashboard(SimulatorSource(url))
        self._url = url
        self._tasks = [asyncio.ensure_future(self._dashboard.run())]
        self._post("closed", None)

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
        """The page cannot be seen any more: who cannot see the robot does not drive it."""
        if self._dashboard:
            self._dashboard.pilot.brake("the page is hidden")

    # -- the program ------------------------------------------------------------------------------------------

    def run(self, program: str) -> None:
        """Run a program; ends the one that runs."""
        self.interrupt()
        self._program = threads.Thread(target=self._run, name="program", args=(program,))
        self._program.start()

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the program, where it waits."""
        if self._program and self._program.is_alive():
            self._program.interrupted = True

    def _run(self, program: str) -> None:
        self._post("running", True)
        try:
            exec(compile(program, "program.py", "exec"), {"__name__": "__main__"})
        except (SystemExit, KeyboardInterrupt):
            pass
        except BaseException as error:
            print(_explained(error), file=sys.stderr)
        finally:
            for driver in self._opened:
                driver.close()
            self._opened.clear()
            self._post("running", False)

    def _new_driver(self, robot: Robot, url: str, listener: Callable[[Event], None]) -> SharedDriver:
        """The driver of an `AmigoBot` of the program.

        Raises:
            PortError: There is no such port in a web page.
        """
        if not url.startswith("sim://"):
            raise PortError(f"{url}: a page has no ports; allowed: sim://")
        if url not in (self._url, "sim://"):
            self.start(url)
        assert self._dashboard and isinstance(self._dashboard.source, PortSource)
        driver = SharedDriver(robot, listener, self._dashboard.source.robot)
        self._opened.append(driver)
        return driver

    # -- the dashboard ----------------------------------------------------------------------------------------

    async def _send(self, dashboard: Dashboard, browser: Browser) -> None:
        while True:
            text = await browser.next()
            self._post("frame", dashboard.frame(browser) if text is None else text)

    def _close(self) -> None:
        assert self._dashboard
        for task in self._tasks:
            task.cancel()
        self._browser = None
        self._dashboard.pilot.close()
        self._dashboard.source.close()


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
    if isinstance(error, AmigoBotError):
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "program.py"]
        return f"line {lines[-1]}: {error}" if lines else str(error)
    frames: list[Any] = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "program.py"]
    return "".join([*traceback.format_list(frames), *traceback.format_exception_only(error)]).rstrip()
