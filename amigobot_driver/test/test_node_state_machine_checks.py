"""Each check of the node's state machine can fail: it notices what happens behind the machine's back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace

import pytest

pytest.importorskip("rclpy", reason="the node needs rclpy")

from geometry_msgs.msg import Twist
from node_machine import oracle as node_oracle
from node_machine.oracle import NodeOracle
from node_machine.world import NodeWorld
from ros_bench import DEADLINE
from state_machine import oracle
from state_machine.oracle import Check, Violation
from state_machine.records import Movement, Seen
from state_machine.setup import Setup

from amigobot_driver.protocol import Command
from amigobot_driver.robot import LinkState, Outcome

pytestmark = pytest.mark.soak

#: What breaks the rule of a check: it acts, lets time pass, and shows the check what was seen.
Tamper = Callable[[NodeWorld, Check], None]
TAMPERS: dict[type[Check], Tamper] = {}


def breaks(check: type[Check]) -> Callable[[Tamper], Tamper]:
    def register(tamper: Tamper) -> Tamper:
        TAMPERS[check] = tamper
        return tamper

    return register


def steady(world: NodeWorld) -> None:
    """Let time pass until topics must show what is so."""
    since = max(world.running_since, world.clean_since, world.latched_changed, *world.witness.changed.values())
    list(world.advance(max(0.0, since + node_oracle.SHOWN + 0.5 - world.now)))


def watch(world: NodeWorld, check: Check, seconds: float) -> None:
    for seen in world.advance(seconds):
        check.look(world, seen)


@pytest.fixture(scope="module")
def world() -> Iterator[NodeWorld]:
    world = NodeWorld(Setup(profile="amigo-sh", asked=True, paced=False))
    try:
        yield world
    finally:
        world.finish()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", [type(check) for check in NodeOracle().checks], ids=lambda kind: kind.__name__)
def test_each_check_notices_what_breaks_its_rule(kind: type[Check], world: NodeWorld) -> None:
    check = kind()
    end = world.now + DEADLINE
    while not (world.running_for(1.0) and world.witness.now.at_rest and world.bench.battery):
        assert world.now < end, world.bench.tail()
        list(world.advance(0.1))
    watch(world, check, 0.5)
    with pytest.raises(Violation, match=f"^{kind.__name__}: "):
        TAMPERS[kind](world, check)


@breaks(oracle.MovesOnlyAsAllowed)
@breaks(oracle.StaysAtRest)
def drive_unasked(world: NodeWorld, check: Check) -> None:
    twist = Twist()
    twist.linear.x = 0.4
    end = world.now + DEADLINE
    while world.now < end:
        world.bench.publish("cmd_vel", twist)
        watch(world, check, 0.1)


@breaks(oracle.DrivesAsCommanded)
def expect_a_velocity(world: NodeWorld, check: Check) -> None:
    assert isinstance(check, oracle.DrivesAsCommanded)
    check.driven(world, 0.0, 0.0)
    check.driven(world, 0.3, 0.0)


@breaks(oracle.MovementsArrive)
def end_a_move_at_once(world: NodeWorld, check: Check) -> None:
    movement = world.move(0.5)
    assert isinstance(movement, Movement)
    movement.task.ended.set_result(Outcome(True, "reached, 0.000 m off"))
    try:
        watch(world, check, 0.1)
    finally:
        world.cancel()


@breaks(oracle.OdometryFollows)
def set_the_pose_unasked(world: NodeWorld, check: Check) -> None:
    world.robot.set_odometry(1.0, 0.0, 0.0)
    watch(world, check, 2.0)


@breaks(oracle.TwistIsTrue)
def show_another_twist(world: NodeWorld, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, odometry=replace(report.odometry, angular=0.3)))


@breaks(oracle.StampsAreTrue)
def show_older_stamps(world: NodeWorld, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, stamp=report.stamp - 5.0))


@breaks(node_oracle.StaysFresh)
def show_old_stamps(world: NodeWorld, check: Check) -> None:
    show_reports(world, check, lambda report: replace(report, stamp=report.stamp - 60.0))


def show_reports(world: NodeWorld, check: Check, change: Callable[..., object]) -> None:
    """Let the check look at changed reports."""
    for seen in world.advance(3.0):
        seen.sightings = [replace(sighting, report=change(sighting.report)) for sighting in seen.sightings]
        check.look(world, seen)


@breaks(oracle.RequestsAreAnswered)
def ask_and_never_answer(world: NodeWorld, check: Check) -> None:
    asked = world.request("motors", "enable_motors(True)", Future, bound=-1000.0)
    try:
        watch(world, check, 0.5)
    finally:
        world.requests.remove(asked)


@breaks(oracle.AnswersAreTrue)
def answer_what_is_not_so(world: NodeWorld, check: Check) -> None:
    done: Future[Outcome] = Future()
    done.set_result(Outcome(True, "the motors are on"))
    world.request("motors", "enable_motors(True)", lambda: done, lambda outcome: "success, but they are off")
    watch(world, check, 2 * world.reaction + 2.0)


@breaks(oracle.UntouchedValuesStay)
def change_a_working_value_unasked(world: NodeWorld, check: Check) -> None:
    world.robot.send_raw(Command.ROTKP.number, [77], b"")
    watch(world, check, 5.0)


@breaks(oracle.LinkIsTrue)
def lose_the_link(world: NodeWorld, check: Check) -> None:
    world.clean_since = world.link_changed = -1e9
    world.bench.status.link_state = LinkState.LOST.value
    check.look(world, Seen())


@breaks(node_oracle.NodeStatusIsTrue)
def report_motors_that_are_off(world: NodeWorld, check: Check) -> None:
    steady(world)
    world.bench.status.motors_enabled = False
    check.look(world, Seen())


@breaks(node_oracle.EmergencyStopIsShown)
def latch_it_without_the_node(world: NodeWorld, check: Check) -> None:
    steady(world)
    world.robot.latched = True
    try:
        check.look(world, Seen())
    finally:
        world.robot.latched = False


@breaks(node_oracle.LinkIsDiagnosed)
def give_the_link_another_level(world: NodeWorld, check: Check) -> None:
    steady(world)
    end = world.now + DEADLINE
    while world.now < end:
        world.bench.run(0.1)
        world.bench.diagnostics["link"] = 2, {}
        check.look(world, Seen())


@breaks(node_oracle.BatteryStateIsTrue)
def show_another_voltage(world: NodeWorld, check: Check) -> None:
    steady(world)
    world.bench.battery[1].voltage += 3.0
    check.look(world, Seen())


@breaks(node_oracle.RefusedVelocitiesAreCounted)
def count_one_that_was_not_sent(world: NodeWorld, check: Check) -> None:
    world.robot.not_numbers += 1
    try:
        watch(world, check, 2 * node_oracle.SHOWN + world.bench.lateness)
    finally:
        world.robot.not_numbers -= 1


@breaks(node_oracle.NodeLives)
def write_a_traceback_into_the_log(world: NodeWorld, check: Check) -> None:
    world.bench.node.log.append("Traceback (most recent call last):")
    check.look(world, Seen())
