# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Settings that make a test the same in every run, whoever starts it; imported for its effect."""

import signal
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

# The same examples in every run, and no verdict that depends on how busy the machine is.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=20_000, deadline=None)
settings.load_profile("repeatable")
# A build of Debian runs the tests in the folder that it then installs.
set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "hypothesis_of_amigobot_driver")

# Under nohup, or in the background of a script, these are ignored, also in every program that a test starts.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)
