# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The invariants: small named checks that compare what the driver says and does with what the robot really does."""

from __future__ import annotations

import math
from collections import Counter, deque
from dataclasses import dataclass

from amigobot_driver.connection_policy import MAX_ROLL
from amigobot_driver.protocol import Command, decode
from amigobot_driver.robot.command_queue import MAX_ROUTINE
from amigobot_driver.robot.motion.goal import (
    MOVE_STEP,
    MOVE_TOLERANCE,
    NO_PROGRESS_TIMEOUT,
    START_LIMIT,
    TURN_STEP,
    TURN_TOLERANCE,
)
from amigobot_driver.robot.sensing.encoders import STALE

from .allowance import REST, Allowance, Reach
from .check import Check, Violation
from .records import Movement, Request, Seen, Sighting
from .sensor_checks import BatteryIsTrue, DiagnosticsAreTrue, EncodersAreTrue, PacketsAreTrue, TurnRatesAreTrue
from .witness import Made, Tick, turn_rates
from .world import World

#: Shares and m/s, rad/s by which a servo overshoots its set-point.
OVERSHOOT, OVERSHOOT_LINEAR, OVERSHOOT_ANGULAR = 0.05, 0.02, 0.06
#: m/s and rad/s at which a servo may still creep to its last set-point for a while.
CREEP_LINEAR, CREEP_ANGULAR = 0.005, 0.03
#: s until the firmware's servo has come to rest on its last set-point.
SETTLE = 1.0
#: s by which a stamp may be off that is computed from the arrival of a frame's last byte: a UART's FIFO and a tick.
STAMP = 0.02
#: s after the touch of a wall in which wheels turn in jerks.
JERKS = 0.3
#: s after a packet for which a robot that is reset may seem to move on as that packet says.
BRAKED = 0.2
#: s after an Erratic was switched on in a session in which its packets may be taken for late ones of before.
RESTARTED = 1.0
#: s behind a frozen process in which cycles may be counted anew: eight packets that are late alike.
RECOUNTED = 1.0
#: s after OPEN, and some for the first packet, in which the driver looks for zeroed counters.
ZEROING = 2.0


# -- motion ---------------------------------------------------------------------------------------------------


class MovesOnlyAsAllowed(Check):
    """The robot's velocity is one that a command allows, or on its way down to that at the firmware's deceleration.

    This one check has all bounds of time: each stop, time-out, cancel and emergency stop ends the allowance, and what
    the robot may still do after the reaction time declines from there.
    """

    def __init__(self) -> None:
        super().__init__()
        self._reach = Reach()
        self._last = math.nan
        self._resting_since = math.inf

    def look(self, world: World, seen: Seen) -> None:
        reaction, repair = world.reaction, world.repair
        allowances = world.allowances
        oldest = math.inf
        for tick in seen.ticks:
            horizon = allowances.horizon(tick.time, reaction, repair)
            oldest = min(oldest, horizon)
            allowed = allowances.since(horizon, tick.time)
            # Of commands to rest and others, any may be the one that the robot has.
            linear, angular = (
                min(slow if moves else stop for moves in kinds)
                for kinds, slow, stop in zip(allowances.kinds(horizon, tick.time), tick.slows, tick.stops, strict=True)
            )
            self._reach.step(allowed, (linear, angular), tick.time - self._last if tick.time > self._last else 0.01)
            self._last = tick.time
            if world.as_built() and tick.time > world.forced_until:
                # Each wheel overshoots by a share of its own speed, so that turning shows in the translation.
                half_track = world.profile.body.track / 2
                margin = OVERSHOOT_LINEAR + OVERSHOOT * half_track * max(map(abs, self._reach.angular))
                turn_margin = OVERSHOOT_ANGULAR + OVERSHOOT * max(map(abs, self._reach.linear)) / half_track
                self._inside("m/s", tick.linear, self._reach.linear, margin, tick.time, allowed)
                self._inside("rad/s", tick.angular, self._reach.angular, turn_margin, tick.time, allowed)
                self._rest(tick)
        if seen.ticks:
            allowances.forget(oldest - 1.0)

    def _inside(
        self, unit: str, value: float, reach: tuple[float, float], margin: float, time: float, allowed: Allowance
    ) -> None:
        # A servo overshoots its last set-point too, and comes back.
        margin += OVERSHOOT * max(map(abs, reach))
        self.require(
            reach[0] - margin <= value <= reach[1] + margin,
            f"at {time:.2f} s it moves at {value:.3f} {unit}, allowed is {reach[0]:.3f} to {reach[1]:.3f} ({allowed})",
        )

    def _rest(self, tick: Tick) -> None:
        if self._reach.linear != (0.0, 0.0) or self._reach.angular != (0.0, 0.0):
            self._resting_since = math.inf
            return
        self._resting_since = min(self._resting_since, tick.time)
        rest = tick.time - self._resting_since
        slow = abs(tick.linear) <= CREEP_LINEAR and abs(tick.angular) <= CREEP_ANGULAR
        if rest > SETTLE:
            self.require(
                tick.at_rest or (slow and rest <= 3 * SETTLE),
                f"at {tick.time:.2f} s it moves at {tick.linear:.4f} m/s, {tick.angular:.4f} rad/s, none is allowed "
                f"since {self._resting_since:.2f} s",
            )


class StaysAtRest(Check):
    """A robot at rest does not begin to move without a command, however long the process or the line was interrupted.

    Not while frames get lost one by one: a robot whose watchdog has stopped it goes on with the first frame that it
    hears, and that may be another than the stop.
    """

    def __init__(self) -> None:
        super().__init__()
        self._at_rest = 0

    def look(self, world: World, seen: Seen) -> None:
        for tick in seen.ticks:
            if tick.at_rest:
                self._at_rest += 1
                continue
            rested, self._at_rest = self._at_rest, 0
            if rested < 20 or world.lossless_since > tick.time - 5.0:
                continue
            if tick.time <= world.forced_until or not world.as_built():
                continue
            allowed = world.allowances.since(tick.time - world.reaction, tick.time)
            self.require(bool(allowed), f"at {tick.time:.2f} s the robot begins to move although no command allows it")


class DrivesAsCommanded(Check):
    """A velocity that is published for long enough is driven."""

    def look(self, world: World, seen: Seen) -> None:
        """Only on request: see `driven`."""

    def driven(self, world: World, linear: float, angular: float) -> None:
        """After a velocity was published on a line in order until now."""
        tick = world.witness.now
        # VEL and RVEL take whole mm/s and deg/s.
        self.require(
            abs(tick.linear - linear) <= 0.02 + 0.05 * abs(linear),
            f"{linear:.3f} m/s is published, the robot drives {tick.linear:.3f}",
        )
        self.require(
            abs(tick.angular - angular) <= 0.06 + 0.05 * abs(angular),
            f"{angular:.3f} rad/s is published, the robot turns at {tick.angular:.3f}",
        )


class VelocitiesKeepTheLimits(Check):
    """No velocity goes to the robot above the user's limits, with those of a moment before.

    The robot's own limits, which the driver sets, too, would hide a driver that ignores its own.
    """

    #: s in which a command may leave that was waiting when the limits changed
    MOMENT = 0.1

    def __init__(self) -> None:
        super().__init__()
        self._read = 0

    def look(self, world: World, seen: Seen) -> None:
        log, start, self._read = world.bench.up.log, self._read, len(world.bench.up.log)
        unit = world.profile.units.wheel_velocity
        for time, data in log[start:]:
            instruction = decode(data)
            value = instruction.value if instruction and isinstance(instruction.value, int) else 0
            if instruction is None or not value:
                continue
            if instruction.command is Command.VEL:
                self._compare(world, time, value / 1000, "linear", 0.0005)
            elif instruction.command is Command.RVEL:
                self._compare(world, time, math.radians(value), "angular", math.radians(0.5))
            elif instruction.command is Command.VEL2:
                for byte in divmod(value, 256):
                    self._compare(world, time, ((byte + 128) % 256 - 128) * unit, "linear", 1e-6)

    def _compare(self, world: World, time: float, velocity: float, axis: str, rounding: float) -> None:
        changes = world.user_limits
        ends = [*(since for since, _ in changes[1:]), math.inf]
        limit = max(
            getattr(limits, axis) for (_, limits), end in zip(changes, ends, strict=True) if end >= time - self.MOMENT
        )
        self.require(
            abs(velocity) <= limit + rounding + 1e-9,
            f"at {time:.2f} s {velocity:.3f} is sent, the {axis} limit is {limit:.3f}",
        )


class MovementsArrive(Check):
    """A movement travels what was asked for, or fails; what it reports is what it travelled; it ends."""

    def look(self, world: World, seen: Seen) -> None:
        movement = world.movement
        if movement:
            waiting = START_LIMIT if movement.values_coming else 0.0
            self.require(
                movement.at_rest_for <= waiting + NO_PROGRESS_TIMEOUT + world.reaction + 2 * SETTLE,
                f"{movement.what} {movement.wanted:.3f} goes on although the robot has been at rest for "
                f"{movement.at_rest_for:.1f} s",
            )
        finished, world.finished_movements = world.finished_movements, []
        for movement in finished:
            self._ended(world, movement)

    def _ended(self, world: World, movement: Movement) -> None:
        assert movement.outcome is not None
        assert movement.end is not None
        what = f"{movement.what} {movement.wanted:.4f}"
        self._rests(world, movement, what)
        message = movement.outcome.message
        coming = movement.motors_coming and world.motors_are_coming
        self.require(
            not (coming and "the motors are off" in message), f"{what} ends while the motors are coming: {message}"
        )
        if not movement.in_order:
            return
        turning = movement.what == "turn"
        if turning:
            travelled = math.remainder(movement.end.heading - movement.heading - movement.wanted, math.tau)
            travelled += movement.wanted
            tolerance, unit = TURN_TOLERANCE + math.radians(0.5), angle_unit(world)
        else:
            travelled = movement.end_travel - movement.travel
            tolerance, unit = MOVE_TOLERANCE, world.profile.units.distance
        if movement.outcome.success:
            step = TURN_STEP if turning else MOVE_STEP
            # A heading that is nearer than the firmware's step is reached without a motion.
            tolerance = min(tolerance, abs(movement.wanted) / 2 if abs(movement.wanted) >= step else 0.75 * step)
            self.require(
                abs(travelled - movement.wanted) <= tolerance + 2 * unit,
                f"{what} is reported as reached, the robot travelled {travelled:.4f}",
            )
        reported = world.travelled(movement)
        # The newest packet is one cycle and its way on the line old.
        age = 0.2 + world.reaction
        speed = abs(movement.end.angular if turning else movement.end.linear)
        if not movement.outcome.success:
            speed = max(speed, abs(movement.known[turning]))  # it may end before a packet shows the robot at rest
        self.require(
            abs(math.remainder(reported - travelled, math.tau) if turning else reported - travelled)
            <= tolerance / 2 + 2 * unit + speed * age,
            f"{what} reports {reported:.4f}, the robot travelled {travelled:.4f}",
        )

    def _rests(self, world: World, movement: Movement, what: str) -> None:
        """The result comes when the robot is at rest, or says why it could not wait for that."""
        assert movement.outcome is not None
        assert movement.end is not None
        message = movement.outcome.message
        lost = "may have rolled on" in message
        self.require(
            lost is not movement.linked, f"{what} says {message!r} with the link {'up' if movement.linked else 'down'}"
        )
        overdue = "has not come to rest" in message
        if lost or overdue or world.allowances.at(movement.ended) or world.now <= world.forced_until:
            return
        if not world.as_built():
            return  # its servo may oscillate: it is at rest in between
        slow = abs(movement.end.linear) <= CREEP_LINEAR and abs(movement.end.angular) <= CREEP_ANGULAR
        self.require(slow, f"{what} has its result before the robot is at rest")


# -- odometry -------------------------------------------------------------------------------------------------


def angle_unit(world: World) -> float:
    """rad that the heading in the robot's packets is counted in."""
    return math.tau / 360 if world.profile.quirks.heading_in_degrees else math.tau / 4096


@dataclass(slots=True)
class _Frame:
    """From the world's frame to the odometry frame, as of one packet."""

    x: float
    y: float
    rotation: float

    @staticmethod
    def between(sighting: Sighting) -> _Frame:
        made, odometry = sighting.made, sighting.report.odometry
        assert made is not None
        rotation = math.remainder(odometry.yaw - made.tick.heading, math.tau)
        cos, sin = math.cos(rotation), math.sin(rotation)
        x, y = made.tick.x, made.tick.y
        return _Frame(odometry.x - cos * x + sin * y, odometry.y - sin * x - cos * y, rotation)

    def pose(self, sighting: Sighting) -> tuple[float, float, float]:
        """Where the robot really was, in the odometry frame."""
        assert sighting.made is not None
        tick = sighting.made.tick
        cos, sin = math.cos(self.rotation), math.sin(self.rotation)
        return self.x + cos * tick.x - sin * tick.y, self.y + sin * tick.x + cos * tick.y, tick.heading + self.rotation


def _seems_to_go_on(last: Made, made: Made) -> bool:
    """The counters began anew, where they would be by now if the robot had gone on as it did."""
    linear, angular = last.tick.linear, last.tick.angular
    x, y, heading = (now - before for now, before in zip(made.odometer, last.odometer, strict=True))
    heading = math.remainder(heading, math.tau)
    middle = last.odometer[2] + heading / 2
    ahead, aside = x * math.cos(middle) + y * math.sin(middle), y * math.cos(middle) - x * math.sin(middle)
    longest = min(made.time - last.time, MAX_ROLL)
    speed = max(abs(linear), abs(angular))
    time = max(0.0, min(longest, (ahead * linear + heading * angular) / speed**2)) if speed else 0.0
    return abs(aside) < 0.01 and abs(ahead - linear * time) < 0.01 and abs(heading - angular * time) < 0.03


def _unseen(last: Made, made: Made) -> tuple[float, float]:
    """m and rad by which the estimate of what a robot moved between packets of different counters may be wrong.

    No packet tells it: all of it may be missing, or what a robot that braked at once would have moved is too much.
    """
    return (
        max(2 * abs(made.path - last.path), BRAKED * abs(last.tick.linear)),
        max(2 * abs(made.turned - last.turned), BRAKED * abs(last.tick.angular)),
    )


def _extrapolated(last: Made, made: Made) -> tuple[float, float]:
    """m and rad between two packets, by what the robot moved and by the velocities that the packets tell."""
    time = made.time - last.time
    return (
        abs(made.path - last.path) + time * max(abs(last.tick.linear), abs(made.tick.linear)),
        abs(made.turned - last.turned) + time * max(abs(last.tick.angular), abs(made.tick.angular)),
    )


class OdometryFollows(Check):
    """The odometry follows the truth within the resolution of the counters: position, heading and direction.

    Where the counters begin anew (a new session, SETO, a reset) and where the odometry is set, it goes on from where it
    was: only what the robot moved between the packets on either side may be missing.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last: Sighting | None = None
        self._frame: _Frame | None = None
        self._path = self._turned = 0.0
        self._restarts = 0  #: times that ENCODERpacs were missing since the frames were aligned
        self._ticked = math.inf  #: s, stamp of the last ENCODERpac that moved the pose

    def look(self, world: World, seen: Seen) -> None:
        for reading in (encoders.reading for encoders in seen.encoders if encoders.reading.odometry):
            # Where ENCODERpacs are missing, the pose goes on with the SIP's coarser counters.
            self._restarts += reading.stamp - self._ticked >= STALE
            self._ticked = reading.stamp
        for sighting in seen.sightings:
            if sighting.made is not None:
                self._take(world, sighting)

    def _take(self, world: World, sighting: Sighting) -> None:
        made, odometry = sighting.made, sighting.report.odometry
        assert made is not None
        last, self._last = self._last, sighting
        # With other gains the servo may oscillate faster than packets come.
        if last is None or self._frame is None or not world.as_built():
            self._align(sighting)
            return
        assert last.made is not None
        anew = made.epoch != last.made.epoch and sighting.connections != last.connections
        if anew and abs(last.made.tick.angular) > math.pi / 2:
            # Documented: its heading a second later tells nothing.
            self._align(sighting)
            return
        if sighting.settings != last.settings:
            self._was_set(world, last, sighting)
            self._align(sighting)
            return
        same = (made.epoch, sighting.connections) == (last.made.epoch, last.connections)
        gap = turn = 0.0
        if not same:
            # The counters are rounded before it and after it.
            gap, turn = _unseen(last.made, made)
            gap, turn = gap + world.profile.units.distance, turn + angle_unit(world)
            if made.path < last.made.path or made.turned < last.made.turned:  # another simulator: it was switched on
                self._align(sighting)
                return
        if anew and _seems_to_go_on(last.made, made):
            # Documented: no packet tells whether such a robot has gone on meanwhile or was reset.
            more, more_turn = _extrapolated(last.made, made)
            gap, turn = gap + more, turn + more_turn
        at_origin = max(map(abs, made.odometer[:2])) < world.profile.units.distance
        jerked = (not same or at_origin) and world.witness.touched > last.made.time - JERKS
        if jerked:
            # At a wall wheels turn in jerks, whose velocity in a packet says nothing of what the robot moved until its
            # counters began anew; and counters that a jerk brought to zero may have been zeroed.
            more, more_turn = _extrapolated(last.made, made)
            gap, turn = gap + more, turn + more_turn
        if not sighting.punctual and sighting.time - world.running_since < ZEROING:
            # Behind OPEN the counters may have been zeroed; late packets leave open how far it moved since.
            self._align(sighting)
            return
        path, turned = made.path - self._path, made.turned - self._turned
        x, y, heading = self._frame.pose(sighting)
        position, angle = self._tolerance(world, path, turned)
        off = math.hypot(odometry.x - x, odometry.y - y)
        yaw_off = abs(math.remainder(odometry.yaw - heading, math.tau))
        jump = "" if same else f", {gap:.4f} m and {turn:.4f} rad of them unseen as the counters began anew"
        way = f"after {path:.3f} m and {turned:.3f} rad{jump}"
        if made.calibrated or not same:
            self.require(
                yaw_off <= angle + turn,
                f"at {sighting.time:.2f} s the yaw is {yaw_off:.4f} rad off (allowed {angle + turn:.4f}) {way}",
            )
            self.require(
                off <= position + gap + turn * path,
                f"at {sighting.time:.2f} s the position is {off:.4f} m off (allowed {position + gap:.4f}) {way}",
            )
        if jerked or not (same and made.calibrated):
            self._align(sighting)

    def _tolerance(self, world: World, path: float, turned: float) -> tuple[float, float]:
        """m and rad that the counters' resolution explains, since the frames were aligned."""
        built = world.witness.built
        profile = world.profile
        unit, step = profile.units.distance, angle_unit(world)
        # One tick of each wheel, and a track that the firmware's RevCount has slightly otherwise than the profile.
        tick = math.tau / built[1]
        track = built[1] / math.pi / built[0]
        scale = abs(track / profile.body.track - 1)
        angle = (1.2 + self._restarts) * step + 2 * tick + scale * turned
        return (2 + self._restarts) * unit + 2 / built[0] + path * angle, angle

    def _was_set(self, world: World, last: Sighting, sighting: Sighting) -> None:
        wanted = world.odometry_set
        made = sighting.made
        assert wanted is not None
        assert made is not None
        assert last.made is not None
        if sighting.settings - last.settings > 1 or not all(map(math.isfinite, wanted)):
            return
        moved, turned = abs(made.path - last.made.path), abs(made.turned - last.made.turned)
        if (made.epoch, sighting.connections) != (last.made.epoch, last.connections):
            moved, turned = _unseen(last.made, made)
        position, angle = self._tolerance(world, moved, turned)
        odometry = sighting.report.odometry
        off = math.hypot(odometry.x - wanted[0], odometry.y - wanted[1])
        # Far out a float has no more digits than this.
        coarse = 1e-9 * math.hypot(*wanted[:2])
        self.require(off <= moved + position + coarse, f"set to {wanted}, then {odometry.x:.3f}, {odometry.y:.3f}")
        yaw_off = abs(math.remainder(odometry.yaw - wanted[2], math.tau))
        self.require(yaw_off <= turned + angle + coarse, f"set to {wanted}, then a yaw of {odometry.yaw:.4f} rad")

    def _align(self, sighting: Sighting) -> None:
        assert sighting.made is not None
        self._frame = _Frame.between(sighting)
        self._path, self._turned, self._restarts = sighting.made.path, sighting.made.turned, 0


class TwistIsTrue(Check):
    """The twist in the odometry is the robot's velocity at that packet, and its mean turn rate since the one before."""

    def __init__(self) -> None:
        super().__init__()
        self._last: Sighting | None = None
        self._ticks: deque[Tick] = deque()

    def look(self, world: World, seen: Seen) -> None:
        self._ticks.extend(seen.ticks)
        while self._ticks and self._ticks[0].time < world.now - 5.0:
            self._ticks.popleft()
        for sighting in seen.sightings:
            if sighting.made is not None:
                self._take(world, sighting)
            else:
                self._last = None  # damaged with a right checksum: the turn since then is wrong, too

    def _take(self, world: World, sighting: Sighting) -> None:
        made, odometry = sighting.made, sighting.report.odometry
        assert made is not None
        last, self._last = self._last, sighting
        units = world.profile.units
        self.require(
            abs(odometry.linear - made.tick.linear) <= units.velocity + 1e-6,
            f"at {sighting.time:.2f} s it says {odometry.linear:.4f} m/s, the robot drove {made.tick.linear:.4f}",
        )
        if (
            last is None
            or last.made is None
            or not last.made.time < made.time <= last.made.time + 4.0
            or not made.calibrated
        ):
            return
        ticks = [tick for tick in self._ticks if last.made.time <= tick.time <= made.time]
        # At a wall a wheel turns in jerks: it is at rest after each of them.
        rates = [made.tick.angular, *(tick.angular for tick in ticks), *turn_rates(ticks)]
        dt = made.time - last.made.time
        low, high = min(rates), max(rates)
        # A heading is a whole number of counts at either end; and arrival times give the length of a cycle.
        # Behind a lost SIP, or one of no session, the odometry may divide by the time of one cycle.
        span = min(dt, world.info_cycle)
        margin = 2 * angle_unit(world) / span + 0.1 * max(abs(low), abs(high)) + 0.01
        if not sighting.punctual:
            # Packets that came late: the time between them says little, as little as 0.4 of a cycle counts as one.
            margin += 1.5 * max(abs(low), abs(high)) + 3 * angle_unit(world) / dt
        if made.epoch != last.made.epoch:
            # What it turned before its counters began anew may be missing, or be estimated by as much too much.
            margin += 2 * abs(made.turned - last.made.turned) / dt
        self.require(
            low - margin <= odometry.angular <= high + margin,
            f"at {sighting.time:.2f} s it says {odometry.angular:.4f} rad/s, the robot turned at {low:.4f} to "
            f"{high:.4f}",
        )


class StampsAreTrue(Check):
    """Stamps rise, and say when the packet was put on the line; nothing old is published as new."""

    def __init__(self) -> None:
        super().__init__()
        self._last = -math.inf
        self._ticks, self._session = -1, -1
        self._restarted_until = self._late_until = -math.inf
        self._counted = True

    def look(self, world: World, seen: Seen) -> None:
        for sighting in seen.sightings:
            stamp = sighting.report.stamp
            self.require(stamp > self._last, f"a stamp of {stamp:.4f} s after one of {self._last:.4f} s")
            # Packets that came in a heap are a microsecond apart.
            self.require(stamp <= sighting.time + 1e-4, f"a stamp {stamp - sighting.time:.4f} s in the future")
            self._last = stamp
            made = sighting.made
            if made is None:
                continue
            if made.odometer_id != self._ticks and sighting.connections == self._session:
                # An Erratic that was switched on again in a session begins new cycles, and no packet says so: the first
                # ones may be taken for late ones of the cycles before.
                self._restarted_until = sighting.time + RESTARTED
            self._ticks, self._session = made.odometer_id, sighting.connections
            if not sighting.punctual:
                # How many packets there were meanwhile is known with the first that did not wait for the line.
                self._counted = False
                # Packets that were delayed differently seem to be of a shorter cycle, for up to two blocks of 16.
                self._late_until = made.time + 2 * 16 * world.info_cycle
            elif _overloaded(world, made):
                self._counted = False  # nothing tells the delay from a longer cycle
            elif not self._counted and made.starts > made.time + STAMP:
                continue
            elif sighting.clean:
                self._counted = True
                off = stamp - made.time
                early = 1.5 * STAMP if made.time <= self._late_until else STAMP
                late = STAMP
                if sighting.time <= max(self._restarted_until, world.woken + RECOUNTED):
                    early = late = world.info_cycle
                self.require(-early <= off <= late, f"at {sighting.time:.3f} s a stamp is {off:.4f} s off")


# -- requests -------------------------------------------------------------------------------------------------


class RequestsAreAnswered(Check):
    """Every request ends within its bound, and with its session."""

    def look(self, world: World, seen: Seen) -> None:
        for request in world.requests:
            self.require(
                request.waited <= request.bound,
                f"{request.text} is not answered after {request.waited:.1f} s (bound {request.bound:.1f})",
            )
            if request.ends_with_session:
                self.require(request.orphaned < 1.0, f"{request.text} goes on without a session")


class AnswersAreTrue(Check):
    """An answer of success is what the robot holds, at the latest when what was on its way has arrived."""

    def __init__(self) -> None:
        super().__init__()
        self._doubtful: list[tuple[float, Request]] = []

    def look(self, world: World, seen: Seen) -> None:
        for request in seen.ended:
            assert request.outcome is not None
            self.require(bool(request.outcome.message), f"{request.text} was answered without a word")
            if request.wrong:
                self._doubtful.append((world.now + 2 * world.reaction, request))
        kinds = {request.kind for request in seen.ended} | {request.kind for request in world.requests}
        for due, request in list(self._doubtful):
            assert request.outcome is not None
            replaced = request.kind in kinds and request not in seen.ended
            if replaced or not world.running or world.running_since > request.asked:
                self._doubtful.remove((due, request))
            elif "do not report it" in request.outcome.message and world.clean_since > request.asked:
                self._doubtful.remove((due, request))  # it says that nothing confirms it
            elif world.now >= due:
                self._doubtful.remove((due, request))
                wrong = request.judge(request.outcome)
                self.require(not wrong, f"{request.text} was answered {request.outcome}: {wrong}")


class UntouchedValuesStay(Check):
    """No working parameter changes that was never asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._witness: object = None
        self._before: dict[str, int] = {}

    def look(self, world: World, seen: Seen) -> None:
        if world.witness is not self._witness:
            self._witness, self._before = world.witness, world.witness.parameters()
            return
        changed = {
            name: (value, now)
            for name, value in self._before.items()
            if name not in world.touched and (now := world.witness.working(name)) != value
        }
        derived = {"ticks_per_meter", "ticks_per_turn", "drift", "host_baud", "baud_host"}
        changed = {name: values for name, values in changed.items() if name not in derived}
        self.require(not changed, f"changed although nothing asked for it: {changed}")


# -- link and status ------------------------------------------------------------------------------------------


class LinkIsTrue(Check):
    """A robot that is there is found; a session that the driver believes in is one at the robot."""

    def __init__(self) -> None:
        super().__init__()
        self._apart_since = math.inf

    def look(self, world: World, seen: Seen) -> None:
        if world.closed:
            return
        if (
            world.plugged
            and world.clean_for(world.reconnection)
            and not world.meddling.since(world.now - world.reconnection, "all")
        ):
            self.require(
                world.running or world.now - world.link_changed < world.reconnection,
                f"the robot is there for {world.now - world.clean_since:.1f} s and not connected: {world.note}",
            )
        apart = world.running and not world.witness.in_session
        # A process that was frozen counts the silence from when it went on.
        self._apart_since = max(world.woken, min(self._apart_since, world.now)) if apart else math.inf
        silence = world.silence + 2 * world.reaction
        if world.profile.firmware == "E":
            return  # it streams and obeys without a session
        self.require(world.now - self._apart_since <= silence, "the driver runs a session that the robot has not")


def _overloaded(world: World, made: Made) -> bool:
    """The robot makes more than its line carries: this packet waited for more than a cycle."""
    return made.starts > made.time + world.info_cycle


class StatusIsTrue(Check):
    """What the driver says of motors, sonars and stalls is what the robot has had for two packets."""

    #: s: two cycles, and a line that carries them
    AGE = 0.5

    def __init__(self) -> None:
        super().__init__()
        self._overloaded_at = -math.inf  #: s, when a packet last waited for too long

    def look(self, world: World, seen: Seen) -> None:
        """An Erratic does not tell of its motors; its sonars are concluded from the packets that stay out."""
        report = world.report
        for sighting in seen.sightings:
            if sighting.made is not None and _overloaded(world, sighting.made):
                self._overloaded_at = world.now
        steady = world.clean_for(self.AGE) and world.running_for(self.AGE) and world.witness.in_session
        if report is None or not steady or world.now - max(world.woken, self._overloaded_at) < self.AGE:
            return
        said = {
            "motors_enabled": report.motors_enabled,
            "sonar_enabled": report.sonar_enabled,
            "stalled": report.left_stalled or report.right_stalled,
        }
        for name, truth in world.witness.status.items():
            untold = world.profile.firmware == "E" and name != "stalled"
            if not untold and world.now - world.witness.changed.get(name, world.now) >= self.AGE:
                self.require(truth == said[name], f"{name} is {truth} at the robot, the driver says {said[name]}")


class QueuesAreBounded(Check):
    """Nothing that waits grows without end."""

    def look(self, world: World, seen: Seen) -> None:
        waiting = world.waiting
        self.require(max(waiting.values()) <= MAX_ROUTINE, f"queues of commands: {waiting}")


class FramesAreCounted(Check):
    """Each frame on the line is counted as sent, each command as sent, refused, replaced, dropped or still waiting."""

    def look(self, world: World, seen: Seen) -> None:
        on_line, counted = world.frames
        self.require(on_line <= counted, f"{on_line} frames on the line, {counted} counted")
        queued, became = world.accounts
        self.require(queued == became, f"{queued} commands were queued, {became} of them accounted for")


class Oracle:
    """All checks."""

    def __init__(self) -> None:
        self.drives = DrivesAsCommanded()
        self.checks: tuple[Check, ...] = (
            MovesOnlyAsAllowed(),
            StaysAtRest(),
            self.drives,
            VelocitiesKeepTheLimits(),
            MovementsArrive(),
            OdometryFollows(),
            TwistIsTrue(),
            StampsAreTrue(),
            RequestsAreAnswered(),
            AnswersAreTrue(),
            UntouchedValuesStay(),
            LinkIsTrue(),
            StatusIsTrue(),
            PacketsAreTrue(),
            BatteryIsTrue(),
            EncodersAreTrue(),
            TurnRatesAreTrue(),
            DiagnosticsAreTrue(),
            QueuesAreBounded(),
            FramesAreCounted(),
        )

    def look(self, world: World, seen: Seen) -> None:
        for check in self.checks:
            check.look(world, seen)

    def before_the_end(self, world: World) -> None:
        """When all has been in order for a while."""
        world_runs = world.running or world.meddling.since(world.now - world.reconnection, "all")
        if not world_runs:
            raise Violation(f"LinkIsTrue: all is in order, and the robot is not found: {world.note}")

    def at_the_end(self, world: World) -> None:
        """When the driver has ended."""
        if world.requests:
            raise Violation(f"RequestsAreAnswered: {[request.text for request in world.requests]} at the end")
        if world.witness.in_session:
            raise Violation("LinkIsTrue: the driver has ended, and the robot's session has not")
        if world.witness.motors_on:
            raise Violation("LinkIsTrue: the driver has ended, and the robot's motors are on")

    def looked(self) -> Counter[str]:
        """How often each check had something to say."""
        return Counter({check.name: check.looked for check in self.checks})


__all__ = ["REST", "Check", "Oracle", "Violation"]
