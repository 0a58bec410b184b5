# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Waits for several ports at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def run_parallel(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Return the results of a function for all items, each in a thread of its own.

    Ctrl-C ends the wait at once: the threads are daemons, which no pool of the standard library has.
    """
    results: dict[int, Result] = {}

    def run(index: int) -> None:
        results[index] = function(items[index])

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(len(items))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[index] for index in range(len(items))]
