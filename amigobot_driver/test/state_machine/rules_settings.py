# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What is set and asked: switches, working values, parameters, raw commands."""

from __future__ import annotations

from hypothesis import strategies as st

from . import values
from .base import Base, rule

_SETO = 7


class SettingRules(Base):
    """Services that change how the robot works, and the node's parameters."""

    @rule(on=st.booleans(), pause=values.PAUSES)
    def enable_motors(self, on: bool, pause: float) -> None:
        self.world.enable_motors(on)
        self.advance(pause)

    @rule(on=st.booleans(), pause=values.PAUSES)
    def enable_sonar(self, on: bool, pause: float) -> None:
        self.world.enable_sonar(on)
        self.advance(pause)

    @rule(sonars=st.lists(st.sampled_from((0, 1, 5, 7, 8, 15, 16, 255, -1)), max_size=4), pause=values.PAUSES)
    def poll_sonars(self, sonars: list[int], pause: float) -> None:
        self.world.poll_sonars(tuple(sonars))
        self.advance(pause)

    @rule(change=values.WORKING_VALUES, pause=values.PAUSES)
    def tune(self, change: tuple[str, int], pause: float) -> None:
        """set_robot_config, set_pid."""
        self.world.tune(dict([change]))
        self.advance(pause)

    @rule(
        servo=st.sampled_from((0, 1)),
        terms=st.tuples(*[st.sampled_from((0, 0, 20, 100))] * 3),
        set_zeros=st.sampled_from((False, False, True)),
        pause=values.PAUSES,
    )
    def set_pid(self, servo: int, terms: tuple[int, int, int], set_zeros: bool, pause: float) -> None:
        self.world.set_pid(servo, terms, set_zeros=set_zeros)
        self.advance(pause)

    @rule(pause=values.PAUSES)
    def read_config(self, pause: float) -> None:
        self.world.read_config()
        self.advance(pause)

    @rule(change=values.PARAMETER_CHANGES, pause=values.PAUSES)
    def set_parameter(self, change: tuple[str, object], pause: float) -> None:
        self.world.set_parameter(*change)
        self.advance(pause)

    @rule(pause=values.PAUSES)
    def reset(self, pause: float) -> None:
        """reset_robot."""
        self.world.reset()
        self.advance(pause)

    @rule(number=values.COMMANDS, arguments=values.ARGUMENTS, text=values.TEXTS, pause=values.PAUSES)
    def send_raw(self, number: int, arguments: list[int], text: bytes, pause: float) -> None:
        """send_command."""
        self.world.send_raw(number, arguments, text)
        self.advance(pause)

    @rule(pause=values.PAUSES)
    def zero_counters(self, pause: float) -> None:
        """The robot's own counters jump."""
        self.world.send_raw(_SETO, [], b"")
        self.advance(pause)

    @rule(count=st.sampled_from((1, 20, 199, 200, 201)))
    def send_many_raw(self, count: int) -> None:
        """A caller that floods the line."""
        for _ in range(count):
            self.world.send_raw(0, [], b"")
        self.advance(0.5)
