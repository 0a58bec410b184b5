# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What an examination has recorded, as one frozen value: bytes and packets with their times, answers, snapshots.

Every figure of the line is computed here from the bytes, so that it does not depend on what the driver makes of them.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise

from ..protocol import (
    ACTIVMEDIA_PACKETS,
    ERRATIC_PACKETS,
    HEADER,
    Checksum,
    Command,
    FrameDecoder,
    Gyro,
    Motor,
    Packet,
    Parameters,
    Reset,
    ShortMotor,
    Sip,
    SyncEcho,
    checksum,
    checksum_with_count,
    parse,
)
from ..robot import Report, RobotSnapshot
from ..wording import counted
from .changed_bytes import outside_packets, split
from .history import History
from .session import Question
from .tap import Chunk, received
from .target import Target

#: Share of the median interval by which regular intervals differ from it.
_REGULAR = 0.2
#: Periods of an interval that is a pause; the answers to CONFIG delay single packets by one period at 9600 baud.
_PAUSE = 3.5
#: Share of the packets of a pause that come after it if they were held back.
_MADE_UP = 0.6
#: Share of the intervals that are as short as the reported period if packets are lost, and not sent more slowly.
_AS_REPORTED = 0.12
#: Mean interval over the reported period from which the robot sends more slowly.
_SLOW = 1.3
#: Bytes of a packet that is an answer in a handshake; s in which a robot answers.
_SHORT, _PROMPT = 6, 0.15
#: Bytes of a SIP before its sonar readings, their count last, and at most behind them (docs/protocol 5.2).
_READINGS, _AFTER_READINGS = 20, 24
_CLOSE = Command.CLOSE().encode()


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What was recorded. Fields of later stages have their defaults until then."""

    target: Target
    before: RobotSnapshot  #: at the beginning of the observation
    after: RobotSnapshot  #: at its end
    baud: int = 0  #: line speed; 0: none
    refused: bool = False  #: it answers the handshake and opens no session
    chunks: tuple[Chunk, ...] = ()  #: every byte since the port was opened, both ways; () if they are not known
    began: float = -math.inf  #: s, when the observation began
    seconds: float = 0.0  #: how long it lasted
    reports: tuple[Report, ...] = ()
    packets: tuple[Packet, ...] = ()  #: all but the SIPs, since the connection began
    losses: tuple[str, ...] = ()  #: why the session ended, each time
    port_problem: str = ""  #: why the port was lost; "" if it was not
    questions: tuple[Question, ...] = ()  #: CONFIGs that were sent meanwhile
    found_at: int = 0  #: line speed at which the robot is found after it was lost; 0: not looked for
    close_ignored: bool = False  #: packets came after CLOSE
    disturbed: bool = field(default=False)  #: the line is bad: what it carries says little of the robot

    @cached_property
    def history(self) -> History:
        """The two snapshots, for the rows of a running driver."""
        history = History()
        history.add(self.before)
        history.add(self.after)
        return history

    @property
    def observed(self) -> tuple[Chunk, ...]:
        """The bytes of the observation."""
        return tuple(chunk for chunk in self.chunks if chunk.stamp >= self.began)

    @cached_property
    def frames(self) -> list[tuple[float, bytes]]:
        """When each packet of the observation was complete (s), and its data; also of those with pauses inside."""
        return _frames(self.observed, self._checksum)

    @property
    def _checksum(self) -> Checksum:
        return checksum_with_count if self.after.profile.quirks.checksum_over_count else checksum

    @property
    def failed(self) -> bool:
        """Whether no session was opened: nothing was observed in one."""
        return not self.seconds and not self.after.link.running

    @property
    def counted(self) -> bool:
        """Whether the checksum of the packets includes the count, and no session opens (docs/protocol E-40)."""
        return self.failed and not self.handshake and len(_frames(self.chunks, checksum_with_count)) > 2

    @cached_property
    def handshake(self) -> list[Packet]:
        """The packets since the port was opened."""
        packets = ERRATIC_PACKETS if self.after.profile.erratic else ACTIVMEDIA_PACKETS
        return [parse(data, packets) for _, data in _frames(self.chunks, self._checksum)]

    @cached_property
    def sent_frames(self) -> list[bytes]:
        """The frames that were sent."""
        return [chunk.data for chunk in self.chunks if chunk.to_robot and chunk.data.startswith(HEADER)]

    @property
    def ended(self) -> str:
        """Why the session did not stay open; "" if it did."""
        if not self.losses:
            return ""
        return f"the session does not stay open ({counted(len(self.losses), 'time')}): {self.losses[0]}"

    @cached_property
    def sips(self) -> list[tuple[float, bytes]]:
        """The SIPs of the observation, or the motor packets of an Erratic."""
        packets = ERRATIC_PACKETS if self.after.profile.erratic else ACTIVMEDIA_PACKETS
        kinds = Sip, Motor, ShortMotor
        return [(stamp, data) for stamp, data in self.frames if isinstance(parse(data, packets), kinds)]

    @cached_property
    def decoded(self) -> list[Sip]:
        """The content of the SIPs; nothing for an Erratic."""
        return [packet for _, data in self.sips if isinstance(packet := parse(data), Sip)]

    @cached_property
    def times(self) -> list[float]:
        """When the SIPs came, s."""
        return [stamp for stamp, _ in self.sips] or [report.stamp for report in self.reports]

    @cached_property
    def intervals(self) -> list[float]:
        """Times between two SIPs, s."""
        return [late - early for early, late in pairwise(self.times)]

    @property
    def nominal(self) -> float:
        """Time between two SIPs as the robot reports it, s; 0: unknown."""
        return self.after.config.info_cycle_ms / 1000 if self.after.config else 0.0

    @cached_property
    def _rate(self) -> tuple[float, float]:
        return period_and_loss(self.times, self.nominal)

    @property
    def period(self) -> float:
        """Time between two SIPs, s."""
        return self._rate[0]

    @property
    def lost(self) -> float:
        """Share of the SIPs that are missing."""
        return self._rate[1]

    @property
    def longest(self) -> float:
        """Longest time between two SIPs, s."""
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
    def size(self) -> int:
        """Number of bytes of the observation."""
        return self.after.link.decoder.bytes - self.before.link.decoder.bytes

    @cached_property
    def damaged(self) -> list[bytes]:
        """The packets of the observation with a wrong checksum or length."""
        return split(received(self.observed))[0]

    @property
    def damaged_share(self) -> float:
        """Share of the packets that are damaged."""
        return len(self.damaged) / max(1, len(self.frames) + len(self.damaged)) if self.chunks else self._decoder_share

    @property
    def _decoder_share(self) -> float:
        """The same by the decoder of the driver."""
        decoder, old = self.after.link.decoder, self.before.link.decoder
        damaged, complete = decoder.checksum_errors - old.checksum_errors, decoder.frames - old.frames
        return damaged / max(1, complete + damaged)

    @property
    def skipped_share(self) -> float:
        """Share of the bytes that are outside packets, but for an incomplete one at either end."""
        data, parts = received(self.observed), self.outside
        parts = parts[1:] if parts and data.startswith(parts[0]) else parts
        parts = parts[:-1] if parts and data.endswith(parts[-1]) else parts
        return sum(map(len, parts)) / max(1, self.size)

    @cached_property
    def outside(self) -> list[bytes]:
        """The bytes between packets, one item for each place."""
        return outside_packets(received(self.observed))

    @property
    def duration(self) -> float:
        """Usual time in s from the header of a packet to its end; the longest one if no session opens."""
        decoder, times, began = FrameDecoder(check=self._checksum), list[float](), 0.0
        short = 0 if self.failed else _SHORT
        for chunk in self.chunks:
            if not chunk.to_robot:
                head, header, rest = chunk.data.partition(HEADER)
                ended = [*decoder.feed(head, 0.0)]
                times += [chunk.stamp - began for frame in ended if len(frame.data) > short]
                began = chunk.stamp if header else began
                times += [0.0 for frame in decoder.feed(header + rest, 0.0) if len(frame.data) > short]
        if self.failed:
            return max(times, default=0.0)
        return statistics.median(times) if len(times) > 2 else 0.0

    @cached_property
    def longest_run(self) -> int:
        """Longest run of SIPs in a row with the same content, sonar readings included."""
        alike = groupby(data for _, data in self.sips if _has_pings(data))
        return max((len(list(group)) for _, group in alike), default=0)

    @property
    def repeated(self) -> int:
        """Number of SIPs that are the one before again, at once."""
        pairs = list(pairwise(self.sips))
        alike = [late[0] - early[0] for early, late in pairs if late[1] == early[1] and _has_pings(late[1])]
        later = 0
        if self.intervals and statistics.fmean(self.intervals) < self.nominal / _SLOW:
            old = Counter(data for _, data in self.sips if _has_pings(data))
            later = len(self.sips) - len(old)
        return max(later, sum(interval < self.period / 2 for interval in alike))

    @property
    def wrong_counts(self) -> int:
        """Number of SIPs that are too short for their sonar readings, or longer than every known field."""
        if self.after.profile.erratic:
            return 0
        sizes = [(len(data) - _READINGS, 3 * data[_READINGS - 1]) for _, data in self.sips]
        return sum(not readings <= size <= readings + _AFTER_READINGS for size, readings in sizes)

    @property
    def restarted(self) -> bool:
        """Whether the robot reported a restart, or answered SYNC0 when its SIPs had stopped: it had no session."""
        if any(isinstance(packet, Reset) for packet in self.packets):
            return True
        sips = {stamp for stamp, _ in self.sips}
        running, since = False, 0.0
        closes = [chunk.stamp for chunk in self.observed if chunk.to_robot and _CLOSE in chunk.data]
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
    def held_back(self) -> bool:
        """Whether packets that were missing in pauses came later in heaps, and are not lost."""
        missing = sum(interval / self.period - 1 for interval in self.intervals if interval > _PAUSE * self.period)
        made_up = sum(interval < _REGULAR * self.period for interval in self.intervals)
        return made_up > _MADE_UP * missing > 0

    @property
    def config_delays(self) -> list[float]:
        """Times in s from the n-th CONFIG to the n-th answer, if nearly each has one at last."""
        asked, came = self._exchanged(Command.CONFIG.number, lambda packet: isinstance(packet, Parameters))
        delays = [late - early for early, late in zip(asked, came, strict=False)]
        return delays if len(delays) + 2 > self.asked >= self.config_answers - 1 else []

    @property
    def sync_delays(self) -> list[float]:
        """The same for SYNC0, if most answers did not come at once: else others were lost."""
        asked, came = self._exchanged(
            Command.PULSE.number, lambda packet: isinstance(packet, SyncEcho) and packet.id == 0
        )
        delays = [late - early for early, late in zip(asked, came, strict=False)]
        prompt = [stamp for stamp in came if any(0 <= stamp - question < _PROMPT for question in asked)]
        constant = len(delays) > 2 and max(delays) - min(delays) < _PROMPT
        return delays if constant or 2 * len(prompt) < len(came) else []

    def _exchanged(self, number: int, answers: Callable[[Packet], bool]) -> tuple[list[float], list[float]]:
        """When a command was sent, and when its answers came, s."""
        frames = [(chunk.stamp, chunk.data) for chunk in self.chunks if chunk.to_robot and chunk.data[:2] == HEADER]
        asked = [stamp for stamp, data in frames if data[3] == number]
        return asked, [stamp for stamp, data in _frames(self.chunks, self._checksum) if answers(parse(data))]

    @cached_property
    def latencies(self) -> list[float]:
        """Times in s from a CONFIG to its answer; inf: none came."""
        return [question.latency for question in self.questions]

    @property
    def asked(self) -> int:
        """Number of CONFIGs that were sent."""
        return len(self.questions)

    @property
    def answered(self) -> int:
        """Number of CONFIGs with an answer."""
        return len(self.questions) - self.unanswered

    @property
    def unanswered(self) -> int:
        """Number of CONFIGs without an answer."""
        return sum(map(math.isinf, self.latencies))

    @property
    def config_answers(self) -> int:
        """Number of CONFIG packets that came."""
        return sum(isinstance(packet, Parameters) for packet in self.packets)

    @property
    def gyro_rates(self) -> list[int]:
        """Samples of the gyro, counts."""
        return [sample.rate for packet in self.packets if isinstance(packet, Gyro) for sample in packet.samples]

    @property
    def line_use(self) -> float:
        """Share of a serial line that packets fill, a byte has ten bits; 0 without one."""
        return 10 * self.size / self.seconds / self.baud if self.baud and self.seconds else 0.0

    @property
    def summary(self) -> str:
        """Loss and damage as a text."""
        return f"{100 * self.lost:.1f} % lost, {100 * self.damaged_share:.1f} % damaged in {self.seconds:.0f} s"


def period_and_loss(times: Sequence[float], nominal: float) -> tuple[float, float]:
    """Return the time between two packets in s, and the share of packets that are missing.

    Packets that were late arrive in a heap, with short intervals; they are not lost. A robot that sends more slowly
    than it reports has no intervals as short as that.

    Args:
        times: When they came, s.
        nominal: The reported period, s; 0: unknown.
    """
    intervals = [late - early for early, late in pairwise(times)]
    if not intervals:
        return nominal, 0.0
    median, mean = statistics.median_high(intervals), statistics.fmean(intervals)
    typical = statistics.fmean(interval for interval in intervals if abs(interval - median) <= _REGULAR * median)
    as_reported = sum(abs(interval - nominal) < _REGULAR * nominal for interval in intervals)
    slower = as_reported <= _AS_REPORTED * len(intervals) and mean > _SLOW * nominal
    period = nominal if nominal and not slower else typical
    expected = round((times[-1] - times[0]) / period) + 1
    return period, max(0.0, 1 - len(times) / expected)


def _frames(chunks: Iterable[Chunk], check: Checksum) -> list[tuple[float, bytes]]:
    decoder = FrameDecoder(check=check)
    return [
        (chunk.stamp, frame.data) for chunk in chunks if not chunk.to_robot for frame in decoder.feed(chunk.data, 0.0)
    ]


def _has_pings(data: bytes) -> bool:
    packet = parse(data)
    return isinstance(packet, Sip) and bool(packet.sonar)
