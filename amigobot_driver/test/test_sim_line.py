# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The serial line: pace, priority, starvation, two speeds."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim_client import Client

from amigobot_driver.protocol import Command, Sip
from amigobot_driver.sim.faults import FaultInjector
from amigobot_driver.sim.line import SendPriority, SimulatedLine
from amigobot_driver.sim.wire import Wire

BYTE = 10 / 9600


def line() -> SimulatedLine:
    return SimulatedLine(FaultInjector("test"), paced=True)


def arrival(line: SimulatedLine, text: bytes) -> float:
    """When the last byte of `text` has come, at the grain of half a byte's time."""
    got, now = b"", 0.0
    while text not in got:
        now += BYTE / 2
        got += line.collect(now)
        assert now < 5
    return now


class TestPace:
    @pytest.mark.parametrize("size", [1, 13, 14, 15, 200])
    def test_a_frame_takes_ten_bits_a_byte(self, size: int) -> None:
        wire = line()
        wire.send(b"x" * size, SendPriority.ANSWER, 0.0)
        assert arrival(wire, b"x" * size) == pytest.approx(size * BYTE, abs=BYTE)

    def test_a_robot_at_9600_baud_says_no_more_than_960_bytes_a_second(self) -> None:
        client = Client("amigo-sh", baud=9600).open()
        client.send(Command.IOREQUEST(2), Command.ENCODER(2), Command.GYRO(1))
        client.run(1.0)
        frames = [packet for packet in client.run(10.0)]
        assert sum(len(packet.encode()) + 5 for packet in frames) <= 9610
        assert sum(isinstance(packet, Sip) for packet in frames) == 100

    @given(st.lists(st.tuples(st.binary(min_size=1, max_size=30), st.floats(0, 0.2)), max_size=8))
    def test_what_goes_in_comes_out_whenever_one_looks(self, pieces: list[tuple[bytes, float]]) -> None:
        often, once = Wire(BYTE), Wire(BYTE)
        now, received = 0.0, b""
        for data, pause in pieces:
            often.put(data, now)
            once.put(data, now)
            now += pause
            received += often.take(now)[0]
        received += often.take(now + 10)[0]
        assert received == once.take(now + 10)[0] == b"".join(data for data, _ in pieces)


class TestPriority:
    def test_a_sip_overtakes_what_waits_but_not_what_is_sent(self) -> None:
        wire = line()
        wire.send(b"1" * 50, SendPriority.ANSWER, 0.0)
        wire.send(b"2" * 50, SendPriority.ANSWER, 0.0)
        wire.send(b"S" * 30, SendPriority.SIP, 0.01)
        wire.send(b"T" * 30, SendPriority.SIP, 0.02)
        assert wire.collect(1.0) == b"1" * 50 + b"S" * 30 + b"T" * 30 + b"2" * 50

    def test_a_stream_that_would_miss_its_cycle_is_dropped(self) -> None:
        wire = line()
        wire.send(b"S" * 36, SendPriority.SIP, 0.0)
        wire.send(b"I" * 21, SendPriority.STREAM, 0.0, deadline=0.1)
        wire.send(b"E" * 60, SendPriority.STREAM, 0.0, deadline=0.1)
        assert wire.collect(1.0) == b"S" * 36 + b"I" * 21
        assert wire.stats.dropped == 1

    @pytest.mark.parametrize("priority", [SendPriority.ANSWER, SendPriority.SIP])
    def test_frames_wait_until_the_buffer_is_full(self, priority: SendPriority) -> None:
        wire = line()
        for _ in range(10):
            wire.send(b"A" * 150, priority, 0.0)
        assert len(wire.collect(20.0)) == 150 * 7
        assert wire.stats.dropped == 3

    def test_sips_never_pause_for_a_playlist(self) -> None:
        client = Client("amigo", baud=9600).open()
        client.run(0.5)
        client.send(Command.PLAYLIST(0), Command.CONFIG(), Command.CONFIG())
        first = len(client.packets)
        client.run(3.0)
        times = [time for time, packet in client.packets[first:] if isinstance(packet, Sip)]
        assert max(b - a for a, b in pairwise(times)) < 0.2
        assert len(times) == pytest.approx(30, abs=1)


class TestTwoSpeeds:
    @pytest.mark.parametrize("baud", [19200, 1200])
    def test_another_speed_is_noise_both_ways(self, baud: int) -> None:
        client = Client(baud=9600)
        client.sim.set_client_baud(baud)
        for _ in range(20):
            client.write(Command.PULSE().encode())
            client.run(0.05, alive=False)
        assert not client.packets
        client.sim.set_client_baud(9600)
        client.run(0.2, alive=False)
        client.write(Command.PULSE().encode())
        assert client.kinds(client.run(0.1, alive=False)) == ["SyncEcho"]
