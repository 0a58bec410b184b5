# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The dashboard without its web server: who watches, who drives, what each browser is sent.

Everything here runs in one asyncio loop; how a request waits for the robot is the source's business.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from functools import partial
from typing import Annotated, Any

from amigobot_driver import AmigoBotError
from amigobot_driver.cli import UsageError
from amigobot_driver.wording import wrong_type

from ..state import RobotState
from .backlog import Backlog
from .browser import Browser
from .control import Control, NotInControlError
from .examinations import Doctor
from .frames import description, live_state, plain
from .inspected_frames import decoded
from .messages import Between, Request, anyone, read_message, requests_of, take_id
from .pilot import Pilot
from .plot_history import PlotHistory
from .protocol_page import protocol_folder
from .sources import Source

PERIOD = 0.05  # s between two frames
_IDLE_PERIOD = 0.25  # s between two frames without a browser
_SECTIONS_PERIOD = 1.0  # s between two checks of the sections
_MIN_SLEEP = 0.002  # s that the loop leaves to other tasks
MAX_BROWSERS = 20  # at a time; more are refused
_LOG_KEPT = 1000  # lines of the log that are kept
_LOG_FIRST = 100  # lines of the log that a new browser gets
Velocity = Annotated[float, Between(-10, 10)]  # m/s and rad/s, beyond the limits of every robot

_log = logging.getLogger(__name__)


class Dashboard:
    """Connects browsers with a source.

    Args:
        source: What is shown.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.control = Control()
        self.browsers: dict[int, Browser] = {}
        self.pilot = Pilot(source, self.notify)
        self.history = PlotHistory()
        self.doctor = Doctor(source, self.pilot)
        self._lines: Backlog[tuple[float, str]] = Backlog(_LOG_KEPT)  #: Unix time (s) and text
        self._numbers = 0
        self._sections: dict[str, Any] = {}  #: by name; a section that has changed is another object
        self._now: dict[str, Any] = {}  #: what every browser gets in this frame
        self._state = RobotState()
        self._checked = 0.0  #: s, when the sections were checked
        self._jumps = 0  #: of a recording
        self._has_protocol = protocol_folder() is not None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._own = requests_of(self)

    # -- browsers ---------------------------------------------------------------------------------------------

    def join(self) -> Browser | None:
        """Return a new browser; None if there are too many."""
        if len(self.browsers) >= MAX_BROWSERS:
            return None
        self._numbers += 1
        browser = Browser(self._numbers, log=max(0, self._lines.newest - _LOG_FIRST), packets=self.source.frames.newest)
        self.browsers[browser.number] = browser
        return browser

    def leave(self, browser: Browser) -> None:
        """Remove a browser that has disconnected: if it drove, the robot is stopped."""
        self.browsers.pop(browser.number, None)
        if self.control.leave(browser.number):
            self.pilot.brake(f"browser {browser.number} has disconnected")

    @property
    def _known(self) -> list[str]:
        """The names of the requests."""
        return sorted({*self._own, *self.source.requests} - {"" if self.source.examined else "doctor"})

    async def close(self) -> None:
        """Stop the robot if a browser drives it."""
        self.pilot.brake("the dashboard ends")
        while self.pilot.braking:
            await asyncio.sleep(PERIOD)
            self.pilot.step()

    def notify(self, text: str) -> None:
        """Add a line to the log; an empty one is left out."""
        if text:
            self._lines.add((time.time(), text))

    # -- what is sent -----------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Offer a frame to every browser, as long as the server runs."""
        due = 0.0
        while True:
            self.source.step()
            now = time.monotonic()
            if now >= due:
                due = now + (PERIOD if self.browsers or self.pilot.braking else _IDLE_PERIOD)
                try:
                    self.tick(now)
                except Exception:
                    _log.exception("a frame of the dashboard failed; please report the traceback")
            await asyncio.sleep(max(_MIN_SLEEP, min(due - time.monotonic(), self.source.period)))

    def tick(self, now: float) -> None:
        """Update the state of the robot, and offer a frame to every browser."""
        self.pilot.step()
        if self.control.grant_overdue(now, driving=self.pilot.driving):
            self.notify(f"browser {self.control.holder} has taken over control")
        before, self._state = self._state, self.source.state()
        if self._state.note != before.note:
            self.notify(self._state.note)
        for line in self.source.messages():
            self.notify(line)
        reported, live = live_state(self._state), self.source.live()
        self._remember(now, reported, live)
        self.source.watch_frames(any(browser.watches_packets for browser in self.browsers.values()))
        if not self.browsers:
            return
        if now - self._checked >= _SECTIONS_PERIOD:
            self._checked = now
            self._update_sections()
        control = {name: getattr(self.control, name) for name in ("holder", "asking")}
        pilot = {name: getattr(self.pilot, name) for name in ("driving", "braking", "note")}
        self._now = plain({"state": reported, "control": {**control, **pilot}, **live})
        for browser in self.browsers.values():
            browser.wake()

    async def next(self, browser: Browser) -> str:
        """Wait for something to send to a browser, an answer or a frame, and return it."""
        text = await browser.next()
        return self.frame(browser) if text is None else text

    def frame(self, browser: Browser) -> str:
        """Return the next frame of a browser: the newest state, and what is new since its last one."""
        content = {"type": "frame", "n": browser.next_frame(), "you": browser.number, "now": self._now}
        if lines := self._lines.after(browser.log):
            browser.log = lines[-1][0]
            content["log"] = [line for _, line in lines]
        known = browser.sections
        if changed := {name: value for name, value in self._sections.items() if known.get(name) is not value}:
            known |= changed
            content["sections"] = changed
        if browser.watches_packets and (frames := self.source.frames.after(browser.packets)):
            newest, profile = frames[-1][0], self._state.profile
            content["packets_skipped"] = newest - browser.packets - len(frames)
            browser.packets = newest
            erratic = profile is not None and profile.erratic
            content["packets"] = plain([decoded(*frame, erratic=erratic) for frame in frames])
        if browser.plots and (points := self.history.after(browser.plotted, browser.plots))["times"]:
            content["plots"] = {"all": math.isinf(browser.plotted), **points}
            browser.plotted = points["times"][-1]
        return json.dumps(content, separators=(",", ":"), allow_nan=False)

    def _remember(self, now: float, reported: dict[str, Any], live: dict[str, Any]) -> None:
        """Add a point to the history; what was before a jump in a recording is no part of it."""
        jumps = live.get("replay", {}).get("jumps", 0)
        if jumps != self._jumps:
            self._jumps, self.history = jumps, PlotHistory()
            for browser in self.browsers.values():
                browser.plotted = -math.inf
        self.history.add(now, {**reported, "sim": live.get("sim", {})})

    def _update_sections(self) -> None:
        source = self.source
        described = description(source.kind, source.where, self._state)
        described["requests"] = self._known
        described["has_protocol"] = self._has_protocol
        own = {"description": described, "values": self.history.names, "doctor": self.doctor.section()}
        for name, value in plain({**own, **source.sections()}).items():
            if value != self._sections.get(name):
                self._sections[name] = value

    # -- what comes -------------------------------------------------------------------------------------------

    def receive(self, browser: Browser, text: str) -> None:
        """Take a message of a browser. Never raises: a bad message is answered with an error."""
        number = None
        try:
            content = read_message(text)
            number = take_id(content)
            self._execute(browser, number, content.pop("type", None), content)
        except (NotInControlError, AmigoBotError, ValueError) as error:
            browser.reply(number, str(error), ok=False)

    def _execute(self, browser: Browser, number: int | None, kind: object, values: dict[str, Any]) -> None:
        """Do what the dashboard itself does, or begin what the source does."""
        if not isinstance(kind, str):
            raise ValueError(wrong_type("type", kind, "a text"))
        own = self._own.get(kind)
        request = own or self.source.requests.get(kind)
        if request is None:
            raise ValueError(f"type {kind!r:.60} is not known here, allowed: {', '.join(self._known)}")
        arguments = request.checked(values)
        if request.control:
            self.control.require(browser.number)
        if own:
            browser.reply(number, own.run(browser, **arguments) or "")
        else:
            task = asyncio.get_running_loop().create_task(self._perform(browser, number, request, arguments))
            self._tasks.add(task)  # the loop itself has a weak reference only
            task.add_done_callback(self._tasks.discard)

    @anyone
    def do_ack(self, browser: Browser, n: Annotated[int, Between(0, 2**53)]) -> None:
        """Note that the browser has drawn a frame."""
        browser.acknowledge(n)

    def do_drive(self, browser: Browser, linear: Velocity, angular: Velocity) -> None:
        """Drive with a velocity (m/s, rad/s)."""
        self.pilot.drive(linear, angular)

    def do_stop(self, browser: Browser) -> str:
        """Stop with the normal deceleration."""
        self.pilot.stop()
        return "stopping"

    @anyone
    def do_emergency(self, browser: Browser) -> str:
        """Brake, and refuse to drive until the stop is cleared."""
        self.pilot.emergency_stop()
        self.notify(f"emergency stop by browser {browser.number}")
        return "emergency stop"

    def do_clear(self, browser: Browser) -> str:
        """Accept velocities again."""
        self.pilot.clear_emergency_stop()
        return "the emergency stop is cleared: drive with care"

    def do_doctor(self, browser: Browser) -> str:
        """Examine the robot."""
        return self.doctor.start()

    @anyone
    def do_watch_packets(self, browser: Browser, on: bool) -> None:
        """Begin or end to send the frames on the line."""
        browser.watches_packets, browser.packets = on, self.source.frames.newest

    @anyone
    def do_plot(self, browser: Browser, names: tuple[str, ...]) -> None:
        """Send the history of some values."""
        browser.plots, browser.plotted = names, -math.inf

    @anyone
    def do_take(self, browser: Browser) -> str:
        """Take control, or ask for it."""
        if self.control.take(browser.number, time.monotonic()):
            return "you hold control"
        if self.control.asking == browser.number:
            return f"browser {self.control.holder} is asked for control; without an answer you get it in 5 s"
        return f"browser {self.control.asking} already asks for control"

    @anyone
    def do_leave(self, browser: Browser) -> str:
        """Release control."""
        if self.control.leave(browser.number):
            self.pilot.brake(f"browser {browser.number} released control")
        return "you released control"

    @anyone
    def do_hand_over(self, browser: Browser) -> str:
        """Give control to the browser that asks for it."""
        self.control.hand_over(browser.number)
        self.pilot.brake(f"browser {browser.number} has handed control over")
        return "you handed control over"

    @anyone
    def do_keep(self, browser: Browser) -> str:
        """Keep control."""
        self.control.keep(browser.number)
        return "you keep control"

    async def _perform(self, browser: Browser, number: int | None, request: Request, arguments: dict[str, Any]) -> None:
        """Make a request, and answer with its result."""
        try:
            text = await self.source.perform(partial(request.run, **arguments))
        except (AmigoBotError, UsageError, ValueError) as error:
            browser.reply(number, f"{request.name}: {error}", ok=False)
        except Exception as error:
            _log.exception("request %s failed", request.name)
            browser.reply(number, f"{request.name}: {type(error).__name__}; please report this", ok=False)
        else:
            browser.reply(number, text or "")
            self._checked = 0.0  # show the change at once
