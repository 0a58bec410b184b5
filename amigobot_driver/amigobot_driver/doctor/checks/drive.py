# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Motors, stalls, buttons and bumpers, as the robot reports them. Nothing is switched on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ...wording import counted
from ..check import Case, Stage, check
from ..finding import Cause, Finding, Severity

#: SIPs until the motors are off after ENABLE 0.
_SETTLED = 5
#: Changes of the digital inputs of a robot at rest from which they flicker.
_FLICKER = 4
#: deg C between which the temperature of a controller is possible and harmless.
_COLD, _HOT = -20, 70


@check("motors", Stage.CONNECTED)
def motors(case: Case) -> Iterator[Finding]:
    """No wheel is stalled, no button is pressed, the controller reports no fault."""
    observation, again = case.observation, case.target.command()
    if not observation.reports:
        return
    newest, problems = observation.reports[-1], False
    stalled = [
        side
        for side, flags in (
            ("left", [report.left_stalled for report in observation.reports]),
            ("right", [report.right_stalled for report in observation.reports]),
        )
        if any(flags)
    ]
    if stalled:
        problems = True
        text = f"The {' and '.join(stalled)} wheel reports a stall: something holds it."
        cause = Cause("stalled", text, "Lift the robot and turn the wheel by hand. Then:", again)
        yield Finding("motors", Severity.WARNING, f"stalled: {', '.join(stalled)}", (cause,))
    if any(report.stop_button for report in observation.reports):
        problems = True
        text = "The emergency stop button is pressed; if the robot has none, its E-stop connector or jumper is open."
        cause = Cause("stop-button", text, "Release it, or close the connector. Then:", again)
        yield Finding("motors", Severity.WARNING, "the emergency stop button is pressed", (cause,))
    if faults := sorted({fault for report in observation.reports for fault in report.faults}):
        problems = True
        text = f"The controller reports {', '.join(faults)}."
        cause = Cause("controller-fault", text, "Switch the robot off and on. Then:", again)
        yield Finding("motors", Severity.WARNING, f"faults: {', '.join(faults)}", (cause,))
    bumpers = observation.after.bumpers
    pressed = [] if bumpers is None else [*_pressed("front", bumpers.front), *_pressed("rear", bumpers.rear)]
    if pressed:
        problems = True
        text = f"Bumper segments are pressed: {', '.join(pressed)}."
        cause = Cause("bumper-pressed", text, "Free them. Then:", again)
        yield Finding("motors", Severity.WARNING, f"bumpers pressed: {', '.join(pressed)}", (cause,))
    states = [report.motors_enabled for report in observation.reports[_SETTLED:]]
    if True in states and False in states:
        problems = True
        text = "The motors are switched while no command asks for it: the MOTORS button, or another program."
        action = "Do not press MOTORS, and end other programs, also on other computers. Then:"
        changes = sum(late != early for early, late in pairwise(states))
        shown = f"the motors were switched {counted(changes, 'time')}"
        yield Finding("motors", Severity.WARNING, shown, (Cause("motors-switched", text, action, again),))
    if states and all(states) and observation.answers:
        problems = True
        text = (
            "The motors stay on, though ENABLE 0 was sent: another program or the MOTORS button switches them on again."
        )
        action = "End other programs, also on other computers; press RESET on the robot. Then:"
        cause = Cause("motors-stay-on", text, action, again)
        yield Finding("motors", Severity.ERROR, "the motors stay on after ENABLE 0", (cause,))
    inputs = [report.ports.digital_in for report in observation.reports]
    changes = sum(late != early for early, late in pairwise(inputs))
    if changes >= _FLICKER:
        problems = True
        text = "Digital inputs change again and again: a wire is loose, or an input is open."
        cause = Cause("inputs-flicker", text, "Check what is connected to the digital inputs. Then:", again)
        yield Finding("motors", Severity.WARNING, f"digital inputs changed {counted(changes, 'time')}", (cause,))
    if newest.celsius is not None and not _COLD < newest.celsius < _HOT:
        problems = True
        text = f"The controller reports {newest.celsius} deg C: it is too hot, or its sensor is broken."
        cause = Cause("temperature", text, "Let it cool down, and check its fan. Then:", again)
        yield Finding("motors", Severity.WARNING, f"{newest.celsius} deg C", (cause,))
    if not problems:
        state = "on" if newest.motors_enabled else "off"
        yield Finding("motors", Severity.OK, f"no stall, stop button, bumper or fault is reported; they are {state}")


def _pressed(ring: str, segments: tuple[bool, ...]) -> list[str]:
    return [f"{ring} {number}" for number, down in enumerate(segments) if down]
