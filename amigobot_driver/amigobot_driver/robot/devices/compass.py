# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The TCM2 compass of a Pioneer: in steps of two degrees in the SIP, or in packets of its own.

The packets are a stream (streams.py). This component asks for the heading in the SIP until it is there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...protocol import Command, Compass, Instruction, Sip
from ..component import Context
from ..events import CompassReading
from ..request import RequestComponent, RetryPolicy

_OFF = 0  # argument of TCM2: no heading
_IN_SIP = 1  # argument of TCM2: the heading in the SIP
#: deg for one unit of the SIP's byte, as in ARIA; Player subtracts one unit first, which is within the step.
_STEP = 2
_HIGHEST = 180  # units of one turn; bytes above it, and 0, are no headings
_TENTH = 0.1  # deg and deg C per unit of the packets
_FIELD = 1e-8  # T per unit of the packets


class CompassReader(RequestComponent):
    """Publishes the readings of the compass, and requests the heading in the SIP."""

    name = "compass"
    retries = RetryPolicy(interval=1.0, limit=5)
    requested: bool | None = None

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        context.on_packet(Compass, self._on_compass)

    def show_in_sip(self, on: bool, now: float) -> None:
        """Request the heading in the SIP, in this session and later ones, or release the request; `now` is in s."""
        if on == bool(self.requested):
            return
        self.requested = on or None
        if on:
            self.on_session_start(now)
        else:
            self.succeed("not requested any more")
            if not self._context.unsupported(Command.TCM2):
                self._context.queue.put(Command.TCM2(_OFF))

    def on_session_start(self, now: float) -> None:
        """Request the heading in the SIP, if the robot has the command."""
        if not self._context.unsupported(Command.TCM2):
            super().on_session_start(now)

    def _commands(self) -> Iterable[Instruction]:
        return [Command.TCM2(_IN_SIP)]

    def _confirmation(self, sip: Sip) -> str:
        return "the SIP shows a heading" if sip.compass else ""

    def _failure(self) -> str:
        return f"{self._sent()}; the SIP shows no heading: does the robot have a compass?"

    def _update(self, sip: Sip, stamp: float, now: float) -> None:
        if 0 < sip.compass <= _HIGHEST:
            heading = math.radians(_STEP * sip.compass) % math.tau
            self._context.emit(CompassReading(stamp, heading, math.radians(_STEP)))
        elif self.requested and not self.pending and self.attempts < self.retries.limit:
            # The end of the stream of compass packets has switched it off, too.
            self.on_session_start(now)

    def _on_compass(self, packet: Compass, stamp: float, now: float) -> None:
        heading, pitch, roll = (math.radians(_TENTH * tenths) for tenths in (packet.heading, packet.pitch, packet.roll))
        self._context.emit(
            CompassReading(
                stamp,
                heading % math.tau,
                math.radians(_TENTH),
                pitch,
                roll,
                (packet.mag_x * _FIELD, packet.mag_y * _FIELD, packet.mag_z * _FIELD),
                packet.temperature * _TENTH,
                packet.error & 0xFFFF,
            )
        )
