# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Injected faults on the line, in the radio link and in the robot; reproducible for a seed.

Faults(corrupt=0.001, lose_packets=0.02, unplug=Window(10, 2, every=60))
parse_faults(["corrupt=0.001", "lose_packets=0.02", "unplug=10:2:60"])       # the same
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from ..profiles import MAX_BUMPER_SEGMENTS
from ..protocol import BAUD_RATES
from .fields import Window, number, numbers, option, parse_options

_SHARE = number(0.0, 1.0)
_SONARS = numbers(31)  # four arrays of eight


def _baud(text: str) -> int:
    if not text.isdecimal() or int(text) not in BAUD_RATES:
        raise ValueError(", ".join(map(str, BAUD_RATES)))
    return int(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """All faults; the defaults inject none. Faults of the line apply to both directions."""

    corrupt: float = option(0.0, "share of bytes in which a bit flips", _SHARE)
    lose_bytes: float = option(0.0, "share of bytes that vanish", _SHARE)
    lose_packets: float = option(0.0, "share of packets that vanish", _SHARE)
    delay: float = option(0.0, "s by which a packet may be late, at random")
    silence: Window | None = option(None, "no byte passes: START:DURATION[:EVERY], s")
    unplug: Window | None = option(None, "the port disappears: START:DURATION[:EVERY], s")
    reset: Window | None = option(None, "the controller restarts: START[::EVERY], s")
    jam: Window | None = option(None, "no wheel turns: START:DURATION[:EVERY], s")
    dead_sonars: frozenset[int] = option(frozenset(), "these detect nothing: 2,5, from 0", _SONARS)
    mute_sonars: frozenset[int] = option(frozenset(), "these give no reading: 2,5, from 0", _SONARS)
    stuck_sonars: frozenset[int] = option(frozenset(), "these repeat one range: 2,5, from 0", _SONARS)
    cross_talk: float = option(0.0, "share of pings that another robot's sonars cut short", _SHARE)
    dead_gyro: bool = option(False, "1: the gyro gives no packets")
    gyro_offset: float = option(0.0, "counts by which the gyro reads too high")
    pressed_bumpers: frozenset[int] = option(
        frozenset(),
        "these segments are pressed: 0,7, from 0, the front ring first",
        numbers(2 * MAX_BUMPER_SEGMENTS - 1),
    )
    no_floor: frozenset[int] = option(frozenset(), "no floor under these: 0 left, 1 right", numbers(1))
    refuse_low_battery: bool = option(False, "1: below its alarm voltage it answers no client (E-34)")
    refuse_open: bool = option(False, "1: it answers the handshake and opens no session")
    left_open: int = option(0, "another program left a session open at this line speed, in baud", _baud)
    keep_baud: bool = option(False, "1: a speed set by HOSTBAUD stays until a reset")
    reset_on_open: float = option(0.0, "s for which opening the port resets the controller")
    deaf_after_loss: bool = option(False, "1: a port that closes in mid-session leaves it deaf for its watchdog time")
    hurried_close: float = option(0.0, "s after another command within which CLOSE does not end the session")
    sonars_stay_on: bool = option(False, "1: CLOSE does not switch the sonars off")
    late_seto: float = option(0.0, "s that SETO takes")
    two_versions: bool = option(False, "1: ARCOS sends its version as two texts in CONFIG packets")
    modem: bool = option(False, "1: a radio modem passes no byte until it receives WMS2")
    stop_button: bool = option(False, "1: the stop button of a Pioneer is pressed")


def parse_faults(texts: Iterable[str], base: Faults = Faults()) -> Faults:
    """Read faults, one NAME=VALUE each; the others are those of `base`.

    Raises:
        OptionError: A name is unknown, or a value is not allowed.
    """
    return parse_options("fault", texts, base)


class FaultInjector:
    """Decides at random when a fault happens; a random generator for each kind keeps faults independent."""

    def __init__(self, seed: str, faults: Faults) -> None:
        """Inject these faults.

        Args:
            seed: Seed of the random generators.
            faults: They can be replaced at any time.
        """
        self.faults = faults
        uses = "bytes", "packets", "lateness", "noise", "sonar"
        chances = (random.Random(f"{seed}/faults/{use}") for use in uses)
        self._bytes, self._packets, self._delays, self._noise, self._sonar = chances

    def corrupt(self, data: bytes) -> bytes:
        """Return the bytes; some have a flipped bit, some are missing."""
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

    def loses_packet(self) -> bool:
        """Return whether the next packet vanishes."""
        share = self.faults.lose_packets
        return share > 0 and self._packets.random() < share

    def delay(self) -> float:
        """Return the delay of the next bytes in s."""
        return self._delays.uniform(0.0, self.faults.delay) if self.faults.delay else 0.0

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
