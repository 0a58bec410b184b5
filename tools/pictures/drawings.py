# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What is drawn from the profiles and the worlds: the animated tour, the robots, their frames, the office."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from amigobot_driver import AmigoBot, Report
from amigobot_driver.profiles import SonarPose, available_profiles, load_profile
from amigobot_driver.sim import World, load_world
from amigobot_tools.demo.picture import draw_robot, draw_world
from amigobot_tools.demo.tour import ROOM
from amigobot_tools.geometry import Pose

_RED, _ORANGE, _BLUE, _INK = "#c0392b", "#d8572a", "#14508c", "#2b2d31"
_FRAME_TIME = 0.4  #: s of the drive between two pictures of the animation
_PLAYED_FASTER = 4  #: times faster than the drive


@dataclass(frozen=True, slots=True)
class Moment:
    """Where the robot was, and the echoes since the moment before."""

    pose: Pose
    hits: tuple[tuple[float, float], ...]


def drive(world: World) -> list[Moment]:
    """Drive along the tour and note what the robot reports, in the frame of the world."""
    moments: list[Moment] = []
    with AmigoBot(f"sim://amigo?world={world.name}&seed=1") as robot:
        poses = robot.profile.sonar.poses

        def note(report: Report) -> None:
            here = Pose(report.odometry.x, report.odometry.y, report.odometry.yaw).transformed_by(Pose(*start))
            hits = []
            for ping in report.pings:
                if math.isfinite(ping.range) and ping.range < 4.9:
                    echo = Pose(*_ahead(poses[ping.number], ping.range), 0.0)
                    hits.append(echo.transformed_by(here)[:2])
            moments.append(Moment(here, tuple(hits)))

        start = (world.start.x, world.start.y, world.start.heading)
        robot.subscribe(note, Report)
        for x, y in (*ROOM.waypoints, ROOM.waypoints[0]):
            here = Pose(robot.pose.x, robot.pose.y, robot.pose.yaw).transformed_by(Pose(*start))
            robot.turn(math.remainder(math.atan2(y - here.y, x - here.x) - here.yaw, math.tau))
            robot.move(math.dist((x, y), here[:2]))
    return moments


def animate(world: World, moments: Sequence[Moment], path: Path) -> None:
    """Write the drive as a GIF that repeats."""
    every = round(_FRAME_TIME / 0.1)
    frames = [_frame(world, moments[: end + 1]) for end in range(0, len(moments), every)]
    frames += [frames[-1]] * 8
    first, *rest = [frame.quantize(48, dither=Image.Dither.NONE) for frame in frames]
    duration = round(1000 * _FRAME_TIME / _PLAYED_FASTER)
    first.save(path, save_all=True, append_images=rest, duration=duration, loop=0, optimize=True)


def _frame(world: World, moments: Sequence[Moment]) -> Image.Image:
    figure, axes = _canvas(world, width=6.4)
    hits = [hit for moment in moments for hit in moment.hits]
    if hits:
        axes.scatter(*zip(*hits, strict=True), s=3, color=_ORANGE, alpha=0.6, linewidths=0, zorder=4)
    axes.plot([m.pose.x for m in moments], [m.pose.y for m in moments], color=_BLUE, lw=1.3, zorder=6)
    draw_robot(axes, load_profile("amigo").body, moments[-1].pose, _RED, "")
    return _image(figure, dpi=90)


def _canvas(world: World, width: float) -> tuple[Figure, Axes]:
    xs = [x for segment in world.segments for x in (segment.x1, segment.x2)]
    ys = [y for segment in world.segments for y in (segment.y1, segment.y2)]
    left, right, low, high = min(xs) - 0.15, max(xs) + 0.15, min(ys) - 0.15, max(ys) + 0.15
    figure, axes = _bare(width, (left, right), (low, high))
    draw_world(axes, world)
    return figure, axes


def _bare(width: float, x: tuple[float, float], y: tuple[float, float]) -> tuple[Figure, Axes]:
    """A figure of this width (inches) that shows this part of the plane (m) and nothing else."""
    figure = Figure(figsize=(width, width * (y[1] - y[0]) / (x[1] - x[0])), facecolor="white")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=x, ylim=y, aspect="equal")
    axes.set_axis_off()
    return figure, axes


def _image(figure: Figure, dpi: int) -> Image.Image:
    data = io.BytesIO()
    figure.savefig(data, dpi=dpi, format="png")
    return Image.open(data).convert("RGB")


def draw_robots(path: Path) -> None:
    """Every robot from above at one scale; short lines are sonars."""
    names = [name for name in available_profiles() if "-player" not in name and "-degrees" not in name]
    columns = 5
    rows = math.ceil(len(names) / columns)
    figure = Figure(figsize=(10, 2.1 * rows), facecolor="white")
    for place, name in enumerate(names):
        profile = load_profile(name)
        axes = figure.add_subplot(rows, columns, place + 1)
        axes.set(xlim=(-0.65, 0.65), ylim=(-0.52, 0.52), aspect="equal")
        axes.set_axis_off()
        draw_robot(axes, profile.body, Pose(0.0, 0.0, 0.0), "white", "")
        for sonar in profile.sonar.poses:
            if (sonar.x, sonar.y) == (0.0, 0.0):
                continue  # a place in the packets without a sonar
            end = _ahead(sonar, 0.07)
            axes.plot([sonar.x, end[0]], [sonar.y, end[1]], color=_ORANGE, lw=1.5, zorder=10)
        axes.set_title(name, fontsize=10, color=_INK, pad=2)
    figure.tight_layout()
    figure.savefig(path, dpi=100, metadata={"Software": None})


def draw_frames(path: Path) -> None:
    """The frames of an AmigoBot from above, with their names."""
    profile = load_profile("amigo")
    figure, axes = _bare(8, (-0.52, 0.52), (-0.325, 0.325))
    draw_robot(axes, profile.body, Pose(0.0, 0.0, 0.0), "white", "")
    for number, sonar in enumerate(profile.sonar.poses):
        _axis(axes, sonar, 0.06, _ORANGE)
        axes.annotate(f"sonar_{number}_link", _ahead(sonar, 0.15), ha="center", va="center", fontsize=9, color=_ORANGE)
    _axis(axes, SonarPose(0.0, 0.0, 0.0), 0.1, _RED)
    _axis(axes, SonarPose(0.0, 0.0, math.pi / 2), 0.1, "#268c26")
    axes.annotate("x", (0.105, 0.0), va="center", color=_RED, zorder=20)
    axes.annotate("y", (0.0, 0.108), ha="center", color="#268c26", zorder=20)
    axes.annotate("base_link", (-0.005, -0.02), ha="right", va="top", fontsize=10, color=_INK, zorder=20)
    for side, sign in (("left", 1), ("right", -1)):
        at = (-0.02, sign * (profile.body.track / 2 + 0.04))
        axes.annotate(f"{side}_wheel_link", at, ha="center", va="center", fontsize=9, color=_INK, zorder=20)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _axis(axes: Axes, pose: SonarPose, length: float, color: str) -> None:
    arrow = {"arrowstyle": "->", "color": color, "lw": 1.8}
    axes.annotate("", _ahead(pose, length), (pose.x, pose.y), arrowprops=arrow, zorder=15)


def _ahead(pose: SonarPose, distance: float) -> tuple[float, float]:
    """The point this far (m) in front of a sonar."""
    return pose.x + distance * math.cos(pose.heading), pose.y + distance * math.sin(pose.heading)


def draw_office(path: Path) -> None:
    """The office with the robot at its start and the goal of the tutorial."""
    world = load_world("office")
    figure, axes = _canvas(world, width=9.0)
    start = Pose(world.start.x, world.start.y, world.start.heading)
    draw_robot(axes, load_profile("amigo").body, start, _RED, "start")
    arrow = {"arrowstyle": "->", "color": _BLUE}
    axes.annotate("goal", (6.9, 4.5), (6.9, 5.1), ha="center", color=_BLUE, fontsize=11, arrowprops=arrow, zorder=9)
    axes.plot([6.9], [4.5], marker="o", color=_BLUE, zorder=9)
    figure.savefig(path, dpi=100, metadata={"Software": None})
