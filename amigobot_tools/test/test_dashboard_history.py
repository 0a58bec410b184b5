# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The history of the plots: ten minutes of every number, and no more."""

from __future__ import annotations

import math

from amigobot_tools.dashboard.plot_history import KEPT, STEP, PlotHistory, flat


def test_every_number_has_a_name() -> None:
    values = {
        "linear": 0.5,
        "motors": True,
        "note": "12 words",
        "name": None,
        "sonars": [(1.5, 0.1)],
        "link": {"period": "100 ms", "late": "3", "gap": "-"},
    }
    assert dict(flat(values)) == {
        "linear": 0.5,
        "motors": 1.0,
        "sonars.0.0": 1.5,
        "sonars.0.1": 0.1,
        "link.period": 100.0,
        "link.late": 3.0,
    }


def test_points_of_the_last_ten_minutes_are_kept() -> None:
    history = PlotHistory()
    for number in range(3 * round(KEPT / STEP)):
        history.add(number * STEP, {"number": number, **({"late": math.inf} if number > 8000 else {})})
        history.add(number * STEP + STEP / 2, {"number": -1})  # too soon
    everything = history.after(-math.inf, ["number", "late", "missing"])
    newest = 3 * round(KEPT / STEP) - 1
    assert everything["values"][0] == list(range(newest - round(KEPT / STEP) + 1, newest + 1))
    assert everything["times"][-1] - everything["times"][0] <= KEPT
    assert set(everything["values"][1]) == set(everything["values"][2]) == {None}
    assert history.after(everything["times"][-3], ["number"])["values"] == [[newest - 1, newest]]
    assert history.after(everything["times"][-1], ["number"])["times"] == []
    assert history.names == ["late", "number"]
