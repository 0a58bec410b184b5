# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A client as small as the measurements need it: every command is the caller's, every packet is kept with its time.

The core of the driver connects, decodes and spaces the commands, as for `amigobot doctor`. Its components have no part
here: they repeat, delay and refuse commands to keep a robot safe, and a measurement must know what was sent when.
What keeps the robot safe here: the firmware's watchdog stays armed, and `halt` ends every motion on every exit.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from amigobot_driver import AmigoBotError, ConnectionFailedError, PortError, Profile
from amigobot_driver.connection_policy import ANSWER_TIMEOUT, CLOSE_SILENCE, CONNECT_TIMEOUT, KEEP_ALIVE, SEARCH_SPEEDS
from amigobot_driver.packet_file import RecordedFrame
from amigobot_driver.protocol import Command, Instruction, Packet, SyncReply, TuningValues
from amigobot_driver.robot import Event, FrameSeen
from amigobot_driver.robot.dialects import Dialect, dialects
from amigobot_driver.robot.link import RobotLink
from amigobot_driver.robot.link_observer import LinkObserver
from amigobot_driver.stepped_driver import SteppedDriver, WaitingDriver, WaitingLine

from ..person import StoppedError

P = TypeVar("P", bound=Packet)

_BYTE = 10  # bits on the line
_READ = 0.05  # s that a read takes at most, so that a key stops the robot at once
_SPACING = 0.02  # s between two commands, if the profile asks for no more
_TRIES = 3  # times that CONFIG is requested


@dataclass(frozen=True, slots=True)
class Stamped:
    """A packet, and when its first byte was sent (s)."""

    time: float
    packet: Packet  #: that of an Erratic as the packet of an ActivMedia robot, where there is an equivalent
    data: bytes  #: as received, without header, count and checksum


class Client(LinkObserver):
    """One session with a robot, in the commands and packets of an ActivMedia robot; the dialect translates them.

    Args:
        new_driver: Makes the driver from this client and a listener. With a `SteppedDriver` minutes pass in seconds.
        stopped: Whether everything shall stop; asked at least 20 times a second.
    """

    def __init__(
        self, new_driver: Callable[..., SteppedDriver[Client]], stopped: Callable[[], bool] = lambda: False
    ) -> None:
        self.opened = False
        self.packets: list[Stamped] = []
        self.on_record: Callable[[RecordedFrame], None] = lambda record: None  #: called with each frame, both ways
        self._stopped = stopped
        self._use(dialects())
        self._driver = new_driver(self, listener=self._on_event)
        self.now, self._line = self._driver.clock, self._driver.line
        self._bridge_byte_time = 0.0  #: s, of the serial line behind a network connection, as CONFIG has it
        self._began = self.now()
        self._measured: deque[Packet] = deque()  #: packets whose bytes come with the next events

    def _use(self, allowed: tuple[Dialect, ...], pinned: Dialect | None = None) -> None:
        """Have no connection, and allow these dialects for the next one."""
        self.link = RobotLink(self, _SPACING, allowed, pinned)
        self.link.trace = True

    @property
    def baud(self) -> int:
        """The likely line speed."""
        return self.link.session.found_at or SEARCH_SPEEDS[0]

    @property
    def dialect(self) -> Dialect:
        """The dialect in use."""
        return self.link.session.dialect

    @classmethod
    def at_port(cls, line: WaitingLine, stopped: Callable[[], bool]) -> Client:
        """Return a client on the real clock."""
        return cls(partial(WaitingDriver, line=line, clock=time.monotonic), stopped)

    # -- time and bytes -----------------------------------------------------------------------------------------------

    def wait(self, seconds: float, *, alive: bool = True) -> list[Stamped]:
        """Let time pass.

        Args:
            seconds: How long.
            alive: Send PULSE while the session is open, so that the watchdog does not stop the robot.

        Returns:
            The packets that arrived.

        Raises:
            StoppedError: The person has pressed a key.
            PortError: The port is lost.
        """
        first, end = len(self.packets), self.now() + seconds
        while self.now() < end - 1e-9:
            if alive and self.opened and self.now() - self.link.queue.last_sent >= KEEP_ALIVE:
                self.link.queue.put(Command.PULSE())
            self._run(end)
        return self.packets[first:]

    def wait_for(self, kind: type[P], seconds: float, accept: Callable[[P], bool] = lambda packet: True) -> P | None:
        """Wait for the next packet of a kind, at most `seconds`."""
        end = self.now() + seconds
        while (left := end - self.now()) > 1e-6:
            for stamped in self.wait(min(0.01, left)):
                if isinstance(stamped.packet, kind) and accept(stamped.packet):
                    return stamped.packet
        return None

    def _run(self, end: float, *, connecting: bool = False) -> None:
        """Read once, and write what is due; raises PortError for a lost port, which only `connecting` waits for."""
        if self._stopped():
            raise StoppedError("a key was pressed")
        end = min(end, self.now() + _READ)
        if self._driver.plugged or connecting:
            self._driver.run(end)
            self._driver.emit(self.link.poll(self.now()))
        else:
            self._driver.wait(end)  # opens the port again
            if not self._line.unplugged:
                self._driver.plug(True)
                self._keep_quiet()
        if self._line.unplugged and not connecting:
            raise PortError(self.link.session.note)

    def measured(self, packet: Packet, stamp: float, size: int) -> tuple[Packet, float]:
        """Take a packet from the link."""
        self._measured.append(packet)
        return packet, stamp

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, FrameSeen):
            return
        self.on_record(RecordedFrame(event.stamp - self._began, event.to_robot, event.data))
        if not event.to_robot:
            self.packets.append(Stamped(event.stamp, self._measured.popleft(), event.data))

    # -- commands -----------------------------------------------------------------------------------------------------

    def send(self, *instructions: Instruction) -> float:
        """Send commands, spaced as the firmware needs it.

        Returns:
            When the last one was sent, s.

        Raises:
            StoppedError: The person has pressed a key.
            PortError: The port is lost.
        """
        for instruction in instructions:
            self.link.queue.put(instruction)
            while self.link.queue.next_time() < float("inf"):
                self._run(self.link.queue.next_time())
        return self.link.queue.last_sent

    def send_bytes(self, frame: bytes) -> None:
        """Send a frame as it stands, right or wrong."""
        queue = self.link.queue
        self.wait(max(0.0, queue.last_sent + queue.spacing - self.now()), alive=False)
        self._line.receive(frame, self.now())
        queue.last_sent = self.now()
        if data := frame[3:-2]:  # a recording has frames only, not FA FB 12 FE
            self.on_record(RecordedFrame(queue.last_sent - self._began, True, data))

    def config(self) -> TuningValues | None:
        """Request the CONFIG packet; None if the robot does not answer."""
        for _ in range(_TRIES):
            self.send(Command.CONFIG())
            if (answer := self.wait_for(TuningValues, ANSWER_TIMEOUT)) is not None:
                if baud := answer.baud("host_baud"):
                    self._bridge_byte_time = _BYTE / baud
                    self.on_byte_time(self._line.byte_time)
                return answer
        return None

    # -- the session --------------------------------------------------------------------------------------------------

    def on_byte_time(self, byte_time: float | None) -> None:
        """Time the packets behind a bridge as its serial line carries them."""
        if byte_time is None:
            self.link.decoder.byte_time = self._bridge_byte_time

    def set_profile(self, profile: Profile) -> None:
        """Use the dialect of a profile, and its choices where the manuals contradict each other."""
        if profile.firmware and not self.opened:
            pinned = next(each for each in dialects() if set(profile.firmware) & set(each.firmware))
            self._use((pinned,), pinned)
        self.dialect.set_profile(profile)
        self.link.decoder.check = self.dialect.check
        self.link.queue.spacing = max(_SPACING, profile.link.command_spacing)

    def connect(self) -> SyncReply:
        """Find the robot as the driver does, and open a session: packets flow, the motors are off.

        Returns:
            Who the robot is.

        Raises:
            ConnectionFailedError: No robot answers, or it opens no session.
        """
        self.opened = False
        session, end = self.link.session, self.now() + CONNECT_TIMEOUT
        if self._driver.plugged:
            self._driver.plug(True)
        while not session.running:
            if self.now() >= end:
                raise ConnectionFailedError(session.note.removesuffix("Retrying") + "`amigobot doctor` finds out why")
            self._run(end, connecting=True)
        self._keep_quiet()
        self.opened = True
        assert session.identity is not None
        return session.identity

    def _keep_quiet(self) -> None:
        """Let the core send nothing by itself, not even after a silence of the robot."""
        self.link.session.stop("it measures")
        self._driver.emit(self.link.drained(self.now(), self.now()))

    def close(self) -> None:
        """Stop the robot and end the session."""
        if not self.opened:
            return
        self.send(Command.STOP(), Command.ENABLE(0), Command.SONAR(0))
        self.wait(0.15, alive=False)  # right after another command, CLOSE did not end that of a real Pioneer
        with contextlib.suppress(PortError):  # MobileSim ends the connection at CLOSE
            self.send(Command.CLOSE())
            self.wait(CLOSE_SILENCE, alive=False)
        self.opened = False

    def halt(self) -> None:
        """Stop the robot and switch its motors off, also if keys are pressed meanwhile; a lost one has its watchdog."""
        stopped, self._stopped = self._stopped, lambda: False
        self.link.queue.drop()  # a velocity that a key has held back
        try:
            with contextlib.suppress(PortError):
                if self.opened:
                    self.send(Command.STOP(), Command.STOP(), Command.ENABLE(0))
        finally:
            self._stopped = stopped

    def end(self) -> None:
        """End the session; a line that fails by now is left to the robot's watchdog."""
        self._stopped = lambda: False
        with contextlib.suppress(AmigoBotError):
            self.halt()
            self.close()
