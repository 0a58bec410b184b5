"""How a request ended, and who waits for that."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass

from .events import Notice


@dataclass(frozen=True, slots=True)
class Outcome:
    """Success or not, in words for the person who asked."""

    success: bool
    message: str


class Waiting:
    """The futures of everybody who waits for the same answer."""

    def __init__(self) -> None:
        self._futures: list[Future[Outcome]] = []
        self._unheard: list[str] = []
        self.given_up = 0  #: times

    def __bool__(self) -> bool:
        """Whether anybody waits."""
        return bool(self._futures)

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

    def give_up(self, message: str) -> None:
        """Tell everybody that it failed, or the operator, when nobody waits."""
        self.given_up += 1
        if not self._futures:
            self._unheard.append(message)
        self.finish(False, message)

    def notices(self) -> Iterator[Notice]:
        """What is to be told to the operator, once."""
        unheard, self._unheard = self._unheard, []
        yield from map(Notice, unheard)


def finished(success: bool, message: str) -> Future[Outcome]:
    """An answer that is known at once."""
    future: Future[Outcome] = Future()
    future.set_result(Outcome(success, message))
    return future
