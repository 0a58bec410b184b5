# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The protocol itself through the node: raw commands and every frame of the line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ros_bench import Bench, Robot

from amigobot_driver.protocol import Command, decode
from amigobot_msgs.msg import Packet
from amigobot_msgs.srv import SendCommand


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench(Robot("amigo")) as bench:
        yield bench.connected()


def send(bench: Bench, number: int, *argument: int, text: bytes = b"") -> Any:
    request = SendCommand.Request(number=number, argument=list(argument), text=list(text))
    return bench.call(SendCommand, "send_command", request)


def test_raw_commands_are_refused_until_they_are_allowed(bench: Bench) -> None:
    assert bench.parameter("allow_raw_commands", False).successful
    done = send(bench, Command.SONAR.number, 1)
    assert (done.success, "allow_raw_commands" in done.message) == (False, True)


def test_a_raw_command_reaches_the_robot_once(bench: Bench) -> None:
    assert bench.parameter("allow_raw_commands", True).successful
    done = send(bench, Command.ADSEL.number, 2)
    assert (done.success, done.message) == (True, "sent ADSEL(2) once; the robot confirms no single command")
    bench.wait_until(lambda: Command.ADSEL(2) in bench.robot.received)
    bench.pass_sips(5)
    assert bench.robot.received.count(Command.ADSEL(2)) == 1


@pytest.mark.parametrize(
    ("number", "pointer"),
    [
        (11, "use a velocity"),
        (21, "use a velocity"),
        (32, "velocities of the wheels"),
        (8, "use move"),
        (12, "use turn"),
        (4, "enable_motors"),
        (2, "when it ends"),
        (50, "the speed of the line"),
        (255, "firmware loader"),
    ],
)
def test_raw_commands_that_bypass_the_driver_are_refused(bench: Bench, number: int, pointer: str) -> None:
    assert bench.parameter("allow_raw_commands", True).successful
    before = len(bench.robot.received)
    done = send(bench, number, 100)
    assert not done.success
    assert pointer in done.message
    bench.pass_sips(3)
    received = [instruction for instruction in bench.robot.received[before:] if instruction.value == 100]
    assert received == []


def test_every_frame_is_published_both_ways_to_a_subscriber(bench: Bench) -> None:
    inbox = bench.listen(Packet, "packets")
    bench.wait_until(lambda: len(inbox))
    bench.parameter("allow_raw_commands", True)
    assert bench.parameter("publish_tf", False).successful, "a change of another parameter must not end the frames"
    send(bench, 200, text=b"ab")
    bench.wait_until(lambda: any(packet.id == 200 for packet in inbox.messages))
    raw = next(packet for packet in inbox.messages if packet.id == 200)
    assert (raw.to_robot, raw.name, bytes(raw.data)) == (True, "command 200", b"\xc8\x2b\x02ab")
    bench.wait_until(lambda: any(not packet.to_robot for packet in inbox.messages))
    sip = next(packet for packet in inbox.messages if not packet.to_robot)
    assert sip.name in ("Sip", "Config")
    bench.wait_until(lambda: any(packet.name == "PULSE" for packet in inbox.messages))
    pulse = next(packet for packet in inbox.messages if packet.name == "PULSE")
    assert (pulse.to_robot, decode(bytes(pulse.data))) == (True, Command.PULSE())
