# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The timing of the link: gaps between the SIPs, and how long an answer takes."""

from __future__ import annotations

import math
from collections import deque
from itertools import islice

from ...protocol import Command, Instruction, Sip, TuningValues
from ..component import Component, Context

#: s over which the longest gap is reported.
WINDOW = 60.0
#: Number of intervals whose median is the period.
_INTERVALS = 31
#: A longer interval than this many periods is a gap.
_GAP = 1.5


class LinkTiming(Component):
    """Measures the intervals between SIPs, and the time from CONFIG to its answer."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.gaps = 0  #: number of gaps between SIPs
        self.answer_latency = math.nan  #: s from the last CONFIG to its CONFIGpac
        self._last = math.nan
        self._minute: deque[tuple[float, float]] = deque()  #: when each interval ended, and how long it was
        self._asked = math.nan
        context.on_packet(Sip, self._on_sip)
        context.on_packet(TuningValues, self._on_config)
        context.on_sent(Command.CONFIG, self._on_config_sent)

    @property
    def period(self) -> float:
        """Median time in s from one SIP to the next; NaN until two have arrived."""
        newest = sorted(interval for _, interval in islice(reversed(self._minute), _INTERVALS))
        return newest[len(newest) // 2] if newest else math.nan  # the module statistics takes 0.5 MB

    @property
    def longest_gap(self) -> float:
        """Longest time in s between two SIPs of the last minute; NaN until two have arrived."""
        return max((interval for _, interval in self._minute), default=math.nan)

    def on_session_start(self, now: float) -> None:
        """Begin new statistics."""
        self._last = self._asked = math.nan
        self._minute.clear()

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        interval, self._last = now - self._last, now
        if math.isnan(interval):
            return
        if len(self._minute) > _INTERVALS // 4:
            self.gaps += interval > _GAP * self.period
        self._minute.append((now, interval))
        while self._minute[0][0] < now - WINDOW:
            self._minute.popleft()

    def _on_config(self, config: TuningValues, stamp: float, now: float) -> None:
        self.answer_latency, self._asked = now - self._asked, math.nan

    def _on_config_sent(self, command: Instruction, now: float) -> None:
        self._asked = now
