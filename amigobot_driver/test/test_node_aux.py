# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The auxiliary serial ports through the node, as a program of the user's sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ros_bench import Bench, Robot

from amigobot_driver.protocol import Command
from amigobot_driver.sim import LoopBack
from amigobot_msgs.msg import AuxData
from amigobot_msgs.srv import AuxRead, AuxWrite


class Voltmeter(LoopBack):
    """Answers each request with the voltage."""

    def receive(self, data: bytes, now: float) -> None:
        super().receive(b"12.4\r" * data.count(b"?V\r"), now)


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """AUX1 has a device that answers one question, AUX2 a plug that sends everything back."""
    with Bench(Robot(baud=9600, aux={1: Voltmeter(), 2: LoopBack()})) as bench:
        yield bench.connected()


def write(bench: Bench, port: int, data: bytes) -> Any:
    return bench.call(AuxWrite, "aux_write", AuxWrite.Request(port=port, data=data))


def read(bench: Bench, port: int, **wanted: Any) -> Any:
    return bench.call(AuxRead, "aux_read", AuxRead.Request(port=port, **wanted))


def text(inbox: Any) -> bytes:
    return b"".join(bytes(message.data) for message in inbox.messages)


def test_aux_write_and_aux_read_exchange_bytes_with_a_device(bench: Bench) -> None:
    written = write(bench, 1, b"?V\r")
    assert (written.success, written.written, written.message) == (True, 3, "AUX1: 3 bytes handed to the line")
    answer = read(bench, 1, count=5, timeout=10.0)
    assert (answer.success, bytes(answer.data)) == (True, b"12.4\r")
    assert bench.robot.values(Command.TTY2).count(b"?V\r") == 1


def test_aux_read_times_out_and_returns_the_bytes_that_came(bench: Bench) -> None:
    inbox = bench.listen(AuxData, "aux2/rx")
    write(bench, 2, b"abc")
    bench.wait_until(lambda: text(inbox) == b"abc")
    answer = read(bench, 2, count=10, timeout=1.5)
    assert (answer.success, bytes(answer.data)) == (False, b"abc")
    assert answer.message == "AUX2: 3 of 10 bytes in 1.5 s"


def test_aux_topics_carry_a_stream_in_both_directions(bench: Bench) -> None:
    sent = bytes(range(100))
    inbox = bench.listen(AuxData, "aux2/rx")
    for start in range(0, 100, 10):
        bench.publish("aux2/tx", AuxData(data=sent[start : start + 10]))
    bench.wait_until(lambda: len(text(inbox)) >= 100)
    assert text(inbox) == sent
    assert inbox.last.header.frame_id == "base_link"
    assert inbox.last.header.stamp.sec > 0


def test_a_missing_aux_port_is_refused_with_the_range(bench: Bench) -> None:
    answer = write(bench, 3, b"x")
    assert (answer.success, answer.written) == (False, 0)
    assert answer.message == "AUX3: AmigoBot (AmigOS) has no TTY4"
    assert read(bench, 0, count=1).message == "port is 0, allowed: 1 to 3"
    assert "aux3/tx" not in {name for name, _ in bench.client.node.get_topic_names_and_types()}


def test_aux3_topics_exist_if_the_firmware_has_the_port() -> None:
    with Bench(Robot("amigo-sh")) as bench:
        bench.connected()
        inbox = bench.listen(AuxData, "aux3/rx")
        bench.publish("aux3/tx", AuxData(data=b"third"))
        bench.wait_until(lambda: len(text(inbox)) >= 5)
        assert text(inbox) == b"third"
