# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Findings as JSON, and without the names of people and machines."""

from __future__ import annotations

import getpass
import os
import platform
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..protocol import Packet
from .examination import not_examined, verdict
from .finding import Finding
from .target import Target

#: Fields of packets that name one robot.
_NAMES = ("name", "serial")
#: Names that say nothing about a person or a machine.
_COMMON = {"localhost", "root", "user", "not_set", "robot", "amigo", "erratic-1", "1234", ""}
_ADDRESS = re.compile(
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}(?![\w:])", re.IGNORECASE
)


def as_json(target: Target, findings: Iterable[Finding], seconds: float) -> dict[str, Any]:
    """Return an examination as values of JSON.

    Args:
        target: What was examined.
        findings: What was found.
        seconds: How long it took.
    """
    findings = list(findings)
    return {
        "target": target.typed,
        "not_examined": not_examined(findings),
        "healthy": not any(finding.severity.is_problem for finding in findings),
        "seconds": round(seconds, 1),
        "verdict": [{"check": finding.check, **asdict(cause)} for finding, cause in verdict(findings)],
        "findings": [{**asdict(finding), "severity": finding.severity.value} for finding in findings],
    }


def environment() -> Mapping[str, str]:
    """Return what a maintainer needs to know of this computer."""
    try:
        driver = version("amigobot_driver")
    except PackageNotFoundError:
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
