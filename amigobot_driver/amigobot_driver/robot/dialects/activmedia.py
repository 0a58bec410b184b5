# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The dialect of ActivMedia: AmigOS, AmigoSH, P2OS, AROS, ARCOS. The driver uses its packets and commands."""

from __future__ import annotations

from ...connection_policy import ANSWER_TIMEOUT, OLD_SESSION_CLOSES, OLD_SESSION_SILENCE, SETTLE
from ...protocol import (
    ACTIVMEDIA_COMMANDS,
    ACTIVMEDIA_PACKETS,
    Command,
    CommandTable,
    Instruction,
    Packet,
    Reset,
    Sip,
    SyncReply,
)
from .dialect import Dialect, HandshakeLine, Script


class ActivMediaDialect(Dialect):
    """SYNC0, SYNC1, SYNC2, then OPEN (docs/protocol 3)."""

    firmware = "ASPR"
    fallback = "generic"
    packets = ACTIVMEDIA_PACKETS
    commands = ACTIVMEDIA_COMMANDS

    def streams(self, packet: Packet) -> bool:
        """Return whether this is a SIP."""
        return 0x30 <= packet.id <= 0x3F

    def handshake(self, line: HandshakeLine, *, streaming: bool) -> Script[SyncReply | None]:
        """End an old session, then exchange SYNC0 to SYNC2."""
        if streaming:
            yield from self._end_old_session(line)
        for order, command in enumerate((Command.PULSE, Command.OPEN, Command.CLOSE)):
            # Outside a session these three numbers are SYNC0, SYNC1 and SYNC2.
            line.send(command())
            answer = yield from line.wait(ANSWER_TIMEOUT, _answers if order else _answers_at_first)
            if answer is None or answer.id != order:
                return None
        # One manual promises a mere echo of SYNC2 (docs/protocol E-13): a robot without a name.
        return answer if isinstance(answer, SyncReply) else SyncReply(name="", robot_class="", subclass="")

    def supports(self, command: CommandTable, firmware: str) -> bool:
        """Return whether the firmware has this command."""
        return isinstance(command, Command) and (not firmware or bool(set(firmware) & command.firmware.keys()))

    def servo(self, number: int, counts: int) -> Instruction:
        """Return the command PTUPOS."""
        if not 0 <= counts <= 0xFF:
            raise ValueError(f"position is {counts} counts, allowed: 0 to 255 counts")
        return Command.PTUPOS(number + 1 << 8 | counts)

    def _end_old_session(self, line: HandshakeLine) -> Script[None]:
        """Close the session that a client left open, perhaps driving. STOP first: any command revives its velocity."""
        line.report("the robot is in a session that another program left open: stopping it and closing that session")
        line.send(Command.STOP())
        for _ in range(OLD_SESSION_CLOSES):
            line.send(Command.CLOSE())
            # A burst of packets from before CLOSE is no reason for another one.
            yield from line.pause(SETTLE)
            if not (yield from line.wait(OLD_SESSION_SILENCE, self.streams)):
                return


def _answers(packet: Packet) -> bool:
    """Ignore other packets of an open session that may still be on the line."""
    return packet.id in (0, 1, 2) or isinstance(packet, Sip | Reset)


def _answers_at_first(packet: Packet) -> bool:
    """Ignore a packet 0xFF too: the answer to an earlier STOP, which no handshake has (docs/protocol 3.3)."""
    return _answers(packet) and not isinstance(packet, Reset)
