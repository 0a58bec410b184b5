# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Screens of the `amigobot` command: it runs in a real terminal (tmux), whose content becomes an SVG file."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

from .missing import MissingProgramError

#: s until a program shows what is waited for, at the latest
_PATIENCE = 300.0
_FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"


class Terminal:
    """A shell in a terminal of a given size.

    Args:
        folder: Where the shell starts; shown as the home folder.
        columns: Width in characters.
        rows: Height in lines.
    """

    def __init__(self, folder: Path, columns: int, rows: int) -> None:
        self._folder, self._columns = folder, columns
        self._server = ("tmux", "-L", f"amigobot-pictures-{os.getpid()}-{rows}", "-f", "/dev/null")
        environment = {**os.environ, "PS1": "$ ", "HOME": str(folder), "COLORTERM": "truecolor"}
        size = ("-x", str(columns), "-y", str(rows))
        command = [*self._server, "new-session", "-d", *size, "bash", "--norc", "--noprofile"]
        subprocess.run(command, check=True, cwd=folder, env=environment)
        self._tmux("set", "status", "off")

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        self._tmux("kill-server")

    def press(self, *keys: str) -> None:
        """Press keys, by the names of tmux: "w", "Enter", "C-c"."""
        self._tmux("send-keys", *keys)

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        self._tmux("send-keys", "-l", line)
        self.press("Enter")

    def wait_for(self, text: str) -> None:
        """Wait until this text is on the screen.

        Raises:
            TimeoutError: It did not appear.
        """
        end = time.monotonic() + _PATIENCE
        while text not in (seen := self._tmux("capture-pane", "-p")):
            if time.monotonic() > end:
                raise TimeoutError(f"{text!r} did not appear in {_PATIENCE:g} s; the screen has:\n{seen}")
            time.sleep(0.3)

    def save(self, path: Path, title: str) -> None:
        """Write what the screen shows as SVG; the folder is shown as /home/me."""
        screen = self._tmux("capture-pane", "-p", "-e").rstrip("\n").replace(str(self._folder), "/home/me")
        console = Console(record=True, width=self._columns, file=io.StringIO(), force_terminal=True)
        console.print(Text.from_ansi(screen), no_wrap=True, overflow="crop", crop=True)
        svg = console.export_svg(title=title, unique_id="terminal")
        # A picture must not load a font from the network.
        svg = re.sub(r"\s*@font-face \{.*?\}\n", "\n", svg, flags=re.DOTALL)
        svg = svg.replace("Fira Code, monospace", _FONT)
        path.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", encoding="utf-8")

    def _tmux(self, *arguments: str) -> str:
        return subprocess.run([*self._server, *arguments], check=True, capture_output=True, text=True).stdout


def show_terminals(images: Path) -> None:
    """Write a picture of `amigobot demo`, `teleop` and `monitor`, and the picture that the demo has drawn.

    Raises:
        MissingProgramError: There is no tmux.
    """
    if not shutil.which("tmux"):
        raise MissingProgramError("tmux is not installed: sudo apt-get install tmux")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with Terminal(folder, 100, 40) as terminal:
            terminal.type("amigobot demo")
            terminal.wait_for("the demo succeeded")
            terminal.save(images / "terminal-demo.svg", "amigobot demo")
            shutil.copy(folder / "demo" / "tour.png", images / "tour.png")
        with Terminal(folder, 80, 20) as terminal:
            terminal.type("amigobot teleop")
            terminal.wait_for("hold a key to drive")
            for _ in range(40):
                terminal.press("w")
                time.sleep(0.05)
            terminal.save(images / "terminal-teleop.svg", "amigobot teleop")
            terminal.press("q")
        with Terminal(folder, 80, 26) as terminal:
            terminal.type("amigobot demo --no-ros; clear")
            terminal.wait_for("the demo succeeded")
            terminal.type("amigobot monitor --rate 4 demo/tour.amigo")
            terminal.wait_for("zoom")
            time.sleep(6.0)
            terminal.save(images / "terminal-monitor.svg", "amigobot monitor demo/tour.amigo")
            terminal.press("q")
