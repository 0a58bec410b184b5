# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a step works with: the session, the person, the robot's profile, and what was found so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from amigobot_driver import Profile
from amigobot_driver.protocol import Command, Parameters, Sip

from .client import Client, Stamped
from .motion import MotionLog
from .person import Person
from .table import FigureRow, Step

Value = float | str | None

_STOP_LIMIT = 5.0  # s that a robot may take to stop
_POLL_PERIOD = 0.05  # s between two checks of that
_REST = 0.01  # m/s; real Pioneers report up to 9 mm/s at rest


class StepError(Exception):
    """The robot does not do what the step needs; the message says what."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One finding: a number is a quantity, a text a fact; None was asked for and not found."""

    key: str  #: "motor.top_speed"
    step: str  #: name of the step
    title: str
    value: Value
    unit: str = ""
    uncertainty: float = 0.0  #: standard uncertainty, in the unit
    tolerance: float = 0.0  #: smallest difference that matters, in the unit; 0: 3 % of the expected value
    parameter: str = ""  #: key of the simulator that is proportional to the quantity: "physics.motor_time"
    compared: bool = True  #: whether it can be compared with the simulator


@dataclass(slots=True)
class Trial:
    """One run of the steps with one robot."""

    client: Client
    person: Person
    profile: Profile  #: nominal dimensions and units
    patience: int = 1  #: how many times longer than with a real robot to collect random quantities
    config: Parameters | None = None
    step: Step | None = None  #: the one that runs
    figures: dict[str, Figure] = field(default_factory=dict)
    _driven_from: int = 0  #: number of packets when the motors were switched on

    # -- findings -----------------------------------------------------------------------------------------------------

    def keep(self, key: str, value: object, error: float = 0.0) -> None:
        """Keep a figure of the step: a float is a quantity (NaN: not found), None not found, all else a fact.

        Args:
            key: Of the figure in steps.yaml; another one is a fact, and its own title.
            value: What was found.
            error: Standard uncertainty from the scatter, in the unit.
        """
        assert self.step is not None
        row = self.step.figures.get(key) or FigureRow(title=key.partition(".")[2])
        if isinstance(value, float):
            found: Value = float(value) if math.isfinite(value) else None
        else:
            found = None if value is None else str(value)
        size = abs(found) if isinstance(found, float) else 0.0
        uncertainty = math.hypot(error if math.isfinite(error) else 0.0, row.floor * size)
        tolerance = row.tolerance or row.share * size
        self.figures[key] = Figure(
            key, self.step.name, row.title, found, row.unit, uncertainty, tolerance, row.parameter, row.compared
        )

    def found(self, key: str, default: float) -> float:
        """Return a quantity that an earlier step has found, or the nominal one."""
        figure = self.figures.get(key)
        return figure.value if figure is not None and isinstance(figure.value, float) else default

    # -- scales -------------------------------------------------------------------------------------------------------

    def configured(self, name: str) -> int:
        """Return a value of the CONFIG packet by its name; 0 if it was not read, or has no such value."""
        return (self.config.value(name) if self.config is not None else None) or 0

    @property
    def watchdog(self) -> float:
        """Watchdog time that CONFIG has, s."""
        return self.configured("watchdog") / 1000 or 2.0

    @property
    def nominal_ticks(self) -> float:
        """Encoder ticks per m as CONFIG or the profile has them; 0: unknown."""
        if ticks := self.configured("ticks_mm"):
            return ticks * 1000.0
        body = self.profile.body
        return body.wheel_ticks / (math.pi * body.wheel_diameter)

    @property
    def ticks_per_meter(self) -> float:
        """Encoder ticks per m; 0: unknown."""
        return self.found("scale.encoder", self.nominal_ticks)

    @property
    def half_track(self) -> float:
        """Meters of wheel travel for each rad of turning, as the firmware computes it."""
        body = self.profile.body
        # The RevCount of an Erratic counts turns of a wheel, and there is no ticks_mm beside it.
        if self.configured("ticks_mm"):
            return body.track_by(self.configured("rev_count"), 1 / self.nominal_ticks) / 2
        return body.track / 2

    def log(self, packets: Sequence[Stamped]) -> MotionLog:
        """Return the motion in these packets, in SI units by the scales found so far."""
        units = self.profile.units
        distance = self.found("scale.position", units.distance)
        return MotionLog(packets, distance, self.found("scale.velocity", units.velocity), self.ticks_per_meter)

    # -- driving ------------------------------------------------------------------------------------------------------

    def motors_on(self) -> None:
        """Switch the motors on, with their encoders streamed, and zero the odometry.

        Raises:
            StepError: They stay off.
        """
        self._driven_from = len(self.client.packets)
        # Without sonars: both together do not fit into 9600 baud.
        self.client.send(Command.SONAR(0), Command.ENCODER(2))
        for _ in range(3):
            self.client.send(Command.ENABLE(1))
            if self.client.wait_for(Sip, 0.6, lambda sip: sip.motors_enabled) is not None:
                self.client.send(Command.SETO())
                return
        raise StepError("the motors stay off after ENABLE 1: is the MOTORS button stuck, the battery empty?")

    def motors_off(self) -> None:
        """Stop, and switch motors and encoders off.

        Raises:
            StepError: The wheels go on turning, or one has stalled since `motors_on`.
        """
        self.rest()
        self.client.send(Command.ENABLE(0), Command.ENCODER(0), Command.SONAR(1))
        self.client.wait(0.2)
        packets = [stamped.packet for stamped in self.client.packets[self._driven_from :]]
        if any(sip.left_stalled or sip.right_stalled for sip in packets if isinstance(sip, Sip)):
            raise StepError("a wheel has stalled: both must turn freely, and the robot must touch nothing")

    def rest(self) -> None:
        """Stop, and wait until the wheels rest.

        Raises:
            StepError: They go on turning.
        """
        client = self.client
        client.send(Command.STOP())
        end, still = client.now() + _STOP_LIMIT, 0
        while still < 3:
            sip = client.wait_for(Sip, 1.0)
            if sip is None or client.now() > end:
                raise StepError("the wheels do not rest within 5 s of STOP")
            fastest = max(abs(sip.left_velocity), abs(sip.right_velocity)) * self.profile.units.velocity
            still = still + 1 if fastest < _REST else 0
            client.wait(_POLL_PERIOD)
