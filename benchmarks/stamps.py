# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Jitter of the odometry stamps against the robot's own clock, beside the jitter of the arrival of its packets."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from .program import driver, running
from .report import Row, row
from .robot import Robot

#: s after the first SIP that are not measured: the filter learns the cycle. And s that are.
_LEARN, _SECONDS = 10.0, 30.0
#: s from one SIP to the next.
_CYCLE = 0.1
#: s that a packet waits at most, at random: the latency timer of an FTDI adapter.
_DELAY = 0.016


def stamps() -> Iterator[Row]:
    """Standard deviation from the robot's clock: of the stamps of odom, and of the times at which SIPs were written."""
    robot = Robot(open_session=False, delay=_DELAY)
    try:
        with running(driver(robot.port)) as (_, client):
            found = client.stamps("odom")
            client.wait(lambda: found)
            client.spin(_LEARN)
            found.clear()
            begin = len(robot.written)
            client.spin(_SECONDS)
            written = robot.written[begin:]
    finally:
        robot.end()
    arrivals = _from_median([time - clock for clock, time in written])
    stamped = stamp_deviations(found, _CYCLE)
    spread = statistics.pstdev(stamped), statistics.pstdev(arrivals)
    name = f"jitter of odom stamps, against that of arrivals delayed by 0 to {1e3 * _DELAY:.0f} ms"
    yield row(name, "ms", 0.2, [spread[0]], [spread[1]])


def stamp_deviations(stamps: list[float], cycle: float) -> list[float]:
    """Return how far each stamp (s) is from the clock of a robot that sends a SIP each `cycle` (s), in ms."""
    # A stamp is much less than half a cycle off, so it tells the number of its cycle.
    return _from_median([stamp - round((stamp - stamps[0]) / cycle) * cycle for stamp in stamps])


def _from_median(offsets: list[float]) -> list[float]:
    """Return how far each offset (s) is from their median, in ms."""
    middle = statistics.median(offsets)
    return [1e3 * (offset - middle) for offset in offsets]
