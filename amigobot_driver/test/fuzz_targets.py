# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Each target takes any bytes and must neither raise nor hang, other than with the error its reader promises."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path

from amigobot_driver.profiles import ProfileError, load_profile
from amigobot_driver.protocol import (
    ACTIVMEDIA_COMMANDS,
    ERRATIC_COMMANDS,
    Command,
    FrameDecoder,
    decode,
    encode_frame,
    parse,
)
from amigobot_driver.protocol.erratic import ERRATIC_PACKETS
from amigobot_driver.protocol.packets import ACTIVMEDIA_PACKETS
from amigobot_driver.robot import Options, Robot
from amigobot_driver.sim import Simulator, WorldError, load_world

_HANDSHAKE = b"".join(command().encode() for command in (Command.PULSE, Command.OPEN, Command.CLOSE, Command.OPEN))
#: s of simulated time that a robot gets to answer
_WHILE = 0.5


def decoder(data: bytes) -> None:
    """A stream of bytes, cut into chunks as its first byte says."""
    size = 1 + (data[0] if data else 0) % 64
    frames = FrameDecoder(1e-3)
    for at in range(1, len(data), size):
        frames.feed(data[at : at + size], at * 1e-3)
    assert frames.stats.bytes == max(0, len(data) - 1)


def packets(data: bytes) -> None:
    """The data of one frame, read as every packet and command there is; what is understood can be written again."""
    for table in (ACTIVMEDIA_PACKETS, ERRATIC_PACKETS):
        packet = parse(data, table)
        # Not the same values: surplus bytes are gone, and where two layouts fit the rest, the other may.
        assert not data or type(parse(packet.encode(), table)) is type(packet)
    for commands in (ACTIVMEDIA_COMMANDS, ERRATIC_COMMANDS):
        decode(data, commands)


def firmware(data: bytes) -> None:
    """What a client may send to the simulated robot, in a session: frames as long as every first byte says."""
    _client(data, "amigo-sh")


def pioneer(data: bytes) -> None:
    """The same, to a Pioneer with all that it has."""
    _client(data, "p3at-sh")


def erratic(data: bytes) -> None:
    """The same, to an Erratic."""
    _client(data, "erratic")


def _client(data: bytes, profile: str) -> None:
    simulator = Simulator(load_profile(profile), baud=0)
    now = 0.0
    for frame in (_HANDSHAKE[:6], _HANDSHAKE[6:12], _HANDSHAKE[12:18], _HANDSHAKE[18:]):
        now += 0.05
        simulator.receive(frame, now)
    while data and now < 5.0:
        size = 1 + data[0] % 32
        body, data = data[1 : 1 + size], data[1 + size :]
        now += 0.02
        simulator.receive(encode_frame(body) if body else b"\xfa", now)
        simulator.transmit(now)
    simulator.transmit(now + _WHILE)


def robot(data: bytes) -> None:
    """What may come from a robot, into the driver's picture of it: frames again, or bare bytes where that is odd."""
    _robot(data, Options())


def erratic_robot(data: bytes) -> None:
    """The same where an Erratic is expected."""
    _robot(data, Options(profile="erratic"))


def _robot(data: bytes, options: Options) -> None:
    driver = Robot(options)
    link, now = driver.link, 0.0
    link.connected(1e-3, driver.baud, now)
    while data and now < 20.0:
        size = 1 + data[0] % 64
        body, bare, data = data[1 : 1 + size], data[0] & 0x80, data[1 + size :]
        now += 0.05
        link.receive(body if bare or not body else encode_frame(body), now)
        link.poll(now)
        while link.take(now) is not None:
            pass
    link.close()


def aria(data: bytes) -> None:
    """An ARIA parameter file."""
    _file(data, ".p", load_profile, ProfileError)


def profile(data: bytes) -> None:
    """A profile."""
    _file(data, ".yaml", load_profile, ProfileError)


def world(data: bytes) -> None:
    """A world."""
    _file(data, ".yaml", load_world, WorldError)


def aria_map(data: bytes) -> None:
    """An ARIA map."""
    _file(data, ".map", load_world, WorldError)


def _file(data: bytes, ending: str, load: Callable[[str], object], promised: type[Exception]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"input{ending}")
        path.write_bytes(data)
        with contextlib.suppress(promised):
            load(str(path))


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        decoder,
        packets,
        firmware,
        pioneer,
        erratic,
        robot,
        erratic_robot,
        aria,
        profile,
        world,
        aria_map,
    )
}
