# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Odometry follows the counters without jumps, also when packets are lost."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from bench import Bench
from component_bench import sip

from amigobot_driver.profiles import Profile, load_profile
from amigobot_driver.protocol import Encoders, Sip
from amigobot_driver.robot import Odometry, Options, Report
from amigobot_driver.robot.sensing.encoders import WheelEncoders
from amigobot_driver.robot.sensing.motion_model import arc
from amigobot_driver.robot.sensing.odometry import Odometer
from amigobot_driver.sim import Simulator, Wear

CYCLE = 0.1  #: s between two SIPs
TOP_SPEED = 0.75  #: m/s
AMIGO = load_profile("amigo")


class Counters:
    """A robot's own reckoning, exact and without end; a SIP shows of it what fits into its fields."""

    def __init__(self, profile: Profile = AMIGO, heading: float = 0.0, start: tuple[float, float] = (0, 0)) -> None:
        self.time = 50.0
        self.x, self.y = start
        self.heading = heading
        self.left = self.right = 0.0  #: m each wheel has rolled
        self._profile = profile
        self._speed = self._turn_rate = 0.0

    def move(self, speed: float, turn_rate: float = 0.0, seconds: float = CYCLE) -> None:
        middle = self.heading + turn_rate * seconds / 2
        self.x += speed * seconds * math.cos(middle)
        self.y += speed * seconds * math.sin(middle)
        self.heading += turn_rate * seconds
        half_track = self._profile.body.track / 2
        self.left += (speed - turn_rate * half_track) * seconds
        self.right += (speed + turn_rate * half_track) * seconds
        self.time += seconds
        self._speed, self._turn_rate = speed, turn_rate

    def sip(self, *, heading: str = "-2048...2047") -> Sip:
        units, half_track = self._profile.units, self._profile.body.track / 2
        angle = round(self.heading / units.angle)
        return sip(
            x=round(self.x / units.distance) & 0x7FFF,
            y=round(self.y / units.distance) & 0x7FFF,
            heading={
                "-2048...2047": (angle + 2048) % 4096 - 2048,
                "0...4095": angle % 4096,
                "free": (angle + 32768) % 65536 - 32768,
            }[heading],
            left_velocity=round((self._speed - self._turn_rate * half_track) / units.velocity),
            right_velocity=round((self._speed + self._turn_rate * half_track) / units.velocity),
            battery=120,
            flags=Sip.MOTORS,
        )


def drive(counters: Counters, odometer: Odometer, steps: Iterable[tuple[float, float]]) -> list[Odometry]:
    """Move by these (speed, turn rate), one SIP after each."""
    states = [odometer.update(counters.sip(), counters.time)]
    for speed, turn_rate in steps:
        counters.move(speed, turn_rate)
        states.append(odometer.update(counters.sip(), counters.time))
    return states


def distance(a: Odometry, b: Odometry) -> float:
    return math.hypot(b.x - a.x, b.y - a.y)


def all_arrive() -> Iterator[bool]:
    while True:
        yield True


def some_are_lost() -> Iterator[bool]:
    chance = random.Random(1)
    while True:
        yield chance.random() > 0.3


def bursts_are_lost() -> Iterator[bool]:
    """Up to 0.9 s of silence; after more the session counts as lost."""
    length = random.Random(2)
    while True:
        yield from [True] * length.randint(1, 5) + [False] * length.randint(1, 8)


@pytest.mark.parametrize("arrives", [all_arrive, some_are_lost, bursts_are_lost])
@pytest.mark.parametrize("degrees", [*range(0, 360, 45), 7, 191])
@pytest.mark.parametrize("robot", ["amigo", "amigo-sh"])
def test_hundred_meters_end_where_the_counters_end(robot: str, degrees: int, arrives: type[all_arrive]) -> None:
    """Six wraps of an AmigoBot's counters, three of an AmigoBot-SH's, at its full speed."""
    profile = load_profile(robot)
    counters = Counters(profile, start=(-3.0, 9.0))
    odometer = Odometer(profile)
    # Turning first, so that the way leads over the frame's axes in every direction.
    drive(counters, odometer, [(0.0, math.radians(degrees) / 10)] * 100)
    before, silence = odometer.state, 0.0
    for got_through in (next(stream) for stream in [arrives()] for _ in range(1334)):
        counters.move(TOP_SPEED)
        silence += CYCLE
        if got_through:
            state = odometer.update(counters.sip(), counters.time)
            assert distance(before, state) == pytest.approx(TOP_SPEED * silence, abs=0.002)
            before, silence = state, 0.0
    state = odometer.update(counters.sip(), counters.time)
    assert (state.x, state.y) == pytest.approx((counters.x + 3.0, counters.y - 9.0), abs=0.005)
    assert math.remainder(state.yaw - counters.heading, math.tau) == pytest.approx(0, abs=0.001)
    assert odometer.jumps == 0


@pytest.mark.parametrize("turn_rate", [1.0, -1.0])
@pytest.mark.parametrize("convention", ["-2048...2047", "0...4095", "free"])
def test_the_heading_wraps_without_a_jump(convention: str, turn_rate: float) -> None:
    """Far enough for the sixteen turns that a 16-bit counter holds."""
    counters, odometer = Counters(), Odometer(AMIGO)
    before = odometer.update(counters.sip(heading=convention), counters.time)
    for _ in range(1200):
        counters.move(0.0, turn_rate)
        state = odometer.update(counters.sip(heading=convention), counters.time)
        assert math.remainder(state.yaw - before.yaw, math.tau) == pytest.approx(0.1 * turn_rate, abs=0.002)
        assert abs(state.yaw) <= math.pi
        before = state
    assert math.remainder(state.yaw - counters.heading, math.tau) == pytest.approx(0, abs=0.001)
    assert distance(Odometry(), state) == 0


def test_a_half_circle_ends_two_radii_left() -> None:
    half = arc(math.pi, math.pi)
    assert (half.x, half.y) == pytest.approx((0.0, 2.0))


class TestVelocity:
    def test_the_velocity_is_the_true_one(self) -> None:
        state = drive(Counters(), Odometer(AMIGO), [(0.4, 0.6)] * 20)[-1]
        assert state.linear == pytest.approx(0.4, abs=0.001)
        assert state.angular == pytest.approx(0.6, abs=0.02)
        assert state.left_velocity == pytest.approx(0.4 - 0.6 * AMIGO.body.track / 2, abs=0.001)
        assert state.right_velocity == pytest.approx(0.4 + 0.6 * AMIGO.body.track / 2, abs=0.001)

    @pytest.mark.parametrize("apart", [0.0, 0.001, 0.0375], ids=["TCP", "USB", "9600 baud"])
    def test_packets_held_up_are_no_jump_or_spin(self, apart: float) -> None:
        """A radio or a busy computer delivers three SIPs at once: nothing is lost, nothing is faster than it was."""
        counters, odometer = Counters(), Odometer(AMIGO)
        drive(counters, odometer, [(TOP_SPEED, 1.0)] * 10)
        arrivals = [counters.time + 3 * CYCLE + apart * number for number in range(3)]
        for arrival in arrivals:
            counters.move(TOP_SPEED, 1.0)
            state = odometer.update(counters.sip(), arrival)
            assert 0.2 < state.angular < 1.2
        assert odometer.jumps == 0
        assert (state.x, state.y) == pytest.approx((counters.x, counters.y), abs=0.002)

    def test_wheel_angles_of_the_simulated_robot(self) -> None:
        bench = Bench().connect()
        for velocity in ((0.3, 0.0), (0.1, 0.8), (-0.2, -0.5)):
            bench.run(8, cmd_vel=velocity)
        bench.run(2)
        state, body = bench.robot.estimator.odometer.state, bench.simulator._body
        radius = AMIGO.body.wheel_diameter / 2
        assert state.left_angle * radius == pytest.approx(body.left.travel, abs=0.01)
        assert state.right_angle * radius == pytest.approx(body.right.travel, abs=0.01)


class TestCounterThatWasSet:
    def test_a_damaged_packet_is_no_movement(self) -> None:
        """The checksum adds 16-bit words: of two damaged bytes one may undo the other."""
        counters, odometer = Counters(), Odometer(AMIGO)
        drive(counters, odometer, [(0.5, 0.3)] * 50)
        counters.move(0.5, 0.3)
        damaged = odometer.update(replace(counters.sip(), x=counters.sip().x ^ 0x4000), counters.time)
        after = drive(counters, odometer, [(0.5, 0.3)] * 10)[-1]
        assert damaged.x == pytest.approx(counters.x, abs=1.0)
        assert (after.x, after.y, after.yaw) == pytest.approx((counters.x, counters.y, counters.heading), abs=0.002)
        assert odometer.jumps == 0

    def test_reset_only_moves_the_pose_to_the_origin(self) -> None:
        counters, odometer = Counters(), Odometer(AMIGO)
        driven = drive(counters, odometer, [(0.5, 0.4)] * 30)[-1]
        odometer.set(0.0, 0.0, 0.0)
        state = odometer.state
        assert (state.x, state.y, state.yaw) == (0, 0, 0)
        assert state.covariance == Odometry().covariance
        assert (state.left_angle, state.right_angle) == (driven.left_angle, driven.right_angle)
        assert (state.linear, state.angular) == (driven.linear, driven.angular)
        state = drive(counters, odometer, [(0.5, 0.0)] * 20)[-1]
        assert (state.x, state.y, state.yaw) == pytest.approx((1.0, 0.0, 0.0), abs=0.005)
        assert odometer.jumps == 0


class TestReconnect:
    def test_another_robot_goes_on_in_its_own_units(self) -> None:
        odometer = Odometer(AMIGO)
        before = drive(Counters(), odometer, [(0.5, 0.0)] * 20)[-1]
        stranger = load_profile("amigo-sh")
        odometer = Odometer(stranger, odometer)
        after = drive(Counters(stranger), odometer, [(0.5, 0.0)] * 20)[-1]
        assert after.x == pytest.approx(before.x + 1.0, abs=0.002)

    @pytest.mark.parametrize("direction", [1, -1])
    @pytest.mark.parametrize("lost", [0.3, 0.59, 0.6, 0.61, 0.9])
    def test_a_spin_without_sips_follows_the_velocities(self, lost: float, direction: int) -> None:
        """The heading wraps: 3.2 rad to the left look like 3.1 rad to the right, or like zeroed counters."""
        profile = load_profile("amigo")
        odometer, rate = Odometer(profile), direction * 5.2378
        wheel = round(rate * profile.body.track / 2 / profile.units.velocity)
        sip = replace(Counters().sip(), left_velocity=-wheel, right_velocity=wheel)

        def heading(angle: float) -> int:
            return round(math.remainder(angle, math.tau) / profile.units.angle)

        before = odometer.update(replace(sip, heading=heading(2.63)), 50.0)
        after = odometer.update(replace(sip, heading=heading(2.63 + rate * lost)), 50.0 + lost)
        assert after.turned - before.turned == pytest.approx(rate * lost, abs=0.01)
        assert after.angular == pytest.approx(rate, rel=0.15)
        late = odometer.update(replace(sip, heading=heading(2.63 + rate * (lost + 0.1))), 52.0)
        assert late.turned - after.turned == pytest.approx(rate * 0.1, abs=0.01)
        assert odometer.jumps == 0


class TestCovariance:
    @staticmethod
    def matrix(state: Odometry) -> np.ndarray:
        xx, xy, xa, yy, ya, aa = state.covariance
        return np.array([[xx, xy, xa], [xy, yy, ya], [xa, ya, aa]])

    def check(self, state: Odometry) -> None:
        """As the filters want it: finite, no axis certain, and a covariance at all."""
        matrix = self.matrix(state)
        assert np.isfinite(matrix).all()
        assert (matrix.diagonal() > 0).all()
        assert np.linalg.eigvalsh(matrix)[0] >= -1e-9 * np.trace(matrix)
        assert all(math.isfinite(variance) and variance > 0 for variance in state.velocity_variance)

    def test_the_covariance_grows_only_with_motion(self) -> None:
        counters, odometer = Counters(), Odometer(AMIGO)
        at_rest = drive(counters, odometer, [(0.0, 0.0)] * 100)[-1]
        assert at_rest.covariance == Odometry().covariance
        one = drive(counters, odometer, [(0.5, 0.0)] * 20)[-1]
        ten = drive(counters, odometer, [(0.5, 0.0)] * 180)[-1]
        for before, after in ((at_rest, one), (one, ten)):
            assert (self.matrix(after).diagonal() > self.matrix(before).diagonal()).all()
        # A heading error counts across the way, not along it.
        assert self.matrix(ten)[1, 1] > 3 * self.matrix(ten)[0, 0]

    def test_the_covariance_turns_with_the_heading(self) -> None:
        """The same arc from another heading has the same covariance, turned."""
        arcs = []
        for yaw in (0.0, 0.7):
            odometer = Odometer(AMIGO)
            odometer.set(0.0, 0.0, yaw)
            arcs.append(self.matrix(drive(Counters(), odometer, [(0.5, 0.4)] * 30)[-1]))
        cos, sin = math.cos(0.7), math.sin(0.7)
        turn = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
        assert turn @ arcs[0] @ turn.T == pytest.approx(arcs[1], rel=1e-3)

    def test_the_covariance_stays_usable_for_days(self) -> None:
        """A week of tours: it must neither overflow nor stop being a covariance, nor exceed what filters take."""
        chance = random.Random(3)
        counters, odometer = Counters(), Odometer(AMIGO)
        for step in range(30_000):
            # Steps of 2 s, so that there is more way in each.
            counters.move(chance.uniform(-0.75, 0.75), chance.choice((0.0, chance.uniform(-0.7, 0.7))), seconds=2.0)
            state = odometer.update(counters.sip(), counters.time)
            if step % 500 == 0:
                self.check(state)
        self.check(state)
        assert self.matrix(state).max() <= 1e4 * 1.001
        assert odometer.jumps == 0


@pytest.mark.parametrize("robot", ["amigo", "amigo-sh"])
def test_a_report_has_the_time_of_its_sending(robot: str) -> None:
    """At 9600 baud a SIP is 37 ms on its way; the stamp does not count them."""
    bench = Bench(robot=robot).connect()
    bench.run(5, cmd_vel=(0.2, 0.0))
    stamps = [report.stamp for report in bench.reports[20:]]
    assert all(b - a == pytest.approx(0.1, abs=0.005) for a, b in pairwise(stamps))
    moving = [report for report in bench.reports if report.odometry.linear > 0.19][5]
    truth = bench.simulator.truth
    then = truth.pose.x - truth.left_velocity * (truth.time - moving.stamp)
    assert moving.odometry.x == pytest.approx(then, abs=0.003)


def test_the_turn_rate_variance_admits_an_uncalibrated_revcount() -> None:
    """9 % off, as on a robot on carpet: within one standard deviation."""
    bench = Bench(
        Options(), simulator=lambda: Simulator(load_profile("amigo-sh"), wear=Wear(track_scale=1.087))
    ).connect()
    bench.run(5, cmd_vel=(0.0, 0.6))
    odometry, truth = bench.reports[-1].odometry, bench.simulator.truth.turn_rate
    assert 0.05 * truth < abs(odometry.angular - truth) < math.sqrt(odometry.velocity_variance[1])


@pytest.mark.parametrize("angular", [1.0, -0.5, 0.2])
def test_the_turn_rate_is_right_behind_a_delay(angular: float) -> None:
    """A CONFIG packet takes two thirds of an info cycle at 9600 baud: one SIP is late by that, the next is not."""
    bench = Bench(Options(max_linear=0.7, max_angular=5.2)).connect()
    bench.run(4.02, cmd_vel=(0.0, angular))
    for _ in range(5):
        bench.request(lambda: bench.robot.tuning.set({}, bench.now))
        since = bench.now
        bench.run(0.73, cmd_vel=(0.0, angular))
        rates = [report.odometry.angular for report in bench.emitted(Report, since)]
        assert rates == pytest.approx([angular] * len(rates), rel=0.15, abs=0.02)


@pytest.mark.parametrize("profile", ["erratic", "erratic-player-h"])
def test_the_turn_rate_is_right_from_the_start(profile: str) -> None:
    """The motor packets of an Erratic come each 50 ms, before anything reports that."""
    bench = Bench(Options(profile=profile, max_angular=5.0), profile, check_baud=True).connect()
    bench.run(2.0, cmd_vel=(0.0, 4.0))
    bench.unplug()
    since = bench.now
    bench.open_session()
    before = bench.simulator.truth.turn_rate
    assert before > 0.5
    bench.run(0.16)
    rates = [report.odometry.angular for report in bench.emitted(Report, since)]
    assert len(rates) >= 3
    assert all(bench.simulator.truth.turn_rate - 0.2 <= rate <= 1.1 * 4.0 for rate in rates), rates


def test_a_wheel_stopping_within_a_cycle_is_no_jump() -> None:
    """A wall stops it: its SIP has no velocity, the ticks have the way to the wall."""
    counters, encoders, odometer = Counters(), WheelEncoders(), Odometer(AMIGO)
    for speed in (0.7, 0.7, 0.7, 0.0):
        counters.move(speed or 0.6)
        sip = replace(counters.sip(), left_velocity=round(speed * 1000), right_velocity=round(speed * 1000))
        odometer.update(sip, counters.time)
        ticks = round(counters.left / (math.pi * 0.1 / 9550))
        list(encoders.update(Encoders(left=ticks, right=ticks), counters.time, odometer, AMIGO, None))
    assert encoders.jumps == 0


@pytest.mark.parametrize("motion", [(0.5, 0.0), (0.0, -4.8), (0.3, 2.0)])
def test_the_pose_is_set_between_sip_and_encoders(motion: tuple[float, float]) -> None:
    """The encoders' motion of that cycle is from before: it belongs to the pose that was set."""
    counters, encoders, odometer = Counters(), WheelEncoders(), Odometer(AMIGO)
    encoders.leading = True
    meters = math.pi * AMIGO.body.wheel_diameter / AMIGO.body.wheel_ticks

    def ticks() -> None:
        packet = Encoders(left=round(counters.left / meters), right=round(counters.right / meters))
        list(encoders.update(packet, counters.time, odometer, AMIGO, None))

    for _ in range(5):
        odometer.update(counters.sip(), counters.time)
        ticks()
        counters.move(*motion)
    before = odometer.update(counters.sip(), counters.time)
    odometer.set(5.0, 1.0, 1.0)
    ticks()
    after = odometer.state
    assert (after.x, after.y, after.yaw) == pytest.approx((5.0, 1.0, 1.0), abs=0.003)
    assert after.travelled == pytest.approx(before.travelled, abs=0.002)
    assert after.left_angle == pytest.approx(counters.left / (AMIGO.body.wheel_diameter / 2), abs=0.02)
