# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulator as its users meet it: the command, a pty, a TCP port, sim:// - in real time, with a raw client.

Waits are for events, with a generous limit; nothing here depends on how fast the machine is.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from api_bench import eventually
from programs import environment

from amigobot_driver import AmigoBot, MotionFailedError
from amigobot_driver.cli import main
from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command
from amigobot_driver.sim.pty import PtyConnection
from amigobot_driver.sim.simulator_options import build_simulator
from amigobot_driver.transport import PortError
from amigobot_driver.transport.simulated import SimulatedPort

#: s after which something that should have happened has not
LIMIT = 20.0


class Server:
    """`amigobot sim` in a process of its own, and the lines it prints."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "amigobot_driver.cli", "sim", *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment()
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.wait_for("listening on")

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def wait_for(self, *texts: str) -> str:
        """The first line that holds these texts, as soon as it is printed."""
        eventually(lambda: any(all(text in line for text in texts) for line in self.lines), f"{texts} in {self.lines}")
        return next(line for line in self.lines if all(text in line for text in texts))

    def stop(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(LIMIT)


@contextlib.contextmanager
def serving(*arguments: str) -> Iterator[Server]:
    server = Server(*arguments)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()


#: What opens a session: SYNC0, SYNC1, SYNC2, OPEN.
HANDSHAKE = b"".join(command().encode() for command in (Command.PULSE, Command.OPEN, Command.CLOSE, Command.OPEN))


class TestPty:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_a_signal_ends_the_simulator_cleanly(self, tmp_path: Path, number: int) -> None:
        path = tmp_path / "robot"
        with serving("--pty", str(path)) as server:
            assert path.is_symlink()
            assert server.stop(number) == 0
            assert not path.is_symlink()
            server.wait_for("stopped")

    def test_the_link_of_a_killed_simulator_is_replaced(self, tmp_path: Path) -> None:
        path, robot = tmp_path / "robot", build_simulator({})
        with serving("--pty", str(path)):
            pass  # kills it
        assert path.is_symlink()
        master, slave = os.openpty()
        terminal = os.ttyname(slave)
        path.unlink()
        path.symlink_to(terminal)
        connection = PtyConnection(str(path), robot, check_baud=False, log=print)
        assert str(path.readlink()) in connection.description
        assert path.readlink() != Path(terminal)
        connection.close()
        os.close(master)
        os.close(slave)

    def test_a_file_is_not_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "robot"
        path.write_text("mine")
        link = tmp_path / "link"
        link.symlink_to(path)
        for taken in (path, link):
            assert main(["sim", "--pty", str(taken)]) == 2
        assert path.read_text() == "mine" and link.is_symlink()

    def test_the_link_of_another_simulator_is_not_replaced(self, tmp_path: Path) -> None:
        path, robot = tmp_path / "robot", build_simulator({})
        first = PtyConnection(str(path), robot, check_baud=False, log=print)
        target = path.readlink()
        folder = tmp_path / "folder"
        folder.symlink_to(tmp_path)
        for same in (path, folder / "robot"):
            with pytest.raises(FileExistsError, match="another simulator or replay serves this path"):
                PtyConnection(str(same), robot, check_baud=False, log=print)
        assert path.readlink() == target
        first.close()
        assert not path.is_symlink()
        PtyConnection(str(path), robot, check_baud=False, log=print).close()

    def test_unplugged_and_plugged_in_again(self, tmp_path: Path) -> None:
        path = tmp_path / "robot"
        with serving("--pty", str(path), "--fault", "unplug=1.5:1") as server:
            descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
            server.wait_for("  unplugged")
            assert not path.is_symlink()
            with pytest.raises(OSError, match="error"):
                os.write(descriptor, b"x")
            os.close(descriptor)
            server.wait_for("plugged in, ")
            AmigoBot(str(path), timeout=LIMIT).close()


class TestTcp:
    @staticmethod
    def connect(server: Server) -> socket.socket:
        port = re.search(r":(\d+)$", server.wait_for("listening"))
        assert port is not None
        return socket.create_connection(("127.0.0.1", int(port[1])), LIMIT)

    def test_the_session_ends_with_its_one_client(self) -> None:
        with serving("--tcp", "127.0.0.1:0", "--robot", "amigo-sh", "--world", "office") as server:
            with self.connect(server) as connection:
                connection.sendall(HANDSHAKE)
                server.wait_for("session opened")
                with self.connect(server) as second:
                    assert second.recv(1) == b""
                assert connection.recv(1)
            server.wait_for("session closed: the connection ended")
            with self.connect(server) as connection:
                connection.sendall(HANDSHAKE)
                assert connection.recv(1)


def test_the_truth_is_written_as_json_lines(tmp_path: Path) -> None:
    path, log = str(tmp_path / "robot"), tmp_path / "truth.jsonl"
    started = time.time(), time.monotonic()
    with serving("--pty", path, "--truth", str(log)), AmigoBot(path, timeout=LIMIT) as robot:
        robot.drive(0.2, duration=1.0)
    lines = [json.loads(line) for line in log.read_text().splitlines()[:-1]]
    assert lines[0]["x"] == 2.75 and lines[-1]["x"] > 2.75
    assert set(lines[0]) >= {"t", "monotonic", "y", "heading", "left_velocity", "right_velocity"}
    assert started[0] - 1 < lines[0]["t"] < time.time()
    assert started[1] - 1 < lines[0]["monotonic"] < time.monotonic()
    steps = [b["monotonic"] - a["monotonic"] for a, b in pairwise(lines)]
    assert all(step > 0 for step in steps)


def test_each_robot_of_a_file_meets_the_others(tmp_path: Path) -> None:
    file, log = tmp_path / "robots.yaml", tmp_path / "truth"
    file.write_text(
        f"world: empty\nrobots:\n  alpha: {{pty: {tmp_path}/alpha, start: [0, 0, 0]}}\n"
        "  beta: {tcp: 0, start: [1, 0, 0], robot: amigo-sh}"
    )
    with serving("--robots", str(file), "--truth", str(log)) as server:
        address = server.wait_for("beta: ", "listening on tcp ").rpartition("tcp ")[2]
        with (
            AmigoBot(str(tmp_path / "alpha"), timeout=LIMIT) as alpha,
            AmigoBot(f"socket://{address}", timeout=LIMIT) as beta,
        ):
            assert (alpha.identity.name, beta.identity.subclass) == ("alpha", "amigo-sh")
            with pytest.raises(MotionFailedError) as caught:
                alpha.move(2.0)  # beta is in the way
    newest = {line["robot"]: line for line in map(json.loads, log.read_text().splitlines()[:-1])}
    room = 1 - load_profile("amigo").body.front - load_profile("amigo-sh").body.rear
    assert newest["alpha"]["x"] == pytest.approx(room, abs=0.03)
    assert caught.value.travelled == pytest.approx(room, abs=0.03)
    assert newest["beta"]["x"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--pty", "/no/such/folder/robot"], "No such file"),
        (["--tcp", "nowhere"], "--tcp is 'nowhere', expected HOST:PORT"),
        (["--tcp", "0", "--check-baud"], "--check-baud needs --pty"),
        (["--tcp", "0", "--truth", "/no/such/folder/t"], "No such file"),
        (["--tcp", "0", "--name", "two words"], "without blanks"),
    ],
)
def test_a_wrong_argument_of_sim_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["sim", *arguments]) == (1 if "--truth" in arguments else 2)  # a file, or the usage
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


class TestInProcess:
    def test_unplugged_it_is_found_again_under_its_url(self) -> None:
        # Of another name at each try, as a robot is kept under its URL.
        url = f"sim://?name=r{time.monotonic() * 1000:.0f}&faults=unplug=0.3:1000"
        port = SimulatedPort(url)
        robot = port.simulator
        end = time.monotonic() + LIMIT
        with pytest.raises(PortError, match="unplugged"):
            while time.monotonic() < end:
                port.read(1.0)
        with pytest.raises(PortError, match="unplugged"):
            SimulatedPort(url)
        with port.lock:
            robot.faults = replace(robot.faults, unplug=None)

        def again() -> bool:
            with contextlib.suppress(PortError):
                return SimulatedPort(url).simulator is robot
            return False

        eventually(again, "the same robot under the same URL")

    @pytest.mark.parametrize(
        ("url", "message"),
        [
            ("sim://r2d2", "robot 'r2d2' is not known"),
            ("sim://amigo?colour=red", "option 'colour' is not known, allowed: robot, as"),
            ("sim://amigo?seed", "bad query field"),
            ("sim://amigo?start=1,2,inf", "expected X,Y,DEGREES with X and Y in m, each from -1000 to 1000"),
            ("sim://amigo?world=mars", "world 'mars'"),
            ("sim://amigo?faults=gremlins=1", "gremlins"),
            ("sim://amigo?check_baud=yes", "0 or 1"),
            ("sim://amigo?charge=nan", "charge is nan, allowed: 0 (empty) to 1 (full)"),
            ("sim://amigo/office", "the form is"),
        ],
    )
    def test_a_bad_url_is_explained(self, url: str, message: str) -> None:
        with pytest.raises(PortError, match=re.escape(message)) as caught:
            SimulatedPort(url)
        assert str(caught.value).startswith(url)
