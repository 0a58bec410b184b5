# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The web page with the robot in it, after a program has run."""

from __future__ import annotations

import tempfile
from pathlib import Path

from chromium import CHROMIUM, DRIVER, chromium

from .. import try_page
from .missing import MissingProgramError

_LOADED = "return !document.querySelector('#run').disabled && document.querySelector('#progress').textContent === ''"


def photograph(images: Path) -> None:
    """Run the first program in the page and save what it shows.

    Raises:
        MissingProgramError: There is no browser, or no Python for it.
    """
    if not (CHROMIUM and DRIVER and try_page.available()):
        raise MissingProgramError("chromium or npm is not installed: sudo apt-get install chromium chromium-driver npm")
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        try_page.write(Path(name))
        with try_page.serve(Path(name)) as url:
            browser.resize(1440, 810)
            browser.driver.get(url)
            browser.until(_LOADED)
            browser.press("#run")
            browser.until("return document.querySelector('#output').textContent.includes('corner 3')")
            browser.picture(images / "try.png")
