# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a Pioneer has beside an AmigoBot, on simulated time: bumpers, compass, gripper, joystick, charger, reset."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path

import pytest
from bench import Bench, losing
from component_bench import ComponentBench, sip

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Arg, Command, Sip, encode_frame
from amigobot_driver.protocol import Compass as CompassPacket
from amigobot_driver.protocol import Gripper as GripperPacket
from amigobot_driver.protocol import Joystick as JoystickPacket
from amigobot_driver.robot import (
    BumperReading,
    CompassReading,
    GripperReading,
    JoystickReading,
    Options,
    Outcome,
    Report,
    RequestRefusedError,
)
from amigobot_driver.robot.devices.compass import CompassReader
from amigobot_driver.robot.devices.gripper import GripperControl
from amigobot_driver.robot.events import Lift, Paddles
from amigobot_driver.robot.sensing.inputs import InputReader
from amigobot_driver.robot.sensing.odometry import Odometer
from amigobot_driver.sim import Faults, Segment, Simulator, World, WorldPose

P2OS, AROS, ARCOS = "p2at", "p3dx", "p3dx-sh"


def pioneer(
    robot: str = ARCOS,
    *,
    flash: Mapping[str, int] | None = None,
    walls: tuple[Segment, ...] = (),
    start: WorldPose = WorldPose(0.0, 0.0),  # noqa: B008  # it is frozen
    **options: object,
) -> Bench:
    """A robot in a session, with this in its FLASH."""
    profile = load_profile(robot)
    profile = replace(profile, flash={**profile.flash, **(flash or {})})
    world = World("test", segments=walls, start=start)
    bench = Bench(Options(**options), simulator=lambda: Simulator(profile, world))  # type: ignore[arg-type]
    bench.connect()
    return bench


def ordered(bench: Bench, order: str, duration: float = 0.0) -> Outcome:
    return bench.result(lambda: bench.robot.gripper.order(order, duration, bench.now))


class TestBumpers:
    @pytest.mark.parametrize(
        ("left", "right", "front", "rear"),
        [
            (0b000000, 0b000010, "10000", "00000"),
            (0b000000, 0b100001, "00001", "00000"),
            (0b000010, 0b000000, "00000", "10000"),
            (0b101001, 0b001101, "01100", "00101"),
        ],
    )
    def test_front_is_in_the_right_wheels_byte(self, left: int, right: int, front: str, rear: str) -> None:
        bench = ComponentBench(ARCOS)
        InputReader(bench.context)
        (felt,) = bench.receive(sip(left_stall_bumpers=left, right_stall_bumpers=right), 1.0)
        assert isinstance(felt, BumperReading)
        assert ["".join("01"[pressed] for pressed in ring) for ring in (felt.front, felt.rear)] == [front, rear]

    @pytest.mark.parametrize(
        ("stall", "value", "stalls"), [("none", 0, False), ("front", 1, True), ("rear", 2, False), ("both", 3, True)]
    )
    def test_a_touch_stalls_the_wheels_with_bumper_stall(self, stall: str, value: int, stalls: bool) -> None:
        bench = pioneer(walls=(Segment(0.5, -2.0, 0.5, 2.0),), bumper_stall=stall)
        assert bench.commands().count(f"BUMPSTALL({value})") == 3
        bench.run(2, cmd_vel=(0.2, 0.0))
        assert any(report.left_stalled and report.right_stalled for report in bench.reports) is stalls


@pytest.mark.parametrize("robot", ["p2at", "p3at", "p3at-sh"])
def test_the_stop_button_keeps_the_motors_off(robot: str) -> None:
    bench = pioneer(robot)
    bench.run(2, cmd_vel=(0.2, 0.0))
    bench.simulator.faults = Faults(stop_button=True)
    bench.run(2, cmd_vel=(0.2, 0.0))
    assert bench.reports[-1].stop_button and not bench.reports[-1].motors_enabled
    assert not bench.result(lambda: bench.robot.enable_motors(True, bench.now)).success
    start = bench.simulator.truth.pose.x
    bench.simulator.faults = Faults()
    bench.run(5, cmd_vel=(0.2, 0.0))
    assert bench.simulator.truth.pose.x == start, "released, it does not drive on by itself"
    assert bench.result(lambda: bench.robot.enable_motors(True, bench.now)).success
    bench.run(2, cmd_vel=(0.2, 0.0))
    assert bench.simulator.truth.pose.x > start + 0.2


class TestCompass:
    #: The simulator's north is its y axis.
    @pytest.mark.parametrize(("heading", "north"), [(90.0, 0.0), (0.0, 90.0), (-90.0, 180.0), (135.0, 315.0)])
    @pytest.mark.parametrize("mode", ["sip", "packets"])
    def test_a_compass_heading_is_clockwise_from_north(self, mode: str, heading: float, north: float) -> None:
        bench = pioneer(start=WorldPose(0.0, 0.0, math.radians(heading)), compass=mode)
        read = bench.emitted(CompassReading)[-1]
        assert 0.0 <= read.heading < math.tau
        assert abs(math.remainder(read.heading - math.radians(north), math.tau)) <= read.resolution / 2 + 1e-9
        assert math.isnan(read.pitch) == math.isnan(read.celsius) == (mode == "sip")

    def test_compass_packets_have_si_units(self) -> None:
        packet = CompassPacket(
            heading=1234,
            pitch=-15,
            roll=20,
            mag_x=2500,
            mag_y=-300,
            mag_z=4100,
            temperature=253,
            error=0,
            calibration_h=9,
            calibration_v=8,
            calibration_m=4500,
        )
        bench = ComponentBench()
        CompassReader(bench.context)
        (read,) = bench.receive(packet, 3.0)
        assert isinstance(read, CompassReading)
        assert math.degrees(read.heading) == pytest.approx(123.4)
        assert (math.degrees(read.pitch), math.degrees(read.roll)) == pytest.approx((-1.5, 2.0))
        assert read.field == pytest.approx((25e-6, -3e-6, 41e-6))
        assert (read.celsius, read.error, read.stamp) == (pytest.approx(25.3), 0, 3.0)

    def test_a_missing_compass_is_given_up_with_a_notice(self) -> None:
        bench = Bench(Options(compass="sip"), robot=ARCOS)
        bench.up.fault = losing(Command.TCM2)
        bench.connect()
        bench.run(20)
        assert bench.commands().count("TCM2(1)") == CompassReader.retries.limit
        assert [notice for notice in bench.notices if "does the robot have a compass?" in notice]

    def test_compass_modes_change_into_each_other(self) -> None:
        bench = pioneer(compass="packets")

        def switch(mode: str) -> str:
            bench.request(lambda: bench.robot.configure(Options(compass=mode), bench.now))
            bench.run(3)
            since = bench.now
            bench.run(1)
            assert len(bench.emitted(CompassReading, since)) == pytest.approx(0 if mode == "off" else 10, abs=1)
            return [command for command in bench.commands() if command.startswith("TCM2")][-1]

        commands = [switch(mode) for mode in ("sip", "packets", "off", "sip", "off")]
        assert commands == ["TCM2(1)", "TCM2(3)", "TCM2(0)", "TCM2(1)", "TCM2(0)"]


class TestGripper:
    def test_gripper_orders_are_followed(self) -> None:
        bench = pioneer(flash={"Gripper": 1})
        seen = bench.emitted(GripperReading)[-1]
        assert (seen.paddles, seen.lift, seen.kind) == (Paddles.CLOSED, Lift.AT_END, 2)
        done = ordered(bench, "open")
        assert (done.success, done.message) == (True, "open: paddles moving, lift at end")
        bench.run(3)
        assert bench.emitted(GripperReading)[-1].paddles is Paddles.OPEN
        assert ordered(bench, "up").message == "up: paddles open, lift moving"
        assert ordered(bench, "halt").message == "halt: paddles open, lift between"
        bench.up.fault = losing(Command.GRIPPER)
        assert ordered(bench, "close").message.endswith("4 times in 2 s; the robot reports paddles open, lift between")

    def test_the_sip_of_p2os_reports_the_gripper(self) -> None:
        bench = pioneer(P2OS, flash={"Gripper": 1})
        assert not [command for command in bench.commands() if command.startswith("GRIPREQUEST")]
        # CONFIGpac of P2OS has the gripper, its packets have the byte and the inputs
        assert ordered(bench, "deploy").success
        bench.run(3)
        seen = bench.emitted(GripperReading)[-1]
        assert (seen.paddles, seen.lift, seen.kind) == (Paddles.OPEN, Lift.DOWN, 1)
        assert not (seen.left_contact or seen.right_contact)

    def test_a_press_is_sent_once_with_its_time(self) -> None:
        bench = pioneer(P2OS, flash={"Gripper": 1})
        since = bench.now
        assert ordered(bench, "press", 0.5).success
        assert ordered(bench, "carry", -1.0).success
        bench.run(2)
        sent = [command for command in bench.commands(since) if command.startswith("GRIP")]
        assert sent == ["GRIPPER(16)", "GRIPPERVAL(25)", "GRIPPER(17)", f"GRIPPERVAL({0x10000 - 50})"]

    @pytest.mark.parametrize(
        ("order", "duration", "complaint"),
        [
            ("grab", 0.0, "order is 'grab', allowed: open, close"),
            ("open", 1.0, "allowed for open: 0 s only"),
            ("press", 0.0, "allowed for press: 0 to 5.1 s, but not 0"),
            ("press", -1.0, "allowed for press: 0 to 5.1 s"),
            ("press", math.nan, "duration is nan s"),
            ("carry", 6.0, "allowed for carry: -5.1 to 5.1 s"),
        ],
    )
    def test_what_makes_no_sense_is_refused(self, order: str, duration: float, complaint: str) -> None:
        bench = pioneer(P2OS, flash={"Gripper": 1})
        since = bench.now
        with pytest.raises(RequestRefusedError, match=complaint):
            ordered(bench, order, duration)
        assert not [command for command in bench.commands(since) if command.startswith("GRIP")]

    @pytest.mark.parametrize(
        ("switches", "paddles", "lift", "others"),
        [
            (0b00110000, Paddles.OPEN, Lift.AT_END, set()),
            (0b00110011, Paddles.BETWEEN, Lift.BETWEEN, set()),
            (0b00000001, Paddles.CLOSED, Lift.AT_END, {"left_contact", "right_contact"}),
            (0b10100101, Paddles.BETWEEN, Lift.AT_END, {"outer_beam", "left_contact", "paddles_moving"}),
            (0b01011011, Paddles.BETWEEN, Lift.BETWEEN, {"inner_beam", "right_contact", "lift_moving"}),
        ],
    )
    def test_gripper_switches_have_their_meanings(
        self, switches: int, paddles: Paddles, lift: Lift, others: set[str]
    ) -> None:
        bench = ComponentBench(ARCOS)
        GripperControl(bench.context)
        config = pioneer(flash={"Gripper": 1}).robot.tuning.config
        assert config
        bench.receive(config, 0.0)
        bench.receive(sip(port_low=0, port_high=1, battery_x10=120), 0.0)
        (seen,) = bench.receive(GripperPacket(type=2, switches=switches, grasp_time=10), 0.1)
        assert isinstance(seen, GripperReading)
        assert (seen.paddles, seen.lift) == (paddles, lift)
        assert {field.name for field in fields(seen) if getattr(seen, field.name) is True} == others
        assert seen.grasp_time == pytest.approx(0.2)


class TestJoystick:
    def test_a_joystick_has_axes_and_buttons(self) -> None:
        bench = ComponentBench(ARCOS)
        InputReader(bench.context)
        (read,) = bench.receive(JoystickPacket(button1=0, button2=1, x=1023, y=256, throttle=0), 1.0)
        assert isinstance(read, JoystickReading)
        assert read.axes == pytest.approx((1.0, -0.5, -1.0), abs=0.002)
        assert read.buttons == (False, True)

    def test_joystick_packets_are_requested(self) -> None:
        assert pioneer(joystick_stream=True).emitted(JoystickReading)


class TestArcosTail:
    def test_turn_rate_charge_and_faults(self) -> None:
        bench = pioneer()
        bench.run(3, cmd_vel=(0.0, 0.5))
        report = bench.reports[-1]
        truth = bench.simulator.truth
        turning = (truth.right_velocity - truth.left_velocity) / bench.robot.profile.body.track
        assert report.turn_rate == pytest.approx(turning, abs=0.01)
        assert report.odometry.angular == pytest.approx(report.turn_rate, abs=0.03)
        assert report.charge and 0.5 < report.charge <= 1.0
        assert (report.charge_state, report.celsius, report.faults) == ("not charging", None, ())

    @pytest.mark.parametrize("rate", [0.2, 1.0])
    def test_the_twist_is_the_rate_of_the_heading(self, rate: float) -> None:
        """ROTVEL of a recorded P3-AT is 5 to 6 % more than the rate of its heading, which a gyro corrects."""
        odometer, step = Odometer(load_profile("p3at-sh")), math.tau / 4096
        stated, wheel = round(math.degrees(1.055 * rate) * 10), round(1055 * rate * 0.3)
        states = [
            odometer.update(
                sip(
                    heading=math.floor(0.1 * cycle * rate / step),
                    left_velocity=-wheel,
                    right_velocity=wheel,
                    rotation_velocity=stated,
                ),
                0.1 * cycle,
            )
            for cycle in range(50)
        ]
        errors = [state.angular - rate for state in states[2:]]
        assert sum(errors) / len(errors) == pytest.approx(0.0, abs=0.001)
        assert max(map(abs, errors)) <= step / 0.1


def test_a_robot_on_its_dock_does_not_dock_again() -> None:
    bench = pioneer(flash={"Charger": 1})
    bench.simulator.battery.docked = True
    assert bench.result(lambda: bench.robot.charger.deploy(True, bench.now)).success
    assert bench.reports[-1].charging
    bench.unplug()
    bench.run(3)
    since = bench.now
    bench.connect()
    assert not [command for command in bench.commands(since) if command.startswith("CHARGE")]


def test_a_moving_robot_is_stopped_before_a_reset() -> None:
    bench = pioneer()
    bench.run(2, cmd_vel=(0.3, 0.0))
    since, bench.up.fault = bench.now, losing(Command.RESET)
    done = bench.result(lambda: bench.robot.reset(bench.now))
    assert not done.success and "sent RESET 3 times" in done.message
    bench.run(5)
    words = bench.commands(since)
    assert words.count("RESET") == 3 and words.index("STOP") < words.index("RESET")


class TestSonarArrays:
    def fired(self, bench: Bench) -> set[int]:
        since = bench.now
        bench.run(2)
        return {ping.number for report in bench.reports if report.stamp > since for ping in report.pings}

    def test_a_sequence_over_both_arrays(self) -> None:
        bench = pioneer()
        done = bench.result(lambda: bench.robot.sequence.set((2, 9, 15, 3), bench.now))
        assert done.success
        assert self.fired(bench) == {2, 3, 9, 15}

    def test_an_array_outside_the_sequence_stays_silent(self) -> None:
        bench = pioneer()
        assert bench.result(lambda: bench.robot.sequence.set((1, 2), bench.now)).success
        assert self.fired(bench) == {1, 2}
        assert bench.result(lambda: bench.robot.sonar.set(False, bench.now)).success
        assert self.fired(bench) == set()
        assert bench.result(lambda: bench.robot.sonar.set(True, bench.now)).success
        bench.run(2)
        assert self.fired(bench) == {1, 2}

    def test_each_array_takes_sixteen(self) -> None:
        bench = pioneer()
        assert bench.result(lambda: bench.robot.sequence.set((*range(16), *range(16)), bench.now)).success
        with pytest.raises(ValueError, match="17 entries for one array of 8, allowed: up to 16"):
            bench.robot.sequence.set((0,) * 17, bench.now)

    @pytest.mark.parametrize(("tuning", "cycle"), [({}, 0.04), ({"sonar_cycle": 20}, 0.02)], ids=["own", "sonar_cycle"])
    def test_both_arrays_fire_at_once_at_their_own_times(self, tuning: dict[str, int], cycle: float) -> None:
        bench = pioneer(tuning=tuning)
        bench.run(2)
        report = bench.reports[-1]
        for ring in (range(8), range(8, 16)):
            stamps = [ping.stamp for ping in report.pings if ping.number in ring]
            assert len(stamps) == pytest.approx(0.1 / cycle, abs=1)
            assert stamps[-1] == pytest.approx(report.stamp)
            steps = [after - before for before, after in itertools.pairwise(stamps)]
            assert steps == pytest.approx([cycle] * len(steps))


#: Commands without a service of their own.
RAW = """E_STALL QSTOP LCDWRITE BATTERYINFO STEP BUMPSTALL AUX1BAUD AUX2BAUD AUX3BAUD BATTEST BATTEMPTEST TEMPTEST RESET
    ARM_INFO ARM_STATUS ARM_INIT ARM_CHECK ARM_POWER ARM_HOME ARM_PARK ARM_POS ARM_SPEED ARM_STOP ARM_AUTOPARK
    ARM_GRIPPARK"""


@pytest.mark.parametrize("name", RAW.split())
def test_what_has_no_service_is_sent_raw(name: str) -> None:
    command, bench = Command[name], pioneer()
    since = bench.now
    value = {Arg.NONE: None, Arg.TEXT: b"hello"}.get(command.arg, 1)
    arguments, text = ([value] if value == 1 else []), (value if command.arg is Arg.TEXT else b"")
    assert bench.request(lambda: bench.robot.send_raw(command.number, arguments, text)).success
    bench.run(1.0)
    assert [instruction for _, instruction in bench.sent(since)].count(command(value)) == 1


def test_a_servo_is_a_joint_of_its_profile(tmp_path: Path) -> None:
    """Servo 2 of P2OS in its 10 us: 1.5 ms in the middle, 0.1 ms to 9 degrees."""
    profile = tmp_path / "with_servo.yaml"
    profile.write_text(
        "extends: p2at\nname: with_servo\n"
        "servos:\n  joints: [left_joint, pan_joint]\n  neutral: 150\n  counts_per_degree: 1.111\n"
        "  lowest: 50\n  highest: 250\n"
    )
    bench = Bench(Options(profile=str(profile)), robot=str(profile)).connect()
    bench.request(lambda: bench.robot.servos.turn("pan_joint", math.radians(45), bench.now))
    bench.run(2)
    assert bench.commands().count(f"PTUPOS({2 << 8 | 200})") == 3


def test_not_charging_is_unknown_until_the_robot_has_charged() -> None:
    bench = Bench(robot="amigo-sh").connect()
    bench.run(1.0)
    assert (bench.reports[-1].charging, bench.reports[-1].charge_state) == (None, "not charging")
    sip = next(packet for _, packet in bench.packets() if isinstance(packet, Sip))
    for state, charging in ((0, None), (1, True), (0, False)):
        bench.robot.link.dispatcher.packet(replace(sip, charge_state=state), bench.now, bench.now)
        assert bench.robot.estimator.report
        assert bench.robot.estimator.report.charging is charging


@pytest.mark.parametrize(("encoder_odometry", "moved"), [(False, 0.05), (True, 0.0)])
def test_the_kinematics_delay_moves_the_stamp_of_the_pose(encoder_odometry: bool, moved: float) -> None:
    """ARIA subtracts it from the stamp of pose and heading; pings and encoder ticks have no such delay."""

    def stamps(delay: int) -> tuple[list[float], list[float]]:
        def delayed(frame: bytes) -> bytes:
            data = bytearray(frame[3:-2])
            if data[0] == 0x20:
                data[data.rindex(b"\x001.9\0") + 9] = delay  # behind the version and two gyro factors
            return encode_frame(bytes(data))

        bench = Bench(Options(encoder_odometry=encoder_odometry), ARCOS, baud=38400)
        bench.down.fault = delayed
        bench.connect()
        bench.run(3.0)
        reports = bench.emitted(Report, bench.now - 1.0)
        return [report.stamp for report in reports], [ping.stamp for report in reports for ping in report.pings]

    (poses, pings), (late_poses, late_pings) = stamps(0), stamps(50)
    assert pings and late_pings == pytest.approx(pings)
    assert [then - now for then, now in zip(poses, late_poses, strict=True)] == pytest.approx([moved] * len(poses))
