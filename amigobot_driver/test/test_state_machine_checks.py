"""Each check of the state machine can fail: it notices what the robot or the driver does behind the machine's back."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

import pytest

pytest.importorskip("rclpy", reason="the node's parameter table needs rclpy")

from state_machine import oracle, sensor_checks
from state_machine.oracle import Check, Oracle, Violation
from state_machine.records import Movement, Seen
from state_machine.setup import Setup
from state_machine.world import World

from amigobot_driver.findings import ERROR, OK
from amigobot_driver.protocol import Command
from amigobot_driver.robot import BatteryLevel, Outcome
from amigobot_driver.robot.command_queue import MAX_ROUTINE, Priority

#: What breaks the rule of a check: it acts, lets time pass, and shows the check what was seen.
Tamper = Callable[[World, Check], None]
TAMPERS: list[tuple[type[Check], Tamper]] = []


def breaks(check: type[Check]) -> Callable[[Tamper], Tamper]:
    def register(tamper: Tamper) -> Tamper:
        TAMPERS.append((check, tamper))
        return tamper

    return register


def watch(world: World, check: Check, seconds: float) -> None:
    for seen in world.advance(seconds):
        check.look(world, seen)


@pytest.fixture
def world() -> World:
    world = World(Setup(profile="amigo-sh", asked=True, paced=False, encoders=True))
    world.connect()
    list(world.advance(2.5))
    assert world.running_for(1.0)
    return world


def watch_changed(world: World, check: Check, change: Callable[[Seen], None]) -> None:
    """Let the check look at what was not so."""
    for seen in world.advance(2.0):
        change(seen)
        check.look(world, seen)


@breaks(oracle.MovesOnlyAsAllowed)
@breaks(oracle.StaysAtRest)
def drive_unasked(world: World, check: Check) -> None:
    world.bench.ask(lambda: world.robot.drive(0.4, 0.0, world.now))
    watch(world, check, 1.0)


@breaks(oracle.DrivesAsCommanded)
def expect_another_velocity(world: World, check: Check) -> None:
    assert isinstance(check, oracle.DrivesAsCommanded)
    list(world.advance(1.5, cmd_vel=(0.2, 0.0)))
    check.driven(world, 0.2, 0.0)
    check.driven(world, 0.3, 0.0)


@breaks(oracle.MovementsArrive)
def end_a_move_at_once(world: World, check: Check) -> None:
    movement = world.move(0.5)
    assert isinstance(movement, Movement)
    movement.task.finish(Outcome(True, "reached, 0.000 m off"))
    watch(world, check, 0.1)


@breaks(oracle.OdometryFollows)
def set_the_pose_unasked(world: World, check: Check) -> None:
    world.robot.set_odometry(1.0, 0.0, 0.0)
    watch(world, check, 0.5)


@breaks(oracle.TwistIsTrue)
def show_another_twist(world: World, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, odometry=replace(report.odometry, angular=0.3)))


@breaks(oracle.StampsAreTrue)
def show_older_stamps(world: World, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, stamp=report.stamp - 0.05))


def show_reports(world: World, check: Check, change: Callable[..., object]) -> None:
    """Let the check look at changed reports."""
    for seen in world.advance(1.0):
        seen.sightings = [replace(sighting, report=change(sighting.report)) for sighting in seen.sightings]
        check.look(world, seen)


@breaks(oracle.RequestsAreAnswered)
def ask_and_never_answer(world: World, check: Check) -> None:
    world.request("motors", "enable_motors(True)", Future)
    watch(world, check, 15.0)


@breaks(oracle.AnswersAreTrue)
def answer_what_is_not_so(world: World, check: Check) -> None:
    done: Future[Outcome] = Future()
    done.set_result(Outcome(True, "the motors are on"))
    world.request("motors", "enable_motors(True)", lambda: done, lambda outcome: "success, but they are off")
    watch(world, check, 3.0)


@breaks(oracle.UntouchedValuesStay)
def change_a_working_value_unasked(world: World, check: Check) -> None:
    world.robot.send_raw(Command.ROTKP.number, [77], b"")
    watch(world, check, 1.0)


@breaks(oracle.LinkIsTrue)
def read_nothing_more(world: World, check: Check) -> None:
    world.bench.hang_reader()
    watch(world, check, 2 * world.reconnection + 5.0)


@breaks(oracle.StatusIsTrue)
def report_motors_that_are_off(world: World, check: Check) -> None:
    estimator = world.robot.estimator
    estimator.report = replace(estimator.report, motors_enabled=False)
    check.look(world, Seen())


@breaks(oracle.QueuesAreBounded)
def fill_a_queue(world: World, check: Check) -> None:
    world.robot.queue._waiting[Priority.RAW].extend([Command.PULSE()] * (MAX_ROUTINE + 1))
    check.look(world, Seen())


@breaks(oracle.FramesAreCounted)
def forget_what_was_sent(world: World, check: Check) -> None:
    world.robot.queue.sent -= 1
    check.look(world, Seen())


@breaks(oracle.FramesAreCounted)
def lose_a_command(world: World, check: Check) -> None:
    world.robot.queue.put(Command.PULSE(), Priority.RAW)
    world.robot.queue._waiting[Priority.RAW].clear()
    check.look(world, Seen())


@breaks(sensor_checks.PacketsAreTrue)
def report_another_voltage(world: World, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, volts=report.volts - 0.1))


@breaks(sensor_checks.PacketsAreTrue)
def report_a_stall(world: World, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, left_stalled=True))


@breaks(sensor_checks.PacketsAreTrue)
def report_motion(world: World, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, moving=True))


@breaks(sensor_checks.BatteryIsTrue)
def report_a_low_battery(world: World, check: Check) -> None:
    world.robot.estimator.battery.level = BatteryLevel.LOW
    check.look(world, Seen())


@breaks(sensor_checks.BatteryIsTrue)
def keep_an_old_voltage(world: World, check: Check) -> None:
    list(world.advance(0.3))
    world.robot.estimator.battery.voltage = 11.0
    check.look(world, Seen())


@breaks(sensor_checks.EncodersAreTrue)
def show_ticks_of_a_moving_robot(world: World, check: Check) -> None:
    def change(seen: Seen) -> None:
        seen.encoders = [
            replace(sighting, reading=replace(sighting.reading, left=round(10 * sighting.reading.stamp)))
            for sighting in seen.encoders
        ]

    watch_changed(world, check, change)


@breaks(sensor_checks.EncodersAreTrue)
def show_wheels_at_rest_while_it_drives(world: World, check: Check) -> None:
    for seen in world.advance(2.0, cmd_vel=(0.2, 0.0)):
        for sighting in seen.encoders:
            assert sighting.reading.odometry is not None
            still = replace(sighting.reading.odometry, left_angle=0.0)
            check.look(world, Seen(encoders=[replace(sighting, reading=replace(sighting.reading, odometry=still))]))


@breaks(sensor_checks.TurnRatesAreTrue)
def show_the_turn_rate_of_another(world: World, check: Check) -> None:
    def change(seen: Seen) -> None:
        seen.turn_rates = [replace(sample, rate=sample.rate + 1.0) for sample in seen.turn_rates]

    watch_changed(world, check, change)


@breaks(sensor_checks.DiagnosticsAreTrue)
def diagnose_no_link(world: World, check: Check) -> None:
    def change(seen: Seen) -> None:
        if seen.diagnostics:
            seen.diagnostics = {**seen.diagnostics, "link": (ERROR, "no robot", {})}

    watch_changed(world, check, change)


@breaks(sensor_checks.DiagnosticsAreTrue)
def diagnose_motors_that_are_off(world: World, check: Check) -> None:
    world.press_motors_button()
    list(world.advance(2.0))

    def change(seen: Seen) -> None:
        if seen.diagnostics:
            seen.diagnostics = {**seen.diagnostics, "motors": (OK, "motors on", {})}

    watch_changed(world, check, change)


@breaks(sensor_checks.DiagnosticsAreTrue)
def diagnose_an_emergency_stop_that_was_not_requested(world: World, check: Check) -> None:
    world.robot.emergency_stop()
    watch(world, check, 2.0)


@pytest.mark.parametrize(("kind", "tamper"), TAMPERS, ids=[tamper.__name__ for _, tamper in TAMPERS])
def test_each_check_notices_what_breaks_its_rule(kind: type[Check], tamper: Tamper, world: World) -> None:
    check = kind()
    watch(world, check, 0.5)
    with pytest.raises(Violation, match=f"^{kind.__name__}: "):
        tamper(world, check)


def test_every_check_is_shown_to_fail() -> None:
    assert {type(check) for check in Oracle().checks} == {kind for kind, _ in TAMPERS}
