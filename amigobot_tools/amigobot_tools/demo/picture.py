# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The picture of a tour: the room from above, where the robot drove, and what its sonars saw."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Polygon
from matplotlib.transforms import Affine2D

from amigobot_driver.profiles import Body
from amigobot_driver.sim import Segment, World

from .drive import Drive
from .report import Array, Measured, Track
from .tour import Pose

_PAPER, _FLOOR, _WALL = "#ffffff", "#f6f4ef", "#3b3f46"
_FURNITURE, _FURNITURE_EDGE = "#ddd5c7", "#a89c88"
_TRUTH, _ODOMETRY, _SONAR = "#9cc5ea", "#14508c", "#d8572a"
_ROBOT, _START, _INK = "#c0392b", "#ffffff", "#2b2d31"
_DPI = 150
#: inches: of the whole, of the title above the room and of the legend below it
_WIDTH, _HEAD, _FOOT = 9.0, 0.85, 0.45
_ARROW = [(0.1, 0.0), (-0.06, 0.075), (-0.03, 0.0), (-0.06, -0.075)]
#: m around what is drawn
_MARGIN = 0.35


def draw(drive: Drive, measured: Measured, world: World | None, path: Path) -> None:
    """Write the picture of a tour as a PNG; without a world all of it is in the odometry's frame."""
    odometry, body = measured.odometry, drive.state.body
    assert body is not None
    box = _extent(world, odometry, measured.hits)
    room = _WIDTH * (box[3] - box[1]) / (box[2] - box[0])
    height = _HEAD + room + _FOOT
    figure = Figure(figsize=(_WIDTH, height), facecolor=_PAPER)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, _FOOT / height, 1.0, room / height))
    axes.set(xlim=(box[0], box[2]), ylim=(box[1], box[3]), aspect="equal")
    axes.set_axis_off()
    if world:
        draw_world(axes, world)
    axes.scatter(*measured.hits, s=5, color=_SONAR, alpha=0.55, linewidths=0, zorder=4)
    if measured.truth:
        axes.plot(measured.truth.x, measured.truth.y, color=_TRUTH, lw=6.5, solid_capstyle="round", zorder=5)
    axes.plot(odometry.x, odometry.y, color=_ODOMETRY, lw=1.4, zorder=6)
    _draw_direction(axes, odometry)
    start, end = odometry.pose(0), odometry.pose(-1)
    apart = math.dist(start[:2], end[:2]) > body.length
    draw_robot(axes, body, start, _START, "start" if apart else "start and end")
    draw_robot(axes, body, end, _ROBOT, "end" if apart else "")
    _draw_scale(axes, box)
    where = f"through the {world.name}" if world else "around its start"
    title = f"An AmigoBot drives {odometry.length:.1f} m {where}"
    _caption(figure, title, drive, measured, left=_MARGIN / (box[2] - box[0]))
    figure.savefig(path, dpi=_DPI, metadata={"Software": None})


def outlines(segments: Sequence[Segment]) -> Iterator[list[tuple[float, float]]]:
    """The chains that segments form, each from the end of the one before it; a closed one ends where it begins."""
    chain: list[tuple[float, float]] = []
    for segment in segments:
        begin, end = segment[:2], segment[2:]
        if chain and (math.dist(chain[-1], begin) > 1e-6 or chain[0] == chain[-1]):
            yield chain
            chain = []
        chain = chain or [begin]
        chain.append(end if math.dist(end, chain[0]) > 1e-6 else chain[0])
    if chain:
        yield chain


def draw_world(axes: Axes, world: World) -> None:
    """Closed outlines are furniture, but the largest: that is the room."""
    room, *rest = sorted(outlines(world.segments), key=_area, reverse=True)
    axes.add_patch(Polygon(room, facecolor=_FLOOR, edgecolor="none", zorder=1))
    axes.add_patch(Polygon(room, facecolor="none", edgecolor=_WALL, lw=6, joinstyle="miter", zorder=3))
    for chain in rest:
        closed = chain[0] == chain[-1]
        face, edge = (_FURNITURE, _FURNITURE_EDGE) if closed else ("none", _WALL)
        axes.add_patch(Polygon(chain, closed=closed, facecolor=face, edgecolor=edge, lw=1.2 if closed else 6, zorder=2))


def _draw_direction(axes: Axes, track: Track) -> None:
    """Arrowheads, about two meters apart."""
    lengths = np.concatenate(([0.0], np.hypot(np.diff(track.x), np.diff(track.y)).cumsum()))
    count = max(4, round(lengths[-1] / 2))
    for distance in (np.arange(count) + 0.5) / count * lengths[-1]:
        pose = track.pose(int(np.searchsorted(lengths, distance)))
        frame = Affine2D().rotate(pose.yaw).translate(pose.x, pose.y)
        axes.add_patch(Polygon(frame.transform(_ARROW), facecolor=_ODOMETRY, edgecolor="none", zorder=7))


def draw_robot(axes: Axes, body: Body, pose: Pose, face: str, name: str) -> None:
    """Body, wheels and a mark at the front."""
    frame = Affine2D().rotate(pose.yaw).translate(pose.x, pose.y) + axes.transData
    outline = FancyBboxPatch(
        (-body.rear, -body.width / 2),
        body.length,
        body.width,
        boxstyle="round,pad=0,rounding_size=0.09",
        facecolor=face,
        edgecolor=_ROBOT,
        lw=1.6,
        transform=frame,
        zorder=8,
    )
    axes.add_patch(outline)
    below = (pose.x, pose.y - body.radius - 0.04)
    axes.annotate(name, below, ha="center", va="top", fontsize=10, color=_ROBOT, zorder=9)
    radius, half = body.wheel_diameter / 2, body.wheel_width / 2
    spacing = body.wheel_spacing or body.track
    for side in (-spacing / 2, spacing / 2):
        for axle in {body.wheelbase / 2, -body.wheelbase / 2}:
            front, rear = axle + radius, axle - radius
            corners = [(rear, side - half), (front, side - half), (front, side + half), (rear, side + half)]
            axes.add_patch(Polygon(corners, facecolor=_INK, edgecolor="none", transform=frame, zorder=9))
    nose = [(body.front - 0.03, 0.0), (body.front - 0.09, 0.05), (body.front - 0.09, -0.05)]
    contrast = _START if face == _ROBOT else _ROBOT
    axes.add_patch(Polygon(nose, facecolor=contrast, edgecolor="none", transform=frame, zorder=9))


def _draw_scale(axes: Axes, box: tuple[float, float, float, float]) -> None:
    """One meter, below the room."""
    x, y = box[0] + _MARGIN, box[1] + 0.10
    ends = [x, x, x, x + 1, x + 1, x + 1]
    axes.plot(ends, [y - 0.04, y + 0.04, y, y, y + 0.04, y - 0.04], color=_INK, lw=1.2)
    axes.annotate("1 m", (x + 1.08, y), va="center", fontsize=9.5, color=_INK)


def _caption(figure: Figure, title: str, drive: Drive, measured: Measured, left: float) -> None:
    """Title and figures above, legend below; `left` is the margin as a share of the width."""
    text = f"{drive.seconds:.0f} s" + (f"; odometry is {measured.errors}" if measured.truth else "")
    inch = 1 / figure.get_figheight()
    figure.text(left, 1 - 0.50 * inch, title, fontsize=17, color=_INK, weight="bold")
    figure.text(left, 1 - 0.76 * inch, text, fontsize=10.5, color=_INK)
    handles = [
        Line2D([], [], color=_ODOMETRY, lw=1.4, label="odometry"),
        Line2D([], [], color=_SONAR, marker="o", ls="", ms=3.5, label="sonar hits, placed by odometry"),
    ]
    if measured.truth:
        handles.insert(0, Line2D([], [], color=_TRUTH, lw=6, label="true path"))
    figure.legend(
        handles=handles,
        loc="lower right",
        bbox_to_anchor=(1 - left, 0.12 * inch),
        ncols=len(handles),
        fontsize=10,
        frameon=False,
        borderpad=0,
        borderaxespad=0,
    )


def _extent(world: World | None, track: Track, hits: tuple[Array, Array]) -> tuple[float, float, float, float]:
    """Left, bottom, right, top of what is to be seen."""
    if world:
        xs = np.array([x for segment in world.segments for x in (segment.x1, segment.x2)])
        ys = np.array([y for segment in world.segments for y in (segment.y1, segment.y2)])
    else:
        # Far echoes would make the robot tiny.
        near = np.hypot(*hits) < 3.0
        xs, ys = np.concatenate((track.x, hits[0][near])), np.concatenate((track.y, hits[1][near]))
    return xs.min() - _MARGIN, ys.min() - _MARGIN, xs.max() + _MARGIN, ys.max() + _MARGIN


def _area(chain: list[tuple[float, float]]) -> float:
    width, height = np.ptp(chain, axis=0)
    return float(width * height)
