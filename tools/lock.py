# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write requirements.lock from requirements.in: lock.py PYTHON..., one interpreter for each version.

pip resolves for the interpreter it runs in, so each one is asked in turn; where the answers differ, the lines
carry an environment marker. The last interpreter also speaks for the versions after its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = "# Written by tools/lock.py from requirements.in: edit that one.\n"


def resolve(python: str) -> tuple[str, dict[str, str]]:
    """The version of this interpreter, and the version of each package that pip would install for it."""
    arguments = ["install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    command = [python, "-m", "pip", *arguments, "-r", str(HERE / "requirements.in")]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    wanted = {item["metadata"]["name"]: item["metadata"]["version"] for item in report["install"]}
    names = {name.replace("_", "-").lower(): version for name, version in wanted.items()}
    return report["environment"]["python_version"], names


def markers(versions: list[str], holds: list[bool]) -> str:
    """The shortest marker that is true for just those versions for which it holds; they follow each other."""
    if all(holds):
        return ""
    if holds[0]:
        return f' ; python_version < "{versions[holds.index(False)]}"'
    first = versions[holds.index(True)]
    if holds[-1]:
        return f' ; python_version >= "{first}"'
    last = versions[len(holds) - 1 - holds[::-1].index(True)]
    return f' ; python_version >= "{first}" and python_version <= "{last}"'


def main() -> None:
    answers = sorted(map(resolve, sys.argv[1:]), key=lambda answer: tuple(map(int, answer[0].split("."))))
    versions = [version for version, _ in answers]
    lines = []
    for name in sorted({name for _, names in answers for name in names}):
        pins = [names.get(name) for _, names in answers]
        for pin in dict.fromkeys(pin for pin in pins if pin):
            lines.append(f"{name}=={pin}{markers(versions, [other == pin for other in pins])}\n")
    (HERE / "requirements.lock").write_text(HEADER + "".join(lines))


if __name__ == "__main__":
    main()
