# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Headless Chromium on a dashboard that runs in this process."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ctypes
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

selenium = pytest.importorskip("selenium", reason="selenium is not installed")

from fakes import PATIENCE, until  # noqa: E402
from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402

from amigobot_tools.dashboard.access import Access, ListenAddress  # noqa: E402
from amigobot_tools.dashboard.server import running  # noqa: E402
from amigobot_tools.dashboard.sources import Source  # noqa: E402

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
#: For files that need a browser.
needs_chromium = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no chromium here: apt-get install chromium chromium-driver"
)


@contextlib.contextmanager
def served(source: Source) -> Iterator[str]:
    """Serve a source from a thread for a `with` block; gives the address of the page."""
    ready, ended = threading.Event(), asyncio.Event()
    found: list[Any] = []

    async def serve() -> None:
        async with running(source, Access(ListenAddress("127.0.0.1", 0))) as port:
            found.extend((f"http://127.0.0.1:{port}/", asyncio.get_running_loop()))
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield found[0]
    finally:
        found[1].call_soon_threadsafe(ended.set)
        thread.join(PATIENCE)


class Chromium:
    """One browser."""

    def __init__(self, folder: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM or ""
        for flag in (*_FLAGS, f"--user-data-dir={folder}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = Service(DRIVER, popen_kw={"preexec_fn": _lose_right_to_priority})
        self.driver = webdriver.Chrome(options=options, service=service)

    def open(self, url: str, width: int = 1024, height: int = 768, theme: str = "light") -> None:
        """Open a page in a window of this size."""
        self._devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.resize(width, height)
        self.driver.get(url)
        self.until("return document.querySelector('#link').textContent === 'connected'")

    def resize(self, width: int, height: int) -> None:
        """Be a window of this size, or a phone."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self._devtools("Emulation.setDeviceMetricsOverride", **metrics)

    def offline(self, *, on: bool) -> None:
        """Cut the connection to all servers, or restore it."""
        self._devtools("Network.enable")
        speeds = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self._devtools("Network.emulateNetworkConditions", offline=on, **speeds)

    def script(self, text: str) -> Any:
        """Run JavaScript in the page."""
        return self.driver.execute_script(text)

    def until(self, text: str) -> Any:
        """Wait until JavaScript returns something true."""
        return until(lambda: self.script(text), text)

    def find(self, selector: str) -> Any:
        """The element of a CSS selector."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, selector: str) -> None:
        """Click an element."""
        element = self.find(selector)
        self.script(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
        element.click()

    def button(self, text: str) -> None:
        """Click the visible button with this text."""
        xpath = f"//button[normalize-space()={text!r}]"
        element = next(one for one in self.driver.find_elements(By.XPATH, xpath) if one.is_displayed())
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def keys(self) -> ActionChains:
        """Keys and mouse."""
        return ActionChains(self.driver)

    def picture(self, path: Path) -> None:
        """Save what is shown."""
        path.write_bytes(base64.b64decode(self._devtools("Page.captureScreenshot", format="png")["data"]))

    def complaints(self) -> list[str]:
        """Errors and warnings in the console."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] != "INFO"]

    def touch(self, *points: tuple[float, float]) -> None:
        """Put a finger on a point of the window (CSS pixels), move it through the others, and leave it there."""
        self._devtools("Emulation.setTouchEmulationEnabled", enabled=True)
        for index, (x, y) in enumerate(points):
            kind = "touchMove" if index else "touchStart"
            self._devtools("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}])

    def tap_beside(self, held: tuple[float, float], other: tuple[float, float]) -> None:
        """Tap with a second finger while the first one stays."""
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate((held, other))]
        self._devtools("Input.dispatchTouchEvent", type="touchStart", touchPoints=points)
        self._devtools("Input.dispatchTouchEvent", type="touchMove", touchPoints=points[:1])

    def lift(self) -> None:
        """Take the finger away."""
        self._devtools("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self._devtools("Emulation.setTouchEmulationEnabled", enabled=False)

    def place(self, selector: str) -> tuple[float, float]:
        """The middle of an element in the window, after it was scrolled there."""
        x, y = self.script(
            f"const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center'}});"
            "const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]"
        )
        return x, y

    def suspend(self) -> None:
        """Let the browser stand still, as in a computer that sleeps."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it run again."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        for pid in _children(self.driver.service.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def close(self) -> None:
        """End the browser and its driver."""
        process = self.driver.service.process
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGCONT)
        children = _children(process.pid)
        with contextlib.suppress(Exception):
            self.driver.quit()
        for pid in (*children, process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _devtools(self, command: str, **parameters: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, parameters)


@contextlib.contextmanager
def chromium() -> Iterator[Chromium]:
    """Run a browser for a `with` block, with a new empty profile."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Chromium(Path(folder))
        try:
            yield browser
        finally:
            browser.close()


def _lose_right_to_priority() -> None:
    """Let a browser of root have the priority of the tests: it would raise its own, and starve the simulated robot."""
    ctypes.CDLL(None).prctl(24, 23)  # PR_CAPBSET_DROP, CAP_SYS_NICE


def _children(pid: int) -> list[int]:
    """All descendants of a process."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]
