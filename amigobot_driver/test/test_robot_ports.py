# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Digital outputs, the analog port and raw commands against the simulated robot."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench import Bench, losing, losing_first

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, decode
from amigobot_driver.robot import FrameSeen, Options, Outcome, RequestRefusedError
from amigobot_driver.robot.devices.digital_io import RETRIES
from amigobot_driver.sim import Simulator


class PortBench(Bench):
    """A bench whose robot has IO_0, IO_1 and IO_5 as outputs."""

    def __init__(self, *, robot: str = "amigo", baud: int = 0, options: Options | None = None) -> None:
        profile = load_profile(robot)
        wired = replace(profile, flash={**profile.flash, "io0": 1, "io1": 1, "io5": 1})
        super().__init__(options or Options(), simulator=lambda: Simulator(wired, baud=baud))
        self.connect()

    def set(self, mask: int, states: int) -> Outcome:
        return self.outcome(lambda: self.robot.digital_outputs.set(mask, states, self.now))

    def select(self, port: int) -> Outcome:
        return self.outcome(lambda: self.robot.analog_input.select(port, self.now))


@pytest.fixture
def bench() -> PortBench:
    return PortBench()


# -- digital outputs ------------------------------------------------------------------------------------------


def test_pins_that_are_inputs_are_named(bench: PortBench) -> None:
    outcome = bench.set(0b001101, 0b001101)
    assert outcome == Outcome(
        False,
        f"sent DIGOUT(3341) {RETRIES.limit} times in {RETRIES.duration:.1f} s; the robot reports outputs 0x01: "
        "IO_2, IO_3 did not follow, being configured as input (FLASH io0 to io5), or because this firmware expects "
        "mask and states swapped (docs/protocol E-24)",
    )
    # What could not be had does not spoil the next request.
    assert bench.set(0b10, 0b10).success


def test_the_byte_order_can_be_swapped() -> None:
    bench = PortBench(options=Options(digital_output_mask_first=True))
    bench.request(lambda: bench.robot.digital_outputs.set(0b11, 0b01, bench.now))
    bench.run(0.1)
    assert bench.commands()[-1] == f"DIGOUT({0b01 << 8 | 0b11})"


@pytest.mark.parametrize("mask", [0x00, 0x40, 0x80, 0xC1])
def test_a_mask_without_pins_of_this_robot_is_refused(bench: PortBench, mask: int) -> None:
    outcome = bench.set(mask, mask)
    assert outcome == Outcome(False, f"mask is {mask:#04x}: this robot has IO_0 to IO_5, bits of 0x3f")
    assert not any("DIGOUT" in command for command in bench.commands())


def test_outputs_come_back_after_a_reset(bench: PortBench) -> None:
    bench.set(0b11, 0b10)
    bench.simulator.reset()
    bench.run(0.5)
    assert bench.simulator.pins.outputs == 0
    bench.run(20.0)
    assert bench.simulator.pins.outputs == 0b10


# -- the analog port ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("robot", ["amigo", "amigo-sh"])
def test_the_analog_port_is_found_in_either_byte(robot: str) -> None:
    bench = PortBench(robot=robot)
    assert bench.reports[-1].ports.selected_port == 1
    assert bench.select(3) == Outcome(True, "analog port 3, confirmed by the robot")
    bench.run(0.3)
    assert (bench.reports[-1].ports.selected_port, bench.reports[-1].ports.selected_analog) == (3, 5.0)
    assert bench.select(6) == Outcome(False, "port is 6, allowed: 1 to 5")


def test_a_lost_adsel_is_sent_again_and_given_up(bench: PortBench) -> None:
    bench.up.fault = losing_first(RETRIES.limit - 1, Command.ADSEL)
    assert bench.select(2).success
    bench.up.fault = losing(Command.ADSEL)
    assert bench.select(4) == Outcome(False, "sent ADSEL(4) 5 times in 1.5 s; the robot reports port 2")


# -- raw commands and frames ----------------------------------------------------------------------------------


def send(bench: Bench, number: int, arguments: list[int] | None = None, text: bytes = b"") -> Outcome:
    return bench.request(lambda: bench.robot.send_raw(number, arguments or [], text))


@pytest.mark.parametrize(
    ("number", "arguments", "text", "data"),
    [
        (5, [-300], b"", b"\x05\x1b\x2c\x01"),
        (200, [-32768], b"", b"\xc8\x1b\x00\x80"),
        (200, [65535], b"", b"\xc8\x3b\xff\xff"),
        (200, [], b"xyz", b"\xc8\x2b\x03xyz"),
    ],
)
def test_a_raw_command_goes_out_once(
    bench: PortBench, number: int, arguments: list[int], text: bytes, data: bytes
) -> None:
    start = bench.now
    assert send(bench, number, arguments, text).success
    bench.run(2.0)
    assert [frame for time, frame in bench.up.log if time >= start].count(data) == 1


@pytest.mark.parametrize(
    ("number", "arguments", "text", "expected"),
    [
        (35, [70000], b"", "argument of ADSEL is 70000, expected an integer from 0 to 32767"),
        (35, [], b"", "argument of ADSEL is None, expected an integer"),
        (29, [1], b"", "argument of STOP is 1, expected none"),
        (200, [65536], b"", "argument of command 200 is 65536, expected an integer from -32768 to 65535"),
        (200, [1, 2], b"", "one number or one text"),
        (200, [], b"x" * 196, "a frame carries"),
        (255, [], b"", "MAINTENANCE is not sent: it ends in the firmware loader"),
        (110, [5], b"", "command 110 is not sent: it moves the robot"),
    ],
)
def test_a_harmful_raw_command_is_refused(
    bench: PortBench, number: int, arguments: list[int], text: bytes, expected: str
) -> None:
    with pytest.raises(RequestRefusedError, match=expected):
        send(bench, number, arguments, text)


@pytest.mark.parametrize(
    ("names", "pointer"),
    [
        ("VEL RVEL ROTATE", "use a velocity"),
        ("VEL2", "velocities of the wheels"),
        ("MOVE", "use move"),
        ("HEAD DHEAD DCHEAD", "use turn"),
        ("ENABLE", "disable the motors instead"),
        ("CLOSE", "when it ends"),
        ("HOSTBAUD", "the speed of the line"),
        ("JOYDRIVE SETO", "is not sent"),
    ],
)
def test_no_raw_command_bypasses_the_driver(bench: PortBench, names: str, pointer: str) -> None:
    for name in names.split():
        with pytest.raises(RequestRefusedError, match=f"{name} is not sent.*{pointer}|{name} {pointer}"):
            send(bench, Command[name].number, [100])


def test_every_frame_is_told_with_time_on_request() -> None:
    bench = PortBench(baud=9600, options=Options(trace=True))
    bench.run(2.0)
    seen = bench.emitted(FrameSeen)
    up = [(event.stamp, event.data) for event in seen if event.to_robot]
    assert up == bench.up.log[: len(up)]
    assert len(bench.up.log) - len(up) <= 1, "the last is reported with the next packet"
    down = [event for event in seen if not event.to_robot]
    assert [event.data for event in down] == [data for _, data in bench.down.log][: len(down)]
    assert decode(up[0][1]) == Command.PULSE()
