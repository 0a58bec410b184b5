"""The working parameters that CONFIGpac reports: set, read back, sent again until they match (PROTOCOL 4.1, 5.5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future

from ...protocol import Command, Instruction, Packet, Parameters
from ..events import Configured, Event
from ..feature import Feature
from ..outcome import Outcome, Waiting, finished

#: s between two tries, and how many; at 9600 baud a CONFIGpac takes a tenth of a second and may be starved.
RETRY = 0.5
TRIES = 6

#: Which command sets which field of CONFIGpac; decelerations go as negative accelerations.
TUNABLE: Mapping[str, tuple[Command, int]] = {
    "trans_vel_max": (Command.SETV, 1),
    "rot_vel_max": (Command.SETRV, 1),
    "trans_acc": (Command.SETA, 1),
    "trans_decel": (Command.SETA, -1),
    "rot_acc": (Command.SETRA, 1),
    "rot_decel": (Command.SETRA, -1),
    "rot_kp": (Command.ROTKP, 1),
    "rot_kv": (Command.ROTKV, 1),
    "rot_ki": (Command.ROTKI, 1),
    "trans_kp": (Command.TRANSKP, 1),
    "trans_kv": (Command.TRANSKV, 1),
    "trans_ki": (Command.TRANSKI, 1),
    "rev_count": (Command.REVCOUNT, 1),
    "drift_factor": (Command.DRIFTFACTOR, 1),
    "ticks_mm": (Command.TICKSMM, 1),
    "sonar_cycle": (Command.SONARCYCLE, 1),
}


class Tuning(Feature):
    """Reads CONFIGpac at the begin of each session and after each change; re-applies what was wanted."""

    def __init__(self, lacks: Callable[[Command], str]) -> None:
        self._lacks = lacks
        self.config: Parameters | None = None
        self.own: Parameters | None = None  #: as the robot was before anything was set in this session
        self.wanted: dict[str, int] = {}  #: fields of CONFIGpac, in its units
        self._resent = 0
        self._tries = 0
        self._answered = False  #: since the first of these tries
        self._next_try = math.inf
        self._waiting = Waiting()

    def want(self, values: Mapping[str, int], now: float) -> Future[Outcome]:
        """Ask for values by their names in CONFIGpac; the future tells what the robot reports afterwards.

        Raises ValueError for a name that cannot be set or a value that its command does not take.
        """
        for name, value in values.items():
            _instruction(name, value)
        missing = [name for name in values if self.config and not self._has(self.config, name)]
        self.wanted.update({name: value for name, value in values.items() if name not in missing})
        answer = self.read(now)
        return finished(False, f"this robot's firmware has no {', '.join(missing)}") if missing else answer

    def release(self, names: Iterable[str]) -> None:
        """These are not wanted any more: they become the robot's own again, with the next `want` or `read`."""
        for name in names:
            value = self.own.value(name) if self.own else None
            if value is None:
                self.wanted.pop(name, None)
            else:
                self.wanted[name] = value

    def read(self, now: float) -> Future[Outcome]:
        """Ask for CONFIGpac anew."""
        self._try_from(now)
        return self._waiting.add()

    def begin(self, now: float) -> None:
        self.config = self.own = None
        self._try_from(now)

    def end(self, why: str) -> None:
        self._next_try = math.inf
        self._waiting.finish(False, why)

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        yield from self._waiting.notices()
        if not isinstance(packet, Parameters):
            return
        changed = packet != self.config
        self.config = packet
        self.own = self.own or packet
        self._answered = True
        if not self._differences():
            self._next_try = math.inf
            self._waiting.finish(True, "confirmed by the robot")
        if changed:
            yield Configured(packet)

    def due(self, now: float) -> Iterator[Instruction]:
        if now < self._next_try:
            return
        if self._tries == TRIES:
            self._give_up()
            return
        self._resent += self._tries > 0
        self._tries += 1
        self._next_try = now + RETRY
        # Asked first, so that the robot's own values are known; one that does not answer is set all the same.
        for name in self._differences() if self.own or self._tries > TRIES // 2 else ():
            yield _instruction(name, self.wanted[name])
        yield Command.CONFIG()

    def next_time(self) -> float:
        return self._next_try

    def counters(self) -> Mapping[str, int]:
        return {"tuning_resent": self._resent, "tuning_given_up": self._waiting.given_up}

    def _differences(self) -> list[str]:
        """What is wanted and not reported; a field that this firmware does not report is not asked for."""
        if self.config is None:
            return list(self.wanted)
        config = self.config
        return [name for name, value in self.wanted.items() if self._has(config, name) and config.value(name) != value]

    def _has(self, config: Parameters, name: str) -> bool:
        """Whether the robot has such a value and lets it be set."""
        return config.value(name) is not None and not self._lacks(TUNABLE[name][0])

    def _give_up(self) -> None:
        self._next_try = math.inf
        if self.config is None or not self._answered:
            self._waiting.give_up(f"sent CONFIG {TRIES} times in {TRIES * RETRY:.1f} s, the robot did not answer")
            return
        missed = self._differences()
        told = ", ".join(f"{name} {getattr(self.config, name)} instead of {self.wanted[name]}" for name in missed)
        for name in missed:
            # What the robot will not have is not tried again at every connection.
            del self.wanted[name]
        self._waiting.give_up(f"after {TRIES} tries the robot reports {told}")

    def _try_from(self, now: float) -> None:
        self._tries = 0
        self._answered = False
        self._next_try = now


def _instruction(name: str, value: int) -> Instruction:
    if name not in TUNABLE:
        raise ValueError(f"{name} cannot be set, these can: {', '.join(TUNABLE)}")
    command, sign = TUNABLE[name]
    return command(sign * value)
