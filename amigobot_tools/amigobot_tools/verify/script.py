# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Plays what a step sends, and keeps what came back.

A list in `send` of steps.yaml is sent word by word, and kept under its name for the measurement, as in
`- up: [VEL 500, 3.5]`. A word is

- a command with its argument: a number, one of `ARGUMENTS`, or text,
- a number: a wait in s, with PULSE,
- a method of `Script`, with its arguments: `silence`, `gyro on`.

`do ACTION` (`do WALL 0.5`: with a distance in m), `measure WHAT` and `look WHAT` ask the person; nothing turns while
the person is asked to do something. If the person cannot do it, the rest is left out, and nothing is found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from amigobot_driver.protocol import Command, ErraticCommand, ErraticConfig, Instruction, Sip, encode_frame

from ..person import Person
from .client import Client
from .step_data import KnownRobot, Phase, Step, StepData, StepError

_STOP_LIMIT = 5.0  # s that a robot may take to stop
_POLL_PERIOD = 0.05  # s between two checks of that
_REST = 0.01  # m/s; real Pioneers report up to 9 mm/s at rest
_TOP = 2000  # mm/s that no robot of the family reaches, so that its motors get full power
_FASTEST = 10000  # mm/s^2 that no motor reaches
_MAX_DATA = 253  # bytes of the data of a frame
_RESTART = 10.0  # s until the controller has restarted
_KNOCK = 0.02  # s between two SYNC0 while the controller starts


class Script:
    """Plays one step with one robot; each public method but `play` is a word.

    Args:
        client: In a session with the robot.
        person: Who is at the robot.
        robot: What is known of the robot.
        step: What is played.
        patience: How many times longer than with a real robot to collect random quantities.
    """

    def __init__(self, client: Client, person: Person, robot: KnownRobot, step: Step, patience: int) -> None:
        self.client, self._person, self.robot, self._patience = client, person, robot, patience
        self._data = StepData(step, robot)
        self._share = 0.0  #: of the cycle of the SIPs that is waited at `shift`
        self._moves = False  #: the motors are on
        self._driven_from = 0  #: number of packets when the motors were switched on

    def play(self) -> StepData | None:
        """Send everything; return what came back, None if the person cannot do what is asked for before the end.

        Raises:
            StepError: The robot does not do what the step needs.
        """
        step, answers = self._data.step, self._data.answers
        for number in range(step.repeat):
            self._share = (number + 0.5) / step.repeat
            for name, words in step.lists:
                if isinstance(words, str):
                    request, what, *value = name.split()
                    if request != "look":
                        self.motors_off()
                    ask = {"do": self._person.do, "measure": self._person.measure, "look": self._person.look}[request]
                    answers[what] = ask(what, words, *map(float, value))
                    if request == "do" and not answers[what] and (name, words) != step.lists[-1]:
                        return None
                elif self._is_supported(words):
                    self._send_list(name, words)
        self.motors_off()
        return self._data

    def _is_supported(self, words: Sequence[Any]) -> bool:
        """Return whether the robot has all commands of a list."""
        names = {word.split()[0] for word in words if isinstance(word, str)}.difference(WORDS)
        return all(self.client.dialect.supports(Command[name], "") for name in names)

    def _send_list(self, name: str, words: Sequence[Any]) -> None:
        if self._data.step.moves and not self._moves:
            self.motors_on()
        first, self._sent = len(self.client.packets), 0.0
        for word in words:
            self._play(word)
        if name:
            phase = Phase(self._sent, self.client.now(), self.client.packets[first:], self.robot)
            self._data.phases.setdefault(name, []).append(phase)

    def _play(self, word: Any) -> None:
        if not isinstance(word, str):
            self.client.wait(word)
            return
        name, *arguments = word.split()
        if name in WORDS:
            getattr(self, name)(*arguments)
        else:
            self._sent = self.client.send(instruction(word, self.robot))

    # -- words --------------------------------------------------------------------------------------------------------

    def raw(self, *digits: str) -> None:
        """Send bytes as they stand."""
        self.client.send_bytes(bytes.fromhex("".join(digits)))

    def frame(self, *digits: str) -> None:
        """Send a frame with these bytes."""
        self.long_frame("0", *digits)

    def long_frame(self, count: str, *digits: str) -> None:
        """Send a frame with these bytes, filled with zeros up to a count."""
        data = bytes.fromhex("".join(digits)).ljust(int(count) - 2, b"\0")
        self.client.send_bytes(encode_frame(data, _MAX_DATA, check=self.client.dialect.check))

    def silence(self) -> None:
        """Send nothing for longer than the watchdog time."""
        self.client.wait(1.3 * (self.robot.configured("watchdog") / 1000 or 2.0) + 2.0, alive=False)

    def shift(self) -> None:
        """Wait for a part of the cycle of the SIPs, another one in each repetition."""
        self.client.wait(self._share * self.robot.found("telemetry.period", 0.1))

    def sip(self) -> Sip:
        """Wait for the next SIP."""
        if (sip := self.client.wait_for(Sip, 1.0)) is None:
            raise StepError("the standard packets have stopped")
        return sip

    def pings(self, number: str) -> None:
        """Wait for a number of readings of the front sonars; fewer where all sonars fire in turn."""
        front, poses = self.robot.front_sonars, self.robot.profile.sonar.poses
        chosen = self.client.dialect.supports(Command.POLLING, "")
        count = round(self._patience * int(number) * (1.0 if chosen else len(front) / len(poses)))
        limit = self.client.now() + 0.3 * count + 10
        while count > 0:
            count -= len(self.robot.pings(self.client.wait(1.0)))
            if self.client.now() > limit:
                raise StepError(f"the sonars {', '.join(map(str, front))} fire too rarely")

    def gyro(self, state: str) -> None:
        """Switch the stream of a gyro, if there is one."""
        if self.robot.configured("has_gyro"):
            self.client.send(Command.GYRO(int(state == "on")))

    def open(self) -> None:
        """Begin a session if there is none: the robot may have missed CLOSE, or ignored RESET."""
        if self.client.wait_for(Sip, 0.5) is None:
            self.client.connect()
        self.client.opened = True

    def sync1(self) -> None:
        """Send SYNC1; an Erratic has no SYNC packets."""
        if not self.robot.profile.erratic:
            self.client.send(Instruction(1))

    def restart(self) -> None:
        """Send SYNC0 until the restarted controller answers, and begin a session."""
        client, began = self.client, self.client.now()
        client.opened = False
        client.wait(0.2)
        while client.now() < began + _RESTART:
            client.send(Instruction(0))
            if any(stamped.data[:1] == b"\0" for stamped in client.wait(_KNOCK)):
                break
        self.open()

    def close(self) -> None:
        """End the session."""
        self.client.close()

    def config(self) -> None:
        """Read CONFIG."""
        if self.client.config() is None:
            raise StepError("CONFIG is not answered")

    def pwm_duty(self, value: float | str) -> None:
        """Set the duty of the PWM of an Erratic; the dialect would convert it to the unit of the profile."""
        self.client.send_bytes(ErraticCommand.PWM_DUTY(int(value)).encode(self.client.dialect.check))

    def restore_settings(self) -> None:
        """Set the duty of the PWM and the decelerations of an Erratic as they were in the list `before`."""
        before, duty = (self._data.phase(name).of(ErraticConfig)[-1] for name in ("before", "duty"))
        (commanded,) = self._data.step.arguments("pwm_duty")
        self.pwm_duty(round(commanded * before.pwm_max / max(1, duty.pwm_max)))
        self.client.send(Command.SETA(-before.trans_decel), Command.SETRA(-before.rot_decel))

    def rest(self) -> None:
        """Stop, and wait until the wheels rest."""
        self.client.send(Command.STOP())
        end, still = self.client.now() + _STOP_LIMIT, 0
        while still < 3:
            sip = self.sip()
            if self.client.now() > end:
                raise StepError("the wheels do not rest within 5 s of STOP")
            fastest = max(abs(sip.left_velocity), abs(sip.right_velocity)) * self.robot.profile.units.velocity
            still = still + 1 if fastest < _REST else 0
            self.client.wait(_POLL_PERIOD)

    def motors_on(self) -> None:
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

    def motors_off(self) -> None:
        """Stop, and switch motors and encoders off."""
        if not self._moves:
            return
        self.rest()
        self._moves = False
        self.client.send(Command.ENABLE(0), Command.ENCODER(0), Command.SONAR(1))
        self.client.wait(0.2)
        packets = [stamped.packet for stamped in self.client.packets[self._driven_from :]]
        if any(sip.left_stalled or sip.right_stalled for sip in packets if isinstance(sip, Sip)):
            raise StepError("a wheel has stalled: both must turn freely, and the robot must touch nothing")


#: What a list of steps.yaml may say besides commands and waits.
WORDS = sorted(name for name in vars(Script) if name != "play" and not name.startswith("_"))

#: Arguments of commands that depend on the robot.
ARGUMENTS: Mapping[str, Callable[[KnownRobot], int | bytes]] = {
    "top": lambda robot: min(robot.configured("trans_vel_top") or _TOP, _TOP),  # the highest velocity
    "fastest": lambda robot: robot.configured("trans_acc_top") or _FASTEST,  # the highest acceleration
    "front": lambda robot: bytes(number + 1 for number in robot.front_sonars),
    "all": lambda robot: bytes(range(1, len(robot.profile.sonar.poses) + 1)),
}


def instruction(word: str, robot: KnownRobot) -> Instruction:
    """Return the command of a word.

    Raises:
        TypeError: It has more than one argument.
        ValueError: Its argument has the wrong type or is out of range.
    """

    def value(argument: str) -> int | bytes:
        if argument in ARGUMENTS:
            return ARGUMENTS[argument](robot)
        return int(argument) if argument.removeprefix("-").isdecimal() else argument.encode()

    name, *arguments = word.split()
    return Command[name](*map(value, arguments))
