# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Words of messages to users."""

from __future__ import annotations

import os
import reprlib

#: The name that a robot has from the factory (FLASH parameter Name, docs/protocol 6.4).
_FACTORY_NAME = "not_set"

#: Shortens a value in a message to one line, however large or deep it is.
_shortened = reprlib.Repr()
_shortened.maxlevel, _shortened.maxstring = 2, 60


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


def shown(value: object) -> str:
    """Return a value as one line of up to 120 characters, however large or deep it is."""
    text = _shortened.repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


def wrong_type(name: str, value: object, expected: str) -> str:
    """Return the message for a value that has the wrong type or form.

    A value of the right type that is out of range is refused as "NAME is VALUE, allowed: RANGE WITH UNIT".

    Args:
        name: What the value is for, with the file before it: "robot.yaml: body: length_mm".
        value: The refused value.
        expected: What it must be: "a mapping", "a number from 0 to 1".
    """
    return f"{name} is {shown(value)}, expected {expected}"


def domain_problem(domain: str | None = None) -> str:
    """Return why no node can run in a ROS domain, at which Fast DDS ends the process; "": one can.

    Args:
        domain: The value of ROS_DOMAIN_ID; None: of the environment.
    """
    domain = os.environ.get("ROS_DOMAIN_ID", "") if domain is None else domain
    usable = not domain or (domain.isdecimal() and int(domain) <= 232)
    return "" if usable else f"ROS_DOMAIN_ID is {domain}; allowed: 0 to 232, and 0 to 101 on every computer"
