# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node with a dashboard and three browsers, against the node alone: browsers that watch must not slow it down."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

from .node import STAMPS, measure
from .report import Row, row

_BROWSERS, _ROUNDS = 3, 2
_FIGURES = ("SIP written -> Odometry received, median", "cmd_vel published -> VEL on the wire, median")
_DASHBOARD = "from amigobot_driver.cli import main; main(['dashboard', '--ros', '--listen', '127.0.0.1:0'])"
_GOAL = 1.1
#: ms from one SIP to the next, of which the stamps may be off by a tenth.
_CYCLE = 100.0


def dashboard() -> Iterator[Row]:
    """The node with three browsers beside the node alone, in alternating rounds."""
    watched, alone = [], []
    for _ in range(_ROUNDS):
        watched.append(measure(10, floor_instead=False, every_topic=False, beside=_browsers))
        alone.append(measure(10, floor_instead=False, every_topic=False))
    for name in _FIGURES:
        values, floors = [each[name] for each in watched], [each[name] for each in alone]
        yield row(f"{name}, {_BROWSERS} browsers", "ms", _GOAL, values, floors)
    values = [each[STAMPS] for each in watched]
    yield row(f"{STAMPS}, {_BROWSERS} browsers, of a cycle", "ms", 0.1, values, [_CYCLE] * _ROUNDS)


@contextlib.contextmanager
def _browsers() -> Iterator[None]:
    """Run a dashboard of the node, and browsers in a process of their own, for a `with` block."""
    with contextlib.ExitStack() as stack:
        line = _start(stack, "-c", _DASHBOARD)
        found = re.search(r"http://\S+?/", line)
        assert found, f"the dashboard has not started: {line}"
        assert _start(stack, "-m", "benchmarks.browsers", found[0], str(_BROWSERS))
        yield


def _start(stack: contextlib.ExitStack, *arguments: str) -> str:
    """Start a Python program, which is ended with the stack; returns the first line that it prints."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    stack.callback(process.wait, 60)
    stack.callback(process.send_signal, signal.SIGINT)
    assert process.stdout is not None
    return process.stdout.readline()
