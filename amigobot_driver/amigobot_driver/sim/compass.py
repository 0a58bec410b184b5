# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The TCM2 compass of a Pioneer (docs/protocol 4.1, 5.10). North is the world's y axis; the robot is level."""

from __future__ import annotations

import math

from ..protocol import Compass
from .body import SimulatedBody

#: uT, horizontal and downward component of the earth's magnetic field in central Europe
_HORIZONTAL, _DOWN = 20.0, 44.0
#: deg C
_TEMPERATURE = 25.0


class CompassSensor:
    """Measures the true heading. `mode` is TCM2's argument: 0 off, 1 in the SIP, 2 one packet, 3 a packet per cycle."""

    def __init__(self, body: SimulatedBody) -> None:
        """Start switched off.

        Args:
            body: Its pose is measured.
        """
        self._body = body
        self.mode = 0

    def restart(self) -> None:
        """Switch off."""
        self.mode = 0

    def switch(self, mode: int) -> None:
        """Execute TCM2.

        Args:
            mode: 0 to 3; other values (4 to 7 are calibration) are ignored.
        """
        if 0 <= mode <= 3:
            self.mode = mode

    @property
    def heading(self) -> float:
        """Heading in deg, clockwise from north, 0 to 360."""
        return (90.0 - math.degrees(self._body.pose.heading)) % 360.0

    @property
    def byte(self) -> int:
        """Heading in the SIP, in 2 degrees from 1 to 180; 0 if the SIP does not show it."""
        return round(self.heading / 2) or 180 if self.mode == 1 else 0

    def packet(self) -> Compass:
        """Return TCM2pac; a single requested packet switches the sensor off."""
        self.mode = 3 if self.mode == 3 else 0
        north = math.radians(self.heading)
        return Compass(
            heading=round(self.heading * 10) % 3600,
            pitch=0,
            roll=0,
            mag_x=round(100 * _HORIZONTAL * math.cos(north)),
            mag_y=-round(100 * _HORIZONTAL * math.sin(north)),
            mag_z=round(100 * _DOWN),
            temperature=round(10 * _TEMPERATURE),
            error=0,
            calibration_h=0,
            calibration_v=0,
            calibration_m=0,
        )
