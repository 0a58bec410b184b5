# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The packets of an observation and their times, as the line shows them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import groupby, pairwise

from ..protocol import (
    ACTIVMEDIA_PACKETS,
    ERRATIC_PACKETS,
    Command,
    FrameDecoder,
    Motor,
    Packet,
    ShortMotor,
    Sip,
    SyncEcho,
    checksum,
    checksum_with_count,
    parse,
)
from .connection import Observation
from .tap import Chunk, received
from .transformations import damaged_lengths

#: Periods over the reported one from which the robot sends too slowly, and spread of the intervals, as a share of their
#: median, up to which they are regular.
SLOW, _REGULAR = 1.5, 0.2
#: Periods of an interval that is a pause. The answers to CONFIG delay single packets by one period at 9600 baud.
_PAUSE = 3.5
#: Bytes of a SIP before its sonar readings, their count last, and at most behind them (docs/protocol.md 5.2).
_READINGS, _AFTER_READINGS = 20, 24
_CLOSE = Command.CLOSE().encode()


class Traffic:
    """Figures of the line during an observation."""

    def __init__(self, observation: Observation) -> None:
        self._observation = observation
        config = observation.after.config
        self.nominal = config.info_cycle_ms / 1000 if config else 0.0  #: s between two SIPs, as the robot reports it
        #: when the SIPs came (s); by their last bytes, as those that came in pieces are not lost
        self.times = [stamp for stamp, _ in self.sips] or [report.stamp for report in observation.reports]
        self.intervals = [late - early for early, late in pairwise(self.times)]  #: s
        #: median time between two SIPs in s, and the share of SIPs that are missing
        self.period, self.lost = _period_and_loss(self.times, self.intervals, self.nominal)
        old, new = observation.before.link.decoder, observation.after.link.decoder
        self.complete, self.damaged = new.frames - old.frames, new.checksum_errors - old.checksum_errors
        self.bytes, self.skipped = new.bytes - old.bytes, new.skipped_bytes - old.skipped_bytes
        self.damaged_share = self.damaged / max(1, self.complete + self.damaged)

    @cached_property
    def frames(self) -> list[tuple[float, bytes]]:
        """When each packet was complete (s), and its data. Pauses inside a packet do not lose it here."""
        counted = self._observation.after.profile.quirks.checksum_over_count
        decoder = FrameDecoder(check=checksum_with_count if counted else checksum)
        chunks = (chunk for chunk in self._observation.chunks if not chunk.to_robot)
        return [(chunk.stamp, frame.data) for chunk in chunks for frame in decoder.feed(chunk.data, 0.0)]

    @cached_property
    def sips(self) -> list[tuple[float, bytes]]:
        """The SIPs among them, or the motor packets of an Erratic."""
        table = ERRATIC_PACKETS if self._observation.after.profile.erratic else ACTIVMEDIA_PACKETS
        kinds = Sip, Motor, ShortMotor
        return [(stamp, data) for stamp, data in self.frames if isinstance(parse(data, table), kinds)]

    @cached_property
    def decoded(self) -> list[Sip]:
        """The content of the SIPs; nothing for an Erratic."""
        return [packet for _, data in self.sips if isinstance(packet := parse(data), Sip)]

    @property
    def wrong_counts(self) -> int:
        """Number of SIPs that are too short for their sonar readings, or longer than every known field."""
        if self._observation.after.profile.erratic:
            return 0
        sizes = [(len(data) - _READINGS, 3 * data[_READINGS - 1]) for _, data in self.sips]
        return sum(not readings <= size <= readings + _AFTER_READINGS for size, readings in sizes)

    @property
    def longest(self) -> float:
        """Longest time in s between two SIPs."""
        return max(self.intervals, default=0.0)

    @property
    def jitter(self) -> float:
        """Standard deviation of that time, s."""
        return statistics.pstdev(self.intervals) if self.intervals else 0.0

    @property
    def paused(self) -> float:
        """Share of the time that belongs to pauses of several periods."""
        long = sum(interval for interval in self.intervals if interval > _PAUSE * self.period)
        return long / max(1e-9, sum(self.intervals))

    @property
    def repeated(self) -> int:
        """Number of SIPs that are the one before again, at once."""
        pairs = pairwise(self.sips)
        # Without readings, SIPs of a robot at rest are alike.
        alike = [late[0] - early[0] for early, late in pairs if late[1] == early[1] and _has_pings(late[1])]
        return sum(interval < self.period / 2 for interval in alike)

    @property
    def frozen(self) -> int:
        """Longest run of SIPs in a row with the same content, if that has sonar readings."""
        runs = (len(list(group)) for data, group in groupby(data for _, data in self.sips) if _has_pings(data))
        return max(runs, default=0)

    @property
    def outside(self) -> bytes:
        """The bytes outside packets."""
        data = received(self._observation.chunks)
        for _, frame in self.frames:
            data = data.replace(bytes((0xFA, 0xFB, len(frame) + 2)) + frame, b"\0", 1)
        return data

    def wrong_lengths(self, sign: int) -> float:
        """Share of the damaged packets that are shorter (-1) or longer (1) than their count says."""
        lengths = damaged_lengths(received(self._observation.chunks))
        return sum(length * sign > 0 for length in lengths) / len(lengths) if lengths else 0.0

    @property
    def restarted(self) -> bool:
        """Whether the robot answered SYNC0 when its SIPs had stopped: it had no session any more."""
        sips = {stamp for stamp, _ in self.sips}
        running, since = False, 0.0
        closes = [c.stamp for c in self._observation.chunks if c.to_robot and _CLOSE in c.data]
        for stamp, data in self.frames:
            if stamp in sips:
                running, since = True, stamp
            elif running and isinstance(parse(data), SyncEcho):
                # The driver ends a session that goes on after a silence: then the answer means nothing.
                if not any(since < close < stamp for close in closes):
                    return True
                running = False
        return False

    @property
    def summary(self) -> str:
        """Loss and damage as a text."""
        seconds = self._observation.seconds
        return f"{100 * self.lost:.1f} % lost, {100 * self.damaged_share:.1f} % damaged in {seconds:.0f} s"


def packets(chunks: Iterable[Chunk]) -> list[Packet]:
    """Return the packets in the received bytes, also those with pauses inside."""
    return [parse(frame.data) for frame in FrameDecoder().feed(received(chunks), 0.0)]


def in_pieces(chunks: Iterable[Chunk]) -> bool:
    """Whether SIPs are in these bytes, also if there are pauses inside them."""
    return any(isinstance(packet, Sip) for packet in packets(chunks))


def _has_pings(data: bytes) -> bool:
    packet = parse(data)
    return isinstance(packet, Sip) and bool(packet.sonar)


def _period_and_loss(times: Sequence[float], intervals: Sequence[float], nominal: float) -> tuple[float, float]:
    """Time between two packets in s, and the share of packets that are missing; `nominal` is the reported period.

    Packets that were late arrive in a burst, with short intervals; they are not lost. With fewer than half of the
    packets, the period is another one only if it is regular.
    """
    if not intervals:
        return nominal, 0.0
    median = statistics.median_high(intervals)  # one of them
    regular = statistics.pstdev(intervals) < _REGULAR * median
    typical = statistics.fmean(interval for interval in intervals if abs(interval - median) <= _REGULAR * median)
    period = typical if not nominal or (typical > nominal and (regular or typical > _PAUSE * nominal)) else nominal
    expected = round((times[-1] - times[0]) / period) + 1
    return period, max(0.0, 1 - len(times) / expected)
