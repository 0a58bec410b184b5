# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Figures of the line: what answers, which bytes and packets come and when, and whether commands get their answers.

They are computed from the bytes, so that they do not depend on what the driver makes of them.
"""

from __future__ import annotations

import itertools
import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import groupby, pairwise

from ..protocol import (
    HEADER,
    Command,
    FrameDecoder,
    Gyro,
    Malformed,
    Packet,
    Parameters,
    Reset,
    Sip,
    SyncEcho,
    SyncReply,
    Unknown,
    checksum,
    checksum_with_count,
)
from ..robot import radio_modem
from ..transport.tcp import DEFAULT_TCP_PORT
from .changed_bytes import Change, cut_at, find_change, is_text, length_errors, outside_packets, split
from .computer import attempt
from .recording import Arrival, Recording
from .session import HARMLESS, PLAIN, QUESTIONS
from .table import content
from .tap import received

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
#: Packets in a row of which one may be a repeated one.
_NEAR = 3
#: m between two poses that a robot at rest cannot alternate between; sonars of a ring, which fire in turn.
_APART, _RING = 0.1, 8
#: s by which answers become later if the delay grows, and by which one is later than the others.
_GROWS, _LATE = 0.1, 0.4
#: Text that is longer than the names in a damaged packet, and different letters and digits that make a text.
_SENTENCE, _LETTERS = re.compile(rb"[\x20-\x7e\r\n]{16,}"), 4
#: Share of damaged packets, and of bytes outside packets, from which the link is bad.
_DAMAGED, _SKIPPED = 0.01, 0.02
#: Longest part of a text that is shown; bytes between packets that are shown.
_SHOWN, _IN_HEX = 60, 16
_SYNC0, _CLOSE = Command.PULSE().encode(), Command.CLOSE().encode()
#: Packets that the doctor asks for, or that are counted elsewhere.
_EXPECTED = (SyncEcho, SyncReply, Parameters, Gyro, Reset, Malformed, Unknown)


class LineFigures(Recording):
    """Figures of the line."""

    # -- what answers -------------------------------------------------------------------------------------------------

    @cached_property
    def foreign(self) -> bytes:
        """What came, without echoes of what was sent."""
        data = self.data.replace(radio_modem.CALL, b"")
        for frame in self.sent if self.loops else ():
            data = data.replace(frame, b"")
        return data

    @property
    def sent(self) -> list[bytes]:
        """The frames that were sent."""
        return [chunk.data for chunk in self.observed if chunk.to_robot and chunk.data.startswith(HEADER)]

    @property
    def loops(self) -> bool:
        """Whether commands come back: a robot answers SYNC2 with its name."""
        return _CLOSE in self.data

    @cached_property
    def peer(self) -> str:
        """What is at the other end of the line, in one word."""
        packets = bool(FrameDecoder().feed(self.foreign, 0.0))
        if self.port_problem and not packets:
            return "lost"
        if not self.foreign:
            return "loop" if self.loops else "silence"
        if self.counts_header:
            return "robot"
        if self.change:
            return "changed"
        if self.stranger and not packets:
            return "modem" if "modem" in self.stranger else "stranger"
        if packets:
            return "robot"
        is_robot = HEADER in self.foreign or b"amigo" in self.foreign.lower()
        return "text" if is_text(self.foreign) else "damage" if is_robot else "bytes"

    @cached_property
    def stranger(self) -> str:
        """The name of what sends bytes that are not a robot's; "" if no pattern fits."""
        return next((name for name in content()["strangers"] if _sent_by(name, self.foreign.strip(b"\0"))), "")

    @property
    def shown(self) -> str:
        """The beginning of a text as it may be printed, without control characters."""
        text = " ".join("".join(chr(byte) if 0x20 <= byte < 0x7F else " " for byte in self.foreign).split())
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

    @property
    def usual_port(self) -> str:
        """What to type for the usual TCP port of a robot at the same host, if something listens there."""
        listens = self.target.tcp_port != DEFAULT_TCP_PORT and attempt(self.target.host, DEFAULT_TCP_PORT)
        return self.target.elsewhere(tcp_port=DEFAULT_TCP_PORT) if listens else ""

    # -- the session --------------------------------------------------------------------------------------------------

    @property
    def counts_header(self) -> bool:
        """Whether the checksum of the packets includes the count, and no session opens (docs/protocol E-40)."""
        return self.failed and not self.arrivals and len(self.decode(checksum_with_count)) > 2

    @property
    def came_back(self) -> int:
        """Number of commands that come back: frames with ids that no packet of a robot has."""
        return sum(self.data.count(frame) for frame in {frame for frame in self.sent if frame[3] > 2})

    @property
    def bad_content(self) -> list[Packet]:
        """The packets with a right checksum and an unknown content."""
        wrong: list[Packet] = [one.packet for one in self.arrivals if isinstance(one.packet, (Malformed, Unknown))]
        if self.profile.erratic:
            return wrong
        # Too short for their sonar readings, or longer than every known field.
        sizes = [(one.packet, len(one.data) - _READINGS, 3 * one.data[_READINGS - 1]) for one in self.sips]
        return wrong + [packet for packet, size, some in sizes if not some <= size <= some + _AFTER_READINGS]

    @property
    def echoes(self) -> list[int]:
        """The numbers of the answers to SYNC0 and SYNC1."""
        return [one.packet.id for one in self.arrivals if isinstance(one.packet, SyncEcho)]

    @property
    def asked(self) -> int:
        """Number of SYNC0 at the line speed of the robot."""
        return sum(_SYNC0 in one.data and one.baud in (0, self.baud) for one in self.chunks if one.to_robot)

    @property
    def heap(self) -> int:
        """Number of packets that come at once."""
        return max(Counter(one.stamp for one in self.arrivals).values(), default=0)

    @property
    def restarted(self) -> bool:
        """Whether the robot reported a restart, or answered SYNC0 in its session: it had none."""
        if not self.chunks:
            return any(isinstance(packet, Reset) for packet in self.others)
        closes = [chunk.stamp for chunk in self.observed if chunk.to_robot and _CLOSE in chunk.data]
        in_session, since = False, self.began
        for one in self.arrivals:
            if one in self.sips:
                in_session = True
            elif in_session and isinstance(one.packet, (Reset, SyncEcho)):
                # The driver ends a session that goes on after a silence: then both mean nothing.
                if not any(since < close < one.stamp for close in closes):
                    return True
                in_session, since = False, one.stamp
        return False

    # -- bytes --------------------------------------------------------------------------------------------------------

    @cached_property
    def change(self) -> Change | None:
        """What something on the line does to the bytes, if they prove it."""
        return find_change(self.foreign if self.failed else received(self.chunks))

    @property
    def cut(self) -> int:
        """Length to which packets are cut; 0 if they are not."""
        return cut_at(self.data)

    @cached_property
    def damaged(self) -> list[bytes]:
        """The packets of the observation with a wrong checksum or length."""
        return split(self.data)[0]

    @property
    def damaged_share(self) -> float:
        """Share of the packets that are damaged."""
        if self.chunks:
            return len(self.damaged) / max(1, len(self.arrivals) + len(self.damaged))
        damaged, complete = self.increase("link.decoder.checksum_errors"), self.increase("link.decoder.frames")
        return damaged / max(1, complete + damaged)

    @cached_property
    def outside(self) -> list[bytes]:
        """The bytes between packets, one item for each place, but for incomplete packets at either end."""
        parts = outside_packets(self.data)
        parts = parts[1:] if parts and self.data.startswith(parts[0]) else parts
        return parts[:-1] if parts and self.data.endswith(parts[-1]) else parts

    @property
    def is_damaged(self) -> bool:
        """Whether packets are damaged, or bytes come between them."""
        if self.failed:
            return len(self.damaged) > 1
        return self.damaged_share > _DAMAGED or sum(map(len, self.outside)) > _SKIPPED * len(self.data)

    @property
    def length_error(self) -> int:
        """Whether most damaged packets are longer than their count says (1), or shorter (-1)."""
        errors = length_errors(self.damaged)
        longer, shorter = sum(error > 0 for error in errors), sum(error < 0 for error in errors)
        return 1 if 2 * longer > len(errors) or not errors else -1 if 2 * shorter > len(errors) else 0

    @property
    def between(self) -> str:
        """What most places between packets have in common, in hexadecimal."""
        part, count = [*Counter(self.outside).most_common(1), (b"", 0)][0]
        return part[:_IN_HEX].hex(" ").upper() if count > len(self.outside) / 2 else ""

    @property
    def text_between(self) -> str:
        """Text between the packets."""
        outside = b" ".join(self.outside)
        text = _SENTENCE.search(outside)
        if text is None or len(set(re.findall(rb"[A-Za-z0-9]", text[0]))) < _LETTERS:
            text = _sent_by(next(iter(content()["strangers"])), outside)
        return " ".join(text[0].decode("latin-1").split())[:_SHOWN] if text else ""

    @property
    def summary(self) -> str:
        """Loss and damage as a text."""
        return f"{100 * self.lost:.1f} % lost, {100 * self.damaged_share:.1f} % damaged in {self.seconds:.0f} s"

    # -- times --------------------------------------------------------------------------------------------------------

    @cached_property
    def times(self) -> list[float]:
        """When the SIPs came, s."""
        return [one.stamp for one in self.sips] or [report.stamp for report in self.reports]

    @cached_property
    def intervals(self) -> list[float]:
        """Times between two SIPs, s."""
        return [late - early for early, late in pairwise(self.times)]

    @property
    def nominal(self) -> float:
        """Time between two SIPs as the robot reports it, s; 0: unknown."""
        return self.last.config.info_cycle_ms / 1000 if self.last.config else 0.0

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
    def _pauses(self) -> list[float]:
        return [interval for interval in self.intervals if interval > _PAUSE * self.period]

    @property
    def paused(self) -> float:
        """Share of the time that belongs to pauses of several periods."""
        return sum(self._pauses) / max(1e-9, sum(self.intervals))

    @property
    def held_back(self) -> bool:
        """Whether packets that were missing in pauses came later in heaps, and are not lost."""
        missing = sum(interval / self.period - 1 for interval in self._pauses)
        made_up = sum(interval < _REGULAR * self.period for interval in self.intervals)
        return made_up > _MADE_UP * missing > 0

    @property
    def rate(self) -> int:
        """Bytes in a second."""
        return round(self.increase("link.decoder.bytes") / self.seconds) if self.seconds else 0

    @property
    def line_use(self) -> float:
        """Share of a serial line that packets fill, a byte has ten bits; 0 without one."""
        return 10 * self.rate / self.baud if self.baud else 0.0

    @property
    def duration(self) -> float:
        """Usual time in s from the header of a packet to its end; the longest one if no session opens."""
        decoder, times, began = FrameDecoder(), list[float](), 0.0
        short = 0 if self.failed else _SHORT
        for chunk in self.observed:
            if not chunk.to_robot:
                head, header, rest = chunk.data.partition(HEADER)
                times += [chunk.stamp - began for frame in decoder.feed(head, 0.0) if len(frame.data) > short]
                began = chunk.stamp if header else began
                times += [0.0 for frame in decoder.feed(header + rest, 0.0) if len(frame.data) > short]
        return max(times, default=0.0) if self.failed else statistics.median(times or [0.0])

    # -- packets in a row ---------------------------------------------------------------------------------------------

    @property
    def _with_pings(self) -> list[Arrival]:
        """The SIPs with sonar readings: these differ at rest, too."""
        return [one for one in self.sips if getattr(one.packet, "sonar", ())]

    @cached_property
    def longest_run(self) -> int:
        """Longest run of SIPs in a row with the same content."""
        return max((len([*group]) for _, group in groupby(one.data for one in self._with_pings)), default=0)

    @property
    def repeated(self) -> float:
        """Share of the SIPs that are one of the last ones again, and come too soon for that."""
        some, period = self._with_pings, self.period
        again = {
            at
            for back in range(1, _NEAR + 1)
            for at, (early, late) in enumerate(zip(some, some[back:], strict=False), back)
            if early.data == late.data and late.stamp - early.stamp < (back - 0.5) * period
        }
        return len(again) / max(1, len(some))

    @property
    def alternations(self) -> int:
        """How often the pose returns to one that it has left: a robot at rest does not."""
        unit = self.profile.units.distance
        poses = [(sip.x, sip.y) for sip in self.decoded]
        jumps = [math.dist(early, late) * unit > _APART for early, late in pairwise(poses)]
        back = [math.dist(early, late) * unit < _APART for early, late in zip(poses, poses[2:], strict=False)]
        return sum(jump and again for jump, again in zip(jumps, back, strict=False))

    @property
    def disorder(self) -> float:
        """Share of the SIPs whose sonars go back in their turn, while those inside of SIPs do not."""
        turns = [[ping.number for ping in sip.sonar] for sip in self.decoded[len(self.decoded) // 2 :] if sip.sonar]
        borders = [(late[0] - early[-1]) % _RING > _RING / 2 for early, late in pairwise(turns)]
        inside = any((late - early) % _RING > _RING / 2 for numbers in turns for early, late in pairwise(numbers))
        if inside or {*itertools.chain(*turns)} != {*range(_RING)}:
            return 0.0
        return sum(borders) / max(1, len(borders))

    # -- commands -----------------------------------------------------------------------------------------------------

    @cached_property
    def latencies(self) -> list[float]:
        """Times in s from a CONFIG to its answer; inf: none came."""
        return [question.latency for question in self.questions]

    @property
    def answer_times(self) -> list[float]:
        """The same of those with an answer; of a session of the driver, the last one."""
        latencies = self.latencies or [self.last.link.answer_latency]
        return [latency for latency in latencies if math.isfinite(latency)]

    @property
    def unanswered(self) -> int:
        """Number of CONFIGs without an answer."""
        return sum(map(math.isinf, self.latencies))

    @property
    def answers(self) -> int:
        """Number of CONFIG packets that came during the observation."""
        return sum(isinstance(one.packet, Parameters) for one in self.arrivals)

    @property
    def latency(self) -> float:
        """Time in s from a command to its answer; of the handshake if no session opened."""
        greeting = self._delays(Command.PULSE.number, lambda packet: isinstance(packet, SyncEcho) and packet.id == 0)
        steady = len(greeting) > 1 and max(greeting) - min(greeting) < _PROMPT
        greeted = max(min(greeting) if steady or (self.failed and greeting) else 0.0, self._overdue)
        delays = self._delays(Command.CONFIG.number, lambda packet: isinstance(packet, Parameters))
        all_came = len(self.questions) - 2 <= len(delays) and self.answers <= len(self.questions) + 1
        median = statistics.median_low(self.latencies) if len(self.latencies) > 2 * self.unanswered else 0.0
        return max(median, greeted, min(delays) if delays and all_came else 0.0)

    @property
    def _overdue(self) -> float:
        """Time in s from the newest SYNC0 to an answer, which two answers exceed; 0 if a session opened."""
        asked = [one.stamp for one in self.chunks if one.to_robot and one.data == _SYNC0]
        came = [one.stamp for one in self.arrivals if isinstance(one.packet, SyncEcho) and one.packet.id == 0]
        waited = [answer - max((one for one in asked if one < answer), default=answer) for answer in came]
        return sorted(waited)[-2] if self.failed and len(waited) > 1 else 0.0

    def _delays(self, number: int, is_answer: Callable[[Packet], bool]) -> list[float]:
        """Times in s from the n-th command to the n-th answer; of PULSE, which is SYNC0: before the session."""
        chunks, packets = self.observed, self.arrivals
        if number == Command.PULSE.number:
            packets = self.decode(checksum, self.chunks)
            opened = min((one.stamp for one in packets if isinstance(one.packet, Sip)), default=math.inf)
            packets = [one for one in packets if one.stamp < opened]
            chunks = tuple(one for one in self.chunks if one.stamp < opened and self.baud in (0, one.baud))
        asked = [c.stamp for c in chunks if c.to_robot and c.data[:2] == HEADER and c.data[3] == number]
        came = [one.stamp for one in packets if is_answer(one.packet)]
        return [late - early for early, late in zip(asked, came, strict=False)]

    @property
    def delay_grows(self) -> bool:
        """Whether answers come later and later."""
        late, third = self.answer_times, len(self.answer_times) // 3
        return third > 1 and min(late[-third:]) - max(late[:third]) > _GROWS

    @property
    def late_answers(self) -> float:
        """Share of the answers that come later than the fastest one."""
        late = [latency for latency in self.answer_times if latency > min(self.answer_times) + _LATE]
        return len(late) / len(self.answer_times) if len(late) > 2 else 0.0

    @property
    def deaf(self) -> int:
        """Number of commands at the end without an answer, if it is not the line that loses some all the time."""
        before = [*itertools.dropwhile(math.isinf, reversed(self.latencies))]
        return 0 if any(map(math.isinf, before)) else len(self.latencies) - len(before)

    @property
    def _tries(self) -> Mapping[int | None, list[float]]:
        return {
            argument: [question.latency for question in self.questions if question.argument == argument]
            for argument in QUESTIONS
        }

    @property
    def long_lost(self) -> bool:
        """Whether no command of 9 bytes has an answer, and each of 6 bytes has."""
        tries = dict(self._tries)
        plain = tries.pop(PLAIN)
        longer = [*itertools.chain(*tries.values())]
        return len(longer) > 2 and min(longer) == math.inf and max(plain, default=math.inf) < math.inf

    @property
    def taken(self) -> str:
        """What takes bytes of commands, by the CONFIGs that contain them and get no answer, while all others do."""
        bad = [argument for argument, times in self._tries.items() if len(times) > 1 and min(times) == math.inf]
        others = itertools.chain(*(times for argument, times in self._tries.items() if argument not in bad))
        if any(map(math.isinf, others)) or PLAIN in bad or HARMLESS in bad:
            return ""  # the line loses other commands as well, or the robot was deaf for a while
        return " and ".join(QUESTIONS[argument] for argument in bad)

    @property
    def unasked_packets(self) -> list[str]:
        """Kinds of packets that another program must have asked for."""
        # In a session of the driver, the driver has asked; an Erratic sends all of them by itself.
        known = not self.chunks or self.profile.erratic
        return [] if known else sorted({type(one).__name__ for one in self.others if not isinstance(one, _EXPECTED)})


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


def _sent_by(name: str, data: bytes) -> re.Match[bytes] | None:
    """Return what in some bytes is of something that is not a robot."""
    return re.search(content()["strangers"][name].encode("latin-1"), data, re.IGNORECASE)
