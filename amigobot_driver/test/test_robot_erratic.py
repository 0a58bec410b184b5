# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The Erratic behind the same `Robot`, in its own dialect (docs/protocol 3.8, 4.2, 5.11-5.15)."""

from __future__ import annotations

import dataclasses
import itertools
import math
from pathlib import Path

import pytest
from bench import Bench, losing

from amigobot_driver.profiles import Quirks, load_profile
from amigobot_driver.protocol import ERRATIC_COMMANDS, Command, ErraticCommand, ErraticConfig, Instruction, decode
from amigobot_driver.robot import (
    EncoderReading,
    FloorReading,
    Identified,
    LinkChanged,
    Notice,
    Options,
    RequestRefusedError,
)
from amigobot_driver.robot.dialects import Dialect, dialects
from amigobot_driver.sim import Faults, Simulator, load_world

FAMILY, ERRATIC = dialects()


def erratic(
    options: Options | None = None, *, profile: str = "erratic", robot: str = "erratic", quirk: str = ""
) -> Bench:
    """A bench with a simulated Erratic at its own line speed. The driver has the profile, the simulator the robot."""
    own = load_profile(robot)
    if quirk:
        own = dataclasses.replace(own, quirks=Quirks(**{quirk: True}))
    made = lambda: Simulator(own, load_world("empty"), baud=38400)  # noqa: E731
    return Bench(options or Options(profile=profile), simulator=made)


def own_profile(folder: Path, quirk: str) -> str:
    """A profile file that differs from the Erratic's in one thing; "" for nothing."""
    file = folder / "mine.yaml"
    quirks = f"{{{quirk}: true}}" if quirk else "{}"
    file.write_text(f"extends: erratic\nname: mine\nquirks: {quirks}\n", encoding="utf-8")
    return str(file)


@pytest.fixture
def bench() -> Bench:
    return erratic().connect()


def own_commands(bench: Bench, since: float = 0.0) -> list[str]:
    """What was sent, as an Erratic reads it."""
    instructions = (decode(data, ERRATIC_COMMANDS) for time, data in bench.up.log if time >= since)
    return [str(instruction) for instruction in instructions if instruction]


class TestConnect:
    def test_an_erratic_is_stopped_identified_and_opened(self, bench: Bench) -> None:
        assert own_commands(bench)[:3] == ["STOP", "CONFIG", "OPEN"]
        (identified,) = bench.emitted(Identified)
        assert identified.known
        assert identified.identity.robot_class == "Erratic"
        assert bench.robot.profile.name == "erratic"

    def test_an_erratic_is_recognized_by_its_packets(self) -> None:
        bench = erratic(Options()).connect()
        assert bench.robot.profile.name == "erratic"
        assert "reports Erratic" in bench.emitted(Identified)[0].reason

    def test_an_unknown_line_speed_of_an_erratic_is_found(self) -> None:
        bench = Bench(
            Options(),
            simulator=lambda: Simulator(load_profile("erratic"), load_world("empty"), baud=38400),
            check_baud=True,
        )
        assert bench.open_session(30) < 20

    def test_a_robot_without_a_config_answer_is_an_erratic(self) -> None:
        bench = erratic()
        bench.down.fault = losing(0x20)
        bench.connect()
        assert bench.robot.profile.name == "erratic"
        assert bench.robot.running

    def test_an_erratic_is_stopped_and_closed_at_the_end(self, bench: Bench) -> None:
        bench.run(2.0, cmd_vel=(0.3, 0.0))
        end = bench.now
        bench.request(bench.robot.link.close)
        bench.write()
        bench.run(2.0)
        assert own_commands(bench, end) == ["STOP", "ENABLE(0)", "SONAR(0)", "CLOSE"]
        assert bench.simulator.truth.left_velocity == 0.0

    def test_a_robot_not_asked_for_is_not_driven(self) -> None:
        bench = erratic(Options(profile="amigo"))
        bench.plug_in()
        bench.run(5.0)
        assert not bench.robot.running
        assert "profile erratic, another robot than requested" in bench.robot.note
        assert not bench.up.log
        notes = [change.note for change in bench.emitted(LinkChanged)]
        assert [note for note in notes if "no robot answers" in note] == []
        assert len(set(notes)) == 2, "looking, and what was found"


class TestDriving:
    @pytest.mark.parametrize("profile", ["erratic-player", "erratic-player-h"])
    def test_odometry_is_true_in_units_of_the_robot(self, profile: str) -> None:
        """docs/protocol E-44."""
        made = Simulator(load_profile(profile), load_world("empty"), baud=38400)
        bench = Bench(Options(profile=profile), simulator=lambda: made).connect()
        bench.run(6.0, cmd_vel=(0.4, 0.0))
        assert bench.robot.estimator.odometer.state.linear == pytest.approx(0.4, abs=0.02)
        bench.run(2.0)
        assert bench.robot.estimator.odometer.state.x == pytest.approx(bench.simulator.truth.pose.x, rel=0.01)
        assert bench.simulator.truth.pose.x > 1.5

    def test_positions_go_on_where_15_bits_end(self, bench: Bench) -> None:
        """24 bits of millimetres reach 8 km; the family's 15 reach 33 m."""
        bench.run(50.0, cmd_vel=(0.8, 0.0))
        bench.run(3.0)
        assert bench.robot.estimator.odometer.state.x > 33.0
        assert bench.robot.estimator.odometer.state.x == pytest.approx(bench.simulator.truth.pose.x, abs=0.02)
        assert bench.robot.estimator.odometer.jumps == 0

    def test_no_more_than_20_commands_a_second(self, bench: Bench) -> None:
        """Erratic manual E.5."""
        since = bench.now
        bench.run(5.0, cmd_vel=(0.3, 0.2), rate=50.0)
        times = [time for time, _ in bench.up.log if time >= since]
        assert min(after - before for before, after in itertools.pairwise(times)) > 0.049
        assert len(times) > 80

    def test_an_emergency_stop_is_a_plain_stop(self, bench: Bench) -> None:
        bench.run(2.0, cmd_vel=(0.5, 0.0))
        start = bench.now
        bench.request(bench.robot.motion.emergency_stop)
        bench.run(3.0)
        assert own_commands(bench, start)[0] == "STOP"
        assert bench.simulator.truth.left_velocity == pytest.approx(0, abs=1e-3)
        with pytest.raises(RequestRefusedError, match="latched"):
            bench.drive(0.1, 0.0)

    @pytest.mark.parametrize("quirk", ["", "left_wheel_first", "heading_in_degrees"])
    def test_wheels_turn_as_they_are_told_whichever_comes_first(self, tmp_path: Path, quirk: str) -> None:
        bench = erratic(profile=own_profile(tmp_path, quirk), quirk=quirk).connect()
        for _ in range(20):
            bench.request(lambda: bench.robot.motion.drive_wheels(0.2, 0.3, bench.now))
            bench.run(0.1)
        truth = bench.simulator.truth
        assert (truth.left_velocity, truth.right_velocity) == pytest.approx((0.2, 0.3), abs=0.02)
        assert bench.robot.estimator.odometer.state.yaw == pytest.approx(truth.pose.heading, abs=0.05)

    def test_a_checksum_over_the_count_is_sent_by_profile(self, tmp_path: Path) -> None:
        quirk = "checksum_over_count"
        bench = erratic(profile=own_profile(tmp_path, quirk), quirk=quirk)
        bench.open_session(5)
        assert bench.robot.link.decoder.stats.checksum_errors == 0


def test_both_layouts_of_the_motor_packet_are_read() -> None:
    bench = erratic(quirk="short_motor_packets").connect()
    bench.run(3.0, cmd_vel=(0.4, 0.2))
    bench.run(1.0)
    assert bench.robot.estimator.odometer.state.x == pytest.approx(bench.simulator.truth.pose.x, abs=0.02)


class TestSettings:
    def test_the_motors_are_said_to_be_told_not_confirmed(self, bench: Bench) -> None:
        request = bench.result(lambda: bench.robot.enable_motors(False, bench.now))
        assert request.success
        assert "do not report" in request.message
        assert own_commands(bench).count("ENABLE(0)") == 3

    def test_the_sonars_are_confirmed_by_their_packets(self, bench: Bench) -> None:
        request = bench.result(lambda: bench.robot.sonar.set(False, bench.now))
        assert request.message == "sonar off, confirmed by the robot"
        start = bench.now
        bench.run(1.0)
        assert not any(report.pings for report in bench.reports if report.stamp > start)

    @pytest.mark.parametrize(
        ("name", "value", "word"),
        [
            ("trans_vel_max", 800, "SETV(800)"),
            ("rot_vel_max", 150, "SETRV(150)"),
            ("trans_acc", 350, "SETA(350)"),
            ("trans_decel", 250, "SETA(-250)"),
            ("rot_acc", 300, "SETRA(300)"),
            ("rot_decel", 200, "SETRA(-200)"),
            ("trans_kp", 41, "TRANS_P(41)"),
            ("trans_kv", 81, "TRANS_D(81)"),
            ("trans_ki", 3, "TRANS_I(3)"),
            ("rot_kp", 31, "ROT_P(31)"),
            ("rot_kv", 61, "ROT_D(61)"),
            ("rot_ki", 2, "ROT_I(2)"),
        ],
    )
    def test_tuning_values_are_set_and_read_back(self, bench: Bench, name: str, value: int, word: str) -> None:
        request = bench.result(lambda: bench.robot.tuning.set({name: value}, bench.now))
        assert request.success, request.message
        assert bench.robot.tuning.config is not None
        assert bench.robot.tuning.config.value(name) == value
        assert word in own_commands(bench)

    def test_a_value_an_erratic_lacks_is_refused_unsent(self, bench: Bench) -> None:
        request = bench.result(lambda: bench.robot.tuning.set({"rev_count": 1}, bench.now))
        assert not request.success
        with pytest.raises(RequestRefusedError, match="Videre Erratic has no POLLING"):
            bench.robot.sequence.set((1, 2), bench.now)
        assert bench.robot.queue.stats.withheld == 0

    @pytest.mark.parametrize("name", ["name", "serial", "type", "subtype"])
    def test_raw_commands_change_the_identity_of_an_erratic(self, bench: Bench, name: str) -> None:
        bench.request(lambda: bench.robot.send_raw(ErraticCommand[name.upper()].number, [], b"Rover"))
        bench.run(1.0)
        bench.result(lambda: bench.robot.tuning.set({}, bench.now))
        assert bench.robot.tuning.config is not None
        identity = dict(bench.robot.tuning.config.values())
        assert [key for key, value in identity.items() if value == "Rover"] == [name]

    def test_nothing_is_saved_while_it_drives(self, bench: Bench) -> None:
        bench.run(1.0, cmd_vel=(0.3, 0.0))
        with pytest.raises(RequestRefusedError, match="at rest"):
            bench.robot.erratic.save()

    def test_pwm_is_sent_again_in_the_next_session(self, bench: Bench) -> None:
        assert (
            "compare pwm_max with pwm_wrap"
            in bench.request(lambda: bench.robot.erratic.set_pwm(8000, 0.7, bench.now)).message
        )
        bench.run(2.0)
        assert own_commands(bench).count("PWM_FREQ(8000)") == own_commands(bench).count("PWM_DUTY(70)") == 3
        again = bench.now
        bench.unplug()
        bench.connect()
        bench.run(1.0)
        assert own_commands(bench, again).count("PWM_DUTY(70)") == 3

    @pytest.mark.parametrize("quirk", ["", "duty_per_mille"])
    def test_the_duty_is_as_requested_in_either_unit(self, tmp_path: Path, quirk: str) -> None:
        """docs/protocol E-46; CONFIG shows which one it is."""
        bench = erratic(profile=own_profile(tmp_path, quirk), quirk=quirk).connect()
        bench.request(lambda: bench.robot.erratic.set_pwm(8000, 0.6, bench.now))
        bench.run(2.0)
        bench.result(lambda: bench.robot.tuning.set({}, bench.now))
        config = bench.robot.tuning.config
        assert isinstance(config, ErraticConfig)
        assert config.pwm_max / config.pwm_wrap == pytest.approx(0.6)


def test_a_driven_robot_without_motor_power_is_noticed(bench: Bench) -> None:
    """It cuts the motors' power, and no packet tells of it (Erratic manual 2.4)."""
    bench.run(2.0, cmd_vel=(0.3, 0.0))
    bench.simulator.press_motors_button()
    bench.run(4.0, cmd_vel=(0.3, 0.0))
    assert bench.simulator.truth.left_velocity == 0.0
    [notice] = [notice.text for notice in bench.emitted(Notice) if "has not moved for 2 s" in notice.text]
    assert "standstill" in bench.live_causes
    assert "switch them on" in notice
    assert bench.robot.standstill.problem
    bench.result(lambda: bench.robot.enable_motors(True, bench.now))
    assert bench.simulator.truth.left_velocity == 0.0, "no old velocity comes to life with the motors"
    bench.run(2.0, cmd_vel=(0.3, 0.0))
    assert bench.simulator.truth.left_velocity == pytest.approx(0.3, abs=0.02)
    assert not bench.robot.standstill.problem


class TestInputs:
    @pytest.mark.parametrize("profile", ["erratic", "erratic-player"])
    def test_a_floor_that_ends_is_told_by_its_side(self, profile: str) -> None:
        bench = erratic(profile=profile, robot=profile).connect()
        bench.run(1.0)
        assert bench.emitted(FloorReading)[-1].floors == (True, True)
        bench.simulator.faults = Faults(no_floor=frozenset({0}))
        bench.run(1.0)
        assert bench.emitted(FloorReading)[-1].floors == (False, True)

    def test_encoder_ticks_lead_the_odometry_where_that_is_wanted(self) -> None:
        bench = erratic(Options(profile="erratic", encoder_odometry=True)).connect()
        bench.run(5.0, cmd_vel=(0.5, 0.2))
        bench.run(1.0)
        readings = bench.emitted(EncoderReading)
        assert 0 < readings[-1].left - readings[0].left < readings[-1].right - readings[0].right < 1 << 24
        assert bench.robot.estimator.odometer.state.x == pytest.approx(bench.simulator.truth.pose.x, abs=0.02)


@pytest.mark.parametrize(("joint", "number"), [("servo_joint", 0), ("tilt_joint", 1), ("pan_joint", 2)])
def test_servo_joints_turn_by_name(bench: Bench, joint: str, number: int) -> None:
    """Servo 0 is a tilt unit of its own, 1 and 2 are a pan-tilt unit (Erratic manual 5.8)."""
    bench.request(lambda: bench.robot.servos.turn(joint, math.radians(30), bench.now))
    bench.run(2.0)
    command = ErraticCommand.SERVO(bytes((number,)) + (1650 + 195).to_bytes(2, "little"))
    assert own_commands(bench).count(str(command)) == 3


class TestNumbers:
    """The same number means other things to other robots: docs/protocol 4.2."""

    @pytest.mark.parametrize("dialect", [FAMILY, ERRATIC], ids=["family", "erratic"])
    def test_no_command_reaches_a_robot_that_misunderstands_it(self, dialect: Dialect) -> None:
        translated = set()
        for command in (*Command, *ErraticCommand):
            value = {"NONE": None, "TEXT": b"\0"}.get(command.arg.name, command.limits[0] if command.limits else 0)
            sent = dialect.command(Instruction(command, value))
            if sent is None:
                continue
            understood = decode(sent.encode()[3:-2], dialect.commands)
            assert understood is not None
            assert understood.command is sent.command
            translated |= {(command.name, sent.name)} if sent.command is not command else set()
        assert translated == (_TRANSLATED if dialect is ERRATIC else set())

    def test_a_withheld_command_is_counted_and_logged(self, bench: Bench) -> None:
        bench.request(lambda: bench.robot.queue.put(Command.SOUND(90)))
        bench.run(0.5)
        assert bench.robot.queue.stats.withheld == 1
        assert any("SOUND(90) is not sent" in notice.text for notice in bench.emitted(Notice))

    @pytest.mark.parametrize("number", [8, 11, 12, 13, 21, 22, 32, 1, 2, 4, 72])
    def test_raw_commands_that_do_harm_are_refused(self, bench: Bench, number: int) -> None:
        with pytest.raises(RequestRefusedError):
            bench.robot.send_raw(number, [1], b"")

    def test_raw_numbers_are_read_in_its_own_table(self, bench: Bench) -> None:
        bench.request(lambda: bench.robot.send_raw(82, [5], b""))
        bench.run(0.5)
        assert "TRANS_I(5)" in own_commands(bench)


_TERMS = "TRANS_P", "TRANS_D", "TRANS_I", "ROT_P", "ROT_D", "ROT_I"
_FAMILY_TERMS = "TRANSKP", "TRANSKV", "TRANSKI", "ROTKP", "ROTKV", "ROTKI"
_TRANSLATED = {("E_STOP", "STOP"), ("IOREQUEST", "ANALOG"), *zip(_FAMILY_TERMS, _TERMS, strict=True)}
