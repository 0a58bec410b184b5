"""The node with a dashboard and three browsers, against the node alone: nobody who watches may slow it down."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import aiohttp

from .node import measure
from .report import Row, row

_BROWSERS, _ROUNDS = 3, 3
_FIGURES = ("SIP written -> Odometry received, median", "cmd_vel published -> VEL on the wire, median")
_DASHBOARD = "from amigobot_driver.cli import main; main(['dashboard', '--ros', '--listen', '127.0.0.1:0'])"
_GOAL = 1.1


def dashboard() -> Iterator[Row]:
    """The node with three browsers beside the node alone, in alternating rounds."""
    watched, alone = [], []
    for _ in range(_ROUNDS):
        watched.append(measure(10, floor_instead=False, every_topic=False, beside=_browsers))
        alone.append(measure(10, floor_instead=False, every_topic=False))
    for name in _FIGURES:
        values, floors = [each[name] for each in watched], [each[name] for each in alone]
        yield row(f"{name}, {_BROWSERS} browsers", "ms", _GOAL, values, floors)


@contextlib.contextmanager
def _browsers() -> Iterator[None]:
    """Run a dashboard of the node, and connections that take every frame as browsers do, for a `with` block."""
    process = subprocess.Popen([sys.executable, "-c", _DASHBOARD], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    ready, ended = threading.Barrier(2), threading.Event()
    try:
        found = re.search(r"http://\S+?/", process.stdout.readline())
        assert found, "the dashboard has not started"
        thread = threading.Thread(target=asyncio.run, args=(_watch(found[0], ready, ended),))
        thread.start()
        ready.wait(60)
        yield
        ended.set()
        thread.join()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


async def _watch(url: str, ready: threading.Barrier, ended: threading.Event) -> None:
    async with aiohttp.ClientSession() as session, contextlib.AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(session.ws_connect(f"{url}ws")) for _ in range(_BROWSERS)]
        await asyncio.gather(*(socket.receive() for socket in sockets))
        await asyncio.to_thread(ready.wait, 60)
        await asyncio.gather(*(_take(socket, ended) for socket in sockets))


async def _take(socket: aiohttp.ClientWebSocketResponse, ended: threading.Event) -> None:
    await socket.send_str(json.dumps({"type": "ack", "n": 1}))
    while not ended.is_set():
        message = json.loads((await socket.receive()).data)
        await socket.send_str(json.dumps({"type": "ack", "n": message["n"]}))
