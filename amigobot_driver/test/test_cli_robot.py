# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Subcommands that ask a robot at a port, on the simulated robot in this process, without ROS."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tty
from pathlib import Path

import pytest
import yaml
from programs import environment

from amigobot_driver import AmigoBot, Event, Options, RecordingError, Report
from amigobot_driver.cli import main
from amigobot_driver.cli.aux_port import unescaped
from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.driver import Driver
from amigobot_driver.protocol import decode
from amigobot_driver.robot import Identified, Robot

AMIGO = "sim://amigo?world=empty&baud=115200"


def amigobot(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command line; exit status, standard output, standard error."""
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_find_says_who_answers_and_why_nothing_answers_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = amigobot(capsys, "find", AMIGO, "/dev/no_such_port", "--host", "127.0.0.1:1")
    robot, port, bridge = out.splitlines()
    assert status == 0
    assert robot.startswith(f"{AMIGO}: AmigoBot (AmigOS), class Pioneer/amigo, serial number 1234, 12.7 V, ")
    assert port.startswith("/dev/no_such_port: there is no such port; is the adapter plugged in?")
    assert bridge.startswith("127.0.0.1:1: Connection refused")
    assert err == ""


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("-m", "amigobot_driver.cli", "find", "{}", "--timeout", "600"), 130),
        (("-m", "amigobot_driver.cli", "io", "--port", "{}", "--timeout", "600"), 130),
        (("-c", "from amigobot_driver import AmigoBot; AmigoBot('{}', timeout=600)"), -signal.SIGINT),
    ],
    ids=["find", "io", "api"],
)
def test_ctrl_c_ends_the_search_for_a_robot(arguments: tuple[str, ...], status: int) -> None:
    robot, port = pty.openpty()
    tty.setraw(port)
    try:
        command = [sys.executable, *(argument.format(os.ttyname(port)) for argument in arguments)]
        with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE) as search:
            assert os.read(robot, 1)  # it asks for a robot
            search.send_signal(signal.SIGINT)
            assert search.wait(60) == status
    finally:
        os.close(robot)
        os.close(port)


def test_say_plays_tones_where_the_robot_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = amigobot(capsys, "say", "0.1:440", "0.1:0", "--port", "sim://p3dx?world=empty")
    assert status == 0 and out.startswith("sent SAY")
    status, _, err = amigobot(capsys, "say", "0.1:440", "--port", AMIGO)
    assert (status, err) == (1, "amigobot say: AmigoBot (AmigOS) has no SAY\n")


def test_io_shows_every_port_and_a_disobedient_output(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = amigobot(capsys, "io", "--port", AMIGO)
    assert status == 0
    assert out.splitlines()[0] == "digital inputs   00111111  (pin 7 to pin 0)"
    assert "analog 4         3.18 V" in out
    status, _, err = amigobot(capsys, "io", "0=on", "--port", AMIGO)
    assert status == 1
    assert "IO_0 did not follow, being configured as input" in err


def test_aux_sends_and_prints_what_the_device_answers(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(("aux", "1", "--send", r"V\x41\r\n", "--port", AMIGO)) == 0
    assert capsysbinary.readouterr().out == b"VA\r\n"


@pytest.mark.parametrize(
    ("text", "data"), [("", b""), ("plain", b"plain"), (r"a\r\n\t\\", b"a\r\n\t\\"), (r"\xfFé", b"\xff\xc3\xa9")]
)
def test_escapes_in_text_for_aux(text: str, data: bytes) -> None:
    assert unescaped(text) == data


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A second of a robot at rest."""
    file = tmp_path_factory.mktemp("recording") / "rest.amigo"
    assert main(("record", str(file), "--seconds", "1", "--port", AMIGO)) == 0
    return file


def test_a_recording_is_printed_as_lines_json_and_csv(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = amigobot(capsys, "dump", str(recording))
    assert status == 0
    assert re.search(r"^ +\d\.\d{3} > PULSE$", out, re.MULTILINE)
    assert re.search(r"^ +-?\d\.\d{3} < Sip\(id=50, x=0, y=0,", out, re.MULTILINE)
    status, out, _ = amigobot(capsys, "dump", str(recording), "--packet", "Sip", "--json")
    packets = [json.loads(line) for line in out.splitlines()]
    assert len(packets) > 3
    assert {packet["fields"]["battery"] for packet in packets} == {127}
    assert [packet["time"] for packet in packets] == sorted(packet["time"] for packet in packets)
    status, out, _ = amigobot(capsys, "dump", str(recording), "--packet", "Sip", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["battery"] for row in rows] == ["127"] * len(packets)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "this is not a recording"),
        (b"AMIGOREC{", "the head of this recording is damaged"),
        (b'AMIGOREC{"version": 99}\n', "version is 99, allowed: 1"),
    ],
)
def test_a_file_that_is_no_recording_is_one_line(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "other"
    file.write_bytes(content)
    status, out, err = amigobot(capsys, "dump", str(file))
    assert (status, out) == (2, "")
    assert err.startswith(f"amigobot dump: {file}: {message}") and len(err.splitlines()) == 1


def test_a_reader_that_leaves_ends_the_output_quietly(recording: Path) -> None:
    command = f"{sys.executable} -m amigobot_driver.cli dump {recording} | head -1"
    # More than a pipe holds must be left to write.
    data = recording.read_bytes()
    start = data.index(b"\n") + 1
    recording_of_hours = recording.with_name("long.amigo")
    recording_of_hours.write_bytes(data + data[start:] * 200)
    command = command.replace(str(recording), str(recording_of_hours))
    result = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment(), timeout=60)
    assert (len(result.stdout.splitlines()), result.stderr) == (1, "")


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """A recording of a robot that drives some centimeters, and how far it came by its own odometry (m)."""
    file = tmp_path_factory.mktemp("recording") / "drive.amigo"
    with AmigoBot(AMIGO) as robot, robot.record(file) as recording:
        robot.move(0.1)
        distance = robot.odometry.travelled
        assert recording.running
    assert (recording.running, recording.dropped, recording.gaps) == (False, 0, 0)
    assert len(read_recording(file)[1]) == recording.packets
    return file, distance


def test_a_recording_ends_with_the_robot_and_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "drive.amigo"
    file.write_bytes(b"old" * 100_000)
    robot = AmigoBot(AMIGO)
    recording = robot.record(file)
    robot.drive(0.1, duration=0.3)
    robot.close()
    recording.stop()
    _, records, _ = read_recording(file)
    names = [decode(record.data).command.name for record in records if record.to_robot]
    assert "VEL" in names and "ENABLE" in names  # the stop, and the motors off


def test_a_recording_error_says_what_can_be_replayed(tmp_path: Path) -> None:
    full = OSError(28, "No space left on device")
    assert str(RecordingError(full, "drive.amigo")) == "drive.amigo: cannot be written (No space left on device)"
    assert str(RecordingError(full, "drive.amigo", 5)).endswith("; 5 packets were written before and can be replayed")
    with AmigoBot(AMIGO) as robot, pytest.raises(RecordingError, match="No such file or directory") as caught:
        robot.record(tmp_path / "none" / "drive.amigo")
    assert (caught.value.packets, caught.value.filename) == (0, str(tmp_path / "none" / "drive.amigo"))


def test_a_recording_is_replayed_into_the_driver(drive: tuple[Path, float], capsys: pytest.CaptureFixture[str]) -> None:
    file, distance = drive
    status, out, _ = amigobot(capsys, "replay", str(file), "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert status == 0
    assert float(rows[-1]["x"]) == pytest.approx(distance, abs=0.002)
    assert {row["volts"] for row in rows} == {"12.7000"}
    status, out, _ = amigobot(capsys, "replay", str(file))
    assert f"at the end x {float(rows[-1]['x']):+.3f} m" in out


@pytest.mark.parametrize(
    "damage",
    [
        bytes(2000),
        struct.pack("<dBB", 1.0, 2, 1) + b"x",
        struct.pack("<dBB", 1.0, 0, 254) + bytes(254),
        *(struct.pack("<dBB", time, 0, 1) + b"2" for time in (math.inf, -math.inf, math.nan, 1e300)),
    ],
)
def test_a_damaged_recording_is_read_up_to_the_damage(
    drive: tuple[Path, float], tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: bytes
) -> None:
    file, whole = tmp_path / "damaged.amigo", drive[0].read_bytes()
    file.write_bytes(whole + damage + whole)
    _, records, _ = read_recording(drive[0])
    place = f"{file}: the recording is damaged at byte {len(whole)}"
    for subcommand in ("dump", "replay"):
        read = amigobot(capsys, subcommand, str(drive[0]))
        assert amigobot(capsys, subcommand, str(file)) == (
            1,
            read[1],
            f"amigobot: {place}: read up to there, {len(records)} packets\n",
        )


def test_config_without_a_node_saves_compares_and_restores(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    status, out, _ = amigobot(capsys, "config", "show", "--port", AMIGO)
    assert status == 0 and "trans_vel_max: " in out
    assert amigobot(capsys, "config", "save", "--port", AMIGO, str(file))[0] == 0
    values = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({"trans_acc": values["trans_acc"] + 100}))
    status, out, _ = amigobot(capsys, "config", "diff", str(file), "--port", AMIGO)
    assert status == 1 and f"+ trans_acc: {values['trans_acc'] + 100}" in out
    status, out, _ = amigobot(capsys, "config", "restore", str(file), "--port", AMIGO)
    assert (status, out) == (0, "equal to the file: 1 of 1 value\n")


def test_a_recording_is_a_robot_on_a_pty(drive: tuple[Path, float], tmp_path: Path) -> None:
    file, distance = drive
    port = tmp_path / "robot"
    command = [sys.executable, "-m", "amigobot_driver.cli", "replay", str(file), "--pty", str(port)]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as replay:
        assert replay.stdout is not None and "listening on" in replay.stdout.readline()
        events: list[Event] = []
        driver = Driver(Robot(Options(motors_on_connect=False)), str(port), events.append)
        driver.start()
        assert replay.wait(60) == 0
        assert not port.exists()
        driver.close()
        (identified,) = [event for event in events if isinstance(event, Identified)]
        assert identified.identity.subclass == "amigo"
        poses = [event.odometry.x for event in events if isinstance(event, Report)]
        assert poses[-1] - poses[0] == pytest.approx(distance, abs=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("record", "FILE", "--force", "--seconds", "-3"), "allowed: "),
        (("find", "--timeout", "nan"), "allowed: "),
        (("aux", "1", "--seconds", "inf"), "allowed: "),
        (("replay", "FILE", "--rate", "0"), "allowed: "),
        (("say", "x"), "the tone is 'x', expected SECONDS:HERTZ"),
        (("io", "9=on"), "with a pin from 0 to 7"),
        (("io", "1=maybe"), "the output is '1=maybe', expected PIN=on or PIN=off"),
        (("sounds", "play"), "play takes a sound"),
        (("sounds", "list", "horn"), "list takes no sound"),
        (("config", "show", "--port", AMIGO, "--namespace", "robot1"), "leave --port and --robot out"),
    ],
)
def test_wrong_arguments_are_one_line_with_the_remedy(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("good")
    with pytest.raises(SystemExit) as end:
        sys.exit(main([str(file) if argument == "FILE" else argument for argument in arguments]))
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1
    assert file.read_text() == "good"
