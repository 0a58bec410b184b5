# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What something between robot and computer does to the bytes.

There are three proofs, and no guess. The answers to SYNC0 and SYNC1 are known, so a change of every byte shows in them.
A bit or value that never arrives is lost. And where single values are changed, undoing it gives packets whose checksum
is right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

from ..protocol import HEADER, OVERHEAD, checksum, checksum_with_count, encode_frame

#: Answers of every robot to SYNC0 and SYNC1.
_ANSWERS = encode_frame(b"\x00"), encode_frame(b"\x01")
#: Bytes of damaged packets, and different values, from which on a bit or a value that never arrives is a proof.
_ENOUGH, _VALUES = 50, 8
#: Damaged packets that are examined, and the share of them that a change must explain.
_EXAMINED, _EXPLAINED = 60, 0.4
#: Bytes from which a damaged packet is no answer to SYNC0 or SYNC1, and from which more than the packet was damaged.
_LONG, _NEXT_PACKET = 12, 20
#: Share of printable bytes in a text.
_TEXT_SHARE = 0.8
#: Names of values that programs and adapters treat as control characters.
_CONTROL = {
    **{value: f"Ctrl-{chr(value + 64)}" for value in (3, 4, 21, 22, 26, 28)},
    **{0: "NUL", 8: "BS", 9: "TAB", 10: "LF", 13: "CR", 16: "DLE", 17: "XON", 19: "XOFF", 27: "ESC", 127: "DEL"},
    255: "0xFF",
}


class Change(NamedTuple):
    """What happens to the bytes."""

    key: str  #: key of the cause
    what: str  #: one sentence, with the remedy where it is a special one


Translation = Callable[[bytes], bytes]
_8N1 = "set the port of the adapter or bridge to 8 data bits, no parity, 1 stop bit (8N1)"
_7_BIT = Change("line-7-bit", f"Bit 7 of every byte is lost: something on the line has 7 data bits; {_8N1}")
_PARITY = Change("line-parity", f"Bit 7 of every byte is a parity bit (7E1 or 7O1); {_8N1}")
_REPLACED = Change("line-7-bit", "Bytes above 127 are replaced: something on the line takes them for text")
_TEXT = Change("line-text", "The bytes arrive as numbers in a text: a terminal or logging program writes it")
_EACH = Change("line-changes", "Each byte arrives as another one: a converter, or a broken adapter, changes it")
_NUL = Change("line-nul", "Bytes of the value 0 (NUL) are lost on the way, for example in a terminal program")
_INVERTED = Change(
    "line-inverted",
    "Every bit arrives inverted: the levels of RS-232 and of TTL are mixed; use an adapter for RS-232 levels "
    "(or one for TTL, at the board), without an inverter",
)
_DOUBLED = Change(
    "line-doubled",
    "Every byte arrives twice: two programs or cables feed the line, or it echoes each byte of the robot",
)
_SYSTEMATIC = Change(
    "line-changes",
    "The same packet arrives damaged in the same way each time: something on the line changes or drops bytes of it; "
    "noise does not do that",
)


def _each(function: Callable[[int], int]) -> Translation:
    return lambda data: bytes(function(byte) & 0xFF for byte in data)


def _lost(value: int) -> Change:
    if value == 0:
        return _NUL
    if value in (0x11, 0x13):
        what = "The bytes 17 and 19 (XON and XOFF) are lost: software flow control is on, and takes them for its own"
        return Change("line-xon-xoff", what)
    if value in HEADER:
        what = f"The bytes {value} at the beginning of packets are lost: an adapter loses the first byte after a pause"
        return Change("line-control", what)
    what = f"Bytes of the value {value} ({_CONTROL[value]}) are lost: something on the line takes them for control"
    return Change("line-crlf" if value in b"\r\n" else "line-control", what)


def _stuck(bits: list[int], value: int) -> Change:
    which = ", ".join(map(str, bits))
    what = f"Bit {which} of every byte is {value}: a data line is stuck in adapter or robot; try another adapter"
    return Change("line-stuck-bit", what)


def _parity(odd: int) -> Translation:
    return _each(lambda byte: byte & 0x7F | ((byte & 0x7F).bit_count() + odd) % 2 << 7)


#: Changes of every byte: what arrives of the known answers.
_OF_ALL: tuple[tuple[Change, Translation], ...] = (
    (_INVERTED, _each(lambda byte: ~byte)),
    (_DOUBLED, lambda data: bytes(byte for byte in data for _ in range(2))),
    *((_lost(value), lambda data, value=value: data.replace(bytes((value,)), b"")) for value in (*HEADER, 3)),
    (_7_BIT, _each(lambda byte: byte & 0x7F)),
    (_PARITY, _parity(0)),
    (_PARITY, _parity(1)),
    (_NUL, lambda data: data.replace(b"\0", b"")),
    (_NUL, lambda data: data.replace(b"\0", b" ")),
    (_REPLACED, _each(lambda byte: byte if byte < 0x80 else ord("?"))),
    (_REPLACED, lambda data: data.decode("ascii", "replace").encode()),
    (_REPLACED, lambda data: data.decode("latin-1").encode()),
    (_REPLACED, lambda data: bytes(byte for byte in data if byte < 0x80)),
    *((_stuck([bit], 0), _each(lambda byte, bit=bit: byte & ~(1 << bit))) for bit in range(7)),  # type: ignore[misc]
    *((_stuck([bit], 1), _each(lambda byte, bit=bit: byte | 1 << bit)) for bit in range(8)),  # type: ignore[misc]
)
#: The answers to SYNC0 and SYNC1 with each value changed to another one.
_MAPPED = re.compile(rb"(.)(?!\1)(.)(.)(?!\3)(.)\4\4.*\1\2\3(?!\4)(.)\4\5", re.DOTALL)
#: The same in text: numbers of base 16, 10 and 2.
_NUMBERS = ((16, rb"[0-9A-Fa-f]{2}"), (10, rb"\d+"), (2, rb"[01]{8}"))


def _translated(before: bytes, after: bytes, name: str) -> tuple[Change, Translation]:
    what = f"Line ends are translated ({name}): something on the line takes the packets for text"
    return Change("line-crlf", what), lambda data: data.replace(after, before)


def _escaped(value: int, who: str) -> tuple[Change, Translation]:
    what = f"Each byte {value} arrives twice: {who}"
    key = "telnet" if value == 0xFF else "line-escaped"
    return Change(key, what), lambda data: data.replace(bytes((value, value)), bytes((value,)))


#: Changes of single values, and how each is undone.
_OF_SOME = (
    _translated(b"\n", b"\r\n", "LF becomes CR LF"),
    _translated(b"\r", b"\r\n", "CR becomes CR LF"),
    _translated(b"\r", b"\r\0", "CR becomes CR NUL, as Telnet does"),
    _escaped(0xFF, "the bridge speaks Telnet, or marks errors of the line (PARMRK); set it to raw TCP (ser2net: raw)"),
    *(_escaped(value, "a protocol or program between escapes it") for value in (0x10, 0x1B, 0x7D)),
    (
        Change("line-escaped", "Some bytes arrive as an escape 125 and another byte: the link speaks PPP"),
        lambda data: re.sub(rb"\x7d(.)", lambda found: bytes((found[1][0] ^ 0x20,)), data, flags=re.DOTALL),
    ),
    (
        Change("line-escaped", "The bytes 192 and 219 arrive escaped: the link speaks SLIP"),
        lambda data: data.replace(b"\xc0", b"").replace(b"\xdb\xdc", b"\xc0").replace(b"\xdb\xdd", b"\xdb"),
    ),
)


def find_change(data: bytes) -> Change | None:
    """Return what happened to the bytes of a robot on their way; None if nothing is proven.

    Args:
        data: What was received.
    """
    damaged, valid = split(data)
    if not {answer[3:] for answer in _ANSWERS} & set(valid):
        for found, make in _OF_ALL:
            # The second answer is a proof; the first one alone may be the beginning of it.
            if make(_ANSWERS[1]) in data and make(_ANSWERS[0]) in data:
                return found
    if not valid:
        if any(_ANSWERS[1] in _from_text(data, base, digits) for base, digits in _NUMBERS):
            return _TEXT
        if _MAPPED.search(data):
            return _EACH
    if any(
        checksum_with_count(part[3:-2]) == part[-2] << 8 | part[-1] for part in damaged if OVERHEAD < len(part) < 258
    ):
        return None  # a robot of which a profile says so
    # What a valid packet has, the line carries.
    seen = b"".join([*damaged, *valid]) if valid else data
    if (damaged or not is_text(data)) and (never := _never_arrives(seen)):
        return never
    if single := _single_values(damaged, set(b"".join(valid))):
        return single
    # Some short packets have the same checksum in any order of bytes, SIPs do not.
    if not any(packet[0] & 0xF0 == 0x30 for packet in valid) and (wrong := _checksums(damaged)):
        return wrong
    return _systematic(damaged, data)


def is_text(data: bytes) -> bool:
    """Return whether most bytes are printable ASCII or ends of lines."""
    return sum(0x20 <= byte < 0x7F or byte in b"\r\n\t" for byte in data) >= _TEXT_SHARE * len(data)


def split(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the bytes from each header outside valid packets to the next header, and the data of the valid packets."""
    damaged, valid, at = [], [], data.find(HEADER)
    while at >= 0:
        if _valid(data[at : at + 258]):
            valid.append(data[at + 3 : at + data[at + 2] + 3])
            at = data.find(HEADER, at + data[at + 2] + 3)
            continue
        after = data.find(HEADER, at + 2)
        if after >= 0:  # the last one may be incomplete
            damaged.append(data[at:after])
        at = after
    return damaged, valid


def outside_packets(data: bytes) -> list[bytes]:
    """Return the bytes between valid packets, one item for each place."""
    outside, at, start = [], 0, 0
    while (found := data.find(HEADER, at)) >= 0:
        at = found + len(HEADER)
        if _valid(data[found : found + 258]):
            outside.append(data[start:found])
            at = start = found + data[found + 2] + 3
    return [part for part in (*outside, data[start:]) if part]


def length_errors(damaged: list[bytes]) -> list[int]:
    """Return by how many bytes each damaged packet is longer than its count says; negative: shorter; 0: unknown."""
    lengths = [len(part) - part[2] - 3 for part in damaged if len(part) > 2]
    return [length if length < _NEXT_PACKET else 0 for length in lengths]


def cut_at(data: bytes) -> int:
    """Return the length (bytes) to which longer packets are cut; 0 if they are not."""
    damaged, valid = split(data)
    short = [len(part) for part in damaged if len(part) > 2 and len(part) < part[2] + 3]
    (length, count), *_ = [*Counter(short).most_common(1), (0, 0)]
    longest = max((len(packet) + 3 for packet in valid), default=0)
    return length if count > 2 and count > len(damaged) / 2 and longest <= length else 0


def _from_text(data: bytes, base: int, digits: bytes) -> bytes:
    values = [int(found, base) for found in re.findall(digits, data) if len(found) <= 8]
    return bytes(value for value in values if value < 256)


def _checksums(damaged: list[bytes]) -> Change | None:
    """Whether packets are complete, and have another checksum each time."""
    complete = [part for part in damaged if len(part) == part[2] + 3 > OVERHEAD]
    if len(complete) < 2 or len(complete) < _EXPLAINED * len(damaged):
        return None
    what = "The packets are complete, and their checksum is wrong each time: another firmware, or a converter"
    return Change("checksum", what)


def _never_arrives(data: bytes) -> Change | None:
    """A bit or a value that never occurs."""
    seen = set(data)
    if len(data) < _ENOUGH or len(seen) < _VALUES:
        return None
    zeros = [bit for bit in range(8) if not any(byte >> bit & 1 for byte in seen)]
    ones = [bit for bit in range(8) if all(byte >> bit & 1 for byte in seen)]
    if zeros or ones:
        return _7_BIT if zeros == [7] else _stuck(zeros or ones, 0 if zeros else 1)
    if len({byte.bit_count() % 2 for byte in seen}) == 1:
        return _PARITY
    return _NUL if 0 not in seen and HEADER in data else None


def _single_values(damaged: list[bytes], seen: set[int]) -> Change | None:
    """The change whose undoing repairs the most damaged packets; `seen` are the values in valid ones."""
    damaged = [part for part in dict.fromkeys(damaged) if len(part) > OVERHEAD][:_EXAMINED]
    # A value that is lost, or arrives as another one, never arrives.
    absent = _CONTROL.keys() - seen - set(b"".join(part[3:] for part in damaged))
    scores = Counter(found for part in damaged for found in set(_repairs(part, absent)))
    (best, score), (_, second) = [*scores.most_common(2), (None, 0), (None, 0)][:2]
    return best if score >= max(1, _EXPLAINED * len(damaged)) and score > second else None


def _repairs(part: bytes, absent: set[int]) -> Iterator[Change]:
    """The changes whose undoing makes a valid packet of the bytes from one header to the next."""
    for found, undo in _OF_SOME:
        if (undone := undo(part)) != part and _valid(undone):
            yield found
    missing = part[2] + 3 - len(part)
    for value in absent if missing in (0, 1, 2) else ():
        byte = bytes((value,))
        for places in combinations(range(3, len(part) + (missing > 0)), missing or 1):
            first, last = places[0], places[-1]
            middle = byte + part[first:last] if missing == 2 else b""
            whole = part[:first] + middle + byte + part[last + (missing == 0) :]
            if _valid(whole):
                yield _lost(value) if missing else _replaced(value, part[first])
                break


def _replaced(value: int, arrives: int) -> Change:
    names = [f"{each} ({_CONTROL[each]})" if each in _CONTROL else f"{each}" for each in (value, arrives)]
    what = f"Bytes of the value {names[0]} arrive as {names[1]}: something on the line takes the packets for text"
    return Change("line-nul" if value == 0 else "line-crlf" if value in b"\r\n" else "line-control", what)


def _systematic(damaged: list[bytes], data: bytes) -> Change | None:
    """The same packet, of those with its id, is damaged in the same way again and again: noise does not do that."""
    long = [part for part in damaged if len(part) > _LONG]
    part, times = Counter(long).most_common(1)[0] if long else (b"", 0)
    again = times > 1 and times > sum(other[3] == part[3] for other in long) / 2
    return _SYSTEMATIC if again and not cut_at(data) else None


def _valid(part: bytes) -> bool:
    """Whether bytes are one complete packet, with nothing behind it but the rest of damage."""
    if len(part) < 3 or not 3 <= part[2] <= len(part) - 3:
        return False
    end = part[2] + 3
    return checksum(part[3 : end - 2]) == part[end - 2] << 8 | part[end - 1]
