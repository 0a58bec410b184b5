# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Figures of the bytes: what answers, and what something on the line does to them."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property

from ..protocol import HEADER, checksum, checksum_with_count
from ..robot import radio_modem
from .changed_bytes import Change, Pieces, damage_of, find_change, is_text, split
from .recorded_session import Figures
from .table import content
from .tap import received

_DAMAGED = 0.01  #: share of damaged packets from which the link is bad
_SKIPPED = 0.02  #: share of bytes outside packets from which the link is bad
_SHOWN = 60  #: characters, the longest part of a text that is shown
#: Text with the end of a line before or behind it: names in packets have none.
_MESSAGE = re.compile(rb"[\r\n][\x20-\x7e]{6,}|[\x20-\x7e]{6,}[\r\n]")


class LineFigures(Figures):
    """Figures of the bytes that came, whatever the driver makes of them."""

    # -- what answers -------------------------------------------------------------------------------------------------

    @cached_property
    def foreign(self) -> bytes:
        """What came, without echoes of what was sent."""
        data = self.raw.data.replace(radio_modem.CALL, b"")
        for frame in self.sent if self.came_back else ():
            data = data.replace(frame, b"")
        return data

    @property
    def sent(self) -> list[bytes]:
        """The frames that were sent."""
        return [chunk.data for chunk in self.raw.observed if chunk.to_robot and chunk.data.startswith(HEADER)]

    @cached_property
    def peer(self) -> str:
        """What is at the other end of the line, in one word; "" if it opens a session."""
        if not self.raw.failed:
            return ""
        packets = split(self.foreign).valid
        if self.raw.port_problem and not packets:
            return "lost"
        if not self.foreign:
            return "loop" if self.came_back else "silence"
        if self.counts_header:
            return "robot"
        if self.change:
            return "changed"
        if self.stranger and not packets:
            return "modem" if "modem" in self.stranger else "stranger"
        if packets:
            return "robot"
        is_robot = HEADER in self.foreign or b"amigo" in self.foreign.lower()
        return "text" if is_text(self.foreign) else "damage" if is_robot else "bytes" if any(self.foreign) else "zeros"

    @cached_property
    def stranger(self) -> str:
        """The name of what sends bytes that are not a robot's; "" if no pattern fits."""
        patterns, data = content()["strangers"].items(), self.foreign.strip(b"\0")
        found = (name for name, one in patterns if re.search(one.encode("latin-1"), data, re.IGNORECASE))
        return next(found, "")

    @property
    def shown(self) -> str:
        """The beginning of a text as it may be printed, without control characters."""
        text = " ".join("".join(chr(byte) if 0x20 <= byte < 0x7F else " " for byte in self.foreign).split())
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

    @property
    def sends_first(self) -> bool:
        """Whether bytes came before any was sent: a session was open, or it is no robot."""
        return bool(self.raw.chunks) and not self.raw.chunks[0].to_robot

    @property
    def counts_header(self) -> bool:
        """Whether the checksum of the packets includes the count, and no session opens (docs/protocol E-40)."""
        return self.raw.failed and not self.raw.arrivals and len(split(self.raw.data, checksum_with_count).valid) > 2

    @property
    def came_back(self) -> int:
        """Number of commands that come back: no packet has their ids, and a robot answers SYNC2 with its name."""
        return sum(self.raw.data.count(frame) for frame in {frame for frame in self.sent if frame[3] >= 2})

    # -- what happens to the bytes ------------------------------------------------------------------------------------

    @cached_property
    def change(self) -> Change | None:
        """What something on the line does to the bytes, if they prove it."""
        return find_change(self.foreign if self.raw.failed else received(self.raw.chunks))

    @cached_property
    def _pieces(self) -> Pieces:
        over_count = self.raw.profile.quirks.checksum_over_count
        return split(self.raw.data, checksum_with_count if over_count else checksum)

    @property
    def damaged(self) -> list[bytes]:
        """The packets of the observation with a wrong checksum or length."""
        return self._pieces.damaged

    @property
    def longest_packet(self) -> int:
        """Length of the longest valid packet; 0: there is none."""
        return max((len(part) + 3 for part in self._pieces.valid), default=0)

    @property
    def cut(self) -> int:
        """Length to which longer packets are cut; 0 if they are not."""
        short = Counter(len(part) for part in self.damaged if len(part) > 2 and len(part) < part[2] + 3)
        (length, count), *_ = [*short.most_common(1), (0, 0)]
        return length if count > 2 and count > len(self.damaged) / 2 and self.longest_packet <= length else 0

    @property
    def damaged_from(self) -> int:
        """Length (bytes) from which every packet is damaged, while all shorter ones arrive; 0: others are, too."""
        shortest = min((part[2] + 3 for part in self.damaged if len(part) > 2), default=0)
        return shortest if len(self.damaged) > 2 and shortest > self.longest_packet > 0 else 0

    @property
    def damaged_share(self) -> float:
        """Share of the packets that are damaged."""
        damaged = len(self.damaged) if self.raw.chunks else self.raw.increase("link.decoder.checksum_errors")
        return damaged / max(1, len(self.raw.arrivals) + damaged)

    @property
    def messages(self) -> list[str]:
        """Lines of text that come between the packets of a robot."""
        return [line.decode().strip() for line in _MESSAGE.findall(self.raw.data)]

    @property
    def damage(self) -> str:
        """What is wrong with the damaged packets, and what that comes from."""
        return damage_of(self._pieces)

    @property
    def unreliable(self) -> bool:
        """Whether so many packets are damaged that damaged bytes may cancel in the checksums of others."""
        return self.damaged_share > 0.1

    @property
    def is_damaged(self) -> bool:
        """Whether packets are damaged, or bytes come between them."""
        if self.raw.failed:
            return len(self.damaged) > 1
        return self.damaged_share > _DAMAGED or sum(map(len, self._pieces.outside)) > _SKIPPED * len(self.raw.data)
