# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python3 tools/setup [COMMAND...]: see main.py. This file must be readable for every Python, to say which it needs."""

import _signal as signal  # the module signal imports others first
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C during the imports ends it without a traceback
if not (3, 10) <= sys.version_info[:2] <= (3, 14):
    sys.exit("Python 3.10 to 3.14 is needed, not %d.%d: name another, as in PYTHON=python3.12" % sys.version_info[:2])  # noqa: UP031

from main import main  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
