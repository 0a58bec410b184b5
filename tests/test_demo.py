# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The demo itself, shortened: with ROS 2 (simulator and node as processes, DDS between them), and without."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

import pytest
from processes import simulated_robot, terminal, until

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from amigobot_driver.cli.recording_file import read_recording


def truth(path: Path) -> list[dict[str, float]]:
    """What is written of it so far, in whole lines."""
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def check_end(out: Path) -> None:
    """The robot rests, its session was closed by the client, and no program is left."""
    log = (out / "simulator.log").read_text()
    assert "session opened" in log and "session closed" in log and "watchdog" not in log
    assert truth(out / "truth.jsonl")[-1]["left_velocity"] == 0.0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            assert str(out).encode() not in path.read_bytes()


@pytest.mark.parametrize("option", ["--ros", "--no-ros"])
def test_short_drive_leaves_a_picture(tmp_path: Path, option: str) -> None:
    if option == "--ros":
        pytest.importorskip("rclpy", reason="rclpy is not installed")
    with terminal("demo", "--out", str(tmp_path), "--seconds", "2", option) as demo:
        demo.wait_for("the demo succeeded")
        assert demo.wait() == 0
    assert (tmp_path / "tour.png").read_bytes().startswith(b"\x89PNG")
    if option == "--no-ros":
        head, records, _ = read_recording(tmp_path / "tour.amigo")
        assert head.name == "Amigo"
        assert any(record.to_robot for record in records) and len(records) > 50
    check_end(tmp_path)


def test_ctrl_c_ends_every_program(tmp_path: Path) -> None:
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    with terminal("demo", "--out", str(tmp_path), "--ros") as demo:
        demo.wait_for("%")
        until(lambda: truth(tmp_path / "truth.jsonl")[-1]["left_velocity"] > 0.2, "the robot drives")
        demo.type("\x03")
        time.sleep(0.3)
        demo.type("\x03")  # impatience changes nothing
        assert demo.wait() == 130
    check_end(tmp_path)


def test_real_robot_drives_only_when_a_person_agrees(tmp_path: Path) -> None:
    with simulated_robot(tmp_path) as robot:
        for answer, status in (("\n", 2), ("y\n", 0)):
            out = tmp_path / "demo"
            with terminal("demo", "--no-ros", "--port", robot.port, "--out", str(out), "--seconds", "2") as demo:
                demo.wait_for("Move? [y/N]")
                assert {(line["x"], line["y"]) for line in robot.truth} == {(2.75, 2.75)}
                demo.type(answer)
                assert demo.wait() == status
        assert max(line["left_velocity"] for line in robot.truth) < 0.25
    assert (out / "tour.png").exists()
