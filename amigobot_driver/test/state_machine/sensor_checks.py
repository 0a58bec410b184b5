# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The invariants of what the driver reports beside the pose: flags, battery, encoders, gyro, diagnostics."""

from __future__ import annotations

import math
from collections import deque

from amigobot_driver.findings import ERROR
from amigobot_driver.robot import BatteryLevel
from amigobot_driver.robot.monitors import stalls

from .check import Check
from .records import EncoderSighting, Seen, Sighting
from .witness import Tick, turn_rates
from .world import World

#: V by which a voltage in a packet may differ from the battery's: half of its unit.
VOLTS = 0.051
#: s of readings that decide the smoothed voltage, and the weight that older ones keep: three time constants of 3 s.
BATTERY_WINDOW, BATTERY_REST = 10.0, math.exp(-3.0)
#: V of the driver's thresholds: see robot/sensing/battery.py.
CRITICAL_MARGIN, HYSTERESIS = 0.5, 0.3
#: s between two ENCODERpacs beyond which the wheels' angles begin anew: see robot/sensing/encoders.py.
STREAMED = 0.3
#: Standard deviations by which a sample of the gyro may be off: there are many samples.
DEVIATIONS = 5.0
#: s around the middle of a sample of the gyro in which it may have been measured: two periods and a control cycle.
SAMPLE = 0.06


class PacketsAreTrue(Check):
    """The flags and the voltage in a report are those that the robot had when it made the packet."""

    def look(self, world: World, seen: Seen) -> None:
        for sighting in seen.sightings:
            if sighting.made is not None:
                self._compare(world, sighting)

    def _compare(self, world: World, sighting: Sighting) -> None:
        made, report = sighting.made, sighting.report
        assert made is not None
        at = f"at {sighting.time:.2f} s"
        truth = made.status
        if world.profile.firmware != "E":  # an Erratic does not tell of its motors and sonars
            self._same(at, "the motors are on", report.motors_enabled, truth.motors_on)
            self._same(at, "the sonars are on", report.sonar_enabled, truth.sonar_on)
            self._same(at, "it charges", bool(report.charging), truth.charging)
        self._same(at, "the left wheel is stalled", report.left_stalled, truth.left_stalled)
        self._same(at, "the right wheel is stalled", report.right_stalled, truth.right_stalled)
        half = world.profile.units.velocity / 2
        self.require(
            truth.fastest >= half - 1e-6 if report.moving else truth.fastest <= half + 1e-6,
            f"{at} moving is {report.moving}, the faster wheel ran at {truth.fastest:.4f} m/s",
        )
        self.require(
            abs(report.volts - truth.volts) <= VOLTS, f"{at} it says {report.volts:.2f} V, it had {truth.volts:.2f} V"
        )

    def _same(self, at: str, what: str, said: bool, truth: bool) -> None:
        self.require(said == truth, f"{at}, {what}: the report says {said}, at the robot it was {truth}")


class BatteryIsTrue(Check):
    """The smoothed voltage lies where the battery's own has been, and the level and diagnostics follow from it."""

    def __init__(self) -> None:
        super().__init__()
        self._session = -1
        self._readings: deque[tuple[float, float]] = deque()
        self._lowest, self._highest = math.inf, -math.inf

    def look(self, world: World, seen: Seen) -> None:
        for sighting in seen.sightings:
            if sighting.connections != self._session:
                self._session, self._lowest, self._highest = sighting.connections, math.inf, -math.inf
                self._readings.clear()
            if sighting.made is None:
                continue
            volts = sighting.made.status.volts
            self._readings.append((sighting.time, volts))
            self._lowest, self._highest = min(self._lowest, volts), max(self._highest, volts)
        while self._readings and self._readings[0][0] < world.now - BATTERY_WINDOW:
            self._readings.popleft()
        # The first packet of a session may be a damaged one whose checksum is right: two good ones correct it.
        if len(self._readings) > 2 and world.running and world.connections == self._session:
            self._compare(world, seen)

    def _compare(self, world: World, seen: Seen) -> None:
        recent = [volts for _, volts in self._readings]
        # What is older than the window counts by its rest.
        low = min(recent) - BATTERY_REST * (min(recent) - self._lowest) - VOLTS
        high = max(recent) + BATTERY_REST * (self._highest - max(recent)) + VOLTS
        if self._readings[-1][0] - self._readings[0][0] < BATTERY_WINDOW - 1.0:
            low, high = self._lowest - VOLTS, self._highest + VOLTS
        monitor, battery = world.battery, world.profile.battery
        self.require(
            low <= monitor.voltage <= high,
            f"the smoothed voltage is {monitor.voltage:.2f} V, the battery had {low:.2f} to {high:.2f}",
        )
        critical = battery.cutoff + CRITICAL_MARGIN
        possible = {
            BatteryLevel.CRITICAL: low < critical + HYSTERESIS,
            BatteryLevel.LOW: low < battery.low + HYSTERESIS and high >= critical,
            BatteryLevel.GOOD: high >= battery.low,
        }
        self.require(possible[monitor.level], f"the level is {monitor.level.name} with {low:.2f} to {high:.2f} V")
        finding = seen.diagnostics.get("battery")
        if finding and finding[1].startswith("good"):
            self.require(possible[BatteryLevel.GOOD], f"diagnostics say {finding[1]!r} with {low:.2f} to {high:.2f} V")


class EncodersAreTrue(Check):
    """Ticks and wheel angles grow by what each wheel has rolled."""

    def __init__(self) -> None:
        super().__init__()
        self._last: EncoderSighting | None = None

    def look(self, world: World, seen: Seen) -> None:
        for sighting in seen.encoders:
            last, self._last = self._last, sighting
            if last and (last.made.odometer_id, last.connections) == (sighting.made.odometer_id, sighting.connections):
                self._compare(world, last, sighting)

    def _compare(self, world: World, last: EncoderSighting, sighting: EncoderSighting) -> None:
        resolution = world.witness.built[0]  # ticks in a meter
        radius = world.profile.body.wheel_diameter / 2
        before, after = last.reading, sighting.reading
        for side, wheel in enumerate(("left", "right")):
            rolled = sighting.made.wheels[side] - last.made.wheels[side]
            ticks = getattr(after, wheel) - getattr(before, wheel)
            off = math.remainder(ticks - rolled * resolution, 1 << 24)  # the shortest counter of the family
            self.require(
                abs(off) <= 1 + 1e-3,
                f"{wheel}: {ticks} ticks from {before.stamp:.2f} to {after.stamp:.2f} s, {off:.2f} off",
            )
            streamed = 0.0 < after.stamp - before.stamp < STREAMED and sighting.jumps == last.jumps
            if streamed and sighting.made.calibrated and before.odometry and after.odometry:
                name = f"{wheel}_angle"
                way = (getattr(after.odometry, name) - getattr(before.odometry, name)) * radius
                self.require(
                    abs(way - rolled) <= 2 / resolution + 0.02 * abs(rolled),
                    f"at {after.stamp:.2f} s the {wheel} wheel's angle grew by {way:.5f} m, it rolled {rolled:.5f}",
                )


class TurnRatesAreTrue(Check):
    """A sample of the gyro says how fast the robot turned, within what its variance admits."""

    def __init__(self) -> None:
        super().__init__()
        self._ticks: deque[Tick] = deque()

    def look(self, world: World, seen: Seen) -> None:
        self._ticks.extend(seen.ticks)
        while self._ticks and self._ticks[0].time < world.now - 2.0:
            self._ticks.popleft()
        for sample in seen.turn_rates:
            rates = turn_rates([tick for tick in self._ticks if abs(tick.time - sample.stamp) <= SAMPLE])
            if len(rates) < 3:
                continue
            margin = DEVIATIONS * math.sqrt(sample.variance) + 0.02
            self.require(
                min(rates) - margin <= sample.rate <= max(rates) + margin,
                f"at {sample.stamp:.3f} s the gyro says {sample.rate:.4f} rad/s, the robot turned at "
                f"{min(rates):.4f} to {max(rates):.4f} (allowed {margin:.4f})",
            )


class DiagnosticsAreTrue(Check):
    """Diagnostics say of link, motors and sonars what is so at the robot."""

    #: s that something has been so: two packets, and the second between two messages
    AGE = 1.5

    def look(self, world: World, seen: Seen) -> None:
        if not seen.diagnostics:
            return
        link, motors, sonar = (seen.diagnostics[name] for name in ("link", "motors", "sonar"))
        if world.now > world.link_changed:
            self.require(
                (link[0] == ERROR) is not world.running, f"the link is {link[1]!r}, running is {world.running}"
            )
        if not world.running:
            for name in ("motors", "sonar", "battery"):
                said = seen.diagnostics[name]
                self.require(said[0] == ERROR and "no packets" in said[1], f"{name} without a robot: {said[1]!r}")
            return
        latched = motors[1].startswith("emergency stop latched")
        self.require(latched is world.emergency_asked, f"motors: {motors[1]!r}, latched is {world.emergency_asked}")
        if not (world.clean_for(self.AGE) and world.running_for(self.AGE) and world.now - world.woken > self.AGE):
            return
        witness = world.witness
        steady = {
            name: truth
            for name, truth in witness.status.items()
            if world.now - witness.changed.get(name, world.now) >= self.AGE
        }
        stalled = steady.get("stalled")
        # The flag changes during a stall: it is over after a pause, which begins when its last packet is read.
        changed = max(witness.changed.get("stalled", world.now), world.woken)
        over = world.now - changed >= self.AGE + stalls.PAUSE
        if not latched and (stalled or (stalled is False and over)):
            self.require(("stalled" in motors[1]) is stalled, f"motors: {motors[1]!r}, stalled is {stalled}")
        if world.profile.firmware == "E":
            return
        if not latched and steady.get("motors_enabled") is False:
            self.require(not motors[1].startswith("motors on"), f"motors: {motors[1]!r}, they are off")
        if "sonar_enabled" in steady and world.profile.sonar.poses:
            truth = steady["sonar_enabled"]
            self.require(sonar[2]["enabled"] is truth, f"sonar: {sonar[2]['enabled']}, at the robot it is {truth}")
