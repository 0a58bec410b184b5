# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`python -m amigobot_driver.cli` is the `amigobot` command."""

import sys

from . import main

sys.exit(main())
