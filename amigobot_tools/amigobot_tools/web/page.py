# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The Python side of the page: a robot with its dashboard, and the program that drives it."""

from __future__ import annotations

import asyncio
import builtins
import io
import json
import math
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

from amigobot_driver import AmigoBot, AmigoBotError, EventStream, PortError, RequestRefusedError
from amigobot_driver.cli import UsageError
from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.doctor.table import table
from amigobot_driver.packet_file import Head, RecordedFrame, write_head, write_record
from amigobot_driver.robot import Event, FrameSeen, Robot
from amigobot_driver.wording import counted

from ..dashboard.browser import Browser
from ..dashboard.core import Dashboard
from ..dashboard.sources.simulator_source import SimulatorSource
from ..dashboard.sources.stepped import SteppedSource
from .serial import SHUTDOWN, SerialLine, SerialSource
from .shared_driver import SharedDriver
from .task import Task
from .verification import FILES, compare, measure_robot

#: URL of the first robot.
FIRST = "sim://?world=room"
#: Files that the person has given, or gets.
_FILES = Path("/tmp")
_BURST = 20  # texts that a program prints before the event loop has its turn


class Page:
    """Connects the page with a robot.

    Args:
        post: Called with the kind of a message and its content: `frame` (text for the dashboard), `opened`, `closed`,
            `output` (text that the program printed), `running` (whether a program runs), `question` (the program
            waits for a line of the person), `shutdown` (the shutdown sequence, for the page to send if this worker
            ends or is blocked), `files` (name, bytes and preview of each), `recording` (whether it is on), and what a
            `SerialLine` posts.
    """

    def __init__(self, post: Callable[[str, object], None]) -> None:
        self._post = post
        self._task = Task()
        self.interrupt = self._task.interrupt
        self._line: SerialLine | None = None  #: of a real robot
        self._browser: Browser | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._opened: list[SharedDriver] = []
        self._recording: tuple[Head, float, EventStream[Any]] | None = None  #: with the time of its begin (s)
        self._reply: str | None = None
        AmigoBot._new_driver = self._new_driver  # type: ignore[assignment]
        sys.stdout = sys.stderr = _Output(post, self._task)
        builtins.input = self._input
        time.sleep = self._task.sleep
        self._begin(SimulatorSource(FIRST))

    # -- robots -----------------------------------------------------------------------------------------------

    def simulate(self, url: str) -> None:
        """Connect to another simulated robot."""
        try:
            source = SimulatorSource(url)
        except AmigoBotError as error:
            print(error)
        else:
            self._line = None
            self._show(source)

    def keep(self, name: str, data: Any) -> None:
        """Save a file that the person has given, such as a map."""
        (_FILES / name).write_bytes(data.to_bytes())

    def open_port(self) -> None:
        """Look for a robot at the serial port of the page."""
        table()  # here, as reading so much YAML needs a deep stack
        self._post("shutdown", SHUTDOWN)
        self._line = SerialLine(self._post, self._task)
        self._show(SerialSource(self._line, self._task))

    def received(self, data: Any) -> None:
        """Take bytes that have come from the port."""
        if self._line:
            self._line.feed(data.to_bytes())

    def plug(self, on: bool) -> None:
        """Note that the port has come back, or is lost."""
        if self._line:
            self._line.unplugged = not on

    def _show(self, source: SteppedSource) -> None:
        """Show another robot. A program that has not asked for it loses its robot, and is interrupted."""
        if not self._task.current:
            self._task.interrupt()
        if self._recording:
            self.record()
        for task in self._tasks:
            task.cancel()
        self._source.close()
        self._begin(source)
        self._post("closed", None)

    def _begin(self, source: SteppedSource) -> None:
        self._source, self._dashboard, self._browser = source, Dashboard(source), None
        self._tasks = [asyncio.ensure_future(self._dashboard.run())]

    # -- the dashboard ----------------------------------------------------------------------------------------

    def connect(self) -> None:
        """Connect the dashboard's page, which has opened its connection."""
        if self._browser:
            self._dashboard.leave(self._browser)
        if browser := self._dashboard.join():
            self._browser = browser
            self._post("opened", None)
            self._tasks.append(asyncio.ensure_future(self._send(self._dashboard, browser)))

    def receive(self, text: str) -> None:
        """Take a message of the dashboard's page."""
        if self._browser:
            self._dashboard.receive(self._browser, text)

    def hide(self) -> None:
        """The page is hidden: brake the robot, and interrupt a program that drives a real one."""
        self._dashboard.pilot.brake("the page is hidden")
        if self._line:
            self._task.interrupt()

    async def _send(self, dashboard: Dashboard, browser: Browser) -> None:
        while True:
            self._post("frame", await dashboard.next(browser))

    # -- files ------------------------------------------------------------------------------------------------

    def record(self) -> None:
        """Begin a recording, or end it and give it to the person."""
        if self._recording:
            path, (head, began, events) = _FILES / "drive.amigo", self._recording
            with path.open("wb") as file, events:
                write_head(file, head)
                for event in events.take_all():
                    if isinstance(event, FrameSeen):
                        write_record(file, RecordedFrame(event.stamp - began, event.to_robot, event.data))
            self._recording = None
            self._give([path])
        else:
            try:
                self._recording = self._source.robot.begin_recording()
            except AmigoBotError as error:
                print(error)
        self._post("recording", self._recording is not None)

    def report(self) -> None:
        """Give the person the findings of the doctor, as `amigobot doctor --json` prints them."""
        if found := self._dashboard.doctor.result:
            path = _FILES / "doctor.json"
            path.write_text(json.dumps(found, indent=2))
            self._give([path])
        else:
            print("There is no report yet: choose Doctor below the map, and examine the robot.")

    def verify(self) -> None:
        """Measure the robot, and give the person the report."""
        if self._recording:
            self.record()
        self._start(self._verify, asks=True)

    def _verify(self) -> None:
        folder = _FILES / "verify"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            with self._source.released("verify has the robot") if self._line else nullcontext():
                measure_robot(self._line, self._source.where, folder, self._task)
            compare(folder, self._task)
        finally:
            self._give(path for name in FILES if (path := folder / name).exists())

    def _give(self, paths: Iterable[Path]) -> None:
        """Show files to the person, who may save them."""
        self._post("files", [(path.name, path.read_bytes(), _preview(path)) for path in paths])

    # -- the program ------------------------------------------------------------------------------------------

    def run(self, program: str) -> None:
        """Run a program, unless one runs."""
        sys.argv = ["program.py"]
        self._start(lambda: exec(compile(program, "program.py", "exec"), {"__name__": "__main__"}))

    def answer(self, line: str) -> None:
        """Take the person's answer to a question of the program."""
        self._reply = line

    def _input(self, prompt: object = "") -> str:
        """Ask the person for a line; takes the place of `input`. Stop answers q, which ends verify."""
        print(prompt, end="")
        self._reply = None
        self._post("question", None)
        self._task.wait(lambda: self._reply is not None or self._task.interrupted, math.inf, time.monotonic)
        reply = "q" if self._reply is None else self._reply
        print(reply)
        return reply

    def _start(self, call: Callable[[], object], *, asks: bool = False) -> None:
        """Call something as the task, unless one runs."""
        try:
            self._task.start(lambda: self._run(call), asks=asks)
            self._post("running", True)
        except RequestRefusedError as error:
            print(error)
            self._post("running", False)

    def _run(self, call: Callable[[], object]) -> None:
        try:
            call()
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
            if url not in (self._source.where, "sim://"):
                if any(driver.is_open for driver in self._opened):
                    raise PortError(f"{url}: a page has one robot at a time; close the other one first")
                self.simulate(url)
        driver = SharedDriver(robot, listener, self._source.robot, self._task)
        self._opened.append(driver)
        return driver


class _Output(io.TextIOBase):
    """A text file that the page shows. A program that prints without end waits now and then, where Stop ends it."""

    def __init__(self, post: Callable[[str, object], None], task: Task) -> None:
        self._post, self._task, self._texts = post, task, 0

    def write(self, text: str) -> int:
        """Show a text at once: the program may block next."""
        self._post("output", text)
        self._texts += 1
        if self._task.current and self._texts % _BURST == 0:
            self._task.sleep(0.0)
        return len(text)


def _explained(error: BaseException) -> str:
    """Return the text of an error for the person: one line for the driver's errors, else with the program's lines."""
    frames: list[Any] = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "program.py"]
    if isinstance(error, AmigoBotError | UsageError):
        return f"line {frames[-1].lineno}: {error}" if frames else str(error)
    text = "".join([*traceback.format_list(frames), *traceback.format_exception_only(error)]).rstrip()
    if isinstance(error, ModuleNotFoundError):
        text += "\nA web page has the standard library of Python and amigobot_driver. ROS 2 must be installed."
    return text


def _preview(path: Path) -> str:
    """Return what a file holds, as a text for the person."""
    if path.suffix != ".amigo":
        return path.read_text()
    head, frames, _ = read_recording(path)
    seconds = frames[-1].time - frames[0].time if frames else 0.0
    what = f"{counted(len(frames), 'packet')} between robot and page in {seconds:.0f} s"
    return f"{what}\n{json.dumps(asdict(head), indent=1)}"
