# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Records what a simulated robot really does: each tick of its controller and each frame that it makes."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from amigobot_driver.profiles import Physics
from amigobot_driver.sim import SessionState, Simulator
from amigobot_driver.sim.controller import TICK
from amigobot_driver.sim.line import SendPriority

#: m/s of a wheel below which it is at rest: half of what a packet can tell.
AT_REST = 0.0005
#: Numbers of the epochs, of all simulators: a robot that was switched on anew is another one.
_EPOCHS = count(1)
#: s of ticks and frames that are kept.
KEPT = 20.0


@dataclass(frozen=True, slots=True)
class Tick:
    """The robot after one control cycle: s, m, m, rad, m/s, rad/s."""

    time: float
    x: float
    y: float
    heading: float
    linear: float
    angular: float
    at_rest: bool
    motors_on: bool
    #: m/s^2 and rad/s^2 with which the firmware slows the robot down to rest, and to another velocity
    stops: tuple[float, float]
    slows: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Status:
    """What the robot's packets say beside its motion."""

    motors_on: bool
    sonar_on: bool
    left_stalled: bool
    right_stalled: bool
    charging: bool
    volts: float
    fastest: float  #: m/s, the faster wheel


@dataclass(frozen=True, slots=True)
class Made:
    """A frame that the robot made: what it was made of, and when its first byte goes on the line."""

    time: float  #: s
    starts: float  #: s
    data: bytes
    tick: Tick
    path: float  #: m that the robot's middle had gone, forwards or backwards
    turned: float  #: rad that it had turned, either way
    #: changes when the robot's counters start anew, or count in other units than its wheels have
    epoch: int
    odometer: tuple[float, float, float]  #: m, m, rad, of the robot's own counters
    calibrated: bool  #: the counters have the units of the wheels
    status: Status
    wheels: tuple[float, float]  #: m that the left and the right wheel have rolled
    odometer_id: int  #: changes when the encoders' ticks start anew


def turn_rates(ticks: Sequence[Tick]) -> list[float]:
    """rad/s from each tick to the next, where none is missing between them."""
    return [
        math.remainder(after.heading - before.heading, math.tau) / (after.time - before.time)
        for before, after in pairwise(ticks)
        if 0.0 < after.time - before.time < 1.5 * TICK
    ]


class Witness:
    """Watches one simulator from inside; nothing that it does changes the simulation."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.ticks: list[Tick] = []  #: since they were last taken
        self.made: deque[Made] = deque()
        self.path = self.turned = 0.0
        self.travel = 0.0  #: m that the wheels have rolled, forwards minus backwards
        self.epoch = next(_EPOCHS)
        self._odometer_id = self.epoch
        self._found: dict[bool, float] = {}  #: s, the newest frame that was found, of SIPs and of other packets
        self.touched = -math.inf  #: s, when a wall was last in the way
        #: s, when each of these last changed: motors_enabled, sonar_enabled, stalled
        self.changed: dict[str, float] = {}
        self.status: dict[str, bool] = {}  #: as of the last tick, by the same names
        self._odometer: object = None
        self._calibrated = True
        self._firmware, self._body = simulator._firmware, simulator._body
        self._counted = self._body.left.travel, self._body.right.travel
        self._step, self._send = self._firmware.tick, simulator._line.send
        self._firmware.tick = self._tick  # type: ignore[method-assign]
        simulator._line.send = self._line_send  # type: ignore[method-assign]
        self._watch_odometer()
        self.now = self._look(0.0)
        self.built = self._calibration()

    # -- what holds now ---------------------------------------------------------------------------------------

    @property
    def drive(self) -> object:
        return self._firmware.drive

    @property
    def motors_on(self) -> bool:
        return self._firmware.drive.motors_on

    @property
    def sonar_on(self) -> bool:
        return self.simulator._firmware.hardware.sonar.on

    @property
    def in_session(self) -> bool:
        """A client has opened a session with the robot."""
        return self._firmware.session is SessionState.OPEN

    @property
    def stalled(self) -> bool:
        return any(self._firmware.drive.stalls)

    def _look_at_status(self) -> dict[str, bool]:
        drive = self._firmware.drive
        return {
            "motors_enabled": drive.motors_on,
            "sonar_enabled": self._firmware.hardware.sonar.on,
            "stalled": drive.left_stall.stalled or drive.right_stall.stalled,
        }

    def working(self, name: str) -> int | None:
        """A working parameter by its name in CONFIGpac; None where this firmware has none of that name."""
        value = getattr(self._firmware.working, name, None)
        return value if isinstance(value, int) else None

    def parameters(self) -> dict[str, int]:
        """Every working parameter that is a number."""
        working = self._firmware.working
        names = [name for name in dir(type(working)) if not name.startswith("_")]
        return {name: value for name in names if isinstance(value := getattr(working, name), int)}

    @property
    def deceleration(self) -> tuple[float, float]:
        """m/s^2 and rad/s^2 with which the firmware changes the velocity, the weaker of its two ways."""
        server = self._firmware.drive.server
        linear, angular = server.translation_limits, server.rotation_limits
        return min(linear.acceleration, linear.deceleration), min(angular.acceleration, angular.deceleration)

    @property
    def wheel_top(self) -> float:
        """m/s that a wheel reaches with all the power that the firmware gives it."""
        wheel = self._body.left
        return wheel._free_speed * self._firmware.drive.working.full_power - wheel._physics.friction

    @property
    def digital_outputs(self) -> int:
        return self._firmware.hardware.pins.outputs

    @property
    def analog_port(self) -> int:
        return self._firmware.hardware.pins.selected

    @property
    def sounds_on(self) -> bool:
        return self._firmware.hardware.sounds.enabled

    # -- recording --------------------------------------------------------------------------------------------

    def take_ticks(self) -> list[Tick]:
        """The ticks since the last call."""
        ticks, self.ticks = self.ticks, []
        return ticks

    def find(
        self, data: bytes, stamp: float, by: float, *, whole: bool = True, heap: bool = False, sip: bool = True
    ) -> Made | None:
        """The frame with this data (without its number, if not `whole`), here `by` s, that the driver stamps so.

        Frames come in the order in which they were made; those of a robot at rest may be alike. Those of a `heap` that
        waited somewhere on its way have stamps that say nothing.
        """
        start, found = 0 if whole else 1, self._found.get(sip, -math.inf)
        here = (made for made in tuple(self.made) if made.time > found and made.starts <= by)
        alike = [made for made in here if made.data[start:] == data[start:]]
        if not alike:
            return None
        nearest = alike[0] if heap else min(alike, key=lambda made: abs(made.time - stamp))
        self._found[sip] = nearest.time
        return nearest

    def _tick(self, now: float) -> None:
        self._watch_odometer()
        self._step(now)
        rolled, turned = self._rolled()
        self.travel += rolled
        self.path += abs(rolled)
        self.turned += abs(turned)
        self._counted = self._body.left.travel, self._body.right.travel
        status = self._look_at_status()
        if status != self.status:
            self.changed.update({name: now for name, value in status.items() if value is not self.status.get(name)})
            self.status = status
        if self._body.touching:
            self.touched = now
        self.now = self._look(now)
        self.ticks.append(self.now)

    def _rolled(self) -> tuple[float, float]:
        """What the wheels have done since the last tick was counted: m ahead, rad counter-clockwise."""
        body = self._body
        left, right = body.left.travel - self._counted[0], body.right.travel - self._counted[1]
        return (left + right) / 2, (right - left) / body._track

    def _look(self, now: float) -> Tick:
        body = self._body
        left, right, pose = body.left.velocity, body.right.velocity, body.pose
        return Tick(
            now,
            pose.x,
            pose.y,
            pose.heading,
            (left + right) / 2,
            body.turn_rate,
            max(abs(left), abs(right)) < AT_REST,
            self._firmware.drive.motors_on,
            *self._decelerations(),
        )

    def _decelerations(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The decelerations down to rest and to another velocity; without power the wheels coast."""
        server = self._firmware.drive.server
        axes = server.translation_limits, server.rotation_limits
        stops, slows = (
            (axes[0].deceleration, axes[1].deceleration),
            tuple(axis.acceleration if axis.brakes_only_to_zero else axis.deceleration for axis in axes),
        )
        if self.motors_on:
            return stops, slows
        coasting, track = Physics().coast_deceleration, self._body._track
        left, right = (
            math.copysign(coasting, wheel.velocity) if wheel.velocity else 0.0
            for wheel in (self._body.left, self._body.right)
        )
        # Each wheel rolls out by itself: while both roll the same way, the robot turns on as fast as before.
        coasts = (
            (abs(left + right) / 2, abs(right - left) / track) if left or right else (coasting, 2 * coasting / track)
        )
        return coasts, coasts

    def _status(self) -> Status:
        drive, hardware, body = self._firmware.drive, self._firmware.hardware, self._body
        return Status(
            drive.motors_on,
            hardware.sonar.on,
            drive.left_stall.stalled,
            drive.right_stall.stalled,
            hardware.battery.charging,
            hardware.battery.volts,
            max(abs(body.left.velocity), abs(body.right.velocity)),
        )

    def _watch_odometer(self) -> None:
        odometer = self._firmware.drive.odometer
        if odometer is not self._odometer:
            self._odometer = odometer
            self.epoch = self._odometer_id = next(_EPOCHS)
            zero = odometer.zero

            def watched() -> None:
                self.epoch = next(_EPOCHS)
                zero()

            odometer.zero = watched  # type: ignore[method-assign]

    def _calibration(self) -> tuple[float, float, float]:
        working = self._firmware.drive.working
        return working.ticks_per_meter, working.ticks_per_turn, working.drift

    def _line_send(self, frame: bytes, priority: SendPriority, now: float, deadline: float = float("inf")) -> None:
        calibrated = self._calibration() == self.built
        if calibrated is not self._calibrated:
            self._calibrated = calibrated
            self.epoch = next(_EPOCHS)
        line = self.simulator._line
        line._advance(now)
        waiting = line._sips if priority is SendPriority.SIP else (*line._sips, *line._others)
        starts = max(now, line._free_at) + sum(map(len, waiting)) * line.byte_time
        here = self._look(now)
        odometer = self._firmware.drive.odometer
        counters = odometer.x, odometer.y, odometer.heading
        # A frame is made within a tick, of what the wheels have done until then.
        rolled, turned = self._rolled()
        path, turned = self.path + abs(rolled), self.turned + abs(turned)
        self.made.append(
            Made(
                now,
                starts,
                frame[3:-2],
                here,
                path,
                turned,
                self.epoch,
                counters,
                calibrated,
                self._status(),
                (self._body.left.travel, self._body.right.travel),
                self._odometer_id,
            )
        )
        while self.made[0].time < now - KEPT:
            self.made.popleft()
        self._send(frame, priority, now, deadline)


__all__ = ["KEPT", "TICK", "Made", "Tick", "Witness", "turn_rates"]
