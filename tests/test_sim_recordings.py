# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated robots move as recorded real ones did: docs/explanation/recordings.md has the sources."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest
from sim_client import Client
from tools.recordings.recording import Recording, RecordingError, load
from tools.recordings.replay import compare

from amigobot_driver.protocol import Command, Sip
from amigobot_driver.sim import Wear

REPOSITORY = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("AMIGOBOT_RECORDINGS", REPOSITORY.parent / "shared" / "field" / "recordings"))


@dataclass(frozen=True)
class Recorded:
    """Mean and tolerance of the recorded ramps: m/s^2, and rad/s^2; m/s at 0.5 m/s."""

    acceleration: tuple[float, float]
    deceleration: tuple[float, float]
    turn_acceleration: tuple[float, float]
    turn_deceleration: tuple[float, float]
    plateau: tuple[float, float]


FIGURES = {
    "amigo-sh": Recorded((0.298, 0.006), (0.298, 0.006), (0.84, 0.06), (1.66, 0.15), (0.498, 0.004)),
    "p3dx-sh": Recorded((0.298, 0.006), (0.298, 0.007), (1.754, 0.08), (1.734, 0.08), (0.4987, 0.002)),
}


def reported(client: Client, seconds: float, *, alive: bool = True) -> list[tuple[float, float, float]]:
    """Time (s), speed (m/s) and turn rate (rad/s) of each SIP while time passes."""
    unit, track, start = client.sim.profile.units.velocity, client.sim.profile.body.track, client.now
    client.packets.clear()
    client.run(seconds, alive=alive)
    sips = [
        (t - start, s.left_velocity * unit, s.right_velocity * unit) for t, s in client.packets if isinstance(s, Sip)
    ]
    return [(t, (left + right) / 2, (right - left) / track) for t, left, right in sips]


def slope(points: list[tuple[float, float]], top: float) -> float:
    """The rate of change while the value is between 20 and 80 % of `top`."""
    inside = [(t, value) for t, value in points if 0.2 * top < abs(value) < 0.8 * top]
    (t0, first), (t1, last) = inside[0], inside[-1]
    return abs(last - first) / (t1 - t0)


@pytest.mark.parametrize("robot", FIGURES)
def test_ramps_and_plateau_are_the_recorded_ones(robot: str) -> None:
    figures = FIGURES[robot]
    client = Client(robot).open()
    client.write(Command.VEL(500).encode())
    up = reported(client, 4.0)
    client.write(Command.VEL(0).encode())
    down = reported(client, 3.0)
    client.write(Command.RVEL(57).encode())
    around = reported(client, 3.0)
    client.write(Command.RVEL(0).encode())
    still = reported(client, 3.0)
    turn = math.radians(57)
    speeds = [[(t, v) for t, v, _ in part] for part in (up, down)]
    turns = [[(t, w) for t, _, w in part] for part in (around, still)]
    assert slope(speeds[0], 0.5) == pytest.approx(figures.acceleration[0], abs=figures.acceleration[1])
    assert slope(speeds[1], 0.5) == pytest.approx(figures.deceleration[0], abs=figures.deceleration[1])
    assert slope(turns[0], turn) == pytest.approx(figures.turn_acceleration[0], abs=figures.turn_acceleration[1])
    assert slope(turns[1], turn) == pytest.approx(figures.turn_deceleration[0], abs=figures.turn_deceleration[1])
    assert up[-1][1] == pytest.approx(figures.plateau[0], abs=figures.plateau[1])


def test_noise_of_the_velocities_is_the_recorded_one() -> None:
    client = Client("amigo-sh", wear=Wear(velocity_noise=0.005)).open()
    assert all(v == w == 0.0 for _, v, w in reported(client, 5.0)), "at rest"
    client.write(Command.VEL(300).encode())
    client.run(3.0)
    errors = [v - 0.3 for _, v, _ in reported(client, 40.0)]
    sd = math.sqrt(sum(error**2 for error in errors) / len(errors))
    correlation = sum(a * b for a, b in pairwise(errors)) / sum(error**2 for error in errors)
    assert sd == pytest.approx(0.0039, abs=0.0007)
    assert -0.6 < correlation < -0.2
    assert client.sip().x == pytest.approx(client.sim.truth.pose.x * 1000, abs=40), "the odometry stays exact"


def beginning(recording: Recording) -> Recording:
    """The first 30 s."""
    t, end = recording.time, 30.0
    series = {name: getattr(recording, name)[t < end] for name in ("time", "speed", "turn_rate")}
    return replace(recording, commands=recording.commands[recording.commands[:, 0] < end], **series)


@pytest.mark.skipif(not FOLDER.is_dir(), reason="no recordings here; AMIGOBOT_RECORDINGS names their folder")
@pytest.mark.parametrize(("prefix", "speed", "turn"), [("amigo-sh", 0.022, 0.10), ("p3dx", 0.025, 0.035)])
def test_the_simulator_follows_the_recorded_robots(prefix: str, speed: float, turn: float) -> None:
    results = []
    for path in sorted(FOLDER.glob(f"{prefix}*.json")):
        try:
            recording = beginning(load(path))
        except RecordingError:
            continue
        if recording.lateness < 1 and (recording.speed.any() or recording.turn_rate.any()):
            results.append(compare(recording)[1])
    assert sum(each.speed_rms for each in results) / len(results) <= speed
    assert sum(each.turn_rms for each in results) / len(results) <= turn
