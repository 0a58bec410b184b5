# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The page with the robot in it, in a real browser: Python, driver and simulator run in its worker."""

from __future__ import annotations

import base64
import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import serial
from chromium import Chromium, chromium, needs_chromium
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait
from tools import try_page

from amigobot_driver.cli.recording_file import read_recording

pytestmark = [
    needs_chromium,
    pytest.mark.timeout(900),
]
#: s; Python is loaded and compiled, perhaps on a busy computer.
LOADING = 200
#: s in which a robot at 0.2 m/s is at rest, whatever fails.
AT_REST = 2.9
FRAME = "document.querySelector('#dashboard').contentDocument"
#: A serial adapter of the browser, whose bytes the server of the page passes to a simulated robot and back.
MOCK = """
if (window === window.top) {
  const target = new EventTarget(), post = (path, body) => fetch(`serial/${path}`, { method: "POST", body });
  let open = false;
  const port = Object.assign(target, {
    async open({ baudRate }) {
      if (!(await post(`open?${baudRate}`)).ok) throw new Error("gone");
      open = true;
      port.readable = new ReadableStream({
        async pull(controller) {
          while (open) {
            const answer = await post("read");
            if (!answer.ok) throw new Error("gone");
            const bytes = new Uint8Array(await answer.arrayBuffer());
            if (bytes.length) return controller.enqueue(bytes);
          }
          controller.close();
        },
        cancel() { open = false; },
      });
      port.writable = new WritableStream({ async write(bytes) { await post("write", bytes); } });
    },
    async close() { open = false; },
    async setSignals(signals) { window.signals = signals; },
  });
  const bus = Object.assign(new EventTarget(), { requestPort: async () => port });
  Object.defineProperty(navigator, "serial", { value: bus });
}
"""
IMPORT = "from amigobot_driver import AmigoBot\n"
#: Keeps the newest file that the page gives to the person.
KEEP = "URL.createObjectURL = (blob) => { window.saved = blob; return '#'; };"
#: The newest file as base64, and none from then on.
SAVED = """
const [done] = arguments, reader = new FileReader(), blob = window.saved;
window.saved = null;
if (!blob) return done("");
reader.onload = () => done(reader.result.split(",")[1]);
reader.readAsDataURL(blob);
"""
#: As when another tab is opened.
HIDE = """
Object.defineProperty(document, "hidden", { value: true, configurable: true });
document.dispatchEvent(new Event("visibilitychange"));
"""


class Handler(try_page.Handler):
    """Serves the page, and the bytes of the serial port in `path`."""

    path_of_port = ""
    port: serial.Serial | None = None

    def do_POST(self) -> None:
        """Open, read or write the port."""
        kind, _, baud = self.path.rpartition("/")[2].partition("?")
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            if kind == "open":
                if Handler.port:
                    Handler.port.close()
                Handler.port = serial.Serial(Handler.path_of_port, int(baud), timeout=0.1)
            assert Handler.port
            answer = b""
            if kind == "read":
                answer = Handler.port.read(1) + Handler.port.read(Handler.port.in_waiting)
            elif kind == "write":
                Handler.port.write(data)
        except (OSError, serial.SerialException, AssertionError, TypeError):
            self.send_error(503)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


class TryPage:
    """The page in a browser."""

    def __init__(self, browser: Chromium, url: str) -> None:
        self.browser, self.url = browser, url
        browser.driver.set_window_size(1440, 1000)

    def open(self, fragment: str = "") -> None:
        self.browser.driver.get("about:blank")
        self.browser.driver.get(self.url + fragment)
        self.until_ready()
        self.until(f"return {FRAME}?.querySelector('#link')?.textContent === 'connected'")

    def until(self, script: str) -> None:
        WebDriverWait(self.browser.driver, LOADING).until(lambda driver: driver.execute_script(script), script)

    def until_ready(self) -> None:
        self.until(
            "return document.querySelector('#run') && !document.querySelector('#run').disabled"
            " && document.querySelector('#progress').textContent === ''"
        )

    def run(self, program: str) -> None:
        self.browser.script(f"document.querySelector('#code').value = {json.dumps(program)}")
        self.browser.press("#run")

    def until_printed(self, text: str) -> None:
        self.until(f"return document.querySelector('#output').textContent.includes({json.dumps(text)})")

    def output(self) -> str:
        return str(self.browser.script("return document.querySelector('#output').textContent"))

    def saved(self) -> bytes:
        """Wait for a file that the page gives to the person."""
        self.until("return window.saved")
        return base64.b64decode(self.browser.driver.execute_async_script(SAVED))

    @contextlib.contextmanager
    def dashboard(self) -> Iterator[None]:
        """Use the frame for a `with` block."""
        self.browser.driver.switch_to.frame("dashboard")
        try:
            yield
        finally:
            self.browser.driver.switch_to.default_content()

    def motors_on(self) -> None:
        self.browser.press("#motors")
        self.until("return document.querySelector('#motors').getAttribute('aria-checked') === 'true'")

    def forward(self, *, on: bool) -> None:
        """Press or release the key."""
        if on:
            self.browser.script("document.querySelector('#pad').focus()")
            self.browser.keys().key_down(Keys.ARROW_UP).perform()
        else:
            self.browser.keys().key_up(Keys.ARROW_UP).perform()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TryPage]:
    if not try_page.available():
        pytest.skip("Python for the browser cannot be fetched: apt-get install npm")
    folder = tmp_path_factory.mktemp("try")
    try_page.write(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    with server, chromium() as browser:
        browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": MOCK})
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield TryPage(browser, f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[Path]:
    """A simulated robot at a serial port at 38400 baud. Returns the file with its truth."""
    truth, link = tmp_path / "truth", tmp_path / "robot"
    options = ("--pty", str(link), "--robot", "p3dx", "--baud", "38400", "--check-baud", "--truth", str(truth))
    command = [sys.executable, "-m", "amigobot_driver.cli", "sim", *options, "--world", "empty"]
    process = subprocess.Popen(command)
    try:
        end = time.monotonic() + LOADING
        while not link.exists():
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.05)
        Handler.path_of_port = str(link)
        yield truth
    finally:
        process.terminate()
        process.wait()


def moves(truth: Path) -> list[tuple[float, bool]]:
    """At which times (s, monotonic) the robot moved, and at which not."""
    rows: list[dict[str, Any]] = [json.loads(line) for line in truth.read_text().splitlines(True) if line[-1] == "\n"]
    return [(row["monotonic"], bool(row["left_velocity"] or row["right_velocity"])) for row in rows]


def until_moving(truth: Path, wanted: bool) -> None:
    end = time.monotonic() + LOADING
    while not (seen := moves(truth)) or seen[-1][1] is not wanted:
        assert time.monotonic() < end, "never"
        time.sleep(0.05)


def test_the_program_of_a_link_waits_for_run(page: TryPage) -> None:
    program = "print('hostile </textarea><script>document.title = 1</script>')"
    page.open(f"#program={quote(base64.b64encode(program.encode()).decode())}")
    assert page.browser.script("return document.querySelector('#code').value") == program
    assert page.output() == ""
    page.browser.press("#run")
    page.until_printed("</script>")
    assert page.browser.script("return document.title") == "A robot in this page"


def test_keys_and_programs_drive_the_robot(page: TryPage) -> None:
    page.open()
    assert page.browser.complaints() == []
    with page.dashboard():
        page.motors_on()
        page.forward(on=True)
        page.until("return parseFloat(document.querySelector('#pose').textContent.slice(2)) > 0.1")
        page.forward(on=False)
        page.until(
            "const before = window.before; window.before = document.querySelector('#pose').textContent;"
            "return window.before === before"
        )
    page.run(try_page.programs()["drive a square"])
    page.until_printed("corner 4")
    corners = [line for line in page.output().splitlines() if line.startswith("corner")]
    assert len(corners) == 4 and "connected: AmigoBot (AmigOS)" in page.output()
    page.until_ready()
    page.run("from amigobot_driver import AmigoBot\nAmigoBot('/dev/ttyUSB0')")
    page.until_printed("line 2: /dev/ttyUSB0: no robot is connected to this page")
    page.until_ready()
    page.run(f"{IMPORT}AmigoBot('sim://').drive(0.0, 0.5, duration=600)")
    page.until(f"return parseFloat({FRAME}.querySelector('#pose').textContent.match(/([-0-9]+)°/)[1]) > 20")
    choose = "const one = document.querySelector('#world'); one.value = 'empty'; one.dispatchEvent(new Event('change'))"
    page.browser.script(choose)
    page.until_ready()  # the program has ended with its robot
    page.run(f"{IMPORT}print(AmigoBot().pose)")
    page.until_printed("Pose(x=0.0, y=0.0")


def test_a_loop_without_end_is_stopped(page: TryPage) -> None:
    page.open()
    page.run("while True:\n    pass\n")
    page.browser.press("#stop-program")
    page.until_printed("stopped")
    page.until_ready()
    page.run("print(6 * 7)")
    page.until_printed("42")


def test_a_real_robot_is_driven_recorded_and_examined(page: TryPage, robot: Path, tmp_path: Path) -> None:
    page.open()
    page.browser.press("#connect")
    page.until(f"return {FRAME}?.querySelector('#title')?.textContent.includes('Pioneer')")
    assert page.browser.script("return window.signals.dataTerminalReady") is True
    with page.dashboard():
        page.browser.press("#motors")
    page.until("return document.querySelector('#warning').open")  # it waits for the person's consent
    assert not any(moving for _, moving in moves(robot))
    page.browser.button("The wheels are off the floor")
    with page.dashboard():
        page.until("return document.querySelector('#motors').getAttribute('aria-checked') === 'true'")
        page.forward(on=True)
        until_moving(robot, True)
        page.forward(on=False)
        until_moving(robot, False)
    page.browser.script(KEEP)
    page.browser.press("#record")
    page.run("from amigobot_driver import AmigoBot\nwith AmigoBot() as robot:\n    print(round(robot.move(0.3), 1))\n")
    page.until_printed("0.3")
    page.until_ready()
    page.browser.press("#record")
    file = tmp_path / "drive.amigo"
    file.write_bytes(page.saved())
    head, frames = read_recording(file)
    assert head.profile == "p3dx" and sum(not frame.to_robot for frame in frames) > 10
    with page.dashboard():
        page.browser.press("#tab-doctor")
        page.browser.button("Examine the robot")
        page.until("return [...document.querySelectorAll('button')].some((one) => one.textContent === 'Examine again')")
    page.browser.press("#report")
    checks = {one["check"]: one["severity"] for one in json.loads(page.saved())["findings"]}
    assert checks["link"] == "ok"
    page.run(f"import time\n{IMPORT}robot = AmigoBot()\nrobot.drive(0.2)\ntime.sleep(0.3)\nwhile True:\n    pass\n")
    until_moving(robot, True)
    until_moving(robot, False)  # nobody has pressed Stop: the page itself stops it
    page.browser.press("#stop-program")
    page.until_ready()


def test_a_robot_stops_when_its_page_is_hidden_or_closed(page: TryPage, robot: Path) -> None:
    page.open()
    page.browser.press("#connect")
    page.until(f"return {FRAME}?.querySelector('#title')?.textContent.includes('Pioneer')")
    page.run("import time\nfrom amigobot_driver import AmigoBot\nrobot = AmigoBot()\nrobot.drive(0.2, duration=600)\n")
    page.browser.button("The wheels are off the floor")
    until_moving(robot, True)
    page.browser.script(HIDE)
    until_moving(robot, False)
    page.until_ready()
    page.run("from amigobot_driver import AmigoBot\nAmigoBot().drive(0.2, duration=600)\n")
    until_moving(robot, True)
    page.browser.driver.get("about:blank")
    gone = time.monotonic()
    until_moving(robot, False)
    assert max(then for then, moving in moves(robot) if moving) - gone < AT_REST
