# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What sends the bytes that are not a robot's: a table of patterns, the most specific first."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Longest part of a text that is shown.
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Stranger:
    """Something that is not a robot."""

    pattern: re.Pattern[bytes]
    key: str  #: key of the cause
    name: str


def _stranger(pattern: bytes, key: str, name: str) -> Stranger:
    return Stranger(re.compile(pattern, re.IGNORECASE), key, name)


#: Texts of radio modems: docs/protocol 3.7, and the result codes of the Hayes command set.
STRANGERS = (
    _stranger(
        rb"partner (not found|busy)|connect(ing\.\.\.|ed to address)|no carrier|no dial ?tone",
        "modem-text",
        "a radio modem that is not connected to the modem of the robot",
    ),
    _stranger(rb"\$(GP|GN|GL|GA|BD)[A-Z]{3},", "wrong-socket", "a GPS receiver"),
    _stranger(rb"^SSH-\d", "wrong-socket", "an SSH server"),
    _stranger(rb"HTTP/\d|<html", "wrong-socket", "a web server"),
    _stranger(rb"^(220|\+OK|\* OK)[ -]", "wrong-socket", "a file or mail server"),
    _stranger(rb"login: |password: |[$#>] $", "wrong-socket", "the console of a computer"),
    _stranger(rb"^(V00|M00|SCIP|VEND:)", "wrong-socket", "a laser scanner"),
    _stranger(rb"\x02\x80.{0,2}[\x00-\x03]", "wrong-socket", "a laser scanner"),
)


def stranger(data: bytes) -> Stranger | None:
    """Return what sends these bytes; None if no pattern fits."""
    return next((candidate for candidate in STRANGERS if candidate.pattern.search(data.strip(b"\0"))), None)


def shown(data: bytes) -> str:
    """Return the beginning of a text as it may be printed, without control characters."""
    words = "".join(chr(byte) if 0x20 <= byte < 0x7F else " " for byte in data).split()
    text = " ".join(words)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def in_hex(data: bytes, limit: int = 16) -> str:
    """Return the first bytes in hexadecimal."""
    return data[:limit].hex(" ").upper() + (" ..." if len(data) > limit else "")
