"""Grammar of messages to users."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun: "1 tone", "2 tones".

    Args:
        number: How many there are.
        noun: The singular.
        plural: The plural, where it is not the singular with an s: "entries", "velocities".
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
