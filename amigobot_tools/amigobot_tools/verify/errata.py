# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Contradictions of the manuals (docs/protocol.md 7) for which no step is possible, and why; `table` has all others."""

from __future__ import annotations

_WORDING = "a contradiction of words or tables that a robot cannot answer"
_PROGRAM = "about another program, not about a robot"

#: Erratum: why a robot cannot settle it here.
WITHOUT_STEP: dict[str, str] = {
    "E-01": "every packet shows it: 4096 units are a turn, or the step `rotation` finds another unit of the heading",
    "E-04": _WORDING,
    "E-05": "the decoder needs one rule to find any frame: an answer to `packets` is the proof",
    "E-07": _WORDING,
    "E-09": _WORDING,
    "E-10": "an answer to `packets` with its texts is the proof; a wrong reading has no end",
    "E-11": "the step `directions` drives backwards with the driver's choice; the other one would be full speed",
    "E-12": _WORDING,
    "E-15": _PROGRAM,
    "E-16": "needs a line at 56800 baud, which no adapter has; the difference is 1.4 %, which both sides accept",
    "E-18": _PROGRAM,
    "E-22": _WORDING,
    "E-23": _WORDING,
    "E-32": _WORDING,
    "E-39": _WORDING,
    "E-47": "would drive a wheel at full speed backwards; the driver never sends 128 steps",
    "E-49": "a longer serial number would replace the robot's own; the step `config` shows how the field is filled",
    "E-50": _WORDING,
    "E-55": _WORDING,
    "E-60": "number 90 plays a sound on AmigOS; that 91 is answered, the step `sounds` shows",
    "E-61": _WORDING,
    "E-62": _PROGRAM,
    "E-63": _PROGRAM,
    "E-64": "needs a compass, which no AmigoBot has; the difference is one step of 2 deg",
    "E-65": _PROGRAM,
    "E-68": _WORDING,
    "E-70": _PROGRAM,
    "E-31": "an AmigoBot has no bumpers; `amigobot monitor` shows which bit a bumper of a Pioneer sets",
    "E-37": "differs by up to 24 mm and some degrees, less than the beam of a sonar; a ruler settles it",
    "E-69": "a command that is lost too rarely to notice would be lost in a drive as well; the driver keeps 20 ms",
}
