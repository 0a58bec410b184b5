# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A run of Nav2: plans and true paths over the office, and a local costmap with what made it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon, Wedge
from numpy.typing import NDArray

from amigobot_driver.profiles import load_profile
from amigobot_driver.sim import load_world
from amigobot_tools.demo.picture import draw_robot, draw_world
from amigobot_tools.demo.tour import Pose

from .missing import Missing

Array = NDArray[np.float64]
#: Where the trial is, and how to make it.
TRIAL = Path(__file__).resolve().parents[2] / "build" / "nav_trial"
_COMMAND = "python3 -m tools.nav_trial --goals 6 --seed 7 --moments 0.5 --output build/nav_trial"
_INK, _WALL, _PLAN, _ROBOT, _CONE = "#2b2d31", "#3b3f46", "#2b2d31", "#c0392b", "#14508c"
_PATHS = ("#1f77b4", "#d8572a", "#268c26", "#8e44ad", "#b8860b", "#00838f")
#: Costs of an occupancy grid: an obstacle, and where the robot's middle cannot be.
_LETHAL, _INSCRIBED = 100, 99
_LETHAL_COLOR, _INSCRIBED_COLOR, _NEAR_COLOR, _FREE_COLOR = "#5b1a4a", "#d9584a", "#f6b26b", "#fffdf6"
_HALF = 1.65  #: m from the robot to the edge of the picture of the costmap
_CONE_WIDTH = math.radians(15)


def _text(name: str) -> str:
    file = TRIAL / name
    if not file.exists():
        raise Missing(f"{name} of a trial with Nav2 is not in build/nav_trial: run `{_COMMAND}`")
    return file.read_text(encoding="utf-8")


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _text(name).splitlines()]


def draw_run(path: Path) -> None:
    """Draw each goal of the trial with the first plan of Nav2 and the way that the robot really went."""
    attempts = json.loads(_text("trial.json"))["attempts"]
    world = load_world("office")
    figure = Figure(figsize=(9.0, 6.4), facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.075, 1.0, 0.925))
    axes.set(xlim=(-0.15, 14.15), ylim=(-0.15, 9.15), aspect="equal")
    axes.set_axis_off()
    draw_world(axes, world)
    start = Pose(world.start.x, world.start.y, world.start.heading)
    draw_robot(axes, load_profile("amigo").body, start, "white", "start")
    for number, attempt in enumerate(attempts, 1):
        color = _PATHS[(number - 1) % len(_PATHS)]
        axes.plot(*zip(*attempt["path"], strict=True), color=color, lw=4, alpha=0.55, zorder=5)
        axes.plot(*zip(*attempt["plan"], strict=True), color=_PLAN, lw=1.1, ls=(0, (3, 2)), zorder=6)
        goal = attempt["goal"]
        tip = (goal["x"] + 0.42 * math.cos(goal["heading"]), goal["y"] + 0.42 * math.sin(goal["heading"]))
        arrow = {"arrowstyle": "-|>", "color": color, "lw": 2, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", tip, (goal["x"], goal["y"]), arrowprops=arrow, zorder=9)
        axes.plot(goal["x"], goal["y"], "o", ms=17, color="white", mec=color, mew=2, zorder=10)
        axes.annotate(str(number), (goal["x"], goal["y"]), ha="center", va="center", fontsize=11, color=_INK, zorder=11)
    handles = [
        Line2D([], [], color=_PATHS[0], lw=4, alpha=0.55, label="where the robot drove"),
        Line2D([], [], color=_PLAN, lw=1.1, ls=(0, (3, 2)), label="plan when the goal was given"),
        Line2D([], [], color=_PATHS[0], marker="o", mfc="white", ms=12, mew=2, ls="", label="goals in their order"),
    ]
    figure.legend(handles=handles, loc="lower center", ncols=3, fontsize=12, frameon=False, borderaxespad=0.2)
    figure.savefig(path, dpi=100, metadata={"Software": None})


def draw_costmap(path: Path) -> None:
    """Draw the local costmap with the most obstacles, with the sonars of that moment and the true walls."""
    truth = _lines("truth.jsonl")
    moment = max(_lines("moments.jsonl"), key=_interest)
    there = _true_pose(truth, moment["odometry"]["t"])
    figure = Figure(figsize=(9.0, 6.6), facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.01, 0.015, 0.715, 0.97))
    axes.set(xlim=(there.x - _HALF, there.x + _HALF), ylim=(there.y - _HALF, there.y + _HALF), aspect="equal")
    axes.set(xticks=[], yticks=[])
    _draw_cells(axes, moment, there)
    for wall in load_world("office").segments:
        axes.plot([wall.x1, wall.x2], [wall.y1, wall.y2], color=_WALL, lw=2.5, zorder=4, solid_capstyle="butt")
    profile = load_profile("amigo")
    for sonar, distance in zip(profile.sonar.poses, moment["ranges"], strict=True):
        eye = Pose(sonar.x, sonar.y, sonar.heading).transformed_by(there)
        middle, half = math.degrees(eye.yaw), math.degrees(_CONE_WIDTH / 2)
        reach = distance or 2 * _HALF
        style = {"facecolor": _CONE, "edgecolor": "none", "alpha": 0.10}
        axes.add_patch(Wedge((eye.x, eye.y), reach, middle - half, middle + half, zorder=5, **style))
        if distance:
            angles = np.linspace(eye.yaw - _CONE_WIDTH / 2, eye.yaw + _CONE_WIDTH / 2, 12)
            axes.plot(eye.x + reach * np.cos(angles), eye.y + reach * np.sin(angles), color=_CONE, lw=3, zorder=6)
    if moment["plan"]:
        axes.plot(*zip(*moment["plan"], strict=True), color=_PLAN, lw=1.6, ls=(0, (3, 2)), zorder=6)
    draw_robot(axes, profile.body, there, "white", "")
    left, low = there.x - _HALF + 0.12, there.y + _HALF - 0.1
    axes.plot([left, left + 0.5], [low, low], color=_INK, lw=2, zorder=12, solid_capstyle="butt")
    axes.annotate("0.5 m", (left + 0.56, low), va="center", fontsize=12, color=_INK, zorder=12)
    _explain(figure)
    figure.savefig(path, dpi=100, metadata={"Software": None})


def _draw_cells(axes: Axes, moment: dict[str, Any], there: Pose) -> None:
    cells = np.array(moment["costs"]["cells"]).reshape(-1, moment["costs"]["width"])
    x, y = corners_of_cells(moment, there)
    gradient = LinearSegmentedColormap.from_list("near", [_FREE_COLOR, _NEAR_COLOR])(np.linspace(0, 1, _INSCRIBED))
    colors = ListedColormap([*map(tuple, gradient), _INSCRIBED_COLOR, _LETHAL_COLOR])
    axes.pcolormesh(
        x, y, cells, cmap=colors, vmin=-0.5, vmax=_LETHAL + 0.5, zorder=2, edgecolors="none", rasterized=True
    )
    axes.set_facecolor("#eceae6")
    corners = [(x[row, column], y[row, column]) for row, column in ((0, 0), (0, -1), (-1, -1), (-1, 0))]
    axes.add_patch(Polygon(corners, fill=False, edgecolor="#a0a0a0", lw=1.0, zorder=3))


def corners_of_cells(moment: dict[str, Any], there: Pose) -> tuple[Array, Array]:
    """Return x and y (m, in the world) of the corners of the cells, which Nav2 has in the frame of the odometry.

    Args:
        moment: A line of moments.jsonl.
        there: True pose of the robot at the stamp of the odometry.
    """
    costs, odometry = moment["costs"], moment["odometry"]
    rows = len(costs["cells"]) // costs["width"]
    y, x = np.indices((rows + 1, costs["width"] + 1)) * costs["resolution"]
    x, y = x + costs["x"] - odometry["x"], y + costs["y"] - odometry["y"]
    turn = there.yaw - odometry["heading"]
    return there.x + math.cos(turn) * x - math.sin(turn) * y, there.y + math.sin(turn) * x + math.cos(turn) * y


def _true_pose(truth: list[dict[str, Any]], time: float) -> Pose:
    line = min(truth, key=lambda one: abs(one["t"] - time))
    return Pose(line["x"], line["y"], line["heading"])


def _interest(moment: dict[str, Any]) -> float:
    """Number of cells that hold an obstacle, while the robot has an echo and a way to go."""
    if len(moment["plan"]) < 20 or not any(moment["ranges"]):
        return 0.0
    return float(sum(cost == _LETHAL for cost in moment["costs"]["cells"]))


def _explain(figure: Figure) -> None:
    handles = [
        Patch(facecolor=_LETHAL_COLOR, label="obstacle, marked\nby the sonars"),
        Patch(facecolor=_INSCRIBED_COLOR, label="the robot's middle\nwould be too near"),
        Patch(facecolor=_NEAR_COLOR, label="allowed, better not"),
        Patch(facecolor=_FREE_COLOR, edgecolor="#a0a0a0", label="free"),
        Line2D([], [], color=_WALL, lw=2.5, label="true wall"),
        Line2D([], [], color=_CONE, lw=3, label="echo, somewhere on\nthe arc of its cone"),
        Line2D([], [], color=_PLAN, lw=1.6, ls=(0, (3, 2)), label="plan"),
    ]
    figure.legend(
        handles=handles, loc="center left", bbox_to_anchor=(0.735, 0.5), fontsize=12, frameon=False, labelspacing=1.1
    )
