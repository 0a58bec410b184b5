# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The dashboard of a port: it is served before a robot answers, and says what it waits for."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from dashboard_bench import dashboard
from processes import simulated_robot

from amigobot_driver.transport import parse_target
from amigobot_tools.dashboard.sources.port_source import PortSource


def test_the_page_is_served_before_the_robot_answers(tmp_path: Path) -> None:
    port = tmp_path / "robot"
    source = PortSource(parse_target(str(port)))

    async def test() -> None:
        async with dashboard(source) as bench, bench.page() as page:
            await page.until(lambda: "there is no such port" in page.now["state"]["note"])
            assert page.sections["description"]["model"] == "" and not page.now["state"]["connected"]
            assert not (await page.ask("motors", on=True))["ok"]
            await page.send("watch_packets", on=True)
            await page.until(lambda: len(page.frames) > 50)  # the inspector is open before the doctor has the port
            assert (await page.ask("doctor"))["ok"]
            await page.until(lambda: page.sections["doctor"].get("verdict") and not page.sections["doctor"]["running"])
            assert "does not exist" in page.sections["doctor"]["verdict"][0]["text"]
            with simulated_robot(tmp_path):
                await page.until(lambda: page.now["state"]["connected"])
                await page.until(lambda: page.sections["description"]["model"].startswith("AmigoBot"))
                await page.until(lambda: len(page.sections["parameters"]) > 10)
                assert (await page.ask("motors", on=True))["ok"]
                await page.until(lambda: any("packets" in frame for frame in page.frames[-20:]))
            await page.until(lambda: not page.now["state"]["connected"])

    try:
        asyncio.run(test())
    finally:
        source.close()
    assert not logging.getLogger("amigobot_driver").handlers
