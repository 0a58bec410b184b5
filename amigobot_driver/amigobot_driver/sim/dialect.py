"""What differs between the firmwares of the family, as data (PROTOCOL 4.1, 5.2, 5.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..protocol import AmigoShTail, Command, CommandTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One firmware."""

    name: str
    column: str  #: the firmware's letter in the command table
    also: frozenset[Command] = frozenset()  #: commands it knows although no manual's table says so
    position_mask: int = 0xFFFF  #: of X and Y in the SIP
    port_in_high_byte: bool = True  #: where the SIP names the selected analog port (errata E-30)
    long_sip: bool = True  #: BATTERYX10 and CHARGESTATE after DIGOUT
    config_tail: AmigoShTail | None = None  #: None: CONFIGpac ends with the PID terms
    encoder_once: bool = True  #: ENCODER 1 asks for one packet, else for a stream (errata E-20)
    sonar_cycle: bool = True  #: FLASH says how long a ping takes, else the profile
    flash: Mapping[str, int | str] = field(default_factory=dict)  #: FLASH where it differs from AmigOS's

    def knows(self, command: CommandTable) -> bool:
        return self.column in command.firmware or command in self.also


#: `amigo.p` makes ARIA send MOVE; BATTEST is how PROTOCOL 8.5 wants a flat battery tested.
AMIGOS = Dialect(
    name="AmigOS 1.3",
    column="A",
    also=frozenset({Command.MOVE, Command.ROTATE, Command.BATTEST}),
    position_mask=0x7FFF,
    port_in_high_byte=False,
    long_sip=False,
    encoder_once=False,
    sonar_cycle=False,
)

#: RevCount fits the AmigoBot's 244 mm track at the 30 ticks/mm that this firmware counts in.
AMIGO_SH = Dialect(
    name="AmigoSH 1.3",
    column="S",
    config_tail=AmigoShTail(version="1", version_minor="3", charge_threshold=0),
    flash={"RevCount": 22996, "TicksMM": 30},
)

#: By the letters of the command table's columns.
DIALECTS = {dialect.column: dialect for dialect in (AMIGOS, AMIGO_SH)}


def dialect_for(letters: str) -> Dialect:
    """The firmware that a profile names; AmigoSH, which is the later one, where it names none of them."""
    return next((DIALECTS[letter] for letter in letters if letter in DIALECTS), AMIGO_SH)
