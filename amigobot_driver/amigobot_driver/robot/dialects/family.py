"""The ActivMedia family: AmigOS, AmigoSH, P2OS, AROS, ARCOS. Its terms are those of the whole driver."""

from __future__ import annotations

from ...connection_policy import ANSWER_TIMEOUT, OLD_SESSION_CLOSES, OLD_SESSION_SILENCE
from ...protocol import ACTIVMEDIA_PACKETS, Command, CommandTable, Instruction, Packet, Reset, Sip, SyncReply
from .dialect import Dialect, Script, Talk


class Family(Dialect):
    """SYNC0, SYNC1, SYNC2, then OPEN (docs/protocol.md 3)."""

    firmware = "ASPR"
    fallback = "generic"
    packets = ACTIVMEDIA_PACKETS
    commands = Command

    def streams(self, packet: Packet) -> bool:
        return 0x30 <= packet.id <= 0x3F

    def greet(self, talk: Talk, *, streaming: bool) -> Script[SyncReply | None]:
        if streaming:
            yield from self._end_old_session(talk)
        for order, command in enumerate((Command.PULSE, Command.OPEN, Command.CLOSE)):
            # Outside a session these three numbers are SYNC0, SYNC1 and SYNC2.
            talk.send(command())
            answer = yield from talk.wait(ANSWER_TIMEOUT, _answers if order else _answers_at_first)
            if answer is None or answer.id != order:
                return None
        # One manual promises a mere echo of SYNC2 (docs/protocol.md E-13): a robot without a name.
        return answer if isinstance(answer, SyncReply) else SyncReply(name="", robot_class="", subclass="")

    def knows(self, command: CommandTable, firmware: str) -> bool:
        return isinstance(command, Command) and (not firmware or bool(set(firmware) & command.firmware.keys()))

    def servo(self, number: int, counts: int) -> Instruction:
        if not 0 <= counts <= 0xFF:
            raise ValueError(f"a servo takes 0 to 255 counts, not {counts}")
        return Command.PTUPOS(number + 1 << 8 | counts)

    def _end_old_session(self, talk: Talk) -> Script[None]:
        """A client left this robot open, perhaps driving. STOP first: any command revives its last velocity."""
        talk.report("the robot is in a session that another program left open: stopping it and closing that session")
        talk.send(Command.STOP())
        for _ in range(OLD_SESSION_CLOSES):
            talk.send(Command.CLOSE())
            if not (yield from talk.wait(OLD_SESSION_SILENCE, self.streams)):
                return


def _answers(packet: Packet) -> bool:
    """Not what an open session may still have on the line beside its SIPs."""
    return packet.id in (0, 1, 2) or isinstance(packet, Sip | Reset)


def _answers_at_first(packet: Packet) -> bool:
    """A robot may complain of a STOP before, which is no part of a handshake (docs/protocol.md 3.3, 0xFF)."""
    return _answers(packet) and not isinstance(packet, Reset)
