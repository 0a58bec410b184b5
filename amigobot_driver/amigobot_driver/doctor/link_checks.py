# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Measures of session, link and commands: what the line does, and whether commands reach the robot.

These parts come before those of the robot: what the line changes, the robot only seems to do. Most measures return a
figure, of which config/doctor.yaml says the range.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import statistics
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from ..protocol import HEADER, Gyro, Malformed, Parameters, Reset, Sip, SyncEcho, SyncReply, Unknown
from ..wording import counted
from .changed_bytes import cut_at, length_errors, split
from .evidence import Evidence
from .finding import Cause
from .session import HARMLESS, PLAIN, QUESTIONS
from .strangers import in_hex, shown, stranger
from .table import Seen, measure
from .tap import received
from .target import Kind, Target

#: Packets that a judgment needs.
ENOUGH = 10
#: s by which answers become later if the delay grows, and by which one is later than the others.
_GROWS, _LATE = 0.2, 0.4
#: Share of damaged packets, and of bytes outside packets, from which the link is bad.
_DAMAGED, _SKIPPED = 0.01, 0.02
#: Share of lost packets, and of the time in pauses, from which the link is bad; deviation of the time between packets,
#: in periods and at least in s, from which they are irregular.
_LOST, _PAUSED, _JITTER, _JITTER_FLOOR = 0.03, 0.15, 0.8, 0.06
#: Commands at the end without an answer, from which none arrives any more.
_DEAF = 3
#: m between two poses that a robot at rest cannot alternate between.
_APART = 0.1
#: Beginning of SYNC0.
_SYNC0 = HEADER + b"\x03\x00"
#: Sonars of a ring, which fire in turn.
_RING = 8
#: A profile for an Erratic whose checksum includes the count, as an argument of printf.
_COUNTED = r"extends: erratic\nname: mine\nquirks: {checksum_over_count: true}\n"
#: Text that is longer than the names in a damaged packet, and different letters and digits that make a text.
_SENTENCE, _LETTERS = re.compile(rb"[\x20-\x7e\r\n]{16,}"), 4
#: Packets that the doctor asks for, or that are counted elsewhere.
_EXPECTED = (SyncEcho, SyncReply, Parameters, Gyro, Reset, Malformed, Unknown)
#: Load of one processor from which programs run so late that the link suffers.
_OVERLOAD = 3.0


# -- the session ------------------------------------------------------------------------------------------------------


@measure("unknown-checksum")
def _unknown_checksum(evidence: Evidence) -> list[Seen]:
    if not evidence.counted:
        return []
    command = f"printf '{_COUNTED}' > mine.yaml && {evidence.target.command(' --robot mine.yaml')}"
    return [Seen("the checksum of its packets includes the count", command)]


@measure("echoes")
def _echoes(evidence: Evidence) -> int:
    """Number of commands that come back: frames with ids that no packet of a robot has."""
    frames = Counter(frame for frame in evidence.sent_frames if frame[3] > 2)
    return sum(received(evidence.chunks).count(frame) for frame in frames)


@measure("latency")
def _latency(evidence: Evidence) -> float:
    """Time in s from a command to its answer; of the handshake if no session opened."""
    delays = evidence.config_delays if evidence.answered else evidence.sync_delays
    median = statistics.median_low(evidence.latencies) if evidence.answered > evidence.unanswered else 0.0
    return max(median, min(delays, default=0.0))


@measure("damaged-session")
def _damaged_session(evidence: Evidence) -> str:
    damaged = length_errors(split(received(evidence.chunks))[0]) if evidence.failed else []
    if len(damaged) < 2:
        return ""
    shorter, longer = sum(length < 0 for length in damaged), sum(length > 0 for length in damaged)
    if 2 * max(shorter, longer) <= len(damaged):
        return "Packets are damaged on the way: noise on cable or radio"
    if longer > shorter:
        return "Bytes arrive that the robot has not sent, inside packets: some come twice, or from another sender"
    return "Bytes are lost on the way, single ones inside packets: a buffer overflows, or a contact is loose"


@measure("unknown-packets")
def _unknown_packets(evidence: Evidence) -> str:
    bad = [packet for packet in evidence.handshake if isinstance(packet, (Malformed, Unknown))]
    many = len(bad) > 2 and evidence.failed
    return f"{counted(len(bad), 'packet')}, the last one with id 0x{bad[-1].id:02X}" if many else ""


@measure("refuses-sessions")
def _refuses(evidence: Evidence) -> bool:
    return evidence.refused


@measure("no-session")
def _no_session(evidence: Evidence) -> str:
    """The first step of the handshake that no packet answers."""
    answers = evidence.handshake
    if not evidence.failed:
        return ""
    if any(isinstance(packet, Sip) for packet in answers):
        return (
            "sends packets of a session, and answers no command: the wire to it is broken, or another program uses it"
        )
    asked = sum(chunk.data[:4] == _SYNC0 and chunk.baud in (0, evidence.baud) for chunk in evidence.chunks)
    if sum(isinstance(packet, SyncEcho) and packet.id == 0 for packet in answers) > asked:
        return "it does so more often than it is asked: commands arrive twice, or another program talks to it"
    if not any(isinstance(packet, SyncEcho) and packet.id == 1 for packet in answers):
        return "sends no answer to SYNC1"
    return "sends no answer to SYNC2 with its name"


# -- the session ends -------------------------------------------------------------------------------------------------


@measure("battery-ends-session")
def _flat(evidence: Evidence) -> str:
    volts = evidence.reports[-1].volts if evidence.reports else 0.0
    return evidence.ended if 1.0 < volts < evidence.after.profile.battery.cutoff else ""


@measure("port-lost")
def _port_lost(evidence: Evidence) -> str:
    return evidence.port_problem if evidence.target.kind is not Kind.NETWORK else ""


@measure("bridge-hangs-up")
def _hangs_up(evidence: Evidence) -> str:
    return evidence.port_problem if evidence.target.kind is Kind.NETWORK else ""


@measure("speed-changed")
def _speed_changed(evidence: Evidence) -> str:
    before, now = evidence.baud, evidence.found_at
    return f"The robot went from {before} to {now} baud in the session" if before and now and now != before else ""


@measure("controller-resets")
def _resets(evidence: Evidence) -> str:
    return evidence.ended if evidence.restarted else ""


@measure("falls-silent")
def _falls_silent(evidence: Evidence) -> str:
    link = evidence.after.link
    return evidence.ended if not link.running and link.connections == 1 else ""


@measure("interrupted-session")
def _interrupted(evidence: Evidence) -> str:
    return evidence.ended


# -- packets ----------------------------------------------------------------------------------------------------------


@measure("duration")
def _duration(evidence: Evidence) -> float:
    """Usual time (s) that a packet takes; at 9600 baud that of a SIP is 0.04 to 0.06 s."""
    return evidence.duration


@measure("foreign-text")
def _foreign_text(evidence: Evidence) -> str:
    outside = b" ".join(evidence.outside)
    known, text = stranger(outside), _SENTENCE.search(outside)
    letters = set(re.findall(rb"[A-Za-z0-9]", text[0])) if text else ()
    if (known and known.key == "modem-text") or len(letters) >= _LETTERS:
        return shown(text[0] if text else outside)
    return ""


@measure("cut-packets")
def _cut(evidence: Evidence) -> int:
    """Length to which packets are cut."""
    return cut_at(received(evidence.chunks))


@measure("growing-delay")
def _growing(evidence: Evidence) -> str:
    late = [latency for latency in evidence.latencies if math.isfinite(latency)]
    third = len(late) // 3
    if third < 2:
        return ""
    first, middle, last = min(late[:third]), min(late[third:-third]), min(late[-third:])
    if last - first < _GROWS or not first < middle < last:
        return ""
    return f"after {first:.2f} s at first, after {last:.2f} s at last"


@measure("alternations")
def _alternations(evidence: Evidence) -> int:
    """How often the pose returns to one that it has left: a robot at rest does not."""
    unit = evidence.after.profile.units.distance
    poses = [(sip.x, sip.y) for sip in evidence.decoded]
    jumps = [math.dist(early, late) * unit > _APART for early, late in pairwise(poses)]
    back = [math.dist(early, late) * unit < _APART for early, late in zip(poses, poses[2:], strict=False)]
    return sum(jump and again for jump, again in zip(jumps, back, strict=False))


@measure("longest-run")
def _longest_run(evidence: Evidence) -> int:
    return evidence.longest_run


@measure("repeated")
def _repeated(evidence: Evidence) -> float:
    """Share of the packets that came before."""
    return evidence.repeated / max(1, len(evidence.sips))


@measure("disorder")
def _disorder(evidence: Evidence) -> float:
    """Share of the packets whose sonars go back in their turn, while those inside of packets do not."""
    later = evidence.decoded[len(evidence.decoded) // 2 :]
    sips = [[reading.number for reading in sip.sonar] for sip in later if sip.sonar]
    borders = [(late[0] - early[-1]) % _RING > _RING / 2 for early, late in pairwise(sips)]
    inside = [(late - early) % _RING > _RING / 2 for numbers in sips for early, late in pairwise(numbers)]
    if (
        len({*itertools.chain(*sips)}) < _RING
        or len(borders) < ENOUGH
        or evidence.lost > _LOST
        or any(inside)
        or any(max(numbers) >= _RING for numbers in sips)
    ):
        return 0.0
    return sum(borders) / len(borders)


@measure("late-packets")
def _late(evidence: Evidence) -> bool:
    """Whether packets come in heaps or irregularly, and none is lost."""
    if len(evidence.times) < ENOUGH or evidence.damaged_share > _DAMAGED:
        return False
    if evidence.lost > _LOST and not evidence.held_back:
        return False
    return evidence.paused > _PAUSED or evidence.jitter > max(_JITTER * evidence.period, _JITTER_FLOOR)


@measure("lost")
def _lost(evidence: Evidence) -> float:
    return evidence.lost


@measure("pauses")
def _pauses(evidence: Evidence) -> float:
    """Share of the time in pauses in which packets are lost."""
    return evidence.paused if evidence.lost > _LOST else 0.0


@measure("period")
def _period(evidence: Evidence) -> float:
    """Time between two packets over that which the robot reports."""
    return evidence.period / evidence.nominal if evidence.nominal and evidence.intervals else 1.0


@measure("mean-period")
def _mean_period(evidence: Evidence) -> float:
    mean = statistics.fmean(evidence.intervals) if evidence.intervals else 0.0
    return min(1.0, mean / evidence.nominal) if evidence.nominal and mean else 1.0


@measure("damaged")
def _damaged(evidence: Evidence) -> str:
    """What damaged packets have in common."""
    outside = evidence.skipped_share > _SKIPPED
    if not (evidence.damaged_share > _DAMAGED or outside):
        return ""
    lengths = length_errors(evidence.damaged)
    shorter, longer = sum(length < 0 for length in lengths), sum(length > 0 for length in lengths)
    between, count = [*Counter(evidence.outside).most_common(1), (b"", 0)][0]
    if 2 * longer > len(lengths) or (not lengths and outside):
        named = f"; mostly {in_hex(between)} between packets" if count > len(evidence.outside) / 2 else ""
        return f"Bytes arrive that the robot has not sent ({evidence.summary}{named}): another sender is on the line"
    if 2 * shorter > len(lengths):
        return f"Bytes are lost on the way, single ones inside packets ({evidence.summary}): a buffer overflows"
    return f"Packets are damaged on the way from the robot ({evidence.summary}): noise on cable or radio"


# -- commands ---------------------------------------------------------------------------------------------------------


@measure("malformed-packets")
def _malformed(evidence: Evidence) -> int:
    packets = evidence.after.link.packets
    return packets.malformed + packets.unknown + evidence.wrong_counts


@measure("line-full")
def _full(evidence: Evidence) -> float:
    """Share of the line that packets fill, if commands get no answer."""
    return evidence.line_use if evidence.unanswered else 0.0


@measure("deaf")
def _deaf(evidence: Evidence) -> int:
    """Number of commands at the end without an answer, if it is not the line that loses some all the time."""
    before = list(itertools.dropwhile(math.isinf, reversed(evidence.latencies)))
    silent = len(evidence.latencies) - len(before)
    return silent if silent >= _DEAF and not any(map(math.isinf, before)) else 0


@measure("long-commands")
def _long_commands(evidence: Evidence) -> str:
    tries = _tries(evidence)
    longer = [latency for argument, times in tries.items() if argument is not PLAIN for latency in times]
    plain = tries[PLAIN]
    if len(tries[HARMLESS]) < 2 or min(longer) < math.inf or not plain or max(plain) == math.inf:
        return ""
    return f"None of {len(longer)} commands of 9 bytes has an answer, and each of {len(plain)} of 6 bytes has"


@measure("line-control")
def _not_carried(evidence: Evidence) -> str:
    """What takes bytes of commands, by the CONFIGs that contain them."""
    tries = _tries(evidence)
    # If others are lost as well, the line loses commands, or the robot was deaf for a while.
    bad = [argument for argument, times in tries.items() if len(times) > 1 and min(times) == math.inf]
    lost = sum(map(math.isinf, itertools.chain.from_iterable(tries[argument] for argument in tries.keys() - bad)))
    if lost or PLAIN in bad or HARMLESS in bad:
        return ""
    return " and ".join(QUESTIONS[argument] for argument in bad)


def _tries(evidence: Evidence) -> Mapping[int | None, list[float]]:
    tries: dict[int | None, list[float]] = {argument: [] for argument in QUESTIONS}
    for question in evidence.questions:
        tries[question.argument].append(question.latency)
    return tries


@measure("lost-commands")
def _unanswered(evidence: Evidence) -> int:
    return evidence.unanswered


@measure("late-answers")
def _late_answers(evidence: Evidence) -> float:
    """Share of the answers that come later than the fastest one."""
    times = [latency for latency in evidence.latencies if math.isfinite(latency)]
    late = [latency for latency in times if latency > min(times) + _LATE]
    return len(late) / len(times) if len(late) > 2 else 0.0


@measure("answers")
def _answers(evidence: Evidence) -> float:
    """Answers to each CONFIG; a question that got its answer late has been asked for twice."""
    asked, came = len(evidence.questions), evidence.config_answers
    return (came - 2) / asked if asked > 3 else 0.0


@measure("unasked-packets")
def _not_asked(evidence: Evidence) -> str:
    # In a session of the driver, the driver has asked; an Erratic sends all of them by itself.
    if not evidence.chunks or evidence.after.profile.erratic:
        return ""
    return ", ".join(sorted({type(one).__name__ for one in evidence.packets if not isinstance(one, _EXPECTED)}))


# -- what is shown ----------------------------------------------------------------------------------------------------


def commands_shown(evidence: Evidence) -> str:
    """Return how commands are answered; "" if none was."""
    latencies = evidence.latencies or [evidence.after.link.answer_latency]
    answered = [latency for latency in latencies if math.isfinite(latency)]
    if not answered:
        return ""
    return f"{counted(len(answered), 'command')} answered, after {statistics.median(answered):.2f} s"


def link_values(evidence: Evidence) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """Return the figures of the link, by name, and as a line."""
    use = f", {100 * evidence.line_use:.0f} % of line" if evidence.line_use else ""
    rate = round(evidence.size / evidence.seconds) if evidence.seconds else 0
    values = {
        "seconds": round(evidence.seconds, 1),
        "lost": round(evidence.lost, 4),
        "damaged": round(evidence.damaged_share, 4),
        "period_ms": round(1000 * evidence.period, 1),
        "jitter_ms": round(1000 * evidence.jitter, 1),
        "longest_gap_ms": round(1000 * evidence.longest),
        "bytes_per_second": rate,
    }
    return values, (f"every {1000 * evidence.period:.0f} ms, jitter {1000 * evidence.jitter:.0f} ms, {rate} B/s{use}",)


def overload(target: Target) -> tuple[Cause, ...]:
    """Return the other cause of late packets: this computer."""
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    if load < _OVERLOAD * processors:
        return ()
    text = f"This computer is overloaded: {load:.0f} programs wait for {counted(processors, 'processor')}."
    return (Cause("overload", text, "End other programs (`top` lists them). Then:", target.command()),)
