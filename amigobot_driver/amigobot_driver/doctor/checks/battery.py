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
    if volts < max(profile.low, REFUSES_BELOW) and not charging:
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


def _minutes(charge: float, capacity: float) -> str:
    """How long the battery lasts, as a text; "" if its capacity is not known."""
    if math.isnan(capacity):
        return ""
    driving, resting = (60 * charge * capacity / current for current in (_DRIVING, _AT_REST))
    return f"for about {driving:.0f} min of driving or {resting:.0f} min at rest, if as new"
