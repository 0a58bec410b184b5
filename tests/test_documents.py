# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What is written about the node, held against the node: reference, security policy, links."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
import rclpy
from bench import Bench
from ros_bench import free_domain
from tools import fault_table, interface_files, maps

from amigobot_driver.profiles import available_profiles, load_profile
from amigobot_driver.protocol import ErraticCommand, decode
from amigobot_driver.ros.node import AmigobotNode
from amigobot_driver.ros.node_parameters import TABLE, NodeParameters
from amigobot_driver.sim import Simulator, load_world

REPOSITORY = Path(__file__).parents[1]
REFERENCE = REPOSITORY / "docs" / "reference"
INTERFACE = "".join((REFERENCE / name).read_text(encoding="utf-8") for name in ("topics.md", "services.md"))
POLICY = REPOSITORY / "amigobot_driver" / "config" / "security" / "amigobot.policy.xml"
DOCUMENTS = [
    path
    for path in sorted(REPOSITORY.rglob("*.md"))
    if not {"build", "install", "log", ".venv", "demo"} & set(path.relative_to(REPOSITORY).parts)
]

#: What every node has, and no document need repeat.
OF_EVERY_NODE = {"/rosout", "/parameter_events", "/clock"}
#: Offered once a robot turns out to have them.
OF_SOME_ROBOTS = {"aux3/rx", "aux3/tx", "motor_currents", "floor/range_*", "imu/data_raw", "encoders"}
OF_SOME_ROBOTS |= {"bumpers", "compass", "gripper_state", "joy"}


class Names:
    """The names a node offers, as it says itself; sonars and AUX ports by their pattern."""

    def __init__(self, node: AmigobotNode) -> None:
        self.published = {pattern(publisher.topic_name) for publisher in node.publishers}
        self.subscribed = {pattern(subscription.topic_name) for subscription in node.subscriptions}
        own = "amigobot"
        services = {service.srv_name.removeprefix("/") for service in node.services}
        self.services = {name for name in services if "/_action/" not in name and not name.startswith(f"{own}/")}
        self.parameter_services = {name.replace(own, "~", 1) for name in services if name.startswith(f"{own}/")}


def pattern(name: str) -> str:
    name = name if name in OF_EVERY_NODE | {"/tf", "/diagnostics"} else name.removeprefix("/")
    return re.sub(r"range_\d+", "range_*", name)


@pytest.fixture(scope="module")
def names() -> Iterator[Names]:
    context = rclpy.Context()
    domain, lock = free_domain()
    rclpy.init(context=context, args=["--ros-args", "-p", "publish_scan:=true"], domain_id=domain)
    node = AmigobotNode(context=context)
    yield Names(node)
    node.close()
    node.destroy_node()
    rclpy.shutdown(context=context)
    lock.close()


def allowed(kind: str, permission: str) -> set[str]:
    profile = ElementTree.parse(POLICY).getroot().find(".//profile")
    assert profile is not None
    return {entry.text or "" for group in profile.findall(f"{kind}s[@{permission}]") for entry in group}


def test_the_policy_allows_what_the_node_publishes_and_nothing_else(names: Names) -> None:
    assert allowed("topic", "publish") - OF_SOME_ROBOTS == names.published | {"/rosout", "/parameter_events"}


def test_the_policy_allows_what_the_node_hears_and_nothing_else(names: Names) -> None:
    assert allowed("topic", "subscribe") - OF_SOME_ROBOTS == names.subscribed | {"/clock"}


def test_the_policy_allows_the_nodes_services_and_nothing_else(names: Names) -> None:
    assert allowed("service", "reply") - names.parameter_services == names.services
    assert allowed("action", "execute") == {"turn", "move"}


def test_the_policy_of_a_student_drives_one_robot_and_names_what_its_node_has(names: Names) -> None:
    [profile] = ElementTree.parse(POLICY.with_name("student.policy.xml")).getroot().iter("profile")
    assert profile.get("ns") == "/alpha"
    granted = {(group.tag, kind): {entry.text for entry in group} for group in profile for kind in group.attrib}
    assert granted["topics", "publish"] == {"cmd_vel", "/rosout", "/parameter_events"}
    assert granted["topics", "subscribe"] <= names.published | OF_SOME_ROBOTS | {"/clock"}
    assert granted["services", "request"] <= names.services
    assert granted["services", "reply"] == {"~/*"}


def test_the_reference_names_every_topic_and_service(names: Names) -> None:
    for name in (names.published | names.subscribed | names.services) - OF_EVERY_NODE:
        said = name.replace("range_*", "range_0")
        assert f"`{said}`" in INTERFACE, f"docs/reference does not mention {said}"


@pytest.mark.parametrize("path", interface_files.files(), ids=lambda path: path.name)
def test_a_file_made_from_the_tables_of_the_code_is_up_to_date(path: Path) -> None:
    stale = path.read_text(encoding="utf-8") != interface_files.files()[path]
    assert not stale, f"{path.name} is stale: write it anew with ./run python -m tools.interface_files"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


@pytest.mark.parametrize("page", sorted((REPOSITORY / "docs" / "how-to").glob("*.md")), ids=lambda path: path.stem)
def test_a_how_to_page_names_the_environment_of_its_commands(page: Path) -> None:
    if page.stem != "index":
        assert re.search(r"^\*Environment: \S", page.read_text(encoding="utf-8"), re.MULTILINE)


# -- docs/how-to/erratic.md ------------------------------------------------------------------------------------------

ERRATIC = (REPOSITORY / "docs" / "how-to" / "erratic.md").read_text(encoding="utf-8")
#: The keys of Player's configuration file (Erratic manual 5.5.6, 5.5.7 and app. B), and one that only its driver had.
ERRATIC_CFG = (
    *("name", "provides", "port", "max_trans_vel", "max_rot_vel", "trans_acc", "trans_decel", "rot_acc", "rot_decel"),
    *("pid_trans_p", "pid_trans_v", "pid_trans_i", "pid_rot_p", "pid_rot_v", "pid_rot_i"),
    *("motor_pwm_frequency", "motor_pwm_max_on", "direct_wheel_vel_control", "debug", "save_settings_in_robot"),
)
OWN_PROFILE, PARAMETERS = re.findall(r"```yaml\n(.*?)```", ERRATIC, re.DOTALL)


def section(title: str) -> str:
    return re.split(r"\n##+ ", ERRATIC.partition(f"\n## {title}\n")[2])[0]


def test_every_key_of_erratic_cfg_has_a_place(names: Names) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|", section("From `erratic.cfg`"), re.MULTILINE))
    assert list(rows) == list(ERRATIC_CFG)
    known = {
        "parameter": {spec.name for spec in TABLE},
        "service": names.services,
        "topic": names.subscribed | {"packets"},
        "launch argument": {"namespace"},
    }
    for place in rows.values():
        found = re.findall(r"(parameter|service|topic|launch argument) `(\w+)`", place)
        assert found or "nothing" in place
        assert all(name in known[kind] for kind, name in found), place


def test_what_a_contradiction_is_set_with_exists() -> None:
    profile, rows = load_profile("erratic"), section("Where manual and deployed driver contradict each other")
    for number in range(40, 53):
        assert f"| [E-{number}](../protocol.md#e-{number}) |" in rows
    keys = re.findall(r"`(quirks|floor|units)\.(\w+)`", rows)
    assert len(keys) >= 8
    for part, key in keys:
        assert hasattr(getattr(profile, part), key.removesuffix("_mm_s").removesuffix("_mm"))
    assert set(re.findall(r"`(erratic-[\w-]+)`", ERRATIC)) <= set(available_profiles())


def test_a_profile_of_ones_own_may_look_as_it_says(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(OWN_PROFILE, encoding="utf-8")
    profile = load_profile(str(file))
    assert profile.quirks.heading_in_degrees and profile.quirks.left_wheel_first and profile.quirks.duty_per_mille
    assert (profile.floor.first_bit, profile.floor.floor_is_high) == (4, True)
    assert profile.body == load_profile("erratic").body


def test_the_example_tells_the_robot_what_erratic_cfg_told_it(tmp_path: Path) -> None:
    file = tmp_path / "erratic.yaml"
    file.write_text(PARAMETERS, encoding="utf-8")
    context = rclpy.Context()
    domain, lock = free_domain()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node("amigobot", context=context, cli_args=["--ros-args", "--params-file", str(file)])
    options = NodeParameters(node).options()
    node.destroy_node()
    rclpy.shutdown(context=context)
    lock.close()
    bench = Bench(options, simulator=lambda: Simulator(load_profile("erratic"), load_world("empty"), baud=38400))
    bench.connect()
    bench.run(10.0)
    told = {str(decode(data, ErraticCommand)) for _, data in bench.up.log}
    assert {"SETV(700)", "SETRV(100)", "SETA(1000)", "SETRA(200)"} <= told
    assert {"TRANS_D(100)", "ROT_P(40)", "ROT_D(100)", "PWM_FREQ(16000)", "PWM_DUTY(70)"} <= told
    assert bench.robot.tuning.config is not None
    assert bench.robot.tuning.config.trans_kp == 40, "as it left the factory"


# -- the READMEs of the Python packages ------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["amigobot_driver", "amigobot_tools"])
def test_a_package_index_can_show_the_readme(package: str) -> None:
    command = [sys.executable, "setup.py", "--quiet", "--long-description"]
    result = subprocess.run(command, cwd=REPOSITORY / package, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert f"# {package}\n" in result.stdout
    links = re.findall(r"\]\(([^)]+)\)", result.stdout)
    assert links and all(link.startswith("https://") for link in links)


def test_all_packages_have_one_version() -> None:
    packages = (ElementTree.parse(path).findtext("version") for path in REPOSITORY.glob("amigobot_*/package.xml"))
    setups = "".join(path.read_text(encoding="utf-8") for path in REPOSITORY.glob("amigobot_*/setup.py"))
    assert len(versions := [*packages, *re.findall(r'version="(.*)"', setups)]) == 6
    assert len(set(versions)) == 1, versions


@pytest.mark.parametrize("package", ["amigobot_driver", "amigobot_tools"])
def test_colcon_test_runs_pytest(package: str) -> None:
    """Without this declaration colcon runs unittest, which finds no tests and succeeds."""
    setup = ast.parse((REPOSITORY / package / "setup.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(setup) if isinstance(node, ast.Call) and ast.unparse(node.func) == "setup"]
    [extras] = [keyword.value for keyword in calls[0].keywords if keyword.arg == "extras_require"]
    assert "pytest" in ast.literal_eval(extras)["test"]
    tests = ElementTree.parse(REPOSITORY / package / "package.xml").iter("test_depend")
    assert "python3-pytest" in {depend.text for depend in tests}


@pytest.mark.parametrize("package", ["amigobot_msgs", "amigobot_driver", "amigobot_tools", "amigobot_navigation"])
def test_a_source_package_of_one_package_has_the_license(package: str) -> None:
    """bloom copies the file that package.xml names into debian/copyright, setuptools puts it into the wheel."""
    [tag] = ElementTree.parse(REPOSITORY / package / "package.xml").iter("license")
    assert (tag.text, tag.get("file")) == ("Apache-2.0", "LICENSE")
    assert (REPOSITORY / package / "LICENSE").read_bytes() == (REPOSITORY / "LICENSE").read_bytes()


# -- generated files -------------------------------------------------------------------------------------------------

ARCHITECTURE = (REPOSITORY / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
GENERATED = ARCHITECTURE.partition("\n## Generated files\n")[2].partition("\n## ")[0]
#: Writes its file from the registry of packages, not from the code.
NOT_FROM_THE_CODE = {"lock", "try_page"}
#: The first words of a file that a tool writes, and the marks around a part that a tool writes.
WRITTEN = re.compile(r"\A.{0,200}[Ww]ritten by `?tools/|^<!-- (generated|reference)\b", re.MULTILINE | re.DOTALL)
TEXTS = {".md", ".rst", ".yaml", ".xml", ".json"}


def written_files() -> Iterator[str]:
    """The files of the pages and packages that say that a tool writes them or a part of them."""
    for folder in ("docs", *(path.name for path in REPOSITORY.glob("amigobot_*"))):
        for path in (REPOSITORY / folder).rglob("*"):
            if path.suffix in TEXTS and WRITTEN.search(path.read_text(encoding="utf-8")):
                yield path.relative_to(REPOSITORY).as_posix()


def test_the_list_of_generated_files_is_complete() -> None:
    rows = [line.split("|")[1:4] for line in GENERATED.splitlines() if line.startswith("| `")]
    files = {file for row in rows for file in re.findall(r"`([^`]+)`", row[0])}
    made = {path.relative_to(REPOSITORY).as_posix() for path in interface_files.files()} | set(written_files())
    made |= {f"amigobot_navigation/maps/{name}" for world in maps.walled_worlds() for name in maps.files(world)}
    assert len(made) > 15
    assert {name for name in made if not any(fnmatch(name, file) for file in files)} == set()
    assert {file for file in files if not any(fnmatch(name, file) for name in made)} == set()


def test_make_generate_calls_every_tool_that_writes_from_the_code() -> None:
    programs = (REPOSITORY / "tools").glob("*.py")
    tools = {path.stem for path in programs if '__name__ == "__main__"' in path.read_text(encoding="utf-8")}
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    [called] = re.findall(r"^generate:.*\n\t@for tool in (.*?);", makefile, re.MULTILINE)
    assert set(called.split()) == tools - NOT_FROM_THE_CODE
    assert {f"tools.{name}" for name in called.split()} <= set(re.findall(r"`(tools\.\w+)`", GENERATED))


def test_the_test_of_each_generated_file_exists() -> None:
    named = re.findall(r"`((?:amigobot_\w+/test|tests)/test_\w+\.py)`", GENERATED)
    assert len(named) >= 5
    assert [name for name in named if not (REPOSITORY / name).is_file()] == []


PACKAGERS = (REPOSITORY / "docs" / "project" / "index.md").read_text(encoding="utf-8").split("### Dependencies")[1]


def rosdep_keys(package: str) -> set[str]:
    nodes = ElementTree.parse(REPOSITORY / package / "package.xml").iter()
    return {str(node.text) for node in nodes if "depend" in node.tag}


@pytest.mark.parametrize("package", ["amigobot_msgs", "amigobot_driver", "amigobot_tools", "amigobot_navigation"])
def test_packagers_read_the_license_of_every_rosdep_key(package: str) -> None:
    licenses = PACKAGERS.split("### Licenses of the dependencies")[1].split("###")[0]
    named = set(re.findall(r"[a-z][a-z0-9_-]+", licenses))
    assert {key for key in rosdep_keys(package) - named if not key.startswith(("amigobot_", "nav2_"))} == set()


def test_the_readme_names_every_robot() -> None:
    """Variants of the Erratic are on its own page."""
    rows = "".join(re.findall(r"^\|.*$", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    robots = {name for name in available_profiles() if not name.startswith("erratic-")}
    assert robots - set(re.findall(r"`([^`]+)`", rows)) == set()


@pytest.mark.parametrize("package", ["amigobot_msgs", "amigobot_driver", "amigobot_tools", "amigobot_navigation"])
def test_packagers_read_every_rosdep_key(package: str) -> None:
    [row] = [line for line in PACKAGERS.splitlines() if line.startswith(f"| `{package}` |")]
    keys = rosdep_keys(package)
    nav2 = {key for key in keys if key.startswith("nav2_")}
    named = set(re.findall(r"[a-z][a-z0-9_-]+", row.partition("` |")[2]))
    assert keys - nav2 - named == {key for key in keys if key.startswith("amigobot_")}
    assert not nav2 or f"{len(nav2)} packages `nav2_...`" in row


@pytest.mark.parametrize("package", ["amigobot_msgs", "amigobot_driver", "amigobot_tools", "amigobot_navigation"])
def test_the_changelog_can_be_read_by_the_tools_of_a_release(package: str) -> None:
    """`catkin_prepare_release` renames the section Forthcoming, and bloom reads the lines of the version."""
    changelog = pytest.importorskip("catkin_pkg.changelog")
    package_version = pytest.importorskip("catkin_pkg.package_version")
    text = (REPOSITORY / package / "CHANGELOG.rst").read_text(encoding="utf-8")
    released = package_version.rename_section(text, "Forthcoming", "0.1.0 (2026-12-01)")
    log = changelog.populate_changelog_from_rst(changelog.Changelog(package), released)
    [(number, _, [lines])] = list(log.foreach_version())
    assert number == "0.1.0"
    assert len(lines.bullets) > 2


def test_the_page_of_faults_is_written_from_the_matrix() -> None:
    assert fault_table.FILE.read_text(encoding="utf-8") == fault_table.text(), "./run python -m tools.fault_table"
