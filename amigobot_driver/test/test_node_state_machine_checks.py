# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Each check of the node's state machine can fail: it notices what happens behind the machine's back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

pytest.importorskip("rclpy", reason="the node needs rclpy")

from node_machine import oracle as node_oracle
from node_machine.oracle import NodeOracle
from node_machine.world import NodeWorld
from ros_bench import DEADLINE
from state_machine import oracle
from state_machine.oracle import Check
from state_machine.records import Seen
from state_machine.setup import Setup
from state_machine.tampering import COMMON, Tamper, Tampers, show_reports, show_that_it_is_noticed, watch

from amigobot_driver.robot import LinkState

pytestmark = pytest.mark.soak

#: Tampers with what only the node shows.
OF_NODE = Tampers()


def steady(world: NodeWorld) -> None:
    """Let time pass until topics must show what is so."""
    since = max(world.running_since, world.clean_since, world.latched_changed, *world.witness.changed.values())
    list(world.advance(max(0.0, since + node_oracle.SHOWN + 0.5 - world.now)))


@pytest.fixture(scope="module")
def world() -> Iterator[NodeWorld]:
    world = NodeWorld(Setup(profile="amigo-sh", asked=True, paced=False))
    try:
        yield world
    finally:
        world.finish()


@OF_NODE.breaks(node_oracle.StaysFresh)
def show_old_stamps(world: NodeWorld, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, stamp=report.stamp - 60.0))


@OF_NODE.breaks(oracle.LinkIsTrue)
def lose_the_link(world: NodeWorld, check: Check) -> None:
    world.clean_since = world.link_changed = -1e9
    world.bench.status.link_state = LinkState.LOST.value
    check.look(world, Seen())


@OF_NODE.breaks(node_oracle.NodeStatusIsTrue)
def report_motors_that_are_off(world: NodeWorld, check: Check) -> None:
    steady(world)
    world.bench.status.motors_enabled = False
    check.look(world, Seen())


@OF_NODE.breaks(node_oracle.EmergencyStopIsShown)
def latch_it_without_the_node(world: NodeWorld, check: Check) -> None:
    steady(world)
    world.robot.latched = True
    try:
        check.look(world, Seen())
    finally:
        world.robot.latched = False


@OF_NODE.breaks(node_oracle.LinkIsDiagnosed)
def give_the_link_another_level(world: NodeWorld, check: Check) -> None:
    steady(world)
    end = world.now + DEADLINE
    while world.now < end:
        world.bench.run(0.1)
        world.bench.diagnostics["link"] = 2, {}
        check.look(world, Seen())


@OF_NODE.breaks(node_oracle.BatteryStateIsTrue)
def show_another_voltage(world: NodeWorld, check: Check) -> None:
    steady(world)
    world.bench.battery[1].voltage += 3.0
    check.look(world, Seen())


@OF_NODE.breaks(node_oracle.RefusedVelocitiesAreCounted)
def count_one_that_was_not_sent(world: NodeWorld, check: Check) -> None:
    world.robot.not_numbers += 1
    try:
        watch(world, check, 2 * node_oracle.SHOWN + world.bench.lateness)
    finally:
        world.robot.not_numbers -= 1


@OF_NODE.breaks(node_oracle.NodeLives)
def write_a_traceback_into_the_log(world: NodeWorld, check: Check) -> None:
    world.bench.node.log.append("Traceback (most recent call last):")
    check.look(world, Seen())


TAMPERS = COMMON.including(OF_NODE)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("kind", "tamper"), TAMPERS.pairs, ids=TAMPERS.ids)
def test_each_check_notices_what_breaks_its_rule(kind: type[Check], tamper: Tamper, world: NodeWorld) -> None:
    end = world.now + DEADLINE
    while not (world.running_for(1.0) and world.witness.now.at_rest and world.bench.battery):
        assert world.now < end, world.bench.tail()
        list(world.advance(0.1))
    show_that_it_is_noticed(world, kind, tamper)


def test_every_check_is_shown_to_fail() -> None:
    assert {type(check) for check in NodeOracle().checks} == TAMPERS.checks()
