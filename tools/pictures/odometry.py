# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Odometry against the truth of the simulator: a robot with worn wheels, before and after its calibration."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench import Bench
from matplotlib.figure import Figure
from numpy.typing import NDArray

from amigobot_driver.profiles import load_profile
from amigobot_driver.robot import Options, Report
from amigobot_driver.sim import Simulator, Wear, load_world

Array = NDArray[np.float64]
_TRUTH = "#9cc5ea"
#: Velocities (m/s, rad/s) and their times (s): two rounds of a square of 3 m with round corners, and a rest.
_ROUND = (((0.3, 0.0), 10.0), ((0.3, 0.6), 2.618)) * 4
_DRIVE = (*_ROUND, *_ROUND, ((0.0, 0.0), 1.5))
#: s between two looks at the truth
_LOOK = 0.02
#: Wheels 1 % apart, and a track that is 3 % wider than the model's.
_WORN = Wear(left_scale=1.005, right_scale=0.995, track_scale=1.03)
#: The RevCount that fits this track: 23310 of the model, times 1.03.
_CALIBRATION = """
extends: amigo
name: calibrated
calibration: {left_wheel: 1.005, right_wheel: 0.995, rev_count: 24009}
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A robot that drives, and how its line is drawn."""

    name: str
    color: str
    wear: Wear
    calibrated: bool = False


CASES = (
    Case("wheels 1 % apart, track 3 % wrong", "#c0392b", _WORN),
    Case("the same, calibrated", "#268c26", _WORN, calibrated=True),
    Case("exact wheels that slip, 10 % of each 10 ms", "#d8a02a", Wear(slip=0.1)),
    Case("exact wheels", "#14508c", Wear()),
)


@dataclass(frozen=True, slots=True)
class Drive:
    """Paths (m) from the start of the drive, at the stamps of the odometry."""

    x: Array
    y: Array
    true_x: Array
    true_y: Array

    @property
    def distance(self) -> Array:
        """Length of the true path so far, m."""
        return np.concatenate(([0.0], np.hypot(np.diff(self.true_x), np.diff(self.true_y)).cumsum()))

    @property
    def error(self) -> Array:
        """Distance between odometry and truth, m."""
        return np.hypot(self.x - self.true_x, self.y - self.true_y)


def drive(case: Case, folder: Path) -> Drive:
    """Let the driver and a simulated robot drive on one simulated clock."""
    profile = ""
    if case.calibrated:
        profile = str(folder / "calibrated.yaml")
        Path(profile).write_text(_CALIBRATION, encoding="utf-8")
    make = lambda: Simulator(load_profile("amigo"), load_world("empty"), seed=1, wear=case.wear)  # noqa: E731
    bench = Bench(Options(profile=profile, max_linear=0.5), simulator=make)
    bench.connect()
    begin = bench.reports[-1]
    truth = [(bench.now, bench.simulator.truth.pose.x, bench.simulator.truth.pose.y)]
    for velocity, seconds in _DRIVE:
        end = bench.now + seconds
        while bench.now < end - 1e-6:
            bench.drive(*velocity)
            for _ in range(5):
                bench.run(min(_LOOK, max(end - bench.now, 1e-6)))
                truth.append((bench.now, bench.simulator.truth.pose.x, bench.simulator.truth.pose.y))
    return _aligned(begin, bench.reports, np.array(truth))


def _aligned(begin: Report, reports: list[Report], truth: Array) -> Drive:
    later = [report for report in reports if begin.stamp < report.stamp <= truth[-1, 0]]
    stamps = np.array([report.stamp for report in later])
    x = np.array([report.odometry.x for report in later]) - begin.odometry.x
    y = np.array([report.odometry.y for report in later]) - begin.odometry.y
    true_x, true_y = (np.interp(stamps, truth[:, 0], truth[:, column] - truth[0, column]) for column in (1, 2))
    return Drive(x, y, true_x, true_y)


def draw_odometry(path: Path) -> None:
    """Write the paths of the worn robot before and after its calibration, and the error of every robot."""
    with tempfile.TemporaryDirectory() as name:
        drives = {case.name: drive(case, Path(name)) for case in CASES}
    figure = Figure(figsize=(11, 4.2), facecolor="white", layout="constrained")
    *paths, errors = figure.subplots(1, 3, width_ratios=(1, 1, 1.15))
    for axes, case in zip(paths, CASES, strict=False):
        one = drives[case.name]
        axes.plot(one.true_x, one.true_y, color=_TRUTH, lw=5, label="true path")
        axes.plot(one.x, one.y, color=case.color, lw=1.3, label="odometry")
        axes.set(aspect="equal", xlabel="x (m)", xlim=(-1.7, 4.7), ylim=(-1.0, 6.6))
        axes.set_title(case.name, fontsize=9)
    paths[0].set_ylabel("y (m)")
    for case in CASES:
        one = drives[case.name]
        errors.plot(one.distance, 100 * one.error, color=case.color, lw=1.3, label=case.name)
    errors.set(xlabel="distance driven (m)", ylabel="odometry off the truth (cm)", xlim=(0, None), ylim=(0, 500))
    errors.set_title("distance between odometry and truth", fontsize=9)
    for axes in (*paths, errors):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e4e4e4", lw=0.6)
        axes.legend(fontsize=8, frameon=False, loc="upper left")
    figure.savefig(path, dpi=100, metadata={"Software": None})
