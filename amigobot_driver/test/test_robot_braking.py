# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""No tuning value that can be set keeps a robot moving after a stop; a dead driver stops it as calculated."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from bench import Bench, lost

from amigobot_driver.profiles import available_profiles, load_profile
from amigobot_driver.robot import TUNABLE, Options
from amigobot_driver.robot.devices.tuning import STOP_TIME
from amigobot_driver.sim import Simulator
from amigobot_driver.sim.world import World

#: s from a stop to its effect at the wheels, and until the servo has come to rest.
REACTION = 2.0


def factory_flash(profile):
    """The FLASH parameters of a new robot."""
    return Simulator(profile)._firmware.flash


def made(profile: str, **flash: int) -> Bench:
    """A connected robot on an endless plane whose FLASH holds these values."""
    robot = load_profile(profile)
    robot = replace(robot, flash={**robot.flash, **flash})
    return Bench(Options(), profile, simulator=lambda: Simulator(robot, World("endless"), baud=0)).connect()


def stopping(speed: float, deceleration: float, delay: float = 0.0) -> tuple[float, float]:
    """Time (s) and distance from the cause of a stop to rest; the braking begins `delay` s later."""
    braking = speed / deceleration
    return delay + braking, speed * (delay + braking / 2)


def time_to_rest(bench: Bench) -> float:
    wheels = bench.simulator._firmware.drive._body
    bench.request(lambda: bench.robot.motion.stop(bench.now))
    fast = lambda: max(abs(wheels.left.velocity), abs(wheels.right.velocity)) >= 0.001  # noqa: E731
    return bench.until(lambda: not fast(), within=2 * STOP_TIME)


def driven_with_the_lowest(profile: str, name: str, velocity: tuple[float, float], seconds: float) -> Bench:
    """A robot at this velocity (m/s, rad/s) for so long, whose tuning value was then set to the lowest one."""
    bench = made(profile)
    bench.run(seconds, cmd_vel=velocity)
    done = bench.request(lambda: bench.robot.tuning.set({name: TUNABLE[name].low}, bench.now))
    bench.run(1.0, cmd_vel=velocity)
    assert done.result().success
    return bench


@pytest.mark.parametrize("velocity", [(0.3, 0.0), (0.0, math.radians(200))], ids=["straight", "turning"])
@pytest.mark.parametrize("name", TUNABLE)
def test_the_lowest_settable_value_stops_in_time(name, velocity):
    bench = driven_with_the_lowest("amigo-sh", name, velocity, 6.0)
    assert time_to_rest(bench) <= STOP_TIME + REACTION


@pytest.mark.parametrize(("name", "velocity"), [("trans_decel", (1.0, 0.0)), ("rot_decel", (0.0, math.radians(200)))])
def test_the_fastest_robot_stops_with_the_lowest_deceleration(name, velocity):
    bench = driven_with_the_lowest("erratic", name, velocity, 4.0)
    assert STOP_TIME - 0.5 <= time_to_rest(bench) <= STOP_TIME + REACTION


@pytest.mark.parametrize("name", available_profiles())
def test_the_factory_settings_of_every_robot_are_allowed(name):
    flash = factory_flash(load_profile(name))
    assert all(TUNABLE[value].allows(getattr(flash, value)) for value in ("trans_decel", "rot_decel"))


@pytest.mark.parametrize(("name", "low", "unit"), [("trans_decel", 100, "mm"), ("rot_decel", 20, "deg")])
def test_a_lower_deceleration_is_refused(name, low, unit):
    bench = made("amigo")
    with pytest.raises(ValueError, match=rf"{name} is {low - 1}, allowed: {low} to 32767 {unit}/s\^2: a stop from"):
        bench.robot.tuning.set({name: low - 1}, bench.now)
    with pytest.raises(ValueError, match=f"{name} is 1, allowed: {low}"):
        Options(tuning={name: 1})


def test_a_lowered_deceleration_is_restored_when_not_requested():
    bench = made("amigo", TransDecel=10)
    bench.request(lambda: bench.robot.configure(Options(tuning={"trans_decel": 300}), bench.now))
    bench.run(2.0)
    assert bench.simulator._firmware.tuning.trans_decel == 300
    bench.request(lambda: bench.robot.configure(Options(), bench.now))
    bench.run(2.0)
    assert bench.simulator._firmware.tuning.trans_decel == 10


#: s from a velocity or a stop on `cmd_vel` to the wheels, at most; recordings of a Pioneer 3-DX have 0.05 to 0.16.
LATENCY = 0.2
#: s from what happens to the braking, without that time: a stop, a publisher that dies, a driver or a link that dies.
CAUSES = 0.0, 0.5, 2.0


def fastest(profile: str) -> float:
    """The speed (m/s) beyond which the driver drives no robot with this FLASH."""
    limits = Bench(Options(max_linear=10.0), profile, baud=0).connect()
    limits.run(3.0)
    return limits.robot.limits.effective[0]


@pytest.mark.parametrize("profile", ["amigo-sh", "p3dx-sh", "erratic"])
def test_a_robot_without_a_driver_stops_within_these_figures(profile: str) -> None:
    speed = fastest(profile)
    robot = load_profile(profile)
    bench = Bench(
        Options(max_linear=speed, profile=profile if profile == "erratic" else ""),
        simulator=lambda: Simulator(robot, World("endless"), baud=0),
    ).connect()
    bench.run(12.0, cmd_vel=(speed, 0.0))
    assert bench.simulator.truth.left_velocity == pytest.approx(speed, rel=0.1)
    start = bench.simulator.truth.pose.x
    bench.up.fault = lost
    bench.run(20.0)
    _, meters = stopping(speed, factory_flash(robot).trans_decel / 1000, LATENCY + CAUSES[-1])
    assert bench.simulator.truth.left_velocity == pytest.approx(0.0, abs=0.001)
    assert 0.7 * meters < bench.simulator.truth.pose.x - start <= meters
