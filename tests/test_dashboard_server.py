# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The dashboard's server without a browser: who may use it, what it sends, what it does with any message."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import fakes
import pytest
from dashboard_bench import Bench, FakeSource, aiohttp, dashboard
from hypothesis import given, settings
from hypothesis import strategies as st

from amigobot_driver.cli.ranges import parse_address
from amigobot_driver.packet_file import RecordedFrame
from amigobot_tools.dashboard.access import Access, ListenAddress
from amigobot_tools.dashboard.core import Dashboard

Test = Callable[[FakeSource, Bench], Awaitable[None]]


def run(test: Test, token: str = "") -> FakeSource:
    """Run a test with a dashboard of a source without a robot."""
    source = FakeSource()

    async def with_dashboard() -> None:
        async with dashboard(source, token) as bench:
            await test(source, bench)

    asyncio.run(with_dashboard())
    return source


# -- who may use it -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "listen", "loopback"),
    [
        ("127.0.0.1:8140", ListenAddress("127.0.0.1", 8140), True),
        ("localhost:0", ListenAddress("localhost", 0), True),
        ("8140", ListenAddress("127.0.0.1", 8140), True),
        ("[::1]:8140", ListenAddress("::1", 8140), True),
        ("0.0.0.0:8140", ListenAddress("0.0.0.0", 8140), False),
        ("robot.example:80", ListenAddress("robot.example", 80), False),
    ],
)
def test_the_address_to_listen_on(text: str, listen: ListenAddress, loopback: bool) -> None:
    assert ListenAddress(*parse_address("--listen", text, 8140)) == listen
    assert listen.is_loopback is loopback
    assert bool(Access.for_address(listen).token) is not loopback


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8140", True),
        ("localhost:8140", True),
        ("[::1]:8140", True),
        ("192.0.2.7", True),
        ("robot.example", True),  # the name that it listens on
        ("evil.example:8140", False),
        ("127.0.0.1.evil.example", False),
        ("", False),
    ],
)
def test_only_names_of_this_computer_are_served(host: str, allowed: bool) -> None:
    assert Access(ListenAddress("robot.example", 8140)).allows_host(host) is allowed


def test_requests_of_other_sites_are_refused() -> None:
    async def test(source: FakeSource, bench: Bench) -> None:
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}):
            async with bench.session.get(f"{bench.url}/", headers=headers) as response:
                assert response.status == 403 and "Refused" in await response.text()
            headers = {"Origin": bench.url, **headers}
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await bench.session.ws_connect(f"{bench.url}/ws", headers=headers)

    run(test)


def test_nothing_is_served_without_the_token() -> None:
    async def test(source: FakeSource, bench: Bench) -> None:
        for path in ("/", "/ws", "/static/main.js", "/protocol/5.2", "/?token=wrong", "/static/main.js?token=secret"):
            async with bench.session.get(f"{bench.url}{path}") as response:
                assert response.status == 403, path
        async with bench.session.get(f"{bench.url}/?token=secret") as response:
            assert response.status == 200 and response.url.path == "/" and not response.url.query
        async with bench.page() as page:
            assert page.now["state"]["connected"]

    run(test, token="secret")


def test_the_page_loads_nothing_foreign_and_no_frame() -> None:
    async def test(source: FakeSource, bench: Bench) -> None:
        async with bench.session.get(f"{bench.url}/") as response:
            policy = response.headers["Content-Security-Policy"]
            page = await response.text()
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert "http://" not in page and "https://" not in page
        for name in ("main.js", "style.css", "view.js", "icon.svg"):
            async with bench.session.get(f"{bench.url}/static/{name}") as response:
                assert response.status == 200
        for name in ("..%2fserver.py", "nothing.js", "server.py", "%2e%2e/core.py"):
            async with bench.session.get(f"{bench.url}/static/{name}") as response:
                assert response.status == 404

    run(test)


# -- what it sends --------------------------------------------------------------------------------------------


def test_a_browser_gets_state_log_and_changes() -> None:
    async def test(source: FakeSource, bench: Bench) -> None:
        source.more = {"sounds": [1]}
        async with bench.page() as page:
            await page.until(lambda: "description" in page.sections)
            assert page.sections["description"]["body"]["width"] == pytest.approx(0.28)
            assert page.sections["sounds"] == [1]
            assert page.now["state"]["sonars"][0] == [3.0, 0.0]
            source.lines.append("hello")
            await page.until(lambda: "hello" in page.log)
            count = len(page.frames)
            source.more = {"sounds": [1, 2]}
            await page.until(lambda: page.sections["sounds"] == [1, 2])
            sent = [frame["sections"] for frame in page.frames[count:] if "sections" in frame]
            assert sent == [{"sounds": [1, 2]}]  # and not the rest once more

    run(test)


def test_a_slow_browser_gets_fewer_and_newest_frames() -> None:
    async def test(source: FakeSource, bench: Bench) -> None:
        async with bench.page() as slow, bench.page() as fast:
            slow.acknowledges = False
            with pytest.raises(asyncio.TimeoutError):
                while True:
                    await slow.read(1.0)
            assert len(slow.frames) <= 4
            await fast.until(lambda: len(fast.frames) > 10)
            source.now = source.now.__class__(connected=True, x=7.0)
            await fast.until(lambda: fast.now["state"]["x"] == 7.0)

    run(test)


def test_watched_frames_on_the_line_are_decoded() -> None:
    async def test(source: FakeSource, bench: Bench) -> None:
        async with bench.page() as page, bench.page() as other:
            await page.send("watch_packets", on=True)
            await page.until(lambda: source.watching)
            source.frames.add(RecordedFrame(1.5, True, bytes((11, 0x3B, 200, 0))))  # VEL 200
            await page.until(lambda: any("packets" in frame for frame in page.frames))
            packet = next(frame["packets"] for frame in page.frames if "packets" in frame)[0]
            assert (packet["name"], packet["section"], packet["to_robot"]) == ("VEL", "4.1", True)
            assert packet["hex"] == "0b 3b c8 00" and packet["t"] == 1.5
            await other.until(lambda: len(other.frames) > 20)
            assert not any("packets" in frame for frame in other.frames)
            await page.send("watch_packets", on=False)
            await page.until(lambda: not source.watching)
            await page.send("watch_packets", on=True)
            await page.until(lambda: source.watching)
        await asyncio.to_thread(fakes.until, lambda: not source.watching, "no browser watches")

    run(test)


# -- what comes -----------------------------------------------------------------------------------------------


def test_the_holder_drives_and_another_browser_must_ask() -> None:
    async def test(source: FakeSource, bench: Bench) -> None:
        async with bench.page() as first, bench.page() as second:
            await first.send("drive", linear=0.1, angular=0.2)
            await first.until(lambda: source.velocities == [(0.1, 0.2)])
            answer = await second.ask("drive", linear=0.3, angular=0.0)
            assert not answer["ok"] and "holds control: take it over first" in answer["text"]
            assert not (await second.ask("wait", seconds=0))["ok"]
            assert "is asked for control" in (await second.ask("take"))["text"]
            await first.until(lambda: first.now["control"]["asking"] == second.frames[0]["you"])
            assert (await first.ask("hand_over"))["ok"]
            await second.until(lambda: second.now["control"]["holder"] == second.frames[0]["you"])
            assert (await second.ask("wait", seconds=0))["text"] == "waited"
            assert (0.3, 0.0) not in source.velocities

    run(test)


@pytest.mark.parametrize("crashed", [False, True], ids=["closed", "crashed"])
def test_a_page_that_goes_brakes_its_robot(crashed: bool) -> None:
    async def test(source: FakeSource, bench: Bench) -> None:
        async with bench.page() as page, bench.page() as other:
            await page.send("drive", linear=0.2, angular=0.0)
            await page.until(lambda: source.velocities)
            if crashed:
                transport = page.socket._response.connection.transport  # type: ignore[union-attr]
                transport.abort()
            else:
                await page.socket.close()
            await other.until(lambda: source.calls[:1] == ["emergency_stop"])
            await other.until(lambda: other.now["control"]["holder"] is None)

    run(test)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[" * 5000, "not JSON"),
        ("7", "the message is 7, expected a JSON object"),
        ("{}", "type is None, expected a text"),
        ('{"type": 7}', "type is 7, expected a text"),
        ('{"type": "drive", "id": "x"}', "id is 'x', expected a whole number of at least 0"),
        ('{"type": "nothing"}', "type 'nothing' is not known here, allowed: ack, clear, drive, emergency, hand_over"),
        ('{"type": "drive"}', "drive: argument linear is missing"),
        ('{"type": "drive", "linear": NaN, "angular": 0}', "expected a number from -10 to 10"),
        ('{"type": "drive", "linear": true, "angular": 0}', "linear is True, expected a number"),
        ('{"type": "drive", "linear": 0, "angular": 0, "x": 1}', "argument 'x' is not known, allowed: linear, angular"),
        ('{"type": "say", "text": "' + "a" * 201 + '"}', "expected a text of up to 200 characters"),
        ('{"type": "wait", "seconds": -1}', "expected a number from 0 to 5"),
        ('{"type": "parameter", "value": 1' + "0" * 400 + "}", "expected a finite number"),
        ('{"type": "hand_over"}', "no browser holds control"),
    ],
)
def test_a_bad_message_is_answered_with_what_is_wrong(text: str, message: str) -> None:
    dashboard = Dashboard(FakeSource())

    async def test() -> str:
        browser = dashboard.join()
        assert browser is not None
        dashboard.receive(browser, text)
        answer = await asyncio.wait_for(browser.next(), 5.0)
        await dashboard.close()
        assert answer is not None
        return answer

    answer = json.loads(asyncio.run(test()))
    assert answer["type"] == "error" and not answer["ok"] and message in answer["text"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
kinds = st.sampled_from(("drive", "say", "take", "leave", "keep", "hand_over", "clear", "stop", "ack", "watch_packets"))
names = st.sampled_from(("type", "id", "linear", "angular", "text", "n", "on")) | st.text(max_size=8)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text(max_size=80)
        | st.builds(
            lambda kind, more: json.dumps({"type": kind, **more}), kinds, st.dictionaries(names, values, max_size=4)
        ),
        max_size=6,
    )
)
def test_no_message_breaks_the_dashboard(messages: list[str]) -> None:
    source = FakeSource()

    async def test() -> None:
        dashboard = Dashboard(source)
        browser = dashboard.join()
        assert browser is not None
        for message in messages:
            dashboard.receive(browser, message)
        dashboard.tick(1.0)
        assert json.loads(dashboard.frame(browser))["type"] == "frame"
        dashboard.leave(browser)
        await dashboard.close()

    asyncio.run(test())
    assert all(abs(linear) <= 10 and abs(angular) <= 10 for linear, angular in source.velocities)
