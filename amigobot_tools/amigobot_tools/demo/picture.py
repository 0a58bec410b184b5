# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The picture of a tour: the room from above, where the robot drove, and what its sonars saw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.transforms import Affine2D

from amigobot_driver.profiles import Body
from amigobot_driver.sim import World

from ..geometry import Pose
from .tour_drive import TourLog

_WALL, _TRUTH, _ODOMETRY, _SONAR = "#3b3f46", "#9cc5ea", "#14508c", "#d8572a"
_ROBOT, _INK = "#c0392b", "#2b2d31"
_SIZE = (9.0, 7.5)  # inches
_DPI = 150  # dots per inch


def draw(path: Path, drive: TourLog, truth: Sequence[Pose], world: World | None, title: str) -> None:
    """Draw a tour as a PNG.

    Args:
        path: File to write.
        drive: The log of the tour.
        truth: The true path, if it is known.
        world: The room, if it is known.
        title: Above the picture.
    """
    profile = drive.state.profile
    assert profile is not None
    figure = Figure(figsize=_SIZE, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(aspect="equal", title=title, xlabel="x [m]", ylabel="y [m]")
    if world is not None:
        draw_world(axes, world)
    if truth:
        axes.plot(*_points(truth), color=_TRUTH, lw=6.5, solid_capstyle="round", label="true path")
    axes.plot(*_points(drive.poses), color=_ODOMETRY, lw=1.4, label="odometry")
    hits = "sonar hits, placed by odometry"
    axes.scatter(*_points(drive.hits), s=5, color=_SONAR, alpha=0.55, linewidths=0, label=hits)
    draw_robot(axes, profile.body, drive.poses[0], "white", "start")
    draw_robot(axes, profile.body, drive.poses[-1], _ROBOT, "end")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, dpi=_DPI, metadata={"Software": None})


def draw_world(axes: Axes, world: World) -> None:
    """Draw walls and furniture."""
    walls = [((segment.x1, segment.y1), (segment.x2, segment.y2)) for segment in world.segments]
    axes.add_collection(LineCollection(walls, colors=_WALL, linewidths=3, capstyle="round", zorder=3))
    axes.autoscale_view()


def draw_robot(axes: Axes, body: Body, pose: Pose, face: str, name: str) -> None:
    """Draw body, wheels and a mark at the front, and a name below it."""
    radius, half = body.wheel_diameter / 2, body.wheel_width / 2
    spacing = (body.wheel_spacing or body.track) / 2
    shapes = [(_box(body.front, -body.rear, 0.0, body.width / 2), face)]
    for axle in {body.wheelbase / 2, -body.wheelbase / 2}:
        shapes += [(_box(axle + radius, axle - radius, side, half), _INK) for side in (spacing, -spacing)]
    nose = [(body.front - 0.03, 0.0), (body.front - 0.09, 0.05), (body.front - 0.09, -0.05)]
    shapes.append((nose, "white" if face == _ROBOT else _ROBOT))
    frame = Affine2D().rotate(pose.yaw).translate(pose.x, pose.y) + axes.transData
    for corners, color in shapes:
        axes.add_patch(Polygon(corners, facecolor=color, edgecolor=_ROBOT, transform=frame, zorder=8))
    axes.annotate(name, (pose.x, pose.y - body.radius - 0.04), ha="center", va="top", color=_ROBOT, zorder=9)


def _points(poses: Sequence[Pose]) -> tuple[list[float], list[float]]:
    return [pose.x for pose in poses], [pose.y for pose in poses]


def _box(front: float, rear: float, middle: float, half: float) -> list[tuple[float, float]]:
    return [(front, middle + half), (rear, middle + half), (rear, middle - half), (front, middle - half)]
