# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write address and maintainer of the project into every file that states them.

python -m tools.release                    as tools/project.yaml has them; refused while they are placeholders
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "tools" / "project.yaml"
_PLACEHOLDER = "example"
#: Files, what stands there now, and what is to stand there.
PLACES = (
    ("*/package.xml", r'<maintainer email="[^"]*">[^<]*<', '<maintainer email="{email}">{maintainer}<'),
    ("tools/ros_shims/*/package.xml", r'<maintainer email="[^"]*">[^<]*<', '<maintainer email="{email}">{maintainer}<'),
    ("*/package.xml", r'(<url type="(?:website|repository)">)[^<]*<', r"\g<1>{url}<"),
    ("*/package.xml", r'(<url type="bugtracker">)[^<]*<', r"\g<1>{url}/issues<"),
    ("*/setup.py", r'\bURL = "[^"]*"', 'URL = "{url}"'),
    ("*/setup.py", r'\bmaintainer="[^"]*"', 'maintainer="{maintainer}"'),
    ("*/setup.py", r'\bmaintainer_email="[^"]*"', 'maintainer_email="{email}"'),
    ("CITATION.cff", r'repository-code: "[^"]*"', 'repository-code: "{url}"'),
    (".github/CODEOWNERS", r"(?m)^\* .*$", "* {owners}"),
    *((pages, r"(?m)^.*`REPOSITORY_URL`.*\n", "") for pages in ("README.md", "docs/**/*.md")),  # lines that explain it
    *((pages, r"(git clone |git\+)[^\s@#]+", r"\g<1>{url}") for pages in ("README.md", "docs/**/*.md")),
    (".github/ISSUE_TEMPLATE/config.yml", r"url: \S*/SECURITY.md", "url: {url}/blob/main/SECURITY.md"),
    ("amigobot_tools/*/web/static/index.html", r'href="[^"]*/issues/new', 'href="{url}/issues/new'),
)


def written(project: dict[str, str]) -> dict[Path, str]:
    """Return the files that change, with their new text."""
    texts: dict[Path, str] = {}
    for pattern, old, new in PLACES:
        for path in sorted(ROOT.glob(pattern)):
            texts[path] = re.sub(old, new.format(**project), texts.get(path) or path.read_text(encoding="utf-8"))
    return {path: text for path, text in texts.items() if text != path.read_text(encoding="utf-8")}


def main() -> int:
    """Write the files and return the exit status."""
    project = yaml.safe_load(PROJECT.read_text(encoding="utf-8"))
    if left := [f"{key}: {value}" for key, value in project.items() if _PLACEHOLDER in value]:
        print(f"tools/project.yaml has placeholders ({', '.join(left)}): write the real values first", file=sys.stderr)
        return 1
    for path, text in written(project).items():
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
