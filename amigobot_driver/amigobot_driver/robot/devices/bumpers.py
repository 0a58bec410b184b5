# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Rings of contact switches around a Pioneer: which segments are pressed (docs/protocol 5.2)."""

from __future__ import annotations

from collections.abc import Mapping

from ...profiles import MAX_BUMPER_SEGMENTS
from ...protocol import Sip
from ..component import Component, Context
from ..events import BumperReading

#: Arguments of BUMPSTALL: the rings whose contact counts as a stall of the motors.
STALLS: Mapping[str, int] = {"none": 0, "front": 1, "rear": 2, "both": 3}


class BumperReader(Component):
    """Publishes the bumper bits of the SIP."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.newest: BumperReading | None = None
        context.on_packet(Sip, self._on_sip)

    def on_profile(self) -> None:
        """Forget what another robot reported."""
        self.newest = None

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
