# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Ports: bytes pass unchanged, and every failure is one PortError with cause and remedy."""

from __future__ import annotations

import errno
import os
import pty
import re
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial
import serial.rfc2217

from amigobot_driver.transport import Kind, Port, PortError, open_port, parse_target, tcp
from amigobot_driver.transport.serial import SerialPort
from amigobot_driver.transport.target import DEFAULT_TCP_PORT

#: s that nothing here ever takes, on however slow a machine
PATIENCE = 30.0
EVERY_BYTE = bytes(range(256))


def refused(what: Callable[[], object], name: str) -> str:
    """The message of the PortError that must come: one line for a person, beginning with the port."""
    with pytest.raises(PortError) as caught:
        what()
    message = str(caught.value)
    assert message.startswith(f"{name}: ")
    assert message.isprintable()
    assert "Errno" not in message
    assert caught.value.__suppress_context__ or not caught.value.__context__, "no chain of tracebacks behind it"
    return message


def read_all(port: Port, count: int) -> bytes:
    data = b""
    end = time.monotonic() + PATIENCE
    while len(data) < count and time.monotonic() < end:
        data += port.read(1.0)
    return data


def ends(what: Callable[[], object]) -> threading.Thread:
    """A thread that does something which may well raise PortError."""

    def work() -> None:
        with suppress(PortError):
            what()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


class Pty:
    """Both ends of a pseudo-terminal; the path of one of them is a serial port."""

    def __init__(self) -> None:
        self.master, self._slave = pty.openpty()
        self.path = os.ttyname(self._slave)

    def read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            data += os.read(self.master, count - len(data))
        return data

    def vanish(self) -> None:
        os.close(self.master)
        self.master = -1

    def close(self) -> None:
        for descriptor in (self.master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture
def line() -> Iterator[Pty]:
    with closing(Pty()) as line:
        yield line


@dataclass(frozen=True)
class Connected:
    """A port, and what sends and receives at its other end."""

    port: Port
    send: Callable[[bytes], object]
    received: Callable[[int], bytes]


@pytest.fixture(params=["serial", "tcp"])
def connected(request: pytest.FixtureRequest, line: Pty) -> Iterator[Connected]:
    if request.param == "serial":
        with closing(open_port(line.path, 38400)) as port:
            yield Connected(port, partial(os.write, line.master), line.read)
        return
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        closing(open_port(f"127.0.0.1:{listener.getsockname()[1]}", 38400)) as port,
        listener.accept()[0] as peer,
    ):
        yield Connected(port, peer.sendall, lambda count: peer.recv(count, socket.MSG_WAITALL))


def test_every_byte_passes_both_ways(connected: Connected) -> None:
    assert connected.port.read(0.01) == b""
    connected.send(EVERY_BYTE)
    assert read_all(connected.port, 256) == EVERY_BYTE
    connected.port.write(EVERY_BYTE)
    assert connected.received(256) == EVERY_BYTE


def test_a_peer_that_takes_no_bytes_is_reported(connected: Connected) -> None:
    def write_on() -> None:
        for _ in range(100_000):
            connected.port.write(bytes(4096))

    assert re.search("accepts no (more )?bytes", refused(write_on, connected.port.name))


def test_a_closed_port_refuses_everything(connected: Connected) -> None:
    with closing(open_port("sim://", 9600)) as simulated:
        for port in (connected.port, simulated):
            reader = ends(lambda port=port: port.read(0.5))
            port.close()
            port.close()
            reader.join(PATIENCE)
            assert not reader.is_alive()
            refused(lambda port=port: port.read(0.1), port.name)
            refused(lambda port=port: port.write(b"x"), port.name)


class TestSerial:
    @pytest.fixture
    def port(self, line: Pty) -> Iterator[SerialPort]:
        with closing(SerialPort(line.path, 38400)) as port:
            yield port

    def test_a_terminal_window_is_no_port(self, line: Pty) -> None:
        window = "import fcntl, os, sys, termios; fcntl.ioctl(os.open(sys.argv[1], os.O_RDWR), termios.TIOCSCTTY)"
        command = [sys.executable, "-c", f"{window}; print(flush=True); input()", line.path]
        with subprocess.Popen(command, stdin=-1, stdout=-1, start_new_session=True) as process:
            assert process.stdout and process.stdout.readline()
            settings = termios.tcgetattr(line.master)
            assert "a terminal window now" in refused(lambda: SerialPort(line.path, 9600), line.path)
            assert termios.tcgetattr(line.master) == settings
            process.communicate(b"\n")

    def test_opens_where_the_adapter_cannot_lower_its_latency(self, line: Pty, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(self: serial.Serial, on: bool) -> None:
            raise ValueError("refused")

        monkeypatch.setattr(serial.Serial, "set_low_latency_mode", refuse, raising=False)
        with closing(SerialPort(line.path, 9600)) as port:
            os.write(line.master, b"amigo")
            assert port.read(PATIENCE) == b"amigo"

    def test_the_line_speed_is_set_and_changed(self, line: Pty, port: SerialPort) -> None:
        assert termios.tcgetattr(line.master)[4:6] == [termios.B38400] * 2
        assert port.byte_time == 10 / 38400
        port.set_baud(9600)
        assert termios.tcgetattr(line.master)[4:6] == [termios.B9600] * 2
        assert port.byte_time == 10 / 9600

    def test_a_serial_port_that_vanished_is_reported(self, line: Pty, port: SerialPort) -> None:
        line.vanish()
        assert "the port has disappeared; plug the adapter in again" in refused(lambda: port.read(PATIENCE), line.path)
        assert "the port has disappeared" in refused(lambda: port.write(b"x"), line.path)
        refused(lambda: port.set_baud(9600), line.path)

    def test_a_serial_port_of_another_program_is_reported(self, line: Pty, port: SerialPort) -> None:
        assert f"another program has it open; `fuser -v {line.path}` names it" in refused(
            lambda: SerialPort(line.path, 9600), line.path
        )
        os.write(line.master, b"still mine")
        assert read_all(port, 10) == b"still mine"

    def test_a_missing_serial_port_is_reported(self) -> None:
        message = refused(lambda: SerialPort("/dev/ttyUSB97", 9600), "/dev/ttyUSB97")
        assert "there is no such port; is the adapter plugged in? `ls /dev/serial/by-id`" in message

    @pytest.mark.parametrize(
        ("code", "remedy"),
        [
            (errno.EACCES, "permission denied; `sudo usermod -aG dialout $USER`, then log in again"),
            (errno.EBUSY, "another program has it open"),
            (errno.ENXIO, "the port has disappeared"),
            (errno.EIO, "the port has disappeared"),
        ],
        ids=errno.errorcode.get,
    )
    def test_an_unopened_serial_port_is_reported_with_the_remedy(
        self, monkeypatch: pytest.MonkeyPatch, code: int, remedy: str
    ) -> None:
        def fail(*_: object) -> int:
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(serial.serialposix.os, "open", fail)
        assert remedy in refused(lambda: SerialPort("/dev/ttyS0", 9600), "/dev/ttyS0")

    def test_a_file_that_is_no_serial_port_is_reported(self, tmp_path: Path) -> None:
        file = tmp_path / "notes.txt"
        file.write_text("no port")
        for path in (file, tmp_path):
            assert "is not a serial port" in refused(lambda path=path: SerialPort(str(path), 9600), str(path))


class TestPattern:
    @pytest.fixture
    def lines(self, tmp_path: Path) -> Iterator[dict[str, Pty]]:
        """Two lines, linked as a kernel names them."""
        with closing(Pty()) as first, closing(Pty()) as second:
            lines = {"ttyUSB0": first, "ttyUSB1": second}
            for name, line in lines.items():
                (tmp_path / name).symlink_to(line.path)
            yield lines

    def test_a_pattern_opens_the_first_free_match(self, lines: dict[str, Pty], tmp_path: Path) -> None:
        with closing(open_port(f"{tmp_path}/ttyUSB*", 9600)) as first:
            assert first.name == f"{tmp_path}/ttyUSB0"
            with closing(open_port(f"{tmp_path}/ttyUSB*", 9600)) as second:
                assert second.name == f"{tmp_path}/ttyUSB1"
                pattern = f"{tmp_path}/ttyUSB*"
                message = refused(lambda: open_port(pattern, 9600), first.name)
                assert "another program has it open" in message
                assert f"(no port that matches {pattern} opens, tried: 2)" in message

    def test_a_pattern_without_a_match_is_reported(self, tmp_path: Path) -> None:
        pattern = f"{tmp_path}/by-id/*"
        assert "no port matches; is the adapter plugged in?" in refused(lambda: open_port(pattern, 9600), pattern)


def test_udev_rules_name_the_link_and_shorten_the_latency() -> None:
    """As far as a machine without udev can tell: the grammar of udev(7)."""
    lines = (Path(__file__).parents[1] / "udev" / "99-amigobot.rules").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    for rule in rules:
        assert all(re.fullmatch(r'[A-Z]+(\{\w+\})?(==|\+=|=)"[^"]*"', part) for part in rule.split(", ")), rule
        assert 'SYMLINK+="amigobot"' in rule or 'ATTR{latency_timer}="1"' in rule
        assert re.findall(r'ATTRS\{id\w+\}=="([^"]*[^0-9a-f"][^"]*)"', rule) == [], "sysfs writes small letters"


@pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")  # pyserial's own
class TestRfc2217:
    """A serial server on the network, played by pyserial's own."""

    @pytest.fixture
    def device(self) -> Iterator[serial.Serial]:
        """At the server's other end: it gives back what it gets."""
        with closing(serial.serial_for_url("loop://", 19200, timeout=0.01)) as device:
            yield device

    @pytest.fixture
    def url(self, device: serial.Serial) -> Iterator[str]:
        stopping = threading.Event()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = threading.Thread(target=self.serve, args=(listener, device, stopping), daemon=True)
            server.start()
            yield f"rfc2217://127.0.0.1:{listener.getsockname()[1]}"
            stopping.set()
            server.join(PATIENCE)

    @staticmethod
    def serve(listener: socket.socket, device: serial.Serial, stopping: threading.Event) -> None:
        connection, _ = listener.accept()
        connection.settimeout(0.01)
        with connection:
            manager = serial.rfc2217.PortManager(device, _Writer(connection))
            while not stopping.is_set():
                with suppress(TimeoutError):
                    device.write(b"".join(manager.filter(connection.recv(1024))))
                if data := device.read(device.in_waiting):
                    connection.sendall(b"".join(manager.escape(data)))

    def test_carries_bytes_and_speed(self, device: serial.Serial, url: str) -> None:
        with closing(open_port(url, 38400)) as port:
            assert device.baudrate == 38400
            port.write(EVERY_BYTE)
            assert read_all(port, 256) == EVERY_BYTE
            port.set_baud(9600)
            assert device.baudrate == 9600
            assert port.byte_time == 10 / 9600


class _Writer:
    def __init__(self, connection: socket.socket) -> None:
        self.write = connection.sendall


class TestTcp:
    @pytest.fixture
    def listener(self) -> Iterator[socket.socket]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            yield listener

    @pytest.fixture
    def port(self, listener: socket.socket) -> Iterator[Port]:
        with closing(open_port(f"socket://127.0.0.1:{listener.getsockname()[1]}", 9600)) as port:
            yield port

    @pytest.fixture
    def peer(self, listener: socket.socket, port: Port) -> Iterator[socket.socket]:
        peer, _ = listener.accept()
        with peer:
            yield peer

    def test_a_silent_tcp_peer_is_given_up(self, port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is without power, or its kernel acknowledges everything and no program reads it."""
        monkeypatch.setattr(tcp, "TCP_SILENCE", 0.05)
        assert "no bytes for 0.05 s; is the robot on? Reconnecting" in refused(
            lambda: [port.read(0.01) for _ in range(1000)], port.name
        )

    def test_a_tcp_peer_that_sends_rarely_is_kept(
        self, port: Port, peer: socket.socket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = [time.monotonic()]
        monkeypatch.setattr(tcp, "time", SimpleNamespace(monotonic=lambda: now[0]))
        for _ in range(5):
            now[0] += 0.9 * tcp.TCP_SILENCE
            peer.sendall(b"x")
            assert port.read(PATIENCE) == b"x"
            assert port.read(0.0) == b""

    def test_a_tcp_connection_that_ends_is_reported(self, port: Port, peer: socket.socket) -> None:
        peer.sendall(b"x")
        assert port.read(PATIENCE) == b"x"
        peer.close()
        assert "the peer has closed the connection" in refused(lambda: port.read(PATIENCE), port.name)

    def test_a_peer_that_serves_another_client_is_reported(self, port: Port, peer: socket.socket) -> None:
        peer.close()
        assert "is another program connected to the robot?" in refused(lambda: port.read(PATIENCE), port.name)

    def test_a_refused_tcp_connection_is_reported(self, listener: socket.socket) -> None:
        number = listener.getsockname()[1]
        listener.close()
        url = f"socket://127.0.0.1:{number}"
        message = refused(lambda: open_port(url, 9600), url)
        assert "refused" in message
        assert f"is the robot or the simulator on, and does it listen on port {number}?" in message

    @pytest.mark.parametrize(
        ("url", "address"),
        [
            ("socket://robot", ("robot", DEFAULT_TCP_PORT)),
            ("socket://[::1]:8103", ("::1", 8103)),
            ("::1", ("::1", DEFAULT_TCP_PORT)),
        ],
    )
    def test_a_host_has_a_default_tcp_port(
        self, monkeypatch: pytest.MonkeyPatch, url: str, address: tuple[str, int]
    ) -> None:
        asked = []

        def connect(address: tuple[str, int], _: float) -> None:
            asked.append(address)
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")

        monkeypatch.setattr(socket, "create_connection", connect)
        refused(lambda: open_port(url, 9600), url)
        assert asked == [address]


@pytest.mark.parametrize(
    ("typed", "kind", "url"),
    [
        ("/dev/ttyUSB0", Kind.SERIAL, "/dev/ttyUSB0"),
        ("/dev/ttyUSB*", Kind.SERIAL, "/dev/ttyUSB*"),
        ("ttyUSB77", Kind.SERIAL, "/dev/ttyUSB77"),
        ("ttyUSB[0-3]", Kind.SERIAL, "/dev/ttyUSB[0-3]"),
        ("COM1", Kind.SERIAL, "/dev/COM1"),
        ("computer", Kind.NETWORK, "socket://computer:8101"),
        ("192.168.1.11", Kind.NETWORK, "socket://192.168.1.11:8101"),
        ("bridge:4001", Kind.NETWORK, "socket://bridge:4001"),
        ("[::1]:8101", Kind.NETWORK, "socket://[::1]:8101"),
        ("::1", Kind.NETWORK, "socket://[::1]:8101"),
        ("rfc2217://bridge:2217?timeout=5", Kind.NETWORK, "rfc2217://bridge:2217?timeout=5"),
        ("sim://amigo-sh?seed=1", Kind.SIMULATED, "sim://amigo-sh?seed=1"),
    ],
)
def test_what_a_user_types_is_a_target(typed: str, kind: Kind, url: str) -> None:
    target = parse_target(typed)
    assert (target.kind, target.url) == (kind, url)


@pytest.mark.parametrize("typed", ["", "bridge:abc", "socket://", "a\nb", "8101", "http://bridge"])
def test_what_is_no_target_is_refused(typed: str) -> None:
    with pytest.raises(PortError):
        parse_target(typed)


#: Every form of a port with values that make no sense.
ODD_PORTS = [
    *("socket://ü..x:1", "socket://127.0.0.1:-1", "socket://[::1", "socket://[::1]:1", "socket://127.0.0.1:1/x"),
    *("rfc2217://127.0.0.1", "rfc2217://127.0..1:1", "rfc2217://:1", "rfc2217://127.0.0.1:x", "rfc2217://[::1"),
    *("rfc2217://127.0.0.1:1?logging=x", "rfc2217://127.0.0.1:1?timeout=x", f"rfc2217://{64 * 'a'}:1"),
    *("hwgrep://(", "hwgrep://[", "hwgrep://no such port&n=a", "hwgrep://no such port&color=a"),
    *("alt:///dev/null?class=Nope", "alt://", "spy://", "spy:///dev/null?file=/no/such/file", "cp2110://x"),
    *("loop://?logging=x", "gopher://robot", "://", "x://", "/", "/dev/null", "/dev/zero", "[", "/dev/no-such[", "~"),
    *("a" * 5000, "/dev/ttyUSB0\n", "\0", "sim://[", "sim://../x", "sim://u@amigo", "sim://amigo:80", "sim://a b"),
    *("sim://?baud=-1", "sim://?baud=1e9", "sim://?world=/dev/null", "sim://?world=/", "sim://?robot=../../x"),
    *("sim://?x=nan", "sim://?seed=x", "sim://?a", "sim://?seed=1&seed=2", "sim://?check_baud=x"),
]


@pytest.mark.parametrize("url", ODD_PORTS, ids=lambda url: ascii(url)[:40])
def test_a_port_opens_or_fails_in_one_line(url: str) -> None:
    try:
        open_port(url, 9600).close()
    except PortError as error:
        assert str(error).isprintable()
