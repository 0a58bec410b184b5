# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The state machine of the node: the rules of the driver core, on the node's world."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st
from state_machine import values
from state_machine.base import initialize, rule
from state_machine.machine import DriverMachine
from state_machine.oracle import Violation
from state_machine.setup import Setup

from amigobot_driver.robot import Refused

from .oracle import NodeOracle
from .world import NodeWorld

#: For the scripts of failures.
NAME = "node_machine.machine.NodeMachine"
#: Steps of one sequence.
STEPS = 25
#: s that anything may take that must come.
PATIENCE = 30.0
#: s that a process may take to start, on a computer with much else to do.
START = 120.0


class NodeMachine(DriverMachine):
    """One robot and one node, from the start of the process to its end."""

    world: NodeWorld

    #: The line of this bench has no delay that does not vary.
    delay_line = None

    def make_oracle(self) -> NodeOracle:
        return NodeOracle()

    @initialize(setup=values.SETUPS, connected=st.sampled_from((True, True, True, False)))
    def begin(self, setup: Setup, connected: bool) -> None:
        """Start the robot and the node, and wait for the link unless calls come before it."""
        self.world = NodeWorld(setup)
        world = self.world
        world.call(lambda: world.bench.wait_until(lambda: world.bench.status, "NodeLives: no status comes", START))
        world.link_changed = world.now  # before this there was no node to find the robot
        if connected:
            self._until(lambda: world.running_for(1.0), "LinkIsTrue: the robot is not found")

    def _until(self, condition, complaint: str) -> None:  # type: ignore[no-untyped-def]
        """Let time pass until the condition holds."""
        end = self.world.now + PATIENCE
        while not condition():
            if self.world.now > end:
                raise Violation(f"{complaint} within {PATIENCE:g} s; {self.world.bench.tail()}")
            self.advance(0.05)

    @rule()
    def settle(self) -> None:
        """Nothing is asked for; the robot comes to rest, and stays there."""
        self._rest()
        self.advance(self.world.reaction + 0.5)

    def _rest(self) -> None:
        world = self.world
        if world.movement is None and world.powered and world.as_built() and not world.jammed:
            self._until(lambda: world.witness.now.at_rest, "StaysAtRest: nothing is asked for, the robot does not rest")

    @rule(linear=values.INSIDE, angular=values.INSIDE, distance=st.sampled_from((0.0, 0.3, -0.2)))
    def mend_and_drive(self, linear: float, angular: float, distance: float) -> None:
        """Everything is in order again; then the robot drives, and moves a distance."""
        world = self.world
        world.heal()
        self._until(lambda: world.running_for(1.0), "LinkIsTrue: all is in order, and the robot is not found")
        world.clear_emergency_stop()
        world.enable_motors(True)
        self.advance(2.5)
        limits = world.profile.limits
        self.drive_for(linear * limits.linear, angular * limits.angular, 1.0)
        if distance:
            self._rest()
            if not isinstance(self._move(distance), Refused):
                self._finish()

    @rule(pause=values.PAUSES)
    def cancel(self, pause: float) -> None:
        """Cancel the goal of an action."""
        self.world.cancel()
        self.advance(pause)

    @rule()
    def finish(self) -> None:
        """Wait for the result of the movement, if there is one: what is drawn does not depend on what happened."""
        self._finish()

    @rule(count=st.sampled_from((1, 20, 50)))
    def send_many_raw(self, count: int) -> None:
        """A caller that floods the line; each call is answered before the next."""
        for _ in range(count):
            self.world.send_raw(0, [], b"")
        self.advance(0.5)

    def drive_for(self, linear: float, angular: float, seconds: float) -> None:
        """Publish a velocity; it is driven at last, if nothing is in the way."""
        world = self.world
        free = self._publish(linear, angular, seconds)
        wanted = self._within_limits(linear, angular)
        reachable = self._reachable(*wanted)
        # A firmware may have lower limits than the profile.
        reachable = reachable and abs(wanted[1]) <= math.radians(world.witness.working("rot_vel_max") or 0)
        if not (free and reachable and world.touched <= {"trans_vel_max", "rot_vel_max"}):
            return
        end = world.now + PATIENCE
        while free and world.now < end:
            try:
                self.oracle.drives.driven(world, *wanted)
                return
            except Violation:
                free = self._publish(linear, angular, 0.1)
        if free:
            self.oracle.drives.driven(world, *wanted)

    def _publish(self, linear: float, angular: float, seconds: float) -> bool:
        """Publish a velocity for a while; whether nothing kept the robot from driving."""
        free = self._free()
        for seen in self.world.advance(seconds, cmd_vel=(linear, angular)):
            self.see(seen)
            free = free and self._free()
        return free

    def guarded(self, action: Callable[[], None]) -> None:
        """Likewise; a failure has the end of the node's log."""
        super().guarded(action)
        if self.failure and not self.failure.notes and hasattr(self, "world"):
            self.failure = replace(self.failure, notes=tuple(self.world.bench.node.log[-15:]))

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            if hasattr(self, "world"):
                self.world.finish()
