# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a caller may pass: mostly sensible values, and those at the edges of the tables."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from amigobot_driver.protocol import Command
from amigobot_driver.robot import TUNABLE

from .setup import PARAMETERS, PROFILES, Setup

NOT_NUMBERS = (math.nan, math.inf, -math.inf)

#: Shares of a limit: inside, at it, and a little or far beyond it.
INSIDE = st.one_of(st.sampled_from((0.0, 1.0, -1.0, 0.5, -0.5, 0.25)), st.floats(-1, 1).map(lambda x: round(x, 3)))
BEYOND = st.sampled_from((1.0005, -1.0005, 1.01, -1.01, 3.0, -3.0, 1e9, *NOT_NUMBERS))
FRACTIONS = st.one_of(INSIDE, INSIDE, INSIDE, BEYOND)

#: m: within a few seconds, too small to be driven, at and beyond what the command takes.
DISTANCES = st.one_of(
    st.floats(-0.6, 0.6).map(lambda x: round(x, 3)),
    st.floats(0.05, 1.0).map(lambda x: round(x, 3)),
    st.sampled_from((0.0, 0.0004, -0.0004, 0.001, 0.015, -0.015, 0.02, -0.03, 32.0, -32.0, 32.001, *NOT_NUMBERS)),
)
ANGLES = st.one_of(
    st.floats(-3, 3).map(lambda x: round(x, 3)),
    st.sampled_from((0.0, 0.004, 0.009, 0.03, 0.05, -0.05, math.pi, -math.pi, 3.15, -3.15, 7.0, *NOT_NUMBERS)),
)
HEADINGS = st.one_of(st.floats(-3.14, 3.14).map(lambda x: round(x, 3)), st.sampled_from((math.pi, 100.0, *NOT_NUMBERS)))
#: m, m, rad
POSES = st.tuples(
    st.sampled_from((0.0, 5.0, -2.0, 40.0, 1e6)),
    st.sampled_from((0.0, -5.0, 1.0)),
    st.sampled_from((0.0, 1.0, 1.571, 3.14, -2.0, 100.0)),
)

#: s of simulated time in one step: short ones, and those around the driver's own times.
PAUSES = st.sampled_from((0.0, 0.013, 0.05, 0.1, 0.25, 0.31, 0.5, 0.8, 1.0, 2.1))
#: s that a process is frozen: below and above its own and the robot's watchdog.
FREEZES = st.sampled_from((0.05, 0.3, 0.8, 0.95, 1.05, 1.3, 1.9, 2.1, 3.0))
DURATIONS = st.sampled_from((0.1, 0.3, 0.6, 1.5, 2.5, 3.5))

SETUPS = st.builds(
    Setup,
    profile=st.one_of(st.sampled_from(PROFILES[:3]), st.sampled_from(PROFILES)),
    asked=st.booleans(),
    paced=st.booleans(),
    moving_bit=st.sampled_from((True, True, True, False)),
    layout=st.sampled_from(("manual", "player")),
    motors_on_connect=st.sampled_from((True, True, True, False)),
    sonar_on_connect=st.booleans(),
    encoders=st.sampled_from((False, False, True)),
    walls=st.sampled_from((False, False, True)),
    brisk=st.sampled_from((True, True, False)),
    fast_limits=st.sampled_from((True, True, False)),
)


def around(low: float, high: float, step: float) -> tuple[float, ...]:
    """The edges of a range, and one step inside and beyond each."""
    return low - step, low, low + step, high - step, high, high + step


def _parameter_values(name: str) -> st.SearchStrategy[object]:
    spec = PARAMETERS[name]
    if spec.has_range:
        low, high = (float(end) for end in spec.allowed)
        step = 1.0 if spec.kind is int else (high - low) / 1000
        inside = st.sampled_from([low + (high - low) * share for share in (0.03, 0.1, 0.3, 0.5, 1.0)])
        edges = st.sampled_from((float(spec.default), 0.0, *around(low, high, step), *NOT_NUMBERS))
        return st.one_of(inside, edges).map(lambda x: int(x) if spec.kind is int and math.isfinite(x) else x)
    if spec.kind is bool:
        return st.one_of(st.booleans(), st.just(1))
    return st.sampled_from((*spec.allowed, "nonsense"))


#: Names and values of the node's parameters.
PARAMETER_CHANGES = st.sampled_from(sorted(PARAMETERS)).flatmap(
    lambda name: st.tuples(st.just(name), _parameter_values(name))
)

#: Working values of the controller that leave the robot as it was built; and the others.
HARMLESS = ("trans_acc", "trans_decel", "rot_acc", "rot_decel", "trans_vel_max", "rot_vel_max", "sonar_cycle")


def _working_values(name: str) -> st.SearchStrategy[int]:
    low, high = TUNABLE[name].low, TUNABLE[name].high
    sensible = st.sampled_from((50, 100, 200, 300, 777))
    return st.one_of(sensible, sensible, st.sampled_from((0, 1, -1, -777, low, high, low - 1, high + 1)))


WORKING_VALUES = st.one_of(
    st.sampled_from(HARMLESS), st.sampled_from(HARMLESS), st.sampled_from(sorted(TUNABLE))
).flatmap(lambda name: st.tuples(st.just(name), _working_values(name)))

#: Numbers of raw commands: every one of the table, and some of none.
COMMANDS = st.one_of(
    st.sampled_from([command.number for command in Command]), st.sampled_from((-1, 0, 14, 110, 200, 255, 256, 70000))
)
ARGUMENTS = st.one_of(
    st.just([]),
    st.sampled_from((0, 1, 2, 50, 300, -1, -300, 255, 256, 32767, 32768, -32768, -32769, 65535, 65536)).map(
        lambda x: [x]
    ),
    st.just([1, 2]),
)
TEXTS = st.sampled_from((b"", b"", b"", b"x", bytes(range(1, 9)), bytes(195), bytes(196), bytes(300)))
