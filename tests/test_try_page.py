# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The page with the robot in it, in a real browser: Python, driver and simulator run in its worker."""

from __future__ import annotations

import base64
import shutil
import threading
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from chromium import Chromium, chromium, needs_chromium
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait
from tools import try_page

pytestmark = [
    needs_chromium,
    pytest.mark.skipif(not shutil.which("npm"), reason="no npm here, which fetches Python for the browser"),
]
#: s; Python is loaded and compiled, perhaps on a busy computer.
LOADING = 300
READY = "return !document.querySelector('#run').disabled && document.querySelector('#progress').textContent === ''"
POSE = "return document.querySelector('#dashboard').contentDocument.querySelector('#pose').textContent"


class TryPage:
    """The page in a browser."""

    def __init__(self, browser: Chromium, url: str) -> None:
        self.browser, self.url = browser, url
        browser.driver.set_window_size(1440, 1000)

    def open(self, fragment: str = "") -> None:
        self.browser.driver.get("about:blank")
        self.browser.driver.get(self.url + fragment)
        self.until(READY)

    def until(self, script: str) -> None:
        WebDriverWait(self.browser.driver, LOADING).until(lambda driver: driver.execute_script(script), script)

    def run(self, program: str) -> None:
        self.browser.script(f"document.querySelector('#code').value = {program!r}")
        self.browser.press("#run")

    def output(self) -> str:
        return str(self.browser.script("return document.querySelector('#output').textContent"))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TryPage]:
    folder = tmp_path_factory.mktemp("try")
    try_page.write(folder)
    with try_page.serve(folder) as server, chromium() as browser:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield TryPage(browser, f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()


@pytest.mark.timeout(900)
def test_a_program_drives_the_robot_of_the_page(page: TryPage) -> None:
    page.open()
    page.run(try_page.programs()["program 1"])
    page.until("return document.querySelector('#output').textContent.includes('Pose(x=0.2')")
    page.until(POSE + ".startsWith('x 0.2') && " + POSE.removeprefix("return ") + ".includes('90°')")


@pytest.mark.timeout(900)
def test_keys_drive_until_they_are_let_go(page: TryPage) -> None:
    page.open()
    driver = page.browser.driver
    driver.switch_to.frame("dashboard")
    try:
        page.until("return document.querySelector('#link')?.textContent === 'connected'")
        page.browser.press("#motors")
        page.until("return document.querySelector('#motors').getAttribute('aria-checked') === 'true'")
        page.browser.script("document.querySelector('#pad').focus()")
        page.browser.keys().key_down(Keys.ARROW_UP).perform()
        page.until("return parseFloat(document.querySelector('#pose').textContent.slice(2)) > 0.1")
        page.browser.keys().key_up(Keys.ARROW_UP).perform()
        page.until(
            "const before = window.before; window.before = document.querySelector('#pose').textContent;"
            "return window.before === before"
        )
    finally:
        driver.switch_to.default_content()


@pytest.mark.timeout(900)
def test_a_loop_without_end_is_stopped(page: TryPage) -> None:
    page.open()
    page.run("while True:\n    pass\n")
    page.until("return !document.querySelector('#stop').disabled")
    page.browser.press("#stop")
    page.until("return document.querySelector('#output').textContent.includes('stopped')")
    page.until(READY)
    page.run("print(6 * 7)")
    page.until("return document.querySelector('#output').textContent.includes('42')")


@pytest.mark.timeout(900)
def test_the_program_of_a_link_waits_for_run(page: TryPage) -> None:
    program = "print('hostile </textarea><script>document.title = 1</script>')"
    page.open(f"#program={quote(base64.b64encode(program.encode()).decode())}")
    assert page.browser.script("return document.querySelector('#code').value") == program
    assert page.output() == ""
    assert page.browser.script("return document.title") == "A robot in this page"
