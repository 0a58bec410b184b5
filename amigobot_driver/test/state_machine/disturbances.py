# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What people do beside the robot, and what goes wrong on the line, at the port and with the power."""

from __future__ import annotations

import dataclasses
import math

from bench import lost

from amigobot_driver.sim import Faults, Window

from .allowance import Allowance
from .observed import ObservedWorld
from .setup import PARAMETERS

#: s in which the filter of the stamps forgets delays and duplicates: two of its blocks of 31 cycles.
RELEARN = 7.0
_ALWAYS = Window(0.0, math.inf)


class Disturbances(ObservedWorld):
    """Buttons, line, port, power, wheels."""

    def press_motors_button(self) -> None:
        self.bench.simulator.press_motors_button()
        self.meddling.note(self.now, "motors")

    def press_reset_button(self) -> None:
        self.bench.simulator.reset()
        self.meddling.note(self.now, "all", "power")
        self._spoil()

    def move_joystick(self, x: float, y: float, throttle: float, buttons: tuple[bool, bool]) -> None:
        joystick = self.bench.simulator.joystick
        joystick.x, joystick.y, joystick.throttle, joystick.buttons = x, y, throttle, buttons

    def jam(self, on: bool) -> None:
        """Hold the wheels, or let them go."""
        self.witness._body.jammed = on
        self.jammed = on
        self.bench.simulator.faults = dataclasses.replace(self.bench.simulator.faults, jam=_ALWAYS if on else None)

    def connect(self) -> None:
        """Plug in and wait until the driver has what it wants."""
        if not self.plugged:
            self.bench.plug_in()
        self.observe()

    def unplug(self) -> None:
        if self.plugged:
            self.allowances.disturb(self.now, math.inf)
            self._allow(Allowance())
            self.bench.unplug()
            self._replaced()
            self.observe()

    def plug_in(self) -> None:
        if not self.plugged:
            self._mend()
            self.bench.plug_in()
            self.witness.made.clear()  # none of them arrives any more
            self.observe()

    def switch_off(self) -> None:
        """The robot's power goes."""
        if self.powered:
            self.allowances.disturb(self.now, math.inf)
            self.powered = False
            self.bench.switch_off()
            self.meddling.note(self.now, "all", "power")
            self._spoil()
            self.observe()

    def switch_on(self) -> None:
        if not self.powered:
            self.powered = True
            self.bench.switch_on()
            self.bench.simulator.start(self.now)
            self.bench.simulator.tick()
            self.bench.simulator.reset()  # it boots: even an Erratic is silent until then
            self._mend()
            self.meddling.note(self.now, "all", "power")
            self.observe()

    def exchange(self) -> None:
        """Another robot of the model takes the place of one that is off: what was set for that one is not for it."""
        if not self.powered:
            self.exchanged += 1
            if self.bench.up.fault is None and self.lossless_since < math.inf:
                self.touched = {"trans_vel_max", "rot_vel_max"} | {
                    spec.tunes[0]
                    for spec in PARAMETERS.values()
                    if spec.tunes and self.values[spec.name] != spec.default
                }
            # Otherwise its name may be lost, and an Erratic is taken for connected by its stream.
            self.switch_on()

    def set_faults(self, faults: Faults) -> None:
        """What goes wrong on the line from now on."""
        self._begin_disturbance()
        self.bench.simulator.faults = dataclasses.replace(faults, jam=self.bench.simulator.faults.jam)
        self._mend()
        self.observe()

    def set_range(self, to_robot: bool, from_robot: bool) -> None:
        """Which directions of the radio link work."""
        self._begin_disturbance()
        self.bench.up.fault = None if to_robot else lost
        self.bench.down.fault = (None if self.setup.moving_bit else self._disguise) if from_robot else lost
        self._mend()
        self.observe()

    def set_delay(self, seconds: float) -> None:
        """How long bytes travel, both ways."""
        if seconds != self._delay:
            self.allowances.disturb(self.now, self.now + self._delay)
            self.punctual_since = self.now + self._delay + RELEARN
            self._delay = self.bench.up.delay = self.bench.down.delay = seconds

    def heal(self) -> None:
        """Everything is in order again."""
        self.set_faults(Faults())
        self.set_range(True, True)
        self.set_delay(0.0)
        self.jam(False)
        self.switch_on()
        self.plug_in()

    def _begin_disturbance(self) -> None:
        self._mend()
        self.allowances.disturb(self.now, math.inf)
        self.lossless_since = math.inf
        self.punctual_since = math.inf
        self._spoil()

    def _mend(self) -> None:
        """End the disturbances that no longer go on."""
        if self.in_order or (self.bench.up.fault is None and self.plugged and self.powered):
            faults = self.bench.simulator.faults
            if not (faults.corrupt or faults.lose_bytes or faults.lose_packets or faults.duplicate or faults.delay):
                self.allowances._disturbed = [
                    (start, self.now if end == math.inf else end) for start, end in self.allowances._disturbed
                ]
                if self.lossless_since == math.inf:
                    self.lossless_since = self.now
                if self.punctual_since == math.inf:
                    self.punctual_since = self.now + RELEARN
