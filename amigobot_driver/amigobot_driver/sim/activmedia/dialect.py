# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The differences between the ActivMedia firmwares, as data (docs/protocol 4.1, 5.2, 5.5)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...profiles import Profile
from ...protocol import AmigoShTail, ArcosTail, Command, CommandTable
from .flash import ActivMediaFlash


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedDialect:
    """One firmware."""

    name: str
    column: str  #: the firmware's letter in the command table
    dated: bool = False  #: whether it has only the commands with a version in the table
    also: frozenset[Command] = frozenset()  #: commands it has although no manual's table lists them
    stop_completes: bool = False  #: a stop by the watchdog goes on to rest; packets do not end it
    commands_per_tick: int = 1  #: commands executed in one 10 ms cycle
    position_mask: int = 0xFFFF  #: bits of X and Y in the SIP
    #: the analog port is in the high byte, the gripper in the low one (docs/protocol E-30)
    port_in_high_byte: bool = True
    sip_end: str = "charge_state"  #: the SIP's last field
    config_end: str = "shutdown_volts"  #: CONFIGpac's last field before the tail
    config_tail: AmigoShTail | ArcosTail | None = None
    encoder_once: bool = True  #: ENCODER 1 requests one packet, else a stream (docs/protocol E-20)
    sonar_cycle: bool = True  #: FLASH has the duration of a ping, else the profile
    sonar_arrays: bool = False  #: SONAR can select one of several arrays
    bumpers_in_io: bool = False  #: IOpac has bumper and infrared bytes after the digital inputs
    gripper_kind: int = 0  #: how a gripper is wired: 1 user I/O, 2 general I/O
    rev_count_unit: int = 1  #: encoder ticks in one count of RevCount (docs/protocol E-19)
    flash: Mapping[str, int | str] = field(default_factory=dict)  #: FLASH values that differ from AmigOS's

    def supports(self, command: CommandTable) -> bool:
        """Return whether the firmware has a command."""
        version = command.firmware.get(self.column)
        return command in self.also or (version is not None and (not self.dated or version != ""))

    def new_flash(self, profile: Profile, values: Mapping[str, int | str], **more: Any) -> ActivMediaFlash:
        """Return the FLASH contents of a new robot.

        Args:
            profile: Sonars, bumpers and track.
            values: Values by the manual's keywords that replace those of the firmware.
            more: Values by field name.

        Raises:
            OptionError: A keyword or value is not allowed.
        """
        unit = self.rev_count_unit
        values = {
            "RearSonar": int(len(profile.sonar.poses) > 8),
            "FrontBumps": profile.bumpers.front_segments,
            "RearBumps": profile.bumpers.rear_segments,
            **self.flash,
            **values,
        }
        if isinstance(ticks := values.get("TicksMM"), int):
            values.setdefault("RevCount", round(math.pi * profile.body.track * 1000 * ticks / unit))
        return ActivMediaFlash.read(profile.name, values, rev_count_unit=unit, **more)


#: ARIA sends MOVE because of `amigo.p`; BATTEST simulates a flat battery (docs/protocol 8.5).
AMIGOS = SimulatedDialect(
    name="AmigOS 1.3",
    column="A",
    also=frozenset({Command.MOVE, Command.ROTATE, Command.BATTEST}),
    position_mask=0x7FFF,
    port_in_high_byte=False,
    sip_end="digital_out",
    config_end="trans_ki",
    encoder_once=False,
    sonar_cycle=False,
)

AMIGO_SH = SimulatedDialect(
    name="AmigoSH 1.3",
    column="S",
    config_tail=AmigoShTail(version="1", version_minor="3", charge_threshold=0),
    flash={"TicksMM": 30},
)

#: Reported by real robots with ARCOS (docs/protocol 6.4), assumed for AROS and P2OS.
_PIONEER = {
    "RotAccTop": 300,
    "TransAccTop": 2000,
    "PwmMax": 500,
    "RotVelMax": 100,
    "TransVelMax": 750,
    "RotAcc": 100,
    "RotDecel": 100,
    "RotKp": 40,
    "RotKv": 20,
    "TransKv": 30,
    "TicksMM": 128,
}

P2OS = replace(
    AMIGOS,
    name="P2OS 1.M",
    column="P",
    also=frozenset(),
    encoder_once=True,
    sonar_arrays=True,
    gripper_kind=1,
    rev_count_unit=8,
    flash=_PIONEER,
)

#: Its cycle is about 1 ms (docs/protocol 4.3). Commands marked R without a version came with ARCOS, but the
#: AROS manual lists gripper packets.
AROS = SimulatedDialect(
    name="AROS 1.8",
    column="R",
    dated=True,
    also=frozenset({Command.GRIPREQUEST}),
    commands_per_tick=10,
    position_mask=0x7FFF,
    config_end="has_gyro",
    sonar_arrays=True,
    bumpers_in_io=True,
    gripper_kind=2,
    rev_count_unit=8,
    flash={"SInfoCycle": 100, "AutoBaud": 2, **_PIONEER},
)

ARCOS = replace(
    AROS,
    name="ARCOS 1.9",
    stop_completes=True,
    dated=False,
    also=frozenset(),
    position_mask=0xFFFF,
    sip_end="state_of_charge",
    config_end="shutdown_volts",
    config_tail=ArcosTail(version=""),  # filled from FLASH
)

#: Firmwares by the letters in profiles.
DIALECTS = {"A": AMIGOS, "S": AMIGO_SH, "P": P2OS, "R": AROS, "C": ARCOS}


def dialect_for(letters: str) -> SimulatedDialect:
    """Return the firmware that a profile names.

    Args:
        letters: The profile's firmware letters; the last known one counts.

    Returns:
        The firmware; AmigoSH if no letter is known.
    """
    return next((DIALECTS[letter] for letter in reversed(letters) if letter in DIALECTS), AMIGO_SH)
