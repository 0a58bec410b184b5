# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot doctor`: what each check finds on simulated robots, ptys and servers, and that the robot does not move."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from fault_proxy import Fault, Stranger, VirtualPort, changing
from sim_client import Client

from amigobot_driver.cli import main
from amigobot_driver.cli.doctor_report import Anonymizer, pack
from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.doctor import Case, Cause, Finding, Severity, examine, parse_target, verdict
from amigobot_driver.doctor.changed_bytes import damage_of, split
from amigobot_driver.doctor.computer import NetworkSide, SerialSide
from amigobot_driver.doctor.graph import STATUS_TYPE, Endpoint, Graph, examine_graph
from amigobot_driver.doctor.packet_figures import PacketFigures, period_and_loss
from amigobot_driver.doctor.table import table
from amigobot_driver.errors import PortError
from amigobot_driver.protocol import (
    Checksum,
    Command,
    FrameDecoder,
    checksum,
    checksum_with_count,
    decode,
    encode_frame,
    packets_of,
    parse,
)
from amigobot_driver.sim import Simulator
from amigobot_driver.transport.simulated import simulator_of

#: s of listening that show more than eight readings of each of eight sonars at 50 ms.
LISTEN = 4.5


#: A serial port that does not exist. The doctor does not look for a file where the name is a pattern.
SERIAL = "/dev/robot*"
#: A serial bridge on a network.
NETWORK = "127.0.0.1:8101"
SILENT = Stranger(lambda data: b"")


def look(
    target: str,
    seconds: float = LISTEN,
    *,
    at: Simulator | Stranger | None = None,
    fault: Fault | None = None,
    now: float = 1000.0,
    **options: object,
) -> list[Finding]:
    """What the checks find at a target, where `at` is or the robot of a sim:// URL, on simulated time from `now` on."""
    if target.startswith("sim://"):
        with contextlib.suppress(PortError):
            at = simulator_of(target)[0]
    if at:
        port = VirtualPort(fault or Fault(network=target != SERIAL), at, now)
        options |= {"opener": port.open, "clock": port.clock}
    case = Case(target=parse_target(target), seconds=seconds, **options)  # type: ignore[arg-type]
    return list(examine(case))


def causes(findings: list[Finding]) -> list[str]:
    """Keys of the causes."""
    return [cause.key for _, cause in verdict(findings)]


def texts(findings: list[Finding], check: str) -> str:
    return " ".join(" ".join((finding.text, *finding.details)) for finding in findings if finding.check == check)


# -- robots that are well ---------------------------------------------------------------------------------------------


def test_foreign_simulators_zeros_and_equal_ranges_are_fine(tmp_path: Path) -> None:
    robot = tmp_path / "mobilesim.yaml"
    robot.write_text("extends: p3dx-sh\nname: mobilesim\nflash: {Serial: SIM, RotKp: 0, StallVal: 0}\n")
    findings = look(f"sim://?robot={robot}&sonar=noise=0")
    assert causes(findings) == []
    assert "no watchdog stops it" in texts(findings, "configuration")


@pytest.mark.parametrize("interrupted", [False, True])
def test_the_doctor_sends_no_velocity_and_no_enable(interrupted: bool) -> None:
    def on_progress(text: str) -> None:
        if interrupted and text == "listening, 1 s left":
            raise KeyboardInterrupt

    robot, decoder, sent = simulator_of("sim://amigo-sh?world=room&seed=3")[0], FrameDecoder(), []
    tap = changing(lambda data: sent.extend(decoder.feed(data, 0.0)) or data)  # type: ignore[func-returns-value]
    start = robot.truth.pose
    with contextlib.suppress(KeyboardInterrupt):
        look(SERIAL, at=robot, fault=Fault(up=tap), on_progress=on_progress)
    assert robot.truth.pose == start
    commands = [decode(frame.data) for frame in sent]
    names = {command.name for command in commands if command}
    assert "CONFIG" in names
    assert not any(command.value for command in commands if command.name in ("VEL", "RVEL", "VEL2", "ENABLE"))
    assert not names & {"MOVE", "HEAD", "DHEAD", "DCHEAD", "ROTATE", "SETO", "SAVE", "RESET", "E_STOP"}
    accelerations = [command.value for command in commands if command.name == "SETA"]
    assert len(accelerations) > 2, "the doctor sets them"
    assert accelerations[-2:] == [300, -300], "they are those of its FLASH again"


def test_a_robot_that_another_program_left_driving_is_stopped() -> None:
    client = Client(where="empty").open()
    client.send(Command.VEL(200))
    client.run(1.0)
    assert client.speed > 0.1
    findings = look(SERIAL, 2.0, at=client.sim, now=client.now)
    assert "a session was open" in texts(findings, "line")
    assert client.sim.truth.left_velocity == client.sim.truth.right_velocity == 0.0


# -- the line ---------------------------------------------------------------------------------------------------------


OTHERS = {
    "loop": (lambda data: data, "loop-back"),
    "modem": (lambda data: b"\r\nPartner not found!\r\n" if data else b"", "modem-text"),
    "text and echo": (lambda data: data + b"\r\nERROR\r\n" if data else b"", "wrong-socket"),
    "Bluetooth module": (lambda data: b"ERROR:(0)\r\n" if data else b"", "wrong-socket"),
    "GPS receiver": (lambda data: b"$GPRMC,120000.00,A,5200.0,N\r\n", "wrong-socket"),
    "noise": (lambda data: b"\x81\x00\xf3\x9c" * len(data), "wrong-speed"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_robot_is_told_apart(name: str) -> None:
    answer, key = OTHERS[name]
    assert causes(look(SERIAL, at=Stranger(answer)))[0] == key


# -- faults that need no second process -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["dead", "stuck", "mute"])
def test_a_faulty_sonar_is_named(kind: str) -> None:
    findings = look(f"sim://amigo?faults={kind}_sonars=2")
    key = {"dead": "sonar-deaf", "stuck": "sonar-stuck", "mute": "sonar-silent"}[kind]
    assert causes(findings) == [key]
    ((finding, cause),) = verdict(findings)
    assert finding.values["sonars"] == [2]
    assert "15 deg left" in cause.text
    assert 'sonar_sequence:="0 1 3 4 5 6 7"' in cause.command


def test_bumpers_and_the_stop_button_are_named() -> None:
    findings = look("sim://p3dx?faults=pressed_bumpers=0,7;stop_button=1", 2.0)
    assert causes(findings) == ["stop-button", "bumper-pressed"]
    assert "front bumper 0, rear bumper 2" in texts(findings, "bumpers")


def test_a_profile_of_another_robot_is_a_warning() -> None:
    findings = look("sim://amigo", 2.0, profile="p3dx")
    assert causes(findings)[0] == "wrong-profile"
    assert causes(look("sim://amigo", 2.0, profile="amigo")) == []


@pytest.fixture
def counted(tmp_path: Path) -> str:
    """The profile of a robot whose checksum includes the count."""
    file = tmp_path / "own.yaml"
    file.write_text("extends: erratic\nname: own\nquirks: {checksum_over_count: true}\n")
    return str(file)


def test_a_checksum_over_the_count_names_its_profile(counted: str) -> None:
    ((_, cause),) = verdict(look(f"sim://?robot={counted}", 2.0))
    assert cause.key == "unknown-checksum"
    assert "checksum_over_count: true" in cause.command
    assert causes(look(f"sim://?robot={counted}", 2.0, profile=counted)) == []


def test_a_report_has_the_packets_of_each_checksum(counted: str, tmp_path: Path) -> None:
    case = Case(target=parse_target(f"sim://?robot={counted}"), profile=counted, seconds=2.0)
    findings = list(examine(case))
    assert "a robot answers at 38400 baud" in texts(findings, "line")
    pack(tmp_path / "report.zip", case, {}, "")
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        _, records, _ = read_recording(Path(archive.extract("packets.amigo", tmp_path)))
    assert {record.to_robot for record in records} == {True, False}
    packets = [parse(record.data, packets_of(True)) for record in records if not record.to_robot]
    assert {type(packet).__name__ for packet in packets} >= {"ErraticConfig", "Motor"}


def test_a_bridge_with_telnet_or_a_password_is_named() -> None:
    ((_, cause),) = verdict(look(NETWORK, at=Stranger(lambda data: b"\r\nPassword: ")))
    assert cause.action.startswith("Log in, or switch")
    assert "telnet" in causes(look(NETWORK, at=Stranger(lambda data: b"\xff\xfb\x01")))


def test_a_robot_slow_to_stop_is_an_error(tmp_path: Path) -> None:
    robot = tmp_path / "mine.yaml"
    robot.write_text("extends: amigo\nname: mine\nflash: {TransDecel: 10}\n")
    findings = look(f"sim://?robot={robot}", 2.0)
    assert causes(findings) == ["slow-stop"]
    assert "a stop from 300 mm/s takes 30 s" in str(findings).lower()


@pytest.mark.parametrize(("load", "expected"), [(0.0, ["bad-link"]), (1e3, ["bad-link", "overload"])])
def test_a_bad_link_is_told_with_its_figures(load: float, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, load, load))
    findings = look("sim://amigo?faults=corrupt=0.003&seed=2", 6.0)
    assert causes(findings) == expected
    assert re.search(r"\d\.\d % damaged", texts(findings, "link"))
    assert causes(look("sim://amigo?faults=corrupt=0.02&seed=2", 6.0)) == expected  # a value may be wrong by chance


@pytest.mark.parametrize(
    ("stamps", "lost"),
    [
        ([0.1 * n for n in range(50)], 0.0),
        ([0.1 * n for n in range(50) if n % 5], 0.18),
        ([0.5 * (n // 5) + 0.05 * (n % 5) for n in range(50)], 0.0),
        ([0.3 * n for n in range(50)], 0.0),
        ([0.1 * n for n in range(50) if n * n % 7 in (0, 2)], 0.57),
    ],
    ids=["regular", "every fifth is missing", "in bursts", "at another rate", "most are missing"],
)
def test_packets_that_are_late_are_not_lost(stamps: list[float], lost: float) -> None:
    _, share = period_and_loss(stamps, 0.1)
    assert share == pytest.approx(lost, abs=0.03)


def test_a_robot_at_an_unusual_line_speed_is_found(pty: str) -> None:
    findings = look(SERIAL, 2.0, at=simulator_of("sim://amigo?baud=38400")[0])
    assert causes(findings) == []
    assert "-p baud:=38400" in texts(findings, "line speed")
    found = look(pty, 2.0, at=simulator_of("sim://amigo?baud=38400&seed=3")[0], fault=Fault())
    assert (causes(found), texts(found, "line speed")) == ([], "")  # a pseudo-terminal has every speed
    findings = look(SERIAL, 2.0, at=simulator_of("sim://amigo?baud=38400&seed=2")[0], baud=57600)
    assert causes(findings) == ["wrong-speed"]


def test_silence_names_what_no_byte_distinguishes() -> None:
    assert causes(look(SERIAL, at=SILENT)) == ["robot-off", "battery-low", "wrong-socket", "wrong-cable"]
    assert {"robot-off", "battery-low", "other-client", "wrong-speed"} <= set(causes(look(NETWORK, at=SILENT)))


def test_a_bridge_that_serves_another_client_hangs_up() -> None:
    hangs_up = Fault(network=True, hangs_up=lambda sent: True)
    assert causes(look(NETWORK, at=SILENT, fault=hangs_up)) == ["other-client"]


def test_a_modem_is_called() -> None:
    assert causes(look(SERIAL, 2.0, at=simulator_of("sim://amigo?faults=modem=1")[0])) == []


@pytest.mark.parametrize(
    ("target", "key", "command"),
    [
        ("/dev/no_such_port", "no-port", ""),
        ("/dev/null", "no-port", ""),
        ("/dev", "no-port", ""),
        ("192.168.1.999", "host-name", "getent hosts"),
        ("127.0.0.1:1", "wrong-socket", ""),
        ("sim://nonsense", "no-port", "amigobot doctor sim://"),
    ],
)
def test_a_wrong_target_is_explained(target: str, key: str, command: str) -> None:
    ((_, cause),) = verdict(look(target))
    assert cause.key == key
    assert cause.command.startswith(command or "amigobot doctor")


def test_a_slow_latency_timer_is_told_with_its_command(tmp_path: Path) -> None:
    device = tmp_path / "class" / "tty" / Path(SERIAL).name / "device"
    device.mkdir(parents=True)
    (device / "latency_timer").write_text("16\n")
    findings = look(SERIAL, at=SILENT, sysfs=tmp_path)
    assert "latency-timer" in causes(findings)
    assert "latency timer 16 ms" in texts(findings, "port")


# -- other programs ---------------------------------------------------------------------------------------------------


@pytest.fixture
def pty() -> Iterator[str]:
    """A serial port of this computer."""
    ends = os.openpty()
    yield os.ttyname(ends[1])
    for end in ends:
        os.close(end)


@pytest.mark.parametrize(
    ("mode", "member", "command"),
    [(0o600, False, "sudo chmod a+rw "), (0o660, True, "newgrp "), (0o660, False, "sudo usermod -aG ")],
)
def test_a_missing_permission_is_told_with_its_command(
    pty: str, mode: int, member: bool, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chmod(pty, mode)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(SerialSide, "is_member", member)
    ((_, cause),) = verdict(look(pty))
    assert cause.key == "no-permission"
    assert cause.command.startswith(command)


@pytest.mark.parametrize(
    ("program", "state", "command"),
    [("cat", "S", "kill 47"), ("vi", "T", "kill 47 && kill -CONT 47"), ("brltty", "S", "sudo systemctl stop brltty")],
)
def test_another_program_at_the_port_is_named(pty: str, program: str, state: str, command: str, tmp_path: Path) -> None:
    process = tmp_path / "47"
    (process / "fd").mkdir(parents=True)
    (process / "fd" / "3").symlink_to(pty)
    (process / "stat").write_text(f"47 ({program}) {state} 1")
    ((finding, cause),) = verdict(look(pty, proc=tmp_path))
    assert program in finding.text
    assert (cause.key, cause.command) == ("port-busy", command)


# -- ROS --------------------------------------------------------------------------------------------------------------

TWIST, STAMPED = "geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped"
DRIVER = "/amigobot"
STATUS = {"/status": (Endpoint(DRIVER, STATUS_TYPE),)}


def graph_causes(graph: Graph) -> list[str]:
    return causes(list(examine_graph(graph)))


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (Graph(), []),
        (Graph(nodes=(DRIVER,), publishers=STATUS), []),
        (Graph({"ROS_DOMAIN_ID": "150"}), ["ros-domain"]),
        (Graph({"ROS_DOMAIN_ID": "abc"}), ["ros-domain"]),
        (Graph(problem="no library"), ["ros-unusable"]),
        (Graph({"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"}), ["ros-discovery"]),
        (Graph({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}), []),
        (Graph(nodes=(DRIVER, DRIVER), publishers=STATUS), ["ros-names"]),
        (
            Graph(nodes=(DRIVER,), publishers={**STATUS, "/cmd_vel": (Endpoint("/a", TWIST), Endpoint("/b", TWIST))}),
            ["ros-cmd-vel"],
        ),
        (
            Graph(nodes=(DRIVER,), publishers={**STATUS, "/odom": (Endpoint(DRIVER, "o"), Endpoint("/ekf", "o"))}),
            ["ros-odom"],
        ),
        (
            Graph(
                nodes=(DRIVER,),
                publishers={**STATUS, "/cmd_vel": (Endpoint("/teleop", STAMPED),)},
                subscribers={"/cmd_vel": (Endpoint(DRIVER, TWIST),)},
            ),
            ["ros-types"],
        ),
        (Graph(nodes=(DRIVER,), publishers=STATUS, ages={"/odom": 3.0}), ["ros-clock"]),
        (Graph(nodes=(DRIVER,), publishers=STATUS, ages={"/odom": 0.1}), []),
    ],
)
def test_what_is_wrong_with_the_nodes(graph: Graph, expected: list[str]) -> None:
    assert graph_causes(graph) == expected


def test_a_real_graph_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rclpy")
    from amigobot_driver.cli.graph_reader import read_graph

    graph = read_graph()
    assert all(not node.endswith("amigobot_doctor") for node in graph.nodes)
    assert "ROS settings" in {finding.check for finding in examine_graph(graph)}
    monkeypatch.setenv("ROS_DOMAIN_ID", "300")
    assert main(["stop"]) == 2


# -- what the command prints ------------------------------------------------------------------------------------------


def test_a_healthy_robot_is_exit_status_0(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("lost", "paused", "jitter", "irregularity"):  # a busy computer delays packets
        monkeypatch.setattr(PacketFigures, name, 0.0)
    assert main(["doctor", "sim://amigo", "--seconds", "2", "--no-ros"]) == 0
    lines = capsys.readouterr().out.splitlines()
    text = " ".join(lines[lines.index("") :])
    assert "All is well at rest. Not examined: driving, encoder packets and the battery under load" in text
    assert max(map(len, lines)) <= 80


def test_a_problem_is_exit_status_1_with_its_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["doctor", "192.168.1.999", "--no-ros"]) == 1
    out = capsys.readouterr().out
    assert "  ERROR  host name       192.168.1.999 has no address" in out
    assert "\n       getent hosts 192.168.1.999\n" in out


def test_json_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "sim://amigo?charge=0.04", "--seconds", "2", "--no-ros", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["healthy"] is False
    assert result["verdict"][0]["key"] == "battery-low"
    battery = next(finding for finding in result["findings"] if finding["check"] == "battery")
    assert (battery["severity"], battery["text"][:3]) == ("warning", "10.")


@pytest.mark.parametrize("options", [["--robot", "none"], ["bridge:abc"]])
def test_wrong_usage_is_exit_status_2(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", *options]) == 2
    assert capsys.readouterr().err.startswith("amigobot doctor: ")


def test_a_report_has_everything_and_no_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.zip"
    url = "sim://amigo?name=Bertha"
    assert main(["doctor", url, "--seconds", "2", "--no-ros", "--report", str(file)]) == 0
    out = capsys.readouterr().out
    assert "Bertha opened a session" in out
    assert f"{file} has all of it" in " ".join(out.split())
    with zipfile.ZipFile(file) as archive:
        assert sorted(archive.namelist()) == ["doctor.json", "doctor.txt", "packets.amigo"]
        content = b"".join(archive.read(name) for name in archive.namelist())
        archive.extract("packets.amigo", tmp_path)
        assert json.loads(archive.read("doctor.json"))["environment"]["python"]
    assert b"Bertha" not in content
    assert main(["dump", str(tmp_path / "packets.amigo"), "--packet", "Config"]) == 0
    assert "Config" in capsys.readouterr().out


def test_names_and_addresses_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "workbench")
    monkeypatch.setenv("HOME", "/home/ada")
    names = Anonymizer(parse_target("bridge.example.org:8101"), "Bertha", "98765")
    text = "Bertha (98765) at bridge.example.org, 192.168.1.11, fe80::1ff:fe23:4567:890a on workbench in /home/ada/x"
    assert names.text(text) == "ROBOT (SERIAL) at HOST, ADDRESS, ADDRESS on COMPUTER in HOME/x"


def test_conditions_neither_choose_nor_loop() -> None:
    texts = [f"{row.when}, {row.each or 0}" for part in table().values() for row in part.rows]
    parts = [one for text in texts for one in ast.walk(ast.parse(text))]
    assert not [one for one in parts if isinstance(one, (ast.IfExp, ast.comprehension, ast.Lambda, ast.JoinedStr))]
    calls = {ast.unparse(one.func) for one in parts if isinstance(one, ast.Call)}
    assert calls <= {"len", "abs", "int", "median", "differ", "increase", "other_publishers"}


def test_causes_are_ranked_from_line_to_delays() -> None:
    keys = {"link": "late-packets", "computer": "overload", "battery": "low", "rest": "moves", "line": "echo"}
    severities = {"rest": Severity.ERROR}
    found = [Finding(part, severities.get(part, Severity.WARNING), "", (Cause(keys[part], ""),)) for part in keys]
    assert causes(found) == ["echo", "moves", "low", "late-packets", "overload"]


@pytest.mark.parametrize("check", [checksum, checksum_with_count])
def test_lost_bytes_and_wrong_bits_are_told_apart(check: Checksum) -> None:
    frames = [encode_frame(bytes((0x32, number)) + bytes(10), check=check) for number in range(60)]
    headless = b"".join(frame[number % 2 :] for number, frame in enumerate(frames))
    assert damage_of(split(headless, check)).startswith("bytes are missing in 29 of 29")
    flipped = b"".join(
        frame[:6] + bytes((frame[6] ^ number % 2 << 3,)) + frame[7:] for number, frame in enumerate(frames)
    )
    assert damage_of(split(flipped, check)).startswith("a single bit is wrong in 29 of 29")


def test_the_usual_tcp_port_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NetworkSide, "_accepts", accepts := Mock(return_value=True))
    port = NetworkSide(Case(target=parse_target("bridge.example:4001")))
    assert [port.usual_port_open, port.usual_port_open] == [True, True]
    assert port.target.at_usual_port == "bridge.example:8101"
    accepts.assert_called_once_with(8101)
