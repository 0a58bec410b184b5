"""What fits on the line in one info cycle: the SIP first, then the streams that somebody wants (PROTOCOL 8.3).

A stream that would not be through before the next SIP delays it, or is lost by the firmware's choice and not by
ours; so what does not fit is not asked for, and said so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...profiles import Profile
from ...protocol import OVERHEAD, Packet, Parameters, Sip
from ..events import Event, Notice
from ..feature import Feature
from .sequence import ARRAY

#: The share of a cycle that is given away: the clocks of both ends differ, and answers need a little room.
USABLE = 0.95
#: Who comes first when not all fit; what is not named here comes last.
PRECEDENCE = ("ENCODERpac", "GYROpac", "IOpac")
#: s between two SIPs while the robot has not said (AmigOS's default).
_INFO_CYCLE = 0.1
#: Bytes of AmigOS's SIP without sonar readings, while none has come, and what each reading adds.
_SIP, _READING = 30, 3


@dataclass(frozen=True, slots=True)
class Plan:
    """Which streams the line carries beside the SIP. Bytes are per info cycle, whole frames."""

    accepted: tuple[str, ...]
    refused: tuple[str, ...]
    reasons: Mapping[str, str]  #: of each refused stream, a sentence
    needed: int  #: bytes of the SIP and what was accepted
    available: float  #: bytes; inf for a line without a speed


def plan(byte_time: float, info_cycle_s: float, sip_bytes: int, wanted: Mapping[str, int]) -> Plan:
    """Serve the streams in their order, each with the bytes it needs a cycle; the SIP is always served.

    `byte_time` is s per byte, 0 where bytes take no time. A small stream may fit where one before it did not.
    """
    available = info_cycle_s / byte_time * USABLE if byte_time else math.inf
    needed = sip_bytes
    accepted: list[str] = []
    reasons: dict[str, str] = {}
    for name, size in wanted.items():
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


class Budget(Feature):
    """Keeps the plan for one robot; whoever streams asks `allows` before it asks the robot."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._byte_time = 0.0
        self._wanted: dict[str, int] = {}
        self._sip: Sip | None = None
        self._config: Parameters | None = None
        self._told: Mapping[str, str] = {}
        self._replan()

    def want(self, name: str, size: int) -> None:
        """A stream by the name of its packet, with the bytes its frames take in one info cycle; 0: no more."""
        if size != self._wanted.get(name, 0):
            self._wanted[name] = size
            self._replan()

    def allows(self, name: str) -> bool:
        """Whether this stream fits. What is not wanted is not allowed either."""
        return name in self.plan.accepted

    def identified(self, profile: Profile) -> None:
        """The robot turned out to be this one."""
        self._profile = profile
        self._replan()

    def retuned(self, byte_time: float) -> None:
        """The line takes so many s for a byte from now on."""
        self._byte_time = byte_time
        self._replan()

    @property
    def info_cycle(self) -> float:
        """s between two SIPs."""
        return (self._config.info_cycle_ms / 1000 if self._config else 0.0) or _INFO_CYCLE

    @property
    def sonar_cycle(self) -> float:
        """s from one ping of an array to the next: SONARCYCLE where the robot says it, else the profile's."""
        own = (self._config.value("sonar_cycle") or 0) / 1000 if self._config else 0.0
        return own or self._profile.sonar.cycle

    @property
    def sip_bytes(self) -> int:
        """The frame of this robot's SIP with as many readings as its sonars make in a cycle."""
        arrays = max(1, math.ceil(len(self._profile.sonar.poses) / ARRAY))
        readings = arrays * math.ceil(self.info_cycle / self.sonar_cycle - 1e-6)
        bare = len(self._sip.encode()) + OVERHEAD - _READING * len(self._sip.sonar) if self._sip else _SIP
        return bare + _READING * readings

    def begin(self, now: float) -> None:
        self._sip = self._config = None
        self._told = {}
        self._replan()

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        if isinstance(packet, Sip):
            if self._sip is None:
                self._sip = packet
                self._replan()
            for name, reason in self.plan.reasons.items():
                if self._told.get(name) != reason:
                    yield Notice(reason)
            self._told = self.plan.reasons
        elif isinstance(packet, Parameters):
            self._config = packet
            self._replan()

    def _replan(self) -> None:
        order = {name: place for place, name in enumerate(PRECEDENCE)}
        names = sorted(filter(self._wanted.get, self._wanted), key=lambda name: order.get(name, len(order)))
        wanted = {name: self._wanted[name] for name in names}
        self.plan = plan(self._byte_time, self.info_cycle, self.sip_bytes, wanted)
