# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The state machine: all rules and all checks on one robot, and how many sequences of it are run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from . import values
from .base import initialize
from .reproduction import Failure
from .rules_devices import DeviceRules
from .rules_faults import FaultRules
from .rules_motion import MotionRules
from .rules_settings import SettingRules
from .setup import Setup
from .world import World

#: Steps of one sequence at most.
STEPS = 40


class Statistics:
    """What was run."""

    def __init__(self) -> None:
        self.sequences = self.steps = 0
        self.seconds = 0.0  #: simulated
        self.looked: Counter[str] = Counter()  #: how often each check had something to compare
        self.failures: list[Failure] = []


class DriverMachine(MotionRules, SettingRules, DeviceRules, FaultRules):
    """One robot from the first byte to the last."""

    @initialize(setup=values.SETUPS, connected=st.sampled_from((1.0, 1.0, 1.0, 0.0, None)))
    def begin(self, setup: Setup, connected: float | None) -> None:
        """Start the driver, and wait until the link has been up for so long (s); None: do not wait."""
        self.world = World(setup)
        self.world.connect()
        if connected is None:
            return
        for _ in range(400):
            if self.world.running_for(connected):
                break
            self.advance(0.02)

    def finish_sequence(self) -> None:
        """All is healed; then the robot is found, every request is answered, and the driver ends its session."""
        world = self.world
        world.heal()
        for _ in range(round(world.reconnection / 0.5)):
            self.advance(0.5)
            if world.running_for(1.0):
                break
        self.advance(1.0)
        self.oracle.before_the_end(world)
        for _ in range(20):
            if not world.requests:
                break
            self.advance(0.5)
        world.close()
        self.advance(1.5)
        self.oracle.at_the_end(world)

    def teardown(self) -> None:
        """End a sequence."""
        if hasattr(self, "world") and self.failure is None:
            self.guarded(self.finish_sequence)


def explore(
    sequences: int,
    number: int,
    statistics: Statistics,
    machine: type[DriverMachine] = DriverMachine,
    enough: Callable[[], bool] = lambda: False,
    *,
    steps: int = STEPS,
    skip_first: bool = False,
) -> None:
    """Run sequences that the seed `number` chooses; what fails is in the statistics.

    Hypothesis chooses the sequences; making a failure shorter is left to `reproduction.shorten`, which knows steps and
    is much faster. With `skip_first` the first one does nothing: it is the simplest one, whatever the seed is.
    """
    skipped = not skip_first

    class Collecting(machine):  # type: ignore[misc, valid-type]
        collect = True

        def __init__(self) -> None:
            nonlocal skipped
            super().__init__()
            self.idle, skipped = not skipped or enough(), True

        def teardown(self) -> None:
            if self.idle:
                return
            super().teardown()
            statistics.sequences += 1
            statistics.steps += len(self.steps)
            if hasattr(self, "world"):
                statistics.seconds += self.world.now - self.world.began
            statistics.looked.update(self.oracle.looked())
            if self.failure:
                statistics.failures.append(self.failure)

    seed(number)(Collecting)
    run_state_machine_as_test(
        Collecting,
        settings=settings(
            max_examples=sequences + skip_first,
            stateful_step_count=steps,
            phases=(Phase.generate,),
            deadline=None,
            database=None,
            derandomize=False,
            suppress_health_check=list(HealthCheck),
        ),
    )
