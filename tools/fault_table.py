# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write docs/reference/faults.md, the symptoms of each fault, from faults.yaml and the matrix in test_fault_matrix.py.

./run python -m tools.fault_table
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tools.generated_tables import rows

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "reference" / "faults.md"
DATA = yaml.safe_load(FILE.with_suffix(".yaml").read_text(encoding="utf-8"))
sys.path.insert(0, str(ROOT / "amigobot_driver" / "test"))
matrix = importlib.import_module("test_fault_matrix")

HEAD = f"""\
# Faults: symptoms and consequences

`tools/fault_table.py` writes this page. Each row is a test in
[the matrix of faults](../../amigobot_driver/test/test_fault_matrix.py). In all cases:

- The robot stops within {matrix.STOPPED_AFTER:g} s of the last accepted velocity of 0.2 m/s and 0.3 rad/s
  ([a faster one](../explanation/safety.md#when-the-robot-stops) brakes longer). Only a new velocity starts it again.
- `odom` continues. Motors, sonars, streams and limits are restored.
- Every service call gets a response. A failure is logged at most once a minute.
- While the link is down, topics are silent, velocities are refused, and `/diagnostics` is ERROR.
"""


def text() -> str:
    return "\n".join(
        [HEAD, *_table("While it drives", False), "", *_table("As it is found", True), "", *_processes(), ""]
    )


def _table(title: str, found: bool) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    found_rows = [row for row in matrix.ROWS if isinstance(row, matrix.Found) is found]
    words = DATA["simulated"]
    body = (
        (f"**{row.name}**: {words[row.name]['happens']}", f"{words[row.name]['seen']}{_said(row)}", _within(row))
        for row in found_rows
    )
    yield from rows(("what happens", "what you see", "link up within"), body)


def _said(row: Any) -> str:
    """What log and diagnostics say, once: at the first row with these words."""
    before = {words for other in matrix.ROWS[: matrix.ROWS.index(row)] for words in (other.says, other.warns[1])}
    said = [f"`{words}`" for words in (row.says, row.warns[1]) if len(words) > 3 and words not in before]
    return f" ({', '.join(said)})" if said else ""


def _within(row: Any) -> str:
    return f"{row.within:g} s" if row.within else "stays up"


def _processes() -> Iterator[str]:
    yield "## The computer's side"
    yield ""
    yield from rows(("what happens", "what you see"), ((row["happens"], row["seen"]) for row in DATA["processes"]))


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
