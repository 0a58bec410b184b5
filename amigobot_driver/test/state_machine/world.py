# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The system under test as the rules use it: driver core and simulated robot on one simulated clock."""

from __future__ import annotations

from collections.abc import Iterator

from amigobot_driver.connection_policy import DRIVER_SILENCE

from .allowance import Allowance
from .device_calls import DeviceCalls
from .disturbances import Disturbances
from .motion_calls import MotionCalls
from .observed import SLICE
from .records import Seen
from .setting_calls import SettingCalls
from .witness import TICK


class World(MotionCalls, SettingCalls, DeviceCalls, Disturbances):
    """Everything together. Each method that acts lets no time pass; `advance` and `freeze` do."""

    def advance(self, seconds: float, *, cmd_vel: tuple[float, float] | None = None) -> Iterator[Seen]:
        """Let time pass slice by slice, and publish this velocity meanwhile, at 10 Hz; what each slice showed."""
        end = self.now + seconds
        while self.now < end:
            if cmd_vel is not None:
                self.drive(*cmd_vel)
            step = min(0.1 if cmd_vel is not None else SLICE, end - self.now)
            self.bench.run(step)
            self._wait(step)
            yield self.observe()

    def freeze(self, seconds: float, *, writer_first: bool) -> Seen:
        """The process of the driver stands still."""
        start = self.now
        self.bench.sleep(seconds, writer_first=writer_first)
        self.bench.run(1e-6)
        self.allowances.disturb(start, self.now)
        self.punctual_since = max(self.punctual_since, self.now + 2 * TICK)
        self.woken = self.now
        if self.running and seconds > DRIVER_SILENCE:
            # Documented: what was asked before the process slept is void.
            self._allow(Allowance())
        self._spoil()
        return self.observe()

    def close(self) -> None:
        """The driver ends."""
        self.closed = True
        self.call(self.robot.link.close)
        self._replaced()
        self._allow(Allowance())
