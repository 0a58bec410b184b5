# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Measures of session, link and commands: what the line does, and whether commands reach the robot.

These parts come before those of the robot: what the line changes, the robot only seems to do.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import statistics
from collections import Counter
from collections.abc import Mapping
from functools import partial

from ..protocol import Aux, Command, Compass, Encoders, Joystick, Malformed, Playlist, Sip, SyncEcho, SyncReply, Unknown
from ..wording import counted
from .evidence import Evidence
from .finding import Cause
from .session import HARMLESS, PLAIN, QUESTIONS
from .strangers import in_hex, shown, stranger
from .table import Seen, measure
from .tap import received
from .target import Kind, Target
from .transformations import cut_at, damaged_packets, length_errors

#: Packets, and bytes of a text, that a judgment needs.
ENOUGH = 10
#: s of the median answer to SYNC0, and of the shortest one to CONFIG, from which the link is slow: on a cable they are
#: 0.03 s and 0.1 to 0.2 s at 9600 baud. s by which the answers of a delay that grows become later.
_LATE_SYNC, _LATE_ANSWER, _GROWS = 0.2, 0.4, 0.2
#: Share of lost or damaged packets, and of bytes outside packets, from which the link counts as bad.
_LOST, _DAMAGED, _SKIPPED = 0.03, 0.01, 0.02
#: Share of the time in pauses from which packets are late, and of packets that came before, from which they come twice.
_PAUSED, _TWICE = 0.15, 0.04
#: Share of packets in pieces from which that is the fault, and not a heap that ends inside a packet. Deviation of the
#: time between packets, in periods and at least in s, from which they are irregular.
_PIECES, _JITTER, _JITTER_FLOOR = 0.25, 0.8, 0.06
#: Period over the reported one from which the robot sends too slowly.
_SLOW = 1.5
#: Commands without an answer from which commands are lost on the way, and from which, at the end, none arrives.
_UNANSWERED, _DEAF = 1, 3
#: m between two poses that a robot at rest cannot alternate between, and how often it must seem to.
_APART, _ALTERNATES = 0.1, 5
#: Sonars of a ring, which fire in turn; share of the SIPs from which their readings show another order of packets.
_RING, _DISORDER = 8, 0.15
#: Answers more than questions, and their share, from which something arrives twice.
_EXTRA, _MORE = 2, 1.08
#: A profile for an Erratic whose checksum includes the count, as an argument of printf.
_COUNTED = r"extends: erratic\nname: mine\nquirks: {checksum_over_count: true}\n"
#: Text that is longer than the names in a damaged packet.
_SENTENCE = re.compile(rb"[\x20-\x7e\r\n]{16,}")
#: Packets that only a request starts; the doctor makes none of these.
_STREAMED = (Encoders, Joystick, Compass, Playlist, Aux)
#: Share of a serial line that packets fill from which answers have no room.
_FULL = 0.9
#: Load of one processor from which programs run so late that the link suffers.
_OVERLOAD = 3.0


# -- the session ------------------------------------------------------------------------------------------------------


@measure("latency")
def _latency(evidence: Evidence) -> str:
    answered = [one.latency for one in evidence.trial if math.isfinite(one.latency)]
    # One in five: delays may come and go.
    first = sorted(answered)[len(answered) * 4 // 5] if answered else 0.0
    fastest = min(evidence.latencies, default=0.0)
    fastest = max(fastest, min(evidence.config_delays, default=0.0))
    late = first if first > _LATE_SYNC else fastest if _LATE_ANSWER < fastest < math.inf else 0.0
    return f"The robot answers {late:.2f} s after a command" if late else ""


@measure("sync-lost")
def _sync_lost(evidence: Evidence) -> str:
    tried = len(evidence.trial)
    came = Command.PULSE().encode() in received(evidence.chunks)
    if not tried or came or evidence.after.link.running:
        return ""
    return f"SYNC0 got no answer in {counted(tried, 'attempt')}, though the robot answers other commands"


@measure("unknown-checksum")
def _unknown_checksum(evidence: Evidence) -> list[Seen]:
    if not evidence.counted or not _failed(evidence):
        return []
    command = f"printf '{_COUNTED}' > mine.yaml && {evidence.target.command(' --robot mine.yaml')}"
    return [Seen("the checksum of its packets includes the count", command)]


def _failed(evidence: Evidence) -> bool:
    """Whether no session was opened: nothing was observed in one."""
    return not evidence.seconds and not evidence.after.link.running


@measure("split-packets")
def _split(evidence: Evidence) -> str:
    pieces = evidence.in_pieces
    long = sum(not isinstance(packet, SyncEcho) for packet in evidence.handshake)
    many = pieces > max(2, _PIECES * long)
    return f"{counted(pieces, 'packet')} came in pieces, with pauses of more than 0.1 s inside" if many else ""


@measure("damaged-session")
def _damaged_session(evidence: Evidence) -> str:
    return _damage(received(evidence.chunks)) if _failed(evidence) else ""


@measure("unknown-packets")
def _unknown_packets(evidence: Evidence) -> str:
    bad = [packet for packet in evidence.handshake if isinstance(packet, (Malformed, Unknown))]
    many = len(bad) > 2 and _failed(evidence)
    return f"{counted(len(bad), 'packet')}, the last one with id 0x{bad[-1].id:02X}" if many else ""


@measure("deaf-in-session")
def _deaf_in_session(evidence: Evidence) -> str:
    return (
        "Packets of an open session arrive, and it answers no command"
        if _failed(evidence) and evidence.streaming
        else ""
    )


@measure("lost-commands-early")
def _lost_early(evidence: Evidence) -> str:
    lost, tried = sum(math.isinf(one.latency) for one in evidence.trial), len(evidence.trial)
    return f"{lost} of {tried} SYNC0s got no answer" if _failed(evidence) and lost else ""


@measure("answered-twice")
def _answered_twice(evidence: Evidence) -> str:
    question = Command.PULSE().encode()
    sent = sum(chunk.data.count(question) for chunk in evidence.chunks if chunk.to_robot)
    came = received(evidence.chunks).count(question)
    twice = came >= sent + _EXTRA and came > _MORE * sent
    return f"{came} answers to {counted(sent, 'SYNC0')}" if twice else ""


@measure("refuses-sessions")
def _refuses(evidence: Evidence) -> str:
    return "it answers and opens no session" if evidence.refused else ""


@measure("no-session")
def _no_session(evidence: Evidence) -> str:
    """The first step of the handshake that no packet answers."""
    if not _failed(evidence):
        return ""
    answers = evidence.handshake
    if not any(isinstance(packet, SyncEcho) and packet.id == 1 for packet in answers):
        return "sends no answer to SYNC1"
    if not any(isinstance(packet, SyncReply) for packet in answers):
        return "sends no answer to SYNC2 with its name"
    if not any(isinstance(packet, Sip) for packet in answers):
        return "sends no packets after OPEN"
    return "then no more: another program may talk to it"


# -- the session ends -------------------------------------------------------------------------------------------------


def _ended(evidence: Evidence, *notes: str) -> str:
    """Why the session did not stay open; with `notes` only if one of them is in the text."""
    if not evidence.losses or not any(note in evidence.losses[0] for note in notes or ("",)):
        return ""
    return f"the session does not stay open ({counted(len(evidence.losses), 'time')}): {evidence.losses[0]}"


@measure("battery-ends-session")
def _flat(evidence: Evidence) -> str:
    volts = evidence.reports[-1].volts if evidence.reports else 0.0
    return _ended(evidence) if 1.0 < volts < evidence.after.profile.battery.cutoff else ""


@measure("port-lost")
def _port_lost(evidence: Evidence) -> str:
    return _ended(evidence, "disappeared") if evidence.target.kind is not Kind.NETWORK else ""


@measure("bridge-hangs-up")
def _hangs_up(evidence: Evidence) -> str:
    return _ended(evidence, "closed the connection", "reset by peer") if evidence.target.kind is Kind.NETWORK else ""


@measure("speed-changed")
def _speed_changed(evidence: Evidence) -> str:
    before, now = evidence.baud, evidence.found_at
    return f"The robot went from {before} to {now} baud in the session" if before and now and now != before else ""


@measure("controller-resets")
def _resets(evidence: Evidence) -> str:
    return _ended(evidence) if evidence.restarted else ""


@measure("falls-silent")
def _falls_silent(evidence: Evidence) -> str:
    return _ended(evidence) if not evidence.after.link.running else ""


measure("interrupted-session")(_ended)


# -- packets ----------------------------------------------------------------------------------------------------------


@measure("echo-now-and-then")
def _echo(evidence: Evidence) -> str:
    """Commands that no robot sends: their ids are not those of packets."""
    sent = Counter(chunk.data for chunk in evidence.chunks if chunk.to_robot and len(chunk.data) > 5)
    commands = {data for data in sent if data[3] not in (0, 1, 2)}
    came = sum(received(evidence.chunks).count(data) for data in commands)
    return f"{counted(came, 'command')} came back from the line" if came > 2 else ""


@measure("foreign-text")
def _foreign_text(evidence: Evidence) -> str:
    outside = b" ".join(evidence.outside)
    known, text = stranger(outside), _SENTENCE.search(outside)
    if (known and known.key == "modem-text") or (text and len(shown(text[0])) >= ENOUGH):
        return f'Text comes between the packets: "{shown(text[0] if text else outside)}"'
    return ""


@measure("cut-packets")
def _cut(evidence: Evidence) -> str:
    length = cut_at(received(evidence.chunks))
    return f"Packets are cut after {length} bytes" if length else ""


@measure("growing-delay")
def _growing(evidence: Evidence) -> str:
    late = [latency for latency in evidence.latencies if math.isfinite(latency)]
    third = len(late) // 3
    if third < 2:
        return ""
    first, last = min(late[:third]), min(late[-third:])
    middle = min(late[third:-third])
    if last - first < _GROWS or not first < middle < last:
        return ""
    return f"Answers come later and later: after {first:.2f} s at first, after {last:.2f} s at last"


@measure("two-senders")
def _two_senders(evidence: Evidence) -> str:
    """A robot at rest does not return again and again to a pose that it has left."""
    unit = evidence.after.profile.units.distance
    poses = [(sip.x, sip.y) for sip in evidence.decoded]
    jumps = [math.dist(early, late) * unit > _APART for early, late in itertools.pairwise(poses)]
    back = [math.dist(early, late) * unit < _APART for early, late in zip(poses, poses[2:], strict=False)]
    alternates = sum(jump and again for jump, again in zip(jumps, back, strict=False))
    return f"The packets alternate {alternates} times between two poses" if alternates >= _ALTERNATES else ""


@measure("frozen-packets")
def _frozen(evidence: Evidence) -> str:
    run = evidence.longest_run
    return f"{counted(run, 'packet')} in a row are the same, with their sonar readings" if run > 2 * ENOUGH else ""


@measure("packets-twice")
def _twice(evidence: Evidence) -> str:
    again, sips = evidence.repeated, len(evidence.sips)
    return f"{100 * again / sips:.0f} % of the packets came twice" if sips and again > _TWICE * sips else ""


@measure("packet-order")
def _order(evidence: Evidence) -> str:
    """Sonars fire in turn: readings that go back at the border of two packets show that the packets are exchanged."""
    sips = [[reading.number for reading in sip.sonar] for sip in evidence.decoded if sip.sonar]
    borders = [(late[0] - early[-1]) % _RING for early, late in itertools.pairwise(sips)]
    inside = [(late - early) % _RING for numbers in sips for early, late in itertools.pairwise(numbers)]
    wrong = sum(step > _RING / 2 for step in borders)
    if evidence.lost > _LOST or any(max(numbers) >= _RING for numbers in sips):
        return ""
    if len(borders) < ENOUGH or wrong < _DISORDER * len(borders) or any(step > _RING / 2 for step in inside):
        return ""
    return f"{100 * wrong // len(borders)} % of the packets came before one that the robot sent earlier"


@measure("late-packets")
def _heaps(evidence: Evidence) -> str:
    if (evidence.lost > _LOST and not evidence.held_back) or len(evidence.times) < ENOUGH:
        return ""
    late = evidence.paused > _PAUSED or evidence.jitter > max(_JITTER * evidence.period, _JITTER_FLOOR)
    return f"Packets are up to {evidence.longest:.1f} s late, and come in heaps; none is lost" if late else ""


def _damaged(evidence: Evidence, *, sign: int = 0) -> str:
    """Loss and damage; with a sign only if most damaged packets are too short (-1) or too long (1)."""
    outside = evidence.skipped_share > _SKIPPED
    # Packets with pauses inside are skipped, too, on a busy computer.
    only_outside = sign > 0 and not evidence.damaged and outside and evidence.in_pieces <= 1
    lengths = length_errors(evidence.damaged)
    most = sum(length * sign > 0 for length in lengths) > len(lengths) / 2
    if not (evidence.damaged_share > _DAMAGED or outside) or (sign and not only_outside and not most):
        return ""
    between, count = [*Counter(evidence.outside).most_common(1), (b"", 0)][0]
    named = f"; mostly {in_hex(between)} between packets" if sign > 0 and count > len(evidence.outside) / 2 else ""
    return f"{evidence.summary}{named}"


measure("lost-bytes")(partial(_damaged, sign=-1))
measure("surplus-bytes")(partial(_damaged, sign=1))
measure("bad-link")(_damaged)


@measure("slow-packets")
def _slow(evidence: Evidence) -> str:
    if evidence.period > _SLOW * evidence.nominal > 0:
        return f"a packet every {1000 * evidence.period:.0f} ms, and its configuration (SInfoCycle) says " + (
            f"{1000 * evidence.nominal:.0f}"
        )
    return ""


@measure("fast-packets")
def _fast(evidence: Evidence) -> str:
    mean = statistics.fmean(evidence.intervals) if evidence.intervals else math.inf
    if mean < evidence.nominal / _SLOW:
        return f"a packet every {1000 * mean:.0f} ms, and its configuration says {1000 * evidence.nominal:.0f}"
    return ""


@measure("pauses")
def _pauses(evidence: Evidence) -> str:
    if evidence.lost > _LOST and evidence.paused > _PAUSED:
        return f"pauses of up to {evidence.longest:.1f} s, in which packets are lost: {evidence.summary}"
    return ""


@measure("lost-packets")
def _lost(evidence: Evidence) -> str:
    return evidence.summary if evidence.lost > _LOST else ""


# -- commands ---------------------------------------------------------------------------------------------------------


@measure("malformed-packets")
def _malformed(evidence: Evidence) -> str:
    packets = evidence.after.link.packets
    bad = packets.malformed + packets.unknown + evidence.wrong_counts
    return f"{counted(bad, 'packet')} with a right checksum had an unknown content" if bad > 2 else ""


@measure("line-full")
def _full(evidence: Evidence) -> str:
    share = evidence.line_use
    full = share > _FULL and _unanswered(evidence)
    return f"The packets of the robot fill {100 * share:.0f} % of the line" if full else ""


@measure("deaf")
def _deaf(evidence: Evidence) -> str:
    latencies = evidence.latencies
    before = list(itertools.dropwhile(math.isinf, reversed(latencies)))
    silent = len(latencies) - len(before)
    # With some of the earlier ones lost as well, it is the line that loses them.
    lost = sum(map(math.isinf, [*before, *(one.latency for one in evidence.trial)]))
    if silent < _DEAF or lost > 1:
        return ""
    if not before and not evidence.after.config:
        return f"Packets arrive, and none of {counted(silent, 'CONFIG')} has an answer"
    return f"Packets arrive, and the robot answers no command any more: {silent} without answer"


def _tries(evidence: Evidence) -> Mapping[int | None, list[float]]:
    tries: dict[int | None, list[float]] = {argument: [] for argument in QUESTIONS}
    for answer in evidence.answers:
        tries[answer.argument].append(answer.latency)
    return tries


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
    lost += sum(math.isinf(one.latency) for one in evidence.trial)
    if not bad or lost or PLAIN in bad or HARMLESS in bad:
        return ""
    return " and ".join(QUESTIONS[argument] for argument in bad)


@measure("lost-commands")
def _unanswered(evidence: Evidence) -> str:
    all_tries = [*(one.latency for one in evidence.trial), *evidence.latencies]
    lost = sum(map(math.isinf, all_tries))
    return f"{lost} of {counted(len(all_tries), 'command')} got no answer" if lost >= _UNANSWERED else ""


@measure("other-client")
def _too_many_answers(evidence: Evidence) -> str:
    asked, came = len(evidence.answers), evidence.config_answers
    return f"{came} answers to {counted(asked, 'CONFIG')}" if asked > 3 and came > 1.5 * asked + 2 else ""


@measure("unasked-packets")
def _not_asked(evidence: Evidence) -> str:
    asked = bool(evidence.chunks)  # in a session of the driver, the driver has asked
    return ", ".join(sorted({type(one).__name__ for one in evidence.packets if asked and isinstance(one, _STREAMED)}))


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


def _damage(data: bytes) -> str:
    """Return what most damaged packets have in common; "" without damaged packets."""
    damaged = damaged_packets(data)
    lengths = length_errors(damaged)
    if len(lengths) < 2:
        return ""
    if 2 * sum(length > 0 for length in lengths) > len(lengths):
        return "Bytes arrive that the robot has not sent, inside packets: some come twice, or from another sender"
    if 2 * sum(length < 0 for length in lengths) > len(lengths):
        return "Bytes are lost on the way, single ones inside packets: a buffer overflows, or a contact is loose"
    return "Packets are damaged on the way: noise on cable or radio"
