# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Read the digital and analog ports of the robot, and switch its digital outputs.

    amigobot io
    amigobot io 0=on 3=off --port /dev/ttyUSB0      the other pins stay as they are
    amigobot io --json
    amigobot io --ros                   through a running amigobot_node; its parameter io_stream adds the analog ports

Prints every port as the robot reports it afterwards. Pin 0 is bit 0. A pin that the FLASH of the robot makes an input
cannot be switched.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from typing import TYPE_CHECKING

from ..wording import wrong_type
from .robot_arguments import AnyRobot, add_node_arguments, add_robot_arguments, connect_either
from .usage_error import UsageError

if TYPE_CHECKING:
    from ..robot import IoState

_STATES = {"on": 1, "1": 1, "off": 0, "0": 0}
#: s until a packet with all ports has come, if this robot sends any
_FIRST_PACKET = 1.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("pins", nargs="*", metavar="PIN=STATE", help="switch this output: on or off")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_robot_arguments(parser)
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    mask = states = 0
    for text in args.pins:
        pin, state = _pin(text)
        mask |= 1 << pin
        states = states & ~(1 << pin) | state << pin
    with connect_either(args, io_stream=True) as robot:
        if mask:
            robot.set_digital_outputs(mask, states)
        ports = _ports(robot)
    if args.json:
        print(json.dumps(dataclasses.asdict(ports)))
    else:
        _show(ports)
    return 0


def _ports(robot: AnyRobot) -> IoState:
    end = time.monotonic() + _FIRST_PACKET
    while not (ports := robot.io).analog and time.monotonic() < end:
        time.sleep(0.05)
    return ports


def _show(ports: IoState) -> None:
    for name, value in (("inputs", ports.digital_inputs), ("outputs", ports.digital_outputs)):
        shown = "not reported" if value is None else f"{value:08b}  (pin 7 to pin 0)"
        print(f"digital {name:8} {shown}")
    for number, volts in enumerate(ports.analog):
        print(f"analog {number:<9} {volts:.2f} V")
    if ports.selected_analog is not None:
        print(f"analog port {ports.selected_port:<4} {ports.selected_analog:.2f} V  (in the standard packets)")


def _pin(text: str) -> tuple[int, int]:
    pin, _, state = text.partition("=")
    if not pin.isdecimal() or int(pin) > 7 or state.lower() not in _STATES:
        raise UsageError(wrong_type("the output", text, "PIN=on or PIN=off, with a pin from 0 to 7"))
    return int(pin), _STATES[state.lower()]
