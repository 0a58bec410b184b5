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
from chromium import Chromium, chromium, needs_chromium, until
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait
from tools import try_page

from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.sim.reported import load_report

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
#: Shown by the page, and not executed as HTML.
HOSTILE = "print('hostile </textarea><script>document.title = 1</script>')"
IMPORT = "from amigobot_driver import AmigoBot\n"
#: Keeps what the page offers as files.
KEEP = """
const make = URL.createObjectURL;
window.files = new Map();
URL.createObjectURL = (blob) => { const url = make.call(URL, blob); window.files.set(url, blob); return url; };
"""
#: The offered files as base64, by name.
OFFERED = """
const done = arguments[0], links = [...document.querySelectorAll("#file-list a")];
Promise.all(links.map((link) => new Promise((resolve) => {
  const reader = new FileReader();
  reader.onload = () => resolve([link.download, reader.result.split(",")[1] ?? ""]);
  reader.readAsDataURL(window.files.get(link.href));
}))).then(done);
"""
#: A tour on simulated time: here and in the page it ends at the same pose, bit by bit.
TOUR = """
from amigobot_driver.robot import Options, Robot
from amigobot_driver.stepped_driver import SteppedDriver
from amigobot_driver.transport.simulated import simulator_of
simulator, _ = simulator_of("sim://amigo?world=room&seed=5")
driver = SteppedDriver(Robot(Options()), simulator, lambda event: None)
driver.advance(5.0)
for linear, angular in ((0.2, 0.0), (0.1, 0.5), (0.0, -0.8), (0.3, 0.2)) * 4:
    driver.robot.drive(linear, angular, driver.now)
    driver.advance(driver.now + 0.5)
print(simulator.truth.pose)
"""
#: As when another tab is opened.
HIDE = """
Object.defineProperty(document, "hidden", { value: true, configurable: true });
document.dispatchEvent(new Event("visibilitychange"));
"""
#: As when the person comes back.
SHOW = "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'));"


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
        """Load the page and wait for its robot."""
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

    def offered(self) -> dict[str, bytes]:
        """Wait for files that the page offers, and close what shows them."""
        self.until("return document.querySelector('#files').open")
        files = self.browser.driver.execute_async_script(OFFERED)
        self.browser.button("Close")
        return {name: base64.b64decode(content) for name, content in files}

    def connect(self, model: str) -> None:
        """Connect the robot at the port."""
        self.browser.press("#connect")
        self.until(
            f"const shown = (name) => {FRAME}?.querySelector(name)?.textContent ?? '';"
            "return shown('#where') === 'port Web Serial' && shown('#link') === 'connected'"
            f" && shown('#title').includes({model!r})"
        )

    def recover(self) -> None:
        """End the program and the connection."""
        if self.browser.driver.current_url == "about:blank":
            self.open()
        if self.browser.find("#stop-program").is_enabled():
            self.browser.press("#stop-program")
        self.until_ready()
        if self.browser.find("#connect").text == "Disconnect":
            self.browser.press("#connect")
        self.until("return document.querySelector('#connect').textContent === 'Connect a robot'")

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


class SerialRobot:
    """A simulated robot in a process of its own, at the port of the mock."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._truth, self._link = folder / "truth", folder / "robot"
        command = [sys.executable, "-m", "amigobot_driver.cli", "sim", "--pty", str(self._link), "--world", "empty"]
        self.process = subprocess.Popen([*command, "--check-baud", "--truth", str(self._truth), *options])
        until(self._link.exists, "the robot is there")
        self.plug()

    def plug(self) -> None:
        Handler.path_of_port = str(self._link)

    def unplug(self) -> None:
        Handler.path_of_port = "/dev/nothing"
        assert Handler.port
        Handler.port.close()

    def moves(self) -> list[tuple[float, bool]]:
        """At which times (s, monotonic) the robot moved, and at which not."""
        lines = self._truth.read_text().splitlines(True)
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines if line[-1] == "\n"]
        return [(row["monotonic"], bool(row["left_velocity"] or row["right_velocity"])) for row in rows]

    def until_moving(self, wanted: bool) -> None:
        until(lambda: (seen := self.moves()) and seen[-1][1] is wanted, f"moving is {wanted}")

    def until_rests_since(self, failure: float) -> None:
        """Wait for rest, which must come in time after a failure (s, monotonic)."""
        self.until_moving(False)
        assert max(then for then, moving in self.moves() if moving) - failure < AT_REST


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TryPage]:
    """The page, loaded from a link with a program."""
    if not try_page.available():
        pytest.skip("Python for the browser cannot be fetched: apt-get install npm")
    folder = tmp_path_factory.mktemp("try")
    try_page.write(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    with server, chromium() as browser:
        browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": MOCK + KEEP})
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = TryPage(browser, f"http://127.0.0.1:{server.server_port}/")
        page.open(f"#program={quote(base64.b64encode(HOSTILE.encode()).decode())}")
        yield page
        server.shutdown()


@pytest.fixture
def robot(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SerialRobot]:
    robot = SerialRobot(tmp_path, *request.param)
    try:
        yield robot
    finally:
        robot.process.terminate()
        robot.process.wait()


def with_robot(*options: str) -> pytest.MarkDecorator:
    """Decorate a test with the options of its robot."""
    return pytest.mark.parametrize("robot", [options], ids=[options[1]], indirect=True)


def test_the_program_of_a_link_waits_for_run(page: TryPage) -> None:
    assert page.browser.script("return document.querySelector('#code').value") == HOSTILE
    assert page.output() == ""
    page.browser.press("#run")
    page.until_printed("</script>")
    assert page.browser.script("return document.title") == "A robot in this page"
    assert page.browser.complaints() == []


def test_keys_drive_the_robot(page: TryPage) -> None:
    with page.dashboard():
        page.motors_on()
        page.forward(on=True)
        page.until("return parseFloat(document.querySelector('#pose').textContent.slice(2)) > 0.1")
        page.forward(on=False)
        page.until(
            "const before = window.before; window.before = document.querySelector('#pose').textContent;"
            "return window.before === before"
        )


def test_programs_run_and_explain_their_errors(page: TryPage, capsys: pytest.CaptureFixture[str]) -> None:
    page.until_ready()
    page.run(try_page.programs()["drive a square"])
    page.until_printed("corner 4")
    corners = [line for line in page.output().splitlines() if line.startswith("corner")]
    assert len(corners) == 4 and "connected: AmigoBot (AmigOS)" in page.output()
    page.until_ready()
    page.run("from amigobot_driver import AmigoBot\nAmigoBot('/dev/ttyUSB0')")
    page.until_printed("line 2: /dev/ttyUSB0: no robot is connected to this page")
    page.until_ready()
    page.run("import rclpy")
    page.until_printed("ROS 2 must be installed")
    page.until_ready()
    page.run("print(2 * int(input('a number? ')))")
    page.until("return !document.querySelector('#question').hidden")
    page.browser.find("#reply").send_keys("21", Keys.ENTER)
    page.until_printed("42")
    page.until_ready()
    page.run(TOUR)
    page.until_printed("WorldPose")
    exec(TOUR, {})
    assert page.output() == capsys.readouterr().out


def test_another_room_ends_the_program(page: TryPage, tmp_path: Path) -> None:
    page.until_ready()
    page.run(f"{IMPORT}AmigoBot('sim://').drive(0.0, 0.5, duration=600)")
    page.until(f"return parseFloat({FRAME}.querySelector('#pose').textContent.match(/([-0-9]+)°/)[1]) > 20")
    own = tmp_path / "own.yaml"
    walls = "[[[-1, -1], [1, -1], [1, 1], [-1, 1]]]"
    own.write_text(f"description: own\nstart: [0, 0, 0]\nrooms: {walls}\n", encoding="utf-8")
    page.browser.find("#map").send_keys(str(own))
    page.until_ready()  # the program has ended with its robot
    page.run(f"{IMPORT}robot = AmigoBot()\nprint(robot.pose, robot.sonar[2].range < 1.2)")
    page.until_printed("Pose(x=0.0, y=0.0")
    assert "True" in page.output()


def test_a_loop_without_end_is_stopped_without_a_server(page: TryPage) -> None:
    page.until_ready()
    page.until("return navigator.serviceWorker.controller")
    page.browser.driver.execute_cdp_cmd("Network.enable", {})
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    page.run("while True:\n    pass\n")
    page.browser.press("#stop-program")
    page.until_printed("stopped")
    page.until_ready()
    page.run("print(6 * 7)")
    page.until_printed("42")
    page.browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**offline, "offline": False})


@with_robot("--robot", "p3dx", "--baud", "115200", "--fault", "corrupt=0.001")
def test_a_real_robot_is_driven_recorded_and_examined(page: TryPage, robot: SerialRobot, tmp_path: Path) -> None:
    page.until_ready()
    page.connect("Pioneer")
    assert page.browser.script("return window.signals.dataTerminalReady") is True
    with page.dashboard():
        page.browser.press("#motors")
    page.until("return document.querySelector('#warning').open")  # it waits for the person's consent
    assert not any(moving for _, moving in robot.moves())
    page.browser.button("The wheels are off the floor")
    with page.dashboard():
        page.until("return document.querySelector('#motors').getAttribute('aria-checked') === 'true'")
        page.forward(on=True)
        robot.until_moving(True)
        page.forward(on=False)
        robot.until_moving(False)
    page.browser.press("#record")
    page.run(f"{IMPORT}with AmigoBot() as robot:\n    print(round(robot.move(0.3), 1))\n")
    page.until_printed("0.3")
    page.until_ready()
    page.browser.press("#record")
    file = tmp_path / "drive.amigo"
    file.write_bytes(page.offered()[file.name])
    head, frames = read_recording(file)
    assert head.profile == "p3dx" and sum(not frame.to_robot for frame in frames) > 10
    with page.dashboard():
        page.browser.press("#tab-doctor")
        page.browser.button("Examine the robot")
        page.until("return [...document.querySelectorAll('button')].some((one) => one.textContent === 'Examine again')")
    page.browser.press("#report")
    checks = {one["check"] for one in json.loads(page.offered()["doctor.json"])["findings"]}
    assert checks >= {"link", "battery", "motors"}
    page.recover()


@with_robot("--robot", "erratic", "--baud", "38400")
def test_a_real_robot_is_verified(page: TryPage, robot: SerialRobot, tmp_path: Path) -> None:
    page.until_ready()
    page.connect("Erratic")
    page.browser.press("#verify")
    page.browser.button("The wheels are off the floor")
    page.until("return !document.querySelector('#question').hidden")
    assert "so that its wheels are off the floor" in page.output()
    page.browser.find("#reply").send_keys("q", Keys.ENTER)
    files = page.offered()
    assert set(files) == {"report.md", "report.json", "packets.amigo"}
    path = tmp_path / "report.json"
    path.write_bytes(files[path.name])
    assert load_report(str(path)).profile.name == "erratic"
    issue = page.browser.find("#issue").get_attribute("href")
    assert "template=robot.yml" in issue and "amigobot+verify" in issue
    page.recover()


@with_robot("--robot", "amigo", "--baud", "9600")
def test_a_robot_stops_when_its_page_is_blocked_hidden_or_closed(page: TryPage, robot: SerialRobot) -> None:
    page.until_ready()
    page.connect("AmigoBot")
    page.run(f"import time\n{IMPORT}robot = AmigoBot()\nrobot.drive(0.2)\ntime.sleep(0.3)\nwhile True:\n    pass\n")
    page.browser.button("The wheels are off the floor")
    robot.until_moving(True)
    robot.until_moving(False)  # nobody has pressed Stop: the page itself stops it
    page.recover()
    page.connect("AmigoBot")
    page.run(f"{IMPORT}AmigoBot().drive(0.2, duration=600)\n")
    page.browser.button("The wheels are off the floor")
    robot.until_moving(True)
    page.browser.script(HIDE)
    robot.until_rests_since(time.monotonic())
    page.browser.script(SHOW)
    page.until_ready()
    page.run(f"{IMPORT}AmigoBot().drive(0.2, duration=600)\n")
    robot.until_moving(True)
    page.browser.driver.get("about:blank")
    robot.until_rests_since(time.monotonic())
    page.recover()


@with_robot("--robot", "erratic", "--baud", "38400")
def test_stop_ends_verify_with_its_files_and_a_robot_at_rest(page: TryPage, robot: SerialRobot) -> None:
    page.until_ready()
    page.connect("Erratic")
    page.browser.press("#verify")
    page.browser.button("The wheels are off the floor")
    while not (robot.moves() and robot.moves()[-1][1]):  # agree until it moves
        if page.browser.find("#reply").is_displayed():
            page.browser.find("#reply").send_keys(Keys.ENTER)
    page.browser.script("const stop = document.querySelector('#stop-program'); stop.click(); stop.click();")
    robot.until_rests_since(time.monotonic())
    files = page.offered()
    assert set(files) == {"report.md", "report.json", "packets.amigo"}
    assert "ended; the robot was stopped" in page.output()
    assert not robot.moves()[-1][1]
    page.recover()
