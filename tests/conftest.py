# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Settings of the tests that need the repository: its pages and tools, or several of its packages."""

import pytest
import repeatable  # noqa: F401

#: files of a minute or more; the first ones, or one processor waits for the last of them
LONG = ("test_try_page", "test_recordings", "test_state_machine", "test_dashboard_browser", "test_site")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.stem not in LONG)
