# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Rings of contact switches around a Pioneer: which segments are pressed (docs/protocol 5.2)."""

from __future__ import annotations

from collections.abc import Mapping

from ...profiles import MAX_BUMPER_SEGMENTS
from ...protocol import Command, Sip
from ..component import Component, Context
from ..events import BumperReading
from ..unconfirmed import UnconfirmedCommands

#: Arguments of BUMPSTALL: the rings whose contact counts as a stall of the motors.
STALLS: Mapping[str, int] = {"none": 0, "front": 1, "rear": 2, "both": 3}


class BumperReader(Component):
    """Publishes the bumper bits of the SIP."""

    def __init__(self, context: Context, unconfirmed: UnconfirmedCommands) -> None:
        super().__init__(context)
        self.newest: BumperReading | None = None
        self._unconfirmed = unconfirmed
        self._stall: int | None = None  #: argument of BUMPSTALL; None leaves it as it is
        context.on_packet(Sip, self._on_sip)

    def on_profile(self) -> None:
        """Forget what another robot reported."""
        self.newest = None

    def configure(self, stall: str, now: float) -> None:
        """Set which rings stall the motors.

        Args:
            stall: A key of `STALLS`; any other leaves it as the robot has it.
            now: Time in s.
        """
        before, self._stall = self._stall, STALLS.get(stall)
        if self._stall != before:
            self._send_stall(now)

    def on_session_start(self, now: float) -> None:
        """Send BUMPSTALL again, as the robot may have forgotten it."""
        self._send_stall(now)

    def _send_stall(self, now: float) -> None:
        if self._stall is not None and not self._context.unsupported(Command.BUMPSTALL):
            self._unconfirmed.request(Command.BUMPSTALL, Command.BUMPSTALL(self._stall), now)

    def _segments(self) -> tuple[int, int]:
        """Return the segments of the front and rear ring: those of the profile, or more if the FLASH has more."""
        rings, config = self._context.profile().bumpers, self._context.config()
        front = config.value("front_bumpers") if config else None
        rear = config.value("rear_bumpers") if config else None
        # The FLASH may contain any byte; the SIP has no bits for more segments.
        return (
            min(MAX_BUMPER_SEGMENTS, max(rings.front_segments, front or 0)),
            min(MAX_BUMPER_SEGMENTS, max(rings.rear_segments, rear or 0)),
        )

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        front, rear = self._segments()
        if not (front or rear):
            return
        # The front ring is in the byte of the right wheel, as in earlier clients; one manual has the opposite order
        # (docs/protocol E-31).
        self.newest = BumperReading(stamp, _bits(sip.right_stall_bumpers, front), _bits(sip.left_stall_bumpers, rear))
        self._context.emit(self.newest)


def _bits(byte: int, segments: int) -> tuple[bool, ...]:
    """Return the segments; bit 0 is the stall flag of the wheel."""
    return tuple(bool(byte >> number + 1 & 1) for number in range(segments))
