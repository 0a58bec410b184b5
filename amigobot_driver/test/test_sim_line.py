# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The serial line: pace, priority, starvation, two speeds."""

from __future__ import annotations

from sim_client import Client

from amigobot_driver.protocol import Command, Sip
from amigobot_driver.sim.faults import FaultInjector, Faults
from amigobot_driver.sim.line import SendPriority, SimulatedLine

BYTE = 10 / 9600


def line() -> SimulatedLine:
    return SimulatedLine(FaultInjector("test", Faults()), paced=True)


def arrival(line: SimulatedLine, text: bytes) -> float:
    """When the last byte of `text` has come, at the grain of half a byte's time."""
    got, now = b"", 0.0
    while text not in got:
        now += BYTE / 2
        got += line.collect(now)
        assert now < 5
    return now


def test_a_robot_at_9600_baud_sends_960_bytes() -> None:
    client = Client("amigo-sh", baud=9600).open()
    client.send(Command.IOREQUEST(2), Command.ENCODER(2), Command.GYRO(1))
    client.run(1.0)
    frames = [packet for packet in client.run(10.0)]
    assert sum(len(packet.encode()) + 5 for packet in frames) <= 9610
    assert sum(isinstance(packet, Sip) for packet in frames) == 100


class TestPriority:
    def test_a_sip_overtakes_only_what_waits(self) -> None:
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
