# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The link over some seconds: what the line does to bytes and packets, and whether commands reach the robot.

These rows come before those of the robot: what the line changes, the robot only seems to do.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import re
import statistics
from collections.abc import Iterator
from functools import partial

from ...errors import PortError
from ...protocol import Aux, Compass, Encoders, Joystick, Parameters, Playlist
from ...wording import counted
from ..changed_bytes import changed_bytes
from ..check import Case, Row, Stage, check, wrong
from ..connection import QUESTIONS
from ..finding import Cause, Finding, Severity
from ..probe import Answer, Prober
from ..strangers import shown, stranger
from ..target import Kind
from ..traffic import SLOW

WARNING, ERROR = Severity.WARNING, Severity.ERROR

#: Share of lost or damaged packets, and of bytes outside packets, from which the link counts as bad.
_LOST, _DAMAGED, _SKIPPED = 0.03, 0.01, 0.02
#: Share of the time in pauses from which packets are late, and of packets that came before, from which they come twice.
_PAUSED, _TWICE = 0.15, 0.04
#: Share of packets in pieces from which that is the fault, and not a burst that ends inside a packet. Deviation of the
#: time between packets, in periods and at least in s, from which they are irregular.
_PIECES, _JITTER, _JITTER_FLOOR = 0.25, 0.8, 0.06
#: s of the shortest answer to CONFIG from which the link is slow: on a cable it is 0.1 to 0.2 s at 9600 baud.
_LATE_ANSWER = 0.4
#: Commands without an answer from which commands are lost on the way, and from which, at the end, none arrives.
_UNANSWERED, _DEAF = 2, 3
#: Text that is longer than the names in a damaged packet.
_SENTENCE = re.compile(rb"[\x20-\x7e\r\n]{16,}")
#: Packets that only a request starts; the doctor makes none of these.
_STREAMED = (Encoders, Joystick, Compass, Playlist, Aux)
#: Share of a serial line that packets fill from which answers have no room.
_FULL = 0.9
#: Load of one processor from which programs run so late that the link suffers.
_OVERLOAD = 3.0
#: Packets, and bytes of a text, that a judgment needs.
_ENOUGH = 10
_CABLE = "Check plugs and cable, bring the radio nearer, move other 2.4 GHz transmitters away. Then:"
_BUFFERS = (
    "Switch buffering off in the bridge or adapter (packet mode, Nagle, latency timer), or use a cable. End programs "
    "that load this computer. Then:"
)


# -- the session ends -------------------------------------------------------------------------------------------------


def _lost_with(*notes: str, serial: bool = True, network: bool = True) -> partial[str]:
    return partial(_ended, notes=notes, serial=serial, network=network)


def _ended(case: Case, *, notes: tuple[str, ...] = ("",), serial: bool = True, network: bool = True) -> str:
    losses = case.observation.losses
    right_kind = network if case.target.kind is Kind.NETWORK else serial
    if not losses or not right_kind or not any(note in losses[0] for note in notes):
        return ""
    return f"the session does not stay open ({counted(len(losses), 'time')}): {losses[0]}"


def _flat(case: Case) -> str:
    reports = case.observation.reports
    flat = reports and 1.0 < reports[-1].volts < case.observation.after.profile.battery.cutoff
    return _ended(case) if flat else ""


def _other_speed(case: Case) -> str:
    before, after = case.probe.baud if case.probe else 0, case.observation.after
    if not case.observation.losses or not before or after.link.running or case.port is None:
        return ""
    with contextlib.suppress(PortError):
        found = Prober(case.port, clock=case.clock).run(before)
        if found.answer is Answer.ROBOT and found.baud != before:
            return f"the robot went from {before} to {found.baud} baud in the session"
    return ""


_SESSION = (
    Row(
        "latency",
        ERROR,
        lambda case: _ended(case) and _latency(case),
        "{} (0.1 to 0.2 s on a cable), too late for a session: a radio, bridge or adapter holds bytes back.",
        _BUFFERS,
    ),
    Row(
        "battery-low",
        ERROR,
        _flat,
        "the battery is empty: the robot ends each session.",
        "Charge it. Then:",
    ),
    Row(
        "port-lost",
        ERROR,
        _lost_with("disappeared", network=False),
        "the port disappeared while the robot was observed: a loose plug, or a USB hub without enough power.",
        "Plug the adapter in, without a hub. Then:",
    ),
    Row(
        "bad-link",
        ERROR,
        _lost_with("closed the connection", "reset by peer", serial=False),
        "the bridge ended the connection: it restarts, or gives the robot to another client.",
        "Check its power and its settings, and end other programs. Then:",
    ),
    Row(
        "speed-changed",
        ERROR,
        _other_speed,
        "{}: after HOSTBAUD it falls back to the speed of its FLASH, or it restarted.",
        "Let no program send HOSTBAUD, or set HostBaud in the FLASH of the robot. Then:",
    ),
    Row(
        "controller-resets",
        ERROR,
        lambda case: _ended(case) if case.observation.resets else "",
        "the controller of the robot restarts: its supply drops out, or RESET is pressed.",
        "Charge the battery, and check its connectors. Then:",
    ),
    Row(
        "controller-resets",
        ERROR,
        lambda case: _ended(case) if case.traffic.restarted else "",
        "the robot forgets the session: its controller restarts (its supply drops out, RESET is pressed), or another "
        "program closes the session.",
        "Charge the battery, check its connectors, and end other programs, also on other computers. Then:",
    ),
    Row(
        "falls-silent",
        ERROR,
        lambda case: _ended(case) if not case.observation.after.link.running else "",
        "the robot falls silent and does not come back: it was switched off, its battery or supply fails, or the wire "
        "from the robot (receive) is broken. ({})",
        "Look at its power light, charge it, and check the cable. Then:",
    ),
    Row(
        "bad-link",
        ERROR,
        _ended,
        "the line is interrupted: nothing arrives for more than a second, then the same session goes on. ({})",
        "Check battery, cable and radio. Then:",
    ),
)

# -- packets ----------------------------------------------------------------------------------------------------------


def _split(case: Case) -> str:
    traffic = case.traffic
    more = len(traffic.frames) - traffic.complete
    if more <= max(2, _PIECES * len(traffic.frames)):
        return ""
    share = 100 * more / len(traffic.frames)
    return f"{share:.0f} % of the packets came in pieces, with pauses of more than 0.1 s inside"


def _text(case: Case) -> str:
    traffic = case.traffic
    outside = traffic.outside if traffic.skipped else b""
    known, text = stranger(outside), _SENTENCE.search(outside)
    if (known and known.key == "modem-text") or text:
        return f'text between the packets: "{shown(text[0] if text else outside)}"'
    return ""


def _twice(case: Case) -> str:
    again, sips = case.traffic.repeated, len(case.traffic.sips)
    return f"{100 * again / sips:.0f} % of the packets came twice" if sips and again > _TWICE * sips else ""


def _frozen(case: Case) -> str:
    run = case.traffic.frozen
    return f"{counted(run, 'packet')} in a row are the same, with their sonar readings" if run > 2 * _ENOUGH else ""


def _damaged(case: Case, *, sign: int = 0) -> str:
    """Loss and damage; with a sign only if most damaged packets are too short (-1) or too long (1)."""
    traffic = case.traffic
    outside = traffic.skipped > _SKIPPED * traffic.bytes
    # Packets with pauses inside are skipped, too, on a busy computer.
    only_outside = sign > 0 and not traffic.damaged and outside and len(traffic.frames) - traffic.complete <= 1
    bad = traffic.damaged_share > _DAMAGED or outside
    return traffic.summary if bad and (not sign or only_outside or traffic.wrong_lengths(sign) > 0.5) else ""


def _slow(case: Case) -> str:
    traffic = case.traffic
    if traffic.period > SLOW * traffic.nominal > 0:
        return f"a packet every {1000 * traffic.period:.0f} ms, and the configuration says {1000 * traffic.nominal:.0f}"
    return ""


def _fast(case: Case) -> str:
    traffic = case.traffic
    mean = statistics.fmean(traffic.intervals) if traffic.intervals else math.inf
    if mean < traffic.nominal / SLOW:
        return f"a packet every {1000 * mean:.0f} ms, and the configuration says {1000 * traffic.nominal:.0f}"
    return ""


def _interrupted(case: Case) -> str:
    traffic = case.traffic
    if traffic.lost > _LOST and traffic.paused > _PAUSED:
        return f"pauses of up to {traffic.longest:.1f} s, in which packets are lost: {traffic.summary}"
    return ""


def _bursts(case: Case) -> str:
    traffic = case.traffic
    if traffic.lost > _LOST:
        return ""
    late = traffic.paused > _PAUSED or traffic.jitter > max(_JITTER * traffic.period, _JITTER_FLOOR)
    return f"packets are up to {traffic.longest:.1f} s late, in bursts; none is lost" if late else ""


_PACKETS = (
    Row(
        "modem-text",
        WARNING,
        _text,
        "{}: a radio modem or another device writes to the line.",
        "Bring the modems nearer to each other, and let nothing else write to the line. Then:",
    ),
    Row(
        "split-packets",
        WARNING,
        _split,
        "{}: an adapter or bridge passes the bytes on in pieces, and late.",
        _BUFFERS,
    ),
    Row(
        "frozen-packets",
        ERROR,
        _frozen,
        "{}: the robot hangs, or something repeats an old packet.",
        "Press RESET on the robot, and let nothing stand between it and this computer. Then:",
    ),
    Row(
        "packets-twice",
        WARNING,
        _twice,
        "{}: two ways lead to this computer, or a bridge or radio repeats what it takes for lost.",
        "Leave one way only, and look for 'retry' or 'mirror' in the settings of the bridge. Then:",
    ),
    Row("late-packets", WARNING, _bursts, "{}: an adapter, bridge or this computer holds them back.", _BUFFERS),
    Row(
        "lost-bytes",
        WARNING,
        partial(_damaged, sign=-1),
        "bytes are lost on the way, single ones inside packets ({}): a buffer overflows, or a contact is loose.",
        "Use another adapter or a lower line speed; check plugs and cable. Then:",
    ),
    Row(
        "surplus-bytes",
        WARNING,
        partial(_damaged, sign=1),
        "bytes arrive that the robot has not sent ({}): some come twice, or another sender is on the line.",
        "Leave one sender on the line, and switch echo and escapes of the adapter off. Then:",
    ),
    Row(
        "bad-link",
        WARNING,
        _damaged,
        "packets are damaged on the way ({}): noise on cable or radio.",
        _CABLE,
    ),
    Row(
        "slow-packets",
        WARNING,
        _slow,
        "the robot sends {}.",
        "Switch the robot off and on; if it stays, all data are as slow as that. Then:",
    ),
    Row(
        "fast-packets",
        WARNING,
        _fast,
        "the robot sends {}: packets come more than once, or SInfoCycle is not what it reports.",
        "Switch the robot off and on. Then:",
    ),
    Row("bad-link", WARNING, _interrupted, "the line is interrupted again and again: {}.", _CABLE),
    Row(
        "lost-packets",
        WARNING,
        lambda case: case.traffic.summary if case.traffic.lost > _LOST else "",
        "whole packets are lost on the way ({}), the others are undamaged: a radio or bridge drops them, or the line "
        "is too slow for what the robot sends.",
        _CABLE,
    ),
)

# -- commands ---------------------------------------------------------------------------------------------------------


def _latencies(case: Case, argument: int | None) -> list[float]:
    return [answer.latency for answer in case.observation.answers if answer.argument == argument]


def _deaf(case: Case) -> str:
    observation = case.observation
    latencies = [answer.latency for answer in observation.answers]
    before = list(itertools.dropwhile(math.isinf, reversed(latencies)))
    silent = len(latencies) - len(before)
    # With some of the earlier ones lost as well, it is the line that loses them.
    if silent < _DEAF or sum(map(math.isinf, before)) > 1:
        return ""
    if not before and not observation.after.config:
        return f"packets arrive, and none of {counted(silent, 'CONFIG')} has an answer"
    return f"packets arrive, and the robot answers no command any more: {silent} without answer"


def _not_carried(case: Case) -> str:
    """What takes bytes of commands, by the CONFIGs that contain them."""
    tries = {argument: _latencies(case, argument) for argument in QUESTIONS}
    # If others are lost as well, the line loses commands, or the robot was deaf for a while.
    bad = [argument for argument, times in tries.items() if len(times) > 1 and min(times) == math.inf]
    lost = sum(map(math.isinf, itertools.chain.from_iterable(tries[argument] for argument in tries.keys() - bad)))
    if not bad or lost or None in bad or len(bad) >= len(QUESTIONS) - 1:
        return ""
    return " and ".join(QUESTIONS[argument] for argument in bad)


def _too_many_answers(case: Case) -> str:
    asked = len(case.observation.answers)
    came = sum(isinstance(packet, Parameters) for packet in case.observation.packets)
    return f"{came} answers to {counted(asked, 'CONFIG')}" if asked > 3 and came > 1.5 * asked + 2 else ""


def _not_asked(case: Case) -> str:
    """Packets that the doctor has not asked for."""
    streams = {type(packet).__name__ for packet in case.observation.packets if isinstance(packet, _STREAMED)}
    return f"packets come that the doctor has not asked for: {', '.join(sorted(streams))}" if streams else ""


def _malformed(case: Case) -> str:
    packets = case.observation.after.link.packets
    bad = packets.malformed + packets.unknown + case.traffic.wrong_counts
    return f"{counted(bad, 'packet')} with a right checksum had an unknown content" if bad > 2 else ""


def _unanswered(case: Case) -> str:
    latencies = [answer.latency for answer in case.observation.answers]
    lost = sum(map(math.isinf, latencies))
    return "" if lost < _UNANSWERED else f"{lost} of {counted(len(latencies), 'command')} got no answer"


def _full(case: Case) -> str:
    share = _share(case)
    return (
        f"the packets of the robot fill {100 * share:.0f} % of the line" if share > _FULL and _unanswered(case) else ""
    )


def _latency(case: Case) -> str:
    fastest = min((answer.latency for answer in case.observation.answers), default=math.inf)
    return f"the robot answers {fastest:.2f} s after a command" if _LATE_ANSWER < fastest < math.inf else ""


def _disobeyed(case: Case) -> str:
    after = case.observation.after
    return after.sonar.problem


_COMMANDS = (
    Row(
        "malformed-packets",
        WARNING,
        _malformed,
        "{}: a firmware that the driver does not know, or something on the way cuts packets and repairs checksums.",
        "Attach a report to an issue (--report report.zip), and let nothing stand between. Then:",
    ),
    Row(
        "line-full",
        ERROR,
        _full,
        "{}, and leave no room for answers: SInfoCycle is too short for the line speed.",
        "Set SInfoCycle to 100 with the maintenance tool of the robot, or a higher line speed (HostBaud). Then:",
    ),
    Row(
        "deaf",
        ERROR,
        _deaf,
        "{}. The wire to the robot (transmit) is broken, or its controller hangs: it could not be stopped.",
        "Check the cable (pin 3 of the computer), then press RESET on the robot. Then:",
    ),
    Row(
        "line-control",
        ERROR,
        _not_carried,
        "on the way to the robot {}: commands with these bytes get no answer, others do.",
        "Set the port of the adapter, bridge or program between to raw 8N1, without flow control. Then:",
    ),
    Row(
        "lost-commands",
        WARNING,
        _unanswered,
        "{}, while packets arrive: commands are lost on the way to the robot.",
        "Check the cable or radio, and end other programs that send to the robot. Then:",
    ),
    Row(
        "other-client",
        WARNING,
        _too_many_answers,
        "{}: commands arrive twice, or another program talks to the robot.",
        "End other programs, also on other computers; lead one way only to the robot. Then:",
    ),
    Row(
        "latency",
        WARNING,
        _latency,
        "{} (0.1 to 0.2 s on a cable): a radio, bridge or adapter holds bytes back, and the robot obeys as late.",
        _BUFFERS,
    ),
    Row(
        "disobeyed",
        ERROR,
        _disobeyed,
        "commands arrive, and the robot does not follow one: {}.",
        "Look for another program or a joystick that commands it, and press RESET on the robot. Then:",
    ),
)


@check("link", Stage.CONNECTED)
def link(case: Case) -> Iterator[Finding]:
    """Packets arrive complete, undamaged and in time."""
    observation, traffic, again = case.observation, case.traffic, case.target.command()
    values = {
        "seconds": round(observation.seconds, 1),
        "packets": traffic.complete,
        "lost": round(traffic.lost, 4),
        "damaged": round(traffic.damaged_share, 4),
        "skipped_bytes": traffic.skipped,
        "period_ms": round(1000 * traffic.period, 1),
        "jitter_ms": round(1000 * traffic.jitter, 1),
        "longest_gap_ms": round(1000 * traffic.longest),
        "bytes_per_second": round(traffic.bytes / observation.seconds),
    }
    details = (
        f"every {1000 * traffic.period:.0f} ms, jitter {1000 * traffic.jitter:.0f} ms, "
        f"{values['bytes_per_second']} B/s{_use(case)}",
    )
    found = [*changed_bytes(case.chunks, "link", again), *wrong("link", (*_SESSION, *_PACKETS), case, first=True)][:1]
    for finding in found:
        case.line_fault = True
        causes = (*finding.causes, *_overload(again))
        yield Finding("link", finding.severity, finding.text, causes, details, values)
    if not found and len(observation.reports) >= _ENOUGH:
        yield Finding("link", Severity.OK, traffic.summary, details=details, values=values)


@check("commands", Stage.CONNECTED)
def commands(case: Case) -> Iterator[Finding]:
    """The robot answers commands, until the end and in time."""
    observation = case.observation
    if seen := _not_asked(case):
        yield Finding("commands", Severity.NOTE, f"{seen}; another program may have asked")
    found = [] if case.line_fault else list(wrong("commands", _COMMANDS, case, first=True))
    yield from found
    latencies = [answer.latency for answer in observation.answers if math.isfinite(answer.latency)]
    latencies = latencies or [observation.after.link.answer_latency]
    if not found and math.isfinite(latencies[0]):
        shown = f"{counted(len(latencies), 'command')} answered, after {statistics.median(latencies):.2f} s"
        yield Finding("commands", Severity.OK, shown, values={"answer_s": round(statistics.median(latencies), 3)})


def _overload(again: str) -> tuple[Cause, ...]:
    """The other cause of late packets: this computer."""
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    if load < _OVERLOAD * processors:
        return ()
    text = f"This computer is overloaded: {load:.0f} programs wait for {counted(processors, 'processor')}."
    return (Cause("overload", text, "End other programs (`top` lists them). Then:", again),)


def _use(case: Case) -> str:
    """How much of a serial line this is."""
    share = _share(case)
    return f", {100 * share:.0f} % of line" if share else ""


def _share(case: Case) -> float:
    """The same from 0 to 1; a byte has ten bits. 0 without a serial line."""
    baud = case.probe.baud if case.probe else 0
    return 10 * case.traffic.bytes / case.observation.seconds / baud if baud else 0.0
