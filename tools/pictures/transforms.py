# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The tree of tf frames of an AmigoBot with Nav2, and who publishes each transform."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from amigobot_driver.profiles import load_profile
from amigobot_driver.profiles.description import robot_description

_INK = "#2b2d31"
#: Colors of the transforms, by who publishes them.
_PUBLISHERS = {"amcl or slam_toolbox": "#268c26", "amigobot_node": "#c0392b", "robot_state_publisher": "#14508c"}
#: inches: of a row and of a column of the tree
_ROW, _COLUMN = 0.3, 1.9


@dataclass(slots=True)
class Frame:
    """A frame with those below it."""

    name: str
    publisher: str = ""  #: of the transform from the frame above
    children: list[Frame] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Rows that this part of the tree takes."""
        return sum(child.rows for child in self.children) or 1


def tree() -> Frame:
    """Return the frames of an AmigoBot-SH: those of its URDF, the odometry's and the map's."""
    localization, driver, model = _PUBLISHERS
    joints = ElementTree.fromstring(robot_description(load_profile("amigo-sh"), "base_link")).findall("joint")
    frames = {"base_link": Frame("base_link", driver)}
    for joint in joints:
        parent, child = (joint.find(end) for end in ("parent", "child"))
        assert parent is not None and child is not None
        name = child.attrib["link"]
        frames[name] = Frame(name, model)
        frames[parent.attrib["link"]].children.append(frames[name])
    return Frame("map", children=[Frame("odom", localization, [frames["base_link"]])])


def draw_transforms(path: Path) -> None:
    """Write the tree, from the map on the left to the sonars on the right."""
    root = tree()
    height = _ROW * (root.rows + 2)
    figure = Figure(figsize=(4 * _COLUMN, height), facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, 4 * _COLUMN), ylim=(-height, 0.0))
    axes.set_axis_off()
    _draw(axes, root, _COLUMN / 2, 0.0)
    handles = [Line2D([], [], color=color, lw=2, label=name) for name, color in _PUBLISHERS.items()]
    axes.legend(handles=handles, loc="lower left", title="published by", fontsize=9, title_fontsize=9, frameon=False)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _draw(axes: Axes, frame: Frame, x: float, top: float) -> float:
    """Draw a part of the tree below `top`; return the height of its root."""
    row, heights = top, []
    for child in frame.children:
        heights.append(_draw(axes, child, x + _COLUMN, row))
        row -= _ROW * child.rows
    y = sum(heights) / len(heights) if heights else top - _ROW
    for child, height in zip(frame.children, heights, strict=True):
        start, end = (x + 0.42, y), (x + _COLUMN - 0.62, height)
        arrow = {"arrowstyle": "->", "color": _PUBLISHERS[child.publisher], "lw": 1.4}
        axes.annotate("", end, start, arrowprops=arrow, zorder=2)
    box = {"boxstyle": "round,pad=0.25", "facecolor": "#f6f4ef", "edgecolor": _INK, "lw": 0.8}
    axes.annotate(frame.name, (x, y), ha="center", va="center", fontsize=9, color=_INK, bbox=box, zorder=3)
    return y
