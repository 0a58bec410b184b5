# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot verify` against simulated robots with one physical constant changed by a tenth."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from .figure import Figure, Share

sys.path.insert(0, str(Path(__file__).parents[2] / "amigobot_tools" / "test"))

from verify_constants import CONSTANTS, changed, differences


def acceptance(share: Share) -> Iterator[Figure]:
    """Each physical constant changed by 10 %: reported as its own figure, and nothing else."""
    rng = random.Random(share.seed)
    # Spread over the table, so that a quick look sees all of its parts.
    names = rng.sample(sorted(CONSTANTS), share.of(len(CONSTANTS)))
    wrong = []
    for name in names:
        found = differences(changed(name, rng.randrange(1000), rng.choice((0.9, 1.1))))
        if found != [CONSTANTS[name]]:
            wrong.append(f"{name} gives {', '.join(found) or 'nothing'}")
    yield Figure(
        f"amigobot verify with one of {len(names)} constants changed by 10 %",
        "each is reported, and nothing else",
        f"{len(names) - len(wrong)} of {len(names)}" + (f": {'; '.join(wrong)}" if wrong else ""),
        not wrong,
    )
    same = [differences(changed("", rng.randrange(1000))) for _ in range(share.of(5))]
    yield Figure(
        f"amigobot verify with {len(same)} robots that are not changed",
        "nothing differs",
        "; ".join(", ".join(keys) for keys in same if keys) or "nothing",
        not any(same),
    )
