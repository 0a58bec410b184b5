# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording of the line through the same robot object: what comes out is what came out then, to the nanosecond."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench import DEFAULTS, Bench
from hypothesis import given
from hypothesis import strategies as st

from amigobot_driver.protocol import Reset, Sip, parse
from amigobot_driver.replay import SCHEME, MissingPackets, Replay
from amigobot_driver.robot import (
    EncoderReading,
    Event,
    FrameSeen,
    LinkChanged,
    LinkState,
    OdometryStale,
    Options,
    Report,
    Robot,
    TurnRate,
)

#: ns; when the recordings here were made. A float of this size knows no nanoseconds.
EPOCH = 1_794_000_000_123_456_789


@dataclass(frozen=True)
class Recorded:
    """One recorded frame."""

    data: bytes
    stamp: int  #: ns
    to_robot: bool = False

    def later(self, seconds: float) -> Recorded:
        return dataclasses.replace(self, stamp=self.stamp + round(seconds * 1e9))


def ns(stamp: float) -> int:
    """The recorder's clock."""
    return EPOCH + round(stamp * 1e9)


def recording(bench: Bench, since: float = 0.0) -> list[Recorded]:
    """The frames of a bench's line."""
    return [
        Recorded(event.data, ns(event.stamp), event.to_robot)
        for time, event in bench.events
        if isinstance(event, FrameSeen) and time >= since
    ]


class Played:
    """A replay of some frames, and what it told."""

    def __init__(self, frames: Iterable[Recorded] = (), options: Options = DEFAULTS) -> None:
        self.told: list[tuple[int, Event]] = []
        self.robot = Robot(options)
        self.replay = Replay(self.robot, f"{SCHEME}recorded", self._take)
        self.play(frames)

    def _take(self, event: Event) -> None:
        self.told.append((self.replay.recorded(getattr(event, "stamp", self.replay.clock())), event))

    def play(self, frames: Iterable[Recorded]) -> Played:
        for frame in frames:
            self.replay.feed(frame.data, frame.stamp, to_robot=frame.to_robot)
        self.replay.settle()
        return self

    @property
    def reports(self) -> list[tuple[int, Report]]:
        return [(stamp, event) for stamp, event in self.told if isinstance(event, Report)]

    @property
    def stamps(self) -> list[int]:
        return [stamp for stamp, _ in self.reports]

    @property
    def notes(self) -> list[str]:
        return [event.note for _, event in self.told if isinstance(event, LinkChanged)]


def assert_same(reports: list[tuple[int, Report]], then: list[tuple[int, Report]]) -> None:
    """The same stamps and the same poses, bit for bit; rates as near as times in whole nanoseconds allow."""
    assert len(reports) == len(then)
    for (stamp, now), (stamp_then, before) in zip(reports, then, strict=True):
        assert stamp == stamp_then
        for pose in ("x", "y", "yaw", "covariance", "left_angle", "right_angle"):
            assert getattr(now.odometry, pose) == getattr(before.odometry, pose), pose
        # Some mm/s count as motion only while a velocity is requested, which a replay does not know.
        if now.odometry.linear or now.odometry.angular or abs(before.odometry.linear) > 0.01:
            assert now.odometry.linear == before.odometry.linear
            assert now.odometry.angular == pytest.approx(before.odometry.angular, rel=1e-6)
        assert now.smoothed_volts == pytest.approx(before.smoothed_volts, rel=1e-9)
        assert now.charge == pytest.approx(before.charge, rel=1e-9)
        rest = {"stamp": 0.0, "odometry": now.odometry, "pings": (), "smoothed_volts": 0.0, "charge": 0.0}
        rest |= {"moving": False}
        assert dataclasses.replace(now, **rest) == dataclasses.replace(before, **rest)
        for ping, ping_then in zip(now.pings, before.pings, strict=True):
            assert (ping.number, ping.range) == (ping_then.number, ping_then.range)
            assert now.stamp - ping.stamp == pytest.approx(before.stamp - ping_then.stamp, abs=1e-6)


def live(bench: Bench, since: float = 0.0) -> list[tuple[int, Report]]:
    return [(ns(event.stamp), event) for time, event in bench.events if isinstance(event, Report) and time >= since]


def driven(robot: str = "amigo", **options: object) -> Bench:
    """Half a minute in the life of a robot, from the moment it was plugged in."""
    bench = Bench(Options(trace=True, **options), robot)  # type: ignore[arg-type]
    bench.connect()
    bench.run(5, cmd_vel=(0.4, 0.3))
    bench.run(2)
    bench.run(5, cmd_vel=(0.3, -0.6))
    bench.run(2)
    return bench


@pytest.fixture(scope="module")
def drive() -> Bench:
    return driven()


class TestTheSameAgain:
    def test_a_replay_gives_every_report_with_its_stamp(self, drive: Bench) -> None:
        played = Played(recording(drive))
        assert len(played.reports) > 100
        assert_same(played.reports, live(drive))

    def test_a_replay_gives_gyro_and_encoder_events(self) -> None:
        bench = driven("amigo-sh", encoder_odometry=True)
        played = Played(recording(bench), Options(encoder_odometry=True))
        for kind in (EncoderReading, TurnRate):
            then = bench.told(kind)
            now = [(stamp, event) for stamp, event in played.told if isinstance(event, kind)]
            assert len(then) > 100
            assert [stamp for stamp, _ in now] == [ns(event.stamp) for event in then]
        rolled = [event.odometry for _, event in played.told if isinstance(event, EncoderReading) and event.odometry]
        expected = [event.odometry for event in bench.told(EncoderReading) if event.odometry]
        assert [(o.x, o.y, o.yaw) for o in rolled] == [(o.x, o.y, o.yaw) for o in expected]
        rates = [event.rate for _, event in played.told if isinstance(event, TurnRate)]
        assert rates == pytest.approx([event.rate for event in bench.told(TurnRate)])
        assert_same(played.reports, live(bench))

    def test_the_recorded_working_values_are_known_from_the_start(self, drive: Bench) -> None:
        played = Played(recording(drive))
        assert played.robot.tuning.config == drive.robot.tuning.config is not None


class TestErratic:
    """It has no handshake; its first packets and its CONFIG packet identify it."""

    @pytest.mark.parametrize("since", [0.0, 1004.0])
    @pytest.mark.parametrize("profile", ["", "erratic"])
    def test_a_recording_of_an_erratic_is_replayed(self, since: float, profile: str) -> None:
        bench = driven("erratic")
        played = Played(recording(bench, since), Options(profile=profile))
        then = live(bench, since)
        assert played.robot.profile.name == "erratic"
        # The filter of the robot's clock has seen other packets before, so it may be off by some ms.
        assert all(min(abs(stamp - one) for one in played.stamps) < 2e7 for stamp, _ in then)
        # Packets from before the recorded handshake are processed too.
        assert len(played.stamps) - len(then) < 20
        (first, *_, last), (begin, *_, end) = (
            [report.odometry for stamp, report in reports if stamp >= then[0][0]] for reports in (played.reports, then)
        )
        assert math.dist((first.x, first.y), (last.x, last.y)) > 0.5
        assert math.dist((first.x, first.y), (last.x, last.y)) == pytest.approx(
            math.dist((begin.x, begin.y), (end.x, end.y)), abs=1e-6
        )


class TestAnotherCalibration:
    def test_another_distance_factor_scales_the_replayed_path(self, drive: Bench, tmp_path: Path) -> None:
        def path(options: Options) -> list[tuple[float, float, float]]:
            reports = Played(recording(drive), options).reports
            return [(event.odometry.x, event.odometry.y, event.odometry.yaw) for _, event in reports]

        def calibrated(factor: float) -> Options:
            file = tmp_path / f"{factor}.p"
            file.write_text(f"Class Pioneer\nSubclass amigo\nDistConvFactor {factor}\n", encoding="utf-8")
            return Options(profile=str(file))

        before, after = path(calibrated(0.5083)), path(calibrated(0.5083 * 1.1))
        assert math.hypot(*before[-1][:2]) > 1.0
        for (x, y, yaw), (new_x, new_y, new_yaw) in zip(before, after, strict=True):
            assert (new_x, new_y) == pytest.approx((1.1 * x, 1.1 * y), abs=1e-9)
            assert new_yaw == yaw


class TestFromTheMiddle:
    """A recording that was begun when the session had been open for long."""

    @pytest.fixture(scope="class")
    def later(self, drive: Bench) -> list[Recorded]:
        return recording(drive, since=1004.0)

    def test_a_recording_from_the_middle_of_a_session_loses_no_report(
        self, drive: Bench, later: list[Recorded]
    ) -> None:
        played = Played(later)
        assert played.stamps == [stamp for stamp, _ in live(drive, since=1004.0)]
        assert played.replay.counts.outside == 0

    def test_a_recording_from_the_middle_of_a_session_begins_at_the_origin(
        self, drive: Bench, later: list[Recorded]
    ) -> None:
        played = Played(later, Options(profile="amigo"))
        first, *_, last = [report.odometry for _, report in played.reports]
        begin, *_, end = [report.odometry for _, report in live(drive, since=1004.0)]
        assert (first.x, first.y, first.yaw) == (0.0, 0.0, 0.0)
        assert math.hypot(last.x, last.y) == pytest.approx(math.hypot(end.x - begin.x, end.y - begin.y), abs=1e-6)

    def test_a_recorded_robot_config_identifies_the_robot(self, drive: Bench, later: list[Recorded]) -> None:
        played = Played()
        identity, config = drive.robot.session.identity, drive.robot.tuning.config
        assert identity and config
        played.replay.identify(identity)
        played.replay.identify(config)
        played.play(later)
        assert played.robot.profile.name == "amigo"
        assert played.robot.tuning.config == config


class TestGaps:
    def test_a_recorded_loss_of_the_link_is_replayed(self) -> None:
        bench = Bench(Options(trace=True))
        bench.connect()
        bench.run(3, cmd_vel=(0.3, 0.0))
        bench.go_out_of_range()
        bench.run(7)
        bench.come_back()
        bench.until(lambda: bench.robot.running)
        bench.run(3, cmd_vel=(0.3, 0.0))
        played = Played(recording(bench))
        # The robot came back in the old session, which the recorded driver closed; the replay need not.
        # Its first packet has the stamp of its arrival, because the driver compared the serial number before it.
        then = live(bench)
        both = set(played.stamps) & {stamp for stamp, _ in then}
        assert len(both) >= len(then) - 1
        assert len(played.stamps) < len(both) + 6
        poses = [
            {stamp: report.odometry.x for stamp, report in each if stamp in both} for each in (played.reports, then)
        ]
        assert poses[0] == poses[1]
        assert played.replay.counts.sessions == 3
        states = [event.state for _, event in played.told if isinstance(event, LinkChanged)]
        lost = states.index(LinkState.LOST)
        reopened = [LinkState.DISCONNECTED, LinkState.SYNCING, LinkState.OPENING, LinkState.RUNNING]
        assert states[lost:] == [LinkState.LOST, *reopened, *reopened]

    def test_a_recorded_reset_of_the_controller_is_replayed(self, drive: Bench) -> None:
        frames = recording(drive, since=1004.0)
        middle = next(i for i in range(50, len(frames)) if isinstance(parse(frames[i].data), Sip))
        broken = [*frames[:middle], Recorded(Reset().encode(), frames[middle].stamp), *frames[middle:]]
        played = Played(broken)
        assert played.stamps == Played(frames).stamps
        assert (played.replay.counts.sessions, played.replay.counts.outside) == (2, 1)


class TestWoundBack:
    def test_each_round_of_a_looped_recording_begins_at_the_origin(self, drive: Bench) -> None:
        frames = recording(drive)
        played = Played([*frames, *frames, *frames])
        rounds = len(played.reports) // 3
        poses = [(stamp, report.odometry.x, report.odometry.y, report.odometry.yaw) for stamp, report in played.reports]
        assert poses[:rounds] == poses[rounds : 2 * rounds] == poses[2 * rounds :]
        assert poses[:rounds] == [(s, r.odometry.x, r.odometry.y, r.odometry.yaw) for s, r in live(drive)]
        assert (played.replay.counts.sessions, played.replay.counts.rewound) == (3, 2)

    def test_a_recording_that_ends_near_its_beginning(self) -> None:
        """The counters jump back by a distance that the robot could have driven: it did not."""
        bench = Bench(Options(trace=True))
        bench.connect()
        bench.run(4, cmd_vel=(0.3, 0.0))
        bench.run(2)
        since = bench.now
        bench.run(1.5, cmd_vel=(0.2, 0.3))
        frames = recording(bench, since=since)
        played = Played([*frames, *frames], Options(profile="amigo"))
        rounds = len(played.reports) // 2
        poses = [(report.odometry.x, report.odometry.y, report.odometry.yaw) for _, report in played.reports]
        assert 0.1 < poses[rounds - 1][0] < 0.3
        assert poses[:rounds] == poses[rounds:]
        assert not [event for _, event in played.told if isinstance(event, OdometryStale)]


class TestBadInput:
    @pytest.mark.parametrize("size", [0, 254, 5000])
    def test_recorded_data_of_impossible_length_is_refused_and_counted(self, drive: Bench, size: int) -> None:
        frames = recording(drive)
        played = Played(frames[:100])
        with pytest.raises(ValueError, match=f"1 to 253 data bytes, not {size}"):
            played.replay.feed(bytes(size), frames[100].stamp)
        played.play(frames[100:])
        assert played.replay.counts.refused == 1
        assert played.stamps == [stamp for stamp, _ in live(drive)]

    @given(st.lists(st.tuples(st.binary(min_size=1, max_size=253), st.integers(-(2**40), 2**62))))
    def test_replaying_any_frames_never_raises(self, frames: list[tuple[bytes, int]]) -> None:
        Played(Recorded(data, stamp) for data, stamp in frames)


class TestRequests:
    def test_commands_during_a_replay_go_nowhere(self, drive: Bench) -> None:
        frames = recording(drive)
        played = Played(frames[: len(frames) // 2])
        with played.replay.robot() as robot:
            robot.drive(0.5, 0.0, played.replay.clock())
        played.play(frames[len(frames) // 2 :])
        assert_same(played.reports, live(drive))

    def test_a_config_request_during_a_replay_is_answered(self, drive: Bench) -> None:
        played = Played(recording(drive))
        with played.replay.robot() as robot:
            answer = robot.tuning.read(played.replay.clock())
        played.play(frame.later(0.7) for frame in recording(drive)[-10:])
        assert answer.result().success


class TestMissingPackets:
    """Each packet has its number in the recording, and its number among those that the player has played."""

    @staticmethod
    def counted(numbers: Iterable[tuple[int, int | None]]) -> tuple[int | None, int, int]:
        missing = MissingPackets()
        for sequence, publication in numbers:
            missing.count(sequence, publication)
        return missing.before, missing.recorded, missing.played

    def test_packets_missing_in_the_recording_are_told_from_those_lost_when_it_is_played(self) -> None:
        assert self.counted([(1, 1), (2, 2), (5, 3), (6, 4), (9, 7)]) == (0, 2, 2)

    def test_packets_played_before_anyone_received_them_are_lost(self) -> None:
        assert self.counted([(40, 38), (41, 39)]) == (2, 0, 37)

    def test_without_the_numbers_of_the_player_a_gap_counts_as_missing_in_the_recording(self) -> None:
        assert self.counted([(1, None), (2, None), (5, None)]) == (0, 2, 0)


def test_an_answer_before_the_first_sip_is_not_a_gap_in_the_recording(drive: Bench) -> None:
    """The robot answers CONFIG as soon as its session is open, and sends its first SIP later."""
    config = drive.robot.tuning.config
    assert config
    frames = recording(drive)
    first = next(number for number, frame in enumerate(frames) if isinstance(parse(frame.data), Sip))
    played = Played([*frames[:first], Recorded(config.encode(), frames[first].stamp), *frames[first:]])
    assert not any("has no packets" in note for note in played.notes)
    assert (played.replay.counts.outside, played.replay.counts.sessions, played.replay.counts.joined) == (1, 1, 0)


def test_only_a_recording_that_names_its_robot_is_identified(drive: Bench) -> None:
    config = type(drive.robot.tuning.config)
    unnamed = [frame for frame in recording(drive, since=1004.0) if not isinstance(parse(frame.data), config)]
    assert not Played(unnamed).replay.identified
    assert Played(recording(drive)).replay.identified


@pytest.mark.parametrize("seconds", [3.0, 8.0])
def test_the_first_packets_wait_for_a_robot_config_that_is_played_late(drive: Bench, seconds: float) -> None:
    """On a busy machine the recorder finds the topic seconds after that of the packets."""
    later = recording(drive, since=1004.0)
    early = [frame for frame in later if frame.stamp < later[0].stamp + round(seconds * 1e9)]
    played = Played()
    for frame in early:
        played.replay.feed(frame.data, frame.stamp, to_robot=frame.to_robot)
    identity = drive.robot.session.identity
    assert identity
    played.replay.identify(identity)
    played.play(later[len(early) :])
    assert played.robot.profile.name == "amigo"
    assert played.stamps == [stamp for stamp, _ in live(drive, since=1004.0)]
