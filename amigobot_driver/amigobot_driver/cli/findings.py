# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Findings on a terminal, for `amigobot doctor` and `amigobot verify`."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence

from ..doctor import Finding, Severity, verdict
from ..doctor.examination import not_examined

_LABEL_WIDTH = 7  #: columns of the label
_WIDTH = 100  #: widest output
#: Label and style, as numbers of SGR.
_LABELS = {
    Severity.OK: ("ok", "32"),
    Severity.NOTE: ("note", "36"),
    Severity.WARNING: ("WARN", "33"),
    Severity.ERROR: ("ERROR", "31;1"),
}
_BOLD, _FAINT = "1", "2"


class Printer:
    """Prints findings as they come, and the verdict; keeps the text for a report."""

    def __init__(self, *, quiet: bool = False, name_width: int = 16) -> None:
        """Make a printer.

        Args:
            quiet: Print nothing, and keep the text only.
            name_width: Columns of the names of the checks.
        """
        self.text = ""  #: all lines so far, without colors
        self._quiet, self._name_width = quiet, name_width
        self._width = min(_WIDTH, shutil.get_terminal_size((80, 24)).columns)
        self._color = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self._shows_progress = sys.stderr.isatty() and not quiet

    def progress(self, text: str) -> None:
        """Show what is done now, until the next line."""
        if self._shows_progress:
            print(f"\r\x1b[2K{f'  ... {text}' if text else ''}", end="", file=sys.stderr, flush=True)

    def line(self, text: str, style: str = "", label: str = "") -> None:
        """Print a line; the style is that of the label, or of all without one."""
        self.text += f"{label}{text}\n"
        if self._quiet:
            return
        self.progress("")
        begin, end = (f"\x1b[{style}m", "\x1b[0m") if style and self._color else ("", "")
        print(f"{begin}{label}{end}{text}" if label else f"{begin}{text}{end}", flush=True)

    def finding(self, finding: Finding) -> None:
        """Print a finding."""
        label, style = _LABELS[finding.severity]
        indent = " " * (2 + _LABEL_WIDTH + self._name_width)
        first, *rest = self._wrapped(finding.text, indent)
        self.line(f"{finding.check:<{self._name_width}}{first}", style, f"  {label:<{_LABEL_WIDTH}}")
        for line in rest:
            self.line(indent + line)
        for line in (line for detail in finding.details for line in self._wrapped(detail, indent)):
            self.line(indent + line, _FAINT)

    def verdict(self, findings: Sequence[Finding]) -> None:
        """Print the causes, the most probable first, with their remedies."""
        self.line("")
        causes, left_out = verdict(findings), not_examined(findings)
        if not causes:
            closing = f"All is well at rest. Not examined: {'; '.join(left_out)}." if left_out else "All is well."
            for line in self._wrapped(closing, ""):
                self.line(line, _LABELS[Severity.OK][1])
            return
        severe = any(finding.severity is Severity.ERROR for finding in findings)
        title = "It does not work. " if severe else "It works, with a problem. "
        self.line(title + ("The cause:" if len(causes) == 1 else "The causes, the most probable first:"), _BOLD)
        for number, (finding, cause) in enumerate(causes, 1):
            self.line("")
            first, *rest = self._wrapped(cause.text, "   ")
            for line in (f"{f'{number}.' if len(causes) > 1 else '':<3}{first}", *(f"   {line}" for line in rest)):
                self.line(line, _LABELS[finding.severity][1])
            for line in self._wrapped(cause.action, "   ") if cause.action else ():
                self.line(f"   {line}")
            if cause.command:
                # Never wrapped: it is for copying.
                self.line(f"       {cause.command}", _BOLD)

    def _wrapped(self, text: str, indent: str) -> list[str]:
        return textwrap.wrap(text, max(30, self._width - len(indent)), break_on_hyphens=False) or [""]
