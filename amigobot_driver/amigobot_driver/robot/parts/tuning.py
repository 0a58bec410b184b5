"""The working parameters that CONFIGpac reports: set, read back, sent again until they match."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from ...protocol import Command, Instruction, Packet, Parameters
from ..events import Configured, Event
from ..feature import Feature
from ..outcome import Outcome, Waiting, finished

#: s between two tries, and how many; at 9600 baud a CONFIGpac takes a tenth of a second and may be starved.
RETRY = 0.5
TRIES = 6

_MOST = 0x7FFF


@dataclass(frozen=True, slots=True)
class WorkingValue:
    """A field of CONFIGpac that a command sets. `sign` is what the command's argument is multiplied with."""

    command: Command
    unit: str
    low: int
    high: int = _MOST
    sign: int = 1

    @property
    def range_text(self) -> str:
        """What is allowed, with the unit."""
        return f"{self.low} to {self.high} {self.unit}".rstrip()


#: By the names in CONFIGpac. The highest values are those that a command can carry; a firmware may have a lower limit,
#: which it reports. A limit, an acceleration or an encoder factor of 0 would stop the robot for good: SETA and SETRA
#: set the acceleration with a positive argument and the deceleration with a negative one, and have no zero.
TUNABLE: Mapping[str, WorkingValue] = {
    "trans_vel_max": WorkingValue(Command.SETV, "mm/s", 1),
    "rot_vel_max": WorkingValue(Command.SETRV, "deg/s", 1),
    "trans_acc": WorkingValue(Command.SETA, "mm/s^2", 1),
    "trans_decel": WorkingValue(Command.SETA, "mm/s^2", 1, sign=-1),
    "rot_acc": WorkingValue(Command.SETRA, "deg/s^2", 1),
    "rot_decel": WorkingValue(Command.SETRA, "deg/s^2", 1, sign=-1),
    "rot_kp": WorkingValue(Command.ROTKP, "", 0),
    "rot_kv": WorkingValue(Command.ROTKV, "", 0),
    "rot_ki": WorkingValue(Command.ROTKI, "", 0),
    "trans_kp": WorkingValue(Command.TRANSKP, "", 0),
    "trans_kv": WorkingValue(Command.TRANSKV, "", 0),
    "trans_ki": WorkingValue(Command.TRANSKI, "", 0),
    "rev_count": WorkingValue(Command.REVCOUNT, "ticks", 1),
    "drift_factor": WorkingValue(Command.DRIFTFACTOR, "of 1/8192", -_MOST),
    "ticks_mm": WorkingValue(Command.TICKSMM, "ticks/mm", 1),
    "sonar_cycle": WorkingValue(Command.SONARCYCLE, "ms", 2, 120),
}


def check_working_values(values: Mapping[str, object]) -> None:
    """Raise ValueError for a name that cannot be set or a value out of its range, with what is allowed."""
    for name, value in values.items():
        known = TUNABLE.get(name)
        if known is None:
            raise ValueError(f"{name} cannot be set, these can: {', '.join(TUNABLE)}")
        if type(value) is not int or not known.low <= value <= known.high:
            raise ValueError(f"{name} is {value!r:.60}, allowed: {known.range_text}")


_NO_ANSWER = f"sent CONFIG {TRIES} times in {TRIES * RETRY:.1f} s, the robot did not answer"


@dataclass(slots=True)
class _Request:
    """Values that somebody waits for; without any, a reading of CONFIGpac."""

    values: Mapping[str, int]
    stale: int  #: CONFIGpacs that may still come and were asked for before
    tries: int = 0
    answered: bool = False
    waiting: Waiting = field(default_factory=Waiting)


class Tuning(Feature):
    """Reads CONFIGpac at the begin of each session and after each change; re-applies what was requested."""

    def __init__(self, lacks: Callable[[Command], str]) -> None:
        self._lacks = lacks
        self.config: Parameters | None = None
        self.own: Parameters | None = None  #: as the robot was before anything was set in this session
        self.wanted: dict[str, int] = {}  #: fields of CONFIGpac, in its units
        self._changed: set[str] = set()  #: requested and not sent yet: sent whatever the last CONFIGpac says
        self._requests: list[_Request] = []
        self._unanswered = 0  #: CONFIGs sent since the last CONFIGpac, which may still be answered
        self._resent = 0
        self._given_up = 0
        self._tries = 0
        self._answered = False  #: since the first of these tries
        self._next_try = math.inf
        self._operator = Waiting()  #: told where no request waits

    def want(self, values: Mapping[str, int], now: float) -> Future[Outcome]:
        """Set values by their names in CONFIGpac; the future tells what the robot reports afterwards.

        A request that waits for another value of the same name fails.

        Raises:
            ValueError: A name cannot be set, or a value is out of its range in `TUNABLE`.
        """
        check_working_values(values)
        if why := self._lacks(Command.CONFIG):
            return finished(False, why)
        for request in list(self._requests):
            if other := [name for name, value in values.items() if request.values.get(name, value) != value]:
                told = ", ".join(f"{name} {values[name]}" for name in other)
                self._finish(request, False, f"another request asked for {told}")
        for name, value in values.items():
            if self.config is None or self._has(self.config, name):
                if self.wanted.get(name) != value:
                    self._changed.add(name)
                self.wanted[name] = value
        request = _Request(dict(values), self._unanswered)
        self._requests.append(request)
        self._try_from(now)
        return request.waiting.add()

    def release(self, names: Iterable[str]) -> None:
        """These are not requested any more: they become the robot's own again, with the next `want` or `read`."""
        for name in names:
            value = self.own.value(name) if self.own else None
            if value is None:
                self.wanted.pop(name, None)
            else:
                self.wanted[name] = value

    def read(self, now: float) -> Future[Outcome]:
        """Ask for CONFIGpac anew."""
        return self.want({}, now)

    def begin(self, now: float) -> None:
        self.config = self.own = None
        self._try_from(now)

    def end(self, why: str) -> None:
        self._next_try = math.inf
        self._unanswered = 0
        for request in list(self._requests):
            self._finish(request, False, why)

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        yield from self._operator.notices()
        if not isinstance(packet, Parameters):
            return
        changed = packet != self.config
        self.config = packet
        self.own = self.own or packet
        self._answered = True
        self._unanswered = max(0, self._unanswered - 1)
        for request in list(self._requests):
            self._compare(request, packet)
        if not self._differences() and not self._requests:
            self._next_try = math.inf
        if changed:
            yield Configured(packet)

    def due(self, now: float) -> Iterator[Instruction]:
        if now < self._next_try:
            return
        for request in list(self._requests):
            if request.tries == TRIES:
                self._fail(request)
        if not self._requests and self._answered and not self._differences():
            self._next_try = math.inf
            return
        if self._tries >= TRIES and not self._requests:
            self._give_up()
            return
        self._resent += self._tries > 0
        self._tries += 1
        self._next_try = now + RETRY
        for request in self._requests:
            # An answer that has not come by now is lost.
            request.stale = request.stale if request.tries == 0 else 0
            request.tries += 1
        # Asked first, so that the robot's own values are known; one that does not answer is set all the same.
        tries = max([self._tries, *(request.tries for request in self._requests)])
        for name in self._differences() if self.own or tries > TRIES // 2 else ():
            self._changed.discard(name)
            yield _instruction(name, self.wanted[name])
        self._unanswered = 1 if self._tries > 1 else self._unanswered + 1
        yield Command.CONFIG()

    def next_time(self) -> float:
        return self._next_try

    def counters(self) -> Mapping[str, int]:
        return {"tuning_resent": self._resent, "tuning_given_up": self._given_up + self._operator.given_up}

    def _differences(self) -> list[str]:
        """What is requested and not reported; a field that this firmware does not report is not asked for."""
        if self.config is None:
            return list(self.wanted)
        config = self.config
        return [
            name
            for name, value in self.wanted.items()
            if self._has(config, name) and (name in self._changed or config.value(name) != value)
        ]

    def _has(self, config: Parameters, name: str) -> bool:
        """Whether the robot has such a value and lets it be set."""
        return config.value(name) is not None and not self._lacks(TUNABLE[name].command)

    def _compare(self, request: _Request, config: Parameters) -> None:
        """Finish a request when a CONFIGpac that was asked for after it shows its values."""
        if not request.tries or request.stale:
            request.stale = max(0, request.stale - 1)
            return
        request.answered = True
        there = [name for name in request.values if self._has(config, name)]
        if any(name in self._changed or config.value(name) != request.values[name] for name in there):
            return
        if missing := [name for name in request.values if name not in there]:
            self._finish(request, False, f"this robot's firmware has no {', '.join(missing)}")
        else:
            self._finish(request, True, "confirmed by the robot")

    def _fail(self, request: _Request) -> None:
        """It was tried often enough; what the robot will not have is not tried again at every connection."""
        self._given_up += 1
        if self.config is None or not request.answered:
            self._finish(request, False, _NO_ANSWER)
            return
        config, values = self.config, request.values
        missed = [name for name in values if self._has(config, name) and config.value(name) != values[name]]
        told = ", ".join(f"{name} {config.value(name)} instead of {values[name]}" for name in missed)
        self._forget(name for name in missed if self.wanted.get(name) == values[name])
        self._finish(request, not missed, f"after {TRIES} tries the robot reports {told or 'these values'}")

    def _give_up(self) -> None:
        """The same for values from before this session, for which no request waits."""
        self._next_try = math.inf
        if self.config is None or not self._answered:
            self._operator.give_up(_NO_ANSWER)
        else:
            config, missed = self.config, self._differences()
            told = ", ".join(f"{name} {config.value(name)} instead of {self.wanted[name]}" for name in missed)
            self._forget(missed)
            self._operator.give_up(f"after {TRIES} tries the robot reports {told}")

    def _forget(self, names: Iterable[str]) -> None:
        """Do not request these any more."""
        for name in list(names):
            del self.wanted[name]
            self._changed.discard(name)

    def _finish(self, request: _Request, success: bool, message: str) -> None:
        self._requests.remove(request)
        request.waiting.finish(success, message)

    def _try_from(self, now: float) -> None:
        self._tries = 0
        self._answered = False
        self._next_try = now


def _instruction(name: str, value: int) -> Instruction:
    tunable = TUNABLE[name]
    return tunable.command(tunable.sign * value)
