# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Tuning values: set, read back from CONFIGpac, sent again, re-applied; and the sonars' firing order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench import Bench, connected, losing

from amigobot_driver.protocol import Command
from amigobot_driver.robot import TUNABLE, Options, Outcome


@pytest.fixture(params=["amigo", "amigo-sh"])
def bench(request) -> Bench:
    return Bench(Options(), request.param).connect()


def set_values(bench: Bench, **values: int) -> Outcome:
    return bench.result(lambda: bench.robot.tuning.set(values, bench.now))


@pytest.mark.parametrize("name", [name for name in TUNABLE if name not in ("drift_factor", "ticks_mm", "sonar_cycle")])
def test_every_value_is_set_and_read_back(bench, name):
    value = getattr(bench.robot.tuning.config, name) + 7
    assert set_values(bench, **{name: value}) == Outcome(True, "confirmed by the robot")
    assert getattr(bench.robot.tuning.config, name) == value


@pytest.mark.parametrize(("name", "value"), [("drift_factor", -5), ("ticks_mm", 31), ("sonar_cycle", 60)])
def test_what_only_amigosh_has(name, value):
    old = connected("amigo")
    assert set_values(connected("amigo-sh"), **{name: value}).success
    outcome = set_values(old, **{name: value})
    assert not outcome.success
    assert outcome.message == f"this robot's firmware has no {name}"


def test_a_robot_that_will_not_is_quoted(bench):
    bench.up.fault = losing(82)
    outcome = set_values(bench, rot_kp=33)
    assert outcome == Outcome(False, "after 6 tries the robot reports rot_kp 30 instead of 33")
    assert "rot_kp" not in bench.robot.tuning.requested


def test_a_robot_deaf_for_config_gets_its_values_later(bench):
    """One direction of a radio link may fail: SIPs arrive, and the robot's limits are unknown."""
    assert set_values(bench, trans_vel_max=400).success
    bench.unplug()
    bench.switch_on()
    bench.up.fault = losing(Command.CONFIG, Command.SETV)
    bench.connect()
    bench.run(10.0)
    assert bench.robot.running
    assert bench.robot.tuning.config is None
    assert not bench.robot.tuning.applying
    bench.up.fault = lambda frame: frame
    bench.run(15.0)
    assert bench.robot.tuning.config.trans_vel_max == 400


@pytest.mark.parametrize("name", TUNABLE)
def test_a_value_out_of_range_is_refused_unsent(name):
    bench, low, high = connected("amigo-sh"), TUNABLE[name].low, TUNABLE[name].high
    start = bench.now
    for value in (low - 1, high + 1, 1.5, "5", None, True, float("nan")):
        with pytest.raises(ValueError, match=f"^{name} is .*, allowed: {low} to {high}"):
            bench.robot.tuning.set({name: value}, bench.now)
    bench.run(0.2)
    assert set(bench.commands(start)) <= {"PULSE"}


@pytest.mark.parametrize(
    "options",
    [
        {"tuning": {"rot_kp": 40000}},
        {"tuning": {"nonsense": 1}},
        {"tuning": {"trans_decel": -1}},
        {"max_linear": float("nan")},
        {"max_angular": float("inf")},
        {"command_timeout": float("nan")},
        {"command_timeout": 3600},
        {"baud": 300},
        {"baud": "fast"},
        {"bridge_baud": -2},
        {"compass": "on"},
        {"pwm_frequency": 100.0},
        {"pwm_max_duty": float("nan")},
        {"max_linear": "x"},
        {"sonar_sequence": "01"},
        {"sonar_sequence": (True,)},
        {"tuning": 5},
    ],
    ids=str,
)
def test_options_with_a_bad_value_are_refused_when_made(options):
    with pytest.raises(ValueError, match=r"allowed|expected|cannot be set"):
        Options(**options)


def test_a_limit_below_the_robots_unit_is_refused():
    allowed = r"0 \(keeps the robot's limit\) or at least 0\.001 m/s"
    with pytest.raises(ValueError, match=rf"max_linear is 0\.0004 m/s, allowed: {allowed}"):
        Options(max_linear=0.0004)
    bench = Bench(Options(max_linear=0.001, max_angular=0.01745)).connect()
    bench.run(1.0)
    config = bench.robot.tuning.config
    assert (config.trans_vel_max, config.rot_vel_max) == (1, 1)


def test_a_request_that_another_one_contradicts_is_told_so(bench):
    first = bench.request(lambda: bench.robot.tuning.set({"rot_kp": 33, "rot_kv": 61}, bench.now))
    second = bench.result(lambda: bench.robot.tuning.set({"rot_kp": 44}, bench.now))
    assert first.result() == Outcome(False, "tuning: another request replaced this one")
    assert second.success
    bench.run(1.0)
    assert bench.simulator._firmware.tuning.rot_kp == 44


def test_success_means_the_value_however_requests_overlap(bench):
    bench.up.delay = bench.down.delay = 0.15
    for pause in (0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6):
        bench.request(lambda: bench.robot.tuning.set({"rot_kp": 31}, bench.now))
        bench.run(pause)
        bench.request(lambda: bench.robot.tuning.set({"rot_kp": 44}, bench.now))
        bench.run(pause)
        future = bench.result(lambda: bench.robot.tuning.set({"rot_kp": 31}, bench.now))
        bench.run(0.3)
        assert future.success
        assert bench.simulator._firmware.tuning.rot_kp == 31


class TestSonarSequence:
    def poll(self, bench: Bench, *sonars: int) -> Outcome:
        future = bench.result(lambda: bench.robot.sequence.set(sonars, bench.now))
        return future

    def test_sonars_that_are_switched_off_are_said_so(self, bench):
        bench.request(lambda: bench.robot.sonar.set(False, bench.now))
        bench.run(1.0)
        outcome = self.poll(bench, 0, 5)
        assert not outcome.success
        assert "are they switched on?" in outcome.message

    @pytest.mark.parametrize(
        ("sonars", "complaint"),
        [
            ((8,), "0 to 7"),
            ((-1,), "0 to 7"),
            ((1,) * 17, "the sequence has 17 entries for one array of 8, allowed: up to 16"),
        ],
    )
    def test_sonars_that_are_not_there_are_refused(self, bench, sonars, complaint):
        with pytest.raises(ValueError, match=complaint):
            bench.robot.sequence.set(sonars, bench.now)


@pytest.mark.parametrize(("name", "own"), [("rev_count", 40_000), ("sonar_cycle", 0), ("trans_decel", 0)])
def test_an_own_value_beyond_the_command_is_kept(name, own):
    """A robot may report anything as its own; the parameter of 0 means: the robot's own."""
    bench = Bench(Options(), "amigo-sh").connect()
    tuning = bench.robot.tuning
    tuning.own[name] = own
    bench.request(lambda: bench.robot.configure(replace(bench.robot.options, tuning={name: 100}), bench.now))
    bench.run(2.0)
    assert bench.robot.tuning.config.value(name) == 100
    done = bench.result(lambda: bench.robot.configure(Options(), bench.now))
    assert done.success
    bench.run(5.0)
    assert name not in tuning.requested
    assert bench.robot.running


@pytest.mark.parametrize("during", [0.2, 0.0])
def test_a_limit_changed_without_link_is_not_own(during: float) -> None:
    bench = Bench(Options(profile="erratic"), "erratic").connect()
    bench.run(2.0)
    own = bench.robot.tuning.config.value("trans_vel_max")

    def limit(max_linear: float) -> None:
        bench.result(lambda: bench.robot.configure(Options(profile="erratic", max_linear=max_linear), bench.now))

    limit(0.1)
    bench.lose_link()
    bench.run(3.0)
    limit(during)
    bench.restore_link()
    bench.until(lambda: bench.robot.running, 20.0)
    bench.run(4.0)
    limit(0.3)
    assert bench.robot.tuning.config.value("trans_vel_max") == 300
    limit(0.0)
    bench.run(2.0)
    assert bench.robot.tuning.config.value("trans_vel_max") == own
