"""Write docs/faults.md, what a user sees of each fault, from the matrix in test_fault_matrix.py.

./run python -m tools.fault_table
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "faults.md"
sys.path.insert(0, str(ROOT / "amigobot_driver" / "test"))
matrix = importlib.import_module("test_fault_matrix")

HEAD = f"""\
# What can go wrong, and what you see of it

Written by `tools/fault_table.py` from [the matrix of faults](../amigobot_driver/test/test_fault_matrix.py), where each
row is a test. In all of them:

- The robot stands {matrix.STANDS_AFTER:g} s after the last velocity that the driver took, at the latest, its braking
  included, and starts again for nothing but a new one.
- The node goes on. `odom` goes on and includes the way rolled until the robot stopped; motors, sonars, their sequence,
  streams and limits are as you wanted them.
- A service call is answered, with the reason where it could not be done. What the log says, it says at most every 30 s;
  that all is well again, three times in 30 s.
- While the link is down, topics are silent, velocities are refused, and `/diagnostics` is ERROR.
"""


def text() -> str:
    return "\n".join(
        [HEAD, *_table("While it drives", False), "", *_table("As it is found", True), "", *_processes(), ""]
    )


def _table(title: str, found: bool) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    yield "| | what happens | what you see | link up again within |"
    yield "|---|---|---|---|"
    for row in matrix.ROWS:
        if row.found is found:
            yield f"| **{row.name}** | {row.happens} | {row.seen}{_said(row)} | {_within(row)} |"


def _said(row: Any) -> str:
    said = [f"`{words}`" for words in (row.says, row.warns[1]) if len(words) > 3]
    return f" ({', '.join(said)})" if said else ""


def _within(row: Any) -> str:
    return f"{row.within:g} s" if row.within else "it stays up"


def _processes() -> Iterator[str]:
    yield "## The computer's side"
    yield ""
    yield "| what happens | what you see | test |"
    yield "|---|---|---|"
    for happens, seen, test in matrix.PROCESSES:
        file, *_, name = test.split("::")
        yield f"| {happens} | {seen} | [`{name}`](../amigobot_driver/test/{file}) |"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
