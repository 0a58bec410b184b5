# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What something on the line does to bytes, as a finding or a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .finding import Cause, Finding, Severity
from .tap import Chunk, received
from .transformations import damaged_lengths, find_transformation


def changed_bytes(chunks: Iterable[Chunk], check: str, command: str) -> Iterator[Finding]:
    """Yield what something on the line does to the bytes, if damaged packets show it.

    Args:
        chunks: What was on the line.
        check: Name of the check.
        command: Examines again.
    """
    if found := find_transformation(received(chunks)):
        cause = Cause(found.key, found.what, found.action, command)
        yield Finding(check, Severity.ERROR, "the line changes the bytes of packets", (cause,))


def damage(data: bytes) -> str:
    """Return what most damaged packets have in common, as a sentence; "" without damaged packets.

    Args:
        data: What was received.
    """
    lengths = damaged_lengths(data)
    if len(lengths) < 2:
        return ""
    if 2 * sum(length > 0 for length in lengths) > len(lengths):
        return "Bytes arrive that the robot has not sent, inside packets: some come twice, or from another sender."
    if 2 * sum(length < 0 for length in lengths) > len(lengths):
        return "Bytes are lost on the way, single ones inside packets: a buffer overflows, or a contact is loose."
    return "Packets are damaged on the way: noise on cable or radio."
