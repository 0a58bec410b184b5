# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Drive a robot with the keys of the terminal or with a gamepad.

    amigobot teleop                                 a simulated robot
    amigobot teleop --port /dev/ttyUSB0
    amigobot teleop --ros --namespace robot1        through a running amigobot_node
    amigobot teleop --gamepad

Hold a key to drive. A terminal does not report the release of a key. The robot brakes 0.25 s after its last repetition,
and 0.6 s after one short press. Space is the emergency stop; `c` clears it.

    w s a d, arrow keys    forward, backward, turn left, turn right
    u o m .                curves (i j k l , as in teleop_twist_keyboard)
    k                      stop
    + -                    faster, slower
    g                      governor on, off: it slows down in front of obstacles that the sonars see
    q, Ctrl-C              quit

With --gamepad, which needs pygame, the left stick drives while the left shoulder button (4) is held. Button 1 (B) is
the emergency stop, button 0 (A) clears it. The robot also stops when the gamepad is lost, and when the window loses the
focus or ends.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import time
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from amigobot_driver.cli import ranges

from . import screen
from .gamepad import CLEAR, STOP, Gamepad, gamepad
from .governor import governed
from .hold import DIRECTIONS, FIRST_REPEAT, Hold
from .keys import Keyboard, keyboard
from .remote_connection import add_connection_arguments, connected
from .state import Remote, RobotState

_PERIOD = 0.05  #: s between two commands
_RENDER_PERIOD = 0.15  #: s between two screens
#: s for which zeros are sent after a release; after that other programs may drive through the node
_ZEROS = 0.6
_FASTER = 1.1  #: factor of one press of a key
_MIN_SPEED = 0.02  #: m/s and rad/s
_KEYS = """\
 w forward   s backward   a left   d right   (or arrow keys)     k stop
 u o m . curves           + faster - slower  g governor          q quit
 SPACE emergency stop, c clears it"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    add_connection_arguments(parser)
    ranges.add_number(parser, "--speed", ranges.speed, 0.2, "m/s", "speed at the start")
    ranges.add_number(parser, "--turn", ranges.turn_rate, 0.8, "rad/s", "turn rate")
    parser.add_argument("--gamepad", action="store_true", help="drive with a gamepad as well")
    parser.add_argument("--no-governor", action="store_true", help="do not slow down in front of obstacles")
    allowed, text = ranges.number(0.05, 2, "s"), "time until this keyboard repeats a held key"
    ranges.add_number(parser, "--first-repeat", allowed, FIRST_REPEAT, "s", text)


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status."""
    with contextlib.ExitStack() as stack:
        # First, so that a missing gamepad is reported before anything starts.
        pad = stack.enter_context(gamepad()) if args.gamepad else None
        remote = stack.enter_context(connected(args, drives=True))
        keys, show = stack.enter_context(keyboard()), stack.enter_context(screen.full_screen())
        pilot = TeleopPilot(remote, args.speed, args.turn, governor=not args.no_governor, hold=Hold(args.first_repeat))
        _loop(pilot, keys, pad, show)
    return 0


def _loop(pilot: TeleopPilot, keys: Keyboard, pad: Gamepad | None, show: screen.Show) -> None:
    """Read keys and gamepad, drive and draw until the user quits. The robot is stopped at the end of any kind."""
    console, next_render = Console(), 0.0
    try:
        while not pilot.quit:
            for key in keys.read(_PERIOD):
                pilot.press(key, time.monotonic())
            if pad:
                pilot.steer(*pad.read())
            pilot.update(time.monotonic())
            if time.monotonic() >= next_render:
                show(render(pilot, console.width))
                next_render = time.monotonic() + _RENDER_PERIOD
    finally:
        pilot.stop()


class TeleopPilot:
    """Turns keys into velocities.

    Args:
        remote: The robot.
        speed: Linear speed, m/s.
        turn: Angular speed, rad/s.
        governor: Slow down in front of obstacles.
        hold: Decides how long a key counts as held.
    """

    def __init__(self, remote: Remote, speed: float, turn: float, *, governor: bool, hold: Hold) -> None:
        self.remote = remote
        self.speed, self.turn = speed, turn
        self.governor = governor
        self.quit = False
        self.state: RobotState = remote.state()
        self.velocity = 0.0, 0.0  #: requested now, m/s and rad/s
        self.note = ""  #: why the robot drives slower than asked, or not at all
        self._hold = hold
        self._gamepad: tuple[float, float] | None = None  #: shares of the speeds that a gamepad asks for
        self._zeros_until = -math.inf

    def press(self, key: str, now: float) -> None:
        """React to a key that is pressed or repeated at a time (s)."""
        if key in DIRECTIONS:
            self._hold.press(key, now)
        elif key == "space":
            self.remote.emergency_stop()
            self._hold.release()
        elif key == "c":
            self.remote.clear_emergency_stop()
        elif key in ("+", "="):
            self._change_speed(_FASTER)
        elif key == "-":
            self._change_speed(1 / _FASTER)
        elif key == "g":
            self.governor = not self.governor
        elif key in ("q", "quit"):
            self.quit = True
        elif key in ("k", "escape", "focus lost"):
            self._hold.release()
            self.remote.stop()

    def steer(self, direction: tuple[float, float] | None, buttons: Sequence[int]) -> None:
        """Take what a gamepad reports: see `Gamepad.read`."""
        if STOP in buttons:
            self.remote.emergency_stop()
            self._hold.release()
        if CLEAR in buttons:
            self.remote.clear_emergency_stop()
        self._gamepad = direction

    def update(self, now: float) -> None:
        """Send the velocity of the gamepad, or of the key that is held at a time (s)."""
        self.state = self.remote.state()
        forward, left = self._gamepad or self._hold.direction(now)
        requested, angular = forward * self.speed, left * self.turn
        linear = governed(requested, self.state.echoes, self.state.profile) if self.governor else requested
        self.velocity = linear, angular
        self.note = ""
        if linear != requested:
            self.note = "governor: an obstacle is near, or no sonar watches the path; g switches it off"
        if forward or left:
            self._zeros_until = now + _ZEROS
        elif now >= self._zeros_until:
            return
        refused = self.remote.drive(linear, angular)
        if forward or left:
            self.note = refused or self.note

    def stop(self) -> None:
        """Stop the robot at the end."""
        self._hold.release()
        self._gamepad = None
        with contextlib.suppress(OSError):
            self.remote.stop()

    def _change_speed(self, factor: float) -> None:
        profile = self.state.profile
        most = (profile.limits.linear, profile.limits.angular) if profile else (math.inf, math.inf)
        self.speed = max(_MIN_SPEED, min(self.speed * factor, most[0]))
        self.turn = max(_MIN_SPEED, min(self.turn * factor, most[1]))


def render(pilot: TeleopPilot, width: int) -> RenderableType:
    """Draw the screen for a terminal of this width, in characters."""
    bars = screen.bar_width(width)
    state = pilot.state
    linear, angular = pilot.velocity
    speeds = Table.grid(padding=(0, 2))
    for name, now, asked, most, unit in (
        (" speed", state.linear, linear, pilot.speed, "m/s  "),
        (" turn", state.angular, angular, pilot.turn, "rad/s"),
    ):
        figures = Text.assemble(
            (f"{now:+5.2f}", "bold"), f" {unit}", (f"   asked {asked:+5.2f}   set to {most:4.2f}", "dim")
        )
        speeds.add_row(name.ljust(8), screen.bar(abs(now) / most, bars, "cyan"), figures)
    place = Text(f" place     x {state.x:+.2f} m   y {state.y:+.2f} m   {math.degrees(state.yaw):+.0f} deg")
    power = Text.assemble(
        " battery   ",
        screen.battery(state),
        "   ",
        screen.switch("motors", state.motors),
        "   ",
        screen.switch("sonar", state.sonar),
        "   ",
        screen.switch("governor", pilot.governor),
    )
    return Group(
        screen.title("teleop", pilot.remote.where, state),
        _alert(pilot),  # at the top: a narrow terminal wraps lines, and cuts off the bottom
        speeds,
        place,
        power,
        Panel(Text(_KEYS), title="hold a key to drive", title_align="left", padding=0),
        screen.sonar_bars(state, bars),  # last: with 16 sonars a narrow terminal cuts them off
    )


def _alert(pilot: TeleopPilot) -> Text:
    """Return the most important reason why the robot does not drive as asked."""
    state = pilot.state
    if state.emergency:
        return Text("  EMERGENCY STOP: the robot does not move until you press c  ", "bold white on red")
    if not state.connected:
        return Text(f" {state.note}", "bold red", overflow="ellipsis", no_wrap=True)
    if state.stalls:
        return Text(f" stalled: {' and '.join(state.stalls)} wheel; back off", "bold red")
    return Text(f" {pilot.note}", "yellow", overflow="ellipsis", no_wrap=True)
