# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Plans which streams fit on the line in one info cycle beside the SIP (docs/protocol 8.3).

A stream that is not sent completely before the next SIP delays the SIP, or the firmware drops its packets. So a stream
that does not fit is not requested, and the driver warns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

#: Share of a cycle that is used: the clocks of both ends differ, and answers need a little room.
USABLE = 0.95


@dataclass(frozen=True, slots=True)
class Plan:
    """Which streams the line carries beside the SIP. Bytes are per info cycle, whole frames."""

    accepted: tuple[str, ...]  #: names of the streams that fit
    reasons: Mapping[str, str]  #: why each other stream does not fit, as a sentence, by its name
    needed: int  #: bytes of the SIP and what was accepted
    available: float  #: bytes; inf for a line without a speed


def plan(byte_time: float, info_cycle_s: float, sip_bytes: int, requested: Mapping[str, int]) -> Plan:
    """Plan the streams in their order. A small stream may fit where one before it did not.

    Args:
        byte_time: Time in s for each byte; 0: bytes take no time.
        info_cycle_s: Time in s between two SIPs.
        sip_bytes: Size of the SIP, which is always sent.
        requested: Bytes of each stream in one info cycle, by name.

    Returns:
        The plan.
    """
    available = info_cycle_s / byte_time * USABLE if byte_time else math.inf
    needed = sip_bytes
    accepted: list[str] = []
    reasons: dict[str, str] = {}
    for name, size in requested.items():
        if needed + size <= available:
            accepted.append(name)
            needed += size
        else:
            others = ", ".join(["the SIP", *accepted])
            left = max(0, int(available - needed))
            reasons[name] = (
                f"{name} is left out: it needs {size} bytes in each {info_cycle_s * 1000:.0f} ms, of the "
                f"{available:.0f} that {10 / byte_time:.0f} baud carries {others} leave {left}"
            )
    return Plan(tuple(accepted), reasons, needed, available)
