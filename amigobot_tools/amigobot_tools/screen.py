# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What several full-screen tools show: title, battery, sonar bars. It fits into 80x24, the figures into 40x24."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator

from rich.console import Console, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from amigobot_driver import SonarReading
from amigobot_driver.wording import given_name

from .governor import STALE
from .state import RobotState

_RED = 0.4  #: m, below which a bar is red
_YELLOW = 1.0  #: m, below which a bar is yellow

#: Shows a screen.
Show = Callable[[RenderableType], None]


@contextlib.contextmanager
def full_screen() -> Iterator[Show]:
    """Yield a function that shows a screen on the whole terminal; restore the terminal at the end."""
    console = Console()
    with Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False) as live:
        yield lambda screen: live.update(screen, refresh=True)


def title(tool: str, where: str, state: RobotState) -> Text:
    """Return one line: the tool, the robot, the connection."""
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append_text(Text.assemble((f" amigobot {tool} ", "reverse bold"), f"  {where}  ", (state.model, "bold")))
    text.append(f"  {given_name(state.name)}  ")
    if not state.connected:
        text.append(f" {state.note or 'not connected'} ", "white on red")
    return text


def bar(share: float, width: int, style: str = "green") -> Text:
    """Return a horizontal bar for a share of 0 to 1."""
    filled = max(0, min(width, round(share * width))) if math.isfinite(share) else 0
    return Text.assemble(("█" * filled, style), ("·" * (width - filled), "dim"))


def battery(state: RobotState, width: int = 10) -> Text:
    """Return voltage and charge."""
    if math.isnan(state.volts):
        return Text("-")
    style = "red" if state.charge < 0.2 else "yellow" if state.charge < 0.4 else "green"
    text = Text(f"{state.volts:4.1f} V ")
    text.append_text(bar(state.charge, width, style))
    if math.isfinite(state.charge):
        text.append(f" {state.charge * 100:3.0f} %")
    return text


def switch(name: str, value: bool | None) -> Text:
    """Return a state that is on, off or unknown."""
    shown = {True: ("on", "green"), False: ("off", "yellow"), None: ("?", "dim")}[value]
    return Text.assemble(f"{name} ", shown)


def bar_width(columns: int) -> int:
    """Return the width of each bar in a terminal with so many columns, 0 to 16 characters."""
    return max(0, min(16, (columns - 40) // 2))


def sonar_bars(state: RobotState, width: int) -> Table:
    """Return a bar of so many characters for each sonar, in two columns."""
    table = Table.grid(padding=(0, 1))
    half = -(-len(state.echoes) // 2)
    max_range = state.profile.sonar.max_range if state.profile else math.nan
    for _ in range(2):
        table.add_column(width=10, justify="right")
        table.add_column(width=width)
        table.add_column(width=7)
    for row in range(half):
        cells: list[RenderableType] = []
        for number in (row, row + half):
            if number < len(state.echoes):
                cells += _sonar(number, state.echoes[number], max_range, width)
        table.add_row(*cells)
    return table


def _sonar(number: int, echo: SonarReading, max_range: float, width: int) -> list[RenderableType]:
    name = Text.assemble(f"{number}: ", f"{direction(echo.heading)}")
    if echo.age > STALE or math.isnan(echo.range):
        return [name, bar(math.nan, width), Text("silent", "dim")]
    if math.isinf(echo.range):
        return [name, bar(1.0, width, "dim green"), Text("free", "dim")]
    style = "red" if echo.range < _RED else "yellow" if echo.range < _YELLOW else "green"
    return [name, bar(echo.range / max_range, width, style), Text(f"{echo.range:.2f} m")]


def direction(heading: float) -> str:
    """Return a direction in the base frame (rad) in degrees, with the side as a letter: "41 L"."""
    degrees = round(math.degrees(heading))
    side = "L" if degrees > 0 else "R" if degrees < 0 else ""
    return f"{abs(degrees):3d} {side}"
