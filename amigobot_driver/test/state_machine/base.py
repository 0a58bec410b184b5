# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What all groups of rules share: a world, an oracle, and a record of the steps that can be run again."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from hypothesis import stateful

from .failure import Failure, Step
from .oracle import Oracle
from .records import Seen
from .world import World

Condition = Callable[[Any], bool]


def _recorded(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def step(self: Base, **arguments: Any) -> None:
        if self.failure is None and not self.idle:
            self.steps.append((function.__name__, arguments))
            self.guarded(functools.partial(function, self, **arguments))

    return step


def rule(*, when: Condition | None = None, **strategies: Any) -> Callable[[Callable[..., None]], Any]:
    """A Hypothesis rule whose runs are recorded. It does nothing unless `when` holds."""

    def decorate(function: Callable[..., None]) -> Any:
        made = stateful.rule(**strategies)(_recorded(function))
        return stateful.precondition(lambda self: not self.idle and when(self))(made) if when else made

    return decorate


def initialize(**strategies: Any) -> Callable[[Callable[..., None]], Any]:
    """A Hypothesis initialize rule whose run is recorded."""
    return lambda function: stateful.initialize(**strategies)(_recorded(function))


#: s between two velocities that are published: see Bench.run.
PUBLISHED = 0.1


class Base(stateful.RuleBasedStateMachine):
    """A world, and an oracle that looks at it whenever time has passed."""

    world: World
    #: A failure is kept, and ends the sequence, instead of being raised.
    collect = False
    #: Its rules do nothing: there is no world.
    idle = False

    def __init__(self) -> None:
        super().__init__()
        self.oracle = self.make_oracle()
        self.steps: list[Step] = []
        self.failure: Failure | None = None

    def make_oracle(self) -> Oracle:
        """The checks of this machine."""
        return Oracle()

    def finish_sequence(self) -> None:
        """What ends every sequence."""

    def guarded(self, action: Callable[[], None]) -> None:
        """Do something that may violate an invariant."""
        try:
            action()
        except Exception as error:
            if not self.collect:
                raise
            self.failure = Failure.of(self.steps, error)

    def advance(self, seconds: float) -> None:
        """Let time pass; the oracle looks all the while."""
        if not seconds:
            self.see(self.world.observe())
        for seen in self.world.advance(seconds):
            self.see(seen)

    def see(self, seen: Seen) -> None:
        """Let the oracle look at what was seen. Raises Violation."""
        self.oracle.look(self.world, seen)

    def drive_for(self, linear: float, angular: float, seconds: float) -> None:
        """Publish a velocity; at the end it is driven, if nothing was in the way."""
        world = self.world
        start = world.witness.now
        free = self._free()
        for seen in world.advance(seconds, cmd_vel=(linear, angular)):
            self.see(seen)
            free = free and self._free()
        linear, angular = self._within_limits(linear, angular)
        slow, slow_turn = world.witness.deceleration
        needed = world.reaction + max(abs(linear - start.linear) / slow, abs(angular - start.angular) / slow_turn)
        if free and self._reachable(linear, angular) and seconds > needed + 0.3 and world.as_built():
            self.oracle.drives.driven(world, linear, angular)

    def _within_limits(self, linear: float, angular: float) -> tuple[float, float]:
        """The velocity that is driven when this one is published."""
        limits, working = self.world.limits, self.world.witness.working
        # Those that set_robot_config has lowered count, too.
        top = min(limits.linear, (working("trans_vel_max") or math.inf) / 1000)
        top_rate = min(limits.angular, math.radians(working("rot_vel_max") or math.inf))
        scale = min(1.0, _share(top, linear), _share(top_rate, angular))
        return linear * scale, angular * scale

    def _reachable(self, linear: float, angular: float) -> bool:
        """The faster wheel has the power for this velocity."""
        return abs(linear) + abs(angular) * self.world.profile.body.track / 2 <= 0.98 * self.world.witness.wheel_top

    def _free(self) -> bool:
        """Nothing keeps the robot from driving."""
        world = self.world
        if world.now - world.witness.touched < 1.0:
            return False  # a wall is in the way
        ready = world.running_for(1.0) and world.clean_for(2.0) and not world.emergency and not world.jammed
        # While the robot does not answer CONFIG the driver does not know its limits, which it says.
        ready = ready and world.knows_the_limits
        # A velocity that expires before the next one is published is driven in jerks.
        ready = ready and float(world.values["cmd_vel_timeout"]) > 1.5 * PUBLISHED
        return ready and world.witness.motors_on and not world.witness.stalled and world.setup.fast_limits


def _share(limit: float, value: float) -> float:
    return limit / abs(value) if value else math.inf
