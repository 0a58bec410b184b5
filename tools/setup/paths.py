# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Where things are."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
BUILD = ROOT / "build"
INSTALL = ROOT / "install"
LOG_FOLDER = ROOT / "log"
LOG = LOG_FOLDER / "setup.log"
LOCK = LOG_FOLDER / "setup.lock"
REQUIREMENTS = ROOT / "tools" / "requirements.in"
REQUIREMENTS_LOCK = ROOT / "tools" / "requirements.lock"
