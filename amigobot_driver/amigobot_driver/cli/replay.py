"""Run the driver on a recording of `amigobot record`, for example with another calibration.

    amigobot replay drive.amigo                     where the robot was at the end
    amigobot replay drive.amigo --csv > drive.csv   pose, velocity, battery and sonars of each packet
    amigobot replay drive.amigo --robot mine.yaml   the same drive with other dimensions

Recorded time is the only clock: the result does not depend on the speed of the computer.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ProfileError
from ..wording import counted
from .errors import UsageError
from .packet_file import Head, Record, read_recording

if TYPE_CHECKING:
    from ..robot import Report

#: s that are added to the times of a recording: a packet may have begun before the recording, and stamps are positive
_EPOCH = 1000.0
_COLUMNS = ("time", "x", "y", "yaw", "linear", "angular", "volts", "motors", "stall_left", "stall_right")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("file", type=Path)
    parser.add_argument("--robot", default="", metavar="NAME", help="profile, or a file (default: as in the recording)")
    parser.add_argument("--csv", action="store_true", help="print each packet: s, m, rad, m/s, rad/s, V")


def run(args: argparse.Namespace) -> int:
    """Execute the verb and return the exit status: 1 if the recording has no packets of a robot."""
    head, records = read_recording(args.file)
    # Packets and commands are written as they are processed; the replay needs them in the order of their times.
    records.sort(key=lambda record: record.time)
    try:
        reports = replayed(head, records, args.robot or head.profile)
    except ProfileError:
        raise
    except ValueError as error:
        raise UsageError(f"{args.file}: {error}") from None
    if not reports:
        print(f"amigobot replay: {args.file} has no packets of a robot", file=sys.stderr)
        return 1
    if args.csv:
        _print_csv(reports)
    else:
        _print_summary(head, reports)
    return 0


def replayed(head: Head, records: list[Record], profile: str) -> list[tuple[float, Report]]:
    """Run the driver on records; each report with its time in the recording (s).

    Args:
        head: Head of the recording.
        records: Its packets and commands, in the order of their times.
        profile: Name or file of the profile.

    Raises:
        ProfileError: There is no such profile.
        ValueError: No packet can be as long as one of the records.
    """
    from ..protocol import SyncReply
    from ..replay import Replay
    from ..robot import Event, Options, Report, Robot

    reports = []

    def keep(event: Event) -> None:
        if isinstance(event, Report):
            reports.append((replay.recorded(event.stamp) / 1e9 - _EPOCH, event))

    replay = Replay(Robot(Options(profile=profile, motors_on_connect=False)), "replay://", keep)
    replay.identify(SyncReply(name=head.name, robot_class=head.robot_class, subclass=head.subclass))
    for record in records:
        replay.feed(record.data, round((record.time + _EPOCH) * 1e9), to_robot=record.to_robot)
    replay.settle()
    replay.close()
    return reports


def _print_csv(reports: list[tuple[float, Report]]) -> None:
    writer = csv.writer(sys.stdout)
    sonars = len(reports[-1][1].sonar_ages)
    writer.writerow([*_COLUMNS, *(f"sonar_{number}" for number in range(sonars))])
    for time, report in reports:
        odometry = report.odometry
        ranges = {ping.number: ping.range for ping in report.pings}
        pose = (odometry.x, odometry.y, odometry.yaw, odometry.linear, odometry.angular, report.volts)
        flags = (report.motors_enabled, report.left_stalled, report.right_stalled)
        new = (f"{ranges[number]:.3f}" if number in ranges else "" for number in range(sonars))
        writer.writerow([f"{time:.3f}", *(f"{value:.4f}" for value in pose), *map(int, flags), *new])


def _print_summary(head: Head, reports: list[tuple[float, Report]]) -> None:
    odometry = reports[-1][1].odometry
    seconds = reports[-1][0] - reports[0][0]
    print(f"{head.name}, {head.robot_class}/{head.subclass}: {counted(len(reports), 'packet')} in {seconds:.1f} s")
    print(f"at the end x {odometry.x:+.3f} m, y {odometry.y:+.3f} m, yaw {math.degrees(odometry.yaw):+.1f} deg")
    print(f"travelled {odometry.travelled:+.3f} m, turned {math.degrees(odometry.turned):+.1f} deg")
