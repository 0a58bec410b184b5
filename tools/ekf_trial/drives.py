# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Drives of a simulated AmigoBot-SH: what the driver publishes, and where the robot really was."""

from __future__ import annotations

import bisect
import math
import random
from dataclasses import dataclass

from bench import Bench

from amigobot_driver.profiles import load_profile
from amigobot_driver.robot import Odometry, Options, Report, TurnRate
from amigobot_driver.robot.sensing.gyro import PERIOD
from amigobot_driver.sim import Simulator, Wear, load_world

ROBOT = "amigo-sh"
#: s between two looks at the truth
_LOOK = 0.02
#: s the robot stands at first, so that the gyro finds its centre, and now and then later
_FIRST_REST, _REST, _REST_EVERY = 4.0, 3.0, 20.0

#: What is wrong with the wheels, by the name of the case; the sign of a wrong track alternates with the seed.
CASES = {
    "exact": lambda sign: Wear(),
    "wrong RevCount": lambda sign: Wear(track_scale=1.087**sign),
    "slip": lambda sign: Wear(slip=0.1),
    "wrong RevCount and slip": lambda sign: Wear(track_scale=1.087**sign, slip=0.1),
}


@dataclass(frozen=True, slots=True)
class Sent:
    """A message of the driver: when it was published and what it says. Times in s of the drive."""

    time: float
    stamp: float
    content: Odometry | TurnRate


@dataclass(frozen=True, slots=True)
class Pose:
    """m, m, rad, at a time in s."""

    time: float
    x: float
    y: float
    yaw: float


@dataclass(slots=True)
class Drive:
    """One drive. All poses are relative to where it began."""

    case: str
    seed: int
    sent: list[Sent]
    truth: list[Pose]

    @property
    def wheels(self) -> list[Pose]:
        """The odometry of the wheels alone."""
        return [
            Pose(sent.stamp, sent.content.x, sent.content.y, sent.content.yaw)
            for sent in self.sent
            if isinstance(sent.content, Odometry)
        ]

    def mixed(self, share: float = 0.0) -> list[Pose]:
        """The sum of the turn rates of the gyro along the way of the wheels: a filter that believes the gyro alone.

        Args:
            share: Share of the wheels in each turn, 0 to 1.
        """
        poses: list[Pose] = []
        x = y = yaw = turned = 0.0
        before: Odometry | None = None
        for sent in self.sent:
            if isinstance(sent.content, TurnRate):
                turned += sent.content.rate * PERIOD
                continue
            odometry = sent.content
            if before:
                by_wheels = math.remainder(odometry.yaw - before.yaw, math.tau)
                turn, way = (1 - share) * turned + share * by_wheels, odometry.travelled - before.travelled
                x, y = x + way * math.cos(yaw + turn / 2), y + way * math.sin(yaw + turn / 2)
                yaw += turn
            before, turned = odometry, 0.0
            poses.append(Pose(sent.stamp, x, y, yaw))
        return poses

    def errors(self, poses: list[Pose]) -> tuple[float, float, float]:
        """Return the errors of these poses: of yaw on average and at the end (rad), of the position at the end (m)."""
        times = [pose.time for pose in self.truth]
        off = []
        distance = 0.0
        for pose in poses:
            place = bisect.bisect_left(times, pose.time)
            if not 0 < place < len(times):
                continue
            before, after = self.truth[place - 1], self.truth[place]
            share = (pose.time - before.time) / (after.time - before.time)
            yaw = before.yaw + share * math.remainder(after.yaw - before.yaw, math.tau)
            off.append(abs(math.remainder(pose.yaw - yaw, math.tau)))
            x, y = before.x + share * (after.x - before.x), before.y + share * (after.y - before.y)
            distance = math.hypot(pose.x - x, pose.y - y)
        return sum(off) / len(off), off[-1], distance


def drive(case: str, seed: int, seconds: float) -> Drive:
    """Let the robot drive about at random, with a rest now and then."""
    wear = CASES[case](1 if seed % 2 else -1)
    bench = Bench(
        Options(max_linear=0.5),
        simulator=lambda: Simulator(load_profile(ROBOT), load_world("empty"), seed=seed, wear=wear),
    )
    bench.connect()
    rng = random.Random(seed)
    truth: list[Pose] = []

    def look_on(duration: float, velocity: tuple[float, float] | None = None) -> None:
        end = bench.now + duration
        while bench.now < end - 1e-6:
            bench.run(min(5 * _LOOK, end - bench.now) if velocity is None else 5 * _LOOK, cmd_vel=velocity)
            true = bench.simulator.truth
            truth.append(Pose(true.time, true.pose.x, true.pose.y, true.pose.heading))

    look_on(_FIRST_REST)
    begin, first = bench.now, len(bench.events)
    bench.robot.estimator.odometer.set(0.0, 0.0, 0.0)
    truth = truth[-1:]
    rest_at = begin + _REST_EVERY
    while bench.now < begin + seconds:
        if bench.now > rest_at:
            look_on(_REST)
            rest_at = bench.now + _REST_EVERY
        forward = rng.uniform(0.05, 0.3) if rng.random() < 0.85 else rng.uniform(-0.15, 0.0)
        look_on(rng.uniform(1.0, 4.0), (forward, rng.uniform(-0.8, 0.8)))
    look_on(2.0)
    sent = []
    for time, event in bench.events[first:]:
        if isinstance(event, Report):
            sent.append(Sent(time - begin, event.stamp - begin, event.odometry))
        elif isinstance(event, TurnRate):
            sent.append(Sent(time - begin, event.stamp - begin, event))
    return Drive(case, seed, sent, [_relative(pose, truth[0], begin) for pose in truth])


def _relative(pose: Pose, origin: Pose, begin: float) -> Pose:
    x, y = pose.x - origin.x, pose.y - origin.y
    cos, sin = math.cos(origin.yaw), math.sin(origin.yaw)
    yaw = math.remainder(pose.yaw - origin.yaw, math.tau)
    return Pose(pose.time - begin, cos * x + sin * y, cos * y - sin * x, yaw)
