# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What is at the other end of the line: a robot, and at which speed, or something else."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from ..errors import PortError
from ..protocol import HEADER, FrameDecoder, SyncReply, parse
from ..robot import radio_modem
from ..transport.tcp import DEFAULT_TCP_PORT
from ..wording import counted
from .case import Case
from .evidence import Evidence
from .finding import Cause, Finding, Severity
from .network import attempt
from .probe import Answer, Prober, ProbeResult
from .strangers import in_hex, shown, stranger
from .table import capitalized
from .tap import received
from .target import Kind, Target
from .transformations import find_transformation

#: How often, and s between two times, a peer that has ended the connection is asked for another one.
_REOPENINGS, _PAUSE = 4, 0.5
_RAW = "Set the port of the adapter, bridge or program between to raw 8N1, without flow control or translation. Then:"


def line(case: Case) -> Iterator[Finding]:
    """Yield what answers; an error if that is no robot."""
    assert case.port is not None
    case.on_progress("asking for a robot at each line speed")
    prober = Prober(case.port, case.early, case.clock)
    try:
        result = prober.run(case.baud)
    except PortError as error:
        result = prober.result
        if not _has_answered(case) or not _opened_again(case):
            yield _lost(case.target, result, str(error))
            return
        # MobileSim ends the connection at CLOSE; a bridge may do so, too.
        result.answer = Answer.ROBOT
    case.probe = result
    if result.answer is not Answer.ROBOT:
        # Who writes text that is known echoes commands, too, with other bytes.
        if result.answer in (Answer.NOISE, Answer.TEXT) and not stranger(result.received):
            found = list(_changed(received(case.chunks), "line", case.target))
            yield from found
            if found:
                return
        text, causes = _no_robot(case.target, result)
        yield Finding("line", Severity.ERROR, text, causes)
        return
    speed = f" at {result.baud} baud" if result.baud else ""
    left_open = " (a session was open: another program crashed, or it is an Erratic)" if result.streaming else ""
    yield Finding("line", Severity.OK, f"a robot answers{speed}{left_open}", values={"baud": result.baud})


def changed_bytes(evidence: Evidence, part: str) -> Iterator[Finding]:
    """Yield what something on the line does to the bytes, if damaged packets show it."""
    return _changed(received(evidence.chunks), part, evidence.target)


def _changed(data: bytes, part: str, target: Target) -> Iterator[Finding]:
    if found := find_transformation(data):
        cause = Cause(found.key, f"{found.what}.", _RAW, target.command())
        yield Finding(part, Severity.ERROR, "the line changes the bytes of packets", (cause,))


def _has_answered(case: Case) -> bool:
    """Whether a robot has answered the whole handshake."""
    frames = FrameDecoder().feed(received(case.chunks), 0.0)
    return any(isinstance(parse(frame.data), SyncReply) for frame in frames)


def _opened_again(case: Case) -> bool:
    """Open the port again after the peer has closed it."""
    assert case.port is not None
    case.port.close()
    for _ in range(_REOPENINGS):
        with contextlib.suppress(PortError):
            case.port = case.open(0)
            return True
        time.sleep(_PAUSE)
    return False


#: What answers, if it is no robot: what is seen (with the speed, the number of bytes and the text), key, cause, remedy.
_OTHERS = {
    Answer.LOOP_BACK: (
        "every byte that is sent comes back",
        "loop-back",
        "The line is a loop: a loop-back plug, receive and transmit joined, or a cable that ends nowhere.",
        "Plug the cable into the robot's own serial port. Then:",
    ),
    Answer.ECHO: (
        "a robot answers, and every byte that is sent comes back",
        "echo",
        "The adapter or cable sends back every command, between the packets of the robot.",
        "Switch its echo off, or use an adapter for RS-232 (an RS-485 adapter echoes). Then:",
    ),
}


def _no_robot(target: Target, result: ProbeResult) -> tuple[str, tuple[Cause, ...]]:
    again = target.command()
    if result.answer in _OTHERS:
        text, key, why, action = _OTHERS[result.answer]
        return text, (Cause(key, why, action, again),)
    if result.answer is Answer.SILENCE:
        at = f" at any of {counted(len(result.speeds), 'line speed')}" if len(result.speeds) > 1 else ""
        return f"nothing answers{at}: no byte came", _silence(target)
    known = stranger(result.received)
    if known is None and HEADER in result.received and result.answer is Answer.NOISE:
        text = "The packets of a robot arrive damaged: noise on cable or radio, or bytes are lost."
        cause = Cause("bad-link", text, "Check plugs, cable and radio. Then:", again)
        return f"{counted(len(result.received), 'byte')} came, and no packet is complete", (cause,)
    text = f"{counted(len(result.received), 'byte')} came, and no packet: {in_hex(result.received)}"
    if result.answer is Answer.TEXT:
        text = f'text comes, no packets: "{shown(result.received)}"'
    if known is None:
        return text, _unknown_bytes(target, result)
    if known.key == "modem-text":
        why = radio_modem.failure(result.received) or known.name
        action = "Switch the robot and its modem on, and bring the modems nearer to each other. Then:"
        return text, (Cause("modem-text", f"{capitalized(why)}.", action, again),)
    return text, (_stranger(target, known.name),)


def _silence(target: Target) -> tuple[Cause, ...]:
    """Silence has several causes that no byte distinguishes: the most frequent one first."""
    again = target.command()
    where = "The bridge accepts connections, but the robot behind it is silent" if target.kind is Kind.NETWORK else ""
    off = Cause(
        "robot-off",
        f"{where or 'The robot is silent'}: most probably it is switched off. A line that loses bytes of every command "
        "(control characters, bit 7, half duplex) makes it silent, too.",
        "Switch the robot on and look at its power light. Then:",
        again,
    )
    battery = Cause(
        "battery-low",
        "Its battery is below 11 V: by its manual an AmigoBot then refuses every client.",
        "Charge the battery. Then:",
        again,
    )
    if target.kind is Kind.NETWORK:
        action = "Set the bridge to the speed of the robot, mostly 9600 8N1, no flow control. Then:"
        speed = Cause("wrong-speed", "The bridge uses another line speed than the robot.", action, again)
        text = "The bridge or the robot serves another client now."
        taken = Cause("other-client", text, "End the other program, also on other computers. Then:", again)
        if target.tcp_port != DEFAULT_TCP_PORT and attempt(target.host, DEFAULT_TCP_PORT) == 0:
            text = f"{target.host} listens on TCP port {DEFAULT_TCP_PORT}, too, the usual one of a robot."
            command = f"amigobot doctor {target.with_tcp_port(DEFAULT_TCP_PORT)}"
            return Cause("wrong-socket", text, "", command), off, battery, taken, speed
        return off, battery, taken, speed
    cable = Cause(
        "wrong-socket",
        "The cable is in another socket: in AUX of the robot, or at another device; or one of its wires is broken.",
        "Plug the cable into the robot's own serial port, not AUX; to see all ports of this computer:",
        "amigobot find",
    )
    wires = Cause(
        "wrong-cable",
        "It is the wrong cable: an AmigoBot needs pins 2 and 3 crossed, a Pioneer a straight one with DTR (pin 4), "
        "without which it is silent. Both need the levels of RS-232, not those of TTL.",
        "Use the cable that docs/tutorials/first-robot.md describes for this robot. Then:",
        again,
    )
    return off, battery, cable, wires


def _stranger(target: Target, name: str) -> Cause:
    if target.kind is Kind.NETWORK:
        action = "Look up the TCP port of the bridge's serial line; the usual one is 8101:"
        command = f"amigobot doctor {target.with_tcp_port(DEFAULT_TCP_PORT)}"
        return Cause("wrong-socket", f"{capitalized(name)} is at this TCP port, not a robot.", action, command)
    text = f"{capitalized(name)} is at this port, not a robot: the cable is in another socket."
    return Cause("wrong-socket", text, "Find the port of the robot:", "amigobot find")


def _unknown_bytes(target: Target, result: ProbeResult) -> tuple[Cause, ...]:
    other = "Another device is at this port" if result.answer is Answer.TEXT else "Another device may be at this port"
    look = "amigobot find" if target.kind is Kind.SERIAL else target.command()
    socket = Cause("wrong-socket", f"{other}, not a robot.", "Look where the cable ends. All ports:", look)
    text = "The robot uses a line speed that this computer or the bridge does not."
    action = "Set HostBaud of the robot, or the serial side of the bridge, to 9600 8N1. Then:"
    speed = Cause("wrong-speed", text, action, target.command())
    if result.answer is Answer.TEXT:
        return (socket,)
    # A robot sends nothing before it is asked, except in a session that was left open.
    return (socket, speed) if result.unasked > 1 else (speed, socket)


def _lost(target: Target, result: ProbeResult, error: str) -> Finding:
    """The port was lost while it was probed."""
    if target.kind is Kind.NETWORK:
        if known := stranger(b"".join(result.received_by_speed.values())):
            causes = (_stranger(target, known.name),)
            return Finding("line", Severity.ERROR, "the peer is not a robot, and closed the connection", causes)
        text = "The peer closed the connection: it serves another client, or it is not a robot."
        cause = Cause("other-client", text, "End the other program. Then:", target.command())
        return Finding("line", Severity.ERROR, "the peer ends the connection", (cause,))
    cause = Cause("port-lost", f"{error}.", "Plug the adapter in again. Then:", target.command())
    return Finding("line", Severity.ERROR, "the port was lost", (cause,))
