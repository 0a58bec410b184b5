# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The dashboard on a recording: the playhead, the events, the frames."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from bench import Bench
from processes import until

from amigobot_driver import Options
from amigobot_driver.cli import UsageError
from amigobot_driver.cli.recording_file import read_recording
from amigobot_tools.dashboard.sources.recording_source import RecordingSource


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten seconds of a simulated robot that drives, has its motors off, and drives on."""
    bench = Bench(Options(trace=True)).connect()
    began = bench.now
    bench.run(4.0, cmd_vel=(0.2, 0.1))
    bench.robot.enable_motors(False, bench.now)
    bench.run(2.0)
    bench.robot.enable_motors(True, bench.now)
    bench.run(4.0, cmd_vel=(0.2, 0.0))
    path = tmp_path_factory.mktemp("recording") / "drive.amigo"
    bench.save(path, began)
    return path


def test_a_rosbag_with_packets_is_a_recording(recording: Path, tmp_path: Path) -> None:
    messages = pytest.importorskip("amigobot_msgs.msg", reason="the messages are not built")
    from rclpy.serialization import serialize_message
    from rclpy.time import Time

    from amigobot_tools.bag.writer import BagWriter

    _, records, _ = read_recording(recording)
    for name in ("one", "two", "empty"):
        writer = BagWriter(tmp_path / name)
        for namespace in ("/anna", "/bert")[: ("empty", "one", "two").index(name)]:
            writer.add_topic(f"{namespace}/packets", "amigobot_msgs/msg/Packet", [])
            writer.add_topic(f"{namespace}/robot_config", "amigobot_msgs/msg/RobotConfig", [])
            config = messages.RobotConfig(name="anna", robot_class="Pioneer", robot_subclass="amigo", profile="amigo")
            writer.write(f"{namespace}/robot_config", bytes(serialize_message(config)), 0)
            for number, record in enumerate(records, 1):
                stamp = round((record.time + 100.0) * 1e9)
                packet = messages.Packet(to_robot=record.to_robot, data=record.data, sequence=number)
                packet.header.stamp = Time(nanoseconds=stamp).to_msg()
                writer.write(f"{namespace}/packets", bytes(serialize_message(packet)), stamp)
        writer.close()
    from_file, from_bag = RecordingSource(recording), RecordingSource(tmp_path / "one")
    assert from_bag.state().name == "anna" and from_bag.state().profile == from_file.state().profile
    lengths = [one.sections()["timeline"]["length"] for one in (from_file, from_bag)]
    assert lengths[1] == pytest.approx(lengths[0], abs=0.1)  # that of a bag begins with its first packet
    events = [[event.text for event in one.sections()["timeline"]["events"]] for one in (from_file, from_bag)]
    assert events[0] == events[1]
    with pytest.raises(UsageError, match=r"has the robots anna, bert"):
        RecordingSource(tmp_path / "two")
    assert RecordingSource(tmp_path / "two", namespace="bert").state().name == "anna"
    with pytest.raises(UsageError, match=r"record\.launch\.py packets:=true"):
        RecordingSource(tmp_path / "empty")


@pytest.fixture
def source(recording: Path) -> RecordingSource:
    return RecordingSource(recording)


def test_the_state_follows_the_playhead(source: RecordingSource) -> None:
    source.requests["play"].run(on=False)
    source.requests["seek"].run(time=0.1)
    start = source.state()
    source.requests["seek"].run(time=9.5)
    end = source.state()
    assert start.name == "anna" and start.connected and math.hypot(end.x - start.x, end.y - start.y) > 0.5
    assert len(end.echoes) == 8 and end.model == "AmigoBot (AmigOS)"
    assert source.live()["replay"]["time"] == pytest.approx(9.5)


def test_a_recording_plays_to_its_end(source: RecordingSource) -> None:
    source.requests["speed"].run(factor=50.0)
    until(lambda: not source.live()["replay"]["playing"], "the end")
    replay = source.live()["replay"]
    assert replay["time"] == replay["length"] == pytest.approx(10.0, abs=0.3)
    source.requests["play"].run(on=True)
    assert source.live()["replay"]["time"] < 9.0  # from the beginning


def test_the_time_line_has_the_events_and_the_path(source: RecordingSource) -> None:
    timeline = source.sections()["timeline"]
    motors = [(round(event.time), event.text) for event in timeline["events"] if event.kind == "motors"]
    assert motors == [(4, "motors off"), (6, "motors on")]
    assert len(timeline["path"]) > 50 and timeline["left_out"] == 0


def test_a_jump_fills_log_and_packets_from_before_it(source: RecordingSource) -> None:
    source.requests["play"].run(on=False)
    source.requests["seek"].run(time=5.0)
    source.live()
    frames = [frame for _, frame in source.frames.after(0)]
    assert frames and all(2.9 <= frame.time <= 5.0 for frame in frames)
    assert {frame.to_robot for frame in frames} == {False, True}
    assert "motors off" in source.messages()
    assert source.live()["replay"]["jumps"] == 1
