# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What is written about the node, held against the node: reference, security policy, links."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from ros_bench import node_in_this_process
from tools import fault_table, interface_files
from tools.field_table import is_a_test

from amigobot_driver.ros.node import AmigobotNode

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
OF_SOME_ROBOTS |= {"bumpers", "compass", "gripper_state", "joy", "servo_commands"}


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
    with node_in_this_process("-p", "publish_scan:=true") as node:
        yield Names(node)


def allowed(kind: str, permission: str) -> set[str]:
    profile = ElementTree.parse(POLICY).getroot().find(".//profile")
    assert profile is not None
    return {entry.text or "" for group in profile.findall(f"{kind}s[@{permission}]") for entry in group}


def test_the_policy_allows_exactly_what_the_node_has(names: Names) -> None:
    assert allowed("topic", "publish") - OF_SOME_ROBOTS == names.published | {"/rosout", "/parameter_events"}
    assert allowed("topic", "subscribe") - OF_SOME_ROBOTS == names.subscribed | {"/clock"}
    assert allowed("service", "reply") - names.parameter_services == names.services
    assert allowed("action", "execute") == {"turn", "move"}


def test_a_students_policy_drives_one_robot(names: Names) -> None:
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
def test_a_file_made_from_code_tables_is_current(path: Path) -> None:
    stale = path.read_text(encoding="utf-8") != interface_files.files()[path]
    assert not stale, f"{path.name} is stale: write it anew with ./run python -m tools.interface_files"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


# -- the packages ------------------------------------------------------------------------------


def test_all_packages_have_one_version() -> None:
    packages = (ElementTree.parse(path).findtext("version") for path in REPOSITORY.glob("amigobot_*/package.xml"))
    setups = "".join(path.read_text(encoding="utf-8") for path in REPOSITORY.glob("amigobot_*/setup.py"))
    assert len(versions := [*packages, *re.findall(r'version="(.*)"', setups)]) == 6
    assert len(set(versions)) == 1, versions


@pytest.mark.parametrize("package", ["amigobot_msgs", "amigobot_driver", "amigobot_tools", "amigobot_navigation"])
def test_a_source_package_of_one_package_has_the_license(package: str) -> None:
    """bloom copies the file that package.xml names into debian/copyright, setuptools puts it into the wheel."""
    [tag] = ElementTree.parse(REPOSITORY / package / "package.xml").iter("license")
    assert (tag.text, tag.get("file")) == ("Apache-2.0", "LICENSE")
    assert (REPOSITORY / package / "LICENSE").read_bytes() == (REPOSITORY / "LICENSE").read_bytes()


def test_the_page_of_faults_is_written_from_the_matrix() -> None:
    assert fault_table.FILE.read_text(encoding="utf-8") == fault_table.text(), "./run python -m tools.fault_table"
    assert fault_table.DATA["simulated"].keys() == {row.name for row in fault_table.matrix.ROWS}
    assert all(is_a_test(row["test"]) for row in fault_table.DATA["processes"])
