# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The gyro: zero at rest, the body's rate in a turn, and a variance that holds what it says."""

from __future__ import annotations

import math

import pytest
from bench import connected, lost
from component_bench import ComponentBench, sip

from amigobot_driver.protocol import Gyro, GyroSample, Sip
from amigobot_driver.robot import TurnRate
from amigobot_driver.robot.sensing.gyro import ENOUGH, PERIOD, RATE, Gyroscope


def gyro(*rates: int) -> Gyro:
    return Gyro(samples=tuple(GyroSample(rate=rate, temperature=40) for rate in rates))


class GyroBench(ComponentBench):
    """The gyroscope by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.gyroscope = Gyroscope(self.context)

    @property
    def center(self) -> float:
        return self.gyroscope.center


def rest(gyroscope: GyroBench, *rates: int, moving: bool = False, cycles: int = 30) -> None:
    """So many info cycles of 100 ms with these four samples in each."""
    for _ in range(cycles):
        gyroscope.receive(gyro(*rates), 0.0)
        gyroscope.receive(sip(id=Sip.MOVING if moving else 0x32), 0.0)


def rate(gyroscope: GyroBench, *rates: int, stamp: float = 0.0) -> TurnRate:
    event = gyroscope.receive(gyro(*rates), stamp)[-1]
    assert isinstance(event, TurnRate)
    return event


class TestSamples:
    def test_a_sample_below_the_center_is_counter_clockwise(self) -> None:
        gyroscope = GyroBench()
        assert rate(gyroscope, 500).rate == pytest.approx(12 * math.radians(0.9537), rel=1e-3)
        assert rate(gyroscope, 524).rate == -rate(gyroscope, 500).rate

    def test_each_sample_has_its_own_stamp(self) -> None:
        turns = [event for event in GyroBench().receive(gyro(508, 512, 513, 508), 10.0) if isinstance(event, TurnRate)]
        assert [turn.rate for turn in turns] == pytest.approx([4 * RATE, 0.0, -RATE, 4 * RATE])
        middles = [10.0 - share * PERIOD for share in (3.5, 2.5, 1.5, 0.5)]
        assert [turn.stamp for turn in turns] == pytest.approx(middles)


class TestCenter:
    def test_the_center_is_measured_at_rest(self) -> None:
        gyroscope = GyroBench()
        rest(gyroscope, 517, 518, 518, 519)
        assert gyroscope.center == pytest.approx(518, abs=0.1)
        assert rate(gyroscope, 518, 518).rate == pytest.approx(0.0, abs=0.1 * RATE)

    def test_the_center_stays_while_the_robot_moves(self) -> None:
        gyroscope = GyroBench()
        rest(gyroscope, 480, 480, 480, 480, moving=True)
        assert gyroscope.center == 512

    def test_a_center_that_has_wandered_is_found_again(self) -> None:
        """What was measured long ago counts for nothing against a rest of now."""
        gyroscope = GyroBench()
        rest(gyroscope, 515, 515, 515, 516)
        gyroscope.receive(sip(id=Sip.MOVING), 1.0)
        for cycle in range(20):
            now = 600.0 + cycle * 0.1
            gyroscope.receive(gyro(518, 518, 518, 519), now)
            gyroscope.receive(sip(), now)
            assert gyroscope.center == pytest.approx(515.25 if cycle <= ENOUGH // 4 else 518.25, abs=0.05)


def test_the_variance_is_large_until_measured_then_grows() -> None:
    gyroscope = GyroBench()
    unknown = rate(gyroscope, 512).variance
    rest(gyroscope, 512, 513, 512, 511)
    fresh = rate(gyroscope, 512).variance
    assert fresh == pytest.approx((1 / 12 + 0.5) * RATE**2, rel=0.1) and fresh < unknown / 20
    assert rate(gyroscope, 512, stamp=600.0).variance > fresh
    assert rate(gyroscope, 412).variance > 3 * fresh


class TestOnTheRobot:
    def test_a_standing_robot_does_not_turn(self) -> None:
        bench = connected("amigo-sh")
        bench.run(5)
        assert math.isfinite(bench.robot.gyro.calibrated)
        since = bench.now
        bench.run(20)
        rates = [turn.rate for turn in bench.emitted(TurnRate, since)]
        assert len(rates) == pytest.approx(800, abs=8)
        assert abs(sum(rates) / len(rates)) < math.radians(0.1)
        assert max(map(abs, rates)) < math.radians(2.5)

    @pytest.mark.parametrize("speed", [-1.0, 0.3, 1.0])
    def test_a_turning_robot_turns_as_fast_as_it_does(self, speed: float) -> None:
        """And the angle that the rates add up to is the one it has turned by."""
        bench = connected("amigo-sh")
        bench.run(5)
        heading, turned = bench.simulator.truth.pose.heading, 0.0
        since = bench.now
        for _ in range(60):
            bench.run(0.1, cmd_vel=(0.0, speed))
            now = bench.simulator.truth.pose.heading
            turned += math.remainder(now - heading, math.tau)
            heading = now
        turns = bench.emitted(TurnRate, since)
        assert sum(turn.rate for turn in turns) * PERIOD == pytest.approx(turned, abs=0.05 * abs(turned) + 0.02)
        late = turns[-10:]
        truth = bench.simulator.truth.turn_rate
        assert all(abs(turn.rate - truth) < 4 * math.sqrt(turn.variance) for turn in late)

    def test_a_new_session_measures_the_center_anew(self) -> None:
        bench = connected("amigo-sh")
        bench.run(5)
        before = bench.robot.gyro.calibrated
        bench.up.fault = bench.down.fault = lost
        bench.run(3)
        bench.restore_link()
        bench.until(lambda: bench.robot.gyro.calibrated > before, within=20)
