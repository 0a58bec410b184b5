# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The order in which the sonars fire (POLLING): no packet reports it, the pings themselves confirm it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future

from ...protocol import Command, Instruction, Sip
from ...wording import counted
from ..component import Context
from ..outcome import Outcome
from ..request import RequestComponent, RetryPolicy

ARRAY = 8  # sonars of one array
LONGEST = 16  # entries in the sequence of one array, at most


class SonarSequence(RequestComponent):
    """Which sonars fire; `requested` has numbers from 0, None leaves the robot's own order."""

    name = "sonar_sequence"
    #: Each attempt is judged by the pings of one interval, which is longer than the longest cycle, 16 sonars of 50 ms.
    retries = RetryPolicy(interval=1.0, limit=4)

    requested: tuple[int, ...] | None = None

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._seen: set[int] = set()
        self._watch_from = 0.0  #: s
        self._silenced: set[int] = set()  #: arrays that were switched off, as none of their sonars is in the sequence
        self._firing = False  #: as the SIP reports
        context.on_sent(Command.SONAR, self._on_sonar_sent)
        context.on_sent(Command.POLLING, self._on_polling_sent)

    def set(self, sonars: tuple[int, ...], now: float) -> Future[Outcome]:
        """Set the firing sequence.

        Args:
            sonars: numbers from 0 in firing order, up to `LONGEST` of each array; empty: all, in the profile's order.
            now: Time in s.

        Returns:
            The result, when the pings show the sequence or the retries are over.

        Raises:
            ValueError: The robot has no such sonar, or the sequence is too long.
        """
        self._context.require(Command.POLLING)
        available = len(self._context.profile().sonar.poses)
        sonars = sonars or tuple(range(available))
        if not sonars:
            raise ValueError("a sonar sequence has at least one entry")
        if wrong := [number for number in sonars if not 0 <= number < available]:
            raise ValueError(f"sonar is {wrong[0]}, allowed: 0 to {available - 1}")
        for array in {_array(number) for number in sonars}:
            if (count := sum(_array(number) == array for number in sonars)) > LONGEST:
                entries = counted(count, "entry", "entries")
                raise ValueError(f"the sequence has {entries} for one array of {ARRAY}, allowed: up to {LONGEST}")
        self.requested = sonars
        return self.replace(now)

    def configure(self, sonars: tuple[int, ...]) -> None:
        """Use the sequence of the options, unless another was requested since; unknown sonars are left out."""
        available = len(self._context.profile().sonar.poses)
        self.requested = self.requested or tuple(number for number in sonars if 0 <= number < available) or None

    def on_session_start(self, now: float) -> None:
        """Request the sequence again."""
        self._silenced, self._firing = set(), False
        super().on_session_start(now)

    def _update(self, sip: Sip, stamp: float, now: float) -> None:
        self._firing = sip.sonar_enabled
        if self.pending and now >= self._watch_from:
            self._seen |= {reading.number for reading in sip.sonar}

    def _on_polling_sent(self, command: Instruction, now: float) -> None:
        # Pings in the first half of the interval may be from before POLLING.
        self._watch_from = now + self.retries.interval / 2
        self._seen = set()

    def _on_sonar_sent(self, command: Instruction, now: float) -> None:
        if self._silenced and command == Command.SONAR(1):
            # This command switches all arrays on.
            self.start(now)

    def _commands(self) -> Iterator[Instruction]:
        requested = self.requested or ()
        yield Command.POLLING(bytes(number + 1 for number in requested))
        # An array of which nothing is in the sequence keeps its old one (ARCOS manual), so it is switched off. SONAR
        # names an array in the bits above its switch.
        for array in range(1, _array(len(self._context.profile().sonar.poses) - 1) + 1):
            if all(_array(number) != array for number in requested):
                self._silenced.add(array)
                yield Command.SONAR(array << 1)
            elif array in self._silenced and self._firing:
                self._silenced.remove(array)
                yield Command.SONAR(array << 1 | 1)

    def _confirmation_after_interval(self) -> str:
        seen = self._seen
        return _firing(seen) if seen and seen <= set(self.requested or ()) else ""

    def _failure(self) -> str:
        fired = _firing(self._seen) if self._seen else "no sonar fires: are they switched on?"
        return f"{self._sent('POLLING')}; {fired}"


def _array(number: int) -> int:
    """Return the array of a sonar, counted from 1."""
    return number // ARRAY + 1


def _firing(numbers: set[int]) -> str:
    shown = ", ".join(map(str, sorted(numbers)))
    return f"sonar {shown} fires" if len(numbers) == 1 else f"sonars {shown} fire"
