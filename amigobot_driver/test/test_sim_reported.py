# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Robots as reported (`amigobot sim --as NAME`): the driver connects, drives and closes; the doctor."""

from __future__ import annotations

import math

import pytest
from bench import Bench
from sim_client import Client
from test_doctor import causes, look

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import ArcosTail, Command, Reset
from amigobot_driver.robot import Options
from amigobot_driver.sim import Faults, OptionError, SessionState, load_reported
from amigobot_driver.sim.reported import reported_robots
from amigobot_driver.transport.simulated import simulator_of

ROBOTS = reported_robots()
#: What the doctor names at the robots that have a fault.
FAULTY = {"gmu": ["sonar-range"], "madras": ["bad-link"], "modem": ["modem-text"], "p2os69": ["stop-button"]}


def opened(name: str) -> Bench:
    """A driver whose port to the robot has just been opened, at any line speed."""
    url = f"sim://?as={name}&world=empty"
    bench = Bench(Options(), simulator=lambda: simulator_of(url)[0], check_baud=True)
    bench.plug_in()
    bench.simulator.open_port()
    return bench


@pytest.mark.parametrize("name", ROBOTS)
def test_the_driver_connects_drives_and_closes(name: str) -> None:
    bench = opened(name)
    bench.until(lambda: bench.robot.running, 8.0)
    bench.run(1.0)
    own = load_reported(name)
    assert bench.robot.profile.body == load_profile(own.profile.flash["Subtype"]).body
    bench.run(4.0, cmd_vel=(0.3, 0.3))
    bench.run(3.0)
    truth = bench.simulator.truth
    moved = not own.faults.stop_button
    assert (math.hypot(truth.pose.x, truth.pose.y) > 0.5) is moved
    assert max(abs(truth.left_velocity), abs(truth.right_velocity)) < 0.002
    for _ in range(2):  # as `Driver` does while the robot sends
        bench.request(bench.robot.link.close)
        bench.run(0.5)
    assert bench.simulator.session is SessionState.WAIT


@pytest.mark.parametrize("name", ROBOTS)
def test_the_doctor_has_only_the_robots_faults(name: str) -> None:
    found = causes(look(f"sim://?as={name}&check_baud=1"))
    assert [key for key in found if key != "overload"] == FAULTY.get(name, [])  # this computer may be


def test_a_name_accepts_a_profile_of_the_same_body() -> None:
    assert simulator_of("sim://?as=grunt")[0].profile.name == "p3at-sh"
    assert simulator_of("sim://p3at?as=grunt&faults=delay=1")[0].faults.delay == 1
    with pytest.raises(OptionError, match="grunt is the robot p3at-sh, not amigo"):
        load_reported("grunt", "amigo")
    with pytest.raises(OptionError, match="allowed:\n  alcala"):
        load_reported("nobody")


# -- each behavior by itself ------------------------------------------------------------------------------------------


def client(robot: str = "p3dx-sh", **faults: object) -> Client:
    return Client(robot, faults=Faults(**faults))  # type: ignore[arg-type]


def closed(robot: Client) -> Client:
    robot.run(0.5)
    robot.send(Command.CLOSE())
    robot.run(0.1)
    return robot


@pytest.mark.parametrize(("keep", "baud"), [(True, 115200), (False, 9600)])
def test_a_new_line_speed_may_stay_until_a_reset(keep: bool, baud: int) -> None:
    robot = client(keep_baud=keep).open()
    robot.send(Command.HOSTBAUD(4))
    closed(robot)
    assert robot.sim._line.baud == baud
    robot.sim.reset()
    assert robot.sim._line.baud == 9600


def test_a_silent_new_line_speed_is_left_soon() -> None:
    robot = client().open()
    robot.send(Command.HOSTBAUD(4))
    robot.run(0.4, alive=False)
    assert robot.sim._line.baud == 115200
    robot.run(0.2, alive=False)
    assert robot.sim._line.baud == 9600


def test_a_session_left_by_another_program_is_open() -> None:
    robot = client(left_open=38400)
    robot.run(0.5, alive=False)
    assert robot.sim.session is SessionState.OPEN and robot.sim._line.baud == 38400
    closed(robot)
    assert robot.sim._line.baud == 9600


def test_opening_the_port_may_reset_the_robot() -> None:
    robot = client(reset_on_open=2.5)
    robot.sim.open_port()
    robot.write(Command.PULSE().encode())
    assert [type(packet) for packet in robot.run(2.4, alive=False)] == [Reset]
    robot.run(0.2, alive=False)
    robot.open()


def test_a_port_lost_in_session_may_deafen_the_robot() -> None:
    robot = client(deaf_after_loss=True).open()
    robot.run(0.1)
    robot.sim.close_port()
    robot.run(0.05, alive=False)
    robot.write(Command.PULSE().encode())
    assert robot.run(1.9, alive=False) == []
    robot.run(0.2, alive=False)
    robot.open()


@pytest.mark.parametrize(("stay", "on"), [(True, True), (False, False)])
def test_sonars_may_go_on_after_the_session(stay: bool, on: bool) -> None:
    robot = closed(client(sonars_stay_on=stay).open())
    assert robot.sim._hardware.sonar.on is on
    robot.run(5.0, alive=False)
    robot.open()  # the pings of that time do not overflow its first packet


def test_a_hurried_close_may_not_end_the_session() -> None:
    robot = client(hurried_close=0.1).open()
    robot.send(Command.STOP(), Command.CLOSE())
    robot.run(0.05, alive=False)
    assert robot.sim.session is SessionState.OPEN
    assert closed(robot).sim.session is SessionState.WAIT


def test_seto_may_take_two_cycles() -> None:
    robot = client(late_seto=0.15).open()
    robot.send(Command.VEL(300))
    robot.run(2.0)
    robot.send(Command.STOP())
    robot.run(2.0)
    robot.send(Command.SETO())
    assert robot.next(type(robot.sip())).x > 100
    robot.run(0.2)
    assert abs(robot.sip().x) < 5


@pytest.mark.parametrize("two", [False, True])
def test_the_version_may_be_two_texts(two: bool) -> None:
    robot = client(two_versions=two).open()
    tail = robot.config().tail
    assert isinstance(tail, ArcosTail)
    assert (tail.version, tail.gyro_cw, tail.gyro_ccw) == ("1.9", 940, 950)


def test_the_gyro_heading_is_true_where_wheels_skid() -> None:
    own = load_reported("har0070")
    robot = Client(own.profile, wear=own.wear).open()
    robot.send(Command.DHEAD(90))
    robot.run(5.0)
    assert robot.heading == pytest.approx(90, abs=1)
    assert robot.sip().heading * 360 / 4096 == pytest.approx(robot.heading, abs=0.2)
