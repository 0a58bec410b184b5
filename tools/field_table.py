# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write docs/reference/field.md, what real robots did, from docs/reference/field.yaml.

./run python -m tools.field_table
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "docs" / "reference" / "field.yaml"
FILE = DATA.with_suffix(".md")

HEAD = """\
# What real robots did

The first line of each entry is a public fact about a real robot, the second one what the driver does. The link leads
to the source. **The authors verified nothing on hardware.** Options of `amigobot sim` simulate
[the robot as it was reported](../explanation/simulator.md#robots-as-reported). `tools/field_table.py` writes this page
from [field.yaml](field.yaml), which names the test of each fact.

{counts}
"""

VERDICTS = {
    "agrees": "not marked below",
    "copes": "robots or sources differ",
    "documented": "the manual says it",
    "open": "not yet in the driver",
}
EVIDENCE = {
    "recording": "recorded data",
    "log": "output that a user has quoted",
    "maker": "the manufacturer",
    "code": "program written with the robot at hand",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One row; every text is Markdown."""

    robot: str
    did: str
    #: OWNER/NAME and #ISSUE, @COMMIT, @COMMIT:PATH or :PATH, else an address or words; several with commas
    source: str
    evidence: str
    driver: str
    verdict: str
    #: arguments of `amigobot sim`
    sim: str = ""
    #: FILE::FUNCTION in a folder of tests
    test: str = ""


def topics() -> dict[str, list[Fact]]:
    """Return the facts by topic, as the data file has them."""
    content = yaml.safe_load(DATA.read_text(encoding="utf-8"))
    return {topic: [Fact(**row) for row in rows] for topic, rows in content.items()}


def is_a_test(proof: str) -> bool:
    """Return whether there is a test FILE::FUNCTION, perhaps with its class between, in a folder of tests."""
    file, *_, name = proof.strip("`").split("::")
    found = [path for folder in ("*/test", "tests") for path in ROOT.glob(f"{folder}/{file}")]
    return len(found) == 1 and re.search(rf"^ *def {name}\(", found[0].read_text("utf-8"), re.M) is not None


def text() -> str:
    """Return the page."""
    found = topics()
    facts = [fact for rows in found.values() for fact in rows]
    lines = [HEAD.format(counts="\n".join(_counts(facts)))]
    for topic, rows in found.items():
        lines += [f"## {topic}", ""]
        lines += [f"- **{fact.robot}**: {_did(fact)}\\\n  {_driver(fact)}{_verdict(fact)}" for fact in rows]
        lines.append("")
    return "\n".join(lines)


def _verdict(fact: Fact) -> str:
    """Return the verdict, empty for the most frequent one."""
    return "" if fact.verdict == "agrees" else f" *{fact.verdict.capitalize()}.*"


def _counts(facts: list[Fact]) -> list[str]:
    """Return the summary: how many facts have which verdict and which evidence."""
    verdicts, evidence = Counter(fact.verdict for fact in facts), Counter(fact.evidence for fact in facts)
    return [
        f"| {len(facts)} facts | |",
        "|---|---|",
        *(f"| {verdicts[name]} | **{name}**: {meaning} |" for name, meaning in VERDICTS.items()),
        *(f"| {evidence[name]} | **{name}**: {meaning} |" for name, meaning in EVIDENCE.items()),
    ]


def _did(fact: Fact) -> str:
    return f"{fact.did} {' '.join(_link(source, fact.evidence) for source in fact.source.split(', '))}"


def _link(source: str, label: str) -> str:
    """Return the source as a link, or as words where it has no address."""
    match = re.fullmatch(r"([\w.-]+/[\w.-]+)([#@:])(\S+)", source)
    if source.startswith("http"):
        return f"[{label}]({source})"
    if match is None:
        return f"({source})"
    repository, mark, rest = match.groups()
    commit, _, path = rest.partition(":")
    where = {
        "#": f"issues/{rest}",
        "@": f"blob/{commit}/{path}" if path else f"commit/{commit}",
        ":": f"blob/HEAD/{rest}",
    }[mark]
    return f"[{label}](https://github.com/{repository}/{where.replace(' ', '%20')})"


def _driver(fact: Fact) -> str:
    """Return what the driver does, with the option of the simulator."""
    return f"{fact.driver} `{fact.sim}`" if fact.sim else fact.driver


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
