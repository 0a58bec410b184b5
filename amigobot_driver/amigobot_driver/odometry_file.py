# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Stores the last pose in a small file, so that a driver continues its odometry after a restart.

    file = OdometryFile(default_path("/amigobot", "/dev/ttyUSB0"), "/amigobot", "/dev/ttyUSB0")
    if state := file.load():
        robot.continue_odometry(state, max_age=60.0)
    keeper = OdometryKeeper(driver, file, report=print)
    keeper.start()

docs/protocol/odometry.md, "After a restart of the driver", has the rules.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

from .driver import Driver
from .robot import STATE_PERIOD, OdometryState

_FORMAT, _VERSION = "amigobot odometry", 1
#: First bytes of each file. A file that does not begin like this is not ours: it is never replaced.
_BEGINNING = json.dumps({"format": _FORMAT})[:-1].encode()
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class OdometryFileError(Exception):
    """The file cannot be used. The message is one line: what happened, and the consequence."""


def default_path(node: str, port: str) -> Path:
    """Return the file of one node on one port, in $XDG_STATE_HOME (default ~/.local/state).

    Args:
        node: Name of the node with its namespace, such as "/alpha/amigobot".
        port: URL of the port.
    """
    home = os.environ.get("XDG_STATE_HOME", "")
    folder = Path(home) if home.startswith("/") else Path(os.path.expanduser("~/.local/state"))
    owner = f"{node} {port}"
    readable = re.sub(r"[^A-Za-z0-9]+", "-", owner).strip("-")[:60]
    return folder / "amigobot" / f"odometry-{readable}-{zlib.crc32(owner.encode()):08x}.json"


class OdometryFile:
    """Reads and writes the file of one node on one port."""

    def __init__(self, path: Path, node: str, port: str) -> None:
        self.path = path
        self._owner = {"node": node, "port": port}

    def load(self) -> OdometryState | None:
        """Read the state; None if there is no file yet.

        Raises:
            OdometryFileError: The file cannot be read or is damaged, or it is of another version, node, port or boot.
        """
        data = _read(self.path)
        if data is None:
            return None
        try:
            content = json.loads(data)
            if content.get("version") != _VERSION:
                raise OdometryFileError(f"{self.path}: version is {content.get('version')!r:.20}, allowed: {_VERSION}")
            if any(content.get(key) != value for key, value in self._owner.items()):
                raise OdometryFileError(f"{self.path} belongs to another node or port")
            if content.get("boot") != _boot_id():
                raise OdometryFileError("the computer was restarted after the pose was stored")
            state = content["state"]
            return OdometryState(**{**state, "covariance": tuple(state["covariance"])})
        except (ValueError, KeyError, TypeError):
            raise OdometryFileError(f"{self.path} is damaged and will be replaced") from None

    def save(self, state: OdometryState) -> None:
        """Replace the file atomically; a symbolic link stays, and the file that it names is replaced.

        Raises:
            OdometryFileError: The file cannot be written, or another file has its name.
        """
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            **self._owner,
            "boot": _boot_id(),
            "state": dataclasses.asdict(state),
        }
        try:
            path = Path(os.path.realpath(self.path))
            path.parent.mkdir(parents=True, exist_ok=True)
            _read(path)
            new = path.with_name(f"{path.name}.new")
            new.write_text(json.dumps(content), encoding="utf-8")
            os.replace(new, path)
        except (OSError, ValueError) as error:
            raise OdometryFileError(f"{self.path} cannot be written: {_reason(error)}") from None


class OdometryKeeper:
    """Writes the state of one driver from its own thread: periodically, when the pose is set, and at the end."""

    def __init__(self, driver: Driver, file: OdometryFile, *, report: Callable[[str], object]) -> None:
        """Create a keeper.

        Args:
            driver: The driver whose odometry is stored.
            file: Where it is stored.
            report: Called once with a message if writing fails.
        """
        self._driver = driver
        self._file = file
        self._report = report
        self._frame = -1
        self._failed = False
        self._wake = threading.Event()
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="amigobot-odometry-file", daemon=True)

    def start(self) -> None:
        """Start the thread. Returns at once."""
        self._thread.start()

    def notice(self, frame: int) -> None:
        """Write at once if `frame` of the odometer has changed: the pose was set, or the counters jumped."""
        if frame != self._frame:
            self._frame = frame
            self._wake.set()

    def close(self) -> None:
        """Write the last state and end the thread. May be called twice."""
        self._ending = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def _run(self) -> None:
        while not self._ending:
            self._wake.wait(STATE_PERIOD)
            self._wake.clear()
            self._save()

    def _save(self) -> None:
        with self._driver.robot() as robot:
            state = robot.odometry_state()
        if state is None:
            return
        try:
            self._file.save(state)
        except OdometryFileError as error:
            if not self._failed:
                self._report(f"a restarted driver will not continue this odometry: {error}")
            self._failed = True


def _read(path: Path) -> bytes | None:
    """Return the content of an odometry file, which may be damaged; None if there is no file.

    Raises:
        OdometryFileError: It cannot be read, or it is something else.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OdometryFileError(f"{path} cannot be read: {_reason(error)}") from None
    # After a power cut a file system may have the size of a file and not its content.
    if data.strip(b"\0") and not data.startswith(_BEGINNING[: len(data)]):
        advice = "it stays as it is; remove it, or set odometry_state_file to another path"
        raise OdometryFileError(f"{path} is not an odometry file: {advice}")
    return data


def _boot_id() -> str:
    """Return the id of the present boot of the computer; stamps count from the boot."""
    with contextlib.suppress(OSError):
        return _BOOT_ID.read_text(encoding="ascii").strip()
    return ""


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
