# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What goes wrong, and what people do beside the robot."""

from __future__ import annotations

from hypothesis import strategies as st

from amigobot_driver.sim import Faults

from . import values
from .base import Base, rule
from .oracle import Violation

FAULTS = st.one_of(
    st.sampled_from((0.001, 0.01)).map(lambda share: Faults(corrupt=share)),
    st.sampled_from((0.001, 0.01)).map(lambda share: Faults(lose_bytes=share)),
    st.sampled_from((0.02, 0.3)).map(lambda share: Faults(lose_packets=share)),
    st.just(Faults(duplicate=0.2)),
    st.just(Faults(delay=0.05)),
    st.just(Faults(babble=5.0)),
)


class FaultRules(Base):
    """Line, port, power, process, wheels."""

    @rule(pause=values.PAUSES)
    def wait(self, pause: float) -> None:
        self.advance(pause)

    @rule(faults=FAULTS, pause=values.PAUSES)
    def disturb_line(self, faults: Faults, pause: float) -> None:
        self.world.set_faults(faults)
        self.advance(pause)

    @rule(to_robot=st.booleans(), from_robot=st.booleans(), pause=values.PAUSES)
    def set_range(self, to_robot: bool, from_robot: bool, pause: float) -> None:
        self.world.set_range(to_robot, from_robot)
        self.advance(pause)

    @rule(delay=st.sampled_from((0.0, 0.02, 0.2)), pause=values.PAUSES)
    def delay_line(self, delay: float, pause: float) -> None:
        self.world.set_delay(delay)
        self.advance(pause)

    @rule(pause=values.PAUSES)
    def heal(self, pause: float) -> None:
        self.world.heal()
        self.advance(pause)

    @rule(seconds=values.FREEZES, writer_first=st.booleans(), pause=values.PAUSES)
    def freeze(self, seconds: float, writer_first: bool, pause: float) -> None:
        """The process of the driver stands still."""
        world = self.world
        # A robot that was reset is silent, and the driver has not noticed it yet.
        noticed = world.now - world.silence - 2 * world.reaction
        heard = world.can_be_driven and not world.meddling.since(noticed, "all")
        connections = world.connections
        self.see(world.freeze(seconds, writer_first=writer_first))
        if heard and (not world.running or world.connections != connections):
            raise Violation(f"LinkIsTrue: {seconds} s of a frozen process lost a link whose bytes had all come")
        self.advance(pause)

    @rule(seconds=st.sampled_from((0.0, 0.1, 0.5, 1.5, 2.5)))
    def replug(self, seconds: float) -> None:
        """The cable is out for a while."""
        self.world.unplug()
        self.advance(seconds)
        self.world.plug_in()
        self.advance(0.1)

    @rule(seconds=st.sampled_from((0.0, 0.5, 3.0)))
    def power_cycle(self, seconds: float) -> None:
        self.world.switch_off()
        self.advance(seconds)
        self.world.switch_on()
        self.advance(0.5)

    @rule(seconds=st.sampled_from((0.0, 0.5, 3.0)))
    def exchange_robot(self, seconds: float) -> None:
        """The cable goes to another robot of the model."""
        self.world.switch_off()
        self.advance(seconds)
        self.world.exchange()
        self.advance(0.5)

    @rule(within=st.sampled_from((0.0, 0.05, 0.3, 1.0)))
    def wait_for_link(self, within: float) -> None:
        """Wait until the driver has found the robot, and a little longer."""
        for _ in range(40):
            if self.world.running:
                break
            self.advance(0.1)
        self.advance(within)

    @rule(pause=values.PAUSES)
    def press_motors_button(self, pause: float) -> None:
        self.world.press_motors_button()
        self.advance(pause)

    @rule(pause=values.PAUSES)
    def press_reset_button(self, pause: float) -> None:
        self.world.press_reset_button()
        self.advance(pause)

    @rule(x=st.floats(-1, 1), y=st.floats(-1, 1), buttons=st.tuples(st.booleans(), st.booleans()))
    def move_joystick(self, x: float, y: float, buttons: tuple[bool, bool]) -> None:
        self.world.move_joystick(x, y, 0.0, buttons)
        self.advance(0.1)

    @rule(on=st.booleans(), pause=values.PAUSES)
    def jam(self, on: bool, pause: float) -> None:
        """Something holds the wheels."""
        self.world.jam(on)
        self.advance(pause)
