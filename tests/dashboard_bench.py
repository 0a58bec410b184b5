# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A dashboard without a browser: its server on a free port, and WebSockets that speak like the page."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Any

import pytest
from fakes import PATIENCE, FakeRemote

aiohttp = pytest.importorskip("aiohttp", reason="aiohttp is not installed")

from amigobot_tools.dashboard.access import Access, ListenAddress  # noqa: E402
from amigobot_tools.dashboard.messages import Between, Value, anyone  # noqa: E402
from amigobot_tools.dashboard.server import running  # noqa: E402
from amigobot_tools.dashboard.sources import Source  # noqa: E402
from amigobot_tools.dashboard.sources.simulator_source import SimulatorSource  # noqa: E402

#: A fast line, so that tests do not wait for it.
SIMULATOR = "sim://amigo?world=empty&baud=0&seed=1"


class FakeSource(FakeRemote, Source):
    """A source without a robot: what is asked of it is noted."""

    kind = "port"
    examined = False

    def __init__(self) -> None:
        super().__init__()
        self.watching = False
        self.more: dict[str, Any] = {}

    def sections(self) -> dict[str, Any]:
        return self.more

    def watch_frames(self, on: bool) -> None:
        self.watching = on

    def do_wait(self, seconds: Annotated[float, Between(0, 5)]) -> str:
        time.sleep(seconds)
        return "waited"

    @anyone
    def do_say(self, text: str) -> str:
        return f"said {text}"

    def do_parameter(self, value: Value) -> str:
        return f"set to {value}"


class Page:
    """One WebSocket. It acknowledges frames unless a test forbids it."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.acknowledges = True
        self.frames: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.sections: dict[str, Any] = {}
        self.log: list[str] = []
        self._number = 0

    async def read(self, seconds: float = PATIENCE) -> dict[str, Any]:
        """The next message."""
        message = await asyncio.wait_for(self.socket.receive(), seconds)
        assert message.type == aiohttp.WSMsgType.TEXT, message
        content: dict[str, Any] = json.loads(message.data)
        if content["type"] == "frame":
            self.frames.append(content)
            self.sections |= content.get("sections", {})
            self.log += [text for _, text in content.get("log", [])]
            if self.acknowledges:
                await self.send("ack", n=content["n"])
        else:
            self.answers.append(content)
        return content

    async def send(self, kind: str, **values: Any) -> None:
        """Send a message that needs no answer."""
        await self.socket.send_str(json.dumps({"type": kind, **values}))

    async def ask(self, kind: str, **values: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self._number += 1
        await self.send(kind, id=self._number, **values)
        return await self.until(lambda: next((one for one in self.answers if one["id"] == self._number), None))

    async def until(self, condition: Callable[[], Any]) -> Any:
        """Read until a condition is met; returns its value."""
        end = time.monotonic() + PATIENCE
        while not (found := condition()):
            assert time.monotonic() < end, f"never; last: {self.frames[-1:]}, {self.answers[-3:]}"
            await self.read()
        return found

    @property
    def now(self) -> dict[str, Any]:
        """What the newest frame says."""
        return dict(self.frames[-1]["now"]) if self.frames else {}


class Bench:
    """A running dashboard."""

    def __init__(self, port: int, session: aiohttp.ClientSession) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.session = session

    @contextlib.asynccontextmanager
    async def page(self) -> AsyncIterator[Page]:
        """Open a WebSocket, as the page of this server does."""
        async with self.session.ws_connect(f"{self.url}/ws", headers={"Origin": self.url}) as socket:
            page = Page(socket)
            await page.until(lambda: page.frames)
            yield page


@contextlib.asynccontextmanager
async def dashboard(source: Source, token: str = "") -> AsyncIterator[Bench]:
    """Serve a source for an `async with` block."""
    access = Access(ListenAddress("127.0.0.1", 0), token)
    # unsafe: cookies of an IP address, too
    jar = aiohttp.CookieJar(unsafe=True)
    async with running(source, access) as port, aiohttp.ClientSession(cookie_jar=jar) as session:
        yield Bench(port, session)


@contextlib.contextmanager
def simulator(url: str = SIMULATOR) -> Iterator[SimulatorSource]:
    """A simulated robot for a `with` block."""
    source = SimulatorSource(url, timeout=PATIENCE)
    try:
        yield source
    finally:
        source.close()


def speed(source: SimulatorSource) -> float:
    """The faster wheel, m/s."""
    sim = source.live()["sim"]
    return max(abs(sim["left_velocity"]), abs(sim["right_velocity"]))
