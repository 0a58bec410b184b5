# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The page in a real browser: every control is used, at three sizes, with mouse and keys."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest
from chromium import Chromium, chromium, needs_chromium, served, until
from dashboard_bench import simulator, speed
from selenium.webdriver.common.keys import Keys

from amigobot_tools.dashboard import control
from amigobot_tools.dashboard.sources.obstacles import Obstacle
from amigobot_tools.dashboard.sources.simulator_source import SimulatorSource

pytestmark = needs_chromium
SIZES = ((390, 844), (1024, 768), (1920, 1080))


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def source() -> Iterator[SimulatorSource]:
    with simulator("sim://amigo?world=room&baud=0&seed=1") as source:
        yield source


@pytest.fixture(scope="module")
def url(source: SimulatorSource) -> Iterator[str]:
    with served(source) as url:
        yield url


def moving(source: SimulatorSource) -> None:
    until(lambda: speed(source) > 0.03, "the robot moves")


def at_rest(source: SimulatorSource) -> None:
    until(lambda: speed(source) == 0, "the robot is at rest")


def things(source: SimulatorSource) -> dict[int, Obstacle]:
    return {one.number: one for one in source.sections()["obstacles"]}


def thing(source: SimulatorSource, number: int) -> Obstacle:
    return things(source)[number]


def added(source: SimulatorSource) -> list[Obstacle]:
    return [one for one in things(source).values() if one.kind != "wall"]


def on_screen(browser: Chromium, point: str) -> tuple[float, float]:
    """Where a point of the world is (JavaScript with the view as v), in pixels from the middle of the top view."""
    browser.place("#view")
    x, y = browser.script(
        f"const v = dashboard.view; const w = {point}; const p = v.toScreen(w[0], w[1]);"
        "return [p[0] - v.width / 2, p[1] - v.height / 2]"
    )
    return x, y


def motors_on(browser: Chromium) -> None:
    if browser.find("#motors").get_attribute("aria-checked") != "true":
        browser.press("#motors")
    browser.until("return document.querySelector('#motors').getAttribute('aria-checked') === 'true'")


def clear_stop(browser: Chromium, source: SimulatorSource) -> None:
    browser.until("return document.querySelector('#stop').textContent === 'CLEAR STOP'")
    browser.press("#stop")
    until(lambda: not source.state().emergency, "the stop is cleared")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_page_fits_every_screen_without_errors(
    browser: Chromium, url: str, width: int, height: int, theme: str
) -> None:
    browser.open(url, width, height, theme)
    assert browser.script("return document.documentElement.scrollWidth <= innerWidth")
    # The big button is always on the screen.
    box = browser.script(
        "const b = document.querySelector('#stop').getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]"
    )
    assert box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height and box[3] - box[1] >= 40
    background = browser.script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, background[4:-1].split(","))) < 200) is (theme == "dark")
    browser.until("return dashboard.view.times.length > 1")
    assert browser.complaints() == []


def test_escape_stops_and_only_the_button_clears(browser: Chromium, source: SimulatorSource, url: str) -> None:
    browser.open(url)
    motors_on(browser)
    browser.find("#pad").click()
    browser.keys().key_down("a").perform()
    moving(source)
    browser.keys().send_keys(Keys.ESCAPE).perform()
    at_rest(source)
    browser.until("return document.querySelector('#alert').textContent.includes('EMERGENCY STOP')")
    browser.keys().key_up("a").send_keys(Keys.ESCAPE).perform()
    time.sleep(0.3)
    assert source.state().emergency
    clear_stop(browser, source)
    browser.until("return document.querySelector('#stop').textContent === 'STOP'")
    browser.press("#stop")
    until(lambda: source.state().emergency, "the button stops")
    clear_stop(browser, source)


def test_a_second_page_asks_for_control_and_gets_it(
    browser: Chromium, source: SimulatorSource, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "ANSWER_TIMEOUT", 600.0)  # s: a slow browser may take its time to answer
    browser.open(url)
    browser.press("#take")
    browser.until("return document.querySelector('#holder').textContent === 'you hold control'")
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("window")
    browser.driver.get(url)
    browser.until("return document.querySelector('#take').textContent === 'Take over'")
    browser.press("#take")
    browser.driver.switch_to.window(first)
    browser.until("return !document.querySelector('#asked').hidden")
    browser.press("#hand-over")
    browser.until("return /browser .* holds control/.test(document.querySelector('#holder').textContent)")
    browser.driver.switch_to.window(next(one for one in browser.driver.window_handles if one != first))
    browser.until("return document.querySelector('#holder').textContent === 'you hold control'")
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.until("return document.querySelector('#holder').textContent === 'no browser holds control'")


def test_every_tab_opens_with_the_keyboard(browser: Chromium, source: SimulatorSource, url: str) -> None:
    browser.open(url)
    browser.until("return document.querySelectorAll('#panel-parameters tbody tr').length > 10")
    browser.press("#tab-log")
    names = []
    for _ in range(8):
        shown = browser.driver.switch_to.active_element
        names.append(shown.get_attribute("id"))
        panel = browser.find(f"#{shown.get_attribute('aria-controls')}")
        assert panel.is_displayed()
        browser.keys().send_keys(Keys.ARROW_RIGHT).perform()
    assert set(names) >= {
        "tab-log",
        "tab-plots",
        "tab-packets",
        "tab-doctor",
        "tab-ports",
        "tab-parameters",
        "tab-sounds",
        "tab-simulator",
    }
    browser.press("#tab-packets")
    browser.until("return document.querySelectorAll('#panel-packets tbody tr').length > 3")
    browser.find("#panel-packets input").send_keys("Sip")
    browser.until(
        "return [...document.querySelectorAll('#panel-packets tbody tr td:nth-child(3)')]"
        ".every((cell) => cell.textContent === 'Sip')"
    )
    browser.script("document.querySelector('#panel-packets tbody details summary').click()")  # the rows move
    assert browser.find("#panel-packets details a").get_attribute("href").endswith("/protocol/5.2")
    browser.press("#tab-plots")
    browser.until("return document.querySelectorAll('.plot canvas').length >= 2 && dashboard.view.times.length")
    assert browser.complaints() == []


def test_the_simulator_is_paused_and_changed(browser: Chromium, source: SimulatorSource, url: str) -> None:
    browser.open(url)
    browser.press("#tab-simulator")
    browser.button("Pause")
    until(lambda: source.live()["sim"]["paused"], "it is paused")
    before = source.live()["sim"]["time"]
    browser.until("return document.querySelector('#panel-simulator button').textContent === 'Go on'")
    browser.button("Step 0.1 s")
    until(lambda: source.live()["sim"]["time"] == pytest.approx(before + 0.1), "one step")
    browser.button("Go on")
    browser.button("5\N{MULTIPLICATION SIGN}")
    until(lambda: source.live()["sim"]["speed"] == 5.0, "it is faster")
    browser.button("1\N{MULTIPLICATION SIGN}")
    browser.button("Add a box")
    until(lambda: added(source), "there is a box")
    browser.until("return document.querySelector('#selection-name').textContent.startsWith('box')")
    browser.button("Remove")
    until(lambda: not added(source), "the box is gone")
    field = browser.find("input[aria-label^='lose_packets']")
    field.send_keys("0.05", Keys.ENTER)
    until(lambda: source._simulator.faults.lose_packets == 0.05, "packets get lost")
    browser.button("No faults")
    until(lambda: source._simulator.faults.lose_packets == 0, "no fault")


def test_walls_and_obstacles_are_moved_with_mouse_and_keys(
    browser: Chromium, source: SimulatorSource, url: str
) -> None:
    browser.open(url)
    at_rest(source)
    browser.until("return dashboard.view.poseNow('truth') && dashboard.view.editor.things.length")
    view = browser.find("#view")
    # The mouse carries the robot.
    before = source.live()["sim"]
    x, y = on_screen(browser, "v.poseNow('truth')")
    browser.keys().move_to_element_with_offset(view, round(x), round(y)).click_and_hold().move_by_offset(
        0, -20
    ).move_by_offset(0, -15).release().perform()
    until(lambda: source.live()["sim"]["y"] > before["y"] + 0.1, "the robot is elsewhere")
    # The mouse takes hold of a wall of the loaded world, and a finger of the same one.
    wall = browser.script("return dashboard.view.editor.things.at(-1)")
    assert wall["kind"] == "wall"
    grip = f"v.editor.segments(v.editor.things.find((one) => one.number === {wall['number']}))[0].slice(0, 2)"
    x, y = on_screen(browser, grip)
    browser.keys().move_to_element_with_offset(view, round(x), round(y)).click_and_hold().move_by_offset(
        15, -5
    ).move_by_offset(15, -5).release().perform()
    until(lambda: thing(source, wall["number"]).x > wall["x"] + 0.1, "the wall is elsewhere")
    moved = thing(source, wall["number"])
    browser.until("return !dashboard.view.editor.moved")
    (x, y), (middle_x, middle_y) = on_screen(browser, grip), browser.place("#view")
    browser.touch(*((middle_x + x + step, middle_y + y) for step in (0, 10, 30)))
    browser.lift()
    until(lambda: thing(source, wall["number"]).x > moved.x + 0.1, "a finger has moved it")
    # Keys select, move, turn and remove.
    view.send_keys("N")
    browser.until(
        f"return document.querySelector('#selection-name').textContent.startsWith('wall {wall['number'] - 1}:')"
    )
    other = thing(source, wall["number"] - 1)
    view.send_keys(Keys.ARROW_UP, Keys.ARROW_UP, "[")
    until(lambda: thing(source, other.number).heading > 0.05, "it is turned")
    assert thing(source, other.number).y == pytest.approx(other.y + 0.1, abs=1e-3)
    view.send_keys(Keys.DELETE)
    until(lambda: other.number not in things(source), "it is removed")
    assert speed(source) == 0  # the arrow keys have not driven
    browser.press("#tab-simulator")
    browser.button("All walls as loaded")
    until(lambda: things(source).get(other.number) == other, "it is back")
    assert browser.complaints() == []


def test_a_finger_and_a_gamepad_drive_the_robot(browser: Chromium, source: SimulatorSource, url: str) -> None:
    browser.open(url, 390, 844)
    motors_on(browser)
    x, y = browser.place("#pad")
    browser.touch((x, y), (x - 30, y), (x - 50, y))
    moving(source)
    assert source.live()["sim"]["right_velocity"] > source.live()["sim"]["left_velocity"]
    browser.tap_beside((x - 50, y), browser.place("#stop"))
    until(lambda: source.state().emergency, "a second finger stops the robot")
    browser.lift()
    at_rest(source)
    clear_stop(browser, source)

    def gamepad(*axes: float, stop: bool = False) -> None:
        buttons = [{"pressed": False}, {"pressed": stop}]
        pads = [{"connected": True, "axes": axes, "buttons": buttons}] if axes else []
        browser.script(f"navigator.getGamepads = () => {json.dumps(pads)}")

    gamepad(0.9, 0.05)  # to the right; what is near the middle counts as the middle
    moving(source)
    assert source.live()["sim"]["left_velocity"] > 0 > source.live()["sim"]["right_velocity"]
    gamepad()  # its batteries are empty
    at_rest(source)
    gamepad(-0.9, 0.0)
    moving(source)
    gamepad(-0.9, 0.0, stop=True)
    until(lambda: source.state().emergency, "its second button is the emergency stop")
    at_rest(source)
    gamepad()
    clear_stop(browser, source)


def test_the_doctor_examines_the_robot_at_rest(browser: Chromium, source: SimulatorSource, url: str) -> None:
    browser.open(url)
    browser.press("#tab-doctor")
    browser.button("Examine the robot")
    browser.until("return [...document.querySelectorAll('button')].some((b) => b.textContent === 'Examine again')")
    assert speed(source) == 0
    text = browser.find("#panel-doctor").text
    assert "all 8 give readings" in text and "no stall" in text and "fields of its packets are plausible" in text
