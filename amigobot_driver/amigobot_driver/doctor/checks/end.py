# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The end of the session: the last check, as it closes the session that the others use."""

from __future__ import annotations

from collections.abc import Iterator

from ..check import Case, Stage, check
from ..finding import Cause, Finding, Severity


@check("end", Stage.CONNECTED)
def end(case: Case) -> Iterator[Finding]:
    """The robot ends the session when it is asked to."""
    case.on_progress("closing the session")
    if (closed := case.session.close()) is None:
        return
    if closed:
        yield Finding("end", Severity.OK, "the robot ended the session")
        return
    text = "The robot goes on sending after CLOSE: it does not end the session, or the command does not reach it."
    cause = Cause(
        "stays-open", text, "Press RESET on the robot before another program uses it. Then:", case.target.command()
    )
    yield Finding("end", Severity.WARNING, "packets come after CLOSE", (cause,))
