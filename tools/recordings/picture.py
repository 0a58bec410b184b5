# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Draws recordings: commanded, real and simulated, speed above turn rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .replay import Comparison

#: Also legible for the color-blind, and on the white card that carries the picture on dark pages.
_COMMANDED, _REAL, _SIMULATED = "#b4bcc6", "#0b63b0", "#f08a24"
_CARD, _INK, _GRID = "#ffffff", "#2b3440", "#e6eaee"
#: m/s or rad/s, the smallest height of a panel, so that noise looks like noise
_SMALLEST = 0.3
#: File: title, and of each column the recording, its heading, and the first and last second.
_PICTURES: dict[str, tuple[str, tuple[tuple[str, str, tuple[float, float]], ...]]] = {
    "recordings.svg": (
        "The simulated robot drives as the real one did",
        (
            ("amigo-sh-124202", "AmigoBot-SH, Alcalá 2026", (9.0, 26.0)),
            ("p3dx-lisbon-17-8", "Pioneer 3-DX, Lisbon 2022", (0.0, 19.0)),
        ),
    ),
    "recordings-amigo.svg": (
        "AmigoBot-SH, Alcalá 2026: two more runs",
        (
            ("amigo-sh-123452", "16 April, 12:34:52", (0.0, 22.3)),
            ("amigo-sh-132444", "16 April, 13:24:44", (0.0, 20.0)),
        ),
    ),
    "recordings-p3dx.svg": (
        "Pioneer 3-DX: a stop by its watchdog, and turns on the spot",
        (
            ("p3dx-lisbon-17-8", "Lisbon 2022, the rest of the run", (19.0, 58.5)),
            ("p3dx-spain-rotation", "Spain 2026", (12.0, 86.0)),
        ),
    ),
}


def draw(path: Path, title: str, columns: Sequence[tuple[Comparison, str, tuple[float, float]]]) -> None:
    """Write a picture of one or more recordings side by side.

    Args:
        path: The SVG file.
        title: Heading of the picture.
        columns: Of each recording the comparison, its heading, and the first and last second to show.
    """
    # Text stays text, and the same drawing is the same file.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": path.stem, "font.family": "sans-serif"})
    figure = Figure(figsize=(11.5, 5.8), facecolor=_CARD, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.10)  # type: ignore[union-attr,call-arg]
    axes = figure.subplots(2, len(columns), sharex="col", squeeze=False, gridspec_kw={"height_ratios": (1, 1)})
    for index, (comparison, heading, span) in enumerate(columns):
        _draw_column(axes[0][index], axes[1][index], comparison, span)
        axes[0][index].set_title(heading, loc="left", color=_INK, fontsize=11.5)
        axes[1][index].set_xlabel("time in s", color=_INK)
    axes[0][0].set_ylabel("speed in m/s", color=_INK)
    axes[1][0].set_ylabel("turn rate in rad/s", color=_INK)
    figure.suptitle(title, x=0.012, ha="left", color=_INK, fontsize=15, fontweight="bold")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=3, frameon=False, labelcolor=_INK, fontsize=11.5)
    figure.savefig(path, metadata={"Date": None})


def draw_all(folder: Path, comparisons: Mapping[str, Comparison]) -> None:
    """Write the pictures of the page whose recordings are there.

    Args:
        folder: Where to write them.
        comparisons: By the name of the recording.
    """
    for name, (title, columns) in _PICTURES.items():
        if all(run in comparisons for run, _, _ in columns):
            draw(folder / name, title, [(comparisons[run], heading, span) for run, heading, span in columns])


def _draw_column(upper: Axes, lower: Axes, comparison: Comparison, span: tuple[float, float]) -> None:
    recording, simulated = comparison.recording, comparison.simulated
    shown = (recording.time >= span[0]) & (recording.time <= span[1])
    commands = recording.commands[(recording.commands[:, 0] >= span[0]) & (recording.commands[:, 0] <= span[1])]
    seen = (simulated.time + comparison.delay >= span[0]) & (simulated.time + comparison.delay <= span[1])
    time = simulated.time[seen] + comparison.delay - span[0]
    for axis, column, real, values, unit in (
        (upper, 1, recording.speed, simulated.speed, "m/s"),
        (lower, 2, recording.turn_rate, simulated.turn_rate, "rad/s"),
    ):
        beside = np.interp(recording.time[shown] - comparison.delay, simulated.time, values)
        difference = np.sqrt(np.mean((real[shown] - beside) ** 2))
        axis.step(
            commands[:, 0] - span[0], commands[:, column], where="post", color=_COMMANDED, lw=1.4, label="commanded"
        )
        axis.plot(time, values[seen], color=_SIMULATED, lw=3.4, alpha=0.85, label="simulated robot")
        axis.plot(recording.time[shown] - span[0], real[shown], color=_REAL, lw=1.3, label="real robot", zorder=3)
        label: dict[str, Any] = {"transform": axis.transAxes, "ha": "right", "va": "top", "color": _INK, "fontsize": 10}
        axis.text(0.995, 0.985, f"difference {difference:.3f} {unit} rms", **label)
        axis.set_xlim(0, span[1] - span[0])
        low, high = (float(choose(np.concatenate((real[shown], values[seen])))) for choose in (np.min, np.max))
        margin = max(high - low, _SMALLEST)
        axis.set_ylim(low - 0.1 * margin, high + 0.25 * margin)
        axis.grid(color=_GRID, lw=0.8)
        axis.set_axisbelow(True)
        axis.tick_params(colors=_INK, length=0)
        axis.spines[:].set_visible(False)
