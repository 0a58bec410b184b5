# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Figures of the bytes: what answers, and what something on the line does to them."""

from __future__ import annotations

import re
from functools import cached_property

from ..protocol import HEADER, Command, FrameDecoder, checksum_with_count
from ..robot import radio_modem
from ..transport.tcp import DEFAULT_TCP_PORT
from .changed_bytes import Change, cut_at, damage_of, find_change, is_text, outside_packets, split
from .computer import attempt
from .recording import Recording
from .table import content
from .tap import received

#: Share of damaged packets, and of bytes outside packets, from which the link is bad.
_DAMAGED, _SKIPPED = 0.01, 0.02
_SHOWN = 60  #: longest part of a text that is shown
_CLOSE = Command.CLOSE().encode()
#: Text with the end of a line before or behind it: names in packets have none.
_MESSAGE = re.compile(rb"[\r\n][\x20-\x7e]{6,}|[\x20-\x7e]{6,}[\r\n]")


class ByteFigures(Recording):
    """Figures of the bytes that came, whatever the driver makes of them."""

    # -- what answers -------------------------------------------------------------------------------------------------

    @cached_property
    def foreign(self) -> bytes:
        """What came, without echoes of what was sent."""
        data = self.data.replace(radio_modem.CALL, b"")
        for frame in self.sent if self.loops else ():
            data = data.replace(frame, b"")
        return data

    @property
    def sent(self) -> list[bytes]:
        """The frames that were sent."""
        return [chunk.data for chunk in self.observed if chunk.to_robot and chunk.data.startswith(HEADER)]

    @property
    def loops(self) -> bool:
        """Whether commands come back: a robot answers SYNC2 with its name."""
        return _CLOSE in self.data

    @cached_property
    def peer(self) -> str:
        """What is at the other end of the line, in one word."""
        packets = bool(FrameDecoder().feed(self.foreign, 0.0))
        if self.port_problem and not packets:
            return "lost"
        if not self.foreign:
            return "loop" if self.loops else "silence"
        if self.counts_header:
            return "robot"
        if self.change:
            return "changed"
        if self.stranger and not packets:
            return "modem" if "modem" in self.stranger else "stranger"
        if packets:
            return "robot"
        is_robot = HEADER in self.foreign or b"amigo" in self.foreign.lower()
        return "text" if is_text(self.foreign) else "damage" if is_robot else "bytes"

    @cached_property
    def stranger(self) -> str:
        """The name of what sends bytes that are not a robot's; "" if no pattern fits."""
        return next((name for name in content()["strangers"] if _sent_by(name, self.foreign.strip(b"\0"))), "")

    @property
    def shown(self) -> str:
        """The beginning of a text as it may be printed, without control characters."""
        text = " ".join("".join(chr(byte) if 0x20 <= byte < 0x7F else " " for byte in self.foreign).split())
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

    @property
    def usual_port(self) -> str:
        """What to type for the usual TCP port of a robot at the same host, if something listens there."""
        listens = self.target.tcp_port != DEFAULT_TCP_PORT and attempt(self.target.host, DEFAULT_TCP_PORT)
        return self.target.elsewhere(tcp_port=DEFAULT_TCP_PORT) if listens else ""

    @property
    def counts_header(self) -> bool:
        """Whether the checksum of the packets includes the count, and no session opens (docs/protocol E-40)."""
        return self.failed and not self.arrivals and len(self.decode(checksum_with_count)) > 2

    @property
    def came_back(self) -> int:
        """Number of commands that come back: frames with ids that no packet of a robot has."""
        return sum(self.data.count(frame) for frame in {frame for frame in self.sent if frame[3] > 2})

    # -- what happens to the bytes ------------------------------------------------------------------------------------

    @cached_property
    def change(self) -> Change | None:
        """What something on the line does to the bytes, if they prove it."""
        return find_change(self.foreign if self.failed else received(self.chunks))

    @property
    def cut(self) -> int:
        """Length to which packets are cut; 0 if they are not."""
        return cut_at(self.data)

    @property
    def damaged_from(self) -> int:
        """Length (bytes) from which every packet is damaged, while all shorter ones arrive; 0: others are, too."""
        damaged, valid = split(self.data)
        shortest = min((part[2] + 3 for part in damaged if len(part) > 2), default=0)
        return shortest if len(damaged) > 2 and shortest > max((len(one) + 5 for one in valid), default=999) else 0

    @cached_property
    def damaged(self) -> list[bytes]:
        """The packets of the observation with a wrong checksum or length; none if another checksum is right."""
        return [] if self.profile.quirks.checksum_over_count else split(self.data)[0]

    @property
    def damaged_share(self) -> float:
        """Share of the packets that are damaged."""
        if self.chunks:
            return len(self.damaged) / max(1, len(self.arrivals) + len(self.damaged))
        damaged, complete = self.increase("link.decoder.checksum_errors"), self.increase("link.decoder.frames")
        return damaged / max(1, complete + damaged)

    @cached_property
    def outside(self) -> list[bytes]:
        """The bytes between packets, one item for each place, but for incomplete packets at either end."""
        parts = [] if self.profile.quirks.checksum_over_count else outside_packets(self.data)
        parts = parts[1:] if parts and self.data.startswith(parts[0]) else parts
        return parts[:-1] if parts and self.data.endswith(parts[-1]) else parts

    @property
    def messages(self) -> list[str]:
        """Lines of text that come between the packets of a robot."""
        return [line.decode().strip() for line in _MESSAGE.findall(self.data)]

    @property
    def damage(self) -> str:
        """What is wrong with the damaged packets, and what that comes from."""
        return damage_of(self.damaged, self.outside)

    @property
    def unreliable(self) -> bool:
        """Whether so many packets are damaged that damaged bytes may cancel in the checksums of others."""
        return self.damaged_share > 0.1

    @property
    def is_damaged(self) -> bool:
        """Whether packets are damaged, or bytes come between them."""
        if self.failed:
            return len(self.damaged) > 1
        return self.damaged_share > _DAMAGED or sum(map(len, self.outside)) > _SKIPPED * len(self.data)


def _sent_by(name: str, data: bytes) -> re.Match[bytes] | None:
    """Return what in some bytes is of something that is not a robot."""
    return re.search(content()["strangers"][name].encode("latin-1"), data, re.IGNORECASE)
