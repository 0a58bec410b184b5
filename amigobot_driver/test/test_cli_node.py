# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Subcommands through a running node: the same answers as from a port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not set up")

from api_bench import eventually
from ros_bench import Bench, Robot, free_domain

from amigobot_driver.cli import main
from amigobot_driver.sim import LoopBack


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """A node in a namespace, with a robot that has a plug on AUX1."""
    robot = Robot(aux={1: LoopBack()}, flash={"SInfoCycle": 1, "Serial": "0042"})  # it lists its sounds twice as fast
    with Bench(robot, namespace="anna") as bench:
        bench.wait_until(lambda: any("connected to" in line for line in bench.nodes[0].log))
        yield bench


@pytest.fixture
def amigobot(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Iterator[object]:
    """Run a subcommand; exit status, standard output, standard error."""
    monkeypatch.setenv("ROS_DOMAIN_ID", str(bench.domain))

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main([*arguments, "--namespace", "anna", "--timeout", "30"])
        captured = capfdbinary.readouterr()
        return status, captured.out.decode(), captured.err.decode()

    yield run


def test_sounds_are_listed_and_played(amigobot) -> None:  # type: ignore[no-untyped-def]
    status, out, _ = amigobot("sounds", "list")
    assert status == 0 and out.startswith("~greetings:\n  51  hello\n  52  good morning\n")
    status, out, _ = amigobot("sounds", "play", "51")
    assert (status, out.startswith("sent SOUND 51 (hello)")) == (0, True)


def test_aux_talks_to_the_device(amigobot) -> None:  # type: ignore[no-untyped-def]
    assert amigobot("aux", "1", "--send", r"V\x41\r\n") == (0, "VA\r\n", "")


def test_io_shows_the_ports(amigobot) -> None:  # type: ignore[no-untyped-def]
    status, out, _ = amigobot("io")
    assert status == 0
    assert out.startswith("digital inputs   00111111  (pin 7 to pin 0)\n")
    status, _, err = amigobot("io", "0=on")
    assert status == 1 and "IO_0 did not follow" in err


def test_config_is_shown_and_edited(amigobot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    status, out, _ = amigobot("config", "show", "--json")
    values = json.loads(out)["values"]
    assert status == 0 and (values["rev_count"], values["serial"]) == (23310, "0042"), "a text of digits stays one"
    monkeypatch.setenv("EDITOR", "sed -i s/^trans_acc:.*/trans_acc:\\ 210/")
    monkeypatch.delenv("VISUAL", raising=False)
    assert amigobot("config", "edit") == (0, "equal to the file: 1 of 1 value\n", "")
    _, out, _ = amigobot("config", "show")
    assert "trans_acc: 210" in out


def test_without_a_node_subcommands_say_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    domain, lock = free_domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    with lock:
        for subcommand, *arguments in (("sounds", "list"), ("say", "0.1:440"), ("aux", "1", "--send", "x"), ("io",)):
            assert main([subcommand, *arguments, "--ros", "--timeout", "0.3"]) == 1
            (line,) = capsys.readouterr().err.splitlines()
            assert line.startswith(f"amigobot {subcommand}: ") and "is amigobot_node running" in line


def test_ctrl_c_ends_a_waiting_subcommand_without_writable_home() -> None:
    domain, lock = free_domain()
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain), "HOME": "/proc", "PYTHONUNBUFFERED": "1"}
    code = (
        "import sys; from amigobot_driver.cli import main; "
        "from amigobot_driver.cli.temporary_node import TemporaryNode as Node; "
        "spin = Node.spin; Node.spin = lambda *args: (print('waiting'), spin(*args)); "
        "sys.exit(main(['io', '--ros', '--timeout', '300']))"
    )
    with (
        lock,
        subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as program,
    ):
        assert program.stdout and program.stderr
        assert program.stdout.readline() == "waiting\n", program.stderr.read()
        time.sleep(0.5)  # it is in the wait of the executor then
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == 130
        assert program.stderr.read() == ""


def test_stop_latches_the_emergency_stop_of_every_driver(amigobot, capfdbinary) -> None:  # type: ignore[no-untyped-def]
    eventually(lambda: main(["stop", "--timeout", "2"]) == 0, "a stop")  # the fixture would add the namespace
    assert b"/anna/: " in capfdbinary.readouterr().out
    assert amigobot("stop", "--clear") == (0, "/anna/: velocities are accepted again\n", "")
    assert amigobot("stop", "--clear") == (0, "/anna/: no emergency stop was latched\n", "")


def test_stop_says_that_it_found_no_driver(amigobot, capfdbinary) -> None:  # type: ignore[no-untyped-def]
    assert main(["stop", "--namespace", "berta", "--timeout", "1"]) == 1
    assert b"no driver discovered in the namespace 'berta' within 1 s" in capfdbinary.readouterr().err
