# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One frame on the wire: header, count, data, checksum (docs/protocol 1.1-1.2; AmigoBot manual ch. 5).

    FA FB | N | data (N - 2 bytes) | checksum high | checksum low

The same in both directions and for every firmware, except the checksum of some Erratics. The count N includes the
checksum; data[0] is the command number or the packet id.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

HEADER = b"\xfa\xfb"

#: Smallest count; the largest is 255.
MIN_COUNT = 3
#: Largest count to send: no firmware is documented to accept more (docs/protocol E-03).
MAX_SEND_COUNT = 200
#: Data bytes of the longest possible frame. Robots may send it; do not send it to a robot.
MAX_DATA = 253

#: Bits on a serial line for one byte: start, eight data, stop.
BITS_PER_BYTE = 10
#: Bytes of a frame that are not data: header 2, count 1, checksum 2.
OVERHEAD = 5

#: Slice of the data in a complete frame.
FRAME_DATA = slice(3, -2)


#: Layouts of 0, 1, 2, ... big-endian byte pairs, up to those of the longest frame.
_PAIRS = tuple(struct.Struct(f">{pairs}H") for pairs in range(128))


def checksum(data: bytes) -> int:
    """Return the 16-bit sum of big-endian byte pairs; a last odd byte is XORed, not added."""
    size = len(data)
    total: int = sum(_PAIRS[size >> 1].unpack_from(data)) & 0xFFFF
    return total ^ data[-1] if size & 1 else total


def checksum_with_count(data: bytes) -> int:
    """Return the checksum including the count, as the Erratic manual defines it (docs/protocol E-40)."""
    return checksum(bytes((len(data) + 2,)) + data)


#: Computes the last two bytes of a frame from its data.
Checksum = Callable[[bytes], int]


def encode_frame(data: bytes, max_data: int = MAX_SEND_COUNT - 2, *, check: Checksum = checksum) -> bytes:
    """Wrap data into a frame.

    Args:
        data: Command number or packet id, then its data.
        max_data: Largest allowed size of data, in bytes. The default is what every receiver accepts (198 bytes).
        check: Checksum function.

    Raises:
        ValueError: The data is empty or too long.
    """
    if not 1 <= len(data) <= max_data:
        raise ValueError(f"a frame carries 1 to {max_data} data bytes, not {len(data)}")
    return b"%b%c%b%b" % (HEADER, len(data) + 2, data, check(data).to_bytes(2, "big"))
