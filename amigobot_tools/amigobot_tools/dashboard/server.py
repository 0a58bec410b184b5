# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The web server of the dashboard: the page, its WebSocket, and who may use them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from html import escape
from pathlib import Path

from aiohttp import WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError

from .access import Access, ListenAddress
from .browser import Browser
from .core import Dashboard
from .messages import MAX_LENGTH
from .protocol_page import section_page
from .sources import Source

#: s between two pings of a browser; one that does not answer within half of it is disconnected.
_HEARTBEAT = 8.0
#: s between two checks whether a signal has come.
_CHECK_PERIOD = 0.2
#: Addresses that mean every address of this computer.
_EVERY_ADDRESS = ("0.0.0.0", "::")
_STATIC = Path(__file__).parent / "static"
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
#: What a page may load, for the Host that the browser has asked for: nothing that does not come from this server.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self' ws://{host} wss://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


async def serve(source: Source, listen: ListenAddress, ended: Sequence[int]) -> None:
    """Serve the page until `ended` has a signal.

    Raises:
        OSError: The address cannot be used.
    """
    access = Access.for_address(listen)
    async with running(source, access) as port:
        print(_greeting(access, port), flush=True)
        while not ended:
            await asyncio.sleep(_CHECK_PERIOD)


@contextlib.asynccontextmanager
async def running(source: Source, access: Access) -> AsyncIterator[int]:
    """Run the server for an `async with` block; yield its port."""
    server = _Server(Dashboard(source), access)
    app = web.Application(middlewares=[server.check], client_max_size=MAX_LENGTH)
    app.router.add_get("/", server.page)
    app.router.add_get("/ws", server.socket)
    app.router.add_get("/protocol/{section}", server.protocol)
    app.router.add_static("/static", _STATIC)
    app.cleanup_ctx.append(server.run)
    app.on_shutdown.append(server.close_sockets)
    logging.getLogger("aiohttp.server").addFilter(_is_no_bad_request)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, access.listen.host, access.listen.port)
        await site.start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def _is_no_bad_request(record: logging.LogRecord) -> bool:
    """Whether a log line is not about bytes that are no HTTP: they are answered with 400."""
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))


def _greeting(access: Access, port: int) -> str:
    """Return what is printed when the server runs."""
    host = access.listen.host
    if host in _EVERY_ADDRESS:
        host = socket.gethostname()
    host = f"[{host}]" if ":" in host else host
    if not access.token:
        return f"dashboard: http://{host}:{port}/   (Ctrl-C ends it)"
    return (
        f"dashboard: http://{host}:{port}/?token={access.token}   (Ctrl-C ends it)\n"
        "WARNING: every computer of this network can reach the page. It is not encrypted: anyone who sees the address "
        "with its token, or listens on the network, can drive the robot. Use a network of your own."
    )


class _Server:
    """The handlers of the web server."""

    def __init__(self, dashboard: Dashboard, access: Access) -> None:
        self._dashboard = dashboard
        self._access = access
        self._sockets: set[web.WebSocketResponse] = set()

    async def run(self, app: web.Application) -> AsyncIterator[None]:
        """Offer frames while the application runs."""
        task = asyncio.create_task(self._dashboard.run())
        yield
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await self._dashboard.close()

    async def close_sockets(self, app: web.Application) -> None:
        """Close every WebSocket with the reason."""
        for ws in list(self._sockets):
            await ws.close(code=1001, message=b"the dashboard ends")

    # -- who may ----------------------------------------------------------------------------------------------

    @property
    def _cookie(self) -> str:
        # Cookies do not distinguish ports: another dashboard on this computer has another name.
        return f"amigobot_{self._access.listen.port}"

    @web.middleware
    async def check(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Refuse requests of other sites, and without the token; add the headers that protect the page."""
        if not self._access.allows_host(request.host):
            return _refused(f"the address {request.host!r:.60} is not one of this computer: use its IP address")
        if not self._access.allows_origin(request.headers.get("Origin"), request.host):
            return _refused("a page of another site asked for this")
        given = request.query.get("token", "")
        if given and self._access.allows_token(given) and request.path == "/":
            # From the address to a cookie: the token stays out of the history, of links and of screenshots.
            response: web.StreamResponse = web.Response(status=302, headers={"Location": "/"})
            response.set_cookie(self._cookie, given, httponly=True, samesite="Lax", path="/")
            return response
        if not self._access.allows_token(request.cookies.get(self._cookie, "")):
            return _refused("open the whole address that the program has printed, with its token")
        response = await handler(request)
        if not response.prepared:
            response.headers.update(
                {
                    "Content-Security-Policy": _POLICY.format(host=request.host),
                    "Cache-Control": "no-store",
                    "Referrer-Policy": "no-referrer",
                    "X-Content-Type-Options": "nosniff",
                }
            )
        return response

    # -- what is served ---------------------------------------------------------------------------------------

    async def page(self, request: web.Request) -> web.StreamResponse:
        """Serve the page."""
        return web.FileResponse(_STATIC / "index.html")

    async def protocol(self, request: web.Request) -> web.StreamResponse:
        """Serve a section of docs/protocol."""
        text = section_page(request.match_info["section"])
        if text is None:
            raise web.HTTPNotFound(text="docs/protocol has no such section, or is not on this computer")
        return web.Response(text=text, content_type="text/html")

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """Serve the WebSocket of a browser."""
        ws = web.WebSocketResponse(heartbeat=_HEARTBEAT, max_msg_size=MAX_LENGTH, compress=False)
        if not ws.can_prepare(request):
            raise web.HTTPBadRequest(text="this address is for the page's WebSocket")
        browser = self._dashboard.join()
        if browser is None:
            text = "too many browsers are connected: close another page of this dashboard"
            raise web.HTTPServiceUnavailable(text=text)
        await ws.prepare(request)
        self._sockets.add(ws)
        sender = asyncio.create_task(self._send(ws, browser))
        try:
            async for message in ws:
                if message.type == WSMsgType.TEXT:
                    self._dashboard.receive(browser, message.data)
                else:
                    browser.reply(None, "the message is binary, expected a text", ok=False)
        finally:
            self._dashboard.leave(browser)
            self._sockets.discard(ws)
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                await sender
        return ws

    async def _send(self, ws: web.WebSocketResponse, browser: Browser) -> None:
        """Send answers and frames, as fast as the browser takes them."""
        with contextlib.suppress(ConnectionError):
            while not ws.closed:
                await ws.send_str(await self._dashboard.next(browser))


def _refused(text: str) -> web.Response:
    body = f"<!doctype html><title>amigobot dashboard</title><p>Refused: {escape(text)}.</p>"
    return web.Response(status=403, text=body, content_type="text/html")
