# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the robot streams beside its SIP, and what the encoders are good for, on simulated time."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from bench import Bench, TruthRecord, connected, losing, losing_first

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, Encoders, Packet, Sip
from amigobot_driver.robot import EncoderReading, Odometry, Options, Report
from amigobot_driver.robot.sensing.encoders import STALE, WheelEncoders
from amigobot_driver.robot.sensing.odometry import Odometer
from amigobot_driver.robot.streams import RETRIES

AMIGO = load_profile("amigo")


def received(bench: Bench, kind: type[Packet], since: float = 0.0) -> int:
    return sum(isinstance(packet, kind) for _, packet in bench.packets(since))


def count(bench: Bench, command: str, since: float = 0.0) -> int:
    return bench.commands(since).count(command)


class TestAsking:
    @pytest.mark.parametrize("robot", ["amigo", "p3dx"])
    def test_a_stream_that_nobody_wants_is_not_requested(self, robot: str) -> None:
        """BATTERYINFO, which ARIA sends after every connect, meant the end of an old simulator."""
        bench = connected(robot)
        bench.run(3)
        streams = ("ENCODER", "GYRO", "IOREQUEST", "JOY", "BATTERYINFO")
        assert not [command for command in bench.commands() if command.startswith(streams)]

    def test_a_stream_is_requested_once_for_every_sip(self) -> None:
        bench = connected(encoder_stream=True)
        since = bench.now
        bench.run(5)
        assert count(bench, "ENCODER(2)") == 1
        assert received(bench, Encoders, since) == pytest.approx(50, abs=1)

    def test_a_missing_stream_is_requested_again(self) -> None:
        bench = Bench(Options(encoder_stream=True))
        bench.up.fault = losing(Command.ENCODER)
        bench.connect()
        bench.run(RETRIES.duration + 15)
        assert count(bench, "ENCODER(2)") == RETRIES.limit + 2
        assert len([notice for notice in bench.notices if "no ENCODERpac arrived" in notice]) == 1
        assert [stream.name for stream, flow in bench.robot.streams.states.items() if flow.silent] == ["ENCODERpac"]
        assert "silent-streams" in bench.live_causes
        bench.restore_link()
        bench.run(RETRIES.afterwards + 1)
        assert not any(flow.silent for flow in bench.robot.streams.states.values())
        bench.restore_link()
        bench.until(lambda: bench.emitted(EncoderReading), within=11)

    def test_a_lost_stop_of_a_stream_is_repeated(self) -> None:
        bench = connected()
        bench.request(lambda: bench.robot.configure(Options(encoder_stream=True), bench.now))
        bench.run(2)
        assert received(bench, Encoders, bench.now - 1) >= 9
        bench.up.fault = losing(Command.ENCODER)
        bench.request(lambda: bench.robot.configure(Options(), bench.now))
        bench.run(0.5)
        bench.restore_link()
        bench.run(2)
        assert count(bench, "ENCODER(0)") >= 2
        since = bench.now
        bench.run(2)
        assert received(bench, Encoders, since) == 0

    def test_a_gyro_is_requested_only_where_there_is_one(self) -> None:
        assert count(connected("amigo-sh"), "GYRO(1)") == 1
        assert count(connected("amigo-sh", gyro=False), "GYRO(1)") == 0
        assert count(connected("amigo"), "GYRO(1)") == 0


class TestTicks:
    def test_the_tick_length_is_the_firmwares_or_profiles(self) -> None:
        config = connected("amigo-sh").robot.tuning.config
        assert load_profile("amigo-sh").body.meters_per_tick(config.ticks_mm) == pytest.approx(1e-3 / 30)
        assert AMIGO.body.meters_per_tick() == pytest.approx(math.pi * 0.1 / 9550)
        assert math.isnan(load_profile("generic").body.meters_per_tick())

    @pytest.mark.parametrize(
        ("robot", "ticks", "rev_count", "track"),
        [
            ("amigo", 30.4, 23310, 0.244),
            ("amigo", 30.4, 25000, 0.2618),
            ("amigo", 30.4, 11000, 0.244),  # not this quantity: the profile's
            ("amigo-sh", 30, 23310, 0.2473),
            ("p3dx-sh", 128, 16570, 0.3297),
            ("p3at-sh", 138, 32550, 0.6006),
            ("p3at-sh", 164, 29500, 0.4581),
        ],
    )
    def test_the_track_is_what_revcount_means(self, robot: str, ticks: float, rev_count: int, track: float) -> None:
        assert load_profile(robot).body.track_by(rev_count, 1e-3 / ticks) == pytest.approx(track, abs=0.0003)

    @pytest.mark.parametrize(("rev_count", "share"), [(16570, 1.0), (18227, 1 / 1.1)])
    def test_a_calibrated_revcount_of_a_pioneer_counts(self, rev_count: int, share: float) -> None:
        bench = Bench(Options(encoder_odometry=True, tuning={"rev_count": rev_count}), "p3dx-sh", baud=38400).connect()
        bench.run(2.0)
        before, turned = bench.robot.estimator.odometer.state, bench.simulator.truth.pose.heading
        bench.run(3.0, cmd_vel=(0.0, 0.4))
        bench.run(2.0)
        turned = bench.simulator.truth.pose.heading - turned
        assert bench.robot.estimator.odometer.state.turned - before.turned == pytest.approx(share * turned, rel=0.01)

    @pytest.mark.parametrize("start", [0, 2**31 - 100, -(2**31) + 100, -50])
    def test_the_counters_wrap_where_they_like(self, start: int) -> None:
        encoders, odometer = WheelEncoders(), Odometer(AMIGO)
        encoders.leading = True
        for step in range(20):
            ticks = (start + 500 * step + 2**31) % 2**32 - 2**31
            list(encoders.update(Encoders(left=ticks, right=ticks), 0.1 * step, odometer, AMIGO, None))
        assert odometer.state.x == pytest.approx(19 * 500 * math.pi * 0.1 / 9550)
        assert odometer.state.left_angle == pytest.approx(19 * 500 / 9550 * math.tau)
        assert encoders.jumps == 0

    def test_a_jump_of_the_counters_moves_nothing(self) -> None:
        encoders, odometer = WheelEncoders(), Odometer(AMIGO)
        encoders.leading = True
        for step, ticks in enumerate((0, 500, 900_000, 900_500)):
            list(encoders.update(Encoders(left=ticks, right=ticks), 0.1 * step, odometer, AMIGO, None))
        assert odometer.state.x == pytest.approx(1000 * math.pi * 0.1 / 9550)
        assert encoders.jumps == 1

    def test_a_packet_without_its_sip_waits_a_cycle(self) -> None:
        """The next SIP has the motion of both cycles."""
        bench = connected(encoder_odometry=True)
        bench.run(2.0, cmd_vel=(0.1, 1.0))
        since = bench.now
        bench.down.fault = losing_first(1, Sip.MOVING)
        bench.run(1.0, cmd_vel=(0.1, 1.0))
        assert [event.odometry for event in bench.emitted(EncoderReading, since)].count(None) == 1
        for before, after in pairwise(bench.emitted(Report, since)):
            turned = math.remainder(after.odometry.yaw - before.odometry.yaw, math.tau)
            assert turned == pytest.approx(1.0 * (after.stamp - before.stamp), abs=0.03)


class TestOdometryFromEncoders:
    def test_no_pose_jumps_whatever_is_lost(self) -> None:
        """Lost ENCODERpacs, a stream that ends and comes back: the SIPs fill in, from where the pose was."""
        bench = connected(encoder_odometry=True)
        truth, published = TruthRecord(bench), list[tuple[float, Odometry]]()

        def drive(seconds: float) -> None:
            for _ in range(round(seconds * 10)):
                truth.drive(0.2, 0.3)

        for silence in (0.15, 0.3, 0.5, 2.0):
            drive(1.5)
            bench.down.fault = losing(0x90)
            drive(silence)
            bench.down.fault = None
        drive(1.5)
        rolled_at = -math.inf
        for _, event in bench.events:
            if isinstance(event, EncoderReading) and event.odometry:
                rolled_at = event.stamp
                published.append((event.stamp, event.odometry))
            elif isinstance(event, Report) and event.stamp - rolled_at >= STALE:
                published.append((event.stamp, event.odometry))
        for (t0, a), (t1, b) in pairwise(published):
            assert math.dist((a.x, a.y), (b.x, b.y)) <= 0.21 * max(t1 - t0, 0.1) + 0.002
        distance, yaw = truth.errors(published)[-1]
        assert distance < 0.005
        assert abs(yaw) < 0.01

    def test_a_packet_has_the_stamp_of_its_cycle(self) -> None:
        """It follows the SIP on the line, 37 ms at 9600 baud, and tells of the same moment."""
        bench = connected(encoder_stream=True)
        bench.run(2)
        reports = {report.stamp for report in bench.reports}
        assert all(rolled.stamp in reports for rolled in bench.emitted(EncoderReading)[1:])
