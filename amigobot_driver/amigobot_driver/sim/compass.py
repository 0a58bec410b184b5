"""The TCM2 compass of a Pioneer (docs/protocol.md 4.1, 5.10). North is the world's y axis; the robot stands level."""

from __future__ import annotations

import math

from ..protocol import Compass
from .body import Body

#: uT, the horizontal and the downward part of the earth's field in the middle of Europe
_HORIZONTAL, _DOWN = 20.0, 44.0
#: deg C
_TEMPERATURE = 25.0


class CompassSensor:
    """Reads the truth; `mode` is TCM2's argument: 0 off, 1 in the SIP, 2 one packet, 3 a packet each cycle."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self.mode = 0

    def restart(self) -> None:
        """Off."""
        self.mode = 0

    def switch(self, mode: int) -> None:
        """TCM2. Calibration (4 to 7) has nothing to do here: it changes nothing."""
        if 0 <= mode <= 3:
            self.mode = mode

    @property
    def heading(self) -> float:
        """Clockwise from north, deg, 0 to 360."""
        return (90.0 - math.degrees(self._body.pose.heading)) % 360.0

    @property
    def byte(self) -> int:
        """As the SIP shows it, in 2 degrees from 1 to 180; 0: it does not."""
        return round(self.heading / 2) or 180 if self.mode == 1 else 0

    def packet(self) -> Compass:
        """TCM2pac; after the one that was asked for it is silent again."""
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
