"""What goes wrong on purpose: on the line, in the radio link, in the robot. Reproducible for a seed.

Faults(corrupt=0.001, lose_packets=0.02, unplug=Window(10, 2, every=60))
parse_faults(["corrupt=0.001", "lose_packets=0.02", "unplug=10:2:60"])       # the same
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields

#: What a radio modem says between packets (docs/protocol.md 3.7).
_BABBLE = (
    b"\r\nConnecting...",
    b"\r\nConnected to address 2\r\n",
    b"\r\nPartner busy!",
    b"\r\nPartner not found!",
)


class FaultError(ValueError):
    """A fault that does not exist or cannot be read; the message says what is allowed."""


@dataclass(frozen=True, slots=True)
class Window:
    """When something happens: from `start` for `duration`, again every `every`; s since the robot began."""

    start: float
    duration: float = 0.0
    every: float = math.inf

    def covers(self, time: float) -> bool:
        """Whether it happens at this time."""
        since = time - self.start
        return since >= 0.0 and (since if math.isinf(self.every) else since % self.every) < self.duration

    def begins(self, before: float, time: float) -> bool:
        """Whether it begins after `before` and not after `time`."""
        if math.isinf(self.every):
            return before < self.start <= time
        return time >= self.start and (time - self.start) // self.every > (before - self.start) // self.every


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Everything that may go wrong; without arguments nothing does. Both directions of the line alike."""

    corrupt: float = field(default=0.0, metadata={"help": "share of bytes in which a bit flips"})
    lose_bytes: float = field(default=0.0, metadata={"help": "share of bytes that vanish"})
    lose_packets: float = field(default=0.0, metadata={"help": "share of packets that vanish"})
    duplicate: float = field(default=0.0, metadata={"help": "share of packets that arrive twice"})
    delay: float = field(default=0.0, metadata={"help": "s by which a packet may be late, at random"})
    babble: float = field(default=0.0, metadata={"help": "lines of modem text in a second"})
    lose_requests: float = field(default=0.0, metadata={"help": "share of GETAUX requests that are forgotten"})
    silence: Window | None = field(default=None, metadata={"help": "no byte passes: START:DURATION[:EVERY], s"})
    unplug: Window | None = field(default=None, metadata={"help": "the port is gone: START:DURATION[:EVERY], s"})
    reset: Window | None = field(default=None, metadata={"help": "the controller restarts: START[::EVERY], s"})
    jam: Window | None = field(default=None, metadata={"help": "no wheel turns: START:DURATION[:EVERY], s"})
    dead_sonars: frozenset[int] = field(default=frozenset(), metadata={"help": "these hear nothing: 2,5, from 0"})
    mute_sonars: frozenset[int] = field(default=frozenset(), metadata={"help": "these give no reading: 2,5, from 0"})
    stuck_sonars: frozenset[int] = field(default=frozenset(), metadata={"help": "these repeat one range: 2,5, from 0"})
    cross_talk: float = field(default=0.0, metadata={"help": "share of pings that another robot's sonars cut short"})
    no_floor: frozenset[int] = field(default=frozenset(), metadata={"help": "no floor under these: 0 left, 1 right"})
    stuck_button: bool = field(default=False, metadata={"help": "1: the MOTORS button keeps the motors off"})


def fault_help() -> str:
    """The faults there are, one a line."""
    return "\n".join(f"  {item.name:<14} {item.metadata['help']}" for item in fields(Faults))


def parse_faults(texts: Iterable[str]) -> Faults:
    """Faults from NAME=VALUE. Raises FaultError."""
    readers = {item.name: _READERS[str(item.type)] for item in fields(Faults)}
    values: dict[str, object] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in readers:
            raise FaultError(f"fault {name!r:.60} is not known, allowed: {', '.join(readers)}")
        try:
            values[name] = readers[name](value)
        except ValueError:
            needed = next(item.metadata["help"] for item in fields(Faults) if item.name == name)
            raise FaultError(f"fault {name}={value!r:.60}: needed is {needed}") from None
    return Faults(**values)  # type: ignore[arg-type]  # as _READERS made them


def _positive(text: str) -> float:
    value = float(text)
    if not 0.0 <= value < math.inf:
        raise ValueError
    return value


def _window(text: str) -> Window:
    start, duration, every = (*text.split(":"), "", "")[:3] if text.count(":") <= 2 else ("", "", "")
    window = Window(_positive(start), _positive(duration or "0"), _positive(every) if every else math.inf)
    if window.every <= window.duration:
        raise ValueError
    return window


def _numbers(text: str) -> frozenset[int]:
    return frozenset(int(word) for word in text.split(","))


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError
    return text == "1"


#: By the annotation of the field.
_READERS: dict[str, Callable[[str], object]] = {
    "float": _positive,
    "Window | None": _window,
    "frozenset[int]": _numbers,
    "bool": _flag,
}


class FaultInjector:
    """Draws the lots. One stream of chance for each use, so that one fault does not move another."""

    def __init__(self, seed: str) -> None:
        self.faults = Faults()
        uses = "bytes", "packets", "lateness", "text", "requests", "noise", "sonar"
        chances = (random.Random(f"{seed}/faults/{use}") for use in uses)
        self._bytes, self._packets, self._lateness, self._text, self._requests, self._noise, self._sonar = chances

    def spoil(self, data: bytes) -> bytes:
        """What is left of bytes on their way."""
        faults, chance = self.faults, self._bytes
        if not (faults.corrupt or faults.lose_bytes):
            return data
        kept = bytearray()
        for byte in data:
            if chance.random() < faults.corrupt:
                byte ^= 1 << chance.randrange(8)
            if chance.random() >= faults.lose_bytes:
                kept.append(byte)
        return bytes(kept)

    def garble(self, data: bytes, ratio: float) -> bytes:
        """What a UART makes of bytes sent at another speed: `ratio` is its own over the sender's."""
        return self._noise.randbytes(max(1, round(len(data) * min(ratio, 4.0))) if data else 0)

    def copies(self) -> int:
        """How often a packet arrives."""
        faults = self.faults
        if not (faults.lose_packets or faults.duplicate):
            return 1
        lot = self._packets.random()
        if lot < faults.lose_packets:
            return 0
        return 2 if lot < faults.lose_packets + faults.duplicate else 1

    def lateness(self) -> float:
        """How late the next bytes are, s."""
        return self._lateness.uniform(0.0, self.faults.delay) if self.faults.delay else 0.0

    def babble(self, dt: float) -> bytes:
        """What the modem says in the next `dt` s, mostly nothing."""
        if not self.faults.babble or self._text.random() >= self.faults.babble * dt:
            return b""
        return self._text.choice(_BABBLE)

    def forgets_request(self) -> bool:
        """Whether a GETAUX gets lost inside the robot."""
        return bool(self.faults.lose_requests) and self._requests.random() < self.faults.lose_requests

    def overheard(self, distance: float) -> float:
        """How far an echo seems that is `distance` m away: another robot's ping may come before it."""
        if not self.faults.cross_talk or self._sonar.random() >= self.faults.cross_talk:
            return distance
        return self._sonar.uniform(0.0, distance)
