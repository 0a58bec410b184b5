# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Settings that all tests share."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import repeatable  # noqa: F401

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
