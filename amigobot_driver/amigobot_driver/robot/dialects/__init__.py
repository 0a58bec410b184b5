"""How each family of firmware is talked to: one module a dialect, one object a connection.

The rest of the robot speaks the ActivMedia family's terms only; a dialect turns what a robot sends into those, what the
robot is to be sent out of those, and knows the robot's greeting. Adding a dialect is adding its module to `dialects`.
"""

from .dialect import Dialect, Script, Talk
from .erratic import Erratic
from .family import Family


def dialects() -> tuple[Dialect, ...]:
    """One of each, the one to try first in front."""
    return Family(), Erratic()


__all__ = ["Dialect", "Script", "Talk", "dialects"]
