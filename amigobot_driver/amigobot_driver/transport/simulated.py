"""The simulated robot as a port in this process, in real time. sim://, sim://amigo-sh?world=office&seed=1

No thread of its own: the robot lives while somebody reads or writes, and catches up with the clock then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

from ..profiles import ProfileError, load_profile
from ..sim import Simulator, WorldError, load_world
from .port import PortError

_DEFAULT_ROBOT, _DEFAULT_WORLD = "amigo", "room"
#: bytes that wait for a reader, as a kernel keeps them for a serial port; later ones are lost
_BUFFER = 4096


class SimulatedPort:
    """One robot, made from the URL. `simulator` is the robot itself, for tests: hold `lock` to use it."""

    def __init__(self, url: str) -> None:
        self.name = url
        self.simulator, self._check_baud = _simulator(url)
        self.lock = threading.Lock()
        self.byte_time = self.simulator.byte_time
        self._changed = threading.Condition(self.lock)
        self._closed = False

    def read(self, timeout: float) -> bytes:
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                now = self._advance()
                data = self.simulator.transmit(now)
                if data or now >= deadline:
                    return data[:_BUFFER]
                self._changed.wait(min(deadline, self.simulator.next_event(now)) - now)

    def write(self, data: bytes) -> None:
        with self._changed:
            self.simulator.receive(data, self._advance())
            self._changed.notify_all()

    def set_baud(self, baud: int) -> None:
        """The robot hears only noise at another speed, where the URL says check_baud=1; else any will do."""
        if self._check_baud:
            with self._changed:
                self._advance()
                self.simulator.set_client_baud(baud)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _advance(self) -> float:
        if self._closed:
            raise PortError(f"{self.name}: the port is closed")
        now = time.monotonic()
        self.simulator.advance(now)
        self.byte_time = self.simulator.byte_time
        return now


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError("0 or 1 is needed")
    return text == "1"


#: What may follow the question mark, and how it is read.
_OPTIONS: dict[str, Callable[[str], object]] = {
    "world": load_world,
    "seed": int,
    "baud": int,
    "name": str,
    "charge": float,
    "check_baud": _flag,
}


def _simulator(url: str) -> tuple[Simulator, bool]:
    """The robot that a URL describes, and whether the client's speed matters."""
    try:
        parts = urlsplit(url)
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True) if parts.query else []
        if parts.path.strip("/") or parts.fragment:
            raise ValueError("the form is sim://ROBOT?OPTION=VALUE&...")
        values: dict[str, object] = {}
        for key, text in pairs:
            if key not in _OPTIONS:
                raise ValueError(f"option {key!r} is not known, allowed: {', '.join(_OPTIONS)}")
            if key in values:
                raise ValueError(f"option {key!r} is given twice")
            values[key] = _value(key, text)
        check_baud = bool(values.pop("check_baud", False))
        world = values.pop("world", None) or load_world(_DEFAULT_WORLD)
        profile = load_profile(parts.netloc or _DEFAULT_ROBOT)
        return Simulator(profile, world, **values), check_baud  # type: ignore[arg-type]  # as _OPTIONS reads them
    except (ProfileError, WorldError, ValueError) as error:
        raise PortError(f"{url}: {error}") from None


def _value(key: str, text: str) -> object:
    try:
        return _OPTIONS[key](text)
    except WorldError:
        raise
    except ValueError as error:
        raise ValueError(f"option {key}={text!r:.60}: {error}") from None
