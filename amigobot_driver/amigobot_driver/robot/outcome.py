# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The result of a request."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a request."""

    success: bool  #: the request succeeded
    message: str  #: for the caller: what was done, or why not


AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)


def finish(future: Future[AnyOutcome], outcome: AnyOutcome) -> None:
    """Set the result of a future that may have been canceled meanwhile."""
    if future.set_running_or_notify_cancel():
        future.set_result(outcome)


def finished(outcome: Outcome) -> Future[Outcome]:
    """Return a future that has this result."""
    future: Future[Outcome] = Future()
    future.set_result(outcome)
    return future
