# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The plots of a report, as SVG for the page."""

from __future__ import annotations

import io

from .trial import Series

#: inches
_SIZE = (4.6, 2.7)
_ROBOT, _SIMULATOR = "#1565c0", "#9e9e9e"


def draw(series: Series, expected: Series | None) -> str:
    """Return a plot as an SVG element.

    Args:
        series: Points of the robot.
        expected: Points of the simulator under the same commands; None: there are none.
    """
    # Imported here: `--compare` and `--help` need no matplotlib.
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": series.title, "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.add_subplot()
        style = "-" if series.title.startswith("Square") else ".-"
        if expected is not None:
            axes.plot(*zip(*expected.points, strict=True), "-", color=_SIMULATOR, linewidth=3, label="simulator")
        axes.plot(*zip(*series.points, strict=True), style, color=_ROBOT, linewidth=0.8, markersize=3, label="robot")
        if style == "-":
            axes.set_aspect("equal")
        axes.set(title=series.title, xlabel=series.x_label, ylabel=series.y_label)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    return svg[svg.index("<svg") :]
