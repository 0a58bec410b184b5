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

    @staticmethod
    def of(steps: list[Step], error: BaseException) -> Failure:
        """The failure that an exception is."""
        text = str(error).splitlines()[0] if str(error) else ""
        return Failure(tuple(steps), text if type(error).__name__ == "Violation" else f"{type(error).__name__}: {text}")

    @property
    def kind(self) -> str:
        """The check that failed, or the exception that was raised."""
        return self.message.split(":", 1)[0]

    def script(self) -> str:
        """A program that runs the sequence; run it in amigobot_driver/test."""
        calls = [
            f"machine.{name}({', '.join(f'{key}={value!r}' for key, value in kwargs.items())})"
            for name, kwargs in self.steps
        ]
        return "\n".join(
            [
                f"# {self.message}",
                "from math import inf, nan",
                "",
                "from amigobot_driver.sim import Faults",
                "from state_machine.machine import DriverMachine",
                "from state_machine.setup import Setup",
                "",
                "machine = DriverMachine()",
                *calls,
                "machine.finish_sequence()",
            ]
        )
