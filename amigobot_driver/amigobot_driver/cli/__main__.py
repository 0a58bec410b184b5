"""`python -m amigobot_driver.cli` is the `amigobot` command."""

import sys

from . import main

sys.exit(main())
