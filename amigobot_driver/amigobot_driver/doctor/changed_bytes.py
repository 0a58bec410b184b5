# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The finding that something on the line changes bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .finding import Cause, Finding, Severity
from .tap import Chunk, received
from .transformations import find_transformation


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
