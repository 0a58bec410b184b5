# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Calls for what a robot has beside its wheels."""

from __future__ import annotations

import math

from amigobot_driver.robot import (
    Outcome,
    Refused,
)
from amigobot_driver.robot.devices import (
    sounds,
)

from .requests import Requests


class DeviceCalls(Requests):
    """Ports, sounds, serial ports, gripper, charger, servos."""

    def set_digital_outputs(self, mask: int, states: int) -> None:
        asked = self.now

        def judge(outcome: Outcome) -> str:
            wrong = (self.witness.digital_outputs ^ states) & mask
            meddled = self.meddling.since(asked, "digital outputs")
            return f"success, but the outputs {wrong:#04x} differ" if outcome.success and wrong and not meddled else ""

        self.request(
            "digital outputs",
            f"set_digital_outputs({mask:#04x}, {states:#04x})",
            lambda: self.robot.digital_outputs.set(mask, states, self.now),
            judge,
        )

    def select_analog_input(self, port: int) -> None:
        asked = self.now
        self.request(
            "analog input",
            f"select_analog_input({port})",
            lambda: self.robot.analog_input.select(port, self.now),
            lambda outcome: self._differs(outcome, asked, "analog input", self.witness.analog_port, port),
        )

    def enable_sounds(self, on: bool) -> None:
        asked = self.now
        self.request(
            "sounds",
            f"enable_sounds({on})",
            lambda: self.robot.sounds.switch(on, self.now),
            lambda outcome: self._differs(outcome, asked, "sounds", self.witness.sounds_on, on),
        )

    def play_sound(self, number: int) -> None:
        self.request("play", f"play_sound({number})", lambda: self.robot.sounds.play(number, self.now), bound=10.0)

    def say(self, tones: bytes) -> None:
        self.request("say", f"say({tones!r})", lambda: self.robot.sounds.say(tones, self.now))

    def list_sounds(self, refresh: bool) -> None:
        # Each of at most 255 entries may need all its tries.
        bound = sounds.LAST_SOUND * sounds.SoundPlayer.retries.duration
        self.request(
            "sounds", f"list_sounds({refresh})", lambda: self.robot.sounds.list(refresh, self.now), bound=bound
        )

    def order_gripper(self, name: str, duration: float) -> None:
        self.request(
            "gripper",
            f"gripper({name!r}, {duration})",
            lambda: self.robot.gripper.order(name, duration, self.now),
        )

    def order_charger(self, out: bool) -> None:
        self.request("charger", f"charger({out})", lambda: self.robot.charger.deploy(out, self.now))

    def aux_write(self, port: int, data: bytes) -> None:
        # What waits before it, at the slowest line there is and the port's own speed.
        bound = 2 * 8192 * 10 / 9600 * 2 + 8192 / 20 * self.robot.queue.spacing
        self.request(
            "aux write",
            f"aux_write({port}, {len(data)})",
            lambda: self.robot.aux[port - 1].writer.write(data),
            bound=bound,
        )

    def aux_read(self, port: int, count: int, timeout: float) -> None:
        bound = timeout if 0.0 <= timeout < math.inf else 0.0
        self.request(
            "aux read",
            f"aux_read({port}, {count}, {timeout})",
            lambda: self.robot.aux[port - 1].reader.read(count, timeout, self.now),
            bound=bound,
        )

    def turn_servo(self, joint: str, angle: float) -> Exception | None:
        answer = self.call(lambda: self.robot.servos.turn(joint, angle, self.now), Refused)
        return answer if isinstance(answer, Exception) else None
