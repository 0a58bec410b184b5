# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m benchmarks.browsers URL COUNT: connections to a dashboard that take every frame as browsers do.

Prints a line when all of them have seen the robot; runs until it is ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys

import aiohttp


async def watch(url: str, count: int) -> None:
    """Connect, and acknowledge every frame."""
    async with aiohttp.ClientSession() as session, contextlib.AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(session.ws_connect(f"{url}ws")) for _ in range(count)]
        for socket in sockets:
            while not await _take(socket):
                pass
        print(f"{count} browsers", flush=True)
        await asyncio.gather(*map(_watch, sockets))


async def _watch(socket: aiohttp.ClientWebSocketResponse) -> None:
    while True:
        await _take(socket)


async def _take(socket: aiohttp.ClientWebSocketResponse) -> bool:
    """Acknowledge a frame; returns whether the robot was connected in it."""
    frame = json.loads((await socket.receive()).data)
    await socket.send_str(json.dumps({"type": "ack", "n": frame["n"]}))
    return bool(frame["now"]["state"]["connected"])


if __name__ == "__main__":
    # Browsers run on other computers: here they must leave the processor to the node and to the dashboard.
    os.nice(19)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(watch(sys.argv[1], int(sys.argv[2])))
