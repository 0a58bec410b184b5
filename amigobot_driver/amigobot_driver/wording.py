"""Grammar of messages to users."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun: "1 tone", "2 tones".

    Args:
        number: The number.
        noun: The singular.
        plural: The plural, if it is not the singular with an s: "entries", "velocities".
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
