# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A sequence that violates an invariant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: One step as it was run: the name of its rule and the arguments.
Step = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Failure:
    """The steps, and what went wrong."""

    steps: tuple[Step, ...]
    message: str
    notes: tuple[str, ...] = ()  #: what else helps to understand it

    @staticmethod
    def of(steps: list[Step], error: BaseException) -> Failure:
        """The failure that an exception is."""
        text = str(error).splitlines()[0] if str(error) else ""
        return Failure(tuple(steps), text if type(error).__name__ == "Violation" else f"{type(error).__name__}: {text}")

    @property
    def kind(self) -> str:
        """The check that failed, or the exception that was raised."""
        return self.message.split(":", 1)[0]

    def script(self, machine: str = "state_machine.machine.DriverMachine") -> str:
        """A program that runs the sequence on this machine; run it in amigobot_driver/test."""
        module, _, name = machine.rpartition(".")
        calls = [
            f"machine.{rule}({', '.join(f'{key}={value!r}' for key, value in kwargs.items())})"
            for rule, kwargs in self.steps
        ]
        return "\n".join(
            [
                *(f"# {line}" for line in (self.message, *self.notes)),
                "from math import inf, nan",
                "",
                "from amigobot_driver.sim import Faults",
                f"from {module} import {name}",
                "from state_machine.setup import Setup",
                "",
                f"machine = {name}()",
                *calls,
                "machine.finish_sequence()",
            ]
        )
