# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The result of a request."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a request succeeded, and a message for the caller."""

    success: bool
    message: str


AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)


class Callers:
    """The futures of the callers that wait for the same result."""

    def __init__(self) -> None:
        self._futures: list[Future[Outcome]] = []

    def __bool__(self) -> bool:
        """Return whether a caller waits."""
        return bool(self._futures)

    def new_future(self) -> Future[Outcome]:
        """Add a caller and return the future of its result."""
        future: Future[Outcome] = Future()
        self._futures.append(future)
        return future

    def finish(self, success: bool, message: str) -> None:
        """Give the result to every caller."""
        futures, self._futures = self._futures, []
        for future in futures:
            finish(future, Outcome(success, message))


def finish(future: Future[AnyOutcome], outcome: AnyOutcome) -> None:
    """Set the result of a future that may have been canceled meanwhile."""
    if future.set_running_or_notify_cancel():
        future.set_result(outcome)


def finished(success: bool, message: str) -> Future[Outcome]:
    """Return a future that has this result."""
    future: Future[Outcome] = Future()
    future.set_result(Outcome(success, message))
    return future
