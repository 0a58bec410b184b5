"""What the drive needs to know of a controller's parameters, whatever their names are in its FLASH."""

from __future__ import annotations

from typing import Protocol


class DriveParameters(Protocol):
    """mm/s, deg/s, and per second of those; PID terms as the manuals count them."""

    trans_vel_max: int
    trans_acc: int
    trans_decel: int
    rot_vel_max: int
    rot_acc: int
    rot_decel: int
    trans_kp: int
    trans_kv: int
    trans_ki: int
    rot_kp: int
    rot_kv: int
    rot_ki: int

    # Caps that no command can lift.
    @property
    def trans_vel_top(self) -> int: ...

    @property
    def rot_vel_top(self) -> int: ...

    @property
    def brakes_only_to_zero(self) -> bool:
        """The deceleration is for coming to rest only, not for going slower."""
        ...

    @property
    def ticks_per_metre(self) -> float:
        """What the encoders count."""
        ...

    @property
    def ticks_per_turn(self) -> float:
        """Half the difference of the wheels' ticks in one turn of the robot."""
        ...

    @property
    def drift(self) -> float:
        """Share of its ticks that the left wheel is given in addition."""
        ...

    @property
    def full_power(self) -> float:
        """Share of the battery's voltage that the motors get at most."""
        ...

    def stalls_at(self, power: float) -> bool:
        """Whether so much power (-1 to 1 of the battery's voltage) without motion is a stall."""
        ...

    @property
    def stall_pause(self) -> float:
        """s that a stalled motor stays without power."""
        ...
