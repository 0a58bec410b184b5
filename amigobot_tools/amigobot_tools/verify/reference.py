# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulator under the same commands: what is expected of a robot with its profile and its own CONFIG."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from amigobot_driver import Profile
from amigobot_driver.protocol import Parameters
from amigobot_driver.sim import Simulator, SonarModel, Wear, flash_of

from .client import Client
from .line import SimulatorLine
from .runner import Runner, StepResult
from .simulated_owner import SimulatedOwner
from .table import steps_of
from .trial import Trial

#: ratio of simulated to real pings, so that the noise of the expected values is negligible
_PATIENCE = 4
_SEED = 1
#: Settings with which no robot drives if they are 0: a robot that drives has others. The step `config` shows them.
_NEVER_ZERO = {"TransKp", "RotKp", "TransKv", "RotKv", "StallVal", "TicksMM"}


def simulate(
    simulator: Simulator, nominal: Profile, steps: Collection[str], patience: int = 1
) -> tuple[Trial, list[StepResult]]:
    """Run steps with a simulated robot and a simulated owner, on simulated time.

    Args:
        simulator: The robot.
        nominal: Profile that the measurements start from.
        steps: Names of the steps.
        patience: See `Trial`.
    """
    client = Client(SimulatorLine(simulator))
    client.set_profile(nominal)
    client.connect()
    client.open()
    trial = Trial(client, SimulatedOwner(simulator), nominal, patience)
    results = Runner(trial).run([step for step in steps_of(nominal) if step.name in steps])
    client.end()
    return trial, results


def expected(profile: Profile, config: Parameters | None, steps: Collection[str]) -> Trial:
    """Return what the simulator shows.

    CONFIG is expected as a factory ships the robot. Everything else is expected as this robot's own CONFIG says, so
    that a setting of its owner is one difference and not ten; a value that makes no sense is left out.

    Args:
        profile: Of the robot.
        config: What it reports; None if it was not read.
        steps: Names of the steps that were done with it.
    """
    reported = {} if config is None else flash_of(config)
    sane = {keyword: value for keyword, value in reported.items() if value or keyword not in _NEVER_ZERO}
    own = replace(profile, flash={**profile.flash, **sane})
    steps = {*steps, "config"}  # the other steps convert with these settings
    trial, _ = simulate(Simulator(own, seed=_SEED, wear=Wear(), sonar=SonarModel()), profile, steps, _PATIENCE)
    factory, _ = simulate(Simulator(profile, seed=_SEED), profile, {"config"})
    trial.figures.update(factory.figures)
    return trial
