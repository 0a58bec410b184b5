# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Figures of the answers: whether the robot gets the commands, and how soon."""

from __future__ import annotations

import itertools
import math
import statistics
from bisect import bisect_left
from functools import cached_property

from ..protocol import HEADER, Command, Reset, SyncEcho, TuningValues, checksum
from .recording import Recording
from .session import HARMLESS, PLAIN, QUESTIONS

#: s in which a robot answers.
_PROMPT = 0.15
_LONGEST = 6.0  # s, of a delay that is looked for
#: First bytes of the frames that have an answer: SYNC0 to SYNC2, and CONFIG with and without an argument.
_ANSWERED = {HEADER + bytes((size, number)) for size, number in ((3, 0), (3, 1), (3, 2), (3, 18), (6, 18))}
#: The answer to CONFIG, 18, has the id 0x20. The ids of all other answers are the numbers of their commands.
_ASKED_BY = {0x20: 18, 18: 0x20}
_CLOSE = Command.CLOSE().encode()


class AnswerFigures(Recording):
    """Figures of the answers to commands."""

    # -- the handshake ------------------------------------------------------------------------------------------------

    @property
    def syncs(self) -> list[tuple[int, int]]:
        """Numbers of SYNC0 to SYNC2 that were sent, each after the one before it, and of their answers."""
        own = [one.data for one in self.chunks if one.to_robot and (not self.baud or one.baud in (0, self.baud))]
        sent = bytes(data[3] for data in own if len(data) > 3)
        came = [one.packet.id for one in self.arrivals]
        return [(sent.count(bytes(range(number + 1))), came.count(number)) for number in range(3)]

    @property
    def lost_syncs(self) -> int:
        """Number of them that got no answer."""
        return sum(max(0, sent - came) for sent, came in self.syncs)

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

    # -- the session --------------------------------------------------------------------------------------------------

    @cached_property
    def latencies(self) -> list[float]:
        """Times in s from a CONFIG to its answer; inf: none came."""
        return [question.latency for question in self.questions]

    @property
    def answer_times(self) -> list[float]:
        """The same of those with an answer; of a session of the driver, the last one."""
        latencies = self.latencies or [self.now.link.answer_latency]
        return [latency for latency in latencies if math.isfinite(latency)]

    @property
    def unanswered(self) -> int:
        """Number of CONFIGs without an answer."""
        return sum(map(math.isinf, self.latencies))

    @property
    def answers(self) -> int:
        """Number of CONFIG packets that came during the observation."""
        return sum(isinstance(one.packet, TuningValues) for one in self.arrivals)

    @property
    def latency(self) -> float:
        """Time in s from a command to its answer: the delay at which most answers have a question before them."""
        sent = [(one.data[3], one.stamp) for one in self.chunks if one.to_robot and one.data[:4] in _ANSWERED]
        came = [(_ASKED_BY.get(one.data[0], one.data[0]), one.stamp) for one in self.decode(checksum, self.chunks)]
        pairs = [answer - question for kind, answer in came for asked, question in sent if kind == asked]
        delays = sorted(delay for delay in pairs if 0 < delay < _LONGEST)
        within = [bisect_left(delays, delay + _PROMPT) - at for at, delay in enumerate(delays)]
        best = within.index(max(within)) if within else 0
        matched = statistics.median_low(delays[best : best + within[best]]) if within and within[best] > 2 else 0.0
        median = statistics.median_low(self.latencies) if len(self.latencies) > 2 * self.unanswered else 0.0
        return matched or median

    @property
    def delay_growth(self) -> float:
        """By how many s the last third of the answers, up to one that is missing, comes later than the first third."""
        times = [*itertools.takewhile(math.isfinite, self.latencies)]  # then one may answer an earlier question
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
        lost = [question.argument for question in self.questions if question.latency == math.inf]
        answered = {question.argument for question in self.questions if question.latency < math.inf}
        bad = [argument for argument in QUESTIONS if lost.count(argument) > 1 and argument not in answered]
        if {*lost} != {*bad} or PLAIN in bad or HARMLESS in bad:
            return ""  # the line loses other commands as well, or the robot was deaf for a while
        return " and ".join(QUESTIONS[argument] for argument in bad)
