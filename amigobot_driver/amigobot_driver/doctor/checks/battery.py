# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The battery: voltage, charge, and how long it lasts."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from ..check import Case, Stage, check
from ..finding import Cause, Finding, Severity

#: A, current of an AmigoBot at rest with sonars, and while it drives; estimates, no manual has them.
_AT_REST, _DRIVING = 0.45, 1.25
#: V below which an AmigoBot refuses a new session (docs/protocol.md E-34).
REFUSES_BELOW = 11.0
#: V by which the voltage of a robot at rest may vary, and the range of voltages over the cut-off that are possible.
_STEADY, _POSSIBLE = 0.8, (0.7, 1.6)
#: V that the shorter of the two fields for it can hold.
_MOST = 25.5


@check("battery", Stage.CONNECTED)
def battery(case: Case) -> Iterator[Finding]:
    """The battery has charge for the next hour."""
    observation = case.observation
    readings = [report.volts for report in observation.reports]
    if not readings:
        return
    profile, volts = observation.after.profile.battery, statistics.median(readings)
    charging = observation.reports[-1].charging
    charge = profile.charge(volts)
    values = {"volts": round(volts, 2), "charge": round(charge, 2), "charging": charging}
    shown = f"{volts:.1f} V, about {100 * charge:.0f} % charged" + (", charging" if charging else "")
    left = _minutes(charge, profile.capacity)
    details = (left,) if left else ()
    again = case.target.command()
    if shown_wrong := _no_battery(readings, profile.cutoff) or _two_voltages(case):
        text = f"{shown_wrong[0].upper()}{shown_wrong[1:]}: the robot measures it wrongly, or a contact is loose."
        action = "Measure it at the battery with a voltmeter; check its connectors and fuse. Then:"
        cause = Cause("battery-reading", text, action, again)
        yield Finding("battery", Severity.WARNING, shown_wrong, (cause,), values=values)
    elif volts < max(profile.low, REFUSES_BELOW) and not charging:
        text = (
            f"The battery is nearly empty: {volts:.1f} V. "
            f"Below {REFUSES_BELOW:g} V a robot may refuse the next session, at {profile.cutoff:g} V it switches off."
        )
        cause = Cause("battery-low", text, "Charge the battery. Then:", again)
        yield Finding("battery", Severity.ERROR, shown, (cause,), details, values)
    elif charge < 0.2 and not charging:
        cause = Cause("battery-low", f"The battery is low: {volts:.1f} V.", "Charge it soon. Then:", again)
        yield Finding("battery", Severity.WARNING, shown, (cause,), details, values)
    else:
        yield Finding("battery", Severity.OK, shown, details=details, values=values)


def _no_battery(readings: list[float], cutoff: float) -> str:
    """What shows that the readings (V) are not those of a battery; "" if nothing does."""
    low, high = min(readings), max(readings)
    if high - low > _STEADY:
        return f"the battery voltage varies between {low:.1f} and {high:.1f} V at rest"
    if not _POSSIBLE[0] * cutoff <= statistics.median(readings) <= _POSSIBLE[1] * cutoff:
        return f"the robot reports a battery of {statistics.median(readings):.1f} V, which it cannot have"
    return ""


def _two_voltages(case: Case) -> str:
    """Robots that report the voltage twice report the same."""
    pairs = [(packet.battery / 10, packet.battery_x10 / 10) for packet in case.traffic.decoded if packet.battery_x10]
    wrong = [pair for pair in pairs if abs(pair[0] - pair[1]) > _STEADY and pair[1] < _MOST]
    return "the robot reports {:.1f} V and {:.1f} V for one battery".format(*wrong[-1]) if len(wrong) > 2 else ""


def _minutes(charge: float, capacity: float) -> str:
    """How long the battery lasts, as a text; "" if its capacity is not known."""
    if math.isnan(capacity):
        return ""
    driving, resting = (60 * charge * capacity / current for current in (_DRIVING, _AT_REST))
    return f"for about {driving:.0f} min of driving or {resting:.0f} min at rest, if as new"
