# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot at a port, through the Python API of the driver. It need not answer yet."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from amigobot_driver import TUNABLE, AmigoBot, EventStream, Options, RequestRefusedError
from amigobot_driver.cli.command_line_robot import CommandLineRobot
from amigobot_driver.doctor import Case, Finding, History, Target, examine, examine_held, live_findings
from amigobot_driver.packet_file import RecordedFrame
from amigobot_driver.parameter_table import TABLE, Spec
from amigobot_driver.robot import FrameSeen, LinkChanged, RobotSnapshot

from ...port_remote import PortRemote
from ...state import RobotState
from ..messages import Value
from .robot_source import RobotSource, parameter_row
from .source import Examination

_MAX_WAITING = 2000  # frames on the line that wait for the page
_SNAPSHOT_PERIOD = 0.9  #: s; a second, with a margin for a loop that is early
#: Options of the driver that the page can change, with the ranges of the node's parameters.
_OPTIONS = {
    spec.option: replace(spec, name=spec.option)
    for spec in TABLE
    if spec.option in ("max_linear", "max_angular", "command_timeout")
}
#: Values that the robot has, and those.
_PARAMETERS = _OPTIONS | {
    name: Spec(name, 0, known.command.summary, known.unit, (known.low, known.high)) for name, known in TUNABLE.items()
}


class PortSource(PortRemote, RobotSource):
    """A connected robot.

    Args:
        target: The port of the driver, as the doctor knows it.
        profile: Name or file of a profile; "" chooses it by the identity of the robot.
        timeout: Seconds to wait for the robot; 0: do not wait.
        make: Connects to the robot; like `AmigoBot`.

    Raises:
        AmigoBotError: The arguments are wrong, or there is no robot; the message says why.
    """

    kind = "port"
    _traced: EventStream[Any]  #: the frames on the line, of the present connection

    def __init__(
        self,
        target: Target,
        profile: str = "",
        *,
        timeout: float = 0.0,
        make: Callable[..., CommandLineRobot] = CommandLineRobot,
    ) -> None:
        options = Options(profile=profile, motors_on_connect=False, io_stream=True, trace=True)
        RobotSource.__init__(self)

        def connect(port: str, **more: Any) -> AmigoBot:
            robot = make(port, **more)
            self._traced = robot.events(FrameSeen, LinkChanged, maxlen=_MAX_WAITING)
            self._history = History()  # its counters are those of one driver
            return robot

        PortRemote.__init__(self, target.typed, timeout=timeout, options=options, make=connect)
        self._target, self._profile = target, profile
        self._snapshot_at = -math.inf

    def state(self) -> RobotState:
        """Return what is known of the robot now, and take in the frames on the line."""
        for event in self._traced.take_all():
            if isinstance(event, FrameSeen):
                self.frames.add(RecordedFrame(event.stamp, event.to_robot, event.data))
        return super().state()

    def sections(self) -> dict[str, Any]:
        """Return parameters, sounds and diagnostics."""
        snapshot = self.robot.snapshot()
        values = {name: getattr(self.robot.options, name) for name in _OPTIONS}
        values |= dict(snapshot.config.values()) if snapshot.config else {}
        return {
            **self._more,
            "parameters": [parameter_row(spec, values[name]) for name, spec in _PARAMETERS.items() if name in values],
            "diagnostics": self._diagnostics(snapshot),
        }

    def examination(self) -> Examination:
        """Return the checks of the session that is open, or of everything if there is none."""
        if self.robot.connected:
            return Examination(self._target, self._examine_session, rests=True)
        return Examination(self._target, self._examine_port)

    # -- requests ---------------------------------------------------------------------------------------------

    def do_parameter(self, name: str, value: Value) -> str:
        """Set an option of the driver, or a parameter of the robot."""
        if name in _OPTIONS:
            return self.robot.configure(**{name: _OPTIONS[name].check(value)})
        if name not in TUNABLE:
            raise RequestRefusedError(f"parameter {name!r:.60} is not known")
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        self.robot.set_config({name: value})  # type: ignore[dict-item]  # the driver checks the value
        return f"{name} is {value} now"

    def _examine_session(self, on_progress: Callable[[str], None]) -> Iterator[Finding]:
        return examine_held(self.robot, self._target, on_progress=on_progress, clock=self.robot.clock)

    def _examine_port(self, on_progress: Callable[[str], None]) -> Iterator[Finding]:
        """Close the port meanwhile: it serves one program at a time."""
        on_progress("closing the port")
        with self.released("the doctor examines the port; the dashboard looks for the robot again afterwards"):
            yield from examine(Case(target=self._target, profile=self._profile, on_progress=on_progress))

    def _diagnostics(self, snapshot: RobotSnapshot) -> list[dict[str, Any]]:
        """The findings of the driver, as the node publishes them."""
        if time.monotonic() - self._snapshot_at >= _SNAPSHOT_PERIOD:  # the history has one for each second
            self._snapshot_at = time.monotonic()
            self._history.snapshots.append(snapshot)
        return [
            {
                "name": finding.check,
                "level": finding.severity.value,
                "message": finding.text,
                "values": {key: str(value) for key, value in finding.values.items()},
            }
            for finding in live_findings(self._history, self.where)
        ]
