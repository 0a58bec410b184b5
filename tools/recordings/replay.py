# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Drives the simulated robot as the real one was driven, in simulated time, and measures how far the two differ."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from sim_client import Client

from amigobot_driver.profiles import Profile, load_profile
from amigobot_driver.protocol import Instruction, Sip

from .clients import PHASES, sent
from .recording import Array, Recording

#: s, delays between command and motion that are tried; those of MATLAB and Wi-Fi are in the recordings
_DELAYS = np.arange(0.0, 1.2, 0.01)
#: share of the difference that remains at most if a repeat of p2os is taken for late
_GAIN = 0.8
#: s until the robot that was opened has sent some packets
_START = 0.5


@dataclass(frozen=True, slots=True)
class Track:
    """What a robot reports: times in s, speeds in m/s, turn rates in rad/s."""

    time: Array
    speed: Array
    turn_rate: Array


@dataclass(frozen=True, slots=True)
class Comparison:
    """A recording and the simulated robot, moved by `delay` (s) so that they agree best."""

    recording: Recording
    simulated: Track
    delay: float
    speed_rms: float  #: m/s
    turn_rms: float  #: rad/s
    late: frozenset[int] = frozenset()  #: numbers of the repeats of p2os that missed the robot's watchdog

    @property
    def error(self) -> float:
        """Sum of both differences, m/s: half the track times the turn rate is a speed of a wheel."""
        return self.speed_rms + self.turn_rms * load_profile(self.recording.robot).body.track / 2


def drive(profile: Profile, commands: Iterable[tuple[float, Instruction]], end: float, *, alive: bool) -> Track:
    """Send commands to a simulated robot in an empty world.

    Args:
        profile: The robot.
        commands: Times in s, rising, and commands.
        end: Duration in s.
        alive: Whether the client sends PULSE between its commands.

    Returns:
        The track that its SIPs report.
    """
    client = Client(profile).open()
    client.run(_START)
    start = client.now
    client.packets.clear()
    for time, command in commands:
        client.run(start + time - client.now, alive=alive)
        client.write(command.encode())
    client.run(start + end - client.now, alive=alive)
    rows = [(t - start, s.left_velocity, s.right_velocity) for t, s in client.packets if isinstance(s, Sip)]
    time, left, right = np.array(rows, dtype=float).T
    left, right = left * profile.units.velocity, right * profile.units.velocity
    return Track(time, (left + right) / 2, (right - left) / profile.body.track)


def compare(recording: Recording) -> tuple[Comparison, Comparison]:
    """Replay a recording with each phase of its client, and return the comparisons that agree best.

    Args:
        recording: The run.

    Returns:
        With the repeats of p2os in time for the robot's watchdog, and with those late whose stops the recording shows.
    """
    profile, end = load_profile(recording.robot), recording.time[-1]

    def replayed(phase: float, late: frozenset[int] = frozenset()) -> Comparison:
        commands = sent(recording.client, recording.commands, phase, end, late)
        track = drive(profile, commands, end, alive=recording.client == "ros2aria")
        return min((_shifted(recording, track, delay, late) for delay in _DELAYS), key=lambda each: each.error)

    timely, phase = min(((replayed(phase), phase) for phase in PHASES[recording.client]), key=lambda row: row[0].error)
    best = timely
    repeats = repeats_of(recording, phase)
    while repeats:
        candidates = [replayed(phase, best.late | {number}) for number in range(repeats) if number not in best.late]
        next_best = min(candidates, key=lambda each: each.error)
        if next_best.error > _GAIN * best.error:
            break
        best = next_best
    return timely, best


def repeats_of(recording: Recording, phase: float) -> int:
    """Return how often the client of a recording sends a held velocity again."""
    if recording.client != "p2os":
        return 0
    end, numbers = recording.time[-1], itertools.count()
    plain = list(sent("p2os", recording.commands, phase, end))
    return next(n for n in numbers if list(sent("p2os", recording.commands, phase, end, frozenset({n}))) == plain)


def _shifted(recording: Recording, track: Track, delay: float, late: frozenset[int]) -> Comparison:
    """Compare a recording with a track that is moved by `delay` (s)."""
    time = recording.time - delay
    speed, turn = (
        math.sqrt(np.mean((real - np.interp(time, track.time, simulated)) ** 2))
        for real, simulated in ((recording.speed, track.speed), (recording.turn_rate, track.turn_rate))
    )
    return Comparison(recording, track, float(delay), speed, turn, late)
