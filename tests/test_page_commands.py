# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Every command on every page: it exists, its arguments are accepted, and what needs no ROS and ends is run.

A page names the environment of its commands. Commands that need an installed distribution, root, a screen or a robot
are checked as far as the sources know them: the launch file and its arguments, the topic, the service, the parameter.
What names an environment that is not here is not checked. Where a page shows the output of a command that is run,
the output is compared, with any number for a number.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("amigobot_tools.bag", reason="amigobot_tools is not found: its commands are on the pages")

from launch_files import declared
from page_commands import PAGES, ROOT, PageCommand, blocks, commands, examples
from programs import environment
from ros_bench import Bench, Node
from source_subcommands import SUBCOMMANDS

from amigobot_driver.cli.subcommands import BUILT_IN, Subcommand, find_subcommands
from amigobot_driver.parameter_table import TABLE
from amigobot_driver.profiles import load_profile
from amigobot_driver.ros.actions import ACTIONS
from amigobot_driver.ros.interface import SERVICES
from amigobot_driver.ros.launch_parameters import parameters_in
from amigobot_driver.ros.node import AmigobotNode
from amigobot_driver.ros.topics import PUBLISHED, SUBSCRIBED
from amigobot_driver.sim import load_world
from amigobot_driver.sim.fleet import load_robots

NODE = AmigobotNode  # its modules have registered every service
COMMANDS = [command for page in PAGES for command in (*commands(page), *examples(page))]

#: What `ros2` commands of the pages name that is not this driver's.
OF_OTHERS = {
    "/initialpose",
    "/navigate_to_pose",
    "/navigate_to_pose/_action/cancel_goal",
    "nav2_bringup",
    "teleop_twist_joy",
    "/cmd_vel",
    "/chatter",
    "recorded",
}
NAMES = {name for topic in (*PUBLISHED, *SUBSCRIBED) for name in topic.names("0")} | set(SERVICES)
NAMES |= set(ACTIONS)
PARAMETERS = {spec.name: spec for spec in TABLE}

Result = subprocess.CompletedProcess[str]
#: Programs that run at the same time.
_AT_ONCE = 3

pytestmark = pytest.mark.timeout(300)


def words(command: PageCommand) -> list[str]:
    """The words of a command, without `./run` and what follows a pipe or a redirection."""
    found = shlex.split(re.split(r"\s[|>&]", command.text)[0], comments=False)
    return found[1:] if found and found[0] == "./run" else found


def of(*head: str) -> list[PageCommand]:
    """The commands that begin with these words."""
    return [command for command in COMMANDS if words(command)[: len(head)] == list(head)]


def identify(command: PageCommand) -> str:
    return f"{command.page}: {command.text}"[:90]


@pytest.fixture(scope="module")
def subcommands() -> dict[str, Subcommand]:
    built_in = {name: subcommand for name, subcommand in find_subcommands().items() if name in BUILT_IN}
    return built_in | {name: Subcommand(name, module) for name, module in SUBCOMMANDS.items()}


def argument_of(command: PageCommand, position: int) -> str:
    return [*words(command), *[""] * position][position]


@pytest.mark.parametrize(
    "command", [c for c in of("amigobot") if argument_of(c, 1) not in ("", "--help")], ids=identify
)
def test_the_arguments_of_amigobot_are_accepted(command: PageCommand, subcommands: dict[str, Subcommand]) -> None:
    name, *arguments = words(command)[1:]
    parser = argparse.ArgumentParser()
    subcommands[name].load().add_arguments(parser)
    try:
        parser.parse_args(arguments)
    except SystemExit:
        pytest.fail(f"amigobot {name} does not take {arguments}")


@pytest.mark.parametrize("command", [c for c in of("ros2", "launch") if words(c)[2] not in OF_OTHERS], ids=identify)
def test_the_arguments_of_a_launch_file_are_declared(command: PageCommand) -> None:
    package, file, *arguments = words(command)[2:]
    folder = ROOT / package / "launch"
    assert (folder / file).is_file()
    names = set(declared(folder / file))
    for argument in arguments:
        name, is_given, _ = argument.partition(":=")
        assert argument.startswith("--") or (is_given and name in names), argument


def graph_names() -> Iterator[str]:
    """The topics, services and actions that the commands name."""
    for command in of("ros2"):
        if words(command)[1] in ("topic", "service", "action"):
            yield from (word for word in words(command)[3:] if word.startswith("/"))


@pytest.mark.parametrize("name", sorted(set(graph_names()) - OF_OTHERS))
def test_topics_services_and_actions_exist(name: str) -> None:
    assert name.removeprefix("/") in NAMES


@pytest.mark.parametrize("command", of("ros2", "param"), ids=identify)
def test_parameters_of_commands_exist(command: PageCommand) -> None:
    assert words(command)[4] in PARAMETERS


def check_parameters(file: str) -> None:
    """Check the parameters of the node in a parameter file."""
    for name, value in parameters_in(Path(file), "amigobot").items():
        PARAMETERS[name].check(value)


#: The files on the pages: profiles, worlds, simulated robots in one world, and parameters of the node.
FILES = [
    (page, text, load)
    for page in PAGES
    for text in blocks(page, "yaml")
    for key, load in (
        ("extends:", load_profile),
        ("rooms:", load_world),
        ("\nworld:", lambda file: load_robots(file).build()),
        ("/**:", check_parameters),
    )
    if key in text
]


@pytest.mark.parametrize(("page", "text", "load"), FILES, ids=[page.name for page, *_ in FILES])
def test_a_file_on_a_page_can_be_loaded(page: Path, text: str, load: Callable[[str], object], tmp_path: Path) -> None:
    (tmp_path / "page.yaml").write_text(text, encoding="utf-8")
    load(str(tmp_path / "page.yaml"))


# -- what is run ----------------------------------------------------------------------------------------------


#: What a command that is run may not have: a robot, a node, a file of the reader; and what does not end by itself.
_NOT_HERE = re.compile(r"/dev/|--ros\b|--pty|--robots?\b|my_robot|mine\.yaml|p3dx\.p|sounds play good")


def is_run(command: PageCommand) -> bool:
    """Whether a command of `amigobot` is run here."""
    subcommand, *arguments = [*words(command)[1:], ""]
    line = " ".join(arguments)
    if _NOT_HERE.search(line):
        return False
    return (
        subcommand in ("describe", "dump", "io", "replay", "say", "sounds")
        or (subcommand == "wander" and "sim://" in line and "--seconds" in line)
        or (subcommand == "verify" and "sim://" in line and "--only" in line)
    )


#: Each once, with the output that a page shows if one does.
RUN = list({c.text: c for c in sorted(filter(is_run, of("amigobot")), key=lambda c: c.output)}.values())


def run(folder: Path, *command: str) -> Result:
    """Run a program with this interpreter."""
    variables = environment(ROOT / "amigobot_tools", ROOT / "tests", COLUMNS="120")
    return subprocess.run(
        [sys.executable, *command], env=variables, cwd=folder, capture_output=True, text=True, timeout=250
    )


def run_subcommand(folder: Path, command: str) -> Result:
    """Run a command of `amigobot`, with time for a slow machine to find the simulated robot."""
    subcommand, *arguments = shlex.split(command.removeprefix("./run "))[1:]
    patience = ("--timeout", "120") if subcommand in ("io", "record", "say", "sounds", "wander") else ()
    return run(folder, "-m", "source_subcommands", subcommand, *arguments, *patience)


def loosely(text: str) -> list[str]:
    """The lines of a text with every number as #: figures vary from run to run."""
    return re.sub(r"[+-]?\d+(\.\d+)?", "#", text.strip()).splitlines()


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Result]]]:
    """The commands that are run, by what one types, some at once: most of their time they wait."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "amigobot_driver").symlink_to(ROOT / "amigobot_driver")
    recorded = run_subcommand(folder, "amigobot record drive.amigo --port sim:// --seconds 3")
    assert recorded.returncode == 0, recorded.stderr
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        typed = (re.split(r"\s[|>&]", command.text)[0] for command in RUN)
        yield {
            command.text: pool.submit(run_subcommand, folder, text) for command, text in zip(RUN, typed, strict=True)
        }


@pytest.mark.parametrize("command", RUN, ids=identify)
def test_the_command_does_what_the_page_says(command: PageCommand, outputs: dict[str, Future[Result]]) -> None:
    result = outputs[command.text].result()
    assert result.returncode == 0, result.stderr
    if command.output:
        # How often a line is repeated depends on times.
        assert list(dict.fromkeys(loosely(result.stdout))) == list(dict.fromkeys(loosely(command.output)))


TUTORIAL = "docs/tutorials/first-program.md"
ROS_TUTORIAL = "docs/tutorials/ros-node.md"
#: Its programs, in their order on the page.
ROS_PROGRAMS = ("square_node.py", "wall_node.py")
#: Pages with whole programs; those of docs/python.md have a test of their own.
FIRST_PROGRAM = ("README.md", TUTORIAL)
PROGRAMS = (
    *FIRST_PROGRAM,
    *("amigobot_driver/README.md", "docs/explanation/simulator.md", "docs/how-to/doctor.md"),
    "docs/how-to/record.md",
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[tuple[str, int], Future[Result]]]:
    """The Python programs of the pages, some at once: most of their time they wait."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        running = {}
        for page in PROGRAMS:
            for number, program in enumerate(blocks(ROOT / page, "python")):
                folder = tmp_path_factory.mktemp("program")
                (folder / "first.py").write_text(program, encoding="utf-8")
                running[page, number] = pool.submit(run, folder, "first.py")
        yield running


@pytest.mark.parametrize("page", PROGRAMS)
def test_a_pages_program_prints_what_it_shows(page: str, programs: dict[tuple[str, int], Future[Result]]) -> None:
    result = programs[page, 0].result()
    assert result.returncode == 0, result.stderr
    if page in FIRST_PROGRAM:
        (shown,) = (command.output for command in COMMANDS if command.page == page and "first.py" in command.text)
        assert loosely(result.stdout) == loosely(shown)


def ros_program(bench: Bench, folder: Path, name: str) -> tuple[Node, str]:
    """A ROS program of the tutorial that runs beside a driver, and the output that the page shows."""
    numbered = [text for text in blocks(ROOT / ROS_TUTORIAL, "python") if "import rclpy" in text]
    (shown,) = (c.output for c in COMMANDS if c.page == ROS_TUTORIAL and f"python {name}" in c.text)
    file = folder / name
    file.write_text(numbered[ROS_PROGRAMS.index(name)], encoding="utf-8")
    assert len(numbered) == len(ROS_PROGRAMS)
    bench.nodes.append(Node(bench.connected().domain, command=(sys.executable, str(file))))
    return bench.nodes[-1], shown


def test_the_tutorial_node_drives_a_side_and_turns(tmp_path: Path) -> None:
    with Bench(port="sim://", enable_stamped_cmd_vel=False) as bench:
        square, shown = ros_program(bench, tmp_path, "square_node.py")
        bench.wait_until(lambda: len(square.log) >= 2)
    assert [float(n) for n in re.findall(r"-?\d+\.\d+", square.log[0])] == pytest.approx([0.3, 0.0], abs=0.1)
    assert int(re.findall(r"-?\d+", square.log[1])[-1]) == pytest.approx(90, abs=15)
    assert loosely("\n".join(square.log[:2])) == loosely(shown)[:2]


def test_the_tutorial_sonar_node_stops_at_a_wall(tmp_path: Path) -> None:
    with Bench(port="sim://?start=4,1.7,0", enable_stamped_cmd_vel=False) as bench:
        node, shown = ros_program(bench, tmp_path, "wall_node.py")
        assert node.wait() == 0
    ranges = [float(line.removesuffix(" m ahead")) for line in node.log]
    assert 1.0 < ranges[0] < 2.0
    assert ranges[-1] == pytest.approx(0.6, abs=0.15)
    assert set(loosely("\n".join(node.log))) == set(loosely(shown)) - {"..."}
