# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Plans which streams fit on the line in one info cycle beside the SIP (docs/protocol 8.3).

A stream that is not sent completely before the next SIP delays the SIP, or the firmware drops its packets. So a stream
that does not fit is not requested, and the driver warns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..protocol import OVERHEAD, Parameters, Sip
from .component import Component, Context
from .devices.sonar_sequence import ARRAY
from .events import Notice

#: Share of a cycle that is used: the clocks of both ends differ, and answers need a little room.
USABLE = 0.95
#: Order of the streams if not all fit; those that are not in it come last.
PRECEDENCE = ("ENCODERpac", "GYROpac", "IOpac")
#: Bytes of AmigOS's SIP without sonar readings, while none has come, and what each reading adds.
_SIP, _READING = 30, 3


@dataclass(frozen=True, slots=True)
class Plan:
    """Which streams the line carries beside the SIP. Bytes are per info cycle, whole frames."""

    accepted: tuple[str, ...]  #: names of the streams that fit
    refused: tuple[str, ...]  #: names of the streams that do not fit
    reasons: Mapping[str, str]  #: why each stream is refused, as a sentence, by its name
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
    return Plan(tuple(accepted), tuple(reasons), reasons, needed, available)


class BandwidthPlanner(Component):
    """Keeps the plan for one robot. `Streams` checks `accepts` before it requests a stream from the robot."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        #: is called with the time (s) when the plan has changed
        self.on_change: Callable[[float], object] = lambda now: None
        self._byte_time = 0.0
        self._requested: dict[str, int] = {}
        self._sip: Sip | None = None
        self._config: Parameters | None = None
        self._reported: tuple[str, ...] = ()  #: the streams whose absence is reported
        self.plan = self._planned()
        context.on_packet(Sip, self._on_sip)
        context.on_packet(Parameters, self._on_config)

    def request(self, name: str, size: int, now: float) -> None:
        """Request room for a stream.

        Args:
            name: of its packet.
            size: bytes of its frames in one info cycle; 0: no room is needed any more.
            now: Time in s.
        """
        if size != self._requested.get(name, 0):
            self._requested[name] = size
            self._replan(now)

    def accepts(self, name: str) -> bool:
        """Return whether a requested stream fits."""
        return name in self.plan.accepted

    def set_byte_time(self, byte_time: float, now: float) -> None:
        """Take the speed of the line, in s for each byte; 0 for a line without a speed."""
        if byte_time != self._byte_time:
            self._byte_time = byte_time
            self._replan(now)

    @property
    def info_cycle(self) -> float:
        """Time between two SIPs, in s."""
        return (self._config.info_cycle_ms / 1000 if self._config else 0.0) or self._context.profile().link.info_cycle

    @property
    def sonar_cycle(self) -> float:
        """Time from one ping of an array to the next, in s: the robot's SONARCYCLE, else the profile's."""
        own = (self._config.value("sonar_cycle") or 0) / 1000 if self._config else 0.0
        return own or self._context.profile().sonar.cycle

    @property
    def sip_bytes(self) -> int:
        """Bytes of this robot's SIP with as many readings as its sonars make in a cycle."""
        arrays = max(1, math.ceil(len(self._context.profile().sonar.poses) / ARRAY))
        readings = arrays * math.ceil(self.info_cycle / self.sonar_cycle - 1e-6)
        bare = len(self._sip.encode()) + OVERHEAD - _READING * len(self._sip.sonar) if self._sip else _SIP
        return bare + _READING * readings

    def on_profile(self) -> None:
        """Plan with the sonars of the profile."""
        self.plan = self._planned()

    def on_session_start(self, now: float) -> None:
        """Plan again: the size of the SIP and the info cycle are unknown."""
        self._sip = self._config = None
        self._reported = ()
        self._replan(now)

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        if self._sip is None:
            self._sip = sip
            self._replan(now)

    def _on_config(self, config: Parameters, stamp: float, now: float) -> None:
        self._config = config
        self._replan(now)

    def _replan(self, now: float) -> None:
        before, self.plan = self.plan, self._planned()
        if self.plan != before:
            self.on_change(now)
        if self._sip is None:
            return  # the size of its SIPs is not known yet
        for name, reason in self.plan.reasons.items():
            if name not in self._reported:  # the numbers in the reason change with the other streams
                self._context.emit(Notice(reason))
        self._reported = self.plan.refused

    def _planned(self) -> Plan:
        order = {name: index for index, name in enumerate(PRECEDENCE)}
        names = sorted(filter(self._requested.get, self._requested), key=lambda name: order.get(name, len(order)))
        requested = {name: self._requested[name] for name in names}
        return plan(self._byte_time, self.info_cycle, self.sip_bytes, requested)
