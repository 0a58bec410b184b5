# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot as a port in this process, in real time: sim://, sim://amigo-sh?world=office&seed=1.

It has no thread. Each read or write advances the simulation to the present time.
"""

from __future__ import annotations

import threading
import time
import weakref
from urllib.parse import parse_qsl, urlsplit

from ..errors import PortError
from ..sim import Simulator, WorldPose, build_simulator

#: Size of the receive buffer in bytes, as of a serial port in the kernel; further bytes are lost.
_BUFFER = 4096
#: Ports that are in use, by URL; the newest, if there are several.
_ports: weakref.WeakValueDictionary[str, SimulatedPort] = weakref.WeakValueDictionary()
#: Robots whose port was unplugged, by URL. Opening the URL again finds the same robot.
_unplugged: dict[str, tuple[Simulator, bool]] = {}


class SimulatedPort:
    """The port of one simulated robot, created from the URL. For tests: hold `lock` to use `simulator`."""

    def __init__(self, url: str) -> None:
        self.name = url
        parked = _unplugged.pop(url, None)
        self.simulator, self._check_baud = simulator_of(url) if parked is None else parked
        self.lock = threading.Lock()
        self.byte_time = self.simulator.byte_time
        self._changed = threading.Condition(self.lock)
        self._closed = False
        with self.lock:
            self._advance()
            self.simulator.open_port()
        _ports[url] = self

    def read(self, timeout: float) -> bytes:
        """Return the available bytes, see `Port.read`."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                now = self._advance()
                data = self.simulator.transmit(now)
                if data or now >= deadline:
                    return data[:_BUFFER]
                self._changed.wait(min(deadline, self.simulator.next_event(now)) - now)

    def write(self, data: bytes) -> None:
        """Write all bytes, see `Port.write`."""
        with self._changed:
            self.simulator.receive(data, self._advance())
            self._changed.notify_all()

    def set_baud(self, baud: int) -> None:
        """Change the speed of this side. With check_baud=1 in the URL the robot receives noise at any other speed."""
        if self._check_baud:
            with self._changed:
                self._advance()
                self.simulator.set_client_baud(baud)

    def close(self) -> None:
        """Close the port, see `Port.close`."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _advance(self) -> float:
        if self._closed:
            raise PortError(f"{self.name}: the port is closed")
        now = time.monotonic()
        self.simulator.advance(now)
        self.byte_time = self.simulator.byte_time
        if self.simulator.unplugged:
            self._closed = True
            self._changed.notify_all()
            _unplugged[self.name] = self.simulator, self._check_baud
            raise PortError(f"{self.name}: the simulated port is unplugged")
        return now


def simulated_pose(url: str) -> WorldPose | None:
    """Return the true pose of the simulated robot whose port is open in this process. For tools; no driver knows it.

    Args:
        url: Of the port, as it was opened.

    Returns:
        The pose in the world; None if there is no such port.
    """
    port = _ports.get(url)
    if port is None:
        return None
    with port.lock:
        return port.simulator.truth.pose


def simulator_of(url: str) -> tuple[Simulator, bool]:
    """Return the robot that a URL describes, and its option check_baud.

    Raises:
        PortError: The URL describes no robot; the message says why.
    """
    try:
        parts = urlsplit(url)
        if parts.path.strip("/") or parts.fragment:
            raise ValueError("the form is sim://ROBOT?OPTION=VALUE&...")
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
        if (check_baud := options.pop("check_baud", "0")) not in ("0", "1"):
            raise ValueError(f"check_baud is {check_baud!r}, expected 0 or 1")
        if parts.netloc and "robot" in options:
            raise ValueError("the robot is given twice, before the question mark and as robot=: leave one of them out")
        if parts.netloc:
            options["robot"] = parts.netloc
        return build_simulator(options), check_baud == "1"
    except ValueError as error:
        raise PortError(f"{url}: {error}") from None
