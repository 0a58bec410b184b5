# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording of what a program and its robot exchange, for `amigobot replay`, `dump` and `dashboard`."""

from __future__ import annotations

import threading
from pathlib import Path

from ..errors import ConnectionLostError, RecordingError
from ..packet_file import Head, RecordedFrame, write_head, write_record
from ..robot import FrameSeen
from .event_streams import EventStream

#: Frames that wait for the disk at most.
QUEUE_LENGTH = 1000
#: s that `stop` waits for the frames that are waiting.
_STOP_TIMEOUT = 5.0


class Recording:
    """Writes the packets of a robot, both ways, to a file.

    Ends with `stop`, with its `with` block, or when the robot is closed.
    """

    def __init__(self, stream: EventStream[FrameSeen], path: Path, head: Head, began: float) -> None:
        self._stream = stream
        self._began = began
        self._count = self._gaps = 0
        self._error: OSError | None = None
        self._path = path
        try:
            self._file = path.open("wb")
            write_head(self._file, head)
        except OSError as error:
            raise RecordingError(error, str(path)) from None
        self._thread = threading.Thread(target=self._run, name="amigobot-recording", daemon=True)
        self._thread.start()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    @property
    def packets(self) -> int:
        """Packets and commands that are in the file."""
        return self._count

    @property
    def running(self) -> bool:
        """Whether it is still written."""
        return self._thread.is_alive()

    @property
    def dropped(self) -> int:
        """Packets and commands that are missing because the disk was too slow."""
        return self._stream.dropped

    @property
    def gaps(self) -> int:
        """How often the connection was lost; the recording goes on after the reconnect."""
        return self._gaps

    def stop(self) -> None:
        """End the recording. May be called twice.

        Raises:
            RecordingError: The file could not be written, for example because the disk is full.
        """
        self._stream.close()
        self._thread.join(_STOP_TIMEOUT)
        if self._error is not None:
            raise RecordingError(self._error, str(self._path), self._count)

    def _run(self) -> None:
        try:
            with self._stream, self._file:
                while True:
                    try:
                        frame = next(self._stream, None)
                    except ConnectionLostError:  # packets come again after the reconnect
                        self._gaps += 1
                        continue
                    if frame is None:
                        return
                    write_record(self._file, RecordedFrame(frame.stamp - self._began, frame.to_robot, frame.data))
                    self._file.flush()  # a program that is killed leaves a recording
                    self._count += 1
        except OSError as error:
            self._error = error
