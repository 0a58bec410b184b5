# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot in a web page, in headless Chromium, served from this computer; each figure against its goal."""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tools import try_page

from .report import Row, row

_LOADS = 3  # of the page
#: Goals: s until the robot can be driven, MB compressed, simulated s in one s, ms until a request is answered.
_SECONDS, _MEGABYTES, _SPEED, _ANSWER = 8.0, 7.0, 30.0, 50.0
_FASTEST = 50  # simulated s in one s that are asked for
_ANSWERS = 20  # that are measured
#: Presses a key, and returns after how many ms a velocity that is not zero goes to the port.
_KEY = """
const done = arguments[0], frame = document.querySelector("#dashboard").contentWindow;
const press = (kind) => frame.dispatchEvent(new frame.KeyboardEvent(kind, { code: "ArrowUp" }));
window.onwrite = ([, , , command, , low, high]) => {
  if (!began || ![11, 32].includes(command) || !(low || high)) return; // VEL, VEL2
  window.onwrite = null;
  press("keyup");
  done(performance.now() - began);
};
let began; // until then a velocity is of the key before
setTimeout(() => { began = performance.now(); press("keydown"); }, 1000); // the robot rests between two keys
"""
_DASHBOARD = "document.querySelector('#dashboard').contentWindow"
_CONNECTED = f"return {_DASHBOARD}?.document.querySelector('#link')?.textContent === 'connected'"


def page() -> Iterator[Row]:
    """Measure the page."""
    sys.path[:0] = [str(try_page.ROOT / "tests"), str(try_page.ROOT / "amigobot_tools" / "test")]
    from chromium import chromium  # the browser of the tests
    from test_try_page import MOCK, Handler, SerialRobot, TryPage

    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        try_page.write(folder)
        with try_page.serve(folder, Handler) as url:
            loads = []
            for _ in range(_LOADS):
                browser.driver.get("about:blank")
                began = time.monotonic()
                browser.driver.get(url)
                browser.until(_CONNECTED)
                loads.append(time.monotonic() - began)
            yield _row("page: from load to a robot that can be driven", "s", _SECONDS, loads)
            sizes = [len(gzip.compress(path.read_bytes())) for path in folder.rglob("*") if path.is_file()]
            yield _row("page: bytes, compressed", "MB", _MEGABYTES, [sum(sizes) / 1e6])
            answers = [_answer(browser.driver.execute_async_script) for _ in range(_ANSWERS)]
            yield _row("page: from a request to its answer", "ms", _ANSWER, answers)
            browser.script(
                f"const c = {_DASHBOARD}.dashboard.connection; c.ask('speed', {{factor: {_FASTEST}}});"
                "c.addEventListener('frame', (event) => { window.actual = event.detail.now.sim.actual; })"
            )
            time.sleep(5.0)
            speed = [float(browser.script("return window.actual"))]
            yield row("page: simulated s in one s", "", 1.0, speed, [_SPEED], at_least=True)
            robot = SerialRobot(folder, "--robot", "amigo", "--baud", "9600")
            opened = TryPage(browser, url)
            opened.open(MOCK)
            opened.connect("AmigoBot")
            with opened.dashboard():
                opened.motors_on()
            keys = [float(browser.driver.execute_async_script(_KEY)) for _ in range(_ANSWERS)]
            robot.process.terminate()
            yield _row("page: from a key to the wire", "ms", _ANSWER, keys)


def _row(name: str, unit: str, goal: float, values: list[float]) -> Row:
    return row(name, unit, 1.0, values, [goal] * len(values))


def _answer(run: Callable[[str], Any]) -> float:
    """Return how long a request takes, ms."""
    script = f"const done = arguments[0], t = performance.now(); {_DASHBOARD}.dashboard.connection.ask('stop')"
    return float(run(f"{script}.then(() => done(performance.now() - t))"))
