# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Tells when discovery has ended: ROS discovers nodes, their names and their topics one by one, and reports no end."""

from __future__ import annotations


class Steady:
    """Measures for how long what is seen has not changed."""

    def __init__(self) -> None:
        self._seen: object = None
        self._since = 0.0

    def observe(self, seen: object, now: float) -> float:
        """Return for how long (s) every observation was equal to this one, made at `now` (s)."""
        if seen != self._seen:
            self._seen, self._since = seen, now
        return now - self._since
