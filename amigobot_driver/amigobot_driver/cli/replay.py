# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Replay a recording of `amigobot record`: into the driver, for example with another calibration, or as a robot.

    amigobot replay drive.amigo                     where the robot was at the end
    amigobot replay drive.amigo --csv > drive.csv   pose, velocity, battery and sonars of each packet
    amigobot replay drive.amigo --robot mine.yaml   the same drive with other dimensions, or another calibration
    amigobot replay drive.amigo --pty /tmp/robot    a robot that sends this again to any client: --port /tmp/robot

With --pty the recording answers the handshake and CONFIG, sends its packets at their times, and ignores other commands.
A damaged recording is replayed up to the damage; exit status 1.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .. import signals
from ..errors import AmigoBotError
from ..packet_file import Head, RecordedFrame
from ..wording import counted, robot_name
from . import ranges
from .recording_file import read_recording

if TYPE_CHECKING:
    from ..robot import Event, Report

_COLUMNS = ("time", "x", "y", "yaw", "linear", "angular", "volts", "motors", "stall_left", "stall_right")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this subcommand."""
    parser.add_argument("file", type=Path)
    parser.add_argument("--robot", default="", metavar="NAME", help="profile, or a file (default: of the robot)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--csv",
        action="store_true",
        help="print each packet: s since the start of the recording, m, rad, m/s, rad/s, V, and m of each new echo",
    )
    form.add_argument("--json", action="store_true", help="print where the robot was at the end as JSON: s, m, rad")
    form.add_argument("--pty", metavar="PATH", help="serve a serial port with a link at PATH")
    parser.add_argument("--rate", type=ranges.rate, default=1.0, metavar="X", help="with --pty: speed (%(default)g)")
    parser.add_argument("--loop", action="store_true", help="with --pty: begin again at the end")


def run(args: argparse.Namespace) -> int:
    """Execute the subcommand and return the exit status: 1 if the recording is damaged or has no packets of a robot."""
    head, records, damaged = read_recording(args.file)
    # Packets and commands are written as they are processed; the replay needs them in the order of their times.
    records.sort(key=lambda record: record.time)
    if args.pty:
        _serve(args, head, records)
        return int(damaged)
    events = replayed(head, records, args.robot or recorded_profile(head))
    # Imported here: a replay on a pty needs no driver.
    from ..robot import Report

    reports = [(at, event) for at, event in events if isinstance(event, Report)]
    if not reports:
        raise AmigoBotError(f"{args.file} has no packets of a robot")
    if args.csv:
        _print_csv(reports)
    elif args.json:
        _print_json(head, reports)
    else:
        _print_summary(head, reports)
    return int(damaged)


def recorded_profile(head: Head) -> str:
    """Return the name of the profile of a recording, or the file with the calibration of this robot if there is one."""
    from ..profiles import calibrated_profile, calibration_file, load_profile

    profile = load_profile(head.profile)
    calibrated, _ = calibrated_profile(profile, "", head.name)
    return head.profile if calibrated == profile else str(calibration_file(head.name))


def replayed(head: Head, records: list[RecordedFrame], profile: str) -> list[tuple[float, Event]]:
    """Run the driver on records; each event with its time in the recording (s).

    Args:
        head: Head of the recording.
        records: Its packets and commands, in the order of their times.
        profile: Name or file of the profile.

    Raises:
        ProfileError: There is no such profile.
    """
    from ..protocol import SyncReply
    from ..replay import Replay
    from ..robot import Options, Report, Robot

    events: list[tuple[float, Event]] = []
    at = 0.0

    def keep(event: Event) -> None:
        events.append((replay.recorded(event.stamp) / 1e9 if isinstance(event, Report) else at, event))

    replay = Replay(Robot(Options(profile=profile, motors_on_connect=False)), "replay://", keep)
    replay.identify(SyncReply(name=head.name, robot_class=head.robot_class, subclass=head.subclass))
    for record in records:
        at = record.time
        with contextlib.suppress(ValueError):  # a record of a bag may be longer than any packet
            replay.feed(record.data, round(record.time * 1e9), to_robot=record.to_robot)
    replay.settle()
    replay.close()
    return events


def _serve(args: argparse.Namespace, head: Head, records: list[RecordedFrame]) -> None:
    """Serve the recording on a pty."""
    # Imported here: a replay into the driver needs no pty.
    from ..sim.server import Served, serve
    from .recorded_robot import RecordedRobot
    from .sim import connect

    robot = RecordedRobot(head, records, args.rate, loop=args.loop)
    if robot.ended:
        raise AmigoBotError(f"{args.file} has no packets of a robot")
    with contextlib.ExitStack() as stack:
        received = stack.enter_context(signals.caught())
        connection = connect(args.pty, "", robot, log=lambda line: print(line, flush=True))
        stack.callback(connection.close)
        print(f"{_robot(head)}, listening on {connection.description}", flush=True)
        serve(Served(robot, connection), stopped=lambda: robot.ended or bool(received))
        print("stopped" if received else "the recording has ended")


def _print_json(head: Head, reports: list[tuple[float, Report]]) -> None:
    odometry = reports[-1][1].odometry
    result = {
        "name": head.name,
        "packets": len(reports),
        "seconds": round(reports[-1][0] - reports[0][0], 3),
        **{key: round(getattr(odometry, key), 4) for key in ("x", "y", "yaw", "travelled", "turned")},
    }
    print(json.dumps(result))


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
    print(f"{_robot(head)}: {counted(len(reports), 'packet')} in {seconds:.1f} s")
    print(f"at the end x {odometry.x:+.3f} m, y {odometry.y:+.3f} m, yaw {math.degrees(odometry.yaw):+.1f} deg")
    print(f"travelled {odometry.travelled:+.3f} m, turned {math.degrees(odometry.turned):+.1f} deg")


def _robot(head: Head) -> str:
    """Return the robot of a recording: "Rob, Pioneer/amigo"."""
    return f"{robot_name(head.name)}, {head.robot_class}/{head.subclass}"
