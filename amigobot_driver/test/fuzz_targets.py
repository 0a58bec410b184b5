# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Each target takes any bytes and must neither raise nor hang, other than with the error its reader promises."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from functools import partial
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


def _client(data: bytes, profile: str) -> None:
    """What a client may send to the simulated robot, in a session: frames as long as every first byte says."""
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


def _robot(data: bytes, options: Options) -> None:
    """What may come from a robot into the driver: frames again, or bare bytes where that is odd."""
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


def _file(data: bytes, ending: str, load: Callable[[str], object], promised: type[Exception]) -> None:
    """A file of any content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"input{ending}")
        path.write_bytes(data)
        with contextlib.suppress(promised):
            load(str(path))


#: By the names of the folders of the corpus.
TARGETS: dict[str, Callable[[bytes], None]] = {
    "decoder": decoder,
    "packets": packets,
    "firmware": partial(_client, profile="amigo-sh"),
    "pioneer": partial(_client, profile="p3at-sh"),
    "erratic": partial(_client, profile="erratic"),
    "robot": partial(_robot, options=Options()),
    "erratic_robot": partial(_robot, options=Options(profile="erratic")),
    "aria": partial(_file, ending=".p", load=load_profile, promised=ProfileError),
    "profile": partial(_file, ending=".yaml", load=load_profile, promised=ProfileError),
    "world": partial(_file, ending=".yaml", load=load_world, promised=WorldError),
    "aria_map": partial(_file, ending=".map", load=load_world, promised=WorldError),
}
