# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The auxiliary serial ports, against a simulated robot with devices plugged into them, on simulated time."""

from __future__ import annotations

from itertools import pairwise

import pytest
from bench import Bench, losing_first

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Aux, Command
from amigobot_driver.robot import Options, Received
from amigobot_driver.robot.devices.auxiliary import BUFFER, HOLD, QUIET, AuxPort
from amigobot_driver.sim import LoopBack, Simulator


class Sensor(LoopBack):
    """Sends consecutive bytes, so many a second, from `start`; notes what it is sent."""

    def __init__(self, rate: float = 0.0, start: float = 0.0) -> None:
        self.rate, self.start = rate, start
        self.sent = 0
        self.received = bytearray()

    def receive(self, data: bytes, now: float) -> None:
        self.received += data

    def transmit(self, now: float) -> bytes:
        due = int((now - self.start) * self.rate) if self.start and now > self.start else 0
        data = bytes((self.sent + place) % 256 for place in range(due - self.sent))
        self.sent = max(self.sent, due)
        return data

    def say(self, data: bytes) -> None:
        """Send this once."""
        self.transmit = lambda now: self._once(data)  # type: ignore[method-assign]

    def _once(self, data: bytes) -> bytes:
        del self.transmit
        return data


def connected(device: LoopBack, port: int = 1, baud: int | None = None, robot: str = "amigo") -> tuple[Bench, AuxPort]:
    profile = load_profile(robot)
    bench = Bench(
        Options(baud=baud or 0), simulator=lambda: Simulator(profile, baud=baud, aux={port: device})
    ).connect()
    return bench, bench.robot.aux[port - 1]


def received(bench: Bench) -> bytes:
    """What a subscriber would have got."""
    return b"".join(event.packet.data for event in bench.emitted(Received) if isinstance(event.packet, Aux))


def arrivals(bench: Bench) -> list[tuple[float, bytes]]:
    return [
        (time, event.packet.data)
        for time, event in bench.events
        if isinstance(event, Received) and isinstance(event.packet, Aux)
    ]


def asked(bench: Bench, since: float = 0.0) -> list[object]:
    """The numbers of bytes that were asked for at AUX1."""
    return [instruction.value for _, instruction in bench.sent(since) if instruction.command is Command.GETAUX]


class TestReading:
    def test_a_port_without_listeners_is_left_alone(self) -> None:
        sensor = Sensor(rate=100)
        bench, port = connected(sensor)
        sensor.start = bench.now
        bench.run(5)
        assert asked(bench) == []
        port.listen(True, bench.now)
        bench.run(1)
        port.listen(False, bench.now)
        bench.run(1)
        silent = bench.now
        bench.run(5)
        assert asked(bench, silent) == []

    @pytest.mark.parametrize(("robot", "number"), [("amigo", 1), ("amigo", 2), ("amigo-sh", 3)])
    def test_a_single_byte_comes_at_once(self, robot: str, number: int) -> None:
        """The request waits at the robot, not the byte."""
        sensor = Sensor()
        bench, port = connected(sensor, number, robot=robot)
        port.listen(True, bench.now)
        bench.run(2.5)
        for byte in (b"a", b"b"):
            since = bench.now
            sensor.say(byte)
            bench.run(1.5)
            time, data = arrivals(bench)[-1]
            assert data == byte
            # Behind a SIP of 39 bytes and a GYROpac at the worst.
            assert time - since < 0.1

    @pytest.mark.parametrize(
        ("baud", "rate", "least"),
        [
            # Of 960 bytes/s the SIP takes 360, and a request waits for each answer.
            (9600, 960, 300),
            (9600, 100, 99),
            (115200, 960, 850),
        ],
    )
    def test_throughput_is_what_the_line_has_left(self, baud: int, rate: int, least: float) -> None:
        sensor = Sensor(rate)
        bench, port = connected(sensor, baud=baud)
        port.listen(True, bench.now)
        sensor.start = bench.now
        bench.run(1.0)
        before, since = port.stats.received, bench.now
        bench.run(10.0)
        assert (port.stats.received - before) / 10.0 >= least
        stamps = [time for time, event in bench.events if type(event).__name__ == "Report" and time > since]
        assert max(b - a for a, b in pairwise(stamps)) < 0.1 + HOLD
        if rate == 100:
            # Nothing was lost on the way, so every byte follows the one before.
            assert all((b - a) % 256 == 1 for a, b in pairwise(received(bench)))

    @pytest.mark.parametrize("losses", [1, 3])
    def test_lost_requests_lose_no_bytes(self, losses: int) -> None:
        sensor = Sensor()
        bench, port = connected(sensor)
        bench.up.fault = losing_first(losses, Command.GETAUX)
        port.listen(True, bench.now)
        since = bench.now
        sensor.say(b"hello")
        bench.run(6)
        assert received(bench) == b"hello"
        assert arrivals(bench)[0][0] - since == pytest.approx(losses * QUIET, abs=0.2)
        assert port.stats.resent >= losses


class TestAuxRead:
    def test_a_question_and_its_answer(self) -> None:
        sensor = Sensor()
        bench, port = connected(sensor)
        sensor.say(b"12.4 volts\r")
        bench.request(lambda: port.write(b"?V\r"))
        since = bench.now
        reading = bench.request(lambda: port.read(11, 2.0, since))
        took = bench.until(reading.done)
        assert reading.result().success
        assert reading.result().data == b"12.4 volts\r"
        assert reading.result().message == "AUX1: 11 bytes"
        assert took < 0.8
        bench.run(3)
        assert asked(bench, since + took) == []

    def test_what_has_not_come_in_time_is_said(self) -> None:
        sensor = Sensor()
        bench, port = connected(sensor)
        sensor.say(b"abc")
        reading = bench.request(lambda: port.read(10, 1.5, bench.now))
        took = bench.until(reading.done)
        outcome = reading.result()
        assert (outcome.success, outcome.data) == (False, b"abc")
        assert outcome.message == "AUX1: 3 of 10 bytes in 1.5 s"
        assert took == pytest.approx(1.5, abs=0.01)

    def test_flush_forgets_earlier_bytes_here_and_in_the_robot(self) -> None:
        sensor = Sensor()
        bench, port = connected(sensor)
        port.listen(True, bench.now)
        sensor.say(b"old")
        bench.run(2)
        port.listen(False, bench.now)
        sensor.say(b"older")
        bench.run(2)
        reading = bench.request(lambda: port.read(3, 3.0, bench.now, flush=True))
        bench.run(0.5)
        sensor.say(b"new")
        bench.until(reading.done)
        assert reading.result().data == b"new"

    def test_a_count_of_zero_reads_all_that_arrive(self) -> None:
        sensor = Sensor()
        bench, port = connected(sensor)
        reading = bench.request(lambda: port.read(0, 2.0, bench.now))
        sensor.say(b"all of it")
        bench.until(reading.done)
        assert (reading.result().success, reading.result().data) == (True, b"all of it")

    def test_a_second_reader_at_the_same_time_is_refused(self) -> None:
        sensor = Sensor()
        bench, port = connected(sensor)
        first = bench.request(lambda: port.read(4, 5.0, bench.now))
        second = bench.request(lambda: port.read(2, 5.0, bench.now))
        assert second.result().message == "AUX1: another request reads the port already"
        sensor.say(b"abcd")
        bench.until(first.done)
        assert first.result().data == b"abcd"

    @pytest.mark.parametrize(
        ("count", "timeout", "reason"),
        [
            (-1, 1.0, f"count is -1, allowed: 0 to {BUFFER} bytes"),
            (BUFFER + 1, 1.0, f"count is {BUFFER + 1}, allowed: 0 to {BUFFER} bytes"),
            (1, -0.1, "timeout is -0.1 s, allowed: 0 to 3600 s"),
            (1, float("nan"), "timeout is nan s, allowed: 0 to 3600 s"),
            (1, float("inf"), "timeout is inf s, allowed: 0 to 3600 s"),
        ],
    )
    def test_what_makes_no_sense_is_refused_with_the_range(self, count: int, timeout: float, reason: str) -> None:
        bench, port = connected(Sensor())
        outcome = bench.request(lambda: port.read(count, timeout, bench.now)).result()
        assert (outcome.success, outcome.message) == (False, f"AUX1: {reason}")

    def test_the_end_of_session_returns_what_there_is(self) -> None:
        sensor = Sensor()
        bench, port = connected(sensor)
        sensor.say(b"ab")
        reading = bench.request(lambda: port.read(9, 60.0, bench.now))
        bench.run(2)
        bench.unplug()
        assert reading.result().data == b"ab"
        assert "the port has disappeared" in reading.result().message
        assert "there is no robot" in port.read(1, 1.0, bench.now).result().message

    def test_what_nobody_reads_is_forgotten_oldest_first_and_counted(self) -> None:
        sensor = Sensor(rate=900)
        bench, port = connected(sensor, baud=115200)
        port.listen(True, bench.now)
        sensor.start = bench.now
        bench.until(lambda: port.stats.received > BUFFER + 500, within=20)
        assert port.stats.overwritten == port.stats.received - BUFFER
        data = bench.request(lambda: port.read(BUFFER, 0.0, bench.now)).result().data
        assert data == received(bench)[-BUFFER:]


class TestWriting:
    @pytest.mark.parametrize("baud", [9600, 38400, 115200])
    def test_a_long_text_is_sent_whole_in_parts(self, baud: int) -> None:
        sensor = Sensor()
        bench, port = connected(sensor, baud=baud)
        text = bytes(place % 256 for place in range(1000))
        since = bench.now
        writing = bench.request(lambda: port.write(text))
        took = bench.until(writing.done)
        parts = [i.value for _, i in bench.sent(since) if i.command is Command.TTY2]
        assert b"".join(part for part in parts if isinstance(part, bytes)) == text
        assert (writing.result().success, writing.result().count) == (True, 1000)
        assert writing.result().message == "AUX1: 1000 bytes handed to the line"
        bench.run(2)
        assert bytes(sensor.received) == text
        # Neither line is given more than it carries, and the slower of both is kept busy.
        slowest = max(10 / 9600, (1 + 8 / len(parts[0] or b"")) * 10 / baud)
        assert 0.95 * 1000 * slowest - 0.3 < took < 1.25 * 1000 * slowest + 0.1

    def test_more_than_fits_is_refused_and_counted(self) -> None:
        bench, port = connected(Sensor())
        first = bench.request(lambda: port.write(bytes(BUFFER - 10)))
        refused = bench.request(lambda: port.write(bytes(11)))
        assert refused.result().message == f"AUX1: no room for 11 bytes, {BUFFER - 10} of at most {BUFFER} wait already"
        assert (refused.result().success, refused.result().count) == (False, 0)
        assert port.stats.dropped == 11
        assert "dropped-bytes" in bench.live_causes
        assert not first.done()

    def test_the_end_of_session_tells_what_was_sent(self) -> None:
        sensor = Sensor()
        bench, port = connected(sensor)
        writing = bench.request(lambda: port.write(bytes(1000)))
        bench.run(0.5)
        bench.unplug()
        outcome = writing.result()
        assert not outcome.success
        assert 0 < outcome.count < 1000
        assert outcome.count == port.stats.written
        assert port.stats.dropped == 1000 - outcome.count
        bench.open_session()
        bench.run(3)
        assert port.stats.written == outcome.count

    def test_a_port_without_hardware_says_so(self) -> None:
        bench, port = connected(Sensor(), 3)
        reason = "AUX3: AmigoBot (AmigOS) has no"
        assert bench.request(lambda: port.write(b"x")).result().message == f"{reason} TTY4"
        assert bench.request(lambda: port.read(1, 1.0, bench.now)).result().message == f"{reason} GETAUX3"
        port.listen(True, bench.now)
        bench.run(2)
        assert not [command for command in bench.commands() if "GETAUX" in command]


@pytest.mark.parametrize("ports", [(0,), (0, 1), (0, 1, 2)])
def test_a_stop_is_not_delayed_by_writing_ports(ports: tuple[int, ...]) -> None:
    """What waits on the line cannot be overtaken: so no more is put there than the line carries."""
    bench = Bench(Options(max_linear=0.7), robot="p3dx").connect()
    for port in ports:
        bench.request(lambda port=port: bench.robot.aux[port].write(bytes(8192)))
    bench.run(8, cmd_vel=(0.3, 0.0))
    since = bench.now
    bench.request(bench.robot.motion.emergency_stop)
    bench.until(lambda: bench.simulator.truth.left_velocity < 0.29, within=1.0)
    assert bench.now - since < 0.15
