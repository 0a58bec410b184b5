# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Injected faults on the line, in the radio link and in the robot; reproducible for a seed.

Faults(corrupt=0.001, lose_packets=0.02, unplug=Window(10, 2, every=60))
parse_faults(["corrupt=0.001", "lose_packets=0.02", "unplug=10:2:60"])       # the same
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields

from ..protocol import BAUD_RATES
from ..wording import wrong_type

#: Texts of a radio modem between packets (docs/protocol.md 3.7).
_BABBLE = (
    b"\r\nConnecting...",
    b"\r\nConnected to address 2\r\n",
    b"\r\nPartner busy!",
    b"\r\nPartner not found!",
)


class FaultError(ValueError):
    """A fault does not exist or its value cannot be read; the message names what is allowed."""


@dataclass(frozen=True, slots=True)
class Window:
    """Time window of a fault: from `start` for `duration`, repeated every `every`; s since the simulation started."""

    start: float
    duration: float = 0.0
    every: float = math.inf

    def covers(self, time: float) -> bool:
        """Return whether the fault is active at `time` (s)."""
        since = time - self.start
        return since >= 0.0 and (since if math.isinf(self.every) else since % self.every) < self.duration

    def begins(self, before: float, time: float) -> bool:
        """Return whether the fault begins after `before` and not after `time` (s)."""
        if math.isinf(self.every):
            return before < self.start <= time
        return time >= self.start and (time - self.start) // self.every > (before - self.start) // self.every


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """All faults; the defaults inject none. Faults of the line apply to both directions."""

    corrupt: float = field(default=0.0, metadata={"help": "share of bytes in which a bit flips"})
    lose_bytes: float = field(default=0.0, metadata={"help": "share of bytes that vanish"})
    lose_packets: float = field(default=0.0, metadata={"help": "share of packets that vanish"})
    duplicate: float = field(default=0.0, metadata={"help": "share of packets that arrive twice"})
    delay: float = field(default=0.0, metadata={"help": "s by which a packet may be late, at random"})
    babble: float = field(default=0.0, metadata={"help": "lines of modem text in a second"})
    lose_requests: float = field(default=0.0, metadata={"help": "share of GETAUX requests that are lost"})
    silence: Window | None = field(default=None, metadata={"help": "no byte passes: START:DURATION[:EVERY], s"})
    unplug: Window | None = field(default=None, metadata={"help": "the port disappears: START:DURATION[:EVERY], s"})
    reset: Window | None = field(default=None, metadata={"help": "the controller restarts: START[::EVERY], s"})
    jam: Window | None = field(default=None, metadata={"help": "no wheel turns: START:DURATION[:EVERY], s"})
    dead_sonars: frozenset[int] = field(default=frozenset(), metadata={"help": "these detect nothing: 2,5, from 0"})
    mute_sonars: frozenset[int] = field(default=frozenset(), metadata={"help": "these give no reading: 2,5, from 0"})
    stuck_sonars: frozenset[int] = field(default=frozenset(), metadata={"help": "these repeat one range: 2,5, from 0"})
    cross_talk: float = field(default=0.0, metadata={"help": "share of pings that another robot's sonars cut short"})
    dead_gyro: bool = field(default=False, metadata={"help": "1: the gyro gives no packets"})
    gyro_offset: float = field(default=0.0, metadata={"help": "counts by which the gyro reads too high"})
    pressed_bumpers: frozenset[int] = field(
        default=frozenset(), metadata={"help": "these segments are pressed: 0,7, from 0, the front ring first"}
    )
    no_floor: frozenset[int] = field(default=frozenset(), metadata={"help": "no floor under these: 0 left, 1 right"})
    refuse_open: bool = field(default=False, metadata={"help": "1: it answers the handshake and opens no session"})
    left_open: int = field(
        default=0, metadata={"help": "another program left a session open at this line speed, in baud"}
    )
    keep_baud: bool = field(default=False, metadata={"help": "1: a speed set by HOSTBAUD stays until a reset"})
    reset_on_open: float = field(default=0.0, metadata={"help": "s for which opening the port resets the controller"})
    deaf_after_loss: bool = field(
        default=False, metadata={"help": "1: a port that closes in mid-session leaves it deaf for its watchdog time"}
    )
    hurried_close: float = field(
        default=0.0, metadata={"help": "s after another command within which CLOSE does not end the session"}
    )
    sonars_stay_on: bool = field(default=False, metadata={"help": "1: CLOSE does not switch the sonars off"})
    late_seto: float = field(default=0.0, metadata={"help": "s that SETO takes"})
    two_versions: bool = field(
        default=False, metadata={"help": "1: ARCOS sends its version as two texts in CONFIG packets"}
    )
    modem: bool = field(default=False, metadata={"help": "1: a radio modem passes no byte until it receives WMS2"})
    stuck_button: bool = field(default=False, metadata={"help": "1: the MOTORS button keeps the motors off"})
    stop_button: bool = field(default=False, metadata={"help": "1: the stop button of a Pioneer is pressed"})


def fault_help() -> str:
    """Return the list of faults, one per line."""
    return "\n".join(f"  {item.name:<16} {item.metadata['help']}" for item in fields(Faults))


def parse_faults(texts: Iterable[str]) -> Faults:
    """Read faults from text.

    Args:
        texts: One NAME=VALUE per fault.

    Returns:
        The faults.

    Raises:
        FaultError: A name is unknown, or a value is not allowed.
    """
    readers = {item.name: _READERS[str(item.type)] for item in fields(Faults)}
    values: dict[str, object] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in readers:
            raise FaultError(f"fault {name!r:.60} is not known, allowed: {', '.join(readers)}")
        try:
            values[name] = readers[name](value)
        except ValueError:
            item = next(item for item in fields(Faults) if item.name == name)
            expected = f"{_FORMS[str(item.type)]} ({item.metadata['help']})"
            raise FaultError(wrong_type(f"fault {name}", value, expected)) from None
    return Faults(**values)  # type: ignore[arg-type]  # _READERS has a reader for each type


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


def _baud(text: str) -> int:
    if (baud := int(text)) not in BAUD_RATES:
        raise ValueError
    return baud


def _numbers(text: str) -> frozenset[int]:
    return frozenset(int(word) for word in text.split(","))


def flag(text: str) -> bool:
    """Return the value of an option that is 0 or 1.

    Raises:
        ValueError: It is another text.
    """
    if text not in ("0", "1"):
        raise ValueError("expected 0 or 1")
    return text == "1"


#: Readers by the annotation of the field.
_READERS: dict[str, Callable[[str], object]] = {
    "float": _positive,
    "int": _baud,
    "Window | None": _window,
    "frozenset[int]": _numbers,
    "bool": flag,
}
#: What the readers expect, for messages.
_FORMS = {
    "float": "a number of at least 0",
    "int": ", ".join(map(str, BAUD_RATES)),
    "Window | None": "times in s of at least 0, a DURATION shorter than EVERY",
    "frozenset[int]": "numbers with commas between them",
    "bool": "0 or 1",
}


class FaultInjector:
    """Decides at random when a fault happens; a random generator for each kind keeps faults independent."""

    def __init__(self, seed: str) -> None:
        """Start without faults.

        Args:
            seed: Seed of the random generators.
        """
        self.faults = Faults()
        uses = "bytes", "packets", "lateness", "text", "requests", "noise", "sonar"
        chances = (random.Random(f"{seed}/faults/{use}") for use in uses)
        self._bytes, self._packets, self._delays, self._text, self._requests, self._noise, self._sonar = chances

    def corrupt(self, data: bytes) -> bytes:
        """Return bytes with flipped and lost bits and bytes."""
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
        """Return what a UART receives that runs at another speed than the sender.

        Args:
            data: The bytes that are sent.
            ratio: Speed of the receiver over that of the sender.
        """
        return self._noise.randbytes(max(1, round(len(data) * min(ratio, 4.0))) if data else 0)

    def copies(self) -> int:
        """Return how often a packet arrives: 0, 1 or 2."""
        faults = self.faults
        if not (faults.lose_packets or faults.duplicate):
            return 1
        lot = self._packets.random()
        if lot < faults.lose_packets:
            return 0
        return 2 if lot < faults.lose_packets + faults.duplicate else 1

    def delay(self) -> float:
        """Return the delay of the next bytes in s."""
        return self._delays.uniform(0.0, self.faults.delay) if self.faults.delay else 0.0

    def babble(self, dt: float) -> bytes:
        """Return the modem text of the next `dt` s, mostly none."""
        if not self.faults.babble or self._text.random() >= self.faults.babble * dt:
            return b""
        return self._text.choice(_BABBLE)

    def loses_request(self) -> bool:
        """Return whether a GETAUX request is lost inside the robot."""
        return bool(self.faults.lose_requests) and self._requests.random() < self.faults.lose_requests

    def with_cross_talk(self, distance: float) -> float:
        """Return the measured distance if another robot's ping may arrive before the echo.

        Args:
            distance: Distance of the echo in m.

        Returns:
            The distance that the sonar measures, 0 to `distance`.
        """
        if not self.faults.cross_talk or self._sonar.random() >= self.faults.cross_talk:
            return distance
        return self._sonar.uniform(0.0, distance)
