# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Two causes of `amigobot doctor` whose remedy is typed as it is printed.

The commands of a remedy run in a shell. `sudo` and `usermod` are small scripts there, which leave this computer alone.
"""

from __future__ import annotations

import contextlib
import grp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amigobot_driver.profiles import load_profile
from amigobot_driver.sim import Simulator, load_world
from amigobot_driver.sim.pty import PtyConnection
from amigobot_driver.sim.server import Served, serve

PACKAGE = Path(__file__).parents[1]
#: s that no examination takes, on however busy a machine.
PATIENCE = 120.0
NOBODY = 65534

#: The command `amigobot`, on a computer without serial ports.
#: Another user may have no access to this Python, so everything is imported before the process becomes that user.
_AMIGOBOT = """
import encodings.ascii, encodings.idna, encodings.latin_1, importlib, os, pkgutil, sys
import serial.tools.list_ports as list_ports
if "BENCH_USER" in os.environ:
    for layer in ("doctor", "protocol", "profiles", "robot", "sim", "transport", "cli.doctor"):
        package = importlib.import_module("amigobot_driver." + layer)
        for module in pkgutil.walk_packages(getattr(package, "__path__", []), package.__name__ + "."):
            importlib.import_module(module.name)
    importlib.import_module("amigobot_driver.doctor.table").table()
    user = int(os.environ["BENCH_USER"])
    os.setgroups([int(group) for group in os.environ["BENCH_GROUPS"].split()])
    os.setgid(user)
    os.setuid(user)
list_ports.comports = lambda *_: []
from amigobot_driver.cli import main
sys.exit(main())
"""

#: Scripts for the shell, by name. `{folder}` is that of the bench.
_SCRIPTS = {
    "amigobot": 'exec "{python}" "{folder}/amigobot.py" "$@"',
    "sudo": 'exec "$@"',
    "usermod": 'echo "$2" >> "{folder}/groups"',
}


class RobotLine:
    """A simulated robot on a pty."""

    def __init__(self, path: Path) -> None:
        simulator, self.url = Simulator(load_profile("amigo"), load_world("room")), str(path)
        self._connection = PtyConnection(self.url, simulator, check_baud=False, log=lambda text: None)
        self._stopped = threading.Event()
        served, arguments = Served(simulator, self._connection), {"stopped": self._stopped.is_set}
        self._thread = threading.Thread(target=serve, args=(served,), kwargs=arguments, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()
        self._connection.close()


@dataclass
class Diagnosis:
    """What one run of `amigobot doctor` said."""

    status: int
    result: dict[str, Any]

    @property
    def causes(self) -> list[str]:
        """Keys of the causes, the most probable first."""
        return [cause["key"] for cause in self.result["verdict"]]


class Bench:
    """A folder and a shell with the scripts, and a robot on a pty; ends with its `with` block."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="doctor_"))
        self.folder.chmod(0o755)
        self.user: int | None = None  #: user of the process; None: that of this one
        self.groups: list[int] = []
        (self.folder / "amigobot.py").write_text(_AMIGOBOT)
        for name, line in _SCRIPTS.items():
            script = self.folder / "bin" / name
            script.parent.mkdir(exist_ok=True)
            script.write_text(f"#!/bin/bash\n{line.format(folder=self.folder, python=sys.executable)}\n")
            script.chmod(0o755)
        self.robot = RobotLine(self.folder / "robot")

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *exception: object) -> None:
        self.robot.close()
        shutil.rmtree(self.folder)

    def environment(self) -> dict[str, str]:
        """That of the shell."""
        return {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": f"{PACKAGE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(self.folder),
            "USER": "nobody",
        }

    def doctor(self, *arguments: str) -> Diagnosis:
        """Run `amigobot doctor` as the user of the bench."""
        identity: dict[str, str] = {}
        if self.user is not None:
            identity = {"BENCH_USER": str(self.user), "BENCH_GROUPS": " ".join(map(str, self.groups))}
        done = subprocess.run(
            [str(self.folder / "bin" / "amigobot"), "doctor", *arguments, "--json", "--no-ros"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={**self.environment(), **identity},
            cwd=self.folder,
        )
        try:
            return Diagnosis(done.returncode, json.loads(done.stdout))
        except ValueError:
            raise AssertionError(f"no JSON but {done.stdout}{done.stderr}") from None

    def is_well(self) -> bool:
        """Whether the doctor finds no problem, but that this computer is overloaded: then the robot is late, too."""
        diagnosis = self.doctor(self.robot.url, "--seconds", "4")
        return diagnosis.status == 0 or "overload" in diagnosis.causes

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


@contextlib.contextmanager
def no_permission() -> Iterator[tuple[Bench, Callable[[str], bool]]]:
    """Let the user be in no group that may use the port; yield the bench, and what tells whether a command cures it."""
    with Bench() as bench:
        device = os.path.realpath(bench.robot.url)
        os.chown(device, 0, grp.getgrnam("dialout").gr_gid)
        os.chmod(device, 0o660)
        bench.user = NOBODY

        def cured(command: str) -> bool:
            bench.type(command)
            names = (bench.folder / "groups").read_text().split()
            bench.groups = [grp.getgrnam(name).gr_gid for name in names]  # the user logs in again
            return bench.is_well()

        yield bench, cured


_LOCK = (
    "import fcntl, sys, time; port = open(sys.argv[1], 'rb', 0); fcntl.flock(port, fcntl.LOCK_EX); "
    "print('open', flush=True); time.sleep(600)"
)


@contextlib.contextmanager
def port_busy() -> Iterator[tuple[Bench, Callable[[str], bool]]]:
    """Let another program have the port open, with a lock; yield as `no_permission` does."""
    with Bench() as bench:
        holder = subprocess.Popen([sys.executable, "-c", _LOCK, bench.robot.url], stdout=subprocess.PIPE)
        assert holder.stdout is not None and holder.stdout.readline()

        def cured(command: str) -> bool:
            bench.type(command)
            holder.wait(20)
            time.sleep(1.0)
            return bench.is_well()

        try:
            yield bench, cured
        finally:
            holder.kill()
            holder.communicate()
