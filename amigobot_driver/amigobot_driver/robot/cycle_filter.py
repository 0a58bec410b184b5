# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Estimates the robot's clock: when it began each info cycle, from the times at which packets arrived.

A robot sends its packets in cycles of constant length; recorded ones keep it to 0.7 ms (docs/reference/field.md). A
packet may arrive late, because the line, a radio or this computer was busy, but never before it was sent. So the packet
of the last seconds that was the least late gives the phase of the cycle, and two of them its length
(docs/protocol/odometry.md, "Stamps").
"""

from __future__ import annotations

from collections import deque

_BLOCK = 8  # packets of which the least late one is kept
_BLOCKS = 8  # the phase is taken from the packets of the newest ones
_EARLY = 0.15  # share of a cycle by which a packet may come before its time: the cycle is not exact
_DOUBTFUL = 0.02  # the same after a gap or in a burst: it may be a late packet of the cycle before
_GAIN = 1 / 16  # share of a measured error of the cycle's length that is corrected with each packet


class CycleFilter:
    """Estimates the start of each info cycle, also after lost packets."""

    def __init__(self, cycle: float) -> None:
        """Begin with a nominal cycle (s); the robot's own is measured."""
        self.cycle = cycle
        self.restart()

    def restart(self) -> None:
        """Begin a new count with the next packet: a session was opened."""
        self._count = 0  #: cycles since the first
        self._cycle_start: float | None = None  #: s, estimated start of the current cycle
        self._regular = True  #: the last packet came one cycle after the one before
        #: the least late packet of each block: number of its cycle and arrival (s)
        self._packets: deque[tuple[int, float]] = deque(maxlen=_BLOCKS)
        self._room = 0  #: packets that the newest block may still take

    def observe(self, arrival: float) -> float:
        """Take a packet that comes once in each cycle.

        Args:
            arrival: s, when it was sent by the time on the line; it rises from call to call.

        Returns:
            Estimate of when the robot began that cycle, in s, `arrival` at the latest. The packets of a burst, which
            were held up on the way, all get the time of the last one.
        """
        if self._cycle_start is None:
            self._cycle_start = arrival
            self._keep(arrival)
            return arrival
        cycles = int((arrival - self._cycle_start) / self.cycle + _EARLY)
        if not cycles and self._regular:
            # Without a gap before it, a packet comes too soon only if those before it were late.
            cycles = 1
            self._packets.clear()
            self._room = 0
        self._count += cycles
        regular, self._regular = self._regular and cycles == 1, cycles == 1
        if regular or (cycles and arrival > self._estimated_start() - _DOUBTFUL * self.cycle):
            self._keep(arrival)
            self._measure()
        self._cycle_start = min(self._estimated_start(), arrival)
        return self._cycle_start

    def latest(self, arrival: float, *, first: bool) -> float:
        """Estimate of when the last cycle before `arrival` (s) began, in s.

        Args:
            arrival: s, when a packet was sent.
            first: It is the first one of its cycle, so that it may seem to come a little before its time.
        """
        if self._cycle_start is None:
            return arrival
        cycles = max(0, int((arrival - self._cycle_start) / self.cycle + _EARLY * first))
        return min(self._cycle_start + cycles * self.cycle, arrival)

    def _keep(self, arrival: float) -> None:
        """Take a packet of the current cycle into the newest block, if it is the least late one there."""
        if not self._room:
            self._room = _BLOCK
            self._packets.append((self._count, arrival))
        self._room -= 1
        number, best = self._packets[-1]
        if arrival - best < (self._count - number) * self.cycle:
            self._packets[-1] = self._count, arrival

    def _estimated_start(self) -> float:
        """Return when the current cycle began (s) by the packet that was the least late."""
        count, cycle = self._count, self.cycle
        return min([arrival + (count - number) * cycle for number, arrival in self._packets])

    def _measure(self) -> None:
        """Correct the length of the cycle by the least late packets of the older and of the newer half."""
        if len(self._packets) == _BLOCKS:
            cycle = self.cycle
            least = [(arrival - number * cycle, number, arrival) for number, arrival in self._packets]
            (_, first, since), (_, last, until) = min(least[: _BLOCKS // 2]), min(least[_BLOCKS // 2 :])
            self.cycle += _GAIN * ((until - since) / (last - first) - cycle)
