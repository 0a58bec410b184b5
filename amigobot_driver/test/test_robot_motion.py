# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Safety: no velocity outlives its sender, STOP comes first, the emergency stop wins, nonsense stays out."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pytest
from bench import Bench, losing, losing_first, lost

from amigobot_driver.connection_policy import WATCHDOG
from amigobot_driver.protocol import Command, Instruction
from amigobot_driver.robot import Options, RequestRefusedError
from amigobot_driver.robot.command_queue import MAX_ROUTINE, CommandQueue, Priority

FAST = Options(max_linear=0.7, max_angular=3.0)


@pytest.fixture
def bench() -> Bench:
    return Bench(FAST).connect()


def moves(instruction: Instruction) -> bool:
    """Whether a robot may move because of it."""
    return instruction.command in (Command.VEL, Command.RVEL, Command.VEL2, Command.HEAD) and instruction.value != 0


def velocities(bench: Bench, since: float = 0.0) -> list[str]:
    return [command for command in bench.commands(since) if command.startswith(("VEL", "RVEL"))]


@pytest.mark.parametrize(
    ("linear", "angular", "words"),
    [(0.3, 1.0, "VEL(300) RVEL(57)"), (-0.1, -0.5, "VEL(-100) RVEL(-29)"), (0.0004, 0.008, "VEL(0) RVEL(0)")],
)
def test_a_velocity_has_the_units_of_the_commands(bench: Bench, linear: float, angular: float, words: str) -> None:
    since = bench.now
    bench.drive(linear, angular)
    bench.run(0.1)
    assert velocities(bench, since) == words.split()


class TestTimeout:
    @pytest.mark.parametrize("timeout", [0.2, 0.5, 1.5])
    @pytest.mark.parametrize("death", [0.0, 0.013, 0.1, 0.24])
    def test_a_velocity_ends_within_milliseconds_of_its_timeout(self, timeout: float, death: float) -> None:
        """The publisher dies at full speed, at any moment between two keep-alives."""
        bench = Bench(Options(max_linear=0.7, command_timeout=timeout)).connect()
        bench.run(2 + death, cmd_vel=(0.7, 0.5), rate=20.0)
        bench.drive(0.7, 0.5)
        died = bench.now
        bench.run(timeout + 1)
        zeros = {Command.VEL(0): math.inf, Command.RVEL(0): math.inf}
        for time, instruction in bench.sent(died):
            if instruction in zeros:
                zeros[instruction] = min(time, zeros[instruction])
        assert timeout <= min(zeros.values()) - died
        assert max(zeros.values()) - died < timeout + 0.05
        assert bench.robot.motion.stats.timeouts == 1
        assert f"no velocity for {timeout:g} s: stopped" in bench.notices

    @pytest.mark.parametrize("rate", [3.0, 5.0, 50.0])
    def test_velocities_in_time_cause_no_stop(self, bench: Bench, rate: float) -> None:
        bench.run(1, cmd_vel=(0.5, 0.0), rate=rate)
        since = bench.now
        bench.run(5, cmd_vel=(0.5, 0.0), rate=rate)
        assert set(velocities(bench, since)) == {"VEL(500)", "RVEL(0)"}


class TestKeepAlive:
    def test_three_keep_alives_fit_into_the_watchdog_time(self, bench: Bench) -> None:
        since = bench.now
        bench.run(60)
        gaps = [b - a for (a, _), (b, _) in pairwise(bench.sent(since))]
        assert max(gaps) < WATCHDOG / 3

    @pytest.mark.parametrize("frames", range(1, 12, 2))
    def test_a_stop_is_repeated_until_the_robot_stands(self, bench: Bench, frames: int) -> None:
        """However many are lost: half a radio link may eat every one for a second while the SIPs get through."""
        bench.run(2, cmd_vel=(0.5, 0.0))
        bench.up.fault = losing(Command.STOP, Command.VEL)
        bench.request(lambda: bench.robot.motion.stop(bench.now))
        bench.run(frames * 0.25)
        bench.restore_link()
        bench.run(3)
        assert not bench.reports[-1].moving
        assert bench.simulator.truth.left_velocity == 0

    def test_the_keep_alive_is_pulse_until_driven(self, bench: Bench) -> None:
        since = bench.now
        bench.run(5)
        assert set(bench.commands(since)) == {"PULSE"}
        bench.run(2, cmd_vel=(0.3, 0.0))
        bench.run(5)
        since = bench.now
        bench.run(5)
        assert set(bench.commands(since)) == {"STOP"}

    @pytest.mark.parametrize("end", ["the sender dies", "stop", "emergency stop", "another velocity"])
    def test_keep_alives_do_not_revive_a_deaf_robot(self, bench: Bench, end: str) -> None:
        """It stands by its watchdog, and would drive on at the first frame it hears again."""
        bench.run(2, cmd_vel=(0.5, 0.5))
        bench.up.fault = lost
        if "stop" in end:
            motion = bench.robot.motion
            bench.request((lambda: motion.stop(bench.now)) if end == "stop" else motion.emergency_stop)
        elif end == "another velocity":
            bench.drive(-0.1, 0.0)
        bench.run(6)
        assert bench.robot.running, "it is heard all the time"
        rest = bench.simulator.truth.pose
        bench.restore_link()
        bench.run(5)
        pose = bench.simulator.truth.pose
        assert (pose.x, pose.y, pose.heading) == pytest.approx((rest.x, rest.y, rest.heading), abs=1e-4)


class TestStopFirst:
    """Any frame revives the last velocity of the robot, so after a gap STOP goes before all else.

    Source: docs/protocol 3.6.
    """

    @pytest.mark.parametrize("writer_first", [False, True])
    @pytest.mark.parametrize("seconds", [0.55, 0.95])
    def test_a_waiting_velocity_expires_while_the_process_sleeps(
        self, bench: Bench, seconds: float, writer_first: bool
    ) -> None:
        bench.request(lambda: bench.robot.queue.put(Command.SONAR(1)))  # the velocity has to wait for the spacing
        since = bench.now
        bench.drive(0.5, 0.5)
        bench.sleep(seconds, writer_first=writer_first)
        bench.run(1)
        assert not [instruction for _, instruction in bench.sent(since) if moves(instruction)]

    def test_an_old_velocity_after_a_sleep_is_refused(self, bench: Bench) -> None:
        """The computer is busy after it wakes up: the middleware delivers late what waited in its queue."""
        bench.run(2, cmd_vel=(0.5, 0.5))
        bench.sleep(1.5)
        since = bench.now
        for pause in (1.2, 0.3):
            bench.run(pause)
            with pytest.raises(RequestRefusedError, match="was suspended"):
                bench.drive(0.5, 0.5)
        bench.run(0.3)
        assert not [instruction for _, instruction in bench.sent(since) if moves(instruction)]
        bench.run(1, cmd_vel=(0.5, 0.0))
        assert bench.reports[-1].moving

    @pytest.mark.parametrize("robot", ["amigo", "erratic"])
    @pytest.mark.parametrize("away", [0.5, 2.5])
    def test_a_port_away_during_the_handshake_is_no_sleep(self, robot: str, away: float) -> None:
        """Nothing is sent meanwhile, as there is no port: the first velocity is taken."""
        bench = Bench(Options(profile=robot), robot)
        bench.plug_in()
        bench.run(0.2)
        bench.unplug()
        bench.run(away)
        bench.plug_in()
        bench.until(lambda: bench.robot.running and bench.robot.estimator.report)
        bench.run(1.0, cmd_vel=(0.2, 0.0))
        assert bench.reports[-1].moving

    def test_a_zero_precedes_the_switching_on_of_motors(self, bench: Bench) -> None:
        bench.simulator.press_motors_button()
        bench.run(1)
        since = bench.now
        bench.request(lambda: bench.robot.enable_motors(True, bench.now))
        bench.run(0.3)
        assert bench.commands(since)[:3] == ["VEL(0)", "RVEL(0)", "ENABLE(1)"]


def test_a_velocity_older_than_a_stop_is_refused(bench: Bench) -> None:
    bench.run(0.1)
    since = bench.now
    bench.request(lambda: bench.robot.motion.stop(bench.now))
    with pytest.raises(RequestRefusedError, match="the robot was stopped after this velocity was sent"):
        bench.request(lambda: bench.robot.motion.drive(0.5, 0.0, since - 0.01))
    bench.run(1)
    assert not any("VEL(500)" in command for command in bench.commands(since))
    bench.run(1, cmd_vel=(0.5, 0.0))
    assert bench.reports[-1].moving


class TestEmergencyStop:
    def test_an_emergency_stop_is_the_next_frame_sent(self, bench: Bench) -> None:
        bench.run(2, cmd_vel=(0.5, 0.0))
        for number in range(MAX_ROUTINE):
            bench.robot.queue.put(Command.SOUND(1 + number % 255))
        bench.drive(0.5, 0.3)
        since = bench.now
        bench.request(bench.robot.motion.emergency_stop)
        bench.run(0.02)
        [(time, first), *_] = bench.sent(since + 1e-6) or bench.sent(since)
        assert first == Command.E_STOP()
        assert "stop-latched" in bench.live_causes
        assert time - since <= 0.0201

    def test_an_emergency_stop_brakes_harder_than_a_stop(self, bench: Bench) -> None:
        def stopping_distance(stop: Callable[[], None]) -> float:
            bench.run(4, cmd_vel=(0.6, 0.0))
            start = bench.simulator.truth.pose.x
            bench.request(stop)
            bench.run(4)
            assert bench.simulator.truth.left_velocity == 0
            return bench.simulator.truth.pose.x - start

        braked = stopping_distance(bench.robot.motion.emergency_stop)
        bench.robot.motion.clear_emergency_stop(bench.now)
        assert braked < 0.5 * stopping_distance(lambda: bench.robot.motion.stop(bench.now))

    def test_clearing_without_a_latched_stop_stops_the_robot(self, bench: Bench) -> None:
        bench.run(2, cmd_vel=(0.5, 0.0))
        bench.request(lambda: bench.robot.motion.clear_emergency_stop(bench.now))
        bench.run(0.2)
        assert not bench.robot.motion.requested
        bench.run(2)
        assert bench.simulator.truth.left_velocity == 0

    def test_a_velocity_older_than_the_clearing_is_refused(self, bench: Bench) -> None:
        bench.request(bench.robot.motion.emergency_stop)
        bench.run(1)
        sent = bench.now
        bench.run(0.1)
        bench.robot.motion.clear_emergency_stop(bench.now)
        with pytest.raises(RequestRefusedError, match="the robot was stopped after this velocity was sent"):
            bench.robot.motion.refuse_if_stopped_since(sent)
        bench.drive(0.3, 0.0)

    @pytest.mark.parametrize(("lost", "seconds"), [(1, 1.25), (2, 1.5), (5, 2.25), (10, 3.5), (1000, 4.0)])
    def test_a_lost_emergency_stop_is_sent_again(self, bench: Bench, lost: int, seconds: float) -> None:
        """Where all are lost, as to P2OS before 1.8 or another simulator, it becomes a STOP."""
        bench.run(3, cmd_vel=(0.5, 0.0))
        bench.up.fault = losing_first(lost, Command.E_STOP)
        bench.request(bench.robot.motion.emergency_stop)
        bench.run(seconds)
        assert bench.simulator.truth.left_velocity == 0

    @pytest.mark.parametrize("other", ["stop", "motors on", "motors off"])
    def test_no_request_softens_an_emergency_stop(self, bench: Bench, other: str) -> None:
        """To the firmware a zero is the next velocity, and ends the hard braking."""
        bench.run(3, cmd_vel=(0.5, 0.0))
        since = bench.now
        bench.request(bench.robot.motion.emergency_stop)
        if other == "stop":
            bench.request(lambda: bench.robot.motion.stop(bench.now))
        else:
            bench.request(lambda: bench.robot.enable_motors(other == "motors on", bench.now))
        bench.run(1)
        assert bench.commands(since)[0] == "E_STOP"
        assert not {"VEL(0)", "RVEL(0)", "STOP"} & set(bench.commands(since))

    def test_an_emergency_stop_outlives_a_lost_connection(self, bench: Bench) -> None:
        bench.request(bench.robot.motion.emergency_stop)
        bench.unplug()
        bench.open_session()
        with pytest.raises(RequestRefusedError, match="emergency"):
            bench.drive(0.3, 0.0)


class TestLimits:
    @pytest.mark.parametrize(
        "request_",
        [
            lambda robot, now: robot.motion.drive(math.nan, 0.0, now),
            lambda robot, now: robot.motion.drive_wheels(0.1, math.inf, now),
            lambda robot, now: robot.motion.drive_heading(math.nan, 0.0, now),
            lambda robot, now: robot.motion.drive_heading(0.1, math.nan, now),
            lambda robot, now: robot.move(math.nan, now),
            lambda robot, now: robot.move(0.0004, now),
            lambda robot, now: robot.turn(math.nan, now),
            lambda robot, now: robot.turn(-math.inf, now, absolute=True),
        ],
    )
    def test_each_refused_motion_is_counted_once(self, bench: Bench, request_: Callable[..., object]) -> None:
        with pytest.raises(RequestRefusedError):
            request_(bench.robot, bench.now)
        assert bench.robot.motion.stats.refused == 1

    @pytest.mark.parametrize(
        ("requested", "sent"),
        [
            ((0.6, 0.0), ["VEL(300)", "RVEL(0)"]),
            ((0.6, 1.0), ["VEL(300)", "RVEL(29)"]),
            ((-0.6, 1.0), ["VEL(-300)", "RVEL(29)"]),
            ((0.2, 4.0), ["VEL(50)", "RVEL(57)"]),
            ((2.0, 0.0), ["VEL(300)", "RVEL(0)"]),
            ((0.0, -60.0), ["VEL(0)", "RVEL(-57)"]),
            ((3e8, 1e9), ["VEL(300)", "RVEL(57)"]),
            ((-1.7e308, 1.7e308), ["VEL(-300)", "RVEL(17)"]),
        ],
    )
    def test_too_fast_is_scaled_down_on_the_same_curve(self, requested: tuple[float, float], sent: list[str]) -> None:
        bench = Bench(Options(max_linear=0.3, max_angular=1.0)).connect()
        since = bench.now
        bench.drive(*requested)
        bench.run(0.1)
        assert velocities(bench, since) == sent

    def test_lowered_limits_keep_the_curve_until_changed(self) -> None:
        bench = Bench(Options(max_linear=0.6, max_angular=2.0)).connect()
        bench.request(lambda: bench.robot.tuning.set({"trans_vel_max": 300}, bench.now))
        bench.run(1)
        since = bench.now
        bench.drive(0.5, 1.0)
        bench.run(0.3)
        assert velocities(bench, since)[:2] == ["VEL(300)", "RVEL(34)"]
        bench.request(lambda: bench.robot.configure(Options(max_linear=0.5, max_angular=2.0), bench.now))
        since = bench.now
        bench.drive(0.5, 1.0)
        bench.run(0.3)
        assert velocities(bench, since)[:2] == ["VEL(500)", "RVEL(57)"]


@pytest.mark.parametrize("rate", [10.0, 30.0, 100.0, 500.0])
def test_frames_are_twenty_milliseconds_apart(bench: Bench, rate: float) -> None:
    """One frame at a time, 20 ms apart: AmigOS takes one command in 10 ms and loses what overflows."""
    bench.run(5, cmd_vel=(0.3, 0.5), rate=rate)
    bench.request(bench.robot.motion.emergency_stop)
    bench.run(1)
    assert min(b - a for (a, _), (b, _) in pairwise(bench.sent())) >= 0.02 - 1e-9


def test_the_queue_gives_the_most_urgent_command_first() -> None:
    queue = CommandQueue(0.0)
    for instruction, priority in (
        (Command.SOUND(1), Priority.ROUTINE),
        (Command.PULSE(), Priority.KEEP_ALIVE),
        (Command.VEL(1), Priority.VELOCITY),
        (Command.RVEL(2), Priority.VELOCITY),
        (Command.SOUND(2), Priority.ROUTINE),
        (Command.STOP(), Priority.STOP),
        (Command.E_STOP(), Priority.EMERGENCY),
    ):
        queue.put(instruction, priority)
    taken = [str(instruction) for instruction in iter(lambda: queue.take(0.0), None)]
    assert taken == ["E_STOP", "STOP", "VEL(1)", "RVEL(2)", "PULSE", "SOUND(1)", "SOUND(2)"]
    assert queue.next_time() == math.inf
