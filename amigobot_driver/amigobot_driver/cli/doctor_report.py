# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The file of `amigobot doctor --report`: text, JSON and packets in one zip file, without names."""

from __future__ import annotations

import getpass
import io
import json
import os
import platform
import re
import socket
import time
import zipfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..doctor import Case, Target
from ..doctor.own_session import OwnSession
from ..packet_file import Head, RecordedFrame, write_head, write_record
from ..protocol import Packet, packets_of, parse

#: Fields of packets that name one robot.
_NAMES = ("name", "serial")
#: Names that say nothing about a person or a machine.
_COMMON = {"localhost", "root", "user", "not_set", "robot", "amigo", "erratic-1", "1234", ""}
_ADDRESS = re.compile(
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}(?![\w:])", re.IGNORECASE
)


def pack(file: Path, case: Case, result: Mapping[str, Any], text: str) -> None:
    """Write the report.

    Args:
        file: Zip file; an existing one is replaced.
        case: What was examined.
        result: The findings, as values of JSON.
        text: The same as it was printed.

    Raises:
        OSError: The file cannot be written.
    """
    snapshot = case.session.snapshot if case.session else None
    identity, config = (snapshot.identity, snapshot.config) if snapshot else (None, None)
    names = Anonymizer(case.target, identity.name if identity else "", config.serial if config else "")
    content = json.dumps({"environment": environment(), **result}, indent=2, default=str)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("doctor.txt", names.text(text))
        archive.writestr("doctor.json", names.text(content))
        if case.session is not None:
            archive.writestr("packets.amigo", _packets(case.session, names))


def _packets(session: OwnSession, names: Anonymizer) -> bytes:
    """The packets of the session, as `amigobot record` writes them."""
    identity, profile = session.snapshot.identity, session.snapshot.profile
    head = Head(
        started=time.time(),
        port="",
        name="x",
        robot_class=identity.robot_class if identity else "",
        subclass=identity.subclass if identity else "",
        profile=Path(profile.name).name,
        erratic=profile.erratic,
    )
    file = io.BytesIO()
    write_head(file, head)
    for one in session.line.frames:
        content = one.data if one.to_robot else names.packet(parse(one.data, packets_of(profile.erratic))).encode()
        write_record(file, RecordedFrame(one.stamp - session.line.chunks[0].stamp, one.to_robot, content))
    return file.getvalue()


def environment() -> Mapping[str, str]:
    """Return what a maintainer needs to know of this computer."""
    try:
        driver = version("amigobot_driver")
    except PackageNotFoundError:  # it runs from its sources
        driver = "not installed"
    return {
        "amigobot_driver": driver,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        **{name: os.environ[name] for name in ("ROS_DISTRO", "RMW_IMPLEMENTATION") if name in os.environ},
    }


class Anonymizer:
    """Replaces the names of people and machines, and their addresses, in texts."""

    def __init__(self, target: Target, robot: str = "", serial: str = "") -> None:
        """Collect the names to replace: those given here, and those of this computer and its user.

        Args:
            target: What was examined; its host is replaced.
            robot: The name of the robot.
            serial: The serial number of the robot.
        """
        names = {
            target.host: "HOST",
            socket.gethostname(): "COMPUTER",
            os.path.expanduser("~"): "HOME",
            _user(): "USER",
            robot: "ROBOT",
            serial: "SERIAL",
        }
        by_id = re.search(r"/dev/serial/by-id/[^\s'\"]+", target.typed)
        if by_id:
            names[by_id[0]] = "/dev/serial/by-id/PORT"
        known = {name: text for name, text in names.items() if name.lower() not in _COMMON}
        # The longest first: a name may be part of another.
        self._names = sorted(known.items(), key=lambda item: -len(item[0]))

    def text(self, text: str) -> str:
        """Return a text without names."""
        for name, substitute in self._names:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", substitute, text)
        return _ADDRESS.sub("ADDRESS", text)

    def packet(self, packet: Packet) -> Packet:
        """Return a packet without the name and the serial number of the robot."""
        assert is_dataclass(packet)
        present = {field.name for field in fields(packet)} & set(_NAMES)
        return replace(packet, **dict.fromkeys(present, "x")) if present else packet


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
