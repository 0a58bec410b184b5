# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What is at the other end of the line if no session opens: nothing, something else, or a robot behind a fault."""

from __future__ import annotations

from collections.abc import Iterator

from ..protocol import HEADER, Command, FrameDecoder
from ..robot import radio_modem
from ..transport.tcp import DEFAULT_TCP_PORT
from ..wording import counted
from .changed_bytes import find_change, is_text
from .evidence import Evidence
from .finding import Cause, Finding, Severity
from .network import attempt
from .strangers import in_hex, shown, stranger
from .table import capitalized
from .tap import received
from .target import Kind, Target

_RAW = "Set the port of the adapter, bridge or program between to raw 8N1, without flow control or translation. Then:"
_CLOSE = Command.CLOSE().encode()


def no_robot(evidence: Evidence, problem: str) -> Finding | None:
    """Return what answers; None if it is a robot.

    Args:
        evidence: What was recorded.
        problem: Why the port was lost; "" if it was not.
    """
    target, data = evidence.target, received(evidence.chunks).replace(radio_modem.CALL, b"")
    packets = bool(evidence.handshake)
    echoes = _CLOSE in data  # a robot answers SYNC2 with its name
    if echoes:
        for frame in evidence.sent_frames:
            data = data.replace(frame, b"")
        packets = bool(FrameDecoder().feed(data, 0.0))
    known = None if packets else stranger(data)
    again = target.command()
    if problem and not packets:
        return _lost(target, data, problem)
    if echoes and not data:
        text = "The line is a loop: a loop-back plug, receive and transmit joined, or a cable that ends nowhere."
        action = "Plug the cable into the robot's own serial port. Then:"
        return _finding("every byte that is sent comes back", Cause("loop-back", text, action, again))
    if not evidence.counted and (found := [*changed_bytes(evidence, "line")]):
        return found[0]
    if known and known.key == "modem-text":
        why = capitalized(radio_modem.failure(data) or known.name)
        action = "Switch the robot and its modem on, and bring the modems nearer to each other. Then:"
        return _finding(f'text comes, no packets: "{shown(data)}"', Cause("modem-text", f"{why}.", action, again))
    if known:
        return _finding(f'text comes, no packets: "{shown(data)}"', _stranger(target, known.name))
    if packets or evidence.counted:
        return None
    if not data:
        speeds = len({chunk.baud for chunk in evidence.chunks if chunk.to_robot})
        at = f" at any of {counted(speeds, 'line speed')}" if speeds > 1 else ""
        return _finding(f"nothing answers{at}: no byte came", *_silence(target))
    count = counted(len(data), "byte")
    if is_text(data):
        return _finding(f'text comes, no packets: "{shown(data)}"', *_unknown_bytes(evidence, text=True))
    if HEADER in data:
        text = "The packets of a robot arrive damaged: noise on cable or radio, or bytes are lost."
        cause = Cause("bad-link", text, "Check plugs, cable and radio. Then:", again)
        return _finding(f"{count} came, and no packet is complete", cause)
    return _finding(f"{count} came, and no packet: {in_hex(data)}", *_unknown_bytes(evidence, text=False))


def changed_bytes(evidence: Evidence, part: str) -> Iterator[Finding]:
    """Yield what something on the line does to the bytes, if they prove it."""
    if found := find_change(received(evidence.chunks)):
        cause = Cause(found.key, f"{found.what}.", _RAW, evidence.target.command())
        yield Finding(part, Severity.ERROR, "the line changes the bytes of packets", (cause,))


def _finding(text: str, *causes: Cause) -> Finding:
    return Finding("line", Severity.ERROR, text, causes)


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


def _unknown_bytes(evidence: Evidence, *, text: bool) -> tuple[Cause, ...]:
    target = evidence.target
    other = "Another device is at this port" if text else "Another device may be at this port"
    look = "amigobot find" if target.kind is Kind.SERIAL else target.command()
    socket = Cause("wrong-socket", f"{other}, not a robot.", "Look where the cable ends. All ports:", look)
    if text:
        return (socket,)
    what = "The robot uses a line speed that this computer or the bridge does not."
    action = "Set HostBaud of the robot, or the serial side of the bridge, to 9600 8N1. Then:"
    speed = Cause("wrong-speed", what, action, target.command())
    # A robot sends nothing before it is asked, except in a session that was left open.
    unasked = bool(evidence.chunks) and not evidence.chunks[0].to_robot
    return (socket, speed) if unasked else (speed, socket)


def _lost(target: Target, data: bytes, problem: str) -> Finding:
    """The port was lost while a robot was looked for."""
    if target.kind is not Kind.NETWORK:
        cause = Cause("port-lost", f"{problem}.", "Plug the adapter in again. Then:", target.command())
        return _finding("the port was lost", cause)
    if known := stranger(data):
        return _finding("the peer is not a robot, and closed the connection", _stranger(target, known.name))
    text = "The peer closed the connection: it serves another client, or it is not a robot."
    cause = Cause("other-client", text, "End the other program. Then:", target.command())
    return _finding("the peer ends the connection", cause)
