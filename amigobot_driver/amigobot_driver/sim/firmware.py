"""The controller's program: handshake, command buffer, watchdog and the 10 ms tick that runs everything else.

WAIT --SYNC0, SYNC1, SYNC2--> SYNCED --OPEN--> OPEN --CLOSE--> WAIT        (PROTOCOL 8.2)
"""

from __future__ import annotations

import copy
import math
from collections import deque
from enum import Enum, auto

from ..profiles import Profile
from ..protocol import (
    BAUD_RATES,
    MAX_SEND_COUNT,
    OVERHEAD,
    Command,
    FrameDecoder,
    Packet,
    Reset,
    SyncEcho,
    SyncReply,
    decode,
)
from . import commands
from .battery import Battery
from .body import Body
from .dialect import dialect_for
from .drive import Drive
from .events import Event, Listener
from .flash import Flash
from .line import Line, Priority
from .pins import Pins
from .sonar import SonarRing
from .telemetry import Telemetry

#: s, the control cycle: one command is taken, the servo computes, time-outs are looked at
TICK = 0.010
#: bytes of frames that wait to be executed; a frame that does not fit is lost as a whole
_BUFFER = 256
#: s that the voltage must be below the limit before the robot gives up
_CUT_OFF_DELAY = 1.0
#: s from a reset until the controller listens again
_BOOT_TIME = 1.0


class Session(Enum):
    """How far a client has come."""

    WAIT = auto()
    SYNCED = auto()
    OPEN = auto()


class Firmware:
    """One controller with its drive, sonars and ports, on a body and at a line. Times are in s."""

    session: Session
    drive: Drive
    sonar: SonarRing
    pins: Pins
    telemetry: Telemetry
    working: Flash  #: the parameters that commands change
    _suspended: bool  #: by the watchdog
    _expected: int  #: the next SYNC

    def __init__(
        self,
        profile: Profile,
        flash: Flash,
        body: Body,
        sonar: SonarRing,
        battery: Battery,
        line: Line,
        tell: Listener,
    ) -> None:
        self.profile, self.flash, self.dialect = profile, flash, dialect_for(profile.subclasses)
        self.body, self.sonar, self.battery, self.line = body, sonar, battery, line
        self.pins = Pins(lambda: battery.volts)
        self.telemetry = Telemetry(self)
        self._tell = tell
        self._now = 0.0
        self._power_up()

    def _power_up(self) -> None:
        self._decoder = FrameDecoder()
        self._buffer: deque[bytes] = deque()
        self.overflows = 0  #: frames that found the buffer full
        self.drive = Drive(self.body, self.flash)
        self._deaf_until = -math.inf
        self._wait()

    # --- what happens to the robot from outside the protocol ---------------------------------------------

    def press_motors_button(self) -> None:
        """The MOTORS button: toggles the motors during a session."""
        if self.session is Session.OPEN:
            self.enable_motors(not self.drive.motors_on, "the MOTORS button")

    def reset(self) -> None:
        """The RESET button, or the command: everything starts anew."""
        self.event("reset", "")
        self.telemetry.stop()
        self.answer(Reset())
        self._power_up()
        self._deaf_until = self._now + _BOOT_TIME

    def close(self, reason: str) -> None:
        """End the session: motors and sonar off, parameters back to FLASH, silence."""
        if self.session is not Session.WAIT:
            self.event("session closed", reason)
            self._wait()

    # --- the tick ----------------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Run one control cycle that ends at `now`."""
        self._now = now
        self._listen(now)
        if self._buffer:
            self._take(self._buffer.popleft())
        if self.session is Session.OPEN:
            self._watch(now)
        for side, stalled in zip(("left", "right"), self.drive.step(TICK), strict=True):
            if stalled:
                self.event("stall", f"{side} wheel")
        self.sonar.step(now)
        self._check_battery(now)
        self.telemetry.step(now)

    @property
    def busy(self) -> bool:
        """Whether commands wait to be executed, so that the next tick may have something to say."""
        return bool(self._buffer)

    def event(self, kind: str, text: str) -> None:
        """Tell whoever watches."""
        self._tell(Event(self._now, kind, text))

    def answer(self, packet: Packet) -> None:
        """Send a packet that a command asked for."""
        self.telemetry.send(packet, Priority.ANSWER, self._now)

    def enable_motors(self, on: bool, cause: str = "ENABLE") -> None:
        """Switch the motors."""
        if on != self.drive.motors_on:
            self.drive.enable(on)
            self.event("motors", f"{'on' if on else 'off'} by {cause}")

    # --- packets in --------------------------------------------------------------------------------------

    def _listen(self, now: float) -> None:
        data, last = self.line.hear(now)
        if not data or now < self._deaf_until:
            return
        for frame in self._decoder.feed(data, last):
            size = len(frame.data) + OVERHEAD
            if size - 3 > MAX_SEND_COUNT:
                continue
            if sum(map(len, self._buffer)) + OVERHEAD * len(self._buffer) + size > _BUFFER:
                self.overflows += 1
                continue
            self._buffer.append(frame.data)

    def _take(self, data: bytes) -> None:
        if self.session is Session.OPEN:
            self._heard = self._now
            if self._suspended:
                self._suspended = False
                self.drive.resume()
                self.event("watchdog", "the client is back, motion resumes")
            instruction = decode(data)
            if instruction is not None:
                commands.execute(self, instruction)
        elif self.session is Session.SYNCED:
            if data[0] == Command.OPEN.number:
                self._open()
            elif data[0] == Command.CLOSE.number:
                self.close("the client closed it before it was open")
        else:
            self._synchronise(data[0])

    def _synchronise(self, number: int) -> None:
        if number not in (0, 1, 2):
            return
        if number not in (0, self._expected):
            self._expected = 0
            self.answer(Reset())
            return
        if number == 2:
            flash = self.flash
            self.answer(SyncReply(name=flash.name, robot_class=flash.robot_class, subclass=flash.subclass))
            self.session = Session.SYNCED
        else:
            self.answer(SyncEcho(id=number))
        self._expected = number + 1

    # --- session -----------------------------------------------------------------------------------------

    def _wait(self) -> None:
        self.session, self._expected = Session.WAIT, 0
        self.working = copy.copy(self.flash)
        self._suspended = False
        self._heard = -math.inf
        self._low_since: float | None = None
        self._warned = False
        self.battery.pretended = None
        self.drive.restart(self.working)
        by_flash = self.dialect.sonar_cycle
        self.sonar.restart(self.flash.sonar_cycle / 1000 if by_flash else self.profile.sonar.cycle)
        self.pins.restart(self.working)
        self.telemetry.stop()
        self.line.set_baud(BAUD_RATES[self.flash.host_baud])

    def _open(self) -> None:
        self.session = Session.OPEN
        self._heard = self._now
        self.sonar.switch(True)
        self.telemetry.start(self._now)
        self.event("session opened", self.dialect.name)

    def _watch(self, now: float) -> None:
        limit = self.working.watchdog / 1000
        if limit and not self._suspended and now - self._heard >= limit - TICK / 2:
            self._suspended = True
            self.drive.suspend()
            self.event("watchdog", f"nothing from the client for {limit:g} s, the wheels are stopped")

    def _check_battery(self, now: float) -> None:
        body, top = self.body, self.profile.limits.linear
        self.battery.drain((abs(body.left.velocity) + abs(body.right.velocity)) / top, self.sonar.on, TICK)
        if self.session is not Session.OPEN:
            return
        volts = self.battery.volts
        if volts < self.working.low_battery / 10 and not self._warned:
            self._warned = True
            self.event("battery", f"{volts:.1f} V: low-battery alarm")
        if volts >= self.working.shutdown_volts / 10:
            self._low_since = None
        elif self._low_since is None:
            self._low_since = now
        elif now - self._low_since >= _CUT_OFF_DELAY:
            self.close(f"{volts:.1f} V: the battery is empty")
