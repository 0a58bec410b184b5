# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Pictures of the results for the documents, in docs/images.

python -m benchmarks.plots      from the last runs of `make bench` and of `python -m benchmarks.profile`
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .profile import KERNEL, OURS, PROFILE, RCLPY, owners
from .report import RESULTS, Row, read
from .stamps import SERIES

_IMAGES = Path(__file__).parent.parent / "docs" / "images"
_MET, _NOT_MET, _BEFORE = "#2a7f4f", "#b5482f", "#8a8f98"
#: Width of a picture in inches, and its dots for each inch.
_WIDTH, _DPI = 9.0, 110
#: Width of a column of the histograms, ms.
_COLUMN = 0.5
#: Colors of the profile by owner; the least width of a bar with a name, and of a letter, in us.
_OWNERS = {RCLPY: "#d8a657", KERNEL: "#9fb8d0", OURS: "#8fc7a0", "": "#c8c8c8"}
_NARROW, _LETTER = 22.0, 5.4


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
    if RESULTS.with_name(PROFILE).exists():
        flames(json.loads(RESULTS.with_name(PROFILE).read_text("utf-8"))).savefig(_IMAGES / "profile.png", dpi=_DPI)
        print(f"{_IMAGES}/profile.png")


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


def flames(profile: dict[str, list[dict[str, Any]]]) -> Figure:
    """Draw the CPU of a SIP in driver and floor, each function below those that call it, on the same scale."""
    figure = Figure(figsize=(_WIDTH * 1.3, 6.4), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True, height_ratios=(7, 3))
    longest = 0.0
    for axes, kind in zip(panels, ("driver", "floor"), strict=True):
        sums: dict[tuple[str, ...], float] = {}  #: us, by the thread and the functions
        for entry in profile[kind]:
            path = (entry["thread"], *filter(None, entry["span"].split("/")))
            for depth in range(1, len(path) + 1):
                sums[path[:depth]] = sums.get(path[:depth], 0.0) + max(0.0, entry["us"][0])
        _flame(axes, sums, (), 0.0)
        axes.set_ylim(max(map(len, sums)), 0)
        axes.set_yticks([])
        axes.spines[["left", "top", "right"]].set_visible(False)
        whole = sum(us for path, us in sums.items() if len(path) == 1)
        longest = max(longest, whole)
        axes.set_title(f"{kind}: {whole:.0f} us of CPU for each SIP", fontsize=9, loc="left")
    panels[1].set_xlim(0.0, longest)
    panels[1].set_xlabel(
        "us for each SIP, 10 a second, odom read; a bar without functions below it is time of its own; "
        f"load of the computer {profile['load'][0]:.1f} to {profile['load'][1]:.1f}",
        fontsize=8,
    )
    names = {RCLPY: "rclpy and the middleware", KERNEL: "port: system calls", OURS: "driver", "": "threads"}
    panels[1].legend(
        [Rectangle((0, 0), 1, 1, color=_OWNERS[owner]) for owner in names],
        names.values(),
        fontsize=8,
        loc="lower right",
    )
    return figure


def _flame(axes: Axes, sums: dict[tuple[str, ...], float], above: tuple[str, ...], begin: float) -> None:
    """Draw what is called by `above`, the longest first, from `begin` (us) on."""
    called = [path for path in sums if path[:-1] == above]
    for path in sorted(called, key=lambda path: -sums[path]):
        took, depth = sums[path], len(path) - 1
        color = _OWNERS[owners().get(path[-1], "") if depth else ""]
        axes.add_patch(Rectangle((begin, depth), took, 0.96, facecolor=color, edgecolor="white", linewidth=0.5))
        if took > _NARROW:
            letters = int(took / _LETTER)
            name = path[-1] if len(path[-1]) <= letters else f"{path[-1][: letters - 1]}."
            axes.text(begin + 2, depth + 0.5, f"{name}\n{took:.0f}", fontsize=6, va="center", clip_on=True)
        _flame(axes, sums, path, begin)
        begin += took


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", linewidth=0.3)


if __name__ == "__main__":
    main()
