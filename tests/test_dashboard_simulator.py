# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The dashboard on a simulated robot: controls reach it, its clock and its world can be changed."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import fakes
import pytest
from dashboard_bench import PATIENCE, SIMULATOR, Bench, Page, dashboard, simulator, speed

from amigobot_driver import AmigoBot, AmigoBotError, RequestRefusedError
from amigobot_driver.cli import UsageError
from amigobot_driver.doctor import verdict
from amigobot_driver.sim import Simulator
from amigobot_tools.dashboard.sources import open_source
from amigobot_tools.dashboard.sources.simulator_source import SimulatorSource

Test = Callable[[SimulatorSource, Bench, Page], Awaitable[None]]


def run(test: Test, url: str = SIMULATOR) -> None:
    """Run a test with a simulated robot and one page."""
    with simulator(url) as source:

        async def with_page() -> None:
            async with dashboard(source) as bench, bench.page() as page:
                await page.until(lambda: "faults" in page.sections)
                await test(source, bench, page)

        asyncio.run(with_page())


def until(source: SimulatorSource, condition: Callable[[], object]) -> None:
    fakes.until(lambda: source.step() or condition(), "the condition")


async def driving(source: SimulatorSource, page: Page) -> None:
    """Drive until the robot is fast."""
    assert (await page.ask("motors", on=True))["ok"]
    while speed(source) < 0.15:
        await page.send("drive", linear=0.2, angular=0.0)
        await page.read()


def test_the_doctor_names_a_robot_that_no_longer_obeys(monkeypatch: pytest.MonkeyPatch) -> None:
    def keys() -> list[str]:
        return [cause.key for _, cause in verdict(source.examination().findings(lambda text: None))]

    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))  # that of this computer is another finding
    with simulator("sim://amigo?world=room&seed=1") as source:
        assert keys() == []
        source.do_sonar(on=False)
        assert keys() == []
        monkeypatch.setattr(Simulator, "receive", lambda simulator, data, now: None)
        assert keys() == ["lost-commands"]


def test_every_control_of_the_robot() -> None:
    async def test(source: SimulatorSource, bench: Bench, page: Page) -> None:
        assert not page.now["state"]["motors"]  # nobody has switched them on
        await driving(source, page)
        assert (await page.ask("stop"))["ok"]
        await page.until(lambda: speed(source) == 0)
        assert (await page.ask("sonar", on=False))["ok"]
        await page.until(lambda: page.now["state"]["sonar"] is False)
        assert (await page.ask("reset_odometry"))["ok"]
        await page.until(lambda: abs(page.now["state"]["x"]) < 0.01)
        assert page.now["sim"]["x"] > 0.01 and page.now["origin"][0] > 0.01  # the truth is elsewhere, and it is known
        answer = await page.ask("outputs", mask=1, states=1)
        assert "IO_0 did not follow, being configured as input" in answer["text"]  # as in a robot from the factory
        assert "sounds" in (await page.ask("list_sounds"))["text"]
        await page.until(lambda: "sounds" in page.sections)
        number = next(sound["number"] for sound in page.sections["sounds"] if not sound["group"])
        assert (await page.ask("play_sound", number=number))["ok"]
        assert (await page.ask("parameter", name="trans_acc", value=250))["ok"]
        await page.until(lambda: {row["name"]: row["value"] for row in page.sections["parameters"]}["trans_acc"] == 250)
        refused = await page.ask("parameter", name="trans_acc", value=0)
        assert not refused["ok"] and "trans_acc is 0, allowed: 1 to 32767 mm/s^2" in refused["text"]
        refused = await page.ask("parameter", name="nothing", value=0)
        assert not refused["ok"] and "parameter 'nothing' is not known" in refused["text"]
        assert (await page.ask("parameter", name="max_linear", value=0.3))["ok"]
        refused = await page.ask("parameter", name="max_linear", value=11)
        assert not refused["ok"] and "allowed: 0, or 0.001 to 10 m/s" in refused["text"]

    run(test)


def test_the_clock_stands_still_steps_and_runs_faster() -> None:
    with simulator() as source:
        do = {name: request.run for name, request in source.requests.items()}
        do["pause"](on=True)
        before = source.live()["sim"]["time"]
        time.sleep(0.3)
        source.step()
        assert source.live()["sim"]["time"] == before
        do["step"](seconds=0.1)
        assert source.live()["sim"]["time"] == pytest.approx(before + 0.1)
        do["pause"](on=False)
        do["speed"](factor=50.0)
        until(source, lambda: source.live()["sim"]["time"] > before + 30)
        assert source.state().connected  # the driver keeps its session at any speed
        assert source.state().link["connections"] == "1"
        do["speed"](factor=0.1)
        began, simulated = time.monotonic(), source.live()["sim"]["time"]
        time.sleep(0.2)
        source.step()
        assert source.live()["sim"]["time"] - simulated <= 0.1 * (time.monotonic() - began) + 0.05


def test_robot_and_obstacles_are_moved_and_collide() -> None:
    with simulator() as source:
        do = {name: request.run for name, request in source.requests.items()}
        do["place"](x=2.0, y=1.0, heading=math.pi)
        sim = source.live()["sim"]
        assert (sim["x"], sim["y"], abs(sim["yaw"])) == (2.0, 1.0, pytest.approx(math.pi))
        do["add_obstacle"](x=1.0, y=1.0, heading=0.3, length=0.4, width=0.4)
        do["add_obstacle"](x=4.0, y=1.0, heading=0.0, length=0.5, width=0.0)
        assert [one.number for one in source.sections()["obstacles"]] == [1, 2]
        with pytest.raises(RequestRefusedError, match="the robot would be inside circle 2"):
            do["move_obstacle"](number=2, x=2.0, y=1.0, heading=0.0)
        with pytest.raises(AmigoBotError, match="an obstacle would be inside the amigo"):
            do["place"](x=1.0, y=1.25, heading=0.0)
        assert source.sections()["obstacles"][1].x == 4.0
        source.robot.enable_motors()
        do["speed"](factor=5.0)
        until(source, lambda: source.drive(0.4, 0.0) or source.live()["sim"]["touching"])
        assert 1.2 < source.live()["sim"]["x"] < 1.5
        do["remove_obstacle"](number=1)
        with pytest.raises(RequestRefusedError, match="there is no obstacle 1"):
            do["remove_obstacle"](number=1)
        # A wheel that has stalled is without power for a while, and the other one turns the robot.
        until(source, lambda: source.state().at_rest and not source.state().stalls)
        do["place"](x=1.5, y=1.0, heading=math.pi)
        until(source, lambda: source.drive(0.4, 0.0) or source.live()["sim"]["x"] < 0.9)
        assert source.live()["sim"]["x"] < 0.9


def test_loaded_walls_are_moved_removed_and_put_back() -> None:
    with simulator("sim://amigo?world=room&baud=0&seed=1") as source:
        do = {name: request.run for name, request in source.requests.items()}
        loaded = {one.number: one for one in source.sections()["obstacles"]}
        room, furniture = 8, 12  # the walls around the robot, each alone; each piece of furniture is one thing
        assert len(loaded) == room + furniture and {one.kind for one in loaded.values()} == {"wall"}
        before = source._simulator.world
        assert {len(one.outline) for one in loaded.values()} == {1, 4, 12}
        sofa = next(one for one in loaded.values() if (one.x, one.y) == (pytest.approx(6.0), pytest.approx(1.7)))
        with pytest.raises(AmigoBotError, match="an obstacle would be inside the amigo"):
            do["move_obstacle"](number=sofa.number, x=2.75, y=1.75, heading=0.0)
        do["move_obstacle"](number=sofa.number, x=2.75, y=4.0, heading=math.pi / 2)
        until(source, lambda: source.state().echoes[0].range < 0.9)  # the sonar detects it on the left
        do["remove_obstacle"](number=sofa.number)
        until(source, lambda: source.state().echoes[0].range > 1.2)
        do["add_obstacle"](x=1.0, y=2.75, heading=0.0, length=0.3, width=0.3)
        assert max(one.number for one in source.sections()["obstacles"]) == room + furniture + 1
        do["restore_world"]()
        assert {one.number: one for one in source.sections()["obstacles"]} == loaded
        ends = [sorted(round(value, 6) for value in one) for one in source._simulator.world.segments]
        assert sorted(ends) == sorted(sorted(round(value, 6) for value in one) for one in before.segments)


def test_every_fault_is_switched_while_it_runs() -> None:
    with simulator() as source:
        do = {name: request.run for name, request in source.requests.items()}
        values = {"number": "0.01", "flag": "1", "window": "5:2:60", "set": "0,1"}
        for row in source.sections()["faults"]:
            if row["name"] not in ("unplug", "reset", "silence", "left_open"):
                do["fault"](name=row["name"], value=values[row["kind"]])
        shown = {row["name"]: row["value"] for row in source.sections()["faults"]}
        assert shown["corrupt"] == "0.01" and shown["jam"] == "5:2:60" and shown["dead_sonars"] == "0,1"
        for name, value, reason in (
            ("corrupt", "2", r"fault corrupt is '2', expected a number from 0 to 1"),
            ("dead_sonars", "99", r"fault dead_sonars is '99', expected whole numbers from 0 to 31"),
            ("nothing", "", r"fault 'nothing' is not known, allowed: corrupt, "),
            ("__doc__", "", r"fault '__doc__' is not known, allowed: corrupt, "),
        ):
            with pytest.raises(AmigoBotError, match=reason):
                do["fault"](name=name, value=value)
        do["fault"](name="corrupt", value="")
        do["no_faults"]()
        assert all(row["value"] == "" for row in source.sections()["faults"])


def test_diagnostics_name_the_trouble_and_the_remedy() -> None:
    with simulator() as source:
        found = {row["name"]: row for row in source.sections()["diagnostics"]}
        assert found["link"]["level"] == "ok" and found["battery"]["message"].startswith("good: 12.")
        assert found["motors"]["level"] == "warning"
        assert "Switch the motors on (enable_motors)" in found["motors"]["message"]
        assert source.drive(0.1, 0.0) == "the motors are off: switch them on, or press MOTORS on the robot"
        assert found["sonar"]["values"]["enabled"] == "True"


def test_a_port_that_is_unplugged_comes_back() -> None:
    with simulator() as source:
        source.requests["fault_now"].run(name="unplug", seconds=2.0)
        until(source, lambda: not source.state().connected)
        assert "the port has disappeared" in source.state().note
        with pytest.raises(AmigoBotError):
            source.requests["reset_odometry"].run()
        until(source, lambda: source.state().connected)
        assert source.state().link["connections"] == "2"


def test_one_of_several_robots_sees_the_others(tmp_path: Path) -> None:
    file = tmp_path / "robots.yaml"
    robots = "alpha: {pty: %s/alpha, start: [0, 0, 0], baud: 0}\n  beta: {pty: %s/beta, start: [0.8, 0, 180], baud: 0}"
    file.write_text(f"world: empty\nrobots:\n  {robots % (tmp_path, tmp_path)}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"--name gamma: .* has alpha, beta"):
        open_source(str(file), profile="", ros=False, name="gamma")
    source = open_source(str(file), profile="", ros=False, name="")
    assert isinstance(source, SimulatorSource)
    try:
        assert source.live()["others"] == {"beta": (0.8, 0.0, pytest.approx(math.pi))}
        until(source, lambda: source.state().echoes[2].range < 1.5)  # the sonar detects beta
        assert any("robot beta: listening on" in line for line in source.messages())
        with pytest.raises(AmigoBotError, match="inside the amigo"):
            source.requests["add_obstacle"].run(x=0.8, y=0.1, heading=0.0, length=0.3, width=0.3)

        def drive_beta() -> None:
            with AmigoBot(str(tmp_path / "beta"), timeout=PATIENCE) as beta:
                beta.drive(0.0, 0.5, duration=1.0)

        client = threading.Thread(target=drive_beta)
        client.start()
        until(source, lambda: source.live()["others"]["beta"][2] < 3.0)
        until(source, lambda: not client.is_alive())
    finally:
        source.close()
    assert not (tmp_path / "beta").exists()


def test_a_port_that_cannot_be_opened_closes_the_others(tmp_path: Path) -> None:
    file = tmp_path / "robots.yaml"
    robots = "alpha: {pty: a}\n  beta: {pty: %s/beta, start: [1, 0, 0]}\n  gamma: {pty: %s/-/gamma, start: [2, 0, 0]}"
    file.write_text(f"world: empty\nrobots:\n  {robots % (tmp_path, tmp_path)}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="gamma"):
        open_source(str(file), profile="", ros=False, name="")
    assert list(tmp_path.iterdir()) == [file]
    assert not logging.getLogger("amigobot_driver").handlers, "the connected robot is closed"
