# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a step works with: the session, the owner, the robot's profile, and what was found so far."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from amigobot_driver import Profile
from amigobot_driver.protocol import Command, CommandTable, Instruction, Parameters, Sip

from .client import Client, Stamped
from .figures import Figure
from .motion import MotionLog
from .owner import Owner

#: s that a robot may take to stop, and s between two checks of that
_STOP_LIMIT, _POLL_PERIOD = 5.0, 0.05
#: m/s; real Pioneers report up to 9 mm/s at rest
_REST = 0.01


class StepFailed(Exception):
    """The robot does not do what the step needs; the message says what."""


@dataclass(frozen=True, slots=True)
class Series:
    """Measured points for a plot."""

    title: str
    x_label: str
    y_label: str
    points: tuple[tuple[float, float], ...]


@dataclass(slots=True)
class Trial:
    """One run of the steps with one robot.

    Args:
        client: The session.
        owner: Who is at the robot.
        profile: Nominal dimensions and units.
        patience: How many times longer than with a real robot to collect random quantities.
    """

    client: Client
    owner: Owner
    profile: Profile
    patience: int = 1
    config: Parameters | None = None
    step: str = ""  #: name of the step that runs
    figures: dict[str, Figure] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)

    # -- findings ---------------------------------------------------------------------------------------------

    def number(
        self,
        key: str,
        title: str,
        value: float | None,
        unit: str,
        uncertainty: float = 0.0,
        *,
        tolerance: float = 0.0,
        parameter: str = "",
        compared: bool = True,
    ) -> None:
        """Keep a quantity; NaN and infinity count as not found. See `Figure`."""
        if value is not None and not math.isfinite(value):
            value = None
        error = uncertainty if math.isfinite(uncertainty) else 0.0
        number = None if value is None else float(value)
        self._keep(Figure(key, self.step, title, number, unit, error, tolerance, parameter, compared))

    def fact(self, key: str, title: str, value: object, *, compared: bool = True) -> None:
        """Keep a fact as a text; None was not found."""
        self._keep(Figure(key, self.step, title, None if value is None else str(value), compared=compared))

    def _keep(self, figure: Figure) -> None:
        self.figures[figure.key] = figure

    def found(self, key: str, default: float) -> float:
        """Return a quantity that an earlier step has found, or the nominal one."""
        figure = self.figures.get(key)
        return figure.value if figure is not None and isinstance(figure.value, float) else default

    def plot(self, key: str, title: str, x_label: str, y_label: str, points: Sequence[tuple[float, float]]) -> None:
        """Keep measured points for the report."""
        self.series[key] = Series(title, x_label, y_label, tuple((_rounded(x), _rounded(y)) for x, y in points))

    # -- scales -----------------------------------------------------------------------------------------------

    @property
    def velocity_unit(self) -> float:
        """m/s for a unit of the wheel velocities."""
        return self.found("scale.velocity", self.profile.units.velocity)

    @property
    def distance_unit(self) -> float:
        """Meters for a unit of X and Y."""
        return self.found("scale.position", self.profile.units.distance)

    def configured(self, name: str) -> int:
        """Return a value of the CONFIG packet by its name; 0 if it was not read, or has no such value."""
        return (self.config.value(name) if self.config is not None else None) or 0

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

    # -- driving ----------------------------------------------------------------------------------------------

    def knows(self, command: CommandTable) -> bool:
        """Return whether a manual lists the command for this firmware."""
        return self.client.dialect.supports(command, self.profile.firmware)

    @contextmanager
    def motors(self) -> Iterator[Client]:
        """Switch the motors on; stop and switch them off at the end.

        Raises:
            StepFailed: They stay off, or a wheel stalls.
        """
        client = self.client
        for _ in range(3):
            client.send(Command.ENABLE(1))
            if client.wait_for(Sip, 0.6, lambda sip: sip.motors_enabled) is not None:
                break
        else:
            raise StepFailed("the motors stay off after ENABLE 1: is the MOTORS button stuck, the battery empty?")
        client.send(Command.SETO())
        first = len(client.packets)
        yield client
        self.rest()
        client.send(Command.ENABLE(0))
        client.wait(0.2)
        sips = [stamped.packet for stamped in client.packets[first:] if isinstance(stamped.packet, Sip)]
        if any(sip.left_stalled or sip.right_stalled for sip in sips):
            raise StepFailed("a wheel has stalled: both must turn freely, and the robot must touch nothing")

    def rest(self) -> None:
        """Stop, and wait until the wheels rest.

        Raises:
            StepFailed: They go on turning.
        """
        client = self.client
        client.send(Command.STOP())
        end = client.now() + _STOP_LIMIT
        still = 0
        while still < 3:
            sip = client.wait_for(Sip, 1.0)
            if sip is None or client.now() > end:
                raise StepFailed("the wheels do not rest within 5 s of STOP")
            fastest = max(abs(sip.left_velocity), abs(sip.right_velocity)) * self.profile.units.velocity
            still = still + 1 if fastest < _REST else 0
            client.wait(_POLL_PERIOD)

    @contextmanager
    def encoders(self) -> Iterator[None]:
        """Stream the encoders during a `with` block, without sonars: both together do not fit into 9600 baud."""
        self.client.send(Command.SONAR(0), Command.ENCODER(2))
        self.client.wait(0.2)
        yield
        self.client.send(Command.ENCODER(0), Command.SONAR(1))

    def log(self, packets: Sequence[Stamped]) -> MotionLog:
        """Return the motion in these packets, in SI units by the scales found so far."""
        return MotionLog(packets, self.distance_unit, self.velocity_unit, self.ticks_per_meter)

    def drive(self, seconds: float, *instructions: Instruction) -> MotionLog:
        """Send commands and return the motion of the seconds after them."""
        self.client.send(*instructions)
        return self.log(self.client.wait(seconds))

    def next_sip(self) -> None:
        """Wait until a standard packet has just come: commands can then be placed in its cycle."""
        if self.client.wait_for(Sip, 1.0) is None:
            raise StepFailed("the standard packets have stopped")


def _rounded(value: float) -> float:
    """Round to what a plot can show, so that reports are small."""
    return float(f"{value:.5g}")
