# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Everything that reads foreign bytes, fed with the corpus and with random bytes; `make soak` takes more of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz_targets import TARGETS
from hypothesis import given
from hypothesis import strategies as st

CORPUS = Path(__file__).parent / "data" / "fuzz"
INPUTS = [(path.parent.name, path) for path in sorted(CORPUS.glob("*/*"))]


@pytest.mark.parametrize(("target", "path"), INPUTS, ids=lambda value: getattr(value, "name", value))
def test_input_of_the_corpus(target: str, path: Path) -> None:
    TARGETS[target](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.timeout(3600)  # of `make soak`
def test_random_bytes(target: str) -> None:
    @given(st.binary(max_size=300))
    def check(data: bytes) -> None:
        TARGETS[target](data)

    check()
