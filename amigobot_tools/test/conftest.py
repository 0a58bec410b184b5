# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Settings that all tests share."""

from pathlib import Path

# A source package of this package alone, as distributions build it, lacks the test helpers of amigobot_driver.
if not (Path(__file__).parents[2] / "pyproject.toml").is_file():
    collect_ignore_glob = ["test_*.py"]
