# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The state of each part of a robot while the driver runs: figures of the snapshots of the last minute.

    history = History()
    history.snapshots.append(robot.snapshot())
    for finding in live_findings(history, port):
        ...

/diagnostics, `amigobot monitor` and the dashboard show one finding for each part, with the values of that part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter

from ..robot import Report, RobotSnapshot
from .finding import Finding, Severity

MINUTE = 60  #: s, the longest time over which counters are compared
_MAX_DESCRIBED = 3  #: problems of one part that the message describes


class History:
    """The snapshots of the last minute, one for each second, and their figures."""

    #: s without a reading after which a sonar that is on is silent: two turns of 16 slow ones take less
    SILENT = 5

    def __init__(self) -> None:
        self.snapshots: deque[RobotSnapshot] = deque(maxlen=MINUTE + 1)  #: the newest one last

    @property
    def now(self) -> RobotSnapshot:
        """The newest snapshot."""
        return self.snapshots[-1]

    def increase(self, counter: str | Callable[[RobotSnapshot], int], seconds: int = 1) -> int:
        """Return how much a counter has grown in the last seconds; of an examination, since it began."""
        count = attrgetter(counter) if isinstance(counter, str) else counter
        before = count(self.snapshots[-1 - seconds]) if len(self.snapshots) > seconds else 0
        return int(count(self.now) - before)

    @property
    def reports(self) -> Sequence[Report]:
        """The newest report; of an examination, all."""
        return (self.now.report,) if self.now.report else ()

    @property
    def faults(self) -> str:
        """The faults that the robot reports."""
        return ", ".join(sorted({fault for report in self.reports for fault in report.faults}))

    @property
    def battery_level(self) -> str:
        """Level of the battery; "" if it charges, or is not measured."""
        report = self.now.report
        return "" if not report or report.charging or report.smoothed_volts <= 1.0 else self.now.battery_level.name

    @property
    def stalled(self) -> str:
        """Which wheels stall, and for how long."""
        now = {wheel: stall.duration for wheel, stall in self.now.stalls.items() if stall.duration is not None}
        wheels = [
            wheel
            for wheel in self.now.stalls
            if wheel in now or self.increase(lambda then, wheel=wheel: then.stalls[wheel].count)  # type: ignore[misc]
        ]
        if not wheels:
            return ""
        which = "both wheels" if len(wheels) == 2 else f"the {wheels[0]} wheel"
        return f"{which} stalled" + (f" for {max(1, round(max(now.values())))} s" if now else ", now and then")

    @property
    def pressed_bumpers(self) -> list[str]:
        """Pressed segments, numbered as in the message of the topic bumpers."""
        bumpers = self.now.bumpers
        rings = {} if bumpers is None else {"front": bumpers.front, "rear": bumpers.rear}
        return [f"{ring} bumper {at}" for ring, some in rings.items() for at, pressed in enumerate(some) if pressed]

    @property
    def silent_sonars(self) -> list[int]:
        """Numbers of the sonars that give no readings, although they are on."""
        now, before = self.now, self.snapshots[max(-1 - self.SILENT, -len(self.snapshots))]
        on = all(one.link.running and one.report and one.report.sonar_enabled for one in (before, now))
        return [sonar.number for sonar in now.sonars if on and before is not now and sonar.age >= self.SILENT]

    @property
    def unconfirmed(self) -> list[str]:
        """Requests that the robot has not confirmed in the last minute."""
        end = "_given_up"
        return [
            name.removesuffix(end).replace("_", " ")
            for name in self.now.commands.requests
            if name.endswith(end) and self.increase(lambda then, name=name: then.commands.requests[name], MINUTE)  # type: ignore[misc]
        ]

    @property
    def stream_problems(self) -> list[str]:
        """Streams of packets besides the SIPs that do not come, or that the line has no bandwidth for."""
        silent = [stream.name for stream in self.now.streams if stream.silent]
        pronoun = "it" if len(silent) == 1 else "them"
        missing = f"no {' and no '.join(silent)} received; the driver keeps requesting {pronoun}"
        return [missing] * bool(silent) + [*self.now.plan.reasons.values()]

    @property
    def unwritten(self) -> int:
        """Bytes for auxiliary ports that were dropped in the last second."""
        return self.increase(lambda then: sum(port.dropped for port in then.aux))


def live_findings(history: History, port: str) -> Iterator[Finding]:
    """Yield one finding for each part, in the order of the message.

    Args:
        history: The snapshots; at least one.
        port: URL of the port.
    """
    # Imported here: the table takes 2 MB, which a node without a subscriber of /diagnostics spares.
    from .table import Names, applying, capitalized, table

    now = history.now
    for name, part in table("live").items():
        names, values = Names(history, port=port), dict[str, object]()
        if now.report or not part.needs_packets:
            values = names.named(part.values)
            for item in names.value(part.each):
                values |= Names(history, it=item).named(part.values_of_each)
        if part.needs_packets and not (now.link.running and now.report):
            yield Finding(name, Severity.ERROR, "unknown: no packets from the robot", values=values)
            continue
        found = [*applying(table()[name], history, live=True)]
        texts = [capitalized(one.text(row.cause)) for row, one in found[:_MAX_DESCRIBED]]
        remedies = dict.fromkeys(one.remedy(row) for row, one in found[:_MAX_DESCRIBED] if row.remedy)
        severities = {Severity(one.text(row.severity)) for row, one in found}
        severity = max(severities, key=list(Severity).index, default=Severity.OK)
        yield Finding(name, severity, " ".join([*texts, *remedies]) or names.text(part.ok), values=values)
