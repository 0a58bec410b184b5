# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Estimates the robot's clock: when it began each info cycle, from the times at which packets arrived.

A robot sends its packets in cycles of constant length. A packet may arrive late, because the line, a radio or this
computer was busy, but never before it was sent. So the packet of the last seconds that was the least late gives the
phase of the cycle, and two of them the length (docs/odometry.md, "Stamps").
"""

from __future__ import annotations

import math
import statistics
from collections import deque
from itertools import compress

#: Packets of which the least late one is kept, and how many of these: 6.4 s at ten packets a second.
_BLOCK, _BLOCKS = 16, 4
#: Share of a cycle by which a packet may come before its time: the clocks differ, and the cycle is not exact.
_EARLY = 0.15
#: Time in s after a gap in which packets that arrive too early are those that seemed lost.
_MAX_DELAY = 2.0
#: The same share for a packet after a gap: it may be a late packet of the cycle before.
_DOUBTFUL = 0.02
#: Packets in succession that come late, though not for the line, before the robot's phase is taken for another.
_OTHER_PHASE = 8
#: Share of a cycle by which the interval of packets that are all late by the same time may differ from it.
_REGULAR = 0.3
#: Share by which the measured cycle may differ from the one before to be a better measurement of it.
_SKEW = 0.02
#: Share of a cycle by which the usual interval may differ from whole cycles.
_OTHER_CYCLE = 0.15
#: s, shorter than any robot's cycle.
_SHORTEST = 0.005


class CycleFilter:
    """Tells the time of each info cycle, and counts cycles whose packets were lost."""

    def __init__(self, cycle: float) -> None:
        """Begin with a cycle of so many s; the robot's own is measured."""
        self.cycle = cycle
        self.restart()

    def restart(self) -> None:
        """The next packet begins a new count: a session was opened."""
        self._count = 0  #: cycles since the first
        self._begin: float | None = None  #: s, estimate of when the current cycle began
        self._last = 0.0  #: s, the last packet's arrival
        self._least_late: deque[tuple[int, float]] = deque(maxlen=_BLOCKS)  #: number of the cycle and arrival
        self._prompt: deque[bool] = deque(maxlen=_BLOCKS)  #: for each of these, that no burst arrived in its block
        self._best: tuple[int, float] | None = None  #: the least late packet of the block so far
        self._intervals: list[float] = []  #: s, of the block so far
        self._prompt_intervals: list[float] = []  #: s, those of them between two packets that did not wait for the line
        self._waited = True  #: the last packet did, as far as is known
        self._other = 0.0  #: s, usual interval of the last block if that was not whole cycles, else 0
        self._lost, self._lost_until = 0, 0.0  #: cycles that seemed lost and until when they may be late instead
        self._burst = False  #: whether delayed packets have arrived in this block
        self._late_packets: list[
            tuple[int, float]
        ] = []  #: number of the cycle and arrival of the last packets, if they all came late

    def observe(self, arrival: float, busy_since: float = math.inf) -> float:
        """Take a packet that comes once in each cycle.

        Args:
            arrival: s, when it was sent as far as the line tells; it rises from call to call.
            busy_since: s, from when on the line carried other packets without a gap until `arrival`: the packet may
                have waited for them, and none was lost meanwhile.

        Returns:
            Estimate of when the robot began that cycle, in s, `arrival` at the latest.
        """
        if self._begin is None:
            self._begin, self._best, self._last = arrival, (0, arrival), arrival
            return arrival
        interval, self._last, waited = arrival - self._last, arrival, busy_since < arrival
        early = self._begin + self.cycle - arrival
        cycles = self._cycles_since(arrival, min(busy_since, arrival))
        if cycles:
            # The packets of a heap fill no block: those before it tell more about the phase.
            self._intervals.append(interval)
            if not (waited or self._waited):
                self._prompt_intervals.append(interval)
        self._waited = waited
        self._count += cycles
        phase = arrival - self._count * self.cycle
        known = [time - number * self.cycle for number, time in self._least_late]
        if self._best is not None:
            known.append(self._best[1] - self._best[0] * self.cycle)
        least = min(known, default=phase)
        regular = abs(interval - self.cycle) < _REGULAR * self.cycle
        # Behind a long answer on a full line many packets wait, each a little less: that is no other phase.
        late = phase - least > _EARLY * self.cycle and regular and not waited
        self._late_packets = [*self._late_packets, (self._count, arrival)] if late else []
        if len(self._late_packets) >= _OTHER_PHASE or (cycles == 1 and early > _EARLY * self.cycle):
            # The robot restarted its cycles: earlier arrivals have another phase.
            candidates = self._late_packets or [(self._count, arrival)]
            least, self._best = min((time - number * self.cycle, (number, time)) for number, time in candidates)
            self._least_late.clear()
            self._prompt.clear()
            self._late_packets = []
        elif not self._lost or phase > least - _DOUBTFUL * self.cycle:
            if self._best is None or phase < known[-1]:
                self._best = self._count, arrival
            least = min(least, phase)
        self._begin = begin = min(self._count * self.cycle + least, arrival)
        if len(self._intervals) >= _BLOCK:
            self._end_block()
        return begin

    def latest(self, arrival: float, *, first: bool) -> float:
        """Estimate of when the last cycle before `arrival` (s) began, in s.

        Args:
            arrival: s, when a packet was sent.
            first: It is the first one of its cycle, so that it may seem to come a little before its time.
        """
        if self._begin is None:
            return arrival
        cycles = max(0, int((arrival - self._begin) / self.cycle + _EARLY * first))
        return min(self._begin + cycles * self.cycle, arrival)

    def _cycles_since(self, arrival: float, busy_since: float) -> int:
        """Return the cycles from the last packet to one that arrives now."""
        assert self._begin is not None
        cycles = (arrival - self._begin) / self.cycle + _EARLY
        if busy_since < arrival:
            # The packet waited for the line: it belongs to the first cycle that began after the line was idle.
            cycles = min(cycles, max(1, math.ceil((busy_since - self._begin) / self.cycle - _EARLY)))
        if cycles >= 2.0:
            # Lost or late: if it is late, the next ones come too soon.
            self._lost, self._lost_until = self._lost + int(cycles) - 1, arrival + _MAX_DELAY
            return int(cycles)
        if arrival > self._lost_until:
            self._lost = 0
        if cycles < 1.0 and self._lost:
            self._lost, self._burst = self._lost - 1, True
            return 0
        return 1

    def _end_block(self) -> None:
        """Measure the length of the cycle."""
        if self._best is None:
            # Each packet of the block came earlier than any before: the count of the cycles is wrong.
            self.restart()
            return
        self._least_late.append(self._best)
        self._prompt.append(not self._burst)
        # A process that was frozen reads packets late, all of a block perhaps: such a block does not show the length.
        known = list(compress(self._least_late, self._prompt)) or list(self._least_late)
        (first, since), (last, until) = known[0], known[-1]
        error = (until - since) / (last - first) - self.cycle if last > first else 0.0
        if abs(error) * (last - first) >= self.cycle / 2:
            # The clocks cannot differ by that much: the number of counted cycles is wrong.
            self._least_late, self._prompt = deque([self._best], _BLOCKS), deque([not self._burst], _BLOCKS)
        elif abs(error) < _SKEW * self.cycle:
            # A block's least late packet is still late by some noise: over few blocks that is much of a cycle's error.
            self.cycle += len(known) / (2 * _BLOCKS) * error
        usual = self._usual_interval()
        cycles = usual / self.cycle
        if abs(cycles - max(1, round(cycles))) <= _OTHER_CYCLE or self._burst or usual <= _SHORTEST:
            self._other = 0.0
        elif abs(usual - self._other) <= _OTHER_CYCLE * usual:
            self.cycle = usual
            self.restart()
        else:
            self._other = usual
        self._best, self._intervals, self._prompt_intervals, self._burst = None, [], [], False

    def _usual_interval(self) -> float:
        """Return the usual interval of the block, s."""
        if len(self._prompt_intervals) < _BLOCK // 4:
            # Packets that wait for the line come at its speed, with gaps in which it carries others; none is lost. They
            # do not come more often than they are made: those beyond that were repeated on the way.
            return max(statistics.fmean(self._intervals), self.cycle)
        # The lower median: if half of the packets are lost, the mean of the two middle intervals never occurs.
        return statistics.median_low(self._prompt_intervals)
