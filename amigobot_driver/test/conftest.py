# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Settings that all tests share."""

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A source package of this package alone, as distributions build it, has neither tools/ and docs/, which tests read, nor
# the settings of pytest.
if not (Path(__file__).parents[2] / "pyproject.toml").is_file():
    collect_ignore_glob = ["test_*.py"]

# The same examples in every run, and no verdict that depends on how busy the machine is.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=20_000, deadline=None)
settings.load_profile("repeatable")

# Under nohup, or in the background of a script, these are ignored, also in every program that a test starts.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

#: ROS and the other packages of the repository. `colcon test` has them only in a terminal that has sourced them.
_ELSEWHERE = re.compile(r"Error: .*'((?:rclpy|launch|tf2_|\w+_(?:msgs|interfaces)|amigobot_\w+)[\w.]*)'")


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Skip a file that imports a package that is not there, instead of running no test at all."""
    outcome: Any = yield
    report = outcome.get_result()
    missing = _ELSEWHERE.search(str(report.longrepr)) if report.failed else None
    if missing and isinstance(collector, pytest.Module):
        reason = f"Skipped: {missing[1]} is not found: source ROS and the workspace"
        report.outcome, report.longrepr = "skipped", (str(collector.path), 1, reason)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a long value by its length: ids of 400,000 characters block `colcon test --pytest-args -v`."""
    return f"{argname}_of_{len(val)}" if isinstance(val, str | bytes) and len(val) > 200 else None
