# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The texts of a radio modem (docs/protocol 3.7)."""

from __future__ import annotations

#: Command to call the modem of the robot.
CALL = b"WMS2\r"
_CONNECTING, _CONNECTED = b"connecting", b"connected to address"
_FAILURES = {
    b"partner busy": "another computer uses the modem of the robot: end its program, or switch that modem off and on",
    b"partner not found": "switch the robot and its modem on, and bring the modems nearer to each other",
}


def is_connecting(text: bytes) -> bool:
    """Return whether the modem calls the other one, and no result has come yet."""
    return _CONNECTING in text.lower() and not is_settled(text)


def is_settled(text: bytes) -> bool:
    """Return whether the modem is connected or has given up."""
    return _CONNECTED in text.lower() or bool(failure(text))


def failure(text: bytes) -> str:
    """Return why the modem is not connected and what to do; "" without a text that says it."""
    for answer, remedy in _FAILURES.items():
        if answer in text.lower() and _CONNECTED not in text.lower():
            return f'a radio modem says "{answer.decode().capitalize()}": {remedy}'
    return ""
