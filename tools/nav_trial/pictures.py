# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Draws a trial: the paths, and the costmaps at a recovery."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

from amigobot_driver.sim import WorldPose
from amigobot_navigation.nav2 import footprint

from .client import Attempt, Costs
from .office import Floor


def draw_paths(file: Path, floor: Floor, attempts: list[Attempt]) -> None:
    """Draw walls, paths and goals; attempts that failed or touched a wall are red."""
    figure, axes = pyplot.subplots(figsize=(14, 9))
    for wall in floor.world.segments:
        axes.plot([wall.x1, wall.x2], [wall.y1, wall.y2], color="black", linewidth=1)
    for attempt in attempts:
        color = "tab:blue" if attempt.status == "succeeded" and not attempt.touches else "tab:red"
        if attempt.path:
            axes.plot(*zip(*attempt.path, strict=True), color=color, linewidth=0.6)
        axes.plot(attempt.goal.x, attempt.goal.y, "x", color=color)
    axes.set_aspect("equal")
    figure.savefig(file, dpi=100)
    pyplot.close(figure)


def draw_costs(file: Path, floor: Floor, attempt: Attempt, costs: list[Costs], truth: dict[str, float]) -> None:
    """Draw costmaps with walls, goal, the robot where it was, and a cross where Nav2 saw it.

    The local costmap is in the frame of the odometry; it is drawn around the cross.
    """
    figure, axes = pyplot.subplots(1, len(costs), figsize=(11 * len(costs), 9), squeeze=False, layout="constrained")
    pose = WorldPose(truth["x"], truth["y"], truth["heading"])
    _, x, y = attempt.seen[-1] if attempt.seen else (0.0, pose.x, pose.y)
    for panel, one in zip(axes[0], costs, strict=True):
        rows, columns = len(one.rows), len(one.rows[0])
        left, bottom = one.x, one.y
        if one.name == "local_costmap":  # the robot is in its middle
            left, bottom = x - columns * one.resolution / 2, y - rows * one.resolution / 2
        extent = (left, left + columns * one.resolution, bottom, bottom + rows * one.resolution)
        panel.imshow(one.rows, origin="lower", extent=extent, cmap="nipy_spectral_r", vmin=-1, vmax=100)
        for wall in floor.world.segments:
            panel.plot([wall.x1, wall.x2], [wall.y1, wall.y2], color="tab:cyan", linewidth=1)
        cos, sin = math.cos(pose.heading), math.sin(pose.heading)
        corners = [(pose.x + cos * a - sin * b, pose.y + sin * a + cos * b) for a, b in footprint(floor.body)]
        panel.fill(*zip(*corners, strict=True), fill=False, color="tab:green")
        panel.plot(x, y, "+", color="tab:blue")
        panel.plot(attempt.goal.x, attempt.goal.y, "x", color="tab:red")
        if one.name == "local_costmap":
            panel.set_xlim(pose.x - 2.0, pose.x + 2.0)
            panel.set_ylim(pose.y - 2.0, pose.y + 2.0)
        panel.set_title(f"{one.name}, {truth['t']:.1f} s, {attempt.recoveries} recoveries")
    figure.savefig(file, dpi=60)
    pyplot.close(figure)
