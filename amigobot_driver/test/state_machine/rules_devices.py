# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Devices: ports, sounds, serial ports, gripper, charger, servos."""

from __future__ import annotations

from hypothesis import strategies as st

from . import values
from .base import Base, rule


class DeviceRules(Base):
    """Services of what a robot has beside its wheels."""

    @rule(
        mask=st.sampled_from((0, 1, 3, 0x3F, 0x40, 0xFF, 0x100)),
        states=st.sampled_from((0, 1, 0x3F, 0xFF)),
        pause=values.PAUSES,
    )
    def set_digital_outputs(self, mask: int, states: int, pause: float) -> None:
        self.world.set_digital_outputs(mask, states)
        self.advance(pause)

    @rule(port=st.integers(0, 6), pause=values.PAUSES)
    def select_analog_input(self, port: int, pause: float) -> None:
        self.world.select_analog_input(port)
        self.advance(pause)

    @rule(on=st.booleans(), pause=values.PAUSES)
    def enable_sounds(self, on: bool, pause: float) -> None:
        self.world.enable_sounds(on)
        self.advance(pause)

    @rule(number=st.sampled_from((0, 1, 49, 50, 60, 255, 256, -1)), pause=values.PAUSES)
    def play_sound(self, number: int, pause: float) -> None:
        self.world.play_sound(number)
        self.advance(pause)

    @rule(tones=st.sampled_from((b"", b"\x05\x10", bytes(40))), pause=values.PAUSES)
    def say(self, tones: bytes, pause: float) -> None:
        self.world.say(tones)
        self.advance(pause)

    @rule(refresh=st.booleans(), pause=values.PAUSES)
    def list_sounds(self, refresh: bool, pause: float) -> None:
        self.world.list_sounds(refresh)
        self.advance(pause)

    @rule(
        name=st.sampled_from(("open", "close", "up", "down", "store", "halt", "press", "carry", "nonsense", "")),
        duration=st.sampled_from((0.0, 0.02, 1.0, -1.0, 5.1, 5.12, -5.12, *values.NOT_NUMBERS)),
        pause=values.PAUSES,
    )
    def gripper(self, name: str, duration: float, pause: float) -> None:
        self.world.order_gripper(name, duration)
        self.advance(pause)

    @rule(out=st.booleans(), pause=values.PAUSES)
    def charger(self, out: bool, pause: float) -> None:
        self.world.order_charger(out)
        self.advance(pause)

    @rule(port=st.integers(1, 3), size=st.sampled_from((0, 1, 20, 300, 8192, 8193)), pause=values.PAUSES)
    def aux_write(self, port: int, size: int, pause: float) -> None:
        self.world.aux_write(port, bytes(size))
        self.advance(pause)

    @rule(
        port=st.integers(1, 3),
        count=st.sampled_from((-1, 0, 1, 20, 8192, 8193)),
        timeout=st.sampled_from((-1.0, 0.0, 0.3, 2.0, 3600.0, 3601.0, *values.NOT_NUMBERS)),
        pause=values.PAUSES,
    )
    def aux_read(self, port: int, count: int, timeout: float, pause: float) -> None:
        self.world.aux_read(port, count, timeout)
        self.advance(pause)

    @rule(
        joint=st.sampled_from(("servo_joint", "pan_joint", "nonsense", "")),
        angle=st.sampled_from((0.0, 0.5, -0.5, 100.0, *values.NOT_NUMBERS)),
    )
    def servo(self, joint: str, angle: float) -> None:
        self.world.turn_servo(joint, angle)
        self.advance(0.1)

    @rule(
        frequency=st.sampled_from((0.0, 3999.0, 4000.0, 16000.0, 16001.0, -1.0, *values.NOT_NUMBERS)),
        duty=st.sampled_from((0.0, 0.009, 0.5, 1.0, 1.001, -0.1, *values.NOT_NUMBERS)),
    )
    def motor_pwm(self, frequency: float, duty: float) -> None:
        self.world.set_motor_pwm(frequency, duty)
        self.advance(0.1)

    @rule()
    def save_config(self) -> None:
        self.world.save_config()
        self.advance(0.1)
