# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A serial port of this computer: is it there, may it be used, does another program use it, how is it set."""

from __future__ import annotations

import difflib
import grp
import os
import pwd
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

from ..errors import PortError
from .case import Case
from .finding import Cause, Finding, Severity
from .processes import Process, holders_of
from .serial_ports import serial_ports

#: ms that an adapter may collect bytes; the factory setting of an FTDI adapter is 16.
_LATENCY = 4
#: Name of the driver's program.
_DRIVER = "amigobot_node"
#: Drivers of serial ports on the main board, which are not adapters.
_BUILT_IN = {"port", "serial8250"}
#: Services of Linux that open serial ports by themselves, by the name of their program.
_SERVICES = {"ModemManager": "ModemManager", "brltty": "brltty", "gpsd": "gpsd.socket gpsd"}


def port(case: Case) -> Iterator[Finding]:
    """The port exists and is a serial port."""
    path, target = case.target.url, case.target
    if "://" in path or any(letter in path for letter in "*?["):
        yield Finding("port", Severity.OK, f"{path} is opened by the driver as it is")
        return
    others = [entry.device for entry in serial_ports() if entry.device != path]
    if not os.path.exists(path):
        near = difflib.get_close_matches(path, others, 1, 0.0)
        look = f"amigobot doctor {near[0]}" if near else target.command()
        what = f"this computer has {', '.join(others)}" if others else "this computer has no serial port"
        cause = Cause("no-port", f"{path} does not exist; {what}.", "" if near else "Plug the adapter in.", look)
        yield Finding("port", Severity.ERROR, f"there is no {path}", (cause,))
    elif what := _something_else(path, case.sysfs):
        cause = Cause("no-port", f"{path} is {what}, not a serial port.", "", "amigobot find")
        yield Finding("port", Severity.ERROR, f"{path} is not a serial port", (cause,))
    else:
        name = Path(os.path.realpath(path)).name
        driver, latency = _adapter(case.sysfs, name)
        shown = f"{path}{f', adapter with driver {driver}' if driver else ''}"
        details = () if latency is None else (f"latency timer {latency} ms",)
        yield Finding("port", Severity.OK, shown, details=details, values={"driver": driver, "latency_ms": latency})


def permission(case: Case) -> Iterator[Finding]:
    """This user may read and write the port."""
    path = case.target.url
    if "://" in path or not os.path.exists(path):
        return
    if os.access(path, os.R_OK | os.W_OK):
        yield Finding("permission", Severity.OK, "you may read and write it")
        return
    entry = os.stat(path)
    user, group = _user_name(), _group_name(entry.st_gid)
    quoted = shlex.quote(path)
    if entry.st_mode & 0o060 != 0o060:
        text = f"{path} has mode {stat.filemode(entry.st_mode)}: no group may use it."
        action = "A udev rule sets the mode for good: docs/how-to/doctor.md."
        cause = Cause("no-permission", text, action, f"sudo chmod a+rw {quoted}")
    elif user in _members(entry.st_gid):
        text = f"You are a member of the group {group} since your last login only."
        cause = Cause("no-permission", text, "Log out and in again, or:", f"newgrp {group}")
    else:
        text = f"{path} belongs to the group {group}, and you are not a member of it."
        action = "Type this, then log out and in again:"
        cause = Cause("no-permission", text, action, f"sudo usermod -aG {group} $USER")
    yield Finding("permission", Severity.ERROR, f"you may not read and write {path}", (cause,))


def other_programs(case: Case) -> Iterator[Finding]:
    """No other program has the port open."""
    path = case.target.url
    if not os.path.exists(path):
        return
    holders = holders_of(path, case.proc)
    if not holders:
        yield Finding("other programs", Severity.OK, "no other program has it open")
        return
    names = ", ".join(f"{holder.name} (process {holder.pid})" for holder in holders)
    causes = tuple(_busy(path, holder) for holder in holders)
    yield Finding("other programs", Severity.ERROR, f"another program has {path} open: {names}", causes)


def opening(case: Case) -> Iterator[Finding]:
    """The port can be opened."""
    target = case.target
    try:
        line = case.open()
    except PortError as error:
        text = str(error).removeprefix(f"{target.url}: ")
        if "another program" in text:
            path = shlex.quote(target.url)
            cause = Cause("port-busy", "A program of another user has it open.", "", f"sudo fuser -k -TERM {path}")
        else:
            cause = Cause("no-port", f"{text[0].upper()}{text[1:]}.", "", "amigobot find")
        yield Finding("opening", Severity.ERROR, f"{target.url} cannot be opened: {text}", (cause,))
        return
    name = Path(os.path.realpath(line.name)).name
    _, latency = _adapter(case.sysfs, name)
    if latency is not None and latency > _LATENCY:
        command = f"echo 1 | sudo tee {case.sysfs}/bus/usb-serial/devices/{name}/latency_timer"
        text = f"The adapter collects bytes for {latency} ms, so packets are late."
        action = "udev/99-amigobot.rules does it at each plug-in; now:"
        cause = Cause("latency-timer", text, action, command)
        yield Finding("opening", Severity.WARNING, f"open, but its latency timer is {latency} ms", (cause,))
    else:
        yield Finding("opening", Severity.OK, "it can be opened")


def _busy(path: str, holder: Process) -> Cause:
    text = f"{holder.name} (process {holder.pid}) has {path} open; only one program can talk to a robot."
    if holder.name in _SERVICES:
        text = f"{holder.name}, a service of this computer, has {path} open."
        return Cause("port-busy", text, "", f"sudo systemctl stop {_SERVICES[holder.name]}")
    action = ""
    if holder.name == _DRIVER:
        action = "It is the driver: its /diagnostics show how the robot is. To look here, end it:"
    return Cause("port-busy", text, action, f"{'' if holder.own else 'sudo '}kill {holder.pid}")


def _something_else(path: str, sysfs: Path) -> str:
    """What a path is that is no serial port; "" if it is one."""
    mode, device = os.stat(path).st_mode, Path(os.path.realpath(path))
    if not stat.S_ISCHR(mode):
        return "a folder" if stat.S_ISDIR(mode) else "a file"
    is_terminal = device.parent == Path("/dev/pts") or (sysfs / "class" / "tty" / device.name).exists()
    return "" if is_terminal or not sysfs.exists() else "another device"


def _adapter(sysfs: Path, name: str) -> tuple[str, int | None]:
    """Driver of an adapter, and its latency timer in ms; "" and None where there is none."""
    device = sysfs / "class" / "tty" / name / "device"
    driver = Path(os.path.realpath(device / "driver")).name if (device / "driver").exists() else ""
    driver = "" if driver in _BUILT_IN else driver
    try:
        return driver, int((device / "latency_timer").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return driver, None


def _user_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def _group_name(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def _members(group: int) -> list[str]:
    try:
        return grp.getgrgid(group).gr_mem
    except KeyError:
        return []
