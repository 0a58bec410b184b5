# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The stops of the safety page follow from the decelerations of the robots."""

import math
from pathlib import Path

import pytest
from test_robot_braking import CAUSES, LATENCY, factory_flash, fastest, stopping

from amigobot_driver.profiles import load_profile

#: Robots of the safety page, and where their deceleration is known from.
ROBOTS = {
    "amigo": "manual",
    "amigo-sh": "recorded",
    "p3dx-sh": "recorded",
    "p3at-sh": "recorded",
    "powerbot-sh": "assumed",
    "erratic": "manual",
}


def _bound(value: float, digits: int) -> str:
    """Return a value rounded up, but for the computer's own rounding."""
    return f"{math.ceil(value * 10**digits - 1e-6) / 10**digits:.{digits}f}"


def stopping_row(profile: str, speed: float, evidence: str = "") -> str:
    deceleration = factory_flash(load_profile(profile)).trans_decel / 1000
    figures = [stopping(speed, deceleration, LATENCY + delay) for delay in CAUSES]
    cells = " | ".join(f"{_bound(seconds, 1)} s, {_bound(meters, 2)} m" for seconds, meters in figures)
    return f"| {speed:g} m/s | {deceleration:g} m/s²{evidence} | {cells} |"


@pytest.mark.parametrize("profile", ROBOTS)
def test_the_page_has_the_stopping_figures(profile: str) -> None:
    page = (Path(__file__).parents[1] / "docs/explanation/safety.md").read_text(encoding="utf-8")
    assert stopping_row(profile, 0.2) in page
    row = stopping_row(profile, fastest(profile), f", {ROBOTS[profile]}")
    assert f"| {load_profile(profile).description} {row}" in page
