# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording of the line through the same robot object: what comes out is what came out then, to the nanosecond."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from bench import DEFAULTS, Bench, connected
from hypothesis import given
from hypothesis import strategies as st

from amigobot_driver.protocol import Command, Reset, Sip, parse
from amigobot_driver.replay import MissingPackets, Replay
from amigobot_driver.robot import (
    EncoderReading,
    Event,
    FrameSeen,
    LinkChanged,
    LinkState,
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
    """A replay of some frames, and the events that it emitted."""

    def __init__(self, frames: Iterable[Recorded] = (), options: Options = DEFAULTS) -> None:
        self.events: list[tuple[int, Event]] = []
        self.robot = Robot(options)
        self.replay = Replay(self.robot, "replay://recorded", self._take)
        self.play(frames)

    def _take(self, event: Event) -> None:
        self.events.append((self.replay.recorded(getattr(event, "stamp", self.replay.clock())), event))

    def play(self, frames: Iterable[Recorded]) -> Played:
        for frame in frames:
            self.replay.feed(frame.data, frame.stamp, to_robot=frame.to_robot)
        self.replay.settle()
        return self

    @property
    def reports(self) -> list[tuple[int, Report]]:
        return [(stamp, event) for stamp, event in self.events if isinstance(event, Report)]

    @property
    def stamps(self) -> list[int]:
        return [stamp for stamp, _ in self.reports]


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
        rest = {
            "stamp": 0.0,
            "odometry": now.odometry,
            "pings": (),
            "smoothed_volts": 0.0,
            "charge": 0.0,
            "moving": False,
        }
        assert dataclasses.replace(now, **rest) == dataclasses.replace(before, **rest)
        for ping, ping_then in zip(now.pings, before.pings, strict=True):
            assert (ping.number, ping.range) == (ping_then.number, ping_then.range)
            assert now.stamp - ping.stamp == pytest.approx(before.stamp - ping_then.stamp, abs=1e-6)


def live(bench: Bench, since: float = 0.0) -> list[tuple[int, Report]]:
    return [(ns(event.stamp), event) for time, event in bench.events if isinstance(event, Report) and time >= since]


def driven(robot: str = "amigo", **options: object) -> Bench:
    """Half a minute in the life of a robot, from the moment it was plugged in."""
    bench = connected(robot, trace=True, **options)
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
            then = bench.emitted(kind)
            now = [(stamp, event) for stamp, event in played.events if isinstance(event, kind)]
            assert len(then) > 100
            assert [stamp for stamp, _ in now] == [ns(event.stamp) for event in then]
        rolled = [event.odometry for _, event in played.events if isinstance(event, EncoderReading) and event.odometry]
        expected = [event.odometry for event in bench.emitted(EncoderReading) if event.odometry]
        assert [(o.x, o.y, o.yaw) for o in rolled] == [(o.x, o.y, o.yaw) for o in expected]
        rates = [event.rate for _, event in played.events if isinstance(event, TurnRate)]
        assert rates == pytest.approx([event.rate for event in bench.emitted(TurnRate)])
        assert_same(played.reports, live(bench))

    def test_the_frames_of_a_replay_are_counted(self, drive: Bench) -> None:
        frames = recording(drive)
        counts = Played(frames).replay.counts
        assert counts.to_robot == sum(frame.to_robot for frame in frames) > 0
        assert counts.greetings == 3
        assert counts.played == len(frames) - counts.to_robot - counts.greetings
        assert (counts.outside, counts.refused, counts.sessions, counts.rewound, counts.joined) == (0, 0, 1, 0, 0)


@pytest.mark.parametrize("since", [0.0, 1004.0])
@pytest.mark.parametrize("profile", ["", "erratic"])
def test_a_recording_of_an_erratic_is_replayed(since: float, profile: str) -> None:
    """It has no handshake; its first packets and its CONFIG packet identify it."""
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


class TestFromTheMiddle:
    """A recording that was begun when the session had been open for long."""

    @pytest.fixture(scope="class")
    def later(self, drive: Bench) -> list[Recorded]:
        return recording(drive, since=1004.0)

    def test_a_recording_from_mid_session_loses_no_report(self, drive: Bench, later: list[Recorded]) -> None:
        played = Played(later)
        assert played.stamps == [stamp for stamp, _ in live(drive, since=1004.0)]
        assert (played.replay.counts.outside, played.replay.counts.joined) == (0, 1)

    def test_a_recorded_robot_config_identifies_the_robot(self, drive: Bench, later: list[Recorded]) -> None:
        played = Played()
        identity, config = drive.robot.session.identity, drive.robot.tuning.config
        assert identity and config
        played.replay.identify(identity)
        played.replay.identify(config)
        played.play(later)
        assert played.robot.profile.name == "amigo"
        assert played.robot.tuning.config == config

    def test_a_recording_begun_in_session_gets_the_config(self) -> None:
        bench = Bench(Options()).connect()
        bench.robot.configure(Options(trace=True), bench.now)
        bench.run(1)
        assert "Config" in [event.name for event in bench.emitted(FrameSeen)]


class TestGaps:
    def test_a_recorded_loss_of_the_link_is_replayed(self) -> None:
        bench = Bench(Options(trace=True)).connect()
        bench.run(3, cmd_vel=(0.3, 0.0))
        bench.lose_link()
        bench.run(7)
        bench.restore_link()
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
        states = [event.state for _, event in played.events if isinstance(event, LinkChanged)]
        lost = states.index(LinkState.LOST)
        reopened = [LinkState.DISCONNECTED, LinkState.SYNCING, LinkState.OPENING, LinkState.RUNNING]
        assert states[lost:] == [LinkState.LOST, *reopened, *reopened]

    @pytest.mark.parametrize("gap", [1.05, 1.3, 2.0, 60.0, 30 * 86400.0])
    def test_packets_behind_a_gap_keep_their_stamps(self, drive: Bench, gap: float) -> None:
        frames = [frame for frame in recording(drive) if not frame.to_robot]
        middle = len(frames) // 2
        gapped = [*frames[:middle], *(frame.later(gap) for frame in frames[middle:])]
        played = Played(gapped)
        came = [f.stamp for f in gapped if isinstance(parse(f.data), Sip)]
        # The robot's clock is estimated: a packet that waited on the line has the stamp of its cycle.
        assert len(played.stamps) == len(came)
        assert all(0 <= arrival - stamp < 1e8 for stamp, arrival in zip(played.stamps, came, strict=True))
        assert played.replay.counts.sessions == 2


def test_each_round_of_a_loop_begins_at_the_origin(drive: Bench) -> None:
    frames = recording(drive)
    played = Played([*frames, *frames, *frames])
    rounds = len(played.reports) // 3
    poses = [(stamp, report.odometry.x, report.odometry.y, report.odometry.yaw) for stamp, report in played.reports]
    assert poses[:rounds] == poses[rounds : 2 * rounds] == poses[2 * rounds :]
    assert poses[:rounds] == [(s, r.odometry.x, r.odometry.y, r.odometry.yaw) for s, r in live(drive)]
    assert (played.replay.counts.sessions, played.replay.counts.rewound) == (3, 2)


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=253), st.integers(-(2**40), 2**62))))
def test_replaying_any_frames_never_raises(frames: list[tuple[bytes, int]]) -> None:
    Played(Recorded(data, stamp) for data, stamp in frames)


def test_commands_during_a_replay_go_nowhere(drive: Bench) -> None:
    frames = recording(drive)
    played = Played(frames[: len(frames) // 2])
    with played.replay.robot() as robot:
        robot.motion.drive(0.5, 0.0, played.replay.clock())
    played.play(frames[len(frames) // 2 :])
    assert_same(played.reports, live(drive))


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((1, 2, 3), (0, 0)),
        ((37, 38), (36, 0)),  # packets before the recording
        ((1, 2, 5, 6, 9), (0, 4)),
        ((1, 2, 1, 2), (0, 0)),  # rewound
        ((0, 0), (None, 0)),  # an old recording without numbers
    ],
)
def test_packets_missing_in_a_recording_are_counted(numbers: tuple[int, ...], expected: tuple[int | None, int]) -> None:
    missing = MissingPackets()
    for number in numbers:
        missing.count(number)
    assert (missing.before, missing.recorded) == expected


def test_the_reply_to_a_stop_is_no_restart(drive: Bench) -> None:
    frames = recording(drive)
    middle = len(frames) // 2
    stamp = frames[middle].stamp
    after = [Recorded(bytes([Command.CLOSE.number]), stamp, to_robot=True), Recorded(Reset().encode(), stamp)]
    played = Played([*frames[:middle], *after, *frames[middle:]])
    assert played.reports[-1][1].odometry == Played(frames).reports[-1][1].odometry
