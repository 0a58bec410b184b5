# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Simulated robots with one physical constant changed by a tenth, and the one figure that must show it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache

from amigobot_driver.profiles import Profile, load_profile
from amigobot_driver.sim import Simulator, SonarModel, Wear
from amigobot_tools.verify.table import all_steps
from amigobot_tools.verify.trial import Figure
from amigobot_tools.verify.verdict import DIFFERS, compare, expected, simulate

ROBOT = "amigo-sh"
FACTOR = 1.1
ALL_STEPS = frozenset(step.name for step in all_steps())

#: Parameter of the simulator: the figure that shows it.
CONSTANTS = {
    "physics.free_speed": "motor.top_speed",
    "physics.motor_time": "motor.time_constant",
    "physics.coast_deceleration": "motor.coast_deceleration",
    "physics.coast_time": "motor.coast_time",
    "physics.brake_deceleration": "motor.brake_deceleration",
    "physics.velocity_ratio": "scale.command",
    "physics.turn_rate_ratio": "scale.turn",
    "physics.acceleration_ratio": "motion.acceleration",
    "physics.deceleration_ratio": "motion.deceleration",
    "physics.turn_acceleration_ratio": "motion.turn_acceleration",
    "physics.turn_deceleration_ratio": "motion.turn_deceleration",
    "physics.watchdog_ratio": "watchdog.time",
    "physics.cycle_ratio": "telemetry.period",
    "physics.boot_time": "reset.time",
    "physics.gyro_scale": "gyro.scale",
    "physics.gyro_period": "gyro.period",
    "physics.battery_divider": "io.battery_divider",
    "units.distance": "scale.position",
    "units.velocity": "scale.velocity",
    "units.angle": "scale.heading",
    "units.wheel_velocity": "scale.wheel",
    "units.range": "sonar.unit",
    "wear.left_scale": "wheel.left_scale",
    "wear.right_scale": "wheel.right_scale",
    "wear.track_scale": "wheel.track",
    "sonar.noise": "sonar.noise",
}


def changed(parameter: str, seed: int, factor: float = FACTOR) -> Simulator:
    """The robot with one constant multiplied by `factor`; "" changes nothing."""
    profile, wear, sonar = load_profile(ROBOT), Wear(), SonarModel()
    part, _, name = parameter.partition(".")
    if part == "physics":
        physics = profile.physics
        profile = replace(profile, physics=replace(physics, **{name: getattr(physics, name) * factor}))
    elif part == "units":
        units = profile.units
        profile = replace(profile, units=replace(units, **{name: getattr(units, name) * factor}))
    elif part == "wear":
        wear = replace(wear, **{name: getattr(wear, name) * factor})
    elif part == "sonar":
        sonar = replace(sonar, **{name: getattr(sonar, name) * factor})
    return Simulator(profile, seed=seed, wear=wear, sonar=sonar)


def differences(simulator: Simulator, steps: Collection[str] = ALL_STEPS) -> list[str]:
    """Keys of the figures that differ from the simulator's."""
    nominal = load_profile(ROBOT)
    trial, results = simulate(simulator, nominal, steps)
    undone = [f"{result.name}: {result.status}, {result.reason}" for result in results if result.status != "done"]
    assert all("not possible on this robot" in text for text in undone)
    compared = compare(trial.figures.values(), _expected(frozenset(steps)))
    return [item.key for item in compared if item.verdict == DIFFERS]


@cache
def _expected(steps: frozenset[str]) -> dict[str, Figure]:
    nominal: Profile = load_profile(ROBOT)
    trial, _ = simulate(Simulator(nominal), nominal, {"config"})
    return expected(nominal, trial.config, steps)
