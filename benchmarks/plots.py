# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Pictures of the results for the documents, in docs/images.

python -m benchmarks.plots      from the last run of `make bench`
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .report import RESULTS, Row, read
from .stamps import SERIES

_IMAGES = Path(__file__).parent.parent / "docs" / "images"
_MET, _NOT_MET, _BEFORE = "#2a7f4f", "#b5482f", "#8a8f98"
#: Width of a picture in inches, and its dots for each inch.
_WIDTH, _DPI = 9.0, 110
#: Width of a column of the histograms, ms.
_COLUMN = 0.5


def main() -> None:
    """Draw the pictures."""
    matplotlib.use("Agg")
    rows = [row for row in read() if not row.at_least]
    if not rows or not RESULTS.with_name(SERIES).exists():
        raise SystemExit("there are no results yet: run `make bench` first")
    ratios(rows).savefig(_IMAGES / "performance.png", dpi=_DPI)
    series = json.loads(RESULTS.with_name(SERIES).read_text("utf-8"))
    jitter(series["arrival_ms"], series["stamp_ms"]).savefig(_IMAGES / "stamp-jitter.png", dpi=_DPI)
    print(f"{_IMAGES}/performance.png, {_IMAGES}/stamp-jitter.png")


def ratios(rows: list[Row]) -> Figure:
    """Draw the ratio of each row with its spread and its goal."""
    figure = Figure(figsize=(_WIDTH, 0.8 + 0.3 * len(rows)), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows), 0, -1)
    axes.barh(
        places,
        [row.ratio for row in rows],
        xerr=[row.spread for row in rows],
        color=[_MET if row.met else _NOT_MET for row in rows],
        height=0.6,
        capsize=2,
    )
    axes.scatter([row.goal for row in rows], places, marker="|", s=160, color="black", zorder=3, label="goal, at most")
    axes.set_yticks(places, [row.name for row in rows], fontsize=8)
    axes.axvline(1.0, color="black", linewidth=0.6, linestyle=":")
    axes.set_xlim(0.0, 1.1 * max(max(row.ratio + row.spread, row.goal) for row in rows))
    axes.set_xlabel(
        f"driver / floor; load of the computer {min(row.load for row in rows):g} to {max(row.load for row in rows):g}"
    )
    axes.legend(loc="lower right", fontsize=8)
    _plain(axes)
    return figure


def jitter(arrivals: list[float], stamps: list[float]) -> Figure:
    """Draw how far arrivals and stamps are from the robot's clock: over time, and how often."""
    figure = Figure(figsize=(_WIDTH, 3.4), layout="constrained")
    time, count = figure.subplots(1, 2, sharey=True, width_ratios=(3, 1))
    middle = sorted(arrivals)
    low, high = 1.5 * middle[len(middle) // 50], 2.0 * middle[-len(middle) // 10]
    columns = [low + _COLUMN * number for number in range(int((high - low) / _COLUMN) + 1)]
    for values, color, label in (
        (arrivals, _BEFORE, "arrival of the packet (before the clock filter)"),
        (stamps, _MET, "stamp of odom (after it)"),
    ):
        time.plot([number / 10 for number in range(len(values))], values, ".", markersize=3, color=color, label=label)
        count.hist(values, bins=columns, orientation="horizontal", color=color, alpha=0.8)
    time.set_ylim(low, high)
    outside = sum(not low <= value <= high for value in arrivals)
    time.set_title(
        f"{outside} of {len(arrivals)} arrivals are outside, up to {max(arrivals):.0f} ms", fontsize=8, loc="left"
    )
    time.set_xlabel("s")
    time.set_ylabel("ms from the robot's clock")
    time.legend(loc="upper right", fontsize=8)
    count.set_xlabel("packets")
    for axes in (time, count):
        _plain(axes)
    return figure


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", linewidth=0.3)


if __name__ == "__main__":
    main()
