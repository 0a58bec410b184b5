# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot verify` from end to end: against a simulated robot, a changed one, and a person who stops it."""

from __future__ import annotations

import dataclasses
import json
import re
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from amigobot_driver.cli import main
from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, Config, FrameDecoder, decode, encode_frame, packets_of, parse
from amigobot_driver.sim import SessionState, Simulator, load_report
from amigobot_driver.sim.reported import reported_robots
from amigobot_tools.person import StoppedError
from amigobot_tools.verify import report, runs, terminal
from amigobot_tools.verify.measures.drives import straight
from amigobot_tools.verify.simulated_person import simulated
from amigobot_tools.verify.step_data import Figure, KnownRobot, Step, StepError
from amigobot_tools.verify.step_table import check, row_of, steps, steps_of
from amigobot_tools.verify.trial import DONE, Trial
from amigobot_tools.verify.verdict import AS_SIMULATED, DIFFERS, UNKNOWN, compare, nominal_parameter, simulate

pytestmark = pytest.mark.usefixtures("own_subcommands")

REPOSITORY = Path(__file__).parents[1]
#: Reports of robots; each folder that is dropped here becomes a test.
REPORTS = sorted(path.parent for path in (Path(__file__).parent / "reports").glob("*/report.json"))
PIONEERS = ("p2dx", "p3dx", "p3at-sh", "powerbot-sh", "seekurjr")
#: What shows a session that does not close, a port that resets, velocities at rest, a heading from a gyro.
REPORTED_STEPS = ("identity", "config", "open", "translation", "rotation")
STEP_RESULT = {"name": "rate", "title": "Rate", "status": "done", "reason": "", "seconds": 10.5}
ODD = """\
extends: amigo-sh
name: odd
physics: {motor_time: 0.18, brake_deceleration: 5.2, watchdog_ratio: 1.1}
flash: {TransAcc: 500}
"""


@pytest.fixture(scope="module")
def odd(own_subcommands: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a report of a robot that differs in five ways."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "odd.yaml").write_text(ODD)
    url = f"sim://?robot={folder / 'odd.yaml'}&wear=left_scale=1.05&seed=5"
    assert main(["verify", url, "--output", str(folder / "report")]) == 1
    return folder / "report"


def differing(path: Path) -> dict[str, object]:
    return {item.key: item.value for item in report.load(path).figures if item.verdict == DIFFERS}


def only(*steps: str) -> list[str]:
    return [word for step in steps for word in ("--only", step)]


def check_simulator_of(folder: Path) -> None:
    """A simulator with the values of a report shows the figures of the report, within their uncertainty."""
    made = report.load(folder / report.REPORT)
    learned = load_report(str(folder / report.REPORT))
    simulator = Simulator(learned.profile, seed=3, wear=learned.wear, sonar=learned.sonar)
    robot = simulate(simulator, load_profile(made.profile), made.done)
    numbers = [item for item in made.figures if isinstance(item.value, float) and row_of(item.key).parameter]
    judged = compare(numbers, robot.figures)
    assert judged
    assert [item.key for item in judged if item.verdict == DIFFERS] == []


def test_report_shows_each_change_of_the_robot_alone(odd: Path) -> None:
    made = report.load(odd / report.REPORT)
    assert [step.name for step in made.steps if step.status != DONE] == ["sounds"]
    assert made.done | {"sounds"} == {step.name for step in steps_of(load_profile("amigo-sh"))}
    assert sum(step.seconds for step in made.steps) < 600
    assert differing(odd / report.REPORT) == {
        "config.trans_acc": "500",
        "motor.time_constant": pytest.approx(0.175, rel=0.02),
        "motor.brake_deceleration": pytest.approx(5.2, rel=0.02),
        "watchdog.time": pytest.approx(2.2, rel=0.01),
        "wheel.left_scale": pytest.approx(1.05, rel=0.005),
    }
    parameters = {row_of(item.key).parameter for item in made.figures} - {""}
    assert len(parameters) >= 20
    assert all(nominal_parameter(load_profile("amigo-sh"), parameter) >= 0 for parameter in parameters)


def test_simulator_of_a_report_is_that_robot(odd: Path) -> None:
    learned = load_report(str(odd / report.REPORT))
    assert learned.profile.physics.motor_time == pytest.approx(0.18, rel=0.03)
    assert learned.profile.physics.watchdog_ratio == pytest.approx(1.1, rel=0.01)
    assert learned.profile.flash["TransAcc"] == 500
    assert learned.wear.left_scale == pytest.approx(1.05, rel=0.005)
    check_simulator_of(odd)


def test_page_and_recording_have_everything_of_the_run(odd: Path) -> None:
    page = (odd / report.PAGE).read_text(encoding="utf-8")
    assert re.search(r"\| silence until the brakes act \| 2\.2\d+ ± [\d.]+ s \| 2\.0\d+ ± [\d.]+ s \| differs \|", page)
    assert page.count("\n## ") == len(report.load(odd / report.REPORT).steps) and "Settles E-35." in page
    head, records, _ = read_recording(odd / runs.RECORDING)
    assert head.subclass == "amigo-sh"
    sent = [decode(record.data) for record in records if record.to_robot]
    names = {str(instruction) for instruction in sent if instruction is not None}
    assert {"VEL(300)", "E_STOP", "SETA(250)", "HEAD(330)"} <= names
    received = {type(parse(record.data)).__name__ for record in records if not record.to_robot}
    assert received >= {"Sip", "Config", "Encoders", "Gyro", "Io", "Aux"} and not received & {"Unknown", "Malformed"}


def test_comparison_is_repeated_without_the_robot(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--compare", str(odd / report.REPORT)]) == 1
    again = capsys.readouterr().out
    assert "trans_acc: 500, simulator: 300" in again and " 5 different" in again
    assert again.splitlines()[-1].endswith(report.load(odd / report.REPORT).summary)


def test_step_with_a_refused_request_is_skipped() -> None:
    client, person = simulated(Simulator(load_profile("amigo-sh")))
    person.do = lambda what, text, distance=0.0: distance < 1.0  # type: ignore[method-assign]
    trial = Trial(client, person, KnownRobot(client.connect(), load_profile("amigo-sh"), client.config()))
    (result,) = trial.run([steps()["wall"]])
    assert (result.status, result.reason) == ("skipped", "the owner could not help with it")


@pytest.mark.parametrize("folder", REPORTS, ids=lambda folder: folder.name)
def test_simulator_of_every_kept_report_shows_its_figures(folder: Path) -> None:
    check_simulator_of(folder)
    for recording in folder.glob("*.amigo"):
        head, records, _ = read_recording(recording)
        packets = [parse(record.data, packets_of(head.erratic)) for record in records if not record.to_robot]
        kinds = {type(packet).__name__ for packet in packets}
        assert kinds and "Malformed" not in kinds


def test_steps_can_be_chosen_skipped_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = ["--output", str(tmp_path)]
    assert main(["verify", "sim://amigo", *output, "--resume", *only("identity", "rate"), "--skip", "rate"]) == 0
    first = report.load(tmp_path / report.REPORT)
    assert {step.name: step.status for step in first.steps} == {"identity": "done", "rate": "skipped"}
    assert main(["verify", "sim://amigo", *output, *only("rate")]) == 2
    assert main(["verify", "sim://amigo-sh", *output, "--resume"]) == 2
    said = "".join(capsys.readouterr())
    assert said.count("left out by an option") == 1 and "go on with --resume" in said and "of another robot" in said
    assert main(["verify", "sim://amigo", *output, "--resume", *only("rate", "identity")]) == 0
    second = report.load(tmp_path / report.REPORT)
    assert second.done == {"identity", "rate"} and second.steps[0] == first.steps[0]
    assert {"identity.class", "telemetry.period"} <= {item.key for item in second.figures}
    assert (tmp_path / "packets-2.amigo").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "which robot? amigobot verify /dev/ttyUSB0"),
        (["sim://", "--only", "nonsense"], "step 'nonsense' is not known, allowed: identity,"),
        (["sim://amigo", "--robot", "erratic"], "no robot answers"),
        (["--compare", "/nowhere/report.json"], "/nowhere/report.json: cannot be read"),
    ],
)
def test_impossible_run_is_refused_with_a_reason(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", *arguments, "--output", str(tmp_path)]) != 0
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "x"}, "not a report of `amigobot verify`"),
        ({"version": 9}, "version is 9, allowed: 2"),
        ({"figures": 3}, "is damaged"),
        ({"config": "zz"}, "report.json: the report is damaged (config is 'zz', expected hexadecimal digits)"),
        ({"figures": [{"key": "config.name", "step": "config", "value": [1]}]}, "(config.name: value is [1])"),
        ({"steps": [{**STEP_RESULT, "status": "perhaps"}]}, "(rate: status is 'perhaps', expected done, skipped or"),
    ],
)
def test_damaged_report_is_refused(
    tmp_path: Path, change: dict[str, object], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads((REPORTS[0] / report.REPORT).read_text())
    path = tmp_path / "report.json"
    path.write_text(json.dumps({**content, **change}))
    assert main(["verify", "--compare", str(path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"send": [["x 3"]]}, "send: 'x' is not known, allowed: do, measure"),
        ({"send": [["VEL topp"]]}, "send: 'VEL topp': argument of VEL is b'topp', expected an integer from -32768"),
        ({"send": [["gyro"]]}, "send: 'gyro': missing a required argument: 'state'"),
        ({"measure": "x"}, "measure: 'x'"),
    ],
)
def test_mistake_in_the_table_is_refused(row: dict[str, Any], said: str) -> None:
    step = Step(name="odd", title="", tell="", figures={}, **row)
    with pytest.raises(ValueError, match=f"steps.yaml: odd: {said}"):
        check(step)


def test_every_erratum_has_a_step_or_a_reason() -> None:
    page = (REPOSITORY / "docs" / "protocol" / "errata.md").read_text(encoding="utf-8")
    errata = set(re.findall(r'<a id="e-\d+"></a>(E-\d+)', page))
    in_steps = {erratum for step in steps().values() for erratum in step.errata}
    reasons = yaml.safe_load((files("amigobot_tools.verify") / "steps.yaml").read_text(encoding="utf-8"))["no_step"]
    assert sorted([*in_steps, *reasons]) == sorted(errata)


@pytest.mark.parametrize(
    "step", [step for step in steps().values() if step.moves and not step.only_erratic], ids=lambda step: step.name
)
def test_key_stops_the_robot_in_every_moving_step(step: Step) -> None:
    simulator = Simulator(load_profile("amigo-sh"))
    client, person = simulated(simulator, lambda: abs(simulator.truth.left_velocity) > 0.03)
    sent: list[str] = []
    client.on_record = lambda record: sent.append(str(decode(record.data))) if record.to_robot else None
    trial = Trial(client, person, KnownRobot(client.connect(), load_profile("amigo-sh"), client.config()))
    with pytest.raises(StoppedError):
        list(trial.run([step]))
    client.end()
    assert sent[-7:-4] == ["STOP", "STOP", "ENABLE(0)"]
    simulator.advance(client.now() + 3.0)
    assert simulator.truth.left_velocity == simulator.truth.right_velocity == 0.0


def test_velocity_that_a_key_holds_back_is_not_sent() -> None:
    pressed: list[str] = []
    client, _ = simulated(Simulator(load_profile("amigo")), lambda: bool(pressed))
    client.connect()
    sent: list[str] = []
    client.on_record = lambda record: sent.append(str(decode(record.data)) if record.to_robot else "")
    client.send(Command.ENABLE(1))
    pressed.append("x")
    with pytest.raises(StoppedError):
        client.send(Command.VEL(200))
    client.halt()
    assert [command for command in sent if command] == ["ENABLE(1)", "STOP", "STOP", "ENABLE(0)"]


@pytest.mark.parametrize("robot", ["amigo", *(pytest.param(name, marks=pytest.mark.soak) for name in PIONEERS)])
def test_robots_of_the_family_are_as_simulated(robot: str, tmp_path: Path) -> None:
    skip = [] if robot == "seekurjr" else ["--skip", "wall", "--skip", "touch"]  # the latter take long
    assert main(["verify", f"sim://{robot}?seed=4", "--output", str(tmp_path), *skip]) == 0


#: Steps that a reported robot cannot do, and why its report says so.
IMPOSSIBLE = {"p2os69": "the motors stay off after ENABLE 1"}


@pytest.mark.parametrize("name", reported_robots())
def test_reported_robot_is_verified_to_the_end(name: str, tmp_path: Path) -> None:
    assert main(["verify", f"sim://?as={name}", "--output", str(tmp_path), *only(*REPORTED_STEPS)]) in (0, 1)
    made = report.load(tmp_path / report.REPORT)
    assert [step.name for step in made.steps] == list(REPORTED_STEPS)
    reasons = {step.reason for step in made.steps if step.status == "failed"}
    assert all(IMPOSSIBLE.get(name, "nothing") in reason for reason in reasons)


def test_erratic_is_tested_as_far_as_its_protocol_allows(tmp_path: Path) -> None:
    chosen = "packets", "frames_erratic", "settings", "sounds", "open", "directions", "rotation", "floor_sensors"
    (tmp_path / "counted.yaml").write_text("extends: erratic\nname: counted\nquirks: {checksum_over_count: true}\n")
    (tmp_path / "other.yaml").write_text(
        "extends: erratic\nname: other\nfloor: {first_bit: 4, floor_is_high: true}\nquirks: {checksum_over_count: true,"
        " heading_in_degrees: true, duty_per_mille: true, left_wheel_first: true, short_motor_packets: true}\n"
    )
    url = f"sim://?robot={tmp_path}/other.yaml"
    arguments = ["--robot", str(tmp_path / "counted.yaml"), "--output", str(tmp_path / "report")]
    assert main(["verify", url, *arguments, *only(*chosen, "reset")]) == 1
    made = report.load(tmp_path / "report" / report.REPORT)
    undone = {step.name: step.reason for step in made.steps if step.status != DONE}
    assert undone == {
        "sounds": "not possible on this robot, because it has no command PLAYLIST",
        "reset": "not possible on this robot, because it has no command RESET",
    }
    assert differing(tmp_path / "report" / report.REPORT) == {
        "packets.sip": "23",
        "pwm.unit": "per mille",
        "wheels.left": "no",
        "wheels.left_signs": "0, +",
        "scale.heading": pytest.approx(0.01745, rel=0.01),  # rad: a degree
        "floor.lifted": "01000000",
        "floor.floor": "01110000",
    }
    # The robot sends packets after CLOSE: the step `open` must not take its session for closed.
    assert {item.key: item.value for item in made.figures}["scale.turn"] == pytest.approx(1.0, rel=0.01)
    _, records, damaged = read_recording(tmp_path / "report" / runs.RECORDING)
    assert not damaged and records[-1].time > sum(step.seconds for step in made.steps)


@pytest.mark.soak
@pytest.mark.parametrize("robot", ["erratic", "erratic-degrees", "erratic-player"])
def test_every_variant_of_an_erratic_is_as_simulated(robot: str, tmp_path: Path) -> None:
    assert main(["verify", f"sim://{robot}?seed=4", "--robot", robot, "--output", str(tmp_path)]) == 0
    made = report.load(tmp_path / report.REPORT)
    assert {step.name for step in made.steps if step.status != DONE} == {"sounds", "loop_back", "battery", "reset"}


def test_stalled_wheel_fails_its_step_only(tmp_path: Path) -> None:
    url = "sim://amigo-sh?faults=jam=12:6:30"
    assert main(["verify", url, "--output", str(tmp_path), *only("rate", "full_power", "rotation")]) == 1
    status = {step.name: step for step in report.load(tmp_path / report.REPORT).steps}
    assert "both must turn freely" in status["rotation"].reason
    assert status["full_power"].status == "done"


def test_lost_port_ends_the_run_and_keeps_the_report(tmp_path: Path) -> None:
    url = "sim://amigo?faults=unplug=15:99"
    assert main(["verify", url, "--output", str(tmp_path), *only("rate", "translation", "rotation")]) == 1
    results = [(step.name, step.reason) for step in report.load(tmp_path / report.REPORT).steps]
    assert results == [("rate", ""), ("translation", "sim://: the port has disappeared")]


@pytest.mark.parametrize(
    ("value", "uncertainty", "expected", "said"),
    [
        (1.0, 0.001, 1.0, AS_SIMULATED),
        (1.02, 0.001, 1.0, AS_SIMULATED),
        (1.04, 0.001, 1.0, DIFFERS),
        (1.04, 0.02, 1.0, AS_SIMULATED),
        (1.04, 0.2, 1.0, UNKNOWN),
        (None, 0.0, 1.0, UNKNOWN),
        (1.0, 0.0, None, UNKNOWN),
        ("yes", 0.0, "yes", AS_SIMULATED),
        ("yes", 0.0, "no", DIFFERS),
    ],
)
def test_difference_counts_beyond_tolerance_and_chance(
    value: object, uncertainty: float, expected: object, said: str
) -> None:
    for key, verdict in ("scale.command", said), ("config.name", UNKNOWN):  # the latter is not compared
        figure = Figure(key, "", value, uncertainty)  # type: ignore[arg-type]
        assert compare([figure], {key: Figure(key, "", expected)})[0].verdict == verdict  # type: ignore[arg-type]


class BridgedRobot(Simulator):
    """Behind a network bridge, which does not show the speed of its serial line."""

    byte_time = None  # type: ignore[assignment]


def test_packets_behind_a_bridge_have_their_line_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = BridgedRobot(load_profile("amigo-sh"), baud=38400)
    monkeypatch.setattr(terminal, "simulator_of", lambda url: (robot, False))
    assert main(["verify", "sim://amigo-sh", "--output", str(tmp_path), *only("config", "rate", "brake")]) == 0
    assert differing(tmp_path / "report.json") == {}


class NonsenseRobot(Simulator):
    """As MobileSim: CONFIG has values that make no sense, and CLOSE ends the connection."""

    _VALUES = ("rev_count", "trans_kp", "trans_kv", "rot_kp", "rot_kv", "ticks_mm", "stall_val")

    def __init__(self) -> None:
        super().__init__(load_profile("amigo-sh"))
        self._frames, self._opened = FrameDecoder(), False

    @property
    def unplugged(self) -> bool:
        return self._opened and self.session is not SessionState.OPEN

    def transmit(self, now: float) -> bytes:
        """Return the packets, CONFIG with zeros."""
        packets = [parse(frame.data) for frame in self._frames.feed(super().transmit(now), 0.0)]
        self._opened = self.session is SessionState.OPEN
        changed = [
            dataclasses.replace(packet, **dict.fromkeys(self._VALUES, 0)) if isinstance(packet, Config) else packet
            for packet in packets
        ]
        return b"".join(encode_frame(packet.encode(), 253) for packet in changed)


def test_nonsense_settings_are_lines_of_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "simulator_of", lambda url: (NonsenseRobot(), False))
    steps = ("identity", "config", "translation", "rotation", "acceleration")
    assert main(["verify", "sim://amigo-sh", "--output", str(tmp_path), *only(*steps)]) == 1
    assert set(differing(tmp_path / "report.json")) == {f"config.{name}" for name in NonsenseRobot._VALUES}


def test_a_drive_that_is_too_short_measures_no_wheels() -> None:
    phase = SimpleNamespace(log=[SimpleNamespace(travel=0.0), SimpleNamespace(travel=0.02)])
    robot = SimpleNamespace(profile=load_profile("amigo"))
    data: Any = SimpleNamespace(answers={"FORWARD": 1.0, "LEFT": 0.0}, phase=lambda _: phase, robot=robot)
    with pytest.raises(StepError, match=r"rolled 0\.02 m; a measurement needs 0\.3 m or more"):
        list(straight(data))
