# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the doctor does with a source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from amigobot_driver.doctor import Finding, Target


@dataclass(frozen=True, slots=True)
class Examination:
    """An examination that can be made now."""

    target: Target
    #: yields the findings as they come; is called with a function that takes what is done now
    findings: Callable[[Callable[[str], None]], Iterator[Finding]]
    rests: bool = False  #: the sensors are examined: the robot must be at rest
