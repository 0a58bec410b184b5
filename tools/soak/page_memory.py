# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""An hour of a page in a real browser that drives a simulated robot: neither side may need more and more memory."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chromium import Chromium, chromium

from .figure import Figure, Share

#: Minutes at the full size, and shares of the run that are compared: after caches and histories are full, and its end.
_MINUTES = 60
_EARLY, _LATE = (0.25, 0.5), (0.75, 1.0)
#: Growth from one to the other that is not called a leak: noise of allocators and garbage collectors.
_GROWTH, _NOISE = 0.05, 2.0  # share, MB
_DASHBOARD = (
    "import sys; from amigobot_driver.cli import main; "
    "sys.exit(main(['dashboard', 'sim://amigo?world=room&seed=1', '--listen', '127.0.0.1:0']))"
)
#: A gamepad that drives circles for ever, with some change.
_GAMEPAD = """
navigator.getGamepads = () => [{connected: true, buttons: [],
  axes: [-0.5, -0.6 - 0.3 * Math.sin(performance.now() / 7000)]}];
"""
_TABS = ("log", "plots", "packets", "ports", "simulator", "diagnostics", "parameters")
_PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Sample:
    """Memory in MB."""

    server: float  #: resident, of the dashboard with its simulated robot
    heap: float  #: of JavaScript, after a garbage collection
    nodes: int  #: of the document
    browser: float  #: resident, proportional, of all processes of the browser


def page_memory(share: Share) -> Iterator[Figure]:
    """Memory of the dashboard and of a browser whose page drives the simulated robot."""
    minutes = share.of(_MINUTES)
    samples: list[Sample] = []
    with _dashboard() as (pid, url), chromium() as browser:
        browser.open(url)
        browser.press("#motors")
        browser.script(_GAMEPAD)
        for minute in range(minutes):
            browser.press(f"#tab-{_TABS[minute % len(_TABS)]}")
            time.sleep(60.0)
            assert browser.script("return dashboard.connection.open"), "the page has lost its connection"
            samples.append(_sample(pid, browser))
            print(f"         {minute + 1:3} min: {samples[-1]}", flush=True)
        moved = browser.script("return dashboard.view.trail.length")
    for what, values in (
        ("server, resident", [sample.server for sample in samples]),
        ("page, JavaScript heap", [sample.heap for sample in samples]),
        ("browser, all processes", [sample.browser for sample in samples]),
    ):
        early, late = _mean(values, _EARLY), _mean(values, _LATE)
        yield Figure(
            f"{minutes} min of a page that drives a simulated robot: memory of the {what}",
            f"in the last quarter no more than {100 * _GROWTH:.0f} % + {_NOISE:g} MB above the second quarter",
            f"{early:.1f} MB there, {late:.1f} MB in the last; {min(values):.1f} to {max(values):.1f} MB, "
            f"{samples[-1].nodes} nodes and {moved} points of the trail at the end",
            late <= early * (1 + _GROWTH) + _NOISE,
        )


def _mean(values: list[float], part: tuple[float, float]) -> float:
    first, last = (round(share * len(values)) for share in part)
    return statistics.fmean(values[min(first, len(values) - 1) : max(last, first + 1)])


@contextlib.contextmanager
def _dashboard() -> Iterator[tuple[int, str]]:
    """A dashboard in a process of its own, for a `with` block; gives its process and address."""
    with subprocess.Popen([sys.executable, "-c", _DASHBOARD], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+?/", process.stdout.readline())
            assert found, "the dashboard has not started"
            yield process.pid, found[0]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def _sample(pid: int, browser: Chromium) -> Sample:
    heap, nodes = browser.memory()
    return Sample(
        server=round(_resident(pid), 1),
        heap=round(heap / 1e6, 2),
        nodes=nodes,
        browser=round(sum(map(_proportional, browser.processes())), 1),
    )


def _resident(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE_SIZE / 1e6


def _proportional(pid: int) -> float:
    """Memory of a process in MB, pages that processes share counted in parts; 0 if it has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0
