# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The gripper of a Pioneer: paddles, a lift, and two light beams between the paddles.

Paddles and lift take time to move. There is never an object between the paddles.
Source: docs/protocol 5.10; ARIA's ArGripper.
"""

from __future__ import annotations

import math

from ..protocol import Gripper

_PADDLE_TIME = 2.0  # s from open to closed
_LIFT_TIME = 3.0  # s from the lowest to the highest position

# Bits of the switches in GRIPPERpac; bits 2 and 3 are light beams, 0 without an object.
_PADDLES_OPEN = 1 << 0  # 0 when they are open
_LIFT_AT_END = 1 << 1  # 0 when it is up or down
_LEFT_PADDLE = 1 << 4  # 0 when it is closed
_RIGHT_PADDLE = 1 << 5  # 0 when it is closed
_LIFT_MOVES = 1 << 6
_PADDLES_MOVE = 1 << 7

#: argument of GRIPPER: the new goals of paddles and lift; None keeps a goal, nan stops
_STOP = math.nan
_ORDERS: dict[int, tuple[float | None, float | None]] = {
    1: (1.0, None),  # open
    2: (0.0, None),  # close
    3: (_STOP, None),
    4: (None, 1.0),  # lift up
    5: (None, 0.0),  # lift down
    6: (None, _STOP),
    7: (0.0, 1.0),  # store
    8: (1.0, 0.0),  # deploy
    15: (_STOP, _STOP),  # halt
}
_PRESS = 16  # argument of GRIPPER: close the paddles for the time of GRIPPERVAL
_CARRY = 17  # argument of GRIPPER: move the lift for the time of GRIPPERVAL


class _Actuator:
    """One motor with a position from 0 to 1."""

    def __init__(self, time: float, position: float) -> None:
        self._time = time
        self.position = self.goal = position

    def step(self, dt: float) -> None:
        reach = dt / self._time
        self.position += max(-reach, min(reach, self.goal - self.position))

    def aim(self, goal: float | None) -> None:
        if goal is not None:
            self.goal = self.position if math.isnan(goal) else max(0.0, min(1.0, goal))

    @property
    def moving(self) -> bool:
        return self.position != self.goal


class GripperModel:
    """The gripper. `kind` is its wiring: 0 no gripper, 1 to the user I/O, 2 to the general I/O."""

    def __init__(self) -> None:
        self.kind = 0
        self._paddles, self._lift = _Actuator(_PADDLE_TIME, 0.0), _Actuator(_LIFT_TIME, 0.0)
        self._pending = 0  #: PRESS or CARRY that waits for its GRIPPERVAL

    def restart(self, kind: int) -> None:
        """Stop the motors, because a session begins or ends; the position stays.

        Args:
            kind: Wiring of the gripper.
        """
        self.kind = kind
        self._aim(_STOP, _STOP)

    def _aim(self, paddles: float | None, lift: float | None, pending: int = 0) -> None:
        self._paddles.aim(paddles)
        self._lift.aim(lift)
        self._pending = pending

    def execute(self, number: int) -> None:
        """Execute GRIPPER; without a gripper, or with an unknown number, do nothing.

        Args:
            number: Its argument (ARIA's ArGripper).
        """
        if self.kind:
            self._aim(*_ORDERS.get(number, (None, None)), number)

    def set_value(self, value: int) -> None:
        """Execute GRIPPERVAL.

        Args:
            value: Duration of the PRESS or CARRY before it, in 20 ms; negative moves the lift down.
        """
        seconds, pending = value * 0.020, self._pending
        self._aim(
            self._paddles.position - seconds / _PADDLE_TIME if pending == _PRESS else None,
            self._lift.position + seconds / _LIFT_TIME if pending == _CARRY else None,
        )

    def step(self, dt: float) -> None:
        """Move on by `dt` s."""
        self._paddles.step(dt)
        self._lift.step(dt)

    @property
    def state(self) -> int:
        """The SIP's byte: 1 open, 2 closed, 4 moving for the paddles, 16 up, 32 down, 64 moving for the lift."""
        if not self.kind:
            return 0
        return _state(self._paddles) | _state(self._lift) << 4

    @property
    def inputs(self) -> int | None:
        """The digital inputs of a gripper on the user I/O: all switches but those of motion; None for other wiring."""
        return self.packet().switches & ~(_LIFT_MOVES | _PADDLES_MOVE) if self.kind == 1 else None

    def packet(self) -> Gripper:
        """Return GRIPPERpac: wiring, switches, and a grasp time of 0."""
        paddles, lift = self._paddles, self._lift
        bits = _PADDLES_OPEN * (paddles.position < 1.0) | _LIFT_AT_END * (0.0 < lift.position < 1.0)
        bits |= (_LEFT_PADDLE | _RIGHT_PADDLE) * (paddles.position > 0.0)
        bits |= _LIFT_MOVES * lift.moving | _PADDLES_MOVE * paddles.moving
        return Gripper(type=self.kind, switches=bits if self.kind else 0, grasp_time=0)


def _state(drive: _Actuator) -> int:
    return 4 if drive.moving else {1.0: 1, 0.0: 2}.get(drive.position, 0)
