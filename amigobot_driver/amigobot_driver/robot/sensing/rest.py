# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Distinguishes a robot at rest from a slow one: some firmwares report velocities of some mm/s at rest."""

from __future__ import annotations

import math
from dataclasses import replace

from ...protocol import Sip
from .odometry import counter_differences

#: m/s of a wheel that a robot at rest may report: up to 0.009 in recordings (docs/protocol/odometry.md).
REST_SPEED = 0.010
#: s for which the counters must stand still then. A robot with 4 mm/s moves them further.
_REST_TIME = 0.5
#: Counts by which the counters of a robot at rest may vary.
_FLICKER = 1


class RestFilter:
    """Sets the velocities in the SIPs of a robot at rest to zero, so that any other velocity is motion."""

    def __init__(self) -> None:
        self._anchor: Sip | None = None  #: the SIP whose counters later ones are compared with
        self._since = math.inf  #: s, its stamp

    def filtered(self, sip: Sip, stamp: float, unit: float, *, driven: bool) -> Sip:
        """Return a SIP as the driver uses it.

        Args:
            sip: The packet.
            stamp: When the robot took its values, s.
            unit: m/s of one unit of a velocity.
            driven: The driver requests a velocity: then the robot moves, however slowly.
        """
        if not sip.moving:
            return sip
        fastest = max(abs(sip.left_velocity), abs(sip.right_velocity))
        if driven or fastest * unit > REST_SPEED or self._moved(sip):
            self._anchor, self._since = sip, stamp
        if stamp - self._since < _REST_TIME:
            return sip
        rotation = None if sip.rotation_velocity is None else 0
        return replace(sip, id=sip.MOVING - 1, left_velocity=0, right_velocity=0, rotation_velocity=rotation)

    def _moved(self, sip: Sip) -> bool:
        anchor = self._anchor
        return anchor is None or any(abs(counts) > _FLICKER for counts in counter_differences(sip, anchor))
