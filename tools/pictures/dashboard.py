# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The page of `amigobot dashboard` in a browser, on a desk and on a phone."""

from __future__ import annotations

import time
from pathlib import Path

from chromium import CHROMIUM, DRIVER, Chromium, chromium, served
from dashboard_bench import simulator

from .missing import MissingProgramError

_ROBOT = "sim://amigo?world=office&seed=1"
#: Keys and the s for which they are held: along the corridor, then into the room below.
_WAY = (("w", 6.0), ("d", 1.6), ("w", 3.0))


def photograph(images: Path) -> None:
    """Drive a simulated robot in an office and save what the page shows.

    Raises:
        MissingProgramError: There is no browser.
    """
    if not (CHROMIUM and DRIVER):
        raise MissingProgramError("chromium is not installed: sudo apt-get install chromium chromium-driver")
    with simulator(_ROBOT) as source, served(source) as url, chromium() as browser:
        browser.open(url, 1280, 720, "dark")
        browser.press("#motors")
        browser.button("Plots")
        browser.find("#pad").click()
        for key, seconds in _WAY:
            _hold(browser, key, seconds)
        browser.script("window.scrollTo(0, 0)")
        browser.picture(images / "dashboard.png")
        browser.open(url, 390, 844, "light")
        browser.press("#take")
        _hold(browser, "w", 2.0)
        browser.script("window.scrollTo(0, 0)")
        browser.picture(images / "dashboard-phone.png")


def _hold(browser: Chromium, key: str, seconds: float) -> None:
    """Hold a key, then let the robot come to rest."""
    browser.keys().key_down(key).perform()
    time.sleep(seconds)
    browser.keys().key_up(key).perform()
    time.sleep(1.5)
