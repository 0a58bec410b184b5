# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Watch a robot live: top view with trail and sonars, battery, motors, ports, link, log.

    amigobot monitor --ros                          what a running amigobot_node sees
    amigobot monitor --port /dev/ttyUSB0            leaves the motors off: push the robot by hand
    amigobot monitor drive.amigo                    a recording of `amigobot record`, at its own speed
    amigobot monitor --port sim:// --json           a JSON object a line, for other programs

    + -         zoom in, zoom out
    c           forget trail and echoes
    q, Ctrl-C   quit

The monitor does not drive. A robot serves one program at a time: while a node is connected to it, use `--ros`. In JSON,
null stands for a value that is not known, and for the range of a sonar without an echo.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import math
import time
from collections import deque
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from amigobot_driver.cli import UsageError, ranges
from amigobot_driver.cli.robot_arguments import through_node

from . import screen
from .canvas import Canvas
from .dashboard.frames import plain
from .governor import STALE
from .keys import Keyboard, keyboard
from .recording_remote import RecordingRemote
from .remote_connection import add_connection_arguments, connected
from .state import Remote, RobotState

_PERIOD = 0.2  #: s between two screens
_ZOOMS = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2)  #: m of a dot
_STEP = 0.02  #: m between two points of the trail
_TRAIL = 5000  #: points that are kept
_ECHOES = 600  #: echoes that are kept
_LOG = 100  #: lines that are kept
_SIDE = 32  #: characters beside the top view
_BOTTOM = 6  #: lines below the top view
_NARROWEST = 10  #: characters; a narrower terminal shows the figures alone
_ARROWS = "→↗↑↖←↙↓↘"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("file", nargs="?", type=Path, help="a recording, or a rosbag with packets, instead of a robot")
    add_connection_arguments(parser)
    parser.add_argument("--rate", type=ranges.rate, default=1.0, metavar="X", help="speed of a recording (%(default)g)")
    parser.add_argument("--json", action="store_true", help="print JSON, a line each time, instead of a screen")
    ranges.add_number(parser, "--period", ranges.number(0.05, 3600, "s"), 0.5, "s", "time between lines")
    lines, text = ranges.number(0, 10**9, whole=True), "end after N lines; 0: never (%(default)s)"
    parser.add_argument("--count", type=lines, default=0, metavar="N", help=text)


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    with _remote(args) as remote:
        if args.json:
            _print(remote, args.period, args.count)
            return 0
        with keyboard() as keys, screen.full_screen() as show:
            _loop(View(remote), keys, show)
    return 0


def _remote(args: argparse.Namespace) -> contextlib.AbstractContextManager[Remote]:
    """Connect to the recording or the robot of the arguments."""
    if args.file is None:
        return connected(args, drives=False)
    if args.port or through_node(args):
        raise UsageError("a recording and a robot: give one of them")
    if not (args.file.is_file() or args.file.is_dir()):
        raise UsageError(f"{args.file} is no recording; the port of a robot needs --port")
    return contextlib.closing(RecordingRemote(args.file, args.robot, args.rate))


def _print(remote: Remote, period: float, count: int) -> None:
    """Print the state as JSON, a line each period."""
    printed = 0
    while True:
        print(as_json(remote.state(), remote.messages()), flush=True)
        printed += 1
        if printed == count:
            return
        time.sleep(period)


def as_json(state: RobotState, messages: list[str]) -> str:
    """Return the state and messages as one line of JSON, without the profile. NaN and infinity become null."""
    values = {field.name: getattr(state, field.name) for field in dataclasses.fields(state)}
    del values["profile"]
    return json.dumps(plain({**values, "messages": messages}), separators=(",", ":"))


def _loop(view: View, keys: Keyboard, show: screen.Show) -> None:
    console = Console()
    while not view.quit:
        for key in keys.read(_PERIOD):
            view.press(key)
        view.update()
        show(view.render(*console.size))


class View:
    """What the monitor has seen, and its screen.

    Args:
        remote: The robot.
    """

    def __init__(self, remote: Remote) -> None:
        self.remote = remote
        self.quit = False
        self._state = remote.state()
        self._trail: deque[tuple[float, float]] = deque(maxlen=_TRAIL)
        self._echoes: deque[tuple[float, float]] = deque(maxlen=_ECHOES)
        self._log: deque[str] = deque(maxlen=_LOG)
        self._zoom = 3
        self._note = ""

    def press(self, key: str) -> None:
        """React to a key."""
        if key in ("q", "quit"):
            self.quit = True
        elif key in ("+", "="):
            self._zoom = max(0, self._zoom - 1)
        elif key == "-":
            self._zoom = min(len(_ZOOMS) - 1, self._zoom + 1)
        elif key == "c":
            self._trail.clear()
            self._echoes.clear()

    def update(self) -> None:
        """Take in what the robot reports now."""
        self._state = state = self.remote.state()
        changed = [state.note] if state.note != self._note else []
        self._note = state.note
        for line in [*changed, *self.remote.messages()]:
            self._log.append(f"{time.strftime('%H:%M:%S')} {line}")
        if math.isnan(state.x):
            return
        here = state.x, state.y
        if not self._trail or math.dist(here, self._trail[-1]) >= _STEP:
            self._trail.append(here)
        for echo in state.echoes:
            if echo.age <= _PERIOD and math.isfinite(echo.range):
                self._echoes.append(state.in_odometry_frame(echo.point))

    def render(self, width: int, height: int) -> RenderableType:
        """Draw the screen for a terminal of this size, in characters."""
        rows = max(8, height - _BOTTOM - 3)
        columns = width - _SIDE - 2
        scale = _ZOOMS[self._zoom]
        halves = [Panel(self._figures(rows), title="+ - zoom  c clear  q quit", padding=0, width=_SIDE)]
        if columns >= _NARROWEST:
            view = self._top_view(columns, rows, scale)
            halves.insert(0, Panel(view, title=f"{columns * 2 * scale:.1f} m wide", padding=0, width=columns + 2))
        row = Table.grid()
        row.add_row(*halves)
        lines = list(self._log)[-(_BOTTOM - 2) :]
        log = Text("\n".join(lines + [""] * (_BOTTOM - 2 - len(lines))), no_wrap=True, overflow="ellipsis")
        title = screen.title("monitor", self.remote.where, self._state)
        return Group(title, row, Panel(log, title="log", padding=0))

    def _top_view(self, columns: int, rows: int, scale: float) -> Text:
        state = self._state
        here = (0.0, 0.0) if math.isnan(state.x) else (state.x, state.y)
        canvas = Canvas(columns, rows, here, scale)
        for point in self._trail:
            canvas.dot(*point, style="blue")
        for echo in state.echoes:
            if echo.age <= STALE and not math.isnan(echo.range):
                end = echo.point if math.isfinite(echo.range) else (echo.x, echo.y)
                start = state.in_odometry_frame((echo.x, echo.y))
                canvas.line(start, state.in_odometry_frame(end), "dim cyan", step=4)
        for point in self._echoes:
            canvas.dot(*point, style="yellow")
        yaw = 0.0 if math.isnan(state.yaw) else state.yaw
        canvas.character(*here, _ARROWS[round(yaw / (math.pi / 4)) % 8], "bold red")
        return canvas.text()

    def _figures(self, rows: int) -> RenderableType:
        state = self._state
        nearest = min((echo.range for echo in state.echoes if echo.age <= STALE), default=math.nan)
        lines = [
            Text(f" x {state.x:+7.2f} m   y {state.y:+7.2f} m"),
            Text(f" yaw {math.degrees(state.yaw):+5.0f} deg"),
            Text(f" {state.linear:+.2f} m/s  {state.angular:+.2f} rad/s"),
            Text.assemble(" ", screen.battery(state, 8)),
            Text.assemble(" ", screen.switch("motors", state.motors), "  ", screen.switch("sonar", state.sonar)),
            Text(f" nearest echo {nearest:.2f} m"),
            _trouble(state),
            Text(f" in  {_bits(state.digital_inputs)}\n out {_bits(state.digital_outputs)}"),
            *([_analog(state.analog)] if state.analog else []),
            *(Text(f" {name:<12} {value}", no_wrap=True) for name, value in state.link.items()),
        ]
        # in and out are two lines of one text
        return Group(*lines[: rows - 1], *[Text()] * (rows - 1 - len(lines)))


def _trouble(state: RobotState) -> Text:
    """Return why the robot does not drive, or a line that says that nothing prevents it."""
    if state.emergency:
        return Text(" EMERGENCY STOP ", "bold white on red")
    if state.stalls:
        return Text(f" stalled: {', '.join(state.stalls)}", "bold red")
    if state.faults:
        return Text(f" {', '.join(state.faults)}", "red", no_wrap=True, overflow="ellipsis")
    return Text(" no stall, no fault", "dim")


def _analog(values: tuple[float, ...]) -> Text:
    shown = " ".join(f"{volts:.1f}" for volts in values)
    return Text(f" analog {shown} V", no_wrap=True, overflow="ellipsis")


def _bits(value: int | None) -> str:
    """Return the pins of a port, bit 0 last."""
    return "-" if value is None else f"{value:08b}"
