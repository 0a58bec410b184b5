# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Find robots at the serial ports of this computer and behind network bridges.

    amigobot find
    amigobot find --host 192.168.1.11 --host bridge.local:8102
    amigobot find /dev/ttyUSB0 --json

Opens each port, asks for a robot at every line speed, says what answers, and closes the session again; nothing moves.
Other devices at these ports receive some bytes: name the ports to leave those out. Exit status 1: no robot was found.
"""

from __future__ import annotations

import argparse
import json
from contextlib import suppress
from functools import partial
from typing import Any

from ..parallel import run_parallel
from .robot_arguments import add_timeout_argument
from .usage_error import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("ports", nargs="*", metavar="PORT", help="look here only (default: every serial port)")
    parser.add_argument("--host", action="append", default=[], metavar="HOST[:PORT]", help="a TCP bridge, port 8101")
    add_timeout_argument(parser, "time for each port")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    # Imported here: the help needs none of it.
    from ..doctor.computer import serial_ports

    ports = [*args.ports, *args.host] or [device for device, _ in serial_ports()]
    if not ports:
        raise UsageError("this computer has no serial port; is the adapter plugged in? For a bridge: --host HOST")
    results = run_parallel(partial(_probe, timeout=args.timeout), ports)
    if args.json:
        print(json.dumps(results, indent=2))
    else:
        for result in results:
            print(_line(result))
    return 0 if any(result["found"] for result in results) else 1


def _probe(port: str, timeout: float) -> dict[str, Any]:
    """Connect to a port, and return what answers there."""
    from ..api import AmigoBot
    from ..errors import AmigoBotError, RequestFailedError
    from ..robot import Options

    try:
        options = Options(motors_on_connect=False, sonar_on_connect=False)
        with AmigoBot(port, timeout=timeout, options=options) as robot:
            with suppress(RequestFailedError):
                robot.get_config()  # the identity then has the serial number, which old firmware does not report
            identity, battery = robot.identity, robot.battery
            return {
                "port": port,
                "found": True,
                "name": identity.name,
                "class": identity.robot_class,
                "subclass": identity.subclass,
                "profile": robot.profile.name,
                "model": robot.profile.description,
                "serial_number": identity.serial_number,
                "firmware": identity.firmware_version,
                "volts": round(battery.volts, 1),
                "note": robot.link.note,
            }
    except AmigoBotError as error:
        return {"port": port, "found": False, "note": str(error).removeprefix(f"{port}: ")}


def _line(result: dict[str, Any]) -> str:
    if not result["found"]:
        return f"{result['port']}: {result['note']}"
    more = [
        f"class {result['class']}/{result['subclass']}",
        *([f"firmware {result['firmware']}"] if result["firmware"] else []),
        *([f"serial number {result['serial_number']}"] if result["serial_number"] else []),
        f"{result['volts']} V",
        result["note"],
    ]
    return f"{result['port']}: {result['model']}, {', '.join(more)}"
