# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Coverage-guided fuzzing of everything that reads what it did not write: `make fuzz SECONDS=60`.

`targets` are plain functions of bytes. The test-suite runs them on the corpus (`corpus/NAME/`), this package runs them
under atheris. What atheris finds belongs into the corpus, so that it stays found.
"""
