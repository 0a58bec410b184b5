# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the dashboard shows: a robot at a port, the simulator, a running node, or a recording."""

from __future__ import annotations

from pathlib import Path

from amigobot_driver.cli import UsageError
from amigobot_driver.transport import parse_target

from .source import Source

__all__ = ["Source", "open_source"]


def open_source(text: str, *, profile: str, ros: bool, name: str) -> Source:
    """Connect to what the command line names. A robot at a port, or a node, may come later.

    Args:
        text: Port, file of a recording or of several robots, or "" for a simulated robot.
        profile: Name or file of a profile; "" chooses it by the identity of the robot.
        ros: Through a running node.
        name: Namespace of the node, or name of the robot in a file of several.

    Raises:
        UsageError: The arguments exclude each other, or the file cannot be read.
        AmigoBotError: The source describes no robot; the message says why.
    """
    if ros:
        if text or profile:
            raise UsageError("--ros asks the node, which has its own port and profile: leave SOURCE and --robot out")
        from .node_source import NodeSource  # needs ROS

        return NodeSource(name)
    path = Path(text)
    robots = path if path.suffix in (".yaml", ".yml") and path.is_file() else None
    if robots or not text or text.startswith("sim://"):
        from .simulator_source import SimulatorSource

        return SimulatorSource(text or "sim://", profile, robots=robots, name=name)
    if path.is_dir() or path.is_file():
        from .recording_source import RecordingSource

        return RecordingSource(path, profile, name)
    if name:
        raise UsageError(f"--name {name}: only a file of several robots, and a bag of several, has names")
    target = parse_target(text)
    if not target.url.startswith("/dev/") and ":" not in text and not path.exists():
        raise UsageError(f"{text}: not a file, and not a port such as /dev/ttyUSB0, HOST:8101 or sim://")
    from .port_source import PortSource

    return PortSource(target, profile)
