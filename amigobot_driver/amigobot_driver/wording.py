# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Words of messages to users."""

from __future__ import annotations

#: The name that a robot has from the factory (FLASH parameter Name, docs/protocol.md 6.4).
_FACTORY_NAME = "not_set"


def given_name(name: str) -> str:
    """Return the name that the owner gave a robot, printable characters only; "" for the name from the factory."""
    return "" if name == _FACTORY_NAME else "".join(letter if letter.isprintable() else "?" for letter in name)


def robot_name(name: str) -> str:
    """Return the name of a robot for a message: "Rob", or "a robot without a name"."""
    return given_name(name) or "a robot without a name"


def on_or_off(on: bool | None) -> str:
    """Return the state of a switch: "on", "off"."""
    return "on" if on else "off"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun: "1 tone", "2 tones".

    Args:
        number: The number.
        noun: The singular.
        plural: The plural, if it is not the singular with an s: "entries", "velocities".
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
