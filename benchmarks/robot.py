# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot on a pty, as the programs under test find it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pty
import random
import threading
import time
import tty
from collections import deque

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, FrameDecoder, Sip, decode, parse
from amigobot_driver.sim import Simulator

#: FLASH value SInfoCycle of an AmigoBot by SIPs a second.
_INFO_CYCLES = {10: 0, 20: 1}
#: s between two keep-alive commands that the robot gives itself.
_KEEP_ALIVE = 0.2


class Robot:
    """A simulated AmigoBot on a pty without line speed; knows when it wrote a SIP and when it received a velocity.

    Args:
        open_session: Open the session and keep it alive without a client: for the floor, which does neither.
        rate: SIPs a second, 10 or 20.
        delay: Each packet is written up to this much later (s), at random, as a USB adapter or a radio does it.
    """

    def __init__(self, *, open_session: bool, rate: int = 10, delay: float = 0.0) -> None:
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        self.sip_written = self.vel_received = 0.0  #: s, of time.monotonic
        self.sips = 0
        #: for each SIP: s since the first, by the robot's own clock, and s of time.monotonic when it was written
        self.written: list[tuple[float, float]] = []
        profile = load_profile("amigo")
        flash = {**profile.flash, "SInfoCycle": _INFO_CYCLES[rate]}
        self._simulator = Simulator(dataclasses.replace(profile, flash=flash), baud=0)
        self._from_client, self._to_client = FrameDecoder(), FrameDecoder()
        self._rate, self._delay = rate, delay
        #: its own time (s), the time.monotonic (s) that belongs to it, and how much faster it runs
        self._clock = 0.4, time.monotonic(), 1.0
        self._random = random.Random(1)
        self._queue: deque[tuple[float, bytes]] = deque()  #: when to write what
        self._ended = threading.Event()
        self._by_itself = open_session
        self._alive_at = 0.0
        if open_session:
            self._open()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def accelerate(self, speed: float) -> None:
        """Let its clock run this many times as fast as the computer's, for which it keeps its session alive itself."""
        self._clock = self._now(), time.monotonic(), speed
        self._by_itself = True

    def _now(self) -> float:
        begin, since, speed = self._clock
        return begin + (time.monotonic() - since) * speed

    def _open(self) -> None:
        for number, command in enumerate((Command.PULSE, Command.OPEN, Command.CLOSE, Command.OPEN)):
            self._simulator.receive(command().encode(), 0.1 * number)
        self._simulator.transmit(0.35)

    def _run(self) -> None:
        os.set_blocking(self._master, False)
        while not self._ended.wait(0.001):
            now = self._now()
            with contextlib.suppress(BlockingIOError):
                data = os.read(self._master, 4096)
                for frame in self._from_client.feed(data, now):
                    instruction = decode(frame.data)
                    if instruction and instruction.command is Command.VEL and instruction.value:
                        self.vel_received = time.monotonic()
                self._simulator.receive(data, now)
            if self._by_itself and now - self._alive_at > _KEEP_ALIVE:
                self._alive_at = now
                self._simulator.receive(Command.PULSE().encode(), now)
            if data := self._simulator.transmit(now):
                self._queue.append((time.monotonic() + self._delay * self._random.random(), data))
            while self._queue and self._queue[0][0] <= time.monotonic():
                self._write(self._queue.popleft()[1], now)

    def _write(self, data: bytes, now: float) -> None:
        sips = sum(isinstance(parse(frame.data), Sip) for frame in self._to_client.feed(data, now))
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, data)
        for _ in range(sips):
            self.sip_written = time.monotonic()
            self.written.append((self.sips / self._rate, self.sip_written))
            self.sips += 1

    def end(self) -> None:
        """Unplug the robot."""
        self._ended.set()
        self._thread.join()
        os.close(self._master)
