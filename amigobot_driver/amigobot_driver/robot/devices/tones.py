# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Tones as the text argument of the SAY command."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...wording import counted

MAX_TONES = 20  # in one SAY
TONE_STEP = 0.02  # s for one unit of a duration
#: s for one count of a tone's half-cycle. No manual has this value; tune it by ear.
HALF_CYCLE = 0.0001


#: Hz of the notes of ARCOS: MIDI notes up to 127, above that steps of 32 Hz (docs/protocol 4.4).
_NOTES = {note: 440 * 2 ** ((note - 69) / 12) if note <= 127 else (note - 127) * 32.0 for note in range(1, 256)}


def tone_pairs(
    durations: Sequence[float], frequencies: Sequence[float], half_cycle: float, *, notes: bool = False
) -> bytes:
    """Encode tones as the text argument of the SAY command.

    Args:
        durations: Seconds of each tone.
        frequencies: Hz of each tone; 0 is a rest.
        half_cycle: Seconds per half-cycle count.
        notes: The robot takes notes instead of half-cycles (ARCOS).

    Returns:
        Two bytes for each tone: duration, and half-cycle in counts or note.

    Raises:
        ValueError: A value does not fit a byte, or the lists have different or bad lengths.
    """
    if not 1 <= len(durations) == len(frequencies) <= MAX_TONES:
        raise ValueError(
            f"{counted(len(durations), 'duration')} and {counted(len(frequencies), 'frequency', 'frequencies')}: "
            f"expected equal numbers of both, 1 to {MAX_TONES}"
        )
    lowest, highest = (_NOTES[1], _NOTES[127]) if notes else (1 / (2 * 255 * half_cycle), 1 / (2 * half_cycle))
    pairs = bytearray()
    for duration, frequency in zip(durations, frequencies, strict=True):
        steps = duration / TONE_STEP
        if not 0.5 <= steps < 255.5:
            raise ValueError(f"a duration is {duration:g} s, allowed: {TONE_STEP} to {255 * TONE_STEP:.1f} s")
        if not (frequency == 0 or lowest * 0.999 <= frequency <= highest * 1.001):
            raise ValueError(
                f"a frequency is {frequency:g} Hz, allowed: 0 (a rest) or {lowest:.1f} to {highest:.0f} Hz"
            )
        if notes and frequency:
            tone = min(_NOTES, key=lambda note: abs(math.log(_NOTES[note] / frequency)))
        else:
            tone = min(round(1 / (2 * frequency * half_cycle)), 255) if frequency else 0
        pairs += bytes((round(steps), tone))
    return bytes(pairs)
