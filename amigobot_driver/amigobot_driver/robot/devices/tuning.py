# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The tuning values that CONFIGpac reports: set, read back, and sent again until they match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from ...protocol import Command, Instruction, TuningValues
from ..component import Context
from ..events import Configured
from ..outcome import Outcome, finished
from ..request import RequestComponent, RetryPolicy

#: At 9600 baud a CONFIGpac takes a tenth of a second and may be delayed by the streams. Without an answer the driver
#: does not know the robot's limits, so it goes on to ask.
RETRIES = RetryPolicy(interval=0.5, limit=6, afterwards=10.0)

_MAX_ARGUMENT = 0x7FFF

#: Longest time of a stop in s, with the lowest deceleration that can be set, from 1 m/s and 200 deg/s: no robot of the
#: manuals leaves the factory with faster limits, nor with a deceleration near this. Beyond it the doctor warns.
STOP_TIME = 10.0


@dataclass(frozen=True, slots=True)
class Tunable:
    """A field of CONFIGpac that a command sets. The command's argument is the value multiplied by `sign`."""

    command: Command  #: sets the field
    unit: str  #: of value, `low` and `high`: that of the field; "" if no manual has one
    low: int  #: lowest value that a caller may set
    high: int = _MAX_ARGUMENT  #: highest value that a caller may set
    sign: int = 1  #: -1: the command takes a deceleration as a negative number

    @property
    def range_text(self) -> str:
        """The allowed range, with the unit."""
        return f"{self.low} to {self.high} {self.unit}".rstrip()

    def allows(self, value: int) -> bool:
        """Return whether a caller may set this value."""
        return self.low <= value <= self.high

    def carries(self, value: int) -> bool:
        """Return whether the command can carry a value of the robot, which may be a deceleration below `low`."""
        return (1 if self.sign < 0 else self.low) <= value <= self.high


#: By the names in CONFIGpac. The highest values are those that a command can carry; firmware may have lower limits. No
#: limit, acceleration or encoder factor is 0, which would stop the robot for good. With a low deceleration it drives
#: on for minutes after a stop: 300 s from 0.3 m/s with 1 mm/s^2.
TUNABLE: Mapping[str, Tunable] = {
    "trans_vel_max": Tunable(Command.SETV, "mm/s", 1),
    "rot_vel_max": Tunable(Command.SETRV, "deg/s", 1),
    "trans_acc": Tunable(Command.SETA, "mm/s^2", 1),
    "trans_decel": Tunable(Command.SETA, "mm/s^2", round(1000 / STOP_TIME), sign=-1),
    "rot_acc": Tunable(Command.SETRA, "deg/s^2", 1),
    "rot_decel": Tunable(Command.SETRA, "deg/s^2", round(200 / STOP_TIME), sign=-1),
    "rot_kp": Tunable(Command.ROTKP, "", 0),
    "rot_kv": Tunable(Command.ROTKV, "", 0),
    "rot_ki": Tunable(Command.ROTKI, "", 0),
    "trans_kp": Tunable(Command.TRANSKP, "", 0),
    "trans_kv": Tunable(Command.TRANSKV, "", 0),
    "trans_ki": Tunable(Command.TRANSKI, "", 0),
    "rev_count": Tunable(Command.REVCOUNT, "ticks", 1),
    "drift_factor": Tunable(Command.DRIFTFACTOR, "of 1/8192", -_MAX_ARGUMENT),
    "ticks_mm": Tunable(Command.TICKSMM, "ticks/mm", 1),
    "sonar_cycle": Tunable(Command.SONARCYCLE, "ms", 2, 120),
}


def check_tuning(values: Mapping[str, object]) -> None:
    """Check names and ranges of tuning values.

    Raises:
        ValueError: A name cannot be set, or a value is out of its range; the message says what is allowed.
    """
    for name, value in values.items():
        known = TUNABLE.get(name)
        if known is None:
            raise ValueError(f"tuning value {name} cannot be set, allowed: {', '.join(TUNABLE)}")
        if type(value) is not int or not known.allows(value):
            why = ""
            if known.sign < 0 and type(value) is int and 0 < value < known.low:
                speed = round(STOP_TIME * known.low)
                why = f": a stop from {speed} {known.unit.removesuffix('^2')} would take {speed / value:.0f} s"
            raise ValueError(f"{name} is {value!r:.60}, allowed: {known.range_text}{why}")


class Tuning(RequestComponent):
    """Reads CONFIGpac at the start of each session and after each change; re-applies what was requested.

    All callers that wait at the same time get the same result, when the robot reports every requested value.
    """

    name = "tuning"
    retries = RETRIES
    confirmed_by = (TuningValues,)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.config: TuningValues | None = None
        self.own: dict[str, int] = {}  #: values of the robot before any was set
        self.requested: dict[str, int] = {}  #: fields of CONFIGpac, in its units
        self._changed: set[str] = set()  #: requested and not sent yet: sent even if the last CONFIGpac shows the value
        self._answered = False  #: a CONFIGpac has arrived since the request was started
        self._lacking: list[str] = []  #: requested, and announced as values that the firmware does not have

    @property
    def applying(self) -> bool:
        """Whether requested values are being set and the robot has not confirmed them, unless it does not answer."""
        return self.pending and self.attempts <= RETRIES.limit and bool(self._differences())

    def set(self, values: Mapping[str, int], now: float) -> Future[Outcome]:
        """Set values by their names in CONFIGpac; without any, read it again.

        A request that waits for another value of the same name fails.

        Returns:
            The result, when the robot reports these values or the retries are over.

        Raises:
            ValueError: a name cannot be set, or a value is out of its range in `TUNABLE`.
        """
        check_tuning(values)
        self._context.require(Command.CONFIG)
        lacking = [name for name in values if self.config and not self._has(self.config, name)]
        awaited = self._differences() if self.pending else []
        replaced = any(self.requested[name] != values.get(name, self.requested[name]) for name in awaited)
        for name, value in values.items():
            if name not in lacking:
                self._require(name, value)
        result = self.replace(now) if replaced else self.request(now)
        return finished(Outcome(False, _no_such(lacking))) if lacking else result

    def release(self, names: Iterable[str]) -> None:
        """Release values: they become the robot's own again, with the next `set`.

        A value that no command can carry, for example a RevCount above 32767, is restored by the robot's next reset.
        """
        for name in names:
            value = self.own.get(name)
            if value is None or not TUNABLE[name].carries(value):
                self.requested.pop(name, None)
                self._changed.discard(name)
            else:
                self._require(name, value)

    def start(self, now: float) -> None:
        """Begin with the first attempt at `now` (s), again if the request is pending already."""
        self._answered = False
        super().start(now)

    def on_session_start(self, now: float) -> None:
        """Read CONFIGpac and apply the requested values again."""
        self.config = None
        self.start(now)

    # -- the robot's answer -----------------------------------------------------------------------------------

    def _update(self, config: TuningValues, stamp: float, now: float) -> None:
        changed = config != self.config
        if not self.own:
            self.own = {name: value for name in TUNABLE if (value := config.value(name)) is not None}
        self.config = config
        self._answered = True
        lacking = [name for name in self.requested if not self._has(config, name)]
        if lacking and lacking != self._lacking:
            self._context.notify(f"{_no_such(lacking)}: not set")
        self._lacking = lacking
        if self._differences() and (not self.pending or self.attempts > RETRIES.limit):
            self.start(now)
        if changed:
            self._context.emit(Configured(config))

    def _confirmation(self, config: TuningValues) -> str:
        return "" if self._differences() else "confirmed by the robot"

    def _confirmation_after_interval(self) -> str:
        return self._confirmation(self.config) if self._answered and self.config else ""

    # -- what is sent -----------------------------------------------------------------------------------------

    def _require(self, name: str, value: int) -> None:
        if self.requested.get(name) != value:
            self._changed.add(name)
        self.requested[name] = value

    def _commands(self) -> Iterator[Instruction]:
        # Read first, to know the robot's own values; without an answer the requested ones are set all the same.
        for name in self._differences() if self.config or self.attempts >= RETRIES.limit // 2 else ():
            self._changed.discard(name)
            yield TUNABLE[name].command(TUNABLE[name].sign * self.requested[name])
        yield Command.CONFIG()

    def _differences(self) -> list[str]:
        """Return the values that are requested and not reported; fields that this firmware lacks are not sent."""
        if self.config is None:
            return list(self.requested)
        config = self.config
        return [
            name
            for name, value in self.requested.items()
            if self._has(config, name) and (name in self._changed or config.value(name) != value)
        ]

    def _has(self, config: TuningValues, name: str) -> bool:
        """Return whether the robot has this value and it can be set."""
        return config.value(name) is not None and not self._context.unsupported(TUNABLE[name].command)

    def _failure(self) -> str:
        """Go on to ask a robot that does not answer; values that it refuses are not sent again in later sessions."""
        if not (self._answered and self.config):
            return f"{self._sent('CONFIG')}, the robot did not answer"
        missed = {name: self.requested.pop(name) for name in self._differences()}
        self._changed -= missed.keys()
        found = ", ".join(f"{name} {self.config.value(name)} instead of {value}" for name, value in missed.items())
        text = f"after {RETRIES.limit} tries the robot reports {found}"
        self.given_up += 1
        if not self._callers:
            self._context.notify(text)
        self.fail(text)
        return ""


def _no_such(names: Iterable[str]) -> str:
    return f"this robot's firmware has no {', '.join(names)}"
