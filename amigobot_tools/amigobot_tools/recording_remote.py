# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording of `amigobot record`, played at its own speed."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from amigobot_driver import ProfileError
from amigobot_driver.cli import UsageError
from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.cli.replay import recorded_profile, replayed
from amigobot_driver.profiles import load_profile

from .state import Remote, RobotState, newest_echoes, reported_state


class RecordingRemote(Remote):
    """Plays a recording, which cannot be driven.

    Args:
        file: The recording.
        profile: Name or file of a profile; "" takes that of the robot.
        rate: Speed; 1 is that of the recording.

    Raises:
        UsageError: The file cannot be read, or has no packets of a robot.
        ProfileError: There is no such profile.
    """

    def __init__(self, file: Path, profile: str = "", rate: float = 1.0) -> None:
        self.where = file.name
        head, records = read_recording(file)
        records.sort(key=lambda record: record.time)
        profile = profile or recorded_profile(head)
        try:
            self._reports = replayed(head, records, profile)
        except ProfileError:
            raise
        except ValueError as error:
            raise UsageError(f"{file}: {error}") from None
        if not self._reports:
            raise UsageError(f"{file} has no packets of a robot")
        self._profile = load_profile(profile)
        self._name = head.name
        self._rate = rate
        self._began = time.monotonic()
        self._seen = 0  #: reports that have been played
        self._pings: dict[int, tuple[float, float]] = {}  #: the newest range (m) of each sonar, and its time (s)

    def state(self) -> RobotState:
        """Return what the robot has reported by now."""
        first, last = self._reports[0][0], self._reports[-1][0]
        now = first + (time.monotonic() - self._began) * self._rate
        while self._seen < len(self._reports) and (self._reports[self._seen][0] <= now or not self._seen):
            self._pings |= {ping.number: (ping.range, ping.stamp) for ping in self._reports[self._seen][1].pings}
            self._seen += 1
        at, report = self._reports[self._seen - 1]
        ended, length = now >= last, f"{last - first:.1f} s"
        return replace(
            reported_state(report, self._profile),
            connected=not ended,
            note=f"the recording has ended, {length}" if ended else f"playing a recording of {length}",
            name=self._name,
            echoes=newest_echoes(self._profile, self._pings, report.stamp + (0.0 if ended else now - at)),
            link={"time": f"{at - first:.1f} s", "packets": str(self._seen), "of": str(len(self._reports))},
        )
