# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording in the live view: what the robot reported then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import Bench

from amigobot_driver.cli import main
from amigobot_driver.profiles import load_profile
from amigobot_driver.robot import Options
from amigobot_driver.sim import Simulator, load_world
from amigobot_tools import recording_remote
from amigobot_tools.recording_remote import RecordingRemote


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten seconds, of which the robot drives five at 0.2 m/s; it sees the walls of a room."""
    made = Simulator(load_profile("amigo"), load_world("room"), baud=0)
    bench = Bench(Options(trace=True), simulator=lambda: made).connect()
    began = bench.now
    bench.run(5.0, cmd_vel=(0.2, 0.0))
    bench.run(5.0)
    file = tmp_path_factory.mktemp("recording") / "drive.amigo"
    bench.save(file, began)
    return file


class Clock:
    """The monotonic clock of the player."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(recording_remote, "time", clock)
    return clock


def test_the_view_shows_what_was_reported_then(recording: Path, clock: Clock) -> None:
    remote = RecordingRemote(recording)
    assert remote.state().x == pytest.approx(0.0, abs=0.01)
    clock.now += 3.0
    state = remote.state()
    assert (state.connected, state.name, state.model, state.moving) == (True, "anna", "AmigoBot (AmigOS)", True)
    assert 0.3 < state.x < 0.6 and state.linear == pytest.approx(0.2, abs=0.01)
    assert len(state.echoes) == 8 and all(echo.age < 1.0 for echo in state.echoes)
    clock.now += 60.0
    state = remote.state()
    assert (state.connected, state.linear, state.volts) == (False, 0.0, pytest.approx(12.7, abs=0.2))
    assert state.note.startswith("the recording has ended, 10.0 s")
    assert 0.8 < state.x < 1.1
    assert remote.drive(0.2, 0.0) == "drive.amigo cannot be driven"


def test_the_calibration_of_the_robot_is_used(
    recording: Path, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "amigobot" / "robots" / "anna.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("extends: amigo\ncalibration: {left_wheel: 2.0, right_wheel: 2.0}\n")
    remote = RecordingRemote(recording)
    clock.now += 60.0
    assert 1.6 < remote.state().x < 2.2


@pytest.mark.usefixtures("own_subcommands")
def test_monitor_prints_a_recording_as_json(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", str(recording), "--json", "--count", "2", "--rate", "100"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["x"] < second["x"]
    assert main(["monitor", str(recording), "--port", "sim://"]) == 2
    assert capsys.readouterr().err == "amigobot monitor: a recording and a robot: give one of them\n"
    assert main(["monitor", "localhost:8101"]) == 2
    assert "the port of a robot needs --port" in capsys.readouterr().err
