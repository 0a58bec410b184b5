# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python3 tools/setup [COMMAND...]: see main.py. This file must be readable for every Python, to say which it needs."""

import sys

if not (3, 10) <= sys.version_info[:2] <= (3, 14):
    version = "%d.%d" % sys.version_info[:2]  # noqa: UP031
    sys.exit("Python 3.10 to 3.14 is needed, this is %s: name another, as in PYTHON=python3.12" % version)  # noqa: UP031

from main import main

sys.exit(main(sys.argv[1:]))
