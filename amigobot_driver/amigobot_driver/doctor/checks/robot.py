# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The session with the robot: does it open, who is the robot, and at which line speed."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from functools import partial

from ...connection_policy import SEARCH_SPEEDS
from ...errors import PortError
from ...profiles import choose_profile
from ...protocol import Command, Malformed, Sip, SyncEcho, SyncReply, Unknown
from ...wording import counted, robot_name
from ..changed_bytes import changed_bytes, damage
from ..check import Case, Stage, check
from ..connection import OwnSession
from ..finding import Cause, Finding, Severity
from ..tap import Chunk, received
from ..target import Kind
from ..traffic import in_pieces, packets

#: s until a session is open, with the configuration: a CONFIG packet takes 0.1 s at 9600 baud and may be sent again.
_OPENING = 6.0
#: s after which an answer is late for the driver, and s of silence before a measurement of that.
_LATE, _QUIET = 0.2, 0.7
#: A profile for an Erratic whose checksum includes the count, as an argument of printf.
_COUNTED = r"extends: erratic\nname: mine\nquirks: {checksum_over_count: true}\n"


@check("session", Stage.ANSWERING)
def session(case: Case) -> Iterator[Finding]:
    """The robot opens a session and sends its state."""
    assert case.port is not None and case.probe is not None
    case.on_progress("opening a session")
    connection = case.connection = OwnSession(
        case.port,
        case.chunks,
        reopen=partial(case.open, case.probe.baud or 9600),
        baud=case.probe.baud,
        profile=case.profile,
        trace=case.trace,
        # A robot that another program left in a session may return to the speed of its FLASH when that ends.
        search=case.probe.streaming,
        clock=case.clock,
        latest=case.began + case.limit,
    )
    running = connection.wait(2 * _OPENING if case.probe.streaming else _OPENING)
    snapshot = connection.snapshot
    if running or connection.opened:
        case.stage = Stage.CONNECTED
    if running:
        name = snapshot.identity.name if snapshot.identity else ""
        yield Finding("session", Severity.OK, f"{robot_name(name)} opened a session", values={"name": name})
        return
    again = case.target.command()
    # What the line does comes first: it looks like a robot that opens no session.
    if found := list(changed_bytes(case.chunks, "session", again)):
        yield from found
    elif case.stage is Stage.CONNECTED:
        # It does not stay open; the checks of battery and link say why.
        yield Finding("session", Severity.NOTE, f"the session opened and ended: {snapshot.link.note}")
    elif in_pieces(case.chunks) and not snapshot.link.packets.standard:
        text = "Packets arrive in pieces, with pauses of more than 0.1 s inside: an adapter or bridge holds bytes back."
        cause = Cause("split-packets", text, "Switch buffering off in the bridge or adapter. Then:", again)
        yield Finding("session", Severity.ERROR, "packets arrive in pieces", (cause,))
    elif unknown := _unknown_packets(case):
        text = f"The robot opens a session, and sends packets that are none of its profile: {unknown}."
        action = "Choose a profile with --robot; attach a report to an issue (--report report.zip). Then:"
        cause = Cause("malformed-packets", text, action, again)
        yield Finding("session", Severity.ERROR, "packets come, and none is known", (cause,))
    elif connection.refused:
        text = "The robot answers and opens no session: by the AmigoBot manual its battery is below 11 V then."
        battery = Cause("battery-low", text, "Charge the battery. Then:", again)
        reset = Cause("no-session", "Its controller hangs.", "Press RESET on the robot. Then:", again)
        yield Finding("session", Severity.ERROR, "it answers and opens no session", (battery, reset))
    elif (latency := _latency(case)) > _LATE:
        text = (
            f"The robot answers {latency:.1f} s late (0.1 s on a cable): a radio, bridge or adapter holds bytes back."
        )
        action = "Switch buffering off in the bridge or adapter, or use a cable. Then:"
        shown = f"no session opens: answers come {latency:.1f} s late"
        yield Finding("session", Severity.ERROR, shown, (Cause("latency", text, action, again),))
    else:
        details = (f"the last attempt: {snapshot.link.note}",)
        yield Finding("session", Severity.ERROR, "no session opens", _no_session(case), details)


def _latency(case: Case) -> float:
    """Time in s from SYNC0 to its answer, after silence; 0 if none comes."""
    assert case.port is not None
    question = Command.PULSE().encode()
    with contextlib.suppress(PortError):
        # A session is closed, and a robot that is synchronized and not open takes OPEN only.
        for commands in ((Command.STOP(), Command.CLOSE()), (Command.OPEN(), Command.CLOSE())):
            for command in commands:
                case.port.write(command.encode())
            began = case.clock()
            while case.port.read(_QUIET) and case.clock() < began + _OPENING:
                pass
        case.port.write(question)
        sent, data = case.clock(), b""
        while case.clock() < sent + 4 * _QUIET:
            data += case.port.read(_QUIET)
            if question in data:
                return case.clock() - sent
    return 0.0


def _unknown_packets(case: Case) -> str:
    """Packets that cannot be read, with the id and size of the last one; "" if there are none."""
    bad = [packet for packet in packets(case.chunks) if isinstance(packet, (Malformed, Unknown))]
    return f"{counted(len(bad), 'packet')}, the last one with id 0x{bad[-1].id:02X}" if len(bad) > 2 else ""


def _answered_twice(chunks: list[Chunk]) -> bool:
    """Whether more answers to SYNC0 came than it was sent."""
    question = Command.PULSE().encode()
    sent = sum(chunk.data.count(question) for chunk in chunks if chunk.to_robot)
    return received(chunks).count(question) > 1.5 * sent


def _missing_answers(case: Case) -> str:
    """The first step of the handshake that no packet answers, in words; "" if several are answered now and then."""
    answers = packets(case.chunks)
    echoes = {packet.id for packet in answers if isinstance(packet, SyncEcho)}
    if 1 not in echoes:
        return "answer to SYNC1"
    if not any(isinstance(packet, SyncReply) for packet in answers):
        return "answer to SYNC2 with its name"
    return "" if any(isinstance(packet, Sip) for packet in answers) else "packets after OPEN"


def _no_session(case: Case) -> tuple[Cause, ...]:
    """Why a robot that answers opens no session."""
    assert case.probe is not None
    again = case.target.command()
    if case.probe.counted:
        text = "The checksum of its packets includes the count byte; a profile must say so (docs/protocol.md, E-40)."
        command = f"printf '{_COUNTED}' > mine.yaml && {case.target.command(' --robot mine.yaml')}"
        return (Cause("checksum", text, "", command),)
    if case.probe.streaming:
        text = "Packets of the robot arrive, but it receives no command: the wire to it is broken."
    elif damaged := damage(received(case.chunks)):
        cause = Cause("bad-link", damaged, "Check plugs, cable, adapter and radio. Then:", again)
        return (cause,)
    elif _answered_twice(case.chunks):
        text = "Each command is answered twice: commands or packets arrive twice, on two ways or through a repeater."
        return (Cause("packets-twice", text, "Leave one way only between robot and computer. Then:", again),)
    elif missing := _missing_answers(case):
        text = (
            f"The robot answers, but sends no {missing}: packets or commands are lost or late, or its controller hangs."
        )
        reset = Cause("no-session", text, "Check cable and radio, then press RESET on the robot. Then:", again)
        return (reset,)
    else:
        text = "The robot answered first, and then no more: packets are lost or late, or another program talks to it."
    link = Cause("bad-link", text, "Check cable and radio. Then:", again)
    if not case.profile:
        return (link,)
    wrong = f"It may be another robot than the profile {case.profile} is for."
    return Cause("wrong-profile", wrong, "Let the robot say what it is:", again), link


@check("identity", Stage.CONNECTED)
def identity(case: Case) -> Iterator[Finding]:
    """Which robot it is, and which profile the driver uses for it."""
    snapshot = case.session.snapshot
    who, profile = snapshot.identity, snapshot.profile
    if who is None:
        return
    firmware = snapshot.config.firmware_version if snapshot.config else ""
    text = f"{profile.description}, class {who.robot_class}/{who.subclass}"
    details = (f"profile {profile.name}: {snapshot.profile_reason}",)
    values = {
        "robot_class": who.robot_class,
        "subclass": who.subclass,
        "profile": profile.name,
        "firmware": firmware,
    }
    if profile.name == "generic":
        port = case.target.url
        cause = Cause(
            "unknown-robot",
            f"No profile is for the subclass {who.subclass}: distances and speeds may be wrong.",
            "Choose a profile; `amigobot describe --help` names all:",
            f"amigobot doctor {shlex.quote(port)} --robot p3dx",
        )
        yield Finding("identity", Severity.WARNING, text, (cause,), details, values)
        return
    reported, _ = choose_profile(who.robot_class, who.subclass)
    requested = profile.subclasses if case.profile else ()
    if requested and reported.name != "generic" and reported.subclasses != requested:
        wrong = (
            f"You ask for the profile {profile.name}, and the robot reports that it is another one: {reported.name}."
        )
        cause = Cause("wrong-profile", wrong, "Let the robot say what it is:", case.target.command())
        yield Finding("identity", Severity.WARNING, text, (cause,), details, values)
        return
    shown = f"{text}, firmware {firmware}" if firmware else text
    yield Finding("identity", Severity.OK, shown, details=details, values=values)


@check("line speed", Stage.CONNECTED, Kind.SERIAL)
def line_speed(case: Case) -> Iterator[Finding]:
    """The line speed is the one at which the driver looks first."""
    assert case.probe is not None
    found, profile = case.probe.baud, case.session.snapshot.profile
    expected = case.baud or profile.link.baud
    port = shlex.quote(case.target.url)
    if found != expected or (found != SEARCH_SPEEDS[0] and not case.baud):
        text = f"{found} baud: the driver finds it by itself, and at once with -p port:={port} -p baud:={found}"
        yield Finding("line speed", Severity.NOTE, text)
