# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What something between robot and computer does to the bytes: a table of transformations that packets reveal.

A checksum makes the proof: a transformation is found if undoing it makes valid packets of bytes that were none.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..protocol import HEADER, OVERHEAD, checksum, checksum_with_count, encode_frame

#: Answers of every robot to SYNC0 and SYNC1.
_ANSWERS = encode_frame(b"\x00"), encode_frame(b"\x01")
#: Bytes of damaged packets from which on a bit or a value that never occurs is a proof.
_ENOUGH = 50
#: Damaged packets that are examined, and the share of them that a transformation must explain; their number, if its
#: value is no usual one: similar packets have several explanations.
_EXAMINED, _EXPLAINED, _SURE = 60, 0.4, 4
#: Bytes from which a damaged packet is no answer to SYNC0 or SYNC1, and from which more than the packet was damaged.
_LONG, _NEXT_PACKET = 12, 20
#: Names of values that programs and adapters treat as control characters, by value.
_CONTROL = {value: f"Ctrl-{chr(value + 64)}" for value in (3, 4, 21, 22, 26, 28)} | {
    0: "NUL",
    8: "BS",
    9: "TAB",
    10: "LF",
    13: "CR",
    17: "XON",
    19: "XOFF",
    27: "ESC",
    127: "DEL",
    255: "0xFF",
}
_7_BIT = "set the port of the adapter or bridge to 8 data bits, no parity, 1 stop bit (8N1)"


class Transformation(NamedTuple):
    """What happens to the bytes."""

    key: str  #: key of the cause
    what: str  #: one sentence, with the remedy where it is a special one


Change = Callable[[bytes], bytes]


def _each(function: Callable[[int], int]) -> Change:
    table = bytes(function(byte) & 0xFF for byte in range(256))
    return lambda data: data.translate(table)


def _reversed_bits(byte: int) -> int:
    return int(f"{byte:08b}"[::-1], 2)


def _pairs_swapped(data: bytes) -> bytes:
    return b"".join(data[at : at + 2][::-1] for at in range(0, len(data), 2))


def _once(data: bytes) -> bytes:
    """Every byte that comes twice, once."""
    return re.sub(rb"(.)\1", rb"\1", data, flags=re.DOTALL)


def _parity(odd: int) -> Change:
    return _each(lambda byte: (byte & 0x7F) | (((byte & 0x7F).bit_count() + odd) % 2 << 7))


def _numbers(base: int, digits: bytes) -> Change:
    """Undo text of one number for each byte, with anything between them: "0xFA, 0xFB" or "372 373"."""
    pattern = re.compile(rb"(?:0[xXbo]|[\\%=$#]x?)?([" + digits + rb"]+)")

    def undo(data: bytes) -> bytes:
        values = [int(found, base) for found in pattern.findall(data) if len(found) <= 8]
        return bytes(value for value in values if value < 256)

    return undo


def _joined_hex(data: bytes) -> bytes:
    digits = re.sub(rb"[^0-9A-Fa-f]", b"", data)
    return bytes.fromhex(digits[: len(digits) // 2 * 2].decode())


def _coded(decode: Change, word: bytes = rb"\S+") -> Change:
    """Undo a code of text, word by word: each read of a program is coded by itself."""

    def undo(data: bytes) -> bytes:
        done = b""
        for word in words.findall(data):
            try:
                done += decode(word)
            except (ValueError, binascii.Error):
                continue
        return done

    words = re.compile(word)
    return undo


_7 = Transformation("line-7-bit", f"Bit 7 of every byte is lost: something on the line has 7 data bits; {_7_BIT}")
_PARITY = Transformation("line-parity", f"Bit 7 of every byte is a parity bit (7E1 or 7O1); {_7_BIT}")
_NUL = Transformation("line-nul", "Bytes of the value 0 (NUL) are lost on the way, for example in a terminal program")
_REPLACED = Transformation("line-7-bit", "Bytes above 127 are replaced: something on the line takes them for text")
_EACH = Transformation("line-changes", "Each byte arrives as another one: a converter, or a broken adapter, changes it")
_SYSTEMATIC = Transformation(
    "line-changes",
    "The same packet arrives damaged in the same way each time: something on the line changes or drops bytes of it; "
    "noise does not do that",
)


def _text(name: str) -> Transformation:
    return Transformation("line-text", f"The bytes arrive as text, as {name}: a terminal or logging program writes it")


def _order(name: str) -> Transformation:
    return Transformation("line-bit-order", f"The {name} of the bytes arrive in another order: a converter changes it")


#: Transformations of all bytes, and how each is undone.
_WHOLE: tuple[tuple[Transformation, Change], ...] = (
    (
        Transformation(
            "line-inverted",
            "Every bit arrives inverted: the levels of RS-232 and of TTL are mixed; use an adapter for RS-232 levels "
            "(or one for TTL, at the board), without an inverter",
        ),
        _each(lambda byte: ~byte),
    ),
    (
        Transformation(
            "line-doubled",
            "Every byte arrives twice: two programs or cables feed the line, or it echoes each byte of the robot",
        ),
        _once,
    ),
    (_order("bits"), _each(_reversed_bits)),
    *((_order("bits"), _each(lambda byte, n=n: byte << n | byte >> 8 - n)) for n in range(1, 8)),  # type: ignore[misc]
    (_order("pairs"), _pairs_swapped),
    (_order("pairs"), lambda data: data[:1] + _pairs_swapped(data[1:])),
    (_text("UTF-16"), lambda data: data[::2]),
    (_text("UTF-16"), lambda data: data[1::2]),
    (_text("UTF-8"), lambda data: data.decode("utf-8", "ignore").encode("latin-1", "ignore")),
    (_text("hexadecimal digits"), _joined_hex),
    (_text("hexadecimal numbers"), _numbers(16, rb"0-9A-Fa-f")),
    (_text("decimal numbers"), _numbers(10, rb"0-9")),
    (_text("binary digits"), _numbers(2, rb"01")),
    (_text("octal numbers"), _numbers(8, rb"0-7")),
    (_text("Base64"), _coded(base64.b64decode, rb"[\w+/]+={0,2}")),
    (_text("Base32"), _coded(base64.b32decode, rb"[A-Z2-7]+=*")),
    (_text("Base85"), _coded(base64.b85decode)),
    (_text("Ascii85"), _coded(base64.a85decode)),
    (_text("quoted-printable"), binascii.a2b_qp),
    (_text("uuencoded lines"), lambda data: b"".join(map(_uuencoded, data.split(b"\n")))),
    *(
        (
            Transformation(
                "line-changes", f"Each byte arrives XORed with {key} (0x{key:02X}): a scrambler or converter"
            ),
            _each(lambda byte, key=key: byte ^ key),  # type: ignore[misc]
        )
        for key in range(1, 255)
    ),
    *(
        (
            Transformation("line-changes", f"Each byte arrives with {key} added: a scrambler or converter changes it"),
            _each(lambda byte, key=key: byte - key),  # type: ignore[misc]
        )
        for key in range(1, 256)
    ),
)


def _uuencoded(line: bytes) -> bytes:
    try:
        return binascii.a2b_uu(line)
    except binascii.Error:
        return b""


def _lost_value(value: int) -> Transformation:
    if value == 0:
        return _NUL
    if value in (0x11, 0x13):
        what = "The bytes 17 and 19 (XON and XOFF) are lost: software flow control is on, and takes them for its own"
        return Transformation("line-xon-xoff", what)
    if value in HEADER:
        what = f"The bytes {value} at the beginning of packets are lost: an adapter loses the first byte after a pause"
        return Transformation("line-control", what)
    name = f" ({_CONTROL[value]})" if value in _CONTROL else ""
    what = f"Bytes of the value {value}{name} are lost: something on the line takes them for control"
    return Transformation("line-crlf" if value in (0x0A, 0x0D) else "line-control", what)


def _other_value(value: int, arrives: int) -> Transformation:
    names = [f"{each} ({_CONTROL[each]})" if each in _CONTROL else f"{each}" for each in (value, arrives)]
    what = f"Bytes of the value {names[0]} arrive as {names[1]}: something on the line takes the packets for text"
    return Transformation("line-nul" if value == 0 else "line-crlf" if value in b"\r\n" else "line-control", what)


def _stuck(bits: list[int], value: int) -> Transformation:
    which = ", ".join(map(str, bits))
    what = f"Bit {which} of every byte is {value}: a data line is stuck in adapter or robot; try another adapter"
    return Transformation("line-stuck-bit", what)


#: Transformations that lose something: they cannot be undone, but the robot's answers to SYNC0 and SYNC1 show them.
_LOSSY: tuple[tuple[Transformation, Change], ...] = (
    *((_lost_value(value), lambda data, value=value: data.replace(bytes((value,)), b"")) for value in HEADER),
    (_7, _each(lambda byte: byte & 0x7F)),
    (_PARITY, _parity(0)),
    (_PARITY, _parity(1)),
    (_NUL, lambda data: data.replace(b"\0", b"")),
    (_NUL, lambda data: data.replace(b"\0", b" ")),
    (_REPLACED, _each(lambda byte: byte if byte < 0x80 else ord("?"))),
    (_REPLACED, lambda data: data.decode("ascii", "replace").encode()),
    (_REPLACED, lambda data: bytes(byte for byte in data if byte < 0x80)),
    *((_stuck([bit], 0), _each(lambda byte, bit=bit: byte & ~(1 << bit))) for bit in range(7)),  # type: ignore[misc]
    *((_stuck([bit], 1), _each(lambda byte, bit=bit: byte | 1 << bit)) for bit in range(8)),  # type: ignore[misc]
)


def _translated(before: bytes, after: bytes, name: str) -> tuple[Transformation, Change]:
    what = f"Line ends are translated ({name}): something on the line takes the packets for text"
    return Transformation("line-crlf", what), lambda data: data.replace(after, before)


def _escaped(value: int, who: str) -> tuple[Transformation, Change]:
    what = f"Each byte {value} arrives twice: {who}"
    key = "telnet" if value == 0xFF else "line-escaped"
    return Transformation(key, what), lambda data: data.replace(bytes((value, value)), bytes((value,)))


def _unslip(data: bytes) -> bytes:
    return data.replace(b"\xc0", b"").replace(b"\xdb\xdc", b"\xc0").replace(b"\xdb\xdd", b"\xdb")


#: Transformations of single values, undone in the bytes of a damaged packet.
_LOCAL = (
    _translated(b"\n", b"\r\n", "LF becomes CR LF"),
    _translated(b"\r", b"\r\n", "CR becomes CR LF"),
    _translated(b"\r", b"\r\0", "CR becomes CR NUL, as Telnet does"),
    _escaped(0xFF, "the bridge speaks Telnet, or marks errors of the line (PARMRK); set it to raw TCP (ser2net: raw)"),
    _escaped(0x10, "a protocol between escapes it (DLE)"),
    _escaped(0x1B, "a program between escapes it (ESC)"),
    _escaped(0x7D, "a protocol between escapes it"),
    (
        Transformation("line-escaped", "Some bytes arrive as an escape 125 and another byte: the link speaks PPP"),
        lambda data: re.sub(rb"\x7d(.)", lambda found: bytes((found[1][0] ^ 0x20,)), data, flags=re.DOTALL),
    ),
    (Transformation("line-escaped", "The bytes 192 and 219 arrive escaped: the link speaks SLIP"), _unslip),
)

#: The answers to SYNC0 and SYNC1 with each value changed to another one.
_MAPPED = re.compile(rb"(.)(?!\1)(.)(.)(?!\3)(.)\4\4.*\1\2\3(?!\4)(.)\4\5", re.DOTALL)


def find_transformation(data: bytes) -> Transformation | None:
    """Return what happened to the bytes of a robot on their way; None if no transformation of the table fits.

    Args:
        data: What was received.
    """
    damaged, valid = _split(data)
    if not valid:
        for found, undo in _WHOLE:
            if len(_split(undo(data))[1]) > 1:
                return found
        for found, make in _LOSSY:
            # The second answer is a proof; the first one alone may be the beginning of it.
            if make(_ANSWERS[1]) in data and make(_ANSWERS[0]) in data:
                return found
        if _MAPPED.search(data):
            return _EACH
        if HEADER not in data and (found_bits := _statistics(data)):
            return found_bits
    if any(
        checksum_with_count(part[3:-2]) == part[-2] << 8 | part[-1] for part in damaged if OVERHEAD < len(part) < 258
    ):
        return None  # a robot of which a profile says so
    if found_bits := _statistics(b"".join(damaged)):
        return found_bits
    # Some short packets have the same checksum in any order of bytes, SIPs do not.
    if damaged and not any(packet[0] & 0xF0 == 0x30 for packet in valid) and (wrong := _checksums(damaged)):
        return wrong
    return _in_damaged(damaged, set(b"".join(valid))) or _systematic(damaged, data)


def damaged_packets(data: bytes) -> list[bytes]:
    """Return the bytes from each header outside valid packets to the next header."""
    return _split(data)[0]


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
    damaged, valid = _split(data)
    short = [len(part) for part in damaged if len(part) > 2 and len(part) < part[2] + 3]
    (length, count), *_ = [*Counter(short).most_common(1), (0, 0)]
    longest = max((len(packet) + 3 for packet in valid), default=0)
    cut = count > 2 and count > len(damaged) / 2 and longest <= length
    return length if cut else 0


def _checksums(damaged: list[bytes]) -> Transformation | None:
    """Whether packets are complete, and have another checksum each time."""
    complete = [part for part in damaged if len(part) == part[2] + 3 > OVERHEAD]
    if len(complete) < 2 or len(complete) < _EXPLAINED * len(damaged):
        return None
    swapped = all(checksum(part[3:-2]) == part[-1] << 8 | part[-2] for part in complete)
    how = "its two bytes are swapped" if swapped else "it is none that the driver knows"
    what = f"The packets are complete, and their checksum is wrong each time ({how}): another firmware, or a converter"
    return Transformation("checksum", what)


def _statistics(data: bytes) -> Transformation | None:
    """A bit or a value that never occurs."""
    if len(data) < _ENOUGH:
        return None
    low = high = 0
    for byte in set(data):
        high |= byte
        low |= ~byte
    zeros, ones = ([bit for bit in range(8) if not seen >> bit & 1] for seen in (high, low))
    if zeros or ones:
        return _7 if (zeros, ones) == ([7], []) else _stuck(zeros or ones, 0 if zeros else 1)
    if len({byte.bit_count() % 2 for byte in data}) == 1:
        return _PARITY
    if 0 not in data and HEADER in data:
        return _NUL
    return None


def _in_damaged(damaged: list[bytes], seen: set[int]) -> Transformation | None:
    """The transformation that repairs the most of the damaged packets; `seen` are the values in valid ones."""
    damaged = [part for part in dict.fromkeys(damaged) if len(part) > OVERHEAD][:_EXAMINED]
    seen |= set(b"".join(part[3:] for part in damaged))
    for values, least in ((_CONTROL.keys(), 1), (range(256), _SURE)):
        # A value that is lost, or arrives as another one, never arrives.
        scores = Counter(found for part in damaged for found in set(_repairs(part, set(values) - seen)))
        (best, score), (_, second) = [*scores.most_common(2), (None, 0), (None, 0)][:2]
        share = _EXPLAINED if least == 1 else 2 * _EXPLAINED
        if score >= max(least, share * len(damaged)) and score > second:
            return best
    return None


def _repairs(part: bytes, absent: set[int]) -> Iterator[Transformation]:
    """The transformations whose undoing makes a valid packet of the bytes from one header to the next."""
    for found, undo in _LOCAL:
        if (undone := undo(part)) != part and _valid(undone):
            yield found
    missing = part[2] + 3 - len(part)
    for at in range(3, len(part)) if missing in (0, 1) else ():
        whole = bytearray(part[:at] + b"\0" + part[at + 1 - missing :])
        sent, summed = whole[-2] << 8 | whole[-1], checksum(bytes(whole[3:-2]))
        # The checksum says which value is right here: in the upper or the lower byte of a word, or a last odd one.
        for value in absent & {sent - summed >> 8 & 0xFF, sent - summed & 0xFF, (sent ^ summed) & 0xFF}:
            whole[at] = value
            if _valid(bytes(whole)):
                yield _lost_value(value) if missing else _other_value(value, part[at])
    for value in absent & _CONTROL.keys() if missing == 2 else ():
        for first, second in itertools.combinations(range(3, len(part) + 1), 2):
            byte = bytes((value,))
            if _valid(part[:first] + byte + part[first:second] + byte + part[second:]):
                yield _lost_value(value)
                break


def _systematic(damaged: list[bytes], data: bytes) -> Transformation | None:
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


def _split(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """The bytes from each header outside valid packets to the next header, and the valid packets without headers."""
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
