# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording of the line, as `amigobot record` writes it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from amigobot_driver.packet_file import Head, RecordedFrame, write_head, write_record
from amigobot_driver.robot import Event, FrameSeen

from ..dashboard.sources.paced import SteppedBot


class Recorder:
    """Records from now on.

    Args:
        bot: The robot.
        port: Its port, for the head of the file.
        path: The file.

    Raises:
        ConnectionLostError: The robot is not connected.
    """

    def __init__(self, bot: SteppedBot, port: str, path: Path) -> None:
        identity, profile = bot.identity, bot.profile
        self._bot, self._path, self._file, self._began = bot, path, path.open("wb"), bot.paced.clock()
        write_head(
            self._file,
            Head(
                started=time.time(),
                port=port,
                name=identity.name,
                robot_class=identity.robot_class,
                subclass=identity.subclass,
                profile=profile.name,
                erratic=profile.erratic,
            ),
        )
        with bot.paced.robot() as robot:
            robot.configure(replace(robot.options, trace=True), bot.paced.clock())
        bot.paced.listeners.append(self._write)

    def stop(self) -> Path:
        """End the recording. Returns the file."""
        self._bot.paced.listeners.remove(self._write)
        self._file.close()
        return self._path

    def _write(self, event: Event) -> None:
        if isinstance(event, FrameSeen):
            write_record(self._file, RecordedFrame(event.stamp - self._began, event.to_robot, event.data))
