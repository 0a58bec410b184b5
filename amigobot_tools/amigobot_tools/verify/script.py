# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Plays what a step sends, and keeps what came back.

A list in `send` of steps.yaml is sent word by word, and kept under its name for the measurement, as in
`- up: [VEL 500, 3.5]`. A word is

- a command with its argument (`top`: the highest velocity, `fastest`: the highest acceleration; `front`, `all`: these
  sonars) or text,
- a number: a wait in s, with PULSE,
- the name of a method of `Script`, with its argument: `silence`, `gyro on`; its docstring says what it does,
- `{frame: 12 fe}`: a frame with these bytes, filled with zeros up to `count`, with the checksum `check`: over the data,
  over the count as well, or wrong; `{bytes: fa fb}`: these bytes.

`do ACTION` (`do WALL 0.5`: with a distance in m), `measure WHAT` and `look WHAT` ask the person; nothing turns while
the person is asked to do something. If the person cannot do it, the rest is left out, and nothing is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from amigobot_driver import ConnectionFailedError
from amigobot_driver.protocol import (
    Checksum,
    Command,
    ErraticCommand,
    ErraticConfig,
    Instruction,
    Sip,
    checksum,
    checksum_with_count,
    encode_frame,
)

from ..person import Person
from .client import Client
from .step_data import KnownRobot, Phase, StepData, StepError
from .table import Step

_STOP_LIMIT = 5.0  # s that a robot may take to stop
_POLL_PERIOD = 0.05  # s between two checks of that
_REST = 0.01  # m/s; real Pioneers report up to 9 mm/s at rest
_TOP = 2000  # mm/s that no robot of the family reaches, so that its motors get full power
_FASTEST = 10000  # mm/s^2 that no motor reaches
_MAX_DATA = 253  # bytes of the data of a frame
_RESTART = 10.0  # s until the controller has restarted
_KNOCK = 0.02  # s between two SYNC0 while the controller starts
_DUTY = 40  # argument of PWM_DUTY in the step `settings`


class Script:
    """Plays one step with one robot. A word of a list is a method.

    Args:
        client: In a session with the robot.
        person: Who is at the robot.
        robot: What is known of the robot.
        step: What is played.
        patience: How many times longer than with a real robot to collect random quantities.
    """

    def __init__(self, client: Client, person: Person, robot: KnownRobot, step: Step, patience: int) -> None:
        self._client, self._person, self._robot, self._step = client, person, robot, step
        self._patience = patience
        self._share = 0.0  #: of the cycle of the SIPs that is waited at `shift`
        self._moves = False  #: the motors are on
        self._driven_from = 0  #: number of packets when the motors were switched on
        self._phases: dict[str, list[Phase]] = {}
        self._answers: dict[str, Any] = {}
        self.data = StepData(step, robot, self._phases, self._answers)  #: what came back

    def play(self) -> bool:
        """Send everything; return False if the person cannot do what is asked for before the end.

        Raises:
            StepError: The robot does not do what the step needs.
        """
        for number in range(self._step.repeat):
            self._share = (number + 0.5) / self._step.repeat
            for item in self._step.send:
                name, words = next(iter(item.items())) if isinstance(item, dict) else ("", item)
                if isinstance(words, str):
                    verb, what, *value = name.split()
                    if verb != "look":
                        self.motors_off()
                    self._answers[what] = self._person.ask(verb, what, words, *map(float, value))
                    if verb == "do" and not self._answers[what]:
                        return item is self._step.send[-1]
                elif all(self._client.dialect.supports(Command[name], "") for name, _ in map(_command, words) if name):
                    self._send_list(name, words)
        self.motors_off()
        return True

    def _send_list(self, name: str, words: Sequence[Any]) -> None:
        if self._step.moves and not self._moves:
            self.motors_on()
        first, sent = len(self._client.packets), 0.0
        for word in words:
            command, argument = _command(word)
            if command:
                sent = self._client.send(Command[command](self._value(argument)))
            elif isinstance(word, dict):
                self._client.send_bytes(self._frame(word) if "frame" in word else bytes.fromhex(word["bytes"]))
            elif isinstance(word, str):
                method, _, argument = word.partition(" ")
                getattr(self, method)(*argument.split())
            else:
                self._client.wait(word)
        if name:
            packets = self._client.packets[first:]
            phase = Phase(sent, self._client.now(), packets, self._robot)
            self._phases.setdefault(name, []).append(phase)

    def _value(self, argument: str) -> int | bytes | None:
        """Return the argument of a command."""
        if argument.removeprefix("-").isdecimal():
            return int(argument)
        symbols = {
            "": None,
            "top": min(self._robot.configured("trans_vel_top") or _TOP, _TOP),
            "fastest": self._robot.configured("trans_acc_top") or _FASTEST,
            "front": bytes(number + 1 for number in self._robot.front_sonars),
            "all": bytes(range(1, len(self._robot.profile.sonar.poses) + 1)),
        }
        return symbols.get(argument, argument.encode())

    def _frame(self, word: Mapping[str, Any]) -> bytes:
        own = self._client.dialect.check
        checks: Mapping[str, Checksum] = {
            "data": checksum,
            "count": checksum_with_count,
            "wrong": lambda data: own(data) ^ 1,
        }
        data = bytes.fromhex(str(word["frame"])).ljust(word.get("count", 0) - 2, b"\0")
        return encode_frame(data, _MAX_DATA, check=checks.get(word.get("check", ""), own))

    # -- words --------------------------------------------------------------------------------------------------------

    def silence(self) -> None:
        """Send nothing for longer than the watchdog time."""
        self._client.wait(1.3 * (self._robot.configured("watchdog") / 1000 or 2.0) + 2.0, alive=False)

    def shift(self) -> None:
        """Wait for a part of the cycle of the SIPs, another one in each repetition."""
        self._client.wait(self._share * self._robot.found("telemetry.period", 0.1))

    def sip(self) -> Sip:
        """Wait for the next SIP."""
        if (sip := self._client.wait_for(Sip, 1.0)) is None:
            raise StepError("the standard packets have stopped")
        return sip

    def pings(self, number: str) -> None:
        """Wait for a number of readings of the front sonars; fewer where all sonars fire in turn."""
        front, poses = self._robot.front_sonars, self._robot.profile.sonar.poses
        chosen = self._client.dialect.supports(Command.POLLING, "")
        count = round(self._patience * int(number) * (1.0 if chosen else len(front) / len(poses)))
        limit = self._client.now() + 0.3 * count + 10
        while count > 0:
            count -= len(self._robot.pings(self._client.wait(1.0)))
            if self._client.now() > limit:
                raise StepError(f"the sonars {', '.join(map(str, front))} fire too rarely")

    def gyro(self, state: str) -> None:
        """Switch the stream of a gyro, if there is one."""
        if self._robot.configured("has_gyro"):
            self._client.send(Command.GYRO(int(state == "on")))

    def close(self) -> None:
        """End the session."""
        self._client.close()

    def connect(self) -> None:
        """Find the robot, and begin a session."""
        self._client.connect()

    def open(self) -> None:
        """Begin a session if there is none."""
        if self._client.wait_for(Sip, 0.5) is None:
            self._client.connect()

    def sync1(self) -> None:
        """Send SYNC1; an Erratic has no SYNC packets."""
        if not self._robot.profile.erratic:
            self._client.send(Instruction(1))

    def restart(self) -> None:
        """Send SYNC0 until the restarted controller answers, and begin a session."""
        client, began = self._client, self._client.now()
        client.opened = False
        client.wait(0.2)
        while client.now() < began + _RESTART:
            client.send(Instruction(0))
            if any(stamped.data[:1] == b"\0" for stamped in client.wait(_KNOCK)):
                client.connect()
                return
        if client.wait_for(Sip, 1.0) is None:
            raise ConnectionFailedError("the robot does not answer within 10 s of RESET")
        client.opened = True  # it has ignored RESET: the session goes on

    def config(self) -> None:
        """Read CONFIG."""
        if self._client.config() is None:
            raise StepError("CONFIG is not answered")

    def restore_settings(self) -> None:
        """Set the duty of the PWM and the decelerations of an Erratic as they were in the list `before`."""
        before, duty = (self.data.phase(name).of(ErraticConfig)[-1] for name in ("before", "duty"))
        instruction = ErraticCommand.PWM_DUTY(round(_DUTY * before.pwm_max / max(1, duty.pwm_max)))
        self._client.send_bytes(instruction.encode(self._client.dialect.check))
        self._client.send(Command.SETA(-before.trans_decel), Command.SETRA(-before.rot_decel))

    def rest(self) -> None:
        """Stop, and wait until the wheels rest."""
        self._client.send(Command.STOP())
        end, still = self._client.now() + _STOP_LIMIT, 0
        while still < 3:
            sip = self.sip()
            if self._client.now() > end:
                raise StepError("the wheels do not rest within 5 s of STOP")
            fastest = max(abs(sip.left_velocity), abs(sip.right_velocity)) * self._robot.profile.units.velocity
            still = still + 1 if fastest < _REST else 0
            self._client.wait(_POLL_PERIOD)

    def motors_on(self) -> None:
        """Switch the motors on, with their encoders streamed, and zero the odometry."""
        self._moves, self._driven_from = True, len(self._client.packets)
        # Without sonars: both together do not fit into 9600 baud.
        self._client.send(Command.SONAR(0), Command.ENCODER(2))
        for _ in range(3):
            self._client.send(Command.ENABLE(1))
            if self._client.wait_for(Sip, 0.6, lambda sip: sip.motors_enabled) is not None:
                self._client.send(Command.SETO())
                return
        raise StepError("the motors stay off after ENABLE 1: is the MOTORS button stuck, the battery empty?")

    def motors_off(self) -> None:
        """Stop, and switch motors and encoders off."""
        if not self._moves:
            return
        self.rest()
        self._moves = False
        self._client.send(Command.ENABLE(0), Command.ENCODER(0), Command.SONAR(1))
        self._client.wait(0.2)
        packets = [stamped.packet for stamped in self._client.packets[self._driven_from :]]
        if any(sip.left_stalled or sip.right_stalled for sip in packets if isinstance(sip, Sip)):
            raise StepError("a wheel has stalled: both must turn freely, and the robot must touch nothing")


def _command(word: Any) -> tuple[str, str]:
    """Return name and argument of a command; "" for any other word."""
    name, _, argument = str(word).partition(" ")
    return (name, argument) if name in Command.__members__ else ("", "")
