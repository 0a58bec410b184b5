"""python -m benchmarks.browsers URL COUNT: connections to a dashboard that take every frame as browsers do.

Prints a line when all of them have their first frame; runs until it is ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys

import aiohttp


async def watch(url: str, count: int) -> None:
    """Connect, and acknowledge every frame."""
    async with aiohttp.ClientSession() as session, contextlib.AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(session.ws_connect(f"{url}ws")) for _ in range(count)]
        print(f"{count} browsers", flush=True)
        await asyncio.gather(*map(_take, sockets))


async def _take(socket: aiohttp.ClientWebSocketResponse) -> None:
    while True:
        number = json.loads((await socket.receive()).data)["n"]
        await socket.send_str(json.dumps({"type": "ack", "n": number}))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(watch(sys.argv[1], int(sys.argv[2])))
