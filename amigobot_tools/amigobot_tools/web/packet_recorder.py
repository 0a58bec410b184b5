# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording of the line, as `amigobot record` writes it."""

from __future__ import annotations

from pathlib import Path

from amigobot_driver.packet_file import RecordedFrame, write_head, write_record
from amigobot_driver.robot import Event, FrameSeen

from ..dashboard.sources.stepped import SteppedBot


class PacketRecorder:
    """Records from now on.

    Args:
        bot: The robot.
        path: The file.

    Raises:
        ConnectionLostError: The robot is not connected.
    """

    def __init__(self, bot: SteppedBot, path: Path) -> None:
        head = bot.recording_head()
        self._bot, self._file, self._began = bot, path.open("wb"), bot.paced.clock()
        write_head(self._file, head)
        bot.paced.listeners.append(self._write)

    def stop(self) -> None:
        """End the recording."""
        self._bot.paced.listeners.remove(self._write)
        self._file.close()

    def _write(self, event: Event) -> None:
        if isinstance(event, FrameSeen):
            write_record(self._file, RecordedFrame(event.stamp - self._began, event.to_robot, event.data))
