# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Settings that all tests share."""

import signal
from pathlib import Path

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
