"""How a request ended, and who waits for that."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """Success or not, in words for the person who asked."""

    success: bool
    message: str


class Waiting:
    """The futures of everybody who waits for the same answer."""

    def __init__(self) -> None:
        self._futures: list[Future[Outcome]] = []

    def add(self) -> Future[Outcome]:
        """One more who waits."""
        future: Future[Outcome] = Future()
        self._futures.append(future)
        return future

    def finish(self, success: bool, message: str) -> None:
        """Tell everybody."""
        futures, self._futures = self._futures, []
        for future in futures:
            if future.set_running_or_notify_cancel():
                future.set_result(Outcome(success, message))


def finished(success: bool, message: str) -> Future[Outcome]:
    """An answer that is known at once."""
    future: Future[Outcome] = Future()
    future.set_result(Outcome(success, message))
    return future
