# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One run of the steps with one robot: plays what a step sends, keeps what was found, and runs step after step.

A list in `send` of steps.yaml is sent word by word, and kept under its name for the measurement, as in
`- up: [VEL 500, 3.5]`. A word is

- a command with its argument (`top`: the highest velocity, `fastest`: the highest acceleration; `front`, `all`: these
  sonars) or text,
- a number: a wait in s, with PULSE; `silence`: longer than the watchdog time, without,
- `rest`: stop and wait until the wheels rest; `sip`: wait for the next standard packet; `shift`: wait for a part of
  their cycle, another one in each repetition; `pings N`: wait for N readings of the front sonars,
- `motors on`, `motors off`, and for a robot with a gyro `gyro on`, `gyro off`,
- `close`: end the session; `open`: begin one if there is none,
- `{frame: 12 fe}`: a frame with these bytes, filled with zeros up to `count`, with the checksum `check`: over the data,
  over the count as well, or wrong; `{bytes: fa fb}`: these bytes.

`do ACTION` (`do WALL 0.5`: with a distance in m), `measure WHAT` and `look WHAT` ask the person; nothing turns while
the person is asked to do something. If the person cannot do it, the rest is left out.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from amigobot_driver import AmigoBotError, Profile
from amigobot_driver.doctor import Finding, Severity
from amigobot_driver.protocol import (
    Checksum,
    Command,
    Packet,
    Parameters,
    Sip,
    checksum,
    checksum_with_count,
    encode_frame,
)

from .client import Client, Stamped
from .motion import Instant, motion_log
from .person import Person
from .table import Step, row_of

P = TypeVar("P", bound=Packet)
Value = float | str | None

DONE, SKIPPED, FAILED = "done", "skipped", "failed"

_STOP_LIMIT = 5.0  # s that a robot may take to stop
_POLL_PERIOD = 0.05  # s between two checks of that
_REST = 0.01  # m/s; real Pioneers report up to 9 mm/s at rest
_TOP = 2000  # mm/s that no robot of the family reaches, so that its motors get full power
_FASTEST = 10000  # mm/s^2 that no motor reaches
_MAX_DATA = 253  # bytes of the data of a frame
#: What a robot whose values make no sense may cause in a measurement.
_NONSENSE = ArithmeticError, AttributeError, LookupError, TypeError, ValueError


class StepError(Exception):
    """The robot does not do what the step needs; the message says what."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One finding: a number is a quantity, a text a fact; None was asked for and not found."""

    key: str  #: "motor.top_speed": steps.yaml has its title and unit, and how it is compared
    step: str  #: name of the step
    value: Value
    uncertainty: float = 0.0  #: standard uncertainty, in the unit
    expected: Value = None  #: what the simulator shows; None: nothing to compare with
    expected_uncertainty: float = 0.0
    verdict: str = "unknown"  #: "as simulated", "differs" or "unknown"


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step went."""

    name: str
    title: str
    status: str  #: done, skipped or failed
    reason: str  #: why it is not done
    seconds: float

    @property
    def finding(self) -> Finding:
        """The same for the doctor's terminal."""
        severity = {DONE: Severity.OK, SKIPPED: Severity.NOTE, FAILED: Severity.ERROR}[self.status]
        how = f"{self.seconds:.0f} s" if self.status == DONE else f"{self.status}: {self.reason}"
        return Finding(self.name, severity, f"{self.title}, {how}")


@dataclass(frozen=True, slots=True)
class Phase:
    """What came back for one named list."""

    sent: float  #: s, when its last command was sent
    ended: float  #: s
    packets: list[Stamped]
    trial: Trial

    @property
    def log(self) -> list[Instant]:
        """The motion in it, in SI units by the scales found so far."""
        trial, units = self.trial, self.trial.profile.units
        distance, velocity = (
            trial.found("scale.position", units.distance),
            trial.found("scale.velocity", units.velocity),
        )
        return motion_log(self.packets, distance, velocity, trial.ticks_per_meter)

    def of(self, kind: type[P]) -> list[P]:
        """Return the packets of a kind."""
        return [stamped.packet for stamped in self.packets if isinstance(stamped.packet, kind)]


class Ping(NamedTuple):
    """A reading of a sonar."""

    time: float  #: s
    number: int  #: of the sonar
    range: float  #: m


@dataclass(slots=True)
class Trial:
    """One run of the steps with one robot."""

    client: Client
    person: Person
    profile: Profile  #: nominal dimensions and units
    config: Parameters | None = None
    step: Step | None = None  #: the one that runs
    figures: dict[str, Figure] = field(default_factory=dict)
    phases: dict[str, list[Phase]] = field(default_factory=lambda: defaultdict(list))  #: of the step, by name
    answers: dict[str, Any] = field(default_factory=dict)  #: of the person, by what was asked
    _lifted: bool | None = None  #: None: not asked since the robot stood on the floor
    _moves: bool = False  #: the motors are on
    _driven_from: int = 0  #: number of packets when the motors were switched on

    # -- findings and scales ------------------------------------------------------------------------------------------

    def keep(self, key: str, value: object, error: float = 0.0) -> None:
        """Keep a figure of the step: a float is a quantity (NaN: not found), None not found, all else a fact.

        Args:
            key: Of the figure in steps.yaml; another one is a fact, and its own title.
            value: What was found.
            error: Standard uncertainty from the scatter, in the unit.
        """
        assert self.step is not None
        if not isinstance(value, float):
            self.figures[key] = Figure(key, self.step.name, None if value is None else str(value))
        elif not math.isfinite(value):
            self.figures[key] = Figure(key, self.step.name, None)
        else:
            chance = error if math.isfinite(error) else 0.0
            uncertainty = math.hypot(chance, row_of(key).floor * value)
            self.figures[key] = Figure(key, self.step.name, value, uncertainty)

    def phase(self, name: str) -> Phase:
        """Return what came back for a list of the step, the last time."""
        return self.phases[name][-1]

    def found(self, key: str, default: float) -> float:
        """Return a quantity that an earlier step has found, or the nominal one."""
        figure = self.figures.get(key)
        return figure.value if figure is not None and isinstance(figure.value, float) else default

    def configured(self, name: str) -> int:
        """Return a value of the CONFIG packet by its name; 0 if it was not read, or has no such value."""
        return (self.config.value(name) if self.config is not None else None) or 0

    @property
    def nominal_ticks(self) -> float:
        """Encoder ticks per m as CONFIG or the profile has them; 0: unknown."""
        body = self.profile.body
        return self.configured("ticks_mm") * 1000.0 or body.wheel_ticks / (math.pi * body.wheel_diameter)

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

    @property
    def front_sonars(self) -> list[int]:
        """Numbers of the sonars that look ahead."""
        poses = self.profile.sonar.poses
        flattest = min(abs(pose.heading) for pose in poses)
        return [number for number, pose in enumerate(poses) if abs(pose.heading) < flattest + 0.01]

    def pings(self, packets: Sequence[Stamped]) -> list[Ping]:
        """Return the readings of the front sonars."""
        unit, front = self.profile.units.range, self.front_sonars
        return [
            Ping(stamped.time, reading.number, reading.range * unit)
            for stamped in packets
            if isinstance(stamped.packet, Sip)
            for reading in stamped.packet.sonar
            if reading.number in front
        ]

    # -- what a step sends --------------------------------------------------------------------------------------------

    def play(self) -> bool:
        """Send what the step sends and keep what comes back; False if the person cannot do what is asked for first.

        Raises:
            StepError: The robot does not do what the step needs.
        """
        assert self.step is not None
        self.phases.clear()
        for number in range(self.step.repeat):
            for item in self.step.send:
                name, words = next(iter(item.items())) if isinstance(item, dict) else ("", item)
                if isinstance(words, str):
                    verb, what, *value = name.split()
                    if verb != "look":
                        self._motors_off()
                    self.answers[what] = self.person.ask(verb, what, words, *map(float, value))
                    if verb == "do" and not self.answers[what]:
                        return bool(self.phases)
                elif all(self.client.dialect.supports(Command[name], "") for name, _ in map(_command, words) if name):
                    self._send_list(name, words, (number + 0.5) / self.step.repeat)
        self._motors_off()
        return True

    def _send_list(self, name: str, words: Sequence[Any], share: float) -> None:
        """Send a list; `share` of the cycle is waited at `shift`."""
        assert self.step is not None
        if self.step.moves and not self._moves:
            self._motors_on()
        first, sent = len(self.client.packets), 0.0
        for word in words:
            sent = self._send(word, share) or sent
        if name:
            packets = self.client.packets[first:]
            self.phases[name].append(Phase(sent, self.client.now(), packets, self))

    def _send(self, word: Any, share: float) -> float | None:
        """Send a word; return when, if it is a command."""
        client = self.client
        command, argument = _command(word)
        if command:
            symbols = {
                "": None,
                "top": min(self.configured("trans_vel_top") or _TOP, _TOP),
                "fastest": self.configured("trans_acc_top") or _FASTEST,
                "front": bytes(number + 1 for number in self.front_sonars),
                "all": bytes(range(1, len(self.profile.sonar.poses) + 1)),
            }
            number = argument.removeprefix("-").isdecimal()
            value = int(argument) if number else symbols.get(argument, argument.encode())
            return client.send(Command[command](value))
        if isinstance(word, dict):
            client.send_bytes(self._frame(word) if "frame" in word else bytes.fromhex(word["bytes"]))
        elif not isinstance(word, str):
            client.wait(word)
        elif word.startswith("pings"):
            self._wait_for_pings(int(word.removeprefix("pings")))
        elif word.startswith("gyro"):
            if self.configured("has_gyro"):
                client.send(Command.GYRO(int(word == "gyro on")))
        else:
            silence = 1.3 * (self.configured("watchdog") / 1000 or 2.0) + 2.0
            words: Mapping[str, Callable[[], object]] = {
                "silence": lambda: client.wait(silence, alive=False),
                "shift": lambda: client.wait(share * self.found("telemetry.period", 0.1)),
                "rest": self._rest,
                "sip": self._next_sip,
                "motors on": self._motors_on,
                "motors off": self._motors_off,
                "close": client.close,
                "open": self._open,
            }
            words[word]()
        return None

    def _wait_for_pings(self, count: int) -> None:
        """Wait for a number of readings of the front sonars; fewer where all sonars fire in turn."""
        poses = self.profile.sonar.poses
        chosen = self.client.dialect.supports(Command.POLLING, "")
        count = round(count * (1.0 if chosen else len(self.front_sonars) / len(poses)))
        limit = self.client.now() + 0.3 * count + 10
        while count > 0:
            count -= len(self.pings(self.client.wait(1.0)))
            if self.client.now() > limit:
                raise StepError(f"the sonars {', '.join(map(str, self.front_sonars))} fire too rarely")

    def _frame(self, word: Mapping[str, Any]) -> bytes:
        own = self.client.dialect.check
        checks: Mapping[str, Checksum] = {
            "data": checksum,
            "count": checksum_with_count,
            "wrong": lambda data: own(data) ^ 1,
        }
        data = bytes.fromhex(str(word["frame"])).ljust(word.get("count", 0) - 2, b"\0")
        return encode_frame(data, _MAX_DATA, check=checks.get(word.get("check", ""), own))

    def _open(self) -> None:
        if self.client.wait_for(Sip, 0.5) is None:
            self.client.connect()

    def _next_sip(self) -> Sip:
        if (sip := self.client.wait_for(Sip, 1.0)) is None:
            raise StepError("the standard packets have stopped")
        return sip

    def _motors_on(self) -> None:
        """Switch the motors on, with their encoders streamed, and zero the odometry."""
        self._moves, self._driven_from = True, len(self.client.packets)
        # Without sonars: both together do not fit into 9600 baud.
        self.client.send(Command.SONAR(0), Command.ENCODER(2))
        for _ in range(3):
            self.client.send(Command.ENABLE(1))
            if self.client.wait_for(Sip, 0.6, lambda sip: sip.motors_enabled) is not None:
                self.client.send(Command.SETO())
                return
        raise StepError("the motors stay off after ENABLE 1: is the MOTORS button stuck, the battery empty?")

    def _motors_off(self) -> None:
        """Stop, and switch motors and encoders off."""
        if not self._moves:
            return
        self._rest()
        self._moves = False
        self.client.send(Command.ENABLE(0), Command.ENCODER(0), Command.SONAR(1))
        self.client.wait(0.2)
        packets = [stamped.packet for stamped in self.client.packets[self._driven_from :]]
        if any(sip.left_stalled or sip.right_stalled for sip in packets if isinstance(sip, Sip)):
            raise StepError("a wheel has stalled: both must turn freely, and the robot must touch nothing")

    def _rest(self) -> None:
        """Stop, and wait until the wheels rest."""
        self.client.send(Command.STOP())
        end, still = self.client.now() + _STOP_LIMIT, 0
        while still < 3:
            sip = self._next_sip()
            if self.client.now() > end:
                raise StepError("the wheels do not rest within 5 s of STOP")
            fastest = max(abs(sip.left_velocity), abs(sip.right_velocity)) * self.profile.units.velocity
            still = still + 1 if fastest < _REST else 0
            self.client.wait(_POLL_PERIOD)

    # -- step after step ----------------------------------------------------------------------------------------------

    def run(self, steps: Sequence[Step], skip: Collection[str] = ()) -> Iterator[StepResult]:
        """Run steps in order, to the end or until the robot is lost, and yield how each went.

        Args:
            steps: The steps.
            skip: Names of steps that are not done.

        Raises:
            StoppedError: A key was pressed.
        """
        client, lost = self.client, False
        for step in steps:
            self.step, self._moves = step, False
            began = client.now()
            try:
                reason = "left out by an option" if step.name in skip else self._attempt(step)
                status = SKIPPED if reason else DONE
            except AmigoBotError as error:
                status, reason, lost = FAILED, str(error), True
            except (StepError, *_NONSENSE) as error:
                client.halt()
                status, reason = FAILED, str(error)
                if not isinstance(error, StepError):
                    reason = f"the packets do not allow this measurement ({type(error).__name__}: {error})"
            yield StepResult(step.name, step.title, status, reason, client.now() - began)
            if lost:
                return

    def _attempt(self, step: Step) -> str:
        """Do a step; return why it is not done, "" if it is."""
        if step.needs and not self.client.dialect.supports(Command[step.needs], self.profile.firmware):
            return f"not possible on this robot, because it has no command {step.needs}"
        if step.place == "lifted" and self._lifted is None:
            text = "Put the robot on a block, so that its wheels are off the floor and nothing touches them."
            self._lifted = bool(self.person.ask("do", "LIFT", text))
        elif step.place in ("floor", "wall") and self._lifted:
            self._lifted = None
        if step.place == "lifted" and not self._lifted:
            return "needs wheels off the floor"
        if not self.person.explain(step.title, step.tell, step.moves):
            return "the owner skipped it"
        if self.play():
            for key, row in step.figures.items():
                name = row.of or key
                if row.fact == "answer":
                    self.keep(key, {True: "yes", False: "no"}.get(self.answers[name]))
                elif row.fact and name in self.phases:  # the robot has the commands of this list
                    self.keep(key, _function(f"facts.{row.fact}")(self.phase(name)))
            if step.measure:
                _function(f"measures.{step.measure}")(self)
        found = any(figure.step == step.name for figure in self.figures.values())
        return "" if found else "the owner could not help with it"


def _command(word: Any) -> tuple[str, str]:
    """Return name and argument of a command; "" for any other word."""
    name, _, argument = str(word).partition(" ")
    return (name, argument) if name in Command.__members__ else ("", "")


def _function(name: str) -> Callable[..., Any]:
    """Return a function that a step names; its module needs this one."""
    module, _, name = name.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(f"{__package__}.{module}"), name)
    return function
