# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The file of `amigobot doctor --report`: text, JSON and packets in one zip file, without names."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..doctor import Case
from ..doctor.report import Anonymizer, environment
from ..packet_file import Head, RecordedFrame, write_head, write_record
from ..protocol import ACTIVMEDIA_PACKETS, ERRATIC_PACKETS, FrameDecoder, parse
from ..robot import RobotSnapshot


def pack(file: Path, case: Case, result: Mapping[str, Any], text: str) -> None:
    """Write the report.

    Args:
        file: Zip file; an existing one is replaced.
        case: What was examined.
        result: The findings, as values of JSON.
        text: The same as it was printed.

    Raises:
        OSError: The file cannot be written.
    """
    snapshot = case.session.snapshot if case.session else None
    identity, config = (snapshot.identity, snapshot.config) if snapshot else (None, None)
    names = Anonymizer(case.target, identity.name if identity else "", config.serial if config else "")
    content = json.dumps({"environment": environment(), **result}, indent=2, default=str)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("doctor.txt", names.text(text))
        archive.writestr("doctor.json", names.text(content))
        if snapshot is not None:
            archive.writestr("packets.amigo", _packets(case, snapshot, names))


def _packets(case: Case, snapshot: RobotSnapshot, names: Anonymizer) -> bytes:
    """The packets of the session, as `amigobot record` writes them."""
    assert case.line is not None
    identity, erratic = snapshot.identity, snapshot.profile.erratic
    head = Head(
        started=time.time(),
        port="",
        name="x",
        robot_class=identity.robot_class if identity else "",
        subclass=identity.subclass if identity else "",
        profile=Path(snapshot.profile.name).name,
        erratic=erratic,
    )
    file = io.BytesIO()
    write_head(file, head)
    table = ERRATIC_PACKETS if erratic else ACTIVMEDIA_PACKETS
    decoders = {to_robot: FrameDecoder() for to_robot in (True, False)}
    for stamp, to_robot, data, _ in case.line.chunks:
        for frame in decoders[to_robot].feed(data, stamp):
            content = frame.data if to_robot else names.packet(parse(frame.data, table)).encode()
            write_record(file, RecordedFrame(stamp - case.line.chunks[0].stamp, to_robot, content))
    return file.getvalue()
