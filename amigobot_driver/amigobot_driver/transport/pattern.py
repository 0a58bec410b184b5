"""A port by a pattern of names, /dev/ttyUSB* or /dev/serial/by-id/*: for an adapter that comes back under another."""

from __future__ import annotations

from glob import glob, has_magic

from .port import PortError
from .serial import SerialPort


def is_pattern(url: str) -> bool:
    """Whether this may stand for several ports."""
    return "://" not in url and has_magic(url)


def open_match(pattern: str, baud: int) -> SerialPort:
    """The first port that matches and opens, in the order of the names as they are now. Raises PortError."""
    names = sorted(glob(pattern))
    errors = []
    for name in names:
        try:
            return SerialPort(name, baud)
        except PortError as error:
            errors.append(str(error))
    if not errors:
        raise PortError(
            f"{pattern}: no port has such a name; is the adapter plugged in? "
            "`ls /dev/serial/by-id` shows those there are"
        )
    others = f" (nor do the others that match {pattern}: {len(errors) - 1})" if len(errors) > 1 else ""
    raise PortError(errors[0] + others)
