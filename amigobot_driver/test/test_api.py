# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`AmigoBot` as its users have it: one object with blocking methods, here on the simulated robot in this process."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from api_bench import FAST, PATIENCE, SimulatedRobots, accepted, eventually, failure, once, undisturbed
from programs import run_python

import amigobot_driver
from amigobot_driver import (
    TUNABLE,
    AmigoBot,
    AmigoBotError,
    AuxReadFailedError,
    ConnectionFailedError,
    ConnectionLostError,
    LinkChanged,
    LinkState,
    MotionFailedError,
    Options,
    Report,
    RequestFailedError,
    RequestRefusedError,
)
from amigobot_driver.sim import Window


@pytest.fixture(scope="module")
def robots() -> Iterator[SimulatedRobots]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield SimulatedRobots(monkeypatch)


@pytest.fixture(scope="module")
def shared_robot(robots: SimulatedRobots, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AmigoBot]:
    wired = tmp_path_factory.mktemp("profiles") / "wired.yaml"
    wired.write_text(
        "extends: amigo\nname: wired\nflash: {io1: 1, SInfoCycle: 1, TransAcc: 1500, TransDecel: 1500,"
        " RotAcc: 300, RotDecel: 300}\n"
    )
    with AmigoBot(f"sim://?robot={wired}&world=empty&baud=115200", timeout=60) as robot:
        yield robot


@pytest.fixture
def robot(shared_robot: AmigoBot) -> AmigoBot:
    # The test before may have lost the link, or this machine may have stood still.
    shared_robot.wait_until_connected(PATIENCE)
    shared_robot.clear_emergency_stop()
    shared_robot.enable_motors()
    accepted(lambda: shared_robot.drive(0.0))
    shared_robot.stop()
    return shared_robot


# -- the package ----------------------------------------------------------------------------------------------


def test_importing_the_package_is_lazy_and_needs_no_ros() -> None:
    program = (
        "import sys\n"
        "import amigobot_driver\n"
        "print([name for name in sys.modules if name.startswith('amigobot_driver.') or name in ('serial', 'yaml')])\n"
        "from amigobot_driver import AmigoBot\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('rclpy', 'asyncio', 'numpy')])\n"
    )
    assert run_python("-c", program) == "[]\n[]\n"


def test_every_public_name_exists_and_unknown_names_are_refused() -> None:
    public = {name: getattr(amigobot_driver, name) for name in amigobot_driver.__all__}
    assert all(issubclass(kind, AmigoBotError) for name, kind in public.items() if name.endswith("Error"))
    assert set(amigobot_driver.__all__) <= set(dir(amigobot_driver))
    with pytest.raises(AttributeError, match="has no attribute 'Amigobot'"):
        _ = amigobot_driver.Amigobot  # type: ignore[attr-defined]


# -- driving --------------------------------------------------------------------------------------------------


def test_a_velocity_without_a_duration_expires(robot: AmigoBot, robots: SimulatedRobots) -> None:
    accepted(lambda: robot.drive(0.0, 0.5))
    eventually(robots.moving, "turning")
    eventually(lambda: robots.at_rest, "rest")


def test_wheels_and_a_heading_drive_as_well(robot: AmigoBot) -> None:
    def by_wheels() -> None:
        robot.reset_odometry()
        robot.drive_wheels(0.1, -0.1, duration=0.5)
        assert robot.pose.yaw < 0.0

    def by_heading() -> None:
        robot.reset_odometry()
        robot.drive_heading(0.0, 0.5, duration=2.0)
        assert robot.pose.yaw == pytest.approx(0.5, abs=0.15)

    undisturbed(robot, by_wheels)
    undisturbed(robot, by_heading)


def test_turn_and_move_return_what_was_covered(robot: AmigoBot, robots: SimulatedRobots) -> None:
    def turn_and_move() -> None:
        robot.reset_odometry()
        start = robots.truth.pose
        assert robot.turn(math.pi / 2) == pytest.approx(math.pi / 2, abs=0.06)
        assert robot.move(0.3) == pytest.approx(0.3, abs=0.03)
        end = robots.truth.pose
        assert math.hypot(end.x - start.x, end.y - start.y) == pytest.approx(0.3, abs=0.03)
        x, y, yaw = robot.pose
        assert (x, y) == pytest.approx((0.0, 0.3), abs=0.05)
        assert yaw == robot.pose.yaw == pytest.approx(math.pi / 2, abs=0.06)
        robot.turn(0.0, absolute=True)
        assert robot.pose.yaw == pytest.approx(0.0, abs=0.06)

    undisturbed(robot, turn_and_move)


def test_a_started_move_is_polled_and_canceled(robot: AmigoBot, robots: SimulatedRobots) -> None:
    def start_and_cancel() -> None:
        start = robots.truth.pose
        robot.start_move(20.0)
        assert not robot.is_task_complete()
        eventually(lambda: robot.is_task_complete() or robot.get_feedback().covered > 0.1, "some way")
        robot.cancel_task()
        failed = failure(robot.get_result, "canceled")
        assert robot.is_task_complete() and robots.at_rest
        end = robots.truth.pose
        assert failed.travelled == pytest.approx(math.hypot(end.x - start.x, end.y - start.y), abs=0.01)
        assert failed.travelled + robot.get_feedback().remaining == pytest.approx(20.0)

    undisturbed(robot, start_and_cancel)


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (lambda robot: robot.drive(0.1, duration=math.inf), "duration is inf s, allowed: at least 0 s"),
        (lambda robot: robot.set_odometry(math.nan), "expected a finite number of"),
        (lambda robot: robot.aux_write(4, b"x"), "port is 4, allowed: 1 to 3"),
        (lambda robot: robot.set_config(speed=3), "tuning value speed cannot be set, allowed: trans_vel_max"),
        (lambda robot: robot.set_pid("left", kp=3), "allowed: rotation, translation"),
        (lambda robot: robot.configure(speed=3), "option 'speed' is not known, allowed: profile"),
        (lambda robot: robot.events(), "give at least one type of events"),
        (lambda robot: robot.events("Report"), "a type of events is 'Report', expected a type such as Report"),
        (lambda robot: robot.drive("fast"), "linear is 'fast', expected a number"),
        (lambda robot: robot.drive(10**400), "expected a number up to 1.8e308"),
        (lambda robot: robot.aux_write(1, "text"), "data is 'text', expected bytes"),
        (lambda robot: robot.send_command("VEL"), "number is 'VEL', expected a whole number"),
        (lambda robot: robot.configure(gyro=1), "gyro is 1, expected True or False"),
    ],
)
def test_what_makes_no_sense_is_refused_with_alternatives(
    shared_robot: AmigoBot, request_: Callable[[AmigoBot], object], text: str
) -> None:
    shared_robot.wait_until_connected(PATIENCE)
    with pytest.raises(RequestRefusedError, match=text.replace("(", r"\(")) as refused:
        request_(shared_robot)
    assert "\n" not in str(refused.value)


def test_the_emergency_stop_holds_until_it_is_cleared(robot: AmigoBot) -> None:
    robot.emergency_stop()
    assert robot.emergency_stopped
    for drive in (lambda: robot.drive(0.1), lambda: robot.drive(0.1, duration=1.0), lambda: robot.move(0.1)):
        with pytest.raises(RequestRefusedError, match="call clear_emergency_stop first"):
            drive()
    robot.clear_emergency_stop()
    assert undisturbed(robot, lambda: robot.turn(0.3)) == pytest.approx(0.3, abs=0.06)


def test_without_motors_every_drive_is_refused(robot: AmigoBot) -> None:
    assert robot.enable_motors(False) == "motors off, confirmed by the robot"
    for drive in (lambda: robot.drive(0.1), lambda: robot.drive(0.1, duration=1.0), lambda: robot.turn(0.5)):
        with pytest.raises(RequestRefusedError, match="the motors are off: call enable_motors"):
            drive()
    assert robot.enable_motors() == "motors on, confirmed by the robot"


def test_a_drive_ends_when_the_motors_button_is_pressed(robot: AmigoBot, robots: SimulatedRobots) -> None:
    def press() -> None:
        with robots.simulator() as simulator:
            simulator.press_motors_button()

    def drive_and_press() -> MotionFailedError:
        robot.enable_motors()
        with once(robots.moving, press):
            return failure(lambda: robot.drive(0.0, 0.4, duration=30.0), "the motors are off")

    assert undisturbed(robot, drive_and_press).travelled == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("drive", [lambda robot: robot.drive(0.0, 0.4, duration=30.0), lambda robot: robot.move(20.0)])
def test_ctrl_c_stops_the_robot(robot: AmigoBot, robots: SimulatedRobots, drive: Callable[[AmigoBot], object]) -> None:
    def drive_and_interrupt() -> None:
        # In the block of `raises`: a SIGINT that comes late would end the run.
        with pytest.raises(KeyboardInterrupt), once(robots.moving, lambda: os.kill(os.getpid(), signal.SIGINT)):
            drive(robot)

    undisturbed(robot, drive_and_interrupt)
    eventually(lambda: robots.at_rest, "rest")


# -- sensing --------------------------------------------------------------------------------------------------


def test_sonars_that_do_not_fire_grow_old(robot: AmigoBot) -> None:
    assert robot.set_sonar_sequence(2, 3) == "sonars 2, 3 fire"
    eventually(lambda: robot.sonar[0].age > 1.0 > robot.sonar[2].age)
    assert robot.enable_sonar(False) == "sonar off, confirmed by the robot"
    assert robot.enable_sonar() == "sonar on, confirmed by the robot"
    assert robot.set_sonar_sequence().endswith("fire")


def test_pose_battery_and_identity(robot: AmigoBot) -> None:
    robot.set_odometry(1.0, 2.0, 3.0)
    assert tuple(robot.pose) == (1.0, 2.0, 3.0)
    robot.reset_odometry()
    assert robot.odometry.x == 0.0
    assert 11.0 < robot.battery.volts < 14.0
    assert 0.0 < robot.battery.charge <= 1.0
    assert robot.identity.subclass == "amigo"
    assert robot.profile.name == "amigo"
    assert robot.link.state is LinkState.RUNNING
    assert robot.link.packets.standard > 0
    assert robot.connected
    assert "connected to" in repr(robot)


def test_a_stream_that_is_switched_on_has_values(robot: AmigoBot) -> None:
    robot.configure(encoder_stream=True, io_stream=True)
    eventually(lambda: robot.encoders is not None and len(robot.io.analog) == 5)
    robot.configure(encoder_stream=False, io_stream=False)
    eventually(lambda: robot.encoders is None and robot.io.analog == ())


# -- streams --------------------------------------------------------------------------------------------------


def test_a_slow_reader_loses_the_oldest_reports(robot: AmigoBot) -> None:
    with robot.reports() as all_reports, robot.reports(maxlen=2) as reports:
        eventually(lambda: reports.dropped >= 3)
        oldest, newest = next(all_reports), next(reports)
        assert newest.stamp > oldest.stamp
    assert all_reports.dropped == 0


def test_reports_are_an_asyncio_iterator(robot: AmigoBot) -> None:
    async def read() -> list[float]:
        stamps: list[float] = []
        with robot.reports() as reports:
            async for report in reports:
                stamps.append(report.stamp)
                if len(stamps) == 3:
                    reports.close()
        return stamps

    stamps = asyncio.run(read())
    assert stamps == sorted(set(stamps))


def test_a_callback_may_take_long_and_use_the_robot(robot: AmigoBot) -> None:
    poses = []

    def callback(report: Report) -> None:
        robot.stop()
        poses.append(robot.pose)

    subscription = robot.subscribe(callback)
    eventually(lambda: len(poses) >= 2)
    subscription.cancel()
    assert subscription.dropped == 0


def test_a_callback_that_raises_harms_nothing_else(robot: AmigoBot, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", reported.append)
    calls = []

    def callback(report: Report) -> None:
        calls.append(report)
        raise ZeroDivisionError

    robot.subscribe(callback)
    eventually(lambda: reported)
    next(robot.reports())
    assert len(calls) == 1
    assert reported[0].exc_type is ZeroDivisionError


# -- everything else ------------------------------------------------------------------------------------------


def test_sounds_are_listed_searched_and_played(robot: AmigoBot) -> None:
    sounds = robot.list_sounds()
    assert any(sound.is_group for sound in sounds)
    assert [sound.name for sound in robot.find_sounds("MEO")] == ["meow"]
    assert robot.find_sounds("theremin") == ()
    with pytest.raises(RequestRefusedError, match="no sound is called 'theremin'"):
        robot.play_sound("theremin")
    assert robot.play_sound("Meow").startswith("sent SOUND 58 (meow) once")
    assert robot.play_sound(58).startswith("sent SOUND 58")
    assert robot.enable_sounds(False) == "sounds off, confirmed by the robot"
    robot.enable_sounds()


def test_outputs_follow_and_inputs_are_read(robot: AmigoBot) -> None:
    with pytest.raises(RequestFailedError, match="IO_0 did not follow"):
        robot.set_digital_outputs(0b1, 0b1)
    assert robot.set_digital_outputs(0b10, 0b10) == robot.io.digital_outputs == 0b10
    assert robot.set_digital_outputs(0b10, 0) == 0
    assert 0.0 <= robot.select_analog_input(2) <= 5.0
    assert robot.io.selected_port == 2
    assert robot.io.digital_inputs is not None


def test_an_auxiliary_port_that_loops_back(robot: AmigoBot) -> None:
    assert robot.aux_write(1, b"hello") == 5
    assert robot.aux_read(1, 5, timeout=30.0) == b"hello"
    robot.aux_write(1, b"abc")
    with pytest.raises(AuxReadFailedError, match="3 of 5 bytes") as failed:
        robot.aux_read(1, 5, timeout=3.0)
    assert failed.value.data == b"abc"
    assert robot.aux_read(1, timeout=0.2) == b""


def test_tuning_values_are_set_and_read_back(robot: AmigoBot) -> None:
    assert robot.get_config()["trans_acc"] != 222
    assert robot.set_config(trans_acc=222)["trans_acc"] == 222
    assert robot.set_config({"trans_acc": 250}, trans_decel=250)["trans_decel"] == 250
    assert "trans_acc" in TUNABLE
    gains = robot.set_pid("rotation", kp=35)
    assert gains.kp == 35
    assert robot.get_pid().rotation == gains


def test_a_reset_ends_when_the_robot_is_connected_again(robots: SimulatedRobots) -> None:
    with AmigoBot("sim://p3dx-sh?world=empty&baud=115200", timeout=60) as robot:
        assert robot.bumpers is not None and not any(robot.bumpers.front)
        assert robot.reset() == "the robot was reset and is connected again"
        assert undisturbed(robot, lambda: robot.turn(0.3)) == pytest.approx(0.3, abs=0.06)


def test_a_gripper_obeys(robots: SimulatedRobots, tmp_path: Path) -> None:
    profile = tmp_path / "gripper.yaml"
    profile.write_text("extends: p3dx\nflash: {gripper: 1}\n")
    with AmigoBot(f"sim://?robot={profile}&world=empty&baud=115200", timeout=60) as robot:
        eventually(lambda: robot.gripper_state is not None)
        assert robot.gripper("open").startswith("open: paddles")


def test_an_erratic_turns_its_servo(robots: SimulatedRobots) -> None:
    with AmigoBot("sim://erratic?world=empty", timeout=60, options=Options(profile="erratic")) as robot:
        robot.set_servo("pan_joint", 0.2)
        with pytest.raises(RequestRefusedError, match="pan_joint"):
            robot.set_servo("pan_joint", 9.0)
        assert "sent" in robot.set_motor_pwm(5000.0)
        eventually(lambda: robot.motor_currents is not None and robot.floor is not None)
        assert "sent SAVE once" in robot.save_config()


# -- connecting and ending ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("port", "text"),
    [
        ("/dev/ttyUSB_nothing", "/dev/ttyUSB_nothing: there is no such port; is the adapter plugged in"),
        ("", "the port is '', allowed|the port is ''; allowed"),
    ],
)
def test_a_port_that_does_not_open_is_an_error(port: str, text: str) -> None:
    with pytest.raises(ConnectionFailedError, match=text) as failed:
        AmigoBot(port, timeout=50)
    assert "\n" not in str(failed.value)


def test_a_silent_port_is_an_error_after_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = f"socket://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConnectionFailedError, match=r"is it switched on, is the cable in its serial port"):
            AmigoBot(port, timeout=4.0)


def test_a_closed_robot_says_so_and_ends_its_streams(robots: SimulatedRobots) -> None:
    robot = AmigoBot(FAST, timeout=60)
    reports = robot.reports()
    robot.close()
    robot.close()
    for use in (lambda: robot.drive(0.1), lambda: robot.pose, robot.reports, robot.list_sounds, robot.emergency_stop):
        with pytest.raises(ConnectionLostError, match="the connection is closed"):
            use()
    assert not robot.connected
    assert "closed" in repr(robot)
    list(reports)


def test_a_lost_connection_is_an_error_until_it_returns(robots: SimulatedRobots) -> None:
    with AmigoBot(FAST, timeout=60) as robot:
        reports, changes = robot.reports(), robot.events(LinkChanged, Report)
        seen: list[Report] = []
        robot.subscribe(seen.append)
        robots.inject(silence=Window(0.0, math.inf))
        with pytest.raises(ConnectionLostError, match="no packet for"):
            for _ in reports:
                pass
        for use in (lambda: robot.pose, lambda: robot.sonar, lambda: robot.drive(0.1), lambda: robot.turn(1.0)):
            with pytest.raises(ConnectionLostError, match=r"is the robot switched on|no robot answers|looking for"):
                use()
        with pytest.raises(ConnectionLostError):
            robot.stop()
        with pytest.raises(ConnectionLostError):
            next(robot.reports())
        assert robot.link.state is not LinkState.RUNNING
        with pytest.raises(ConnectionFailedError):
            robot.wait_until_connected(0.1)
        count = len(seen)
        robots.inject(silence=None)
        robot.wait_until_connected(60.0)
        assert undisturbed(robot, lambda: robot.turn(0.3)) == pytest.approx(0.3, abs=0.06)
        next(reports)
        eventually(lambda: len(seen) > count)
        assert any(isinstance(change, LinkChanged) and change.state is LinkState.LOST for change in changes.take_all())


def test_a_movement_without_connection_is_a_failed_motion(robots: SimulatedRobots) -> None:
    def move_in_silence(robot: AmigoBot, movement: Callable[[], object]) -> None:
        try:
            with once(robots.moving, lambda: robots.inject(silence=Window(0.0, math.inf))):
                failed = failure(movement, "no packet for")
            assert 0.0 <= failed.travelled < 2.0
        finally:
            robots.inject(silence=None)
        robot.wait_until_connected(60.0)

    with AmigoBot(FAST, timeout=60) as robot:
        for movement in (lambda: robot.move(20.0), lambda: robot.drive(0.0, 0.4, duration=30.0)):
            undisturbed(robot, partial(move_in_silence, robot, movement))


def test_a_driver_that_fails_is_an_error_without_hanging(
    robots: SimulatedRobots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda arguments: None)
    with AmigoBot(FAST, timeout=60) as robot:
        reports = robot.reports()
        next(reports)

        def fail(*arguments: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(robot._hub, "publish", fail)
        monkeypatch.setattr(robot._driver, "_listener", fail)
        eventually(robot._driver.failed.is_set, "the end of the thread")
        with pytest.raises(ConnectionLostError, match="a thread of the driver ended"):
            robot.drive(0.1)
        list(reports)
    eventually(lambda: robots.at_rest, "rest")
