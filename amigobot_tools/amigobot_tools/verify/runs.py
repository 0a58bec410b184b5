# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One run with a robot: measures it, and writes report and recording."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

from amigobot_driver.cli import UsageError
from amigobot_driver.doctor import Finding, Severity
from amigobot_driver.packet_file import Head, write_head, write_record
from amigobot_driver.profiles import choose_profile, load_profile

from ..person import Person
from .client import Client
from .report import REPORT, VerifyReport
from .step_data import KnownRobot
from .step_table import steps_of
from .trial import Trial

RECORDING = "packets.amigo"


def run_steps(
    client: Client,
    person: Person,
    folder: Path,
    on_finding: Callable[[Finding], None],
    port: str,
    robot: str = "",
    only: Collection[str] = (),
    skip: Collection[str] = (),
    earlier: VerifyReport | None = None,
) -> VerifyReport:
    """Run the steps that are left, and save after each; on every exit the robot is stopped and its session closed.

    Args:
        client: Not connected yet.
        person: Who is at the robot.
        folder: Of report and recording.
        on_finding: Called with how each step went.
        port: For report and recording.
        robot: Profile, or a file; "": by the identity of the robot.
        only: Names of the steps; (): all.
        skip: Names of steps that are left out.
        earlier: The report that is resumed.

    Returns:
        The report, which is not compared with the simulator yet.

    Raises:
        StoppedError: The person has ended it.
        OSError: A file cannot be written.
        AmigoBotError: There is no robot.
        UsageError: The report is of another robot.
    """
    with contextlib.ExitStack() as files, contextlib.ExitStack() as session:  # the recording has the end of the session
        session.callback(client.end)
        profile, reason = load_profile(robot) if robot else None, "as asked for"
        if profile:
            client.set_profile(profile)
        identity = client.connect()
        if not profile:
            profile, reason = choose_profile(identity.robot_class, identity.subclass)
            client.set_profile(profile)
        on_finding(Finding("robot", Severity.OK, f"{identity.name}: profile {profile.name}, {reason}"))
        names = {"name": identity.name, "class": identity.robot_class, "subclass": identity.subclass}
        if earlier is not None and earlier.robot != names:
            raise UsageError(f"{folder / REPORT} is of another robot: resume with that one, or name another --output")
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        report = earlier or VerifyReport(created, port, names, robot or profile.name)
        first = folder / RECORDING
        further = (first.with_stem(f"{first.stem}-{number}") for number in itertools.count(2))
        path = next(path for path in itertools.chain([first], further) if not (earlier and path.exists()))
        file = files.enter_context(path.open("wb", buffering=0))
        write_head(file, Head(time.time(), port, *names.values(), profile.name, profile.erratic))
        client.on_record = partial(write_record, file)
        known = KnownRobot(identity, profile, client.config(), {figure.key: figure for figure in report.figures})
        steps = [step for step in steps_of(profile) if step.name not in report.done]
        chosen = [step for step in steps if not only or step.name in only]
        for result in Trial(client, person, known).run(chosen, skip):
            report.add(result, known)
            report.save(folder)
            on_finding(result.finding)
    return report
