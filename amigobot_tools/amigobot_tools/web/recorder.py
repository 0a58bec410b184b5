# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording of the line, as `amigobot record` writes it, in memory."""

from __future__ import annotations

import io
import time
from dataclasses import replace

from amigobot_driver.packet_file import Head, RecordedFrame, write_head, write_record
from amigobot_driver.robot import Event, FrameSeen

from ..dashboard.sources.paced import SteppedBot


class Recorder:
    """Records from now on.

    Args:
        bot: The robot.
        port: Its port, for the head of the file.

    Raises:
        ConnectionLostError: The robot is not connected.
    """

    def __init__(self, bot: SteppedBot, port: str) -> None:
        self._bot, self._file, self._began = bot, io.BytesIO(), bot.paced.clock()
        identity, profile = bot.identity, bot.profile
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

    def stop(self) -> bytes:
        """End the recording. Returns the file."""
        self._bot.paced.listeners.remove(self._write)
        return self._file.getvalue()

    def _write(self, event: Event) -> None:
        if isinstance(event, FrameSeen):
            write_record(self._file, RecordedFrame(event.stamp - self._began, event.to_robot, event.data))
