# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Robots and lines with a fault, for `amigobot doctor`: it runs as a process, and its remedy is typed as it is printed.

A `Fault` is one cause with its seed: it makes the fault, says what the verdict must name, and mends by hand what a hand
must mend. The commands of the remedy run in a shell. `sudo`, `usermod`, `systemctl` and `ros2` are small scripts there:
the first ones would change this computer, and the command of ROS is no part of the ROS that the tests build.
"""

from __future__ import annotations

import contextlib
import grp
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tty
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import FrameDecoder, Instruction, Unlisted, decode
from amigobot_driver.sim import Faults, Simulator, Window, load_world
from amigobot_driver.sim.pty import PtyConnection
from amigobot_driver.sim.server import Served, serve
from amigobot_driver.sim.tcp import TcpConnection

PACKAGE = Path(__file__).parents[1]
#: s that no examination takes, on however busy a machine.
PATIENCE = 120.0
NOBODY = 65534
SILENCE = Faults(silence=Window(0.0, 1e9))

#: The command `amigobot`, on a computer with the serial ports that a variable names: a pty is in no list of ports.
#: Another user may have no access to this Python, so everything is imported before the process becomes that user.
_AMIGOBOT = """
import encodings.ascii, encodings.idna, encodings.latin_1, importlib, os, pkgutil, sys
from types import SimpleNamespace
import serial.tools.list_ports as list_ports
if "BENCH_USER" in os.environ:
    for layer in ("doctor", "protocol", "profiles", "robot", "sim", "transport", "cli.doctor"):
        package = importlib.import_module("amigobot_driver." + layer)
        for module in pkgutil.walk_packages(getattr(package, "__path__", []), package.__name__ + "."):
            importlib.import_module(module.name)
    importlib.import_module("amigobot_driver.doctor.table").checks()
    user = int(os.environ["BENCH_USER"])
    os.setgroups([int(group) for group in os.environ["BENCH_GROUPS"].split()])
    os.setgid(user)
    os.setuid(user)
ports = os.environ.get("BENCH_PORTS", "").split()
list_ports.comports = lambda *_: [SimpleNamespace(device=port, description="", vid=1) for port in ports]
from amigobot_driver.cli import main
sys.exit(main())
"""

#: Scripts for the shell, by name. `{folder}` is that of the bench.
_SCRIPTS = {
    "amigobot": 'exec "{python}" "{folder}/amigobot.py" "$@"',
    "sudo": 'exec "$@"',
    "usermod": 'echo "$2" >> "{folder}/groups"',
    "systemctl": 'kill "$(cat "{folder}/service.$2")"',
    "ros2": 'shift 2; exec "$@"',
}


class Line:
    """Something at a port of this process, for a client in another: a thread that ends with `close`."""

    url: str

    def close(self) -> None:
        """End the thread and remove the port."""
        raise NotImplementedError


class RobotLine(Line):
    """A simulated robot on a pty or on TCP, and the commands that it received."""

    def __init__(
        self, where: Path | tuple[str, int], robot: str = "amigo", *, check_baud: bool = False, **options: Any
    ) -> None:
        self.simulator = Simulator(load_profile(robot), load_world(options.pop("world", "room")), **options)
        self.start = self.simulator.truth.pose
        self.lock = threading.Lock()
        self.received: list[Instruction | Unlisted] = []
        self._decoder, self._stopped = FrameDecoder(), threading.Event()
        receive = self.simulator.receive

        def listen(data: bytes, now: float) -> None:
            self.received += [decode(frame.data) for frame in self._decoder.feed(data, now)]
            receive(data, now)

        self.simulator.receive = listen  # type: ignore[method-assign]
        self._connection: PtyConnection | TcpConnection
        if isinstance(where, Path):
            self._connection = PtyConnection(str(where), self.simulator, check_baud=check_baud, log=lambda text: None)
            self.url = str(where)
        else:
            self._connection = TcpConnection(where, self.simulator, log=lambda text: None)
            self.url = f"{where[0]}:{self._connection.port}"
        served, arguments = Served(self.simulator, self._connection), {"stopped": self._stopped.is_set}
        self._thread = threading.Thread(target=serve, args=(served,), kwargs=arguments, daemon=True)
        self._thread.start()

    @property
    def has_moved(self) -> bool:
        """Whether the robot was moved at any time: its wheels turn, or it is elsewhere."""
        truth = self.simulator.truth
        return truth.pose != self.start or bool(truth.left_velocity or truth.right_velocity)

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()
        self._connection.close()


class PtyLine(Line):
    """A pty on which a function answers to bytes: `answer(data)` is called with what came, b"" ten times a second."""

    def __init__(self, path: Path, answer: Callable[[bytes], bytes]):
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        os.symlink(os.ttyname(slave), path)
        os.close(slave)
        self.url, self._path = str(path), path
        self._answer, self._stopped = answer, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                ready = select.select([self._master], [], [], 0.1)[0]
                if data := self._answer(os.read(self._master, 4096) if ready else b""):
                    os.write(self._master, data)
            except OSError:  # no client has it open
                time.sleep(0.1)

    def close(self) -> None:
        if not self._stopped.is_set():
            self._stopped.set()
            self._thread.join()
            self._path.unlink(missing_ok=True)
            os.close(self._master)


class TcpLine(Line):
    """A TCP server with the same kind of function; it serves `most` clients, and hangs up on the others."""

    def __init__(self, address: tuple[str, int], answer: Callable[[bytes], bytes], most: int = 100):
        self._listener = socket.create_server(address)
        self.url = f"{address[0]}:{self._listener.getsockname()[1]}"
        self._answer, self._most, self._stopped = answer, most, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        clients: list[socket.socket] = []
        while not self._stopped.is_set():
            ready = select.select([self._listener, *clients], [], [], 0.1)[0]
            if self._listener in ready:
                client = self._listener.accept()[0]
                if len(clients) < self._most:
                    clients.append(client)
                else:
                    client.close()
            for client in list(clients):
                try:
                    data = client.recv(4096) if client in ready else b""
                    if client in ready and not data:
                        raise OSError
                    if answer := self._answer(data):
                        client.sendall(answer)
                except OSError:
                    clients.remove(client)
                    client.close()
        for client in clients:
            client.close()
        self._listener.close()

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()


@dataclass
class Diagnosis:
    """What one run of `amigobot doctor` said."""

    status: int
    seconds: float
    result: dict[str, Any]

    @property
    def causes(self) -> list[str]:
        """Keys of the causes, the most probable first."""
        return [cause["key"] for cause in self.result["verdict"]]


class Bench:
    """A folder, a shell with the scripts, and what was put up; ends with its `with` block."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="doctor_"))
        self.folder.chmod(0o755)
        self.stack = contextlib.ExitStack()
        self.ports: list[str] = []  #: that `amigobot find` looks at
        self.user: int | None = None  #: user of the process; None: that of this one
        self.groups: list[int] = []
        (self.folder / "amigobot.py").write_text(_AMIGOBOT)
        for name, line in _SCRIPTS.items():
            script = self.folder / "bin" / name
            script.parent.mkdir(exist_ok=True)
            script.write_text(f"#!/bin/bash\n{line.format(folder=self.folder, python=sys.executable)}\n")
            script.chmod(0o755)

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stack.close()
        shutil.rmtree(self.folder)

    def add(self, line: Any) -> Any:
        """Have a line closed at the end."""
        self.stack.callback(line.close)
        return line

    def path(self, name: str = "robot") -> Path:
        """A path for a port."""
        return self.folder / name

    def environment(self) -> dict[str, str]:
        """That of the shell."""
        return {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": f"{PACKAGE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(self.folder),
            "USER": "nobody",
            "BENCH_PORTS": " ".join(self.ports),
        }

    def doctor(self, *arguments: str) -> Diagnosis:
        """Run `amigobot doctor` as the user of the bench."""
        identity: dict[str, str] = {}
        if self.user is not None:
            identity = {"BENCH_USER": str(self.user), "BENCH_GROUPS": " ".join(map(str, self.groups))}
        began = time.monotonic()
        done = subprocess.run(
            [str(self.folder / "bin" / "amigobot"), "doctor", *arguments, "--json", "--no-ros"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={**self.environment(), **identity},
            cwd=self.folder,
        )
        seconds = time.monotonic() - began
        try:
            return Diagnosis(done.returncode, seconds, json.loads(done.stdout))
        except ValueError:
            raise AssertionError(f"no JSON but {done.stdout}{done.stderr}") from None

    def is_well(self, target: str) -> bool:
        """Whether the doctor finds no problem, but that this computer is overloaded: then the robot is late, too."""
        diagnosis = self.doctor(target)
        if set(diagnosis.causes) == {"bad-link", "overload"}:
            return True
        if diagnosis.status:
            print("         still:", ", ".join(diagnosis.causes))
        return diagnosis.status == 0

    def type(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a shell, as a user types it."""
        return subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=self.environment(),
            cwd=self.folder,
        )

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start a process that ends with the bench."""
        process = subprocess.Popen(command, stdout=-1, stderr=-1, text=True, env=self.environment(), cwd=self.folder)

        def end() -> None:
            process.kill()
            process.communicate()

        self.stack.callback(end)
        return process

    def program(self, code: str, *arguments: str) -> subprocess.Popen[str]:
        """Start a Python program and wait until it has printed a line."""
        process = self.start(sys.executable, "-c", code, *arguments)
        assert process.stdout is not None
        assert process.stdout.readline(), process.stderr.read() if process.stderr else ""
        return process


@dataclass
class Fault:
    """One cause, ready to be diagnosed."""

    bench: Bench
    key: str  #: of the cause that the verdict must name
    target: str
    mend: Callable[[], object] = lambda: None  #: what a hand does before the command
    #: whether the command has cured it; the default is that the doctor then finds nothing
    cured: Callable[[str], bool] | None = None
    robot: RobotLine | None = None

    def is_cured(self, command: str) -> bool:
        """Do what a hand must do, type the command, and look whether all is well."""
        self.mend()
        if self.cured is not None:
            return self.cured(command)
        done = self.bench.type(command)
        if command.startswith(("amigobot doctor", "amigobot find")):
            problems = re.findall(r"^  (?:WARN|ERROR) +(\S+)", done.stdout, re.MULTILINE)
            return done.returncode == 0 or (problems == ["link"] and "overloaded" in done.stdout)
        return self.bench.is_well(self.target)


Maker = Callable[[Bench, random.Random, int], Fault]
#: The causes by name.
CAUSES: dict[str, Maker] = {}


def cause(function: Maker) -> Maker:
    """Add a function to the causes."""
    CAUSES[function.__name__] = function
    return function


def healthy(bench: Bench, name: str = "robot", **options: Any) -> RobotLine:
    """A robot without a fault on a pty."""
    line: RobotLine = bench.add(RobotLine(bench.path(name), **options))
    return line


def silent(data: bytes) -> bytes:
    """Answer nothing."""
    return b""


def own_address(rng: random.Random) -> str:
    """A loopback address that no other test uses: on it, every TCP port is free."""
    return f"127.{rng.randrange(20, 250)}.{rng.randrange(1, 250)}.{os.getpid() % 250 + 1}"


@cause
def no_permission(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """The user is in no group that may use the port, or the mode of the port lets nobody."""
    robot = healthy(bench, seed=seed)
    device = os.path.realpath(robot.url)
    group = (None, "dialout", "uucp", "plugdev", "tty")[seed % 5]
    os.chown(device, 0, grp.getgrnam(group or "dialout").gr_gid)
    os.chmod(device, 0o600 if group is None else 0o660)
    bench.user = NOBODY

    def cured(command: str) -> bool:
        bench.type(command)
        log_in_again = bench.folder / "groups"
        if log_in_again.exists():
            bench.groups = [grp.getgrnam(name).gr_gid for name in log_in_again.read_text().split()]
        return bench.is_well(robot.url)

    return Fault(bench, "no-permission", robot.url, cured=cured, robot=robot)


_HOLD = "import sys, time; port = open(sys.argv[1], 'rb', 0); print('open', flush=True); time.sleep(600)"
_LOCK = _HOLD.replace("; print", "; import fcntl; fcntl.flock(port, fcntl.LOCK_EX); print")
_SERVICE = "open('/proc/self/comm', 'w').write('ModemManager'); " + _HOLD
_CLIENT = """
import sys, time
from amigobot_driver import AmigoBot
with AmigoBot(sys.argv[1], timeout=60):
    print("open", flush=True)
    time.sleep(600)
"""


@cause
def port_busy(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """Another program has the port open: openly, with a lock, as a service, as a driver, of another user."""
    robot = healthy(bench, seed=seed)
    code = (_HOLD, _LOCK, _SERVICE, _CLIENT, _LOCK)[seed % 5]
    holder = bench.program(code, robot.url)
    if seed % 5 == 2:
        (bench.folder / "service.ModemManager").write_text(str(holder.pid))
    if seed % 5 == 4:
        os.chmod(os.path.realpath(robot.url), 0o666)
        bench.user = NOBODY

    def cured(command: str) -> bool:
        bench.type(command)
        holder.wait(20)
        time.sleep(1.0)
        return bench.is_well(robot.url)

    return Fault(bench, "port-busy", robot.url, cured=cured)


def _gps(data: bytes) -> bytes:
    return b"$GPGGA,120000.00,5200.0000,N,00400.0000,E,1,08,1.0,10.0,M,46.9,M,,*4E\r\n"


def _counter(data: bytes) -> bytes:
    return b"temperature 21.5 humidity 48\r\n"


def _ssh(data: bytes) -> bytes:
    return b"SSH-2.0-OpenSSH_9.6\r\n" if not data else b"Protocol mismatch.\n"


def _web(data: bytes) -> bytes:
    return b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n" if b"\n" in data else b""


@cause
def wrong_socket(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """The port is that of another device or service; the robot is at another one."""
    kind, address = seed % 5, own_address(rng)
    if kind < 2:
        other = bench.add(PtyLine(bench.path("other"), (_gps, _counter)[kind]))
        robot = healthy(bench, seed=seed)
        bench.ports = [other.url, robot.url]
        return Fault(bench, "wrong-socket", other.url)
    tcp_port = (8101, 8102, 8101)[kind - 2]
    bench.add(RobotLine((address, tcp_port), seed=seed))
    if kind == 3:
        return Fault(bench, "wrong-socket", f"{address}:8101")
    server = bench.add(TcpLine((address, rng.randrange(20000, 30000)), _ssh if kind == 2 else _web))
    return Fault(bench, "wrong-socket", server.url)


@cause
def loop_back(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """Every byte comes back: at once, late, in pieces, through a network."""
    kind, late = seed % 5, rng.uniform(0.01, 0.1)
    waiting = bytearray()

    def echo(data: bytes) -> bytes:
        if kind == 1:
            time.sleep(late)
        if kind != 2:
            return data
        waiting.extend(data)
        piece = bytes(waiting[:3])
        del waiting[:3]
        return piece

    if kind == 3:
        address = (own_address(rng), 8101)
        line: Line = bench.add(TcpLine(address, echo))

        def mend_network() -> None:
            line.close()
            bench.add(RobotLine(address, seed=seed))

        return Fault(bench, "loop-back", line.url, mend=mend_network)
    line = bench.add(PtyLine(bench.path(), echo))

    def mend() -> None:
        line.close()
        healthy(bench, seed=seed)

    return Fault(bench, "loop-back", line.url, mend=mend)


@cause
def modem_text(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """A radio modem is not connected to that of the robot."""
    text = (b"\r\nPartner not found!\r\n", b"\r\nPartner busy!\r\n", b"\r\nNO CARRIER\r\n")[seed % 3]
    last = [0.0]

    def modem(data: bytes) -> bytes:
        if time.monotonic() - last[0] < 0.5:
            return b""
        last[0] = time.monotonic()
        return text

    line = bench.add(PtyLine(bench.path(), modem))

    def mend() -> None:
        line.close()
        healthy(bench, seed=seed)

    return Fault(bench, "modem-text", line.url, mend=mend)


@cause
def robot_off(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """The robot is switched off."""
    kind = ("amigo", "amigo-sh", "p3dx", "erratic", "amigo")[seed % 5]
    robot = healthy(bench, robot=kind, faults=SILENCE, check_baud=True, seed=seed)

    def mend() -> None:
        robot.simulator.faults = Faults()

    return Fault(bench, "robot-off", robot.url, mend=mend)


@cause
def battery_low(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """The battery is below 11 V: the robot serves, is silent, answers and opens no session, or ends each session."""
    kind = seed % 5
    options: dict[str, Any] = {"charge": rng.uniform(0.01, 0.06), "seed": seed}
    if kind == 1:
        options["faults"] = Faults(refuse_low_battery=True)
    elif kind == 2:
        options["faults"] = Faults(refuse_open=True)
    elif kind == 3:
        options["charge"] = 0.0
    where: Any = (own_address(rng), 8101) if kind == 4 else bench.path()
    robot = bench.add(RobotLine(where, **options))

    def mend() -> None:
        robot.simulator.battery.charge = 1.0
        robot.simulator.faults = Faults()

    return Fault(bench, "battery-low", robot.url, mend=mend, robot=robot)


@cause
def host_name(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """The name of the host is misspelled."""
    robot = bench.add(RobotLine(("127.0.0.1", 0), seed=seed))
    name = ("localhots", "loclahost", "localhst", "locahost", "lcalhost")[seed % 5]
    return Fault(bench, "host-name", f"{name}:{robot.url.rpartition(':')[2]}")


@cause
def bridge_without_robot(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """The bridge accepts connections, and the robot behind it is off."""
    address = (own_address(rng), (8101, 8101, 4001, 10001, 8101)[seed % 5])
    robot = bench.add(RobotLine(address, robot=rng.choice(("amigo", "amigo-sh", "p3dx")), faults=SILENCE, seed=seed))

    def mend() -> None:
        robot.simulator.faults = Faults()

    return Fault(bench, "robot-off", robot.url, mend=mend)


_CONNECT = (
    "import socket, sys, time; peer = socket.create_connection(sys.argv[1].rsplit(':', 1)); "
    "print('open', flush=True); time.sleep(600)"
)


@cause
def other_client(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """The robot serves another client: a program here, a driver here, a program of another user or computer."""
    kind, address = seed % 5, (own_address(rng), 8101)
    robot = bench.add(RobotLine(address, robot=rng.choice(("amigo", "p3dx")), seed=seed))
    code = _CLIENT if kind in (1, 3) else _CONNECT
    client = bench.program(code, f"socket://{robot.url}" if code is _CLIENT else robot.url)
    if kind in (2, 3):
        bench.user = NOBODY  # it does not see the programs of others, as if they were on another computer

        def mend() -> None:
            client.terminate()
            client.wait(20)
            time.sleep(1.0)

        return Fault(bench, "other-client", robot.url, mend=mend)

    def cured(command: str) -> bool:
        bench.type(command)
        client.wait(20)
        time.sleep(1.0)
        return bench.is_well(robot.url)

    return Fault(bench, "other-client", robot.url, cured=cured)


@cause
def sonars(bench: Bench, rng: random.Random, seed: int) -> Fault:
    """Sonars that detect nothing, give nothing, or repeat one range."""
    kind = ("dead_sonars", "stuck_sonars", "mute_sonars", "stuck_sonars", "dead_sonars")[seed % 5]
    bad = frozenset(rng.sample((0, 1, 2, 3, 5, 6, 7), 2 if seed % 5 == 3 else 1))
    faults = Faults(**{kind: bad})
    robot = healthy(bench, robot=rng.choice(("amigo", "amigo-sh")), faults=faults, seed=seed)
    key = {"dead_sonars": "sonar-deaf", "stuck_sonars": "sonar-stuck", "mute_sonars": "sonar-silent"}[kind]

    def cured(command: str) -> bool:
        """The node is started as printed, and tells the robot to fire the good sonars only."""
        node = bench.start("bash", "-c", f"exec {command}")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not (orders := _polling(robot)):
            time.sleep(0.2)
        node.send_signal(signal.SIGINT)
        node.wait(30)
        return bool(orders) and set(orders[-1]) == set(range(1, 9)) - {number + 1 for number in bad}

    return Fault(bench, key, robot.url, cured=cured, robot=robot)


def _polling(robot: RobotLine) -> list[bytes]:
    """The firing sequences that the robot was told: numbers from 1."""
    orders = [command.value for command in robot.received if getattr(command, "name", "") == "POLLING"]
    return [bytes(order) for order in orders if isinstance(order, bytes)]


@contextlib.contextmanager
def fault(name: str, seed: int) -> Iterator[Fault]:
    """Put up one cause for a `with` block."""
    with Bench() as bench:
        yield CAUSES[name](bench, random.Random(f"{name}{seed}"), seed)


__all__ = ["CAUSES", "Bench", "Diagnosis", "Fault", "PtyLine", "RobotLine", "TcpLine", "fault"]
