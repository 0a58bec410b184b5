# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The demo itself, shortened: with ROS 2 (node, driver and recorder as processes, DDS between them), and without."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from amigobot_driver.cli.recording_file import read_recording
from amigobot_tools.bag.reader import read_bag

ROOT = Path(__file__).resolve().parents[1]


class Demo:
    """`amigobot demo` on a terminal of its own."""

    def __init__(self, out: Path, *arguments: str) -> None:
        self.out = out
        self.text = ""
        command = [sys.executable, "-m", "amigobot_driver.cli", "demo", "--out", str(out), *arguments]
        self.process, self._terminal = pty.fork()
        if self.process == 0:
            os.chdir(ROOT)
            os.execv(sys.executable, command)

    def until(self, text: str, seconds: float = 90.0) -> None:
        """Wait until it has written this."""
        deadline = time.monotonic() + seconds
        while text not in self.text:
            assert time.monotonic() < deadline, self.text
            assert self._read(), self.text

    def type(self, keys: bytes) -> None:
        os.write(self._terminal, keys)

    def end(self) -> int:
        """Wait for its end; its exit status."""
        while self._read():
            pass
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def _read(self) -> bool:
        with contextlib.suppress(OSError):
            if not select.select([self._terminal], [], [], 1.0)[0]:
                return True
            data = os.read(self._terminal, 4096)
            self.text += data.decode()
            return bool(data)
        return False


def truth(path: Path) -> list[dict[str, float]]:
    """What is written of it so far, in whole lines."""
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def session_ended_well(log: Path) -> bool:
    lines = log.read_text().splitlines()
    opened, closed = (any(f"session {what}" in line for line in lines) for what in ("opened", "closed"))
    return opened and closed and not any("watchdog" in line for line in lines)


def processes_of(out: Path) -> list[str]:
    """The command lines of what runs for the demo in this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if str(out) in command:
                found.append(command)
    return found


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


@pytest.fixture(params=["--ros", "--no-ros"])
def way(request: pytest.FixtureRequest) -> str:
    """With ROS 2, and without."""
    if request.param == "--ros":
        pytest.importorskip("rclpy", reason="rclpy is not installed")
    return str(request.param)


def test_a_short_drive(tmp_path: Path, way: str) -> None:
    demo = Demo(tmp_path, "--seconds", "6", way)
    status = demo.end()
    assert status == 0, demo.text
    assert "the demo succeeded" in demo.text
    assert (tmp_path / "tour.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "tour.png").stat().st_size > 50_000
    if way == "--ros":
        topics = {message.topic for message in read_bag(tmp_path / "bag")}
        assert {"/odom", "/tf", "/cmd_vel", "/status", "/diagnostics", "/robot_config", "/sonar/range_7"} <= topics
    else:
        head, records = read_recording(tmp_path / "tour.amigo")
        assert head.name == "Amigo"
        assert any(record.to_robot for record in records) and len(records) > 100
    assert session_ended_well(tmp_path / "simulator.log")
    assert truth(tmp_path / "truth.jsonl")[-1]["left_velocity"] == 0.0
    assert processes_of(tmp_path) == []


def test_ctrl_c_while_it_drives(tmp_path: Path, way: str) -> None:
    demo = Demo(tmp_path, way)
    demo.until("%")
    assert wait_for(lambda: any(line["left_velocity"] > 0.2 for line in truth(tmp_path / "truth.jsonl")[-1:]))
    demo.type(b"\x03")
    time.sleep(0.3)
    demo.type(b"\x03")  # impatience changes nothing
    assert demo.end() == 130
    assert session_ended_well(tmp_path / "simulator.log")
    assert truth(tmp_path / "truth.jsonl")[-1]["left_velocity"] == 0.0
    assert processes_of(tmp_path) == []


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[Path]:
    """What stands for a real robot: a port, and another program's simulator behind it."""
    port = tmp_path / "serial"
    with (tmp_path / "robot.log").open("w") as log:
        command = ["amigobot", "sim", "--pty", str(port), "--truth", str(tmp_path / "robot.jsonl")]
        process = subprocess.Popen(command, stdout=log, stderr=log)
    assert wait_for(port.exists)
    yield port
    process.send_signal(signal.SIGINT)
    process.wait(60)


def test_a_real_robot_is_moved_only_when_somebody_says_so(tmp_path: Path, robot: Path, way: str) -> None:
    out = tmp_path / "demo"
    demo = Demo(out, way, "--port", str(robot))
    demo.until("Move? [y/N]")
    demo.type(b"\n")
    assert demo.end() == 2 and "nothing has moved" in demo.text
    assert {(line["x"], line["y"]) for line in truth(tmp_path / "robot.jsonl")} == {(2.75, 2.75)}

    demo = Demo(out, way, "--port", str(robot), "--seconds", "9")
    demo.until("Move? [y/N]")
    demo.type(b"y\n")
    assert demo.end() == 0, demo.text
    assert max(line["left_velocity"] for line in truth(tmp_path / "robot.jsonl")) < 0.25
    assert session_ended_well(tmp_path / "robot.log")
    assert (out / "tour.png").exists()


def test_a_real_robot_needs_somebody_to_ask(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "amigobot_driver.cli", "demo", "--out", str(tmp_path), "--port", "/dev/null"]
    result = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == 2
    assert "a person must confirm" in result.stderr
