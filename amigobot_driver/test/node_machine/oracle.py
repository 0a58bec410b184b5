# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The invariants of the node: those of the core that apply, and those of its topics, its log and its process."""

from __future__ import annotations

import math
import re

from state_machine.oracle import (
    Check,
    FramesAreCounted,
    Oracle,
    QueuesAreBounded,
    StatusIsTrue,
    VelocitiesKeepTheLimits,
    Violation,
)
from state_machine.records import Seen
from state_machine.sensor_checks import (
    BatteryIsTrue,
    DiagnosticsAreTrue,
    EncodersAreTrue,
    PacketsAreTrue,
    TurnRatesAreTrue,
)
from state_machine.world import World

from .world import NodeWorld

#: s in which a topic shows what is so, on a busy computer.
SHOWN = 4.0
#: s that a message may be old when it comes, after a process was frozen or late.
OLD = 5.0
#: V by which the battery may differ that a packet tells in tenths, filtered.
VOLTS = 0.5
_ERROR = 2  #: a level of diagnostics
_BAD_LINES = re.compile(r"Traceback|\[FATAL\]|Segmentation|core dumped|Exception|Error:")


class NodeCheck(Check):
    """An invariant of what the node shows."""

    def look(self, world: World, seen: Seen) -> None:
        assert isinstance(world, NodeWorld)
        if not world.closed:
            self.look_at_node(world, seen)

    def look_at_node(self, world: NodeWorld, seen: Seen) -> None:
        """Compare; raises Violation."""


class NodeLives(NodeCheck):
    """The process never ends by itself, and no exception reaches its log."""

    def __init__(self) -> None:
        super().__init__()
        self._read = 0

    def look(self, world: World, seen: Seen) -> None:
        assert isinstance(world, NodeWorld)
        log = world.bench.node.log
        lines, self._read = log[self._read :], len(log)
        bad = [line for line in lines if _BAD_LINES.search(line)]
        self.require(not bad, f"its log says {' | '.join(bad)}: {' | '.join(log[-12:])}")
        self.require(world.closed or world.bench.node.running, world.bench.tail())


class StaysFresh(NodeCheck):
    """No odom is old when it comes, and none comes while the robot says nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._silent_since = math.inf

    def look_at_node(self, world: NodeWorld, seen: Seen) -> None:
        bench = world.bench
        for sighting in seen.sightings:
            age = sighting.time - sighting.report.stamp
            allowed = OLD + bench.lateness + (3.0 if world.now - world.woken < 10.0 else 0.0)
            self.require(age <= allowed, f"an odom is {age:.1f} s old when it comes")
        self._silent_since = min(self._silent_since, world.now) if bench.robot_side.silent else math.inf
        if world.now - self._silent_since > world.silence + SHOWN:
            late = bench.odometry_came - self._silent_since
            self.require(late <= world.silence + SHOWN, f"odom comes {late:.1f} s after the robot's last packet")


class NodeStatusIsTrue(StatusIsTrue):
    """Likewise over DDS."""

    AGE = SHOWN


class EmergencyStopIsShown(NodeCheck):
    """`status` says whether the emergency stop is latched."""

    def look_at_node(self, world: NodeWorld, seen: Seen) -> None:
        status = world.bench.status
        steady = world.running_for(SHOWN) and world.clean_for(SHOWN) and world.now - world.woken > SHOWN
        if status and steady and world.now - world.latched_changed > SHOWN:
            self.require(
                status.emergency_stop is world.emergency,
                f"the emergency stop is {'' if world.emergency else 'not '}latched, status says otherwise",
            )


class LinkIsDiagnosed(NodeCheck):
    """/diagnostics comes every second, and says of the link what `status` says, or soon does."""

    def __init__(self) -> None:
        super().__init__()
        self._apart_since = math.inf

    def look_at_node(self, world: NodeWorld, seen: Seen) -> None:
        bench = world.bench
        if world.now - world.woken < SHOWN or not bench.diagnostics:
            return
        age = world.now - bench.diagnosed
        self.require(age <= SHOWN + 2 * bench.lateness, f"no diagnostics for {age:.1f} s")
        level, values = bench.diagnostics["link"]
        apart = (level != _ERROR) is not world.running
        self._apart_since = min(self._apart_since, world.now) if apart else math.inf
        self.require(
            world.now - self._apart_since <= SHOWN + 2 * bench.lateness,
            f"the link is {'up' if world.running else 'down'}, diagnostics give it the level {level} ({values})",
        )


class BatteryStateIsTrue(NodeCheck):
    """`battery_state` has the voltage of the battery."""

    def look_at_node(self, world: NodeWorld, seen: Seen) -> None:
        battery = world.bench.battery
        if battery is None or not (world.running_for(SHOWN) and world.clean_for(SHOWN)):
            return
        came, message = battery
        if came < world.running_since or world.now - world.woken < SHOWN:
            return
        volts = world.bench.robot_side._simulator.battery.volts
        self.require(
            abs(message.voltage - volts) <= VOLTS, f"the battery has {volts:.2f} V, the node says {message.voltage:.2f}"
        )
        age = world.now - came
        self.require(age <= SHOWN + 2 * world.bench.lateness, f"the link is up, and no battery_state for {age:.1f} s")


class RefusedVelocitiesAreCounted(NodeCheck):
    """A velocity that is no number is refused with a line in the log, and counted."""

    def __init__(self) -> None:
        super().__init__()
        self._published = 0
        self._since = math.inf

    def look_at_node(self, world: NodeWorld, seen: Seen) -> None:
        published = world.robot.not_numbers
        if published != self._published:
            self._published, self._since = published, world.now
        if not published or world.now - max(self._since, world.woken) < SHOWN + world.bench.lateness:
            return
        counted = int(world.bench.diagnostics.get("commands", (0, {}))[1].get("refused", 0))
        self.require(counted >= published, f"{published} velocities were no numbers, {counted} counted as refused")
        self.require(bool(world.bench.node.logged(" refused: ")), "a velocity was refused without a line in the log")


class NodeOracle(Oracle):
    """All checks of the node."""

    def __init__(self) -> None:
        super().__init__()
        # These look into the driver core.
        inside = (
            VelocitiesKeepTheLimits,
            QueuesAreBounded,
            FramesAreCounted,
            StatusIsTrue,
            PacketsAreTrue,
            BatteryIsTrue,
            EncodersAreTrue,
            TurnRatesAreTrue,
            DiagnosticsAreTrue,
        )
        self.checks = (
            *(check for check in self.checks if not isinstance(check, inside)),
            NodeStatusIsTrue(),
            NodeLives(),
            StaysFresh(),
            EmergencyStopIsShown(),
            LinkIsDiagnosed(),
            BatteryStateIsTrue(),
            RefusedVelocitiesAreCounted(),
        )

    def at_the_end(self, world: World) -> None:
        """When the node has ended."""
        super().at_the_end(world)
        assert isinstance(world, NodeWorld)
        code = world.bench.node.wait()
        if code:
            raise Violation(f"NodeLives: after Ctrl-C the exit code is {code}; {world.bench.tail()}")
