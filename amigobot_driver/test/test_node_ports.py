# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Digital and analog ports through the node, as a program of the user's sees them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from ros_bench import Bench, Robot

from amigobot_msgs.msg import IoState
from amigobot_msgs.srv import SelectAnalogInput, SetDigitalOutputs


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """An AmigoBot whose IO_0 and IO_2 are outputs, as set with amigoscf."""
    profile = tmp_path_factory.mktemp("profiles") / "wired.yaml"
    profile.write_text("extends: amigo\nname: wired\nflash:\n  io0: 1\n  io2: 1\n")
    with Bench(Robot(str(profile), baud=9600)) as bench:
        yield bench.connected()


def set_outputs(bench: Bench, mask: int, states: int) -> Any:
    return bench.call(SetDigitalOutputs, "set_digital_outputs", SetDigitalOutputs.Request(mask=mask, states=states))


def select(bench: Bench, port: int) -> Any:
    return bench.call(SelectAnalogInput, "select_analog_input", SelectAnalogInput.Request(port=port))


def test_digital_outputs_are_set_as_the_response_says(bench: Bench) -> None:
    done = set_outputs(bench, 0b101, 0b101)
    assert (done.success, done.outputs) == (True, 0b101)
    assert done.message == "outputs 0x05, confirmed by the robot"
    assert bench.client.receive(IoState, "io").digital_outputs == 0b101
    done = set_outputs(bench, 0b001, 0b000)
    assert (done.success, done.outputs) == (True, 0b100)


def test_setting_an_input_pin_is_refused(bench: Bench) -> None:
    done = set_outputs(bench, 0b011, 0b011)
    assert not done.success
    assert done.outputs & 0b011 == 0b001
    assert "IO_1 did not follow, being configured as input" in done.message


def test_the_selected_analog_port_is_confirmed_and_published(bench: Bench) -> None:
    done = select(bench, 3)
    assert (done.success, done.message) == (True, "analog port 3, confirmed by the robot")
    state = bench.client.receive(IoState, "io")
    assert state.selected_port == 3
    assert state.selected_analog == pytest.approx(5.0, abs=0.02)
    assert state.header.frame_id == "base_link"
    done = select(bench, 6)
    assert (done.success, done.message) == (False, "port is 6, allowed: 1 to 5")


def test_io_packets_bring_every_analog_input_in_volts(bench: Bench) -> None:
    assert list(bench.client.receive(IoState, "io").analog) == []
    bench.parameter("io_stream", True)
    inbox = bench.listen(IoState, "io")
    bench.wait_until(lambda: len(inbox) and len(inbox.last.analog) == 5)
    assert list(inbox.last.analog[:4]) == pytest.approx([2.5, 0.0, 5.0, 1.25], abs=0.02)
    assert not math.isnan(inbox.last.selected_analog)
    bench.parameter("analog_volts_per_count", 0.01)
    bench.wait_until(lambda: inbox.last.analog[0] == pytest.approx(5.12, abs=0.02))
    assert bench.diagnostic("streams", fresh=True).message == "received: IOpac"
    bench.parameter("io_stream", False)
    bench.wait_until(lambda: not inbox.last.analog)
