# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Settings of the tests that need the repository: its pages and tools, or several of its packages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import repeatable  # noqa: F401
from processes import SimulatedRobot, simulated_robot
from source_subcommands import entry_points

from amigobot_driver.cli import subcommands

#: files of a minute or more; the first ones, or one processor waits for the last of them
LONG = ("test_try_page", "test_sim_recordings", "test_state_machine", "test_dashboard_browser", "test_site")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.stem not in LONG)


@pytest.fixture(scope="module")
def own_subcommands() -> Iterator[None]:
    """The subcommands of the sources, not those of an installed version."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subcommands, "entry_points", entry_points)
        yield


@pytest.fixture
def robot(tmp_path: Path) -> Iterator[SimulatedRobot]:
    """A simulated robot in a process of its own, in an empty world."""
    with simulated_robot(tmp_path, "--world", "empty") as running:
        yield running
