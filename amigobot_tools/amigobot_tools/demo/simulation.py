# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated robot of a demo: the arguments that start it, and its state by its log files."""

from __future__ import annotations

import json
from pathlib import Path

WORLD = "room"
#: m/s below which a wheel is at rest
_AT_REST = 1e-3


class Simulation:
    """An AmigoBot in a room, on a pty; everything it leaves is in the folder `out`."""

    def __init__(self, out: Path) -> None:
        self.port = out / "robot"
        self.truth = out / "truth.jsonl"
        self.log = out / "simulator.log"

    @property
    def arguments(self) -> list[str]:
        """Arguments of the command `amigobot`. The line has the speed of the real robot's, which is the default."""
        where = ["--pty", str(self.port), "--world", WORLD, "--truth", str(self.truth)]
        return ["sim", "--robot", "amigo", "--name", "Amigo", *where]

    @property
    def serving(self) -> bool:
        """There is a port to open."""
        return self.port.exists()

    @property
    def session_closed(self) -> bool:
        """No client has left a session open."""
        changes = [line for line in _lines(self.log) if "  session " in line]
        return not changes or "  session closed" in changes[-1]

    @property
    def at_rest(self) -> bool:
        """The wheels do not turn."""
        last = [json.loads(line) for line in _lines(self.truth)[-1:]]
        return all(abs(line[wheel]) < _AT_REST for line in last for wheel in ("left_velocity", "right_velocity"))


def _lines(path: Path) -> list[str]:
    """Of a file that is there when the simulator has begun."""
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
