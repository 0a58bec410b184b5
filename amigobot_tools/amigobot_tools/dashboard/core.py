# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The dashboard without its web server: who watches, who drives, what each browser is sent.

Everything here runs in one asyncio loop; how a request waits for the robot is the source's business.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any

from amigobot_driver import AmigoBotError
from amigobot_driver.cli import UsageError

from . import protocol_page
from .browser import Browser
from .control import Control, NotInControlError
from .doctor import Doctor
from .frames import description, dumps, live_state
from .history import History
from .messages import BadMessage, Message, Request, flag, number, read_message, texts
from .packets import as_json
from .pilot import Pilot
from .sources import Source

#: s between two frames, with browsers and without; s between two checks of the values that seldom change.
PERIOD, _IDLE, _SELDOM = 0.05, 0.25, 1.0
_SHORTEST = 0.002  # s that the loop leaves to others
#: Browsers at a time; more are refused.
MAX_BROWSERS = 20
#: Lines of the log that are kept, and that a new browser gets.
_LOG_KEPT, _LOG_FIRST = 1000, 100
#: Frames on the line in one message at most.
_PACKETS = 40
#: Requests of one browser that may wait for the robot at a time.
_PENDING = 4
#: Values that one browser plots at most.
_PLOTTED = 36
_FAST = number(-10.0, 10.0)  # m/s and rad/s, beyond the limits of every robot

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
        self.pilot = Pilot(source.remote, self.notify)
        self.history = History()
        self.doctor = Doctor(source, self.pilot)
        self._log: deque[tuple[int, float, str]] = deque(maxlen=_LOG_KEPT)
        self._logged = 0
        self._notices: deque[str] = deque(maxlen=100)
        self._numbers = 0
        self._sections: dict[str, tuple[int, str]] = {}  #: version and JSON by name
        self._common = "{}"  #: what every browser gets in this frame
        self._note = ""
        self._seldom = 0.0
        self._watching = False
        self._jumps = 0  #: of a recording
        self._has_protocol = protocol_page.is_here()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._own: dict[str, Request] = {
            "stop": Request(lambda: self._piloted(self.pilot.stop, "stopping")),
            "clear": Request(
                lambda: self._piloted(self.pilot.clear_emergency_stop, "the emergency stop is cleared: drive with care")
            ),
        }
        if source.examination():
            self._own["doctor"] = Request(self.doctor.start)

    # -- browsers ---------------------------------------------------------------------------------------------

    def join(self) -> Browser | None:
        """Return a new browser; None if there are too many."""
        if len(self.browsers) >= MAX_BROWSERS:
            return None
        self._numbers += 1
        browser = Browser(self._numbers, log=max(0, self._logged - _LOG_FIRST), packets=self.source.frames.newest)
        self.browsers[browser.number] = browser
        return browser

    def leave(self, browser: Browser) -> None:
        """A browser has disconnected: if it drove, the robot is stopped."""
        self.browsers.pop(browser.number, None)
        if self.control.leave(browser.number):
            self.pilot.brake(f"browser {browser.number} has disconnected")

    @property
    def _handlers(self) -> Mapping[str, Request]:
        """What may be asked for now."""
        return {**self._own, **self.source.requests}

    async def close(self) -> None:
        """Stop the robot if a browser drives it."""
        self.pilot.brake("the dashboard ends")
        while self.pilot.braking:
            await asyncio.sleep(PERIOD)
            self.pilot.step()

    def notify(self, text: str) -> None:
        """Add a line to the log."""
        self._notices.append(text)

    # -- what is sent -----------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Offer a frame to every browser, as long as the server runs."""
        due = 0.0
        while True:
            self.source.step()
            now = time.monotonic()
            if now >= due:
                due = now + (PERIOD if self.browsers or self.pilot.braking else _IDLE)
                try:
                    self.tick(now)
                except Exception:
                    _log.exception("a frame of the dashboard failed; please report the traceback")
            await asyncio.sleep(max(_SHORTEST, min(due - time.monotonic(), self.source.period)))

    def tick(self, now: float) -> None:
        """Take in the state of the robot and wake the browsers that can take a frame."""
        self.pilot.step()
        if self.control.grant_overdue(now, driving=self.pilot.driving):
            self.notify(f"browser {self.control.holder} has taken over control")
        state = self.source.state()
        if state.note != self._note:
            self._note = state.note
            self._append(state.note)
        for line in (*self.source.remote.messages(), *self._take_notices()):
            self._append(line)
        told, live = live_state(state), self.source.live()
        self._remember(now, told, live)
        if not self.browsers:
            return
        if now - self._seldom >= _SELDOM:
            self._seldom = now
            self._update_sections()
            self._watch_frames()
        self._common = dumps(
            {
                "t": now,
                "wall": time.time(),
                "state": told,
                "control": {
                    "holder": self.control.holder,
                    "asking": self.control.asking,
                    "driving": self.pilot.driving,
                    "braking": self.pilot.braking,
                    "note": self.pilot.note,
                },
                "browsers": len(self.browsers),
                **live,
            }
        )
        for browser in self.browsers.values():
            browser.wake()

    def frame(self, browser: Browser) -> str:
        """Return the next frame of a browser: the newest state, and what is new since its last frame."""
        parts = [f'"type":"frame","n":{browser.next_frame()},"you":{browser.number},"now":{self._common}']
        if lines := [entry for entry in self._log if entry[0] > browser.log]:
            browser.log = lines[-1][0]
            parts.append(f'"log":{dumps([(wall, text) for _, wall, text in lines])}')
        changed = {
            name: text for name, (version, text) in self._sections.items() if browser.sections.get(name) != version
        }
        if changed:
            browser.sections |= {name: self._sections[name][0] for name in changed}
            body = ",".join(f'"{name}":{text}' for name, text in changed.items())
            parts.append(f'"sections":{{{body}}}')
        if browser.watches_packets and (frames := self.source.frames.after(browser.packets, _PACKETS)):
            skipped = frames[-1].number - browser.packets - len(frames)
            browser.packets = frames[-1].number
            profile = self.source.profile
            decoded = as_json(frames, erratic=profile is not None and profile.erratic)
            parts.append(f'"packets":{dumps(decoded)},"packets_skipped":{skipped}')
        if browser.plots:
            points = self.history.after(browser.plotted, browser.plots)
            if points["times"]:
                first, browser.plotted = math.isinf(browser.plotted), points["times"][-1]
                parts.append(f'"plots":{dumps({"all": first, **points})}')
        return f"{{{','.join(parts)}}}"

    def _remember(self, now: float, told: dict[str, Any], live: dict[str, Any]) -> None:
        """Add a point to the history; what was before a jump in a recording is no part of it."""
        jumps = live.get("replay", {}).get("jumps", 0)
        if jumps != self._jumps:
            self._jumps, self.history = jumps, History()
            for browser in self.browsers.values():
                browser.plotted = -math.inf
        self.history.add(now, {**told, "sim": live.get("sim", {})})

    def _append(self, text: str) -> None:
        if text:
            self._logged += 1
            self._log.append((self._logged, time.time(), text))

    def _take_notices(self) -> list[str]:
        taken = []
        while self._notices:
            taken.append(self._notices.popleft())
        return taken

    def _update_sections(self) -> None:
        source = self.source
        told = description(source.kind, source.remote.where, source.state(), source.profile)
        told["requests"] = sorted(self._handlers)
        told["has_protocol"] = self._has_protocol
        own = {"description": told, "values": self.history.names, "doctor": self.doctor.section()}
        for name, value in {**own, **source.sections()}.items():
            text = dumps(value)
            version, before = self._sections.get(name, (0, ""))
            if text != before:
                self._sections[name] = version + 1, text

    def _watch_frames(self) -> None:
        wanted = any(browser.watches_packets for browser in self.browsers.values())
        if wanted != self._watching:
            self._watching = wanted
            self._begin(self.source.perform(partial(self.source.watch_frames, wanted)))

    # -- what comes -------------------------------------------------------------------------------------------

    def receive(self, browser: Browser, text: str) -> None:
        """Take a message of a browser. Never raises: a bad message is answered with an error."""
        if not browser.may_send(time.monotonic()):
            browser.reply_error(None, "too many messages, allowed: up to 200 per second")
            return
        message = None
        try:
            message = read_message(text)
            self._execute(browser, message)
        except BadMessage as error:
            browser.reply_error(error.number, str(error))
        except (NotInControlError, AmigoBotError, ValueError) as error:
            browser.reply_error(message.number if message else None, str(error))

    def _execute(self, browser: Browser, message: Message) -> None:
        kind, sender = message.kind, browser.number
        if kind == "ack":
            browser.acknowledge(int(message.arguments({"n": number(0, 2**53)})["n"]))
        elif kind == "drive":
            velocity = message.arguments({"linear": _FAST, "angular": _FAST})
            self.control.require(sender)
            self.pilot.drive(velocity["linear"], velocity["angular"])
        elif kind == "emergency":
            message.arguments({})
            self.pilot.emergency_stop()
            self.notify(f"emergency stop by browser {sender}")
            browser.reply(message.number, "emergency stop")
        elif kind == "watch_packets":
            browser.watches_packets = message.arguments({"on": flag})["on"]
            browser.packets = self.source.frames.newest
        elif kind == "plot":
            browser.plots = message.arguments({"names": texts(_PLOTTED)})["names"]
            browser.plotted = -math.inf
        elif kind in ("take", "leave", "hand_over", "keep"):
            message.arguments({})
            browser.reply(message.number, self._pass_control(kind, sender))
        elif request := self._handlers.get(kind):
            arguments = message.arguments(request.arguments)
            if request.control:
                self.control.require(sender)
            self._start(browser, message, partial(request.run, **arguments))
        else:
            known = ", ".join(("drive", "emergency", *sorted(self._handlers)))
            raise BadMessage(f"type {kind!r:.60} is not known here, allowed: {known}", message.number)

    def _pass_control(self, kind: str, number: int) -> str:
        if kind == "take":
            if self.control.take(number, time.monotonic()):
                return "you hold control"
            if self.control.asking == number:
                return f"browser {self.control.holder} is asked for control; without an answer you get it in 5 s"
            return f"browser {self.control.asking} already asks for control"
        if kind == "leave":
            if self.control.leave(number):
                self.pilot.brake(f"browser {number} released control")
            return "you released control"
        if kind == "hand_over":
            self.control.hand_over(number)
            self.pilot.brake(f"browser {number} has handed control over")
            return "you handed control over"
        self.control.keep(number)
        return "you keep control"

    def _piloted(self, call: Callable[[], None], text: str) -> str:
        """Call the pilot, and return what the person is told."""
        call()
        return text

    def _start(self, browser: Browser, message: Message, run: Callable[[], str]) -> None:
        if browser.pending >= _PENDING:
            raise BadMessage(f"{message.kind}: {_PENDING} requests wait for the robot already", message.number)
        browser.pending += 1
        self._begin(self._perform(browser, message, run))

    def _begin(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _perform(self, browser: Browser, message: Message, run: Callable[[], str]) -> None:
        """Make a request, and answer with its result."""
        try:
            # What the dashboard does itself waits for nothing.
            text = run() if message.kind in self._own else await self.source.perform(run)
        except (AmigoBotError, UsageError, ValueError) as error:
            browser.reply_error(message.number, f"{message.kind}: {error}")
        except Exception as error:
            _log.exception("request %s failed", message.kind)
            browser.reply_error(message.number, f"{message.kind}: {type(error).__name__}; please report this")
        else:
            browser.reply(message.number, text)
            self._seldom = 0.0  # show the change at once
        finally:
            browser.pending -= 1
