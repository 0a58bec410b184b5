# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What fuzzing runs for hours, here on the corpus: its seeds, and what it has found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY))

from tools.fuzz.targets import TARGETS  # noqa: E402

CORPUS = REPOSITORY / "tools" / "fuzz" / "corpus"
INPUTS = [(path.parent.name, path) for path in sorted(CORPUS.glob("*/*"))]


@pytest.mark.parametrize(("target", "path"), INPUTS, ids=lambda value: getattr(value, "name", value))
def test_input(target: str, path: Path) -> None:
    TARGETS[target](path.read_bytes())


def test_every_target_has_seeds() -> None:
    assert {target for target, _ in INPUTS} == TARGETS.keys()


@pytest.mark.parametrize("target", TARGETS)
def test_any_bytes(target: str) -> None:
    @settings(max_examples=50)
    @given(st.binary(max_size=300))
    def check(data: bytes) -> None:
        TARGETS[target](data)

    check()
