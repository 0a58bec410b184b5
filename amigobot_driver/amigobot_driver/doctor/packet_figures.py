# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Figures of the packets: when they come, whether each is a new one, and which commands they answer."""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

from ..protocol import Command, Malformed, Packet, Reset, SyncEcho, TuningValues, Unknown
from .line_figures import LineFigures
from .own_session import HARMLESS, PLAIN, QUESTIONS
from .recorded_session import Figures, RecordedSession

_REGULAR = 0.2  #: share of the median interval by which regular intervals differ from it
#: Periods of an interval that is a pause; the answers to CONFIG delay single packets by one period at 9600 baud.
_PAUSE = 3.5
_MADE_UP = 0.6  #: share of the packets of a pause that come after it if they were held back
#: Share of the expected intervals as short as the reported period, up to which packets are not lost, but sent slowly.
_AS_REPORTED = 0.6
_SLOW = 1.3  #: mean interval over the reported period from which the robot sends more slowly
_READINGS = 20  #: bytes of a SIP before its sonar readings, their count last (docs/protocol 5.2)
_LEAST = 5  #: bytes of a SIP behind its sonar readings, at least
_CONFIG = 0x20  #: id of a CONFIGpac
_AFTER = 0.15  #: s for which an answer to CONFIG delays SIPs
_AT_LEAST = 10  #: intervals without such an answer that a judgment needs
_PROMPT = 0.15  #: s in which a robot answers
_LONGEST = 6.0  #: s, the longest delay that is looked for
_ANSWERED = (0, 1, 2, 18)  #: commands that have an answer: SYNC0 to SYNC2, and CONFIG
#: The answer to CONFIG, 18, has the id 0x20. The ids of all other answers are the numbers of their commands.
_ASKED_BY = {0x20: 18, 18: 0x20}
_AUX = (0xB0, 0xB8, 0xC8)  #: ids of packets with bytes of AUX


class Sync(NamedTuple):
    """One of the three commands of the handshake."""

    sent: int  #: how often it was sent after the one before it
    came: int  #: number of its answers


class PacketFigures(Figures):
    """Figures of the packets that came, and of the answers to commands."""

    def __init__(self, recording: RecordedSession, line: LineFigures) -> None:
        super().__init__(recording)
        self.line = line

    @property
    def bad_content(self) -> list[Packet]:
        """The packets with a right checksum and an unknown content."""
        wrong: list[Packet] = [one.packet for one in self.raw.arrivals if isinstance(one.packet, (Malformed, Unknown))]
        if self.raw.profile.erratic:
            return wrong
        # Too short for their sonar readings, longer than every known field, or with an end inside of a field.
        for one in self.raw.sips:
            size = len(one.data) - _READINGS - 3 * one.data[_READINGS - 1]
            if size < _LEAST or len(one.packet.encode()) != len(one.data):
                wrong.append(one.packet)
        return wrong

    @property
    def cut_config(self) -> int:
        """Length (bytes) of a CONFIGpac that ends in the middle of its settings; 0 if none does."""
        last = "ticks_mm" if self.raw.profile.firmware == "S" else "sonar_cycle"  # those of AmigOS end at `trans_ki`
        some = [(len(one.data), one.packet) for one in self.raw.arrivals if one.packet.id == _CONFIG]
        cut = [size for size, one in some if isinstance(one, Malformed) and not one.payload.endswith(b"\xff" * 8)]
        cut += [size for size, one in some if getattr(one, "front_bumpers", None) is not None is getattr(one, last)]
        return min(cut, default=0)

    @property
    def config_erased(self) -> bool:
        """Whether a CONFIGpac ends with bytes of 255, as an erased FLASH does."""
        return any(one.packet.id == _CONFIG and one.data.endswith(b"\xff" * 8) for one in self.raw.arrivals)

    @property
    def aux_bytes(self) -> int:
        """Bytes of the packets with bytes of AUX."""
        return sum(len(one.data) for one in self.raw.arrivals if one.packet.id in _AUX)

    # -- times --------------------------------------------------------------------------------------------------------

    @cached_property
    def times(self) -> list[float]:
        """When the SIPs came, s."""
        return [one.stamp for one in self.raw.sips]

    @cached_property
    def intervals(self) -> list[float]:
        """Times between two SIPs, s."""
        return [late - early for early, late in pairwise(self.times)]

    @property
    def mean_interval(self) -> float:
        """The mean of these times, s."""
        return statistics.fmean(self.intervals) if self.intervals else 0.0

    @property
    def nominal(self) -> float:
        """Time between two SIPs as the robot reports it, s; 0: unknown."""
        return self.raw.now.config.info_cycle_ms / 1000 if self.raw.now.config else 0.0

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
    def summary(self) -> str:
        """Loss and damage as a text."""
        damaged = self.line.damaged_share
        return f"{100 * self.lost:.1f} % lost, {100 * damaged:.1f} % damaged in {self.raw.seconds:.0f} s"

    @property
    def longest(self) -> float:
        """Longest time between two SIPs, s."""
        return max(self.intervals, default=0.0)

    @property
    def jitter(self) -> float:
        """Standard deviation of that time, s."""
        return statistics.pstdev(self.intervals) if self.intervals else 0.0

    @property
    def irregularity(self) -> float:
        """By how much (s) a quarter of the intervals differ from the period; those that CONFIG delays do not count."""
        pairs = pairwise(self.times)
        free = [late - early for early, late in pairs if not any(early - _AFTER < one <= late for one in self.answers)]
        off = [abs(one - self.period) for one in free]
        return statistics.quantiles(off, n=4)[2] if len(off) > _AT_LEAST else 0.0

    @property
    def _pauses(self) -> list[float]:
        return [interval for interval in self.intervals if interval > _PAUSE * self.period]

    @property
    def paused(self) -> float:
        """Share of the time that belongs to pauses of several periods."""
        return sum(self._pauses) / max(1e-9, sum(self.intervals))

    @property
    def held_back(self) -> bool:
        """Whether packets that were missing in pauses came later in heaps, and are not lost."""
        made_up = sum(interval < _REGULAR * self.period for interval in self.intervals)
        return made_up > _MADE_UP * sum(interval / self.period - 1 for interval in self._pauses) > 0

    @property
    def torn(self) -> bool:
        """Whether no other packets are damaged than those at the ends of pauses."""
        return len(self.line.damaged) <= 2 * len(self._pauses) + 2 * len(self.raw.losses)

    @property
    def rate(self) -> int:
        """Bytes in a second."""
        return round(self.raw.increase("link.decoder.bytes") / self.raw.seconds) if self.raw.seconds else 0

    @property
    def too_many(self) -> bool:
        """Whether packets come more often than the robot reports, or than new ones come."""
        return len(self.intervals) >= 20 and (self.nominal or self.period) > 1.12 * self.mean_interval

    @property
    def line_use(self) -> float:
        """Share of a serial line that packets fill, a byte has ten bits; 0 without one."""
        return 10 * self.rate / self.raw.baud if self.raw.baud and not self.raw.target.speedless else 0.0

    # -- packets in a row ---------------------------------------------------------------------------------------------

    @cached_property
    def longest_run(self) -> int:
        """Longest run of SIPs in a row with the same content and sonar readings: these differ at rest, too."""
        runs = groupby(one.data for one in self.raw.sips if getattr(one.packet, "sonar", ()))
        return max((len([*run]) for _, run in runs), default=0)

    # -- the handshake ------------------------------------------------------------------------------------------------

    @property
    def syncs(self) -> list[Sync]:
        """SYNC0 to SYNC2."""
        baud = self.raw.baud
        own = [one for one in self.raw.frames if one.to_robot and (not baud or one.baud in (0, baud))]
        sent = bytes(one.data[0] for one in own)
        came = [one.packet.id for one in self.raw.arrivals]
        return [Sync(sent.count(bytes(range(number + 1))), came.count(number)) for number in range(3)]

    @property
    def lost_syncs(self) -> int:
        """Number of them that got no answer."""
        return sum(max(0, sync.sent - sync.came) for sync in self.syncs)

    @property
    def ignored_syncs(self) -> list[Sync]:
        """Those that were sent three times or more, and never got an answer."""
        return [sync for sync in self.syncs if sync.sent > 2 and not sync.came]

    @property
    def restarted(self) -> bool:
        """Whether the robot reported a restart, or answered SYNC0 in its session: it had none."""
        # The driver ends a session that goes on after a silence with CLOSE: then both mean nothing.
        closes = [one.stamp for one in self.raw.frames if one.to_robot and one.data[0] == Command.CLOSE.number]
        starts = [one.stamp for one in self.raw.arrivals if isinstance(one.packet, (Reset, SyncEcho))]

        def had(stamps: list[float], early: float, late: float) -> bool:
            return any(early < stamp <= late for stamp in stamps)  # one read may bring a SIP and the reset

        return any(had(self.times, *pair) and not had(closes, *pair) for pair in pairwise([self.raw.began, *starts]))

    # -- the session --------------------------------------------------------------------------------------------------

    @cached_property
    def latencies(self) -> list[float]:
        """Times in s from a CONFIG to its answer; inf: none came."""
        return [question.latency for question in self.raw.questions]

    @property
    def answer_times(self) -> list[float]:
        """The same of those with an answer; of a short examination that has sent none, that of the driver."""
        latencies = self.latencies or [self.raw.now.link.answer_latency]
        return [latency for latency in latencies if math.isfinite(latency)]

    @property
    def unanswered(self) -> int:
        """Number of CONFIGs without an answer."""
        return sum(map(math.isinf, self.latencies))

    @cached_property
    def answers(self) -> list[float]:
        """When CONFIG packets came during the observation, s."""
        return [one.stamp for one in self.raw.arrivals if isinstance(one.packet, TuningValues)]

    @property
    def latency(self) -> float:
        """Time in s from a command to its answer: the delay at which most answers have a question before them."""
        frames = [(one.to_robot, one.data[0], one.stamp) for one in self.raw.frames]
        sent = [(number, stamp) for to_robot, number, stamp in frames if to_robot and number in _ANSWERED]
        came = [(_ASKED_BY.get(number, number), stamp) for to_robot, number, stamp in frames if not to_robot]
        pairs = [answer - question for kind, answer in came for asked, question in sent if kind == asked]
        delays = sorted(delay for delay in pairs if 0 < delay < _LONGEST)
        within = [bisect_left(delays, delay + _PROMPT) - at for at, delay in enumerate(delays)]
        best = within.index(max(within)) if within else 0
        return statistics.median_low(delays[best : best + within[best]]) if within and within[best] > 2 else 0.0

    @property
    def delay_growth(self) -> float:
        """By how many s the last third of the answers, up to one that is missing, comes later than the first third."""
        times = [*takewhile(math.isfinite, self.latencies)]  # then one may answer an earlier question
        third = len(times) // 3
        return min(times[-third:]) - max(times[:third]) if third else 0.0

    @property
    def deaf(self) -> int:
        """Number of commands at the end without an answer, if it is not the line that loses some all the time."""
        earlier = self.latencies[: len(self.latencies) - self.unanswered]
        return 0 if math.inf in earlier else self.unanswered

    @property
    def taken(self) -> str:
        """What takes bytes of commands, by the CONFIGs that contain them and get no answer, while all others do."""
        lost = [question.argument for question in self.raw.questions if question.latency == math.inf]
        answered = {question.argument for question in self.raw.questions if question.latency < math.inf}
        bad = [argument for argument in QUESTIONS if lost.count(argument) > 1 and argument not in answered]
        if {*lost} != {*bad} or PLAIN in bad or HARMLESS in bad:
            return ""  # the line loses other commands as well, or the robot was deaf for a while
        return " and ".join(QUESTIONS[argument] for argument in bad)


def period_and_loss(times: Sequence[float], nominal: float) -> tuple[float, float]:
    """Return the time between two packets in s, and the share of packets that are missing.

    Packets that were late arrive in a heap, with short intervals; they are not lost. A robot that sends more slowly
    than it reports has no intervals as short as that.

    Args:
        times: When they came, s.
        nominal: The reported period, s; 0: unknown.
    """
    intervals = [late - early for early, late in pairwise(times)]
    apart = [interval for interval in intervals if interval > 0]  # a line may repeat each packet at once
    if not apart:
        return nominal, 0.0
    median, mean = statistics.median_high(apart), statistics.fmean(intervals)
    typical = statistics.fmean(interval for interval in apart if abs(interval - median) <= _REGULAR * median)
    as_reported = sum(abs(interval - nominal) < _REGULAR * nominal for interval in intervals)
    slower = as_reported * mean <= _AS_REPORTED * nominal * len(intervals) and mean > _SLOW * nominal
    period = nominal if nominal and not slower else typical
    expected = round((times[-1] - times[0]) / period) + 1
    return period, max(0.0, 1 - len(times) / expected)
