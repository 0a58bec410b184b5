# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The page with the robot in it, in a real browser: Python, driver and simulator run in its worker."""

from __future__ import annotations

import base64
import contextlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import serial
from chromium import Chromium, chromium, needs_chromium, until
from processes import SimulatedRobot
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait
from tools import try_page

from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.sim.reported import read_report

pytestmark = [
    needs_chromium,
    pytest.mark.timeout(900),
]
#: s; Python is loaded and compiled, perhaps on a busy computer.
LOADING = 200
#: s in which a robot at 0.2 m/s is at rest in each case (docs/how-to/browser.md).
AT_REST = 2.9
FRAME = "document.querySelector('#dashboard').contentDocument"
#: A serial adapter of the browser, whose bytes the server of the page passes to a simulated robot and back.
MOCK = """
if (window === window.top) {
  const target = new EventTarget(), post = (path, body) => fetch(`serial/${path}`, { method: "POST", body });
  let open = false, noise = false, reading = null;
  const port = Object.assign(target, {
    async open({ baudRate }) {
      if (!(await post(`open?${baudRate}`)).ok) throw new Error("gone");
      open = noise = true;
      port.readable = stream();
      port.writable = new WritableStream({
        async write(bytes) {
          window.onwrite?.(bytes);
          await post("write", bytes);
        },
      });
    },
    async close() { open = false; },
    async setSignals(signals) { window.signals = signals; },
  });
  const stream = () => new ReadableStream({
    async pull(controller) {
      while (open) {
        if (noise) {
          noise = false;
          port.readable = stream();
          throw new DOMException("a wrong line speed", "FramingError");
        }
        const answer = await (reading = post("read"));
        if (!answer.ok) {
          port.readable = null;
          throw new DOMException("gone", "NetworkError");
        }
        const bytes = new Uint8Array(await answer.arrayBuffer());
        if (bytes.length) return controller.enqueue(bytes);
      }
      controller.close();
    },
    cancel() {
      open = false;
      return reading; // otherwise it takes bytes of the next stream
    },
  });
  const bus = Object.assign(new EventTarget(), { requestPort: async () => { window.asked = true; return port; } });
  Object.defineProperty(navigator, "serial", { value: bus, configurable: true });
}
"""
#: Shown by the page, and not executed as HTML.
HOSTILE = "print('hostile </textarea><script>document.title = 1</script>')"
#: A page of another origin that opens the page and tries to make it move something.
ELSEWHERE = """
<!doctype html><link rel="icon" href="data:,"><script>
let page;
function begin() {
  page = window.open("about:blank");
}
function go(url) {
  page.location = url;
  const program = "from amigobot_driver import AmigoBot; AmigoBot().move(1)";
  const messages = ["run", "receive", "open_port", "simulate"].map((kind) => [kind, program]);
  const drive = JSON.stringify({ type: "motors", id: 1, on: true });
  setInterval(() => {
    for (const message of [...messages, drive, { data: drive }]) page.postMessage(message, "*");
    for (const name of ["document", "robotSocket", "localStorage"]) {
      try { page[name]; document.title = "reached"; } catch { document.title = "refused"; }
    }
  }, 50);
}
</script><button onclick="begin()">Open</button>
"""
IMPORT = "from amigobot_driver import AmigoBot\n"
#: Keeps what the page offers as files.
KEEP = """
try { localStorage.setItem("theme", "</style><script>document.title = 1</script>"); } catch {}
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
    driver.robot.motion.drive(linear, angular, driver.now)
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
    delay = 0.0  #: s that a write takes

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
                time.sleep(Handler.delay)
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

    def open_from_elsewhere(self, fragment: str) -> None:
        """Let a page of another origin open this one, which goes on trying to control it."""
        driver = self.browser.driver
        driver.get(self.url.replace("127.0.0.1", "localhost") + "elsewhere.html")
        self.browser.button("Open")
        elsewhere, opened = driver.window_handles
        driver.switch_to.window(opened)
        driver.set_window_size(1440, 1000)
        self._install(MOCK + KEEP)
        driver.switch_to.window(elsewhere)
        driver.execute_script("go(arguments[0])", self.url + fragment)
        driver.switch_to.window(opened)
        self._until_loaded()
        self.until_ready()

    def open(self, before: str = "") -> None:
        """Load the page, after a script, and wait for its robot."""
        script = self._install(before)
        self.browser.driver.get("about:blank")
        self.browser.driver.get(self.url)
        self._until_loaded()
        self.browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)

    def _install(self, source: str) -> dict[str, Any]:
        command = "Page.addScriptToEvaluateOnNewDocument"
        return self.browser.driver.execute_cdp_cmd(command, {"source": source})  # type: ignore[no-any-return]

    def _until_loaded(self) -> None:
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
        """Connect the robot at the port, after the end of what was there before."""
        self.recover()
        self.browser.press("#connect")
        self.until(
            f"const shown = (name) => {FRAME}?.querySelector(name)?.textContent ?? '';"
            "return shown('#where') === 'port Web Serial' && shown('#link') === 'connected'"
            f" && shown('#title').includes({model!r}) && !{FRAME}.querySelector('#tab-simulator')"
        )

    def hurry(self) -> None:
        """Let the simulated robot be faster."""
        link = "document.querySelector('#dashboard').contentWindow.dashboard.connection"
        self.until(f"{link}.ask('speed', {{ factor: 20 }}); return {link}.open")

    def stop_late(self) -> None:
        """Stop the program after the port has been slower than its frames."""
        Handler.delay = 0.15
        time.sleep(3.0)
        self.browser.press("#stop-program")

    def recover(self) -> None:
        """End the program and the connection, and close what a failed test has left open."""
        self.browser.script("document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close())")
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
        """Switch the motors on, in the frame; those of a real robot with the person's consent."""
        self.browser.press("#motors")
        if self.browser.script("return window.top.document.querySelector('#warning').open"):
            self.browser.script("window.top.document.querySelector('#warning .danger').click()")
        self.until("return document.querySelector('#motors').getAttribute('aria-checked') === 'true'")

    def forward(self, *, on: bool) -> None:
        """Press or release the key."""
        if on:
            self.browser.script("document.querySelector('#pad').focus()")
            self.browser.keys().key_down(Keys.ARROW_UP).perform()
        else:
            self.browser.keys().key_up(Keys.ARROW_UP).perform()


class SerialRobot(SimulatedRobot):
    """A simulated robot at the port of the mock."""

    def __init__(self, folder: Path, *options: str) -> None:
        super().__init__(folder, "--world", "empty", "--check-baud", *options)
        self.plug()

    def plug(self) -> None:
        Handler.path_of_port = self.port

    def unplug(self) -> None:
        Handler.path_of_port = "/dev/nothing"
        assert Handler.port
        Handler.port.close()

    def until_moved(self) -> None:
        until(self.last_moved, "it has moved")

    def until_at_rest(self) -> float:
        """Wait until it rests for a second. Returns when it moved last (s, monotonic)."""
        until(lambda: self.truth[-1]["monotonic"] - self.last_moved() > 1.0, "it is at rest")
        return self.last_moved()

    def last_moved(self) -> float:
        moving = (line for line in self.truth if line["left_velocity"] or line["right_velocity"])
        return max((line["monotonic"] for line in moving), default=0.0)

    def until_rests_since(self, failure: float) -> None:
        """Wait for rest, which must come in time after a failure (s, monotonic)."""
        assert self.until_at_rest() - failure < AT_REST


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TryPage]:
    """The page, loaded from a link with a program."""
    if not try_page.available():
        pytest.skip("Python for the browser cannot be fetched: apt-get install npm")
    folder = tmp_path_factory.mktemp("try")
    try_page.write(folder)
    (folder / "elsewhere.html").write_text(ELSEWHERE, encoding="utf-8")
    with try_page.serve(folder, Handler) as url, chromium() as browser:
        page = TryPage(browser, url)
        page.open_from_elsewhere(f"#program={quote(HOSTILE)}")
        yield page


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


def test_a_page_from_elsewhere_can_neither_connect_nor_move(page: TryPage) -> None:
    assert page.browser.script("return document.querySelector('#code').value") == HOSTILE
    assert page.output() == "" and not page.browser.script("return window.asked")
    assert page.browser.script(f"return {FRAME}.querySelector('#pose').textContent").startswith("x 0.00 m   y 0.00 m")
    assert page.browser.script(f"return {FRAME}.querySelector('#motors').textContent") == "Motors off"
    page.browser.press("#run")
    page.until_printed("</script>")
    assert page.browser.script("return document.title") == "A robot in this page"
    assert page.browser.complaints() == []
    page.browser.driver.switch_to.window(page.browser.driver.window_handles[0])
    assert page.browser.script("return document.title") == "refused"
    page.browser.driver.close()
    page.browser.driver.switch_to.window(page.browser.driver.window_handles[0])


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844), (360, 640)])
def test_stop_and_all_buttons_are_on_the_first_screen(page: TryPage, width: int, height: int) -> None:
    page.browser.resize(width, height)
    page.browser.script("window.scrollTo(0, 0)")
    top, bottom = page.browser.script(
        "const { top } = document.querySelector('#dashboard').getBoundingClientRect();"
        f"const box = {FRAME}.querySelector('#stop').getBoundingClientRect(); return [top + box.top, top + box.bottom]"
    )
    assert 0 < top < bottom <= height
    rows = page.browser.script(
        "return [...document.querySelectorAll('header button, header select')].filter((one) => one.offsetParent)"
        ".map((one) => one.getBoundingClientRect()).map((box) => [box.right, Math.round(box.top)])"
    )
    assert max(right for right, _ in rows) <= width
    assert len({row for _, row in rows}) == (1 if width > 1000 else 2)
    code = page.browser.find("#code")
    assert code.get_property("scrollWidth") <= code.get_property("clientWidth")


def test_keys_and_a_finger_drive_the_robot(page: TryPage) -> None:
    page.browser.resize(1440, 900)
    rest = (
        "const before = window.before; window.before = document.querySelector('#pose').textContent;"
        "return window.before === before"
    )
    with page.dashboard():
        page.motors_on()
        page.forward(on=True)
        page.until("return parseFloat(document.querySelector('#pose').textContent.slice(2)) > 0.1")
        page.forward(on=False)
        page.until(rest)
        x, y = page.browser.place("#pad")
    left, top = page.browser.script(
        "const box = document.querySelector('#dashboard').getBoundingClientRect(); return [box.left, box.top]"
    )
    page.browser.touch(*((left + x + step, top + y) for step in (0, -30, -60)))
    with page.dashboard():
        page.until("return parseFloat(document.querySelector('#pose').textContent.match(/([-0-9]+)°/)[1]) > 10")
        page.browser.lift()
        page.until(rest)


def test_programs_run_and_explain_their_errors(page: TryPage, capsys: pytest.CaptureFixture[str]) -> None:
    page.run(try_page.programs()["drive a square"])
    page.until_printed("connected: AmigoBot (AmigOS)")
    page.hurry()
    page.until_printed("corner 4")
    assert page.output().count("corner") == 4
    for program, printed in (
        (f"{IMPORT}AmigoBot('/dev/ttyUSB0')", "line 2: /dev/ttyUSB0: no robot is connected"),
        ("import rclpy", "ROS 2 must be installed"),
    ):
        page.until_ready()
        page.run(program)
        page.until_printed(printed)
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


@with_robot("--robot", "p3dx", "--baud", "115200", "--fault", "corrupt=0.001")
def test_a_real_robot_is_driven_recorded_and_examined(page: TryPage, robot: SerialRobot, tmp_path: Path) -> None:
    page.connect("Pioneer")
    assert page.browser.script("return window.signals.dataTerminalReady") is True
    with page.dashboard():
        page.forward(on=True)  # the motors may be on
    page.until("return document.querySelector('#warning').open")  # it waits for the person's consent
    assert not robot.last_moved()
    page.browser.button("The wheels are off the floor")
    with page.dashboard():
        page.forward(on=False)
        page.motors_on()
        page.forward(on=True)
        robot.until_moved()
        page.forward(on=False)
        robot.until_at_rest()
    page.browser.press("#record")
    while "covered 0.3" not in page.output():  # again if a very slow computer has lost the connection
        page.run(f"{IMPORT}with AmigoBot() as robot:\n    print('covered', round(robot.move(0.3), 1))\n")
        page.until_ready()
    page.browser.press("#record")
    file = tmp_path / "drive.amigo"
    file.write_bytes(page.offered()[file.name])
    head, frames, _ = read_recording(file)
    assert head.profile == "p3dx" and sum(not frame.to_robot for frame in frames) > 10
    with page.dashboard():
        page.browser.press("#tab-doctor")
        page.browser.button("Examine the robot")
        page.until("return document.body.innerText.includes('listening')")
    page.browser.script(HIDE + SHOW)
    with page.dashboard():
        page.until("return document.body.innerText.includes('stopped before its end')")
        page.browser.button("Examine again")
        page.until("return document.body.innerText.includes('took ')")
    page.browser.press("#report")
    checks = {one["check"] for one in json.loads(page.offered()["doctor.json"])["findings"]}
    assert checks >= {"link", "battery", "motors"}


@with_robot("--robot", "erratic", "--baud", "38400")
def test_stop_ends_verify_with_files_and_rest(page: TryPage, robot: SerialRobot, tmp_path: Path) -> None:
    page.connect("Erratic")
    page.browser.press("#verify")
    page.browser.button("The wheels are off the floor")
    while not robot.speed:  # agree until it moves
        if page.browser.find("#reply").is_displayed():
            assert "so that its wheels are off the floor" in page.output()
            page.browser.find("#reply").send_keys(Keys.ENTER)
    page.browser.keys().send_keys(Keys.ESCAPE).perform()
    page.browser.press("#stop-program")
    robot.until_rests_since(time.monotonic())
    files = page.offered()
    assert set(files) == {"report.md", "report.json", "packets.amigo"}
    assert "ended; the robot was stopped" in page.output() and not robot.speed
    path = tmp_path / "report.json"
    path.write_bytes(files[path.name])
    assert read_report(str(path))["profile"] == "erratic"  # it may have ended before its comparison
    issue = page.browser.find("#issue").get_attribute("href")
    assert "template=robot.yml" in issue and "amigobot+verify" in issue


@with_robot("--robot", "amigo", "--baud", "9600")
def test_keys_that_arrive_late_move_nothing(page: TryPage, robot: SerialRobot) -> None:
    page.connect("AmigoBot")
    page.browser.script("window.now = Date.now; Date.now = () => now() - 10000")
    with page.dashboard():
        page.motors_on()
        page.forward(on=True)
    time.sleep(2.0)
    assert not robot.last_moved()
    page.browser.script("Date.now = now")
    robot.until_moved()  # the key is still held
    with page.dashboard():
        page.forward(on=False)


DRIVES = "print('now')\nAmigoBot().drive(0.2, duration=600)"
BEGIN = "robot = AmigoBot()\nwhile robot.pose.x < 0.05: robot.drive(0.2, duration=0.2)\nrobot.drive(0.2)\nprint('now')"
FLOODS = f"{BEGIN}\nwhile True: print('now', robot.drive(0.2))"
#: A program that drives, and what happens then.
FAILURES: dict[str, tuple[str, Callable[[TryPage, SerialRobot], object]]] = {
    "the output never ends": (FLOODS, lambda page, robot: page.browser.press("#stop-program")),
    "the page is hidden": (DRIVES, lambda page, robot: page.browser.script(HIDE)),
    "the computer sleeps": (DRIVES, lambda page, robot: page.browser.suspend()),
    "the cable is pulled": (DRIVES, lambda page, robot: robot.unplug()),
    "Python is blocked": (f"{BEGIN}\nwhile True: pass", lambda page, robot: None),
    "the worker has ended": (f"{BEGIN}\njs.self.close()\ntime.sleep(600)", lambda page, robot: None),
    "the port is slow": (DRIVES, lambda page, robot: page.stop_late()),
    "the tab is closed": (DRIVES, lambda page, robot: page.browser.driver.get("about:blank")),
}


@pytest.mark.parametrize("failure", FAILURES)
@with_robot("--robot", "amigo", "--baud", "9600")
def test_a_robot_stops_whatever_fails(page: TryPage, robot: SerialRobot, failure: str) -> None:
    program, happen = FAILURES[failure]
    page.connect("AmigoBot")
    page.run(f"import js, time\n{IMPORT}{program}\n")
    page.browser.button("The wheels are off the floor")
    page.until_printed("now")
    robot.until_moved()
    happen(page, robot)
    try:
        robot.until_rests_since(time.monotonic())
    finally:
        page.browser.go_on()
        Handler.delay = 0.0
    if failure == "the tab is closed":
        return
    if failure in ("Python is blocked", "the worker has ended"):
        page.until(f"return {FRAME}.querySelector('#link').textContent === 'the dashboard does not answer'")
    page.browser.script(SHOW)
    robot.plug()
    if failure == "Python is blocked":
        page.browser.offline(on=True)  # the page has kept all files that the next worker needs
    page.recover()
    page.browser.offline(on=False)
    assert not robot.speed
    page.run("print(6 * 7)")
    page.until_printed("42")
    page.until_ready()


def test_the_page_says_what_another_browser_cannot_do(page: TryPage) -> None:
    page.open("delete WebAssembly.Suspending; Object.defineProperty(navigator, 'serial', { value: undefined });")
    assert "Chromium 137 or later" in page.output()
    assert "Web Serial" in page.browser.script("return document.body.innerText")
    assert not any(page.browser.find(button).is_enabled() for button in ("#run", "#verify", "#connect"))
    with page.dashboard():
        page.motors_on()
