# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The driver in real time, with real threads: on the simulated robot in this process, over a pty and over TCP."""

from __future__ import annotations

import math
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from api_bench import PATIENCE, accepted, eventually
from bench import Bench
from standstill import passes

from amigobot_driver.connection_policy import SEARCH_SPEEDS
from amigobot_driver.driver import Driver, boot_time
from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, decode
from amigobot_driver.robot import (
    Event,
    FrameSeen,
    LinkChanged,
    LinkState,
    Notice,
    Options,
    Report,
    RequestRefusedError,
    Robot,
)
from amigobot_driver.sim import SessionState, Simulator
from amigobot_driver.sim.pty import PtyConnection
from amigobot_driver.sim.server import ClientConnection, Served, serve
from amigobot_driver.sim.tcp import TcpConnection
from amigobot_driver.transport import Port, PortError, open_port

SHUTDOWN_SEQUENCE = ["STOP", "ENABLE(0)", "SONAR(0)", "CLOSE"]


class Tap:
    """A port that notes what is written to it, and fails when a test asks for it."""

    def __init__(self, port: Port) -> None:
        self.port = port
        self.name = port.name
        self.written: list[tuple[float, bytes]] = []
        self.closed = False
        self.fail_write = self.fail_read = False

    @property
    def byte_time(self) -> float:
        return self.port.byte_time

    def read(self, timeout: float) -> bytes:
        if self.fail_read:
            raise PortError(f"{self.name}: read failed on purpose")
        return self.port.read(min(timeout, 0.05))

    def write(self, data: bytes) -> None:
        if self.fail_write:
            raise PortError(f"{self.name}: write failed on purpose")
        self.port.write(data)
        self.written.append((time.monotonic(), data))

    def set_baud(self, baud: int) -> None:
        self.port.set_baud(baud)

    def close(self) -> None:
        self.closed = True
        self.port.close()

    @property
    def commands(self) -> list[str]:
        return [str(decode(data[3:-2])) for _, data in self.written]


class Running:
    """A driver on a tapped port, and all events that it emitted."""

    def __init__(self, url: str = "sim://amigo?world=empty&baud=115200") -> None:
        self.events: list[Event] = []
        self.taps: list[Tap] = []
        self.listener: Callable[[Event], None] = self.events.append
        self.driver = Driver(Robot(Options()), url, lambda event: self.listener(event), opener=self._open)

    def _open(self, url: str, baud: int) -> Port:
        tap = Tap(open_port(url, baud))
        self.taps.append(tap)
        return tap

    @property
    def state(self) -> LinkState:
        with self.driver.robot() as robot:
            return robot.state

    @property
    def commands(self) -> list[str]:
        return [command for tap in self.taps for command in tap.commands]

    def emitted(self, kind: type[Event]) -> list[Event]:
        return [event for event in list(self.events) if isinstance(event, kind)]

    @property
    def notes(self) -> list[str]:
        return [event.note for event in self.emitted(LinkChanged)]

    def connect(self) -> None:
        """Until the motors are on."""
        count = len(self.emitted(Report))
        eventually(lambda: any(report.motors_enabled for report in self.emitted(Report)[count:]))

    def drive(self, linear: float, angular: float = 0.0) -> None:
        with self.driver.robot() as robot:
            robot.motion.drive(linear, angular, self.driver.clock())

    def drive_until(self, condition: Callable[[], object], linear: float = 0.3) -> None:
        """Publish a velocity, as cmd_vel does."""

        def met() -> bool:
            try:
                self.drive(linear)
            except RequestRefusedError as refused:
                if not passes(refused):
                    raise
            return bool(condition())

        eventually(met)

    def moving(self) -> bool:
        return self.emitted(Report)[-1].moving


@contextmanager
def running(*args: object, **kwargs: object) -> Iterator[Running]:
    """Started, and closed in any case."""
    run = Running(*args, **kwargs)
    run.driver.start()
    try:
        yield run
    finally:
        run.driver.close()


@contextmanager
def served(
    make: Callable[[Simulator], ClientConnection], robot: str = "amigo", **options: Any
) -> Iterator[tuple[Simulator, ClientConnection]]:
    """A simulated robot on a pty or on TCP, in a thread of its own."""
    simulator = Simulator(load_profile(robot), **options)
    connection = make(simulator)
    stopping = threading.Event()
    thread = threading.Thread(target=serve, args=(Served(simulator, connection),), kwargs={"stopped": stopping.is_set})
    thread.start()
    try:
        yield simulator, connection
    finally:
        stopping.set()
        thread.join(PATIENCE)
        connection.close()


def on_pty(path: Path) -> Callable[[Simulator], ClientConnection]:
    return lambda simulator: PtyConnection(str(path), simulator, check_baud=True, log=lambda text: None)


def on_tcp(simulator: Simulator) -> ClientConnection:
    return TcpConnection(("127.0.0.1", 0), simulator, log=lambda text: None)


class TestOnEveryPort:
    def test_the_driver_drives_a_robot_over_a_pty(self, tmp_path: Path) -> None:
        """Connect, drive, close: the robot stands, its motors are off, the session is over."""
        path = tmp_path / "robot"
        with served(on_pty(path)) as (simulator, _), running(str(path)) as run:
            run.connect()
            run.drive_until(lambda: run.emitted(Report)[-1].odometry.x > 0.1)
            run.driver.close()
            assert run.commands[-4:] == SHUTDOWN_SEQUENCE
            assert run.taps[-1].closed
            assert not run.driver.failed.is_set()
            eventually(lambda: simulator.session is SessionState.WAIT)
            eventually(lambda: simulator.truth.left_velocity == 0)
            assert simulator.truth.pose.x > 0.1

    @pytest.mark.parametrize("baud", SEARCH_SPEEDS[1::3])
    def test_the_driver_finds_the_speed_on_a_pty(self, tmp_path: Path, baud: int) -> None:
        path = tmp_path / "robot"
        with served(on_pty(path), "p3at", baud=baud), running(str(path)) as run:
            run.connect()
            assert run.notes[-1].endswith(f" at {baud} baud")


class TestPortThatComesAndGoes:
    def test_the_driver_finds_a_port_under_another_name(self, tmp_path: Path) -> None:
        """The kernel numbers an adapter anew while a program still has the old number open."""
        pattern = str(tmp_path / "ttyUSB*")
        with running(pattern) as run:
            for name in ("ttyUSB0", "ttyUSB1"):
                with served(on_pty(tmp_path / name)):
                    run.connect()
                    assert Notice(f"{pattern}: opened {tmp_path / name}", trouble=False) in run.emitted(Notice)
                eventually(lambda: run.state is LinkState.DISCONNECTED)
            eventually(lambda: f"{pattern}: no port matches; is the adapter" in run.notes[-1])

    def test_the_driver_reconnects_to_a_closed_peer(self) -> None:
        with served(on_tcp) as (_, connection), running(f"socket://127.0.0.1:{connection.port}") as run:
            run.connect()
            connection._client.shutdown(socket.SHUT_RDWR)  # the thread of the server closes it
            eventually(lambda: len(run.taps) > 1)
            run.connect()

    def test_a_failed_read_during_a_write_is_survived(self) -> None:
        """The writer is about to write to a port that the reader has just lost."""
        with running() as run:
            run.connect()
            with run.driver.robot() as robot:
                original = robot.link.take

                def take(now: float) -> bytes | None:
                    run.taps[0].fail_read = True
                    end = time.monotonic() + 0.5
                    while run.driver._port is not None and time.monotonic() < end:
                        time.sleep(0.001)
                    robot.link.take = original
                    return Command.PULSE().encode()

                robot.link.take = take
            run.connect()
            assert not run.driver.failed.is_set()


def stamps(wait: float) -> list[float]:
    """Those of 20 frames if the reader waits so long (s) for the lock. On an injected clock, and without threads."""
    bench, found = Bench(Options(trace=True), baud=0), []
    bench.connect()
    now = [bench.now]

    class SlowLock(threading.Condition):
        def __enter__(self) -> bool:
            now[0] += wait
            return super().__enter__()

    def read(timeout: float) -> bytes:
        while not (data := bench.simulator.transmit(now[0])):
            now[0] += 0.001
        return data

    driver = Driver(bench.robot, "stepped", found.append, clock=lambda: now[0])
    driver._changed = SlowLock(threading.RLock())
    while len(frames := [event for event in found if isinstance(event, FrameSeen)]) < 20:
        driver._read_once(SimpleNamespace(read=read))
    return [frame.stamp for frame in frames]


def test_stamps_do_not_depend_on_who_holds_the_lock() -> None:
    assert stamps(0.03) == pytest.approx(stamps(0.0), abs=0.002)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("place", ["listener", "reader", "writer"])
def test_an_exception_in_a_thread_stops_the_robot(place: str) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    with running() as run:
        run.connect()
        run.drive_until(run.moving)
        if place == "listener":
            run.listener = broken
        else:
            with run.driver.robot() as robot:
                setattr(robot.link, {"reader": "receive", "writer": "poll"}[place], broken)
        eventually(run.driver.failed.is_set)
        eventually(lambda: run.taps[-1].closed)
        assert run.commands[-4:] == SHUTDOWN_SEQUENCE


class TestListener:
    def test_the_listener_gets_events_in_order_in_one_thread(self) -> None:
        with running() as run:
            threads: set[str] = set()

            def listener(event: Event) -> None:
                threads.add(threading.current_thread().name)
                run.events.append(event)

            run.listener = listener
            run.connect()
            run.drive_until(run.moving)
            eventually(lambda: run.emitted(Notice))
        assert threads == {"amigobot-reader"}
        states = [event.state for event in run.emitted(LinkChanged)]
        assert states == [LinkState.SYNCING, LinkState.OPENING, LinkState.RUNNING]
        first = next(i for i, event in enumerate(run.events) if isinstance(event, Report))
        assert any(isinstance(event, LinkChanged) and event.state is LinkState.RUNNING for event in run.events[:first])
        stamps = [report.stamp for report in run.emitted(Report)]
        assert stamps == sorted(stamps)

    def test_a_slow_listener_does_not_delay_a_stop(self) -> None:
        """A publisher that blocks must not keep a robot driving whose velocity has expired."""
        with running() as run:
            run.connect()
            run.drive_until(run.moving)
            go_on, blocked = threading.Event(), threading.Event()

            def slow(event: Event) -> None:
                blocked.set()
                go_on.wait(PATIENCE)

            run.listener = slow
            assert blocked.wait(PATIENCE)
            since = len(run.commands)
            try:
                accepted(lambda: run.drive(0.3))
                eventually(lambda: {"VEL(0)", "STOP"} & set(run.commands[since:]))
            finally:
                go_on.set()


class TestClose:
    def test_closing_twice_sends_the_shutdown_sequence_once(self) -> None:
        with running() as run:
            run.connect()
            run.driver.close()
            commands = run.commands
            run.driver.close()
            assert run.commands == commands
            assert commands[-4:] == SHUTDOWN_SEQUENCE
            assert not any(thread.is_alive() for thread in run.driver._threads)

    def test_closing_a_driver_from_its_listener(self) -> None:
        with running() as run:
            done = threading.Event()

            def listener(event: Event) -> None:
                if isinstance(event, Report) and not done.is_set():
                    run.driver.close()
                    done.set()

            run.listener = listener
            assert done.wait(PATIENCE)
            assert run.commands[-4:] == SHUTDOWN_SEQUENCE

    def test_closing_waits_only_for_its_own_frames(self) -> None:
        with running() as run:
            run.connect()
            with run.driver.robot() as robot:
                far = run.driver.clock() + 2 * PATIENCE
                timer = robot.link.timeouts.timer(lambda now: now == math.inf and timer.set(far))
                timer.set(far)
            closing = threading.Thread(target=run.driver.close)
            closing.start()
            closing.join(PATIENCE)
            assert not closing.is_alive()
            assert run.commands[-4:] == SHUTDOWN_SEQUENCE

    def test_the_shutdown_is_repeated_if_the_robot_sends(self) -> None:
        with running() as run:
            run.connect()
            tap = run.taps[-1]
            original, lost = tap.write, []

            def losing_the_first_close(data: bytes) -> None:
                if data == Command.CLOSE().encode() and not lost:
                    lost.append(data)
                else:
                    original(data)

            tap.write = losing_the_first_close
            run.driver.close()
            assert lost
            assert tap.port.simulator.session is SessionState.WAIT


def test_the_driver_clock_counts_during_suspend() -> None:
    """The monotonic clock of Linux does not: a velocity from before a suspend would still be young after it."""
    assert boot_time() == pytest.approx(time.clock_gettime(time.CLOCK_BOOTTIME), abs=PATIENCE)
    assert Running().driver.clock is boot_time
