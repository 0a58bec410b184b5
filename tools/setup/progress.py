# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a person who waits sees: a line for each long step, one for a failure; the rest is in a log file."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from paths import LOG

TELLING = re.compile(r"\berror: |\berror processing |^E: ", re.IGNORECASE)
START = time.monotonic()


class SetupError(Exception):
    """What failed, why, and what to do: one line."""


def say(text: str) -> None:
    """One line of progress; on stderr, so that the output of a command run afterwards stays clean."""
    print(f"[{time.monotonic() - START:3.0f} s] {text}", file=sys.stderr, flush=True)


def run(
    what: str,
    command: Sequence[str],
    environment: Mapping[str, str],
    remedy: str,
    on_line: Callable[[str], None] = lambda line: None,
) -> None:
    """Run a command with its output in the log file, and with each line of it given to `on_line`."""
    reason = ""
    # The child inherits the lock: if only this process is killed, the next set-up waits for the child.
    with (
        LOG.open("a", buffering=1) as log,
        subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            close_fds=False,
        ) as process,
    ):
        print("+", *command, file=log)
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            on_line(line)
            if not reason and TELLING.search(line):
                reason = line.strip()
    if process.returncode != 0:
        reason = reason or f"exit code {process.returncode}"
        raise SetupError(f"{what} failed: {reason}; {remedy} (all it said: {LOG})")
