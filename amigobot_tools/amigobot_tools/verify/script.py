# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Plays what a step sends: the key `send` of steps.yaml.

A list is sent word by word, and under a name it is kept for the measurement: `- up: [VEL 500, 3.5]`. A word is

- a command with its argument (`top`: the highest velocity, `fastest`: the highest acceleration),
- a number: a wait in s, with PULSE; `silence`: longer than the watchdog time, without,
- `rest`: stop and wait until the wheels rest; `sip`: wait for the next standard packet; `shift`: wait for a part of
  their cycle, another one in each repetition,
- `motors on`, `motors off`, and for a robot with a gyro `gyro on`, `gyro off`.

`do ACTION`, `measure WHAT` and `look WHAT` ask the person; nothing turns while the person is asked to do something.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from amigobot_driver.protocol import Command, Packet

from .client import Stamped
from .motion import MotionLog
from .person import Action, Look, Measure, Request
from .trial import Trial

P = TypeVar("P", bound=Packet)

_TOP = 2000  # mm/s that no robot of the family reaches, so that its motors get full power
_FASTEST = 10000  # mm/s^2 that no motor reaches


@dataclass(frozen=True, slots=True)
class Phase:
    """What came back for one named list."""

    sent: float  #: s, when its last command was sent
    packets: list[Stamped]
    trial: Trial

    @property
    def log(self) -> MotionLog:
        """The motion in it."""
        return self.trial.log(self.packets)

    def of(self, kind: type[P]) -> list[P]:
        """Return the packets of a kind."""
        return [stamped.packet for stamped in self.packets if isinstance(stamped.packet, kind)]


@dataclass(slots=True)
class Played:
    """What came back for a script."""

    phases: dict[str, list[Phase]] = field(default_factory=lambda: defaultdict(list))  #: by name
    answers: dict[str, Any] = field(default_factory=dict)  #: of the person, by `Measure` or `Look`

    def __getitem__(self, name: str) -> Phase:
        return self.phases[name][-1]

    def __contains__(self, name: str) -> bool:
        return name in self.phases


class Script:
    """Plays the script of the step of a trial."""

    def __init__(self, trial: Trial) -> None:
        assert trial.step is not None
        self._trial, self._step, self._client = trial, trial.step, trial.client
        self._motors = False
        self._round = 0
        self._sent = 0.0

    def play(self) -> Played | None:
        """Send everything and return what came back; None if the person cannot do what is asked for.

        Raises:
            StepError: The robot does not do what the step needs.
        """
        played = Played()
        for number in range(self._step.repeat):
            self._round = number
            for item in self._step.send:
                name, content = next(iter(item.items())) if isinstance(item, dict) else ("", item)
                if isinstance(content, str):
                    if not self._ask(played, *name.split(), content):
                        return None
                elif all(self._client.can_send(Command[command]) for command, _ in map(_command, content) if command):
                    self._run(played, name, content)
        self._motors_off()
        return played

    def _ask(self, played: Played, verb: str, what: str, text: str) -> bool:
        """Ask the person; return whether the step can go on."""
        person = self._trial.person
        if verb == "look":
            played.answers[what] = person.look(Look[what], text)
            return True
        self._motors_off()
        if verb == "do":
            return person.do(Request(Action[what], text))
        played.answers[what] = person.measure(Measure[what], text)
        return True

    def _run(self, played: Played, name: str, words: Sequence[Any]) -> None:
        """Send a list."""
        if self._step.moves and not self._motors:
            self._trial.motors_on()
            self._motors = True
        first = len(self._client.packets)
        for word in words:
            self._send(word)
        if name:
            played.phases[name].append(Phase(self._sent, self._client.packets[first:], self._trial))

    def _send(self, word: Any) -> None:
        trial, client = self._trial, self._client
        command, argument = _command(word)
        if command:
            symbols = {
                "top": min(trial.configured("trans_vel_top") or _TOP, _TOP),
                "fastest": trial.configured("trans_acc_top") or _FASTEST,
            }
            value = symbols[argument] if argument in symbols else int(argument) if argument else None
            self._sent = client.send(Command[command](value))
        elif not isinstance(word, str):
            client.wait(word)
        elif word == "silence":
            client.wait(1.3 * trial.watchdog + 2.0, alive=False)
        elif word == "shift":
            client.wait((self._round + 0.5) / self._step.repeat * trial.found("telemetry.period", 0.1))
        elif word.startswith("gyro"):
            if trial.configured("has_gyro"):
                client.send(Command.GYRO(int(word == "gyro on")))
        else:
            {
                "rest": trial.rest,
                "sip": client.next_sip,
                "motors on": trial.motors_on,
                "motors off": self._motors_off,
            }[word]()

    def _motors_off(self) -> None:
        if self._motors:
            self._trial.motors_off()
        self._motors = False


def _command(word: Any) -> tuple[str, str]:
    """Return name and argument of a command; "" for any other word."""
    name, _, argument = str(word).partition(" ")
    return (name, argument) if name in Command.__members__ else ("", "")
