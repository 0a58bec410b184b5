# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Hobby servos of the controller: joint angles to counts, by the scale of the profile."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...errors import RequestRefusedError
from ...protocol import Instruction
from ..component import Component, Context
from ..motion.limits import check_finite
from ..unconfirmed import UnconfirmedCommands


class ServoJoints(Component):
    """Turns servos; no packet reports their position."""

    def __init__(
        self, context: Context, unconfirmed: UnconfirmedCommands, command: Callable[[int, int], Instruction]
    ) -> None:
        """Make the component.

        Args:
            context: The robot's.
            unconfirmed: Sends the commands.
            command: Returns the command that turns a servo (number) to a position (counts).
        """
        super().__init__(context)
        self._unconfirmed = unconfirmed
        self._command = command

    def turn(self, joint: str, angle: float, now: float) -> None:
        """Turn a joint of the profile to an angle (rad).

        Raises:
            RequestRefusedError: the robot has no such joint, or the servo does not reach the angle.
        """
        servos = self._context.profile().servos
        if joint not in servos.joints:
            raise RequestRefusedError(f"joint {joint!r} is not known, allowed: {', '.join(servos.joints) or 'none'}")
        check_finite(joint, angle, "rad")
        per_radian = servos.counts_per_degree * math.degrees(1)
        counts = servos.neutral + angle * per_radian
        if not servos.lowest <= counts <= servos.highest:
            low, high = ((end - servos.neutral) / per_radian for end in (servos.lowest, servos.highest))
            raise RequestRefusedError(f"{joint} is {angle:g} rad, allowed: {low:.3g} to {high:.3g} rad")
        number = servos.joints.index(joint)
        try:
            instruction = self._command(number, round(counts))
        except ValueError as error:
            raise RequestRefusedError(f"{joint}: {error}; see servos in the profile") from None
        self._context.require(instruction.command)
        self._unconfirmed.request(("servo", number), instruction, now)
