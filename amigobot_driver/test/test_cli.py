# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The `amigobot` command: which subcommands there are, what is missing, and what a user sees then."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import PACKAGE, run_python

from amigobot_driver.cli import main, subcommands
from amigobot_driver.cli.subcommands import BUILT_IN, REMEDIES, find_subcommands


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that adds the subcommands `hello` and `broken`."""
    (tmp_path / "hello_subcommand.py").write_text(
        '"""Say hello.\n\nTwice, if asked: 100 %.\n"""\n'
        "def add_arguments(parser):\n    parser.add_argument('--name', choices=('Ada', 'Bob'))\n"
        "def run(args):\n    print('hello', args.name)\n    return 1\n"
    )
    (tmp_path / "broken_subcommand.py").write_text('"""Need what is not there."""\nimport rich_missing_here\n')
    entries = [
        importlib.metadata.EntryPoint(name, f"{name}_subcommand", subcommands.GROUP)
        for name in ("hello", "broken", "sim")
    ]
    monkeypatch.setattr(subcommands, "entry_points", lambda group: entries if group == subcommands.GROUP else [])
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("hello_subcommand", "broken_subcommand"):
        sys.modules.pop(name, None)


def test_the_help_names_every_subcommand_with_its_first_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for subcommand in find_subcommands().values():
        assert f"{subcommand.name} {subcommand.summary}" in text
        assert subcommand.summary.endswith("."), subcommand.name
    assert "Exit status: 0 success; 1" in text


@pytest.mark.parametrize("arguments", [["--help"], ["sim", "--help"], ["describe"]])
def test_a_full_output_is_one_line_with_status_1(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "amigobot_driver.cli", *arguments]
        process = subprocess.run(command, cwd=PACKAGE, stdout=full, stderr=subprocess.PIPE)
    assert (process.returncode, process.stderr) == (1, b"amigobot: the output: No space left on device\n")


def test_an_interrupt_in_a_destructor_is_not_lost() -> None:
    code = (
        "import signal, threading, time\nfrom amigobot_driver.signals import first_ends_command\n"
        "begin = threading.Thread.start\n"
        "def slow(self):\n    threading.Thread.start = begin\n    begin(self)\n    time.sleep(0.1)\n"
        "threading.Thread.start = slow\n"
        "class Held:\n    def __del__(self): signal.raise_signal(signal.SIGINT)\n"
        "try:\n    with first_ends_command():\n        Held()\n        time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('ended')\n"
    )
    assert run_python("-c", code) == "ended\n"


def test_the_help_imports_no_subcommand() -> None:
    code = "import sys; from amigobot_driver.cli import main; main(['--help'])"
    code = f"import atexit, sys; atexit.register(lambda: print('IMPORTED', *sys.modules)); {code}"
    imported = set(run_python("-c", code).partition("IMPORTED")[2].split())
    assert imported
    assert not imported & {"rclpy", "rich", "serial", "yaml", *(f"amigobot_driver.cli.{name}" for name in BUILT_IN)}


def test_a_subcommand_of_another_package_is_found(other_package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "hello     Say hello." in capsys.readouterr().out
    assert main(["hello", "--name", "Ada"]) == 1
    assert capsys.readouterr().out == "hello Ada\n"
    with pytest.raises(SystemExit) as ended:
        main(["hello", "--help"])
    assert ended.value.code == 0
    assert "Twice, if asked: 100 %." in capsys.readouterr().out


def test_an_unknown_subcommand_names_those_that_exist(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(subcommands, "entry_points", lambda group: [])
    assert main(["teleop"]) == 2
    assert capsys.readouterr().err == (
        f"amigobot: subcommand 'teleop' is not known, allowed: {', '.join(BUILT_IN)}; more subcommands come with the "
        "package amigobot_tools: python3 -m pip install ./amigobot_tools\n"
    )


@pytest.mark.parametrize("library", sorted(REMEDIES))
def test_a_missing_library_is_told_with_its_install_command(
    library: str, other_package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    for text in (f"import {library}", f"def add_arguments(parser): pass\ndef run(args): import {library}"):
        sys.modules.pop("broken_subcommand", None)
        (other_package / "broken_subcommand.py").write_text(f'"""Need a library."""\n{text}\n# {len(text)}\n')
        assert main(["broken"]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert lines == [
            f"amigobot broken: needs {library}, which cannot be imported here; to install it: {REMEDIES[library]}"
        ]


def test_a_robot_error_is_one_line_with_status_1(other_package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (other_package / "hello_subcommand.py").write_text(
        '"""Ask a robot."""\nfrom amigobot_driver.errors import PortError\n'
        "def add_arguments(parser): pass\ndef run(args): raise PortError('no robot answers')\n"
    )
    assert main(["hello"]) == 1
    assert capsys.readouterr().err == "amigobot hello: no robot answers\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("amigobot si", {"sim"}),
        ("amigobot describe --ur", {"--urdf"}),
        ("amigobot config s", {"save", "show"}),
        ("amigobot nonsense --", {"--help", "--version"}),
    ],
)
def test_a_shell_can_complete_subcommands_options_and_values(line: str, expected: set[str], tmp_path: Path) -> None:
    pytest.importorskip("argcomplete")
    answers = tmp_path / "answers"
    completion = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n"}
    run_python(
        "-c", "from amigobot_driver.cli import main; main()", **completion, _ARGCOMPLETE_STDOUT_FILENAME=str(answers)
    )
    assert {word.strip() for word in answers.read_text().splitlines()} == expected
