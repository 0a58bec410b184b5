# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The quality of the link over some seconds: lost and damaged packets, jitter, throughput."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...robot import Report
from ...wording import counted
from ..check import Case, Stage, check
from ..finding import Cause, Finding, Severity
from ..target import Kind

#: Share of lost or damaged packets, and of bytes outside packets, from which the link counts as bad.
_LOST, _DAMAGED, _SKIPPED = 0.03, 0.01, 0.02
#: Periods over the reported one from which the robot sends too slowly, and spread of the intervals, as a share of their
#: median, up to which they are regular.
_SLOW, _REGULAR = 1.5, 0.2
#: Load of one processor from which programs run so late that the link suffers.
_OVERLOAD = 3.0
#: Packets that a judgment needs.
_ENOUGH = 10


@check("link", Stage.CONNECTED)
def link(case: Case) -> Iterator[Finding]:
    """Packets arrive complete, undamaged and in time."""
    observation, again = case.observation, case.target.command()
    if observation.losses:
        shown = f"the session does not stay open: {observation.losses[0]}"
        yield Finding("link", Severity.ERROR, shown, (_ended(case), *_overload(again)))
        return
    before, after, reports = observation.before.link, observation.after.link, observation.reports
    if len(reports) < _ENOUGH:
        return
    new, old = after.decoder, before.decoder
    frames, damaged = new.frames - old.frames, new.checksum_errors - old.checksum_errors
    received, skipped = new.bytes - old.bytes, new.skipped_bytes - old.skipped_bytes
    config = observation.after.config
    nominal = config.info_cycle_ms / 1000 if config else 0.0
    period, lost = _period_and_loss(reports, nominal)
    intervals = [late.stamp - early.stamp for early, late in pairwise(reports)]
    jitter = statistics.pstdev(intervals)
    values = {
        "seconds": round(observation.seconds, 1),
        "packets": frames,
        "lost": round(lost, 4),
        "damaged": round(damaged / max(1, frames + damaged), 4),
        "skipped_bytes": skipped,
        "period_ms": round(1000 * period, 1),
        "jitter_ms": round(1000 * jitter, 1),
        "longest_gap_ms": round(1000 * max(intervals)),
        "bytes_per_second": round(received / observation.seconds),
    }
    share = damaged / max(1, frames + damaged)
    shown = f"{100 * lost:.1f} % lost, {100 * share:.1f} % damaged in {observation.seconds:.0f} s"
    details = (
        f"every {1000 * period:.0f} ms, jitter {1000 * jitter:.0f} ms, "
        f"{values['bytes_per_second']} B/s{_use(case, received / observation.seconds)}",
    )
    if period > _SLOW * nominal > 0:
        text = f"The robot sends every {1000 * period:.0f} ms; its configuration says every {1000 * nominal:.0f} ms."
        action = "Switch the robot off and on; if it stays, all data are as slow as that. Then:"
        cause = Cause("slow-packets", text, action, again)
        yield Finding("link", Severity.WARNING, shown, (cause,), details, values)
    elif lost > _LOST or damaged > _DAMAGED * frames or skipped > _SKIPPED * received:
        text = f"Packets are lost or damaged on the way: {shown}."
        action = "Check plugs and cable, bring the radio nearer, move other 2.4 GHz transmitters away. Then:"
        if lost <= _LOST and not damaged:
            shown = f"{shown}; bytes outside packets: {skipped}"
            text = f"{counted(skipped, 'byte')} came that belong to no packet: a radio modem writes text, or noise."
            action = "Bring the modems nearer to each other. Then:"
        causes = (Cause("bad-link", text, action, again), *_overload(again))
        yield Finding("link", Severity.WARNING, shown, causes, details, values)
    else:
        yield Finding("link", Severity.OK, shown, details=details, values=values)


def _ended(case: Case) -> Cause:
    """Why sessions end."""
    observation, again = case.observation, case.target.command()
    note, times = observation.losses[0], counted(len(observation.losses), "time")
    if observation.reports and observation.reports[-1].volts < observation.after.profile.battery.cutoff:
        return Cause("battery-low", "The battery is empty: the robot ends each session.", "Charge it. Then:", again)
    if observation.resets:
        text = f"The controller of the robot restarted {times}: its supply drops out, or RESET is pressed."
        return Cause("controller-resets", text, "Charge the battery, and check its connectors. Then:", again)
    if "disappeared" in note:
        text = "The port disappeared while the robot was observed: a loose plug, or a USB hub without enough power."
        return Cause("port-lost", text, "Plug the adapter in, without a hub. Then:", again)
    if case.target.kind is Kind.NETWORK and "closed the connection" in note:
        text = f"The bridge ended the connection {times}: it restarts, or gives the robot to another client."
        return Cause("bad-link", text, "Check its power and its settings, and end other programs. Then:", again)
    text = f"The session ended {times}: {note}{'' if note.endswith('?') else '.'}"
    return Cause("bad-link", text, "Check battery, cable and radio. Then:", again)


def _period_and_loss(reports: Sequence[Report], nominal: float) -> tuple[float, float]:
    """Time between two packets in s, and the share of packets that are missing; `nominal` is the reported period.

    Packets that were late arrive in a burst, with short intervals; they are not lost. With fewer than half of the
    packets, the period is another one only if it is regular.
    """
    intervals = [late.stamp - early.stamp for early, late in pairwise(reports)]
    median = statistics.median(intervals)
    regular = statistics.pstdev(intervals) < _REGULAR * median
    period = median if not nominal or (median > nominal and regular) else nominal
    expected = round((reports[-1].stamp - reports[0].stamp) / period) + 1
    return period, max(0.0, 1 - len(reports) / expected)


def _overload(again: str) -> tuple[Cause, ...]:
    """The other cause of late packets: this computer."""
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    if load < _OVERLOAD * processors:
        return ()
    text = f"This computer is overloaded: {load:.0f} programs wait for {counted(processors, 'processor')}."
    return (Cause("overload", text, "End other programs (`top` lists them). Then:", again),)


def _use(case: Case, rate: float) -> str:
    """How much of a serial line this is."""
    baud = case.probe.baud if case.probe else 0
    return f", {1000 * rate / baud:.0f} % of line" if baud else ""
