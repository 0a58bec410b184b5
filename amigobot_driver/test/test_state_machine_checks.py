# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Each check of the state machine can fail: it notices what the robot or the driver does behind the machine's back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

pytest.importorskip("rclpy", reason="the node's parameter table needs rclpy")

from state_machine import oracle, sensor_checks
from state_machine.disturbances import RELEARN
from state_machine.oracle import Check, Oracle
from state_machine.records import Seen
from state_machine.setup import Setup
from state_machine.tampering import COMMON, Tamper, Tampers, show_reports, show_that_it_is_noticed, watch
from state_machine.world import World

from amigobot_driver.findings import ERROR, OK
from amigobot_driver.protocol import Command
from amigobot_driver.robot import BatteryLevel
from amigobot_driver.robot.command_queue import MAX_ROUTINE, Priority

#: Tampers with what only the core shows.
OF_CORE = Tampers()


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


@OF_CORE.breaks(oracle.VelocitiesKeepTheLimits)
def drive_faster_than_the_user_allows(world: World, check: Check) -> None:
    world.set_parameter("max_linear_velocity", 0.1)
    watch(world, check, 1.0)
    world.robot.limits.working = 0.5, 1.0
    world.drive(0.5, 0.0)
    watch(world, check, 1.0)


@OF_CORE.breaks(oracle.LinkIsTrue)
def read_nothing_more(world: World, check: Check) -> None:
    world.bench.hang_reader()
    watch(world, check, 2 * world.reconnection + 5.0)


@OF_CORE.breaks(oracle.StatusIsTrue)
def report_motors_that_are_off(world: World, check: Check) -> None:
    estimator = world.robot.estimator
    estimator.report = replace(estimator.report, motors_enabled=False)
    check.look(world, Seen())


@OF_CORE.breaks(oracle.QueuesAreBounded)
def fill_a_queue(world: World, check: Check) -> None:
    world.robot.queue._waiting[Priority.RAW].extend([Command.PULSE()] * (MAX_ROUTINE + 1))
    check.look(world, Seen())


@OF_CORE.breaks(oracle.FramesAreCounted)
def forget_what_was_sent(world: World, check: Check) -> None:
    world.robot.queue.stats.sent -= 1
    check.look(world, Seen())


@OF_CORE.breaks(oracle.FramesAreCounted)
def lose_a_command(world: World, check: Check) -> None:
    world.robot.queue.put(Command.PULSE(), Priority.RAW)
    world.robot.queue._waiting[Priority.RAW].clear()
    check.look(world, Seen())


@OF_CORE.breaks(sensor_checks.PacketsAreTrue)
def report_another_voltage(world: World, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, volts=report.volts - 0.1))


@OF_CORE.breaks(sensor_checks.PacketsAreTrue)
def report_a_stall(world: World, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, left_stalled=True))


@OF_CORE.breaks(sensor_checks.PacketsAreTrue)
def report_motion(world: World, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, moving=True))


@OF_CORE.breaks(sensor_checks.BatteryIsTrue)
def report_a_low_battery(world: World, check: Check) -> None:
    world.robot.estimator.battery.level = BatteryLevel.LOW
    check.look(world, Seen())


@OF_CORE.breaks(sensor_checks.BatteryIsTrue)
def keep_an_old_voltage(world: World, check: Check) -> None:
    list(world.advance(0.3))
    world.robot.estimator.battery.voltage = 11.0
    check.look(world, Seen())


@OF_CORE.breaks(sensor_checks.EncodersAreTrue)
def show_ticks_of_a_moving_robot(world: World, check: Check) -> None:
    def change(seen: Seen) -> None:
        seen.encoders = [
            replace(sighting, reading=replace(sighting.reading, left=round(10 * sighting.reading.stamp)))
            for sighting in seen.encoders
        ]

    watch_changed(world, check, change)


@OF_CORE.breaks(sensor_checks.EncodersAreTrue)
def show_wheels_at_rest_while_it_drives(world: World, check: Check) -> None:
    for seen in world.advance(2.0, cmd_vel=(0.2, 0.0)):
        for sighting in seen.encoders:
            assert sighting.reading.odometry is not None
            still = replace(sighting.reading.odometry, left_angle=0.0)
            check.look(world, Seen(encoders=[replace(sighting, reading=replace(sighting.reading, odometry=still))]))


@OF_CORE.breaks(sensor_checks.TurnRatesAreTrue)
def show_the_turn_rate_of_another(world: World, check: Check) -> None:
    def change(seen: Seen) -> None:
        seen.turn_rates = [replace(sample, rate=sample.rate + 1.0) for sample in seen.turn_rates]

    watch_changed(world, check, change)


@OF_CORE.breaks(sensor_checks.DiagnosticsAreTrue)
def diagnose_no_link(world: World, check: Check) -> None:
    def change(seen: Seen) -> None:
        if seen.diagnostics:
            seen.diagnostics = {**seen.diagnostics, "link": (ERROR, "no robot", {})}

    watch_changed(world, check, change)


@OF_CORE.breaks(sensor_checks.DiagnosticsAreTrue)
def diagnose_motors_that_are_off(world: World, check: Check) -> None:
    world.press_motors_button()
    list(world.advance(2.0))

    def change(seen: Seen) -> None:
        if seen.diagnostics:
            seen.diagnostics = {**seen.diagnostics, "motors": (OK, "motors on", {})}

    watch_changed(world, check, change)


@OF_CORE.breaks(sensor_checks.DiagnosticsAreTrue)
def diagnose_an_emergency_stop_that_was_not_requested(world: World, check: Check) -> None:
    world.robot.emergency_stop()
    watch(world, check, 2.0)


# -- what a check tolerates for a reason, and not beyond it ---------------------------------------------------


def delay_for_a_while(world: World, check: Check) -> None:
    """Behind it, packets are punctual again, and what is learned from them may still be a little off."""
    world.set_delay(0.05)
    watch(world, check, 1.0)
    world.set_delay(0.0)
    watch(world, check, RELEARN + 0.3)


def shift_stamps(world: World, check: Check, shift: float, seconds: float) -> None:
    for seen in world.advance(seconds):
        seen.sightings = [
            replace(
                sighting, time=sighting.time + 0.1, report=replace(sighting.report, stamp=sighting.report.stamp + shift)
            )
            for sighting in seen.sightings
        ]
        check.look(world, seen)


@OF_CORE.breaks(oracle.StampsAreTrue)
def stamp_too_late_behind_delayed_packets(world: World, check: Check) -> None:
    delay_for_a_while(world, check)
    shift_stamps(world, check, 0.029, 1.0)


@OF_CORE.breaks(oracle.StampsAreTrue)
def stamp_too_early_long_after_delayed_packets(world: World, check: Check) -> None:
    delay_for_a_while(world, check)
    watch(world, check, 3.5)
    shift_stamps(world, check, -0.029, 1.0)


@OF_CORE.breaks(oracle.StampsAreTrue)
def stamp_the_first_packets_of_a_new_session_too_early(world: World, check: Check) -> None:
    world.switch_off()
    watch(world, check, 0.5)
    world.switch_on()
    list(world.advance(0.5))
    while not world.running:
        list(world.advance(0.02))
    shift_stamps(world, check, -0.029, 0.9)


@OF_CORE.breaks(oracle.TwistIsTrue)
def show_another_twist_soon_after_delayed_packets(world: World, check: Check) -> None:
    delay_for_a_while(world, check)
    for seen in world.advance(2.0, cmd_vel=(0.0, 1.0)):
        seen.sightings = [
            replace(
                sighting, report=replace(sighting.report, odometry=replace(odometry, angular=1.5 * odometry.angular))
            )
            for sighting in seen.sightings
            if (odometry := sighting.report.odometry)
        ]
        check.look(world, seen)


@OF_CORE.breaks(oracle.OdometryFollows)
def set_the_pose_unasked_at_a_wall_where_the_counters_are_zero(world: World, check: Check) -> None:
    world.witness.touched = world.now + 10.0
    world.robot.set_odometry(0.1, 0.0, 0.0)
    watch(world, check, 2.0)


TAMPERS = COMMON.including(OF_CORE)


@pytest.mark.parametrize(("kind", "tamper"), TAMPERS.pairs, ids=TAMPERS.ids)
def test_each_check_notices_what_breaks_its_rule(kind: type[Check], tamper: Tamper, world: World) -> None:
    show_that_it_is_noticed(world, kind, tamper)


def test_every_check_is_shown_to_fail() -> None:
    assert {type(check) for check in Oracle().checks} == TAMPERS.checks()
