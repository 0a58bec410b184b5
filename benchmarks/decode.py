# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Frames decoded a second, against a bare loop over the same fields."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Callable, Iterator

from amigobot_driver.protocol import FrameDecoder, Sip, SipSonarReading, encode_frame, parse

from .report import Row, row

_FIELDS = struct.Struct("<BHHhhhBBBhHBB")
_PINGS = struct.Struct("<BH")
_PORTS = struct.Struct("<5B")
_PAIRS = tuple(struct.Struct(f">{pairs}H") for pairs in range(128))
_FRAMES = 20_000
_ROUNDS = 5


def decode() -> Iterator[Row]:
    """Whole SIPs as an AmigoBot sends them, in chunks as a serial port hands them over; then with corrupt bytes."""
    sip = Sip(
        id=0x33, x=32760, y=5, heading=1024, left_velocity=320, right_velocity=335, battery=121,
        left_stall_bumpers=0, right_stall_bumpers=0, control=1024, flags=3, compass=0,
        sonar=(SipSonarReading(number=2, range=1500), SipSonarReading(number=3, range=1520)),
        port_low=1, port_high=0, analog=128, digital_in=0, digital_out=0,
    )  # fmt: skip
    stream = encode_frame(sip.encode()) * _FRAMES
    noise = random.Random(1)
    corrupt = bytearray(stream)
    for place in noise.sample(range(len(stream)), len(stream) // 100):
        corrupt[place] ^= noise.randrange(1, 256)
    ours, bare, damaged = [], [], []
    for _ in range(_ROUNDS):
        ours.append(_microseconds(_with_the_driver, stream))
        bare.append(_microseconds(_bare, stream))
        damaged.append(_microseconds(_with_the_driver, bytes(corrupt)))
    yield row("decode a SIP, against a bare loop", "us", 3.0, ours, bare)
    yield row("decode with 1 % corrupt bytes, against clean", "us", 1.2, damaged, ours)


def _microseconds(work: Callable[[bytes], int], stream: bytes) -> float:
    """CPU time for each frame that was sent."""
    start = time.process_time()
    assert work(stream) > _FRAMES / 10
    return 1e6 * (time.process_time() - start) / _FRAMES


def _with_the_driver(stream: bytes) -> int:
    decoder, count = FrameDecoder(1e-3), 0
    for at in range(0, len(stream), 64):
        for frame in decoder.feed(stream[at : at + 64], at * 1e-3):
            parse(frame.data)
            count += 1
    return count


def _bare(stream: bytes) -> int:
    count = at = 0
    while (at := stream.find(b"\xfa\xfb", at)) >= 0:
        end = at + stream[at + 2] + 1
        data = stream[at + 3 : end]
        words = _PAIRS[len(data) // 2].unpack_from(data)
        check = sum(words) & 0xFFFF ^ (data[-1] if len(data) % 2 else 0)
        if check == stream[end] << 8 | stream[end + 1]:
            fields = _FIELDS.unpack_from(data)
            _ = [_PINGS.unpack_from(data, _FIELDS.size + 3 * place) for place in range(fields[-1])]
            _ = _PORTS.unpack_from(data, _FIELDS.size + 3 * fields[-1])
            count += 1
        at = end + 2
    return count
