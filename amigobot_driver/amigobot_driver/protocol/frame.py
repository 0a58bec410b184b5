"""One frame on the wire: header, count, data, checksum (docs/protocol.md 1.1-1.2; AmigoBot manual ch. 5).

    FA FB | N | data (N - 2 bytes) | checksum high | checksum low

The same in both directions and for every firmware of the family. The count N includes the checksum;
data[0] is the command number or the packet id.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

HEADER = b"\xfa\xfb"

#: The count may be anything a byte holds from here on ...
MIN_COUNT = 3
#: ... but no firmware promises to read more than this (docs/protocol.md E-03).
MAX_SEND_COUNT = 200
#: Data bytes of the longest frame that the count can tell of: robots may send it, nobody should send it to a robot.
MAX_DATA = 253

#: Bytes of a frame that are not data: header 2, count 1, checksum 2.
OVERHEAD = 5

#: Where the data of a whole frame is.
FRAME_DATA = slice(3, -2)


def checksum(data: bytes) -> int:
    """The 16-bit sum of big-endian byte pairs; a last odd byte is XORed in, not added."""
    pairs = len(data) // 2
    total: int = sum(struct.unpack_from(f">{pairs}H", data)) & 0xFFFF
    return total ^ data[-1] if len(data) % 2 else total


def checksum_with_count(data: bytes) -> int:
    """The same over the count as well, as the Erratic's manual has it (docs/protocol.md E-40)."""
    return checksum(bytes((len(data) + 2,)) + data)


#: From the data of a frame to what its last two bytes must be.
Checksum = Callable[[bytes], int]


def encode_frame(data: bytes, longest: int = MAX_SEND_COUNT - 2, *, check: Checksum = checksum) -> bytes:
    """Wrap data (command number or packet id first) into a frame.

    Raises ValueError when the data is empty or longer than `longest`: what every receiver must accept (198 bytes).
    """
    if not 1 <= len(data) <= longest:
        raise ValueError(f"a frame carries 1 to {longest} data bytes, not {len(data)}")
    return b"%b%c%b%b" % (HEADER, len(data) + 2, data, check(data).to_bytes(2, "big"))
