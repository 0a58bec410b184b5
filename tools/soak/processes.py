# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Scenarios with real processes: a node that is killed, a node without a robot."""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .figure import Figure, Share

_WATCHDOG = 2.0
#: s that no start takes, on however busy a machine: only a robot that is not found again misses it.
_PATIENCE = 180.0
_TICKS = os.sysconf("SC_CLK_TCK")


def kills(share: Share) -> Iterator[Figure]:
    """SIGKILL at random moments while driving; the simulated robot says when it stood."""
    rng, stops, starts, count = random.Random(share.seed), [], [], share.of(200)
    with tempfile.TemporaryDirectory() as folder:
        port, truth = Path(folder, "robot"), Path(folder, "truth.jsonl")
        with _running("amigobot", "sim", "--pty", str(port), "--truth", str(truth), "--world", "empty"):
            _until(port.exists)
            for _ in range(count):
                turn = f"{rng.choice((-1.0, 1.0))}"
                with (
                    _running("amigobot_node", "--ros-args", "-p", f"port:={port}") as node,
                    _running("python", "-m", "tools.soak.publish", "0.0", turn),
                ):
                    started = time.monotonic()
                    if not _until(lambda: abs(_turn_rate(truth)) > 0.3):
                        break
                    starts.append(time.monotonic() - started)
                    time.sleep(rng.uniform(0.0, 1.0))
                    node.send_signal(signal.SIGKILL)
                    killed = time.monotonic()
                # By the robot's own clock, which is this one: how late this process looks does not count.
                _until(lambda at=killed: _stood(truth, at) is not None)
                stops.append((_stood(truth, killed) or math.inf) - killed)
    # Braking from full turn takes some time after the watchdog has decided.
    braking = 1.2
    yield Figure(
        f"{count} times SIGKILL while driving",
        f"the robot stands within its watchdog ({_WATCHDOG:g} s) + 0.2 s + braking, the next start drives again",
        f"stood after {min(stops, default=0):.2f} to {max(stops, default=0):.2f} s, {len(starts)} of {count} starts "
        f"drove, after {max(starts, default=0):.0f} s at most",
        len(stops) == count and max(stops) <= _WATCHDOG + 0.2 + braking,
    )


def idle(share: Share) -> Iterator[Figure]:
    """A node without a robot: what it costs, what it says."""
    seconds = max(20.0, 3600 * share.size)
    with _running("amigobot_node", "--ros-args", "-p", "port:=/dev/there_is_no_robot", pipe=True) as node:
        time.sleep(5.0)
        before, start = _cpu(node.pid), time.monotonic()
        time.sleep(seconds)
        used = (_cpu(node.pid) - before) / (time.monotonic() - start)
        node.send_signal(signal.SIGINT)
        output = node.communicate(timeout=20)[0]
    lines = [line for line in output.splitlines() if "there is no such port" in line]
    allowed = 2 + seconds / 30
    yield Figure(
        f"{seconds:.0f} s without a robot",
        "CPU under 1 % of a core, each cause said once and then at most every 30 s",
        f"{100 * used:.2f} % of a core, said {len(lines)} times",
        used < 0.01 and 1 <= len(lines) <= allowed,
    )


@contextlib.contextmanager
def _running(*command: str, pipe: bool = False) -> Iterator[subprocess.Popen[str]]:
    output = subprocess.PIPE if pipe else subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
        process.wait()


def _until(condition: Callable[[], bool], within: float = _PATIENCE) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def _truths(truth: Path) -> list[dict[str, float]]:
    """What the robot really did in the last half minute, by the whole lines it wrote."""
    if not truth.exists():
        return []
    with truth.open("rb") as file:
        file.seek(max(0, truth.stat().st_size - 100_000))
        lines = file.read().splitlines(keepends=True)
    return [json.loads(line) for line in lines[1:] if line.endswith(b"\n")]


def _turn_rate(truth: Path) -> float:
    """How fast the robot turns, rad/s."""
    return next((float(line["turn_rate"]) for line in reversed(_truths(truth))), 0.0)


def _stood(truth: Path, since: float) -> float | None:
    """When the robot first stood after that time."""
    return next(
        (line["monotonic"] for line in _truths(truth) if line["monotonic"] >= since and line["turn_rate"] == 0.0), None
    )


def _cpu(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
