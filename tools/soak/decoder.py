# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Ten million bytes that no robot sent, into the decoder."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from amigobot_driver.protocol import FrameDecoder, parse

from .figure import Figure, Share

_VECTORS = Path(__file__).parents[2] / "amigobot_driver" / "test" / "data" / "packets.json"
_BYTES = 10_000_000
_CHUNK = 4096


def decoder(share: Share) -> Iterator[Figure]:
    """Random bytes, and recorded frames with one byte in fifty changed."""
    rng = random.Random(share.seed)
    frames = [bytes.fromhex(text) for text in json.loads(_VECTORS.read_text(encoding="utf-8")).values()]
    known = {frame[3:-2] for frame in frames}
    for name, source in (("random", rng.randbytes), ("mutated", lambda size: _mutated(rng, frames, size))):
        total, unknown, candidates = share.of(_BYTES // 2), 0, 0
        decode = FrameDecoder()
        for at in range(0, total, _CHUNK):
            data = source(_CHUNK)
            candidates += data.count(b"\xfa\xfb")
            for frame in decode.feed(data, at * 1e-3):
                parse(frame.data)
                unknown += frame.data not in known
        # A changed frame passes a 16-bit checksum once in 65536; a changed pair of bytes more often: it only adds.
        odds = candidates / 65536 + (candidates / 2000 if name == "mutated" else 0)
        yield Figure(
            f"{total:,} {name} bytes into the decoder",
            f"nothing raised, at most {odds + 5:.0f} wrong frames",
            f"{decode.stats.frames:,} frames, {unknown} wrong, {decode.stats.checksum_errors:,} refused",
            unknown <= odds + 5,
        )


def _mutated(rng: random.Random, frames: list[bytes], size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        data += rng.choice(frames)
    for _ in range(size // 50):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)
