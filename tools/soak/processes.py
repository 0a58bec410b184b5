"""Scenarios with real processes: a node that is killed, a node without a robot."""

from __future__ import annotations

import contextlib
import json
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
_TICKS = os.sysconf("SC_CLK_TCK")


def kills(share: Share) -> Iterator[Figure]:
    """SIGKILL at random moments while driving; the simulated robot says when it stood."""
    rng, stops, recoveries, count = random.Random(share.seed), [], 0, share.of(200)
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
                    recoveries += _until(lambda: abs(_turn_rate(truth)) > 0.3)
                    time.sleep(rng.uniform(0.0, 1.0))
                    node.send_signal(signal.SIGKILL)
                    killed = time.monotonic()
                _until(lambda: _turn_rate(truth) == 0.0)
                stops.append(time.monotonic() - killed)
    # Braking from full turn takes some time after the watchdog has decided.
    braking = 1.2
    yield Figure(
        f"{count} times SIGKILL while driving",
        f"the robot stands within its watchdog ({_WATCHDOG:g} s) + 0.2 s + braking, the next start drives again",
        f"stood after {min(stops):.2f} to {max(stops):.2f} s, {recoveries} of {count} starts drove",
        max(stops) <= _WATCHDOG + 0.2 + braking and recoveries == count,
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


def _until(condition: Callable[[], bool], within: float = 20.0) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def _turn_rate(truth: Path) -> float:
    """How fast the robot really turns, rad/s, by the last whole line it wrote."""
    if not truth.exists():
        return 0.0
    with truth.open("rb") as file:
        file.seek(max(0, truth.stat().st_size - 1000))
        lines = file.read().splitlines(keepends=True)
    whole = [line for line in lines[1:] if line.endswith(b"\n")]
    return float(json.loads(whole[-1])["turn_rate"]) if whole else 0.0


def _cpu(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
