# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What something between robot and computer does to the bytes; config/doctor.yaml has the texts (`changes`).

There are four proofs, and no guess. The answers to SYNC0 and SYNC1 are known, so a change of every byte shows in them.
Each packet begins with the header, of which other levels or frames make known bytes. A bit that never changes is stuck.
And where single values are changed or lost, undoing it gives packets whose checksum is right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import combinations, pairwise
from typing import NamedTuple

from ..protocol import HEADER, OVERHEAD, Checksum, checksum, checksum_with_count, encode_frame
from .table import content

#: Answers of every robot to SYNC0 and SYNC1.
_ANSWERS = encode_frame(b"\x00"), encode_frame(b"\x01")
_ENOUGH = 50  #: bytes of damaged packets from which a bit that never changes is a proof
_VALUES = 8  #: different values that these bytes must have for that
_EXAMINED = 60  #: damaged packets that are examined
_EXPLAINED = 0.4  #: share of the damaged packets that a change must explain
_TEXT_SHARE = 0.8  #: share of printable bytes in a text
_LONGEST = 258  #: bytes of the longest packet
_SOME = 10  #: headers that are no accident
#: Names of values that programs and adapters treat as control characters.
_CONTROL = {
    **{value: f"Ctrl-{chr(value + 64)}" for value in (3, 4, 21, 22, 26, 28)},
    **{0: "NUL", 8: "BS", 9: "TAB", 10: "LF", 13: "CR", 16: "DLE", 17: "XON", 19: "XOFF", 27: "ESC", 127: "DEL"},
    255: "0xFF",
}


class Change(NamedTuple):
    """What happens to the bytes."""

    name: str  #: of its row
    value: str = ""  #: bits or values in its text

    @property
    def key(self) -> str:
        """Key of the cause."""
        return str(content()["changes"][self.name][0])

    @property
    def text(self) -> str:
        """One sentence, with the remedy where it is a special one."""
        return str(content()["changes"][self.name][1]).format(self.value)


Translation = Callable[[bytes], bytes]


def _each(function: Callable[[int], int]) -> Translation:
    return lambda data: bytes(function(byte) & 0xFF for byte in data)


def _parity(odd: int) -> Translation:
    return _each(lambda byte: byte & 0x7F | ((byte & 0x7F).bit_count() + odd) % 2 << 7)


def _kind(value: int) -> str:
    return "NUL" if value == 0 else "line end" if value in b"\r\n" else "control"


def _named(value: int) -> str:
    return f"{value} ({_CONTROL[value]})" if value in _CONTROL else str(value)


def _lost(value: int) -> Change:
    if value in (17, 19):
        return Change("XON lost")  # one of the two takes the other, too
    return Change("header lost" if value in HEADER else f"{_kind(value)} lost", _named(value))


def _replaced(value: int, arrives: int) -> Change:
    return Change(f"{_kind(value)} replaced", f"{_named(value)} arrive as {_named(arrives)}")


def _inserted(value: int, first: int, second: int) -> Change:
    if first == second:
        return Change("Telnet" if first == 0xFF else "escaped", str(first))
    names = [_CONTROL.get(each, str(each)) for each in (value, first, second)]
    return Change("translated" if value in b"\r\n" else "inserted", "{} becomes {} {}".format(*names))


#: Changes of every byte: what arrives of the known answers.
_OF_ALL: tuple[tuple[Change, Translation], ...] = (
    (Change("inverted"), _each(lambda byte: ~byte)),
    (Change("doubled"), lambda data: bytes(byte for byte in data for _ in range(2))),
    *((_lost(value), lambda data, value=value: data.replace(bytes((value,)), b"")) for value in (*HEADER, 3)),
    (Change("7 bits"), _each(lambda byte: byte & 0x7F)),
    *((Change("parity"), _parity(odd)) for odd in (0, 1)),
    (Change("NUL lost"), lambda data: data.replace(b"\0", b"")),
    (Change("NUL lost"), lambda data: data.replace(b"\0", b" ")),
    (Change("text only"), _each(lambda byte: byte if byte < 0x80 else ord("?"))),
    (Change("text only"), lambda data: data.decode("ascii", "replace").encode()),
    (Change("text only"), lambda data: data.decode("latin-1").encode()),
    (Change("text only"), lambda data: bytes(byte for byte in data if byte < 0x80)),
)
#: What programs make of letters. The answer of every robot of ActivMedia to SYNC2 has its class, Pioneer.
_OF_LETTERS = (Change("letters", "small"), bytes.lower), (Change("letters", "capital"), bytes.upper)


def uart_reads(levels: str) -> bytes:
    """Return what a UART with 8N1 reads: it takes a stop bit that is 0 for the next start bit (16550)."""
    return bytes(int(bits[::-1], 2) for bits in re.findall("0([01]{8})(?=[01])1?", levels))


_FRAMES = [f"0{f'{byte:08b}'[::-1]}" for byte in HEADER]
#: What arrives of the header of each packet where levels or frames are wrong.
_OF_HEADER = (
    (Change("inverted"), uart_reads("".join(f"{frame}1" for frame in _FRAMES).translate({48: "1", 49: "0"}) + "1")),
    (Change("parity added"), uart_reads("".join(f"{frame}{frame.count('1') % 2}1" for frame in _FRAMES))),
)


def find_change(data: bytes) -> Change | None:
    """Return what happened to the bytes of a robot on their way; None if nothing is proven."""
    valid, damaged, *_ = split(data)
    for of_header, header in () if valid else _OF_HEADER:
        if data.count(header) > max(_SOME, len(data) // _LONGEST):
            return of_header
    if not {answer[3:] for answer in _ANSWERS} & set(valid):
        # The second answer is a proof; the first one alone may be the beginning of it.
        found = (change for change, make in _OF_ALL if make(_ANSWERS[1]) in data and make(_ANSWERS[0]) in data)
        if change := next(found, None):
            return change
    for change, make in _OF_LETTERS if damaged else ():
        if make(b"Pioneer\0") in data and make(data) == data:  # no letter of the other kind ever arrives
            return change
    if any(is_valid(part, checksum_with_count) for part in damaged):
        return None  # a robot of which a profile says so
    # What a valid packet has, the line carries.
    seen = b"".join([*damaged, *valid]) if valid else data
    stuck = _stuck_bit(seen) if damaged or not is_text(data) else None
    single = stuck or _single_values(damaged, set(b"".join(valid)))
    if single or any(packet[0] & 0xF0 == 0x30 for packet in valid):
        # Some short packets have the same checksum in any order of bytes, SIPs do not.
        return single
    complete = [part for part in damaged if len(part) == part[2] + 3 > OVERHEAD]
    if len({part for part in damaged if len(part) == len(_ANSWERS[0])}) > len(_ANSWERS):
        return Change("unsteady")
    return Change("checksum") if len(complete) > 1 and len(complete) >= _EXPLAINED * len(damaged) else None


def is_text(data: bytes) -> bool:
    """Return whether most bytes are printable ASCII or ends of lines."""
    return sum(0x20 <= byte < 0x7F or byte in b"\r\n\t" for byte in data) >= _TEXT_SHARE * len(data)


def is_valid(part: bytes, check: Checksum = checksum) -> bool:
    """Return whether bytes begin with a complete packet, with nothing behind it but the rest of damage."""
    if len(part) < 3 or not 3 <= part[2] <= len(part) - 3:
        return False
    end = part[2] + 3
    return check(part[3 : end - 2]) == part[end - 2] << 8 | part[end - 1]


class Pieces(NamedTuple):
    """Bytes of the line, taken apart."""

    valid: list[bytes]  #: the valid packets, without header and count
    damaged: list[bytes]  #: from each header outside them to the next header; not the last one: it may be incomplete
    outside: list[bytes]  #: between two valid packets, where there is something
    check: Checksum  #: that of the valid packets


def split(data: bytes, check: Checksum = checksum) -> Pieces:
    """Take the bytes of a line apart."""
    valid, outside, at, start = [], [], 0, 0
    while (found := data.find(HEADER, at)) >= 0:
        at = found + len(HEADER)
        if is_valid(data[found : found + _LONGEST], check):
            outside.append(data[start:found])
            at = start = found + data[found + 2] + 3
            valid.append(data[found + 3 : at])
    outside.append(data[start:])
    damaged = [HEADER + piece for part in outside for piece in part.split(HEADER)[1:]]
    return Pieces(valid, damaged[:-1] if HEADER in outside[-1] else damaged, [*filter(None, outside[1:-1])], check)


def damage_of(pieces: Pieces) -> str:
    """Return what is wrong with most damaged packets, and what that comes from (config/doctor.yaml, `damage`)."""
    texts = content()["damage"]
    plain = [part for part in pieces.outside if HEADER not in part]
    # Most of them have lost their header, or its first byte.
    packets = pieces.damaged + [HEADER[:1] + part for part in plain if part[:1] == HEADER[1:]]
    faults = [_fault_of(packet, pieces.check) for packet in packets if len(packet) > OVERHEAD]
    for bytes_between, count in Counter(plain).most_common(1):
        if count > max(2, len(faults)):
            name = "Telnet" if bytes_between[:1] == b"\xff" and bytes_between[1:2] >= b"\xf0" else "between"
            return str(texts[name]).format(bytes_between[:8].hex(" ").upper(), count)
    faults += ["altered" for part in plain if part[:1] != HEADER[1:]]
    fault, count = (Counter(faults).most_common(1) or [("altered", 0)])[0]
    if 2 * count <= len(faults):
        fault = "altered" if 2 * (faults.count("altered") + faults.count("bits")) > len(faults) else "mixed"
    return str(texts[fault]).format(f"{count} of {len(faults)}")


def _fault_of(packet: bytes, check: Checksum) -> str:
    """Return what is wrong with a damaged packet."""
    missing = packet[2] + 3 - len(packet)
    if missing:
        return "lost" if missing > 0 else "added"
    wrong = check(packet[3:-2]) - int.from_bytes(packet[-2:], "big") & 0xFFFF
    if not wrong:
        return "lost"  # the first byte of the header, and nothing else
    return "bits" if 1 in (wrong.bit_count(), (0x10000 - wrong).bit_count()) else "altered"


def _stuck_bit(data: bytes) -> Change | None:
    """A bit that is the same in every byte."""
    seen = set(data)
    if len(data) < _ENOUGH or len(seen) < _VALUES:
        return None
    if max(seen) < 0x80:
        return Change("7 bits")
    for level, bits in ((0, ~reduce(int.__or__, seen)), (1, reduce(int.__and__, seen))):
        if bits & 0xFF:
            return Change("stuck bit", f"{(bits & 0xFF).bit_length() - 1} of every byte is {level}")
    return None


def _single_values(damaged: list[bytes], seen: set[int]) -> Change | None:
    """The change whose undoing repairs the most damaged packets; `seen` are the values in valid ones."""
    damaged = [part for part in dict.fromkeys(damaged) if len(part) > OVERHEAD][:_EXAMINED]
    # A value that is lost, or arrives as another one, never arrives.
    absent = _CONTROL.keys() - seen - set(b"".join(part[3:] for part in damaged))
    scores = Counter(found for part in damaged for found in set(_repairs(part, absent)))
    (best, score), (_, second) = [*scores.most_common(2), (None, 0), (None, 0)][:2]
    # A byte of a single packet that is another one proves nothing: there are many that make its checksum right.
    least = 2 if best and "replaced" in best.name else 1
    return best if score >= max(least, _EXPLAINED * len(damaged)) and score > second else None


def _repairs(part: bytes, absent: set[int]) -> Iterator[Change]:
    """The changes whose undoing makes a valid packet of the bytes from one header to the next."""
    pairs = {(kept, *pair) for pair in pairwise(part[3:]) for kept in pair}
    inserted = [
        (kept, first, second)
        for kept, first, second in pairs
        if is_valid(part[:3] + part[3:].replace(bytes((first, second)), bytes((kept,))))
    ]
    # A byte that comes twice looks as if its neighbor were changed, too.
    yield from (_inserted(*one) for one in inserted if one[1] == one[2] or not any(a == b for _, a, b in inserted))
    missing = part[2] + 3 - len(part)
    for value in absent if missing in (0, 1, 2) else ():
        byte = bytes((value,))
        for places in combinations(range(3, len(part) + (missing > 0)), missing or 1):
            first, last = places[0], places[-1]
            middle = byte + part[first:last] if missing == 2 else b""
            whole = part[:first] + middle + byte + part[last + (missing == 0) :]
            if is_valid(whole):
                yield _lost(value) if missing else _replaced(value, part[first])
                break
