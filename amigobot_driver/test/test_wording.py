# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Words of code and documents: messages count grammatically ("1 tone", not "1 tones"), and no word is a riddle."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from pathlib import Path

import pytest

from amigobot_driver.wording import counted, robot_name, too_large, wrong_type

ROOT = Path(__file__).parents[1] / "amigobot_driver"
NAMELESS = "a robot without a name"
#: Plurals that follow a number in messages.
NOUNS = (
    "arguments|bytes|characters|commands|durations|entries|frames|frequencies|messages|names|numbers|packets|points|"
    "positions|publishers|requests|sessions|sonars|sounds|times|tones|tries|values|velocities"
)
#: Modules that are left out: what a damaged frame lacks is never shown to users.
LEFT_OUT = {"protocol/wire.py"}
#: Values that are never 1, by module: sizes of frames and of lists, fixed limits, what is said of several only.
NEVER_ONE = {
    "cli/imports/files.py": {"size"},
    "profiles/library.py": {"length"},
    "protocol/frame.py": {"max_data"},
    "robot/bridged_line.py": {"size"},
    "robot/bandwidth.py": {"size"},
    "robot/devices/switch.py": {"self._request.attempts"},
    "robot/request.py": {"self.retries.limit"},
    "ros/commands.py": {"len(found)"},
    "sim/keywords.py": {"length"},
    "sim/worlds/plan.py": {"len(units)"},
    "wording.py": {"limit"},
}


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("tone",), "0 tones"),
        (1, ("tone",), "1 tone"),
        (2, ("tone",), "2 tones"),
        (1, ("entry", "entries"), "1 entry"),
        (2, ("entry", "entries"), "2 entries"),
    ],
)
def test_a_noun_has_the_number_of_what_is_counted(number: int, words: tuple[str, ...], text: str) -> None:
    assert counted(number, *words) == text


def uncounted(source: str, never_one: Collection[str] = ()) -> list[str]:
    """The f-strings in which a plural follows a value that may be 1; constants and their fields are not."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if not isinstance(value, ast.FormattedValue) or ast.unparse(value.value) in never_one:
                continue
            plural = isinstance(text, ast.Constant) and re.match(rf" (\w+ )?({NOUNS})\b", str(text.value))
            if plural and not ast.unparse(value.value).split(".")[0].strip("_").isupper():
                found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize("module", sorted({str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py")} - LEFT_OUT))
def test_no_message_puts_a_plural_behind_a_number_that_may_be_one(module: str) -> None:
    assert uncounted((ROOT / module).read_text(encoding="utf-8"), NEVER_ONE.get(module, ())) == []


def test_every_exception_names_a_module_that_exists() -> None:
    assert [module for module in {*LEFT_OUT, *NEVER_ONE} if not (ROOT / module).exists()] == []


def test_the_rule_catches_what_it_is_for() -> None:
    assert uncounted('f"sent SAY with {len(tones)} tones once"')
    assert uncounted('f"{count} damaged packets in the last second"')
    assert not uncounted('f"sent {TRIES} times"')
    assert not uncounted('f"sent {RETRIES.limit} times"')
    assert not uncounted("f\"sent {counted(count, 'tone')} once\"")


@pytest.mark.parametrize(("name", "text"), [("Rob", "Rob"), ("", NAMELESS), ("not_set", NAMELESS), ("R\x1bb", "R?b")])
def test_a_robot_is_called_by_the_name_that_its_owner_gave_it(name: str, text: str) -> None:
    assert robot_name(name) == text


# -- words that a reader with school English does not find in a manual -----------------------------------------------

REPOSITORY = ROOT.parents[1]
#: A robot receives and detects; a sentence says who acts.
RIDDLES = re.compile(
    r"\b(nobody|somebody|whoever|lest|hears?|heard|hearing|wish(es)?|whence|granted|farewell|goodbye|understudy)\b",
    re.IGNORECASE,
)
WRITTEN = [
    *REPOSITORY.glob("*.md"),
    *REPOSITORY.glob("amigobot_*/README.md"),
    *(REPOSITORY / "docs").rglob("*.md"),
    *ROOT.rglob("*.py"),
    *REPOSITORY.glob("amigobot_*/launch/*.py"),
    *(path for end in ("py", "js", "html") for path in REPOSITORY.glob(f"amigobot_tools/amigobot_tools/**/*.{end}")),
]
#: A page that names tests by their names.
NAMES_TESTS = {"coverage.md"}


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_the_words_are_those_of_manuals(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert path.name in NAMES_TESTS or [match[0] for match in RIDDLES.finditer(text)] == []


# -- one form for a refused value -------------------------------------------------------------------------------------

PACKAGES = [REPOSITORY / name / name for name in ("amigobot_driver", "amigobot_navigation", "amigobot_tools")]
#: Other forms than "NAME is VALUE, allowed: RANGE" and "NAME is VALUE, expected TYPE".
OTHER_FORMS = re.compile(
    r"\b(is|are) (needed|required)$|\b(is|are) needed, |, 0? ?to .* (is|are) allowed|\ballowed (is|are)\b"
    r"|\bare allowed$"
    r"|[,:] got |\bmust be (above|below|at least)\b|\btoo (long|large) for\b|allowed: .* and more|MOTORS at the robot"
)


def messages(source: str) -> list[str]:
    """The texts of a module that are no docstrings, with {} for each value."""
    tree = ast.parse(source)
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    inner |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            found.append("".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            found.append(node.value)
    return found


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_refused_value_has_one_form(package: Path) -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    wrong = [
        f"{path.name}: {text}"
        for path, source in sources.items()
        for text in messages(source)
        if OTHER_FORMS.search(text)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "source",
    [
        'f"{name} is {value}, a number is needed"',
        'f"{one} and {two}: equal numbers are required"',
        'f"count is {count}, 0 to {BUFFER} are allowed"',
        'f"baud {baud}: allowed are 0, 9600"',
        'f"{name} takes an integer, got {value}"',
        'f"{where}: resolution: {value}, must be above 0"',
        'f"{path}: too long for a world, more than {limit} bytes"',
    ],
)
def test_the_rule_on_refused_values_finds_the_other_forms(source: str) -> None:
    assert [text for text in messages(source) if OTHER_FORMS.search(text)]


def test_a_refusal_names_value_and_expectation() -> None:
    assert wrong_type("a.yaml: units", [1], "a mapping") == "a.yaml: units is [1], expected a mapping"
    assert too_large("a.yaml", 7, 5) == "a.yaml is 7 bytes long, allowed: up to 5 bytes"


def test_a_value_that_references_blow_up_beyond_any_memory_is_shortened() -> None:
    value: list[object] = []
    for _ in range(200):
        value = [value] * 10
    assert len(wrong_type("name", value, "a text")) < 200
    assert len(wrong_type("name", "x" * 1_000_000, "a number")) < 200
