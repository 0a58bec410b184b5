"""What is written about the node, held against the node: README, security policy, links."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy

from amigobot_driver.ros.node import AmigobotNode

REPOSITORY = Path(__file__).parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
POLICY = REPOSITORY / "amigobot_driver" / "config" / "security" / "amigobot.policy.xml"
DOCUMENTS = [
    path
    for path in sorted(REPOSITORY.rglob("*.md"))
    if not {"build", "install", "log", ".venv", "demo"} & set(path.relative_to(REPOSITORY).parts)
]

#: What every node has, and no document need repeat.
OF_EVERY_NODE = {"/rosout", "/parameter_events", "/clock"}
#: Offered once a robot turns out to have them.
OF_SOME_ROBOTS = {"aux3/rx", "aux3/tx", "motor_currents", "floor/range_*"}


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
    rclpy.init(context=context, args=["--ros-args", "-p", "publish_scan:=true"], domain_id=99)
    node = AmigobotNode(context=context)
    yield Names(node)
    node.close()
    node.destroy_node()
    rclpy.shutdown(context=context)


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


def test_the_readme_names_every_topic_and_service(names: Names) -> None:
    for name in (names.published | names.subscribed | names.services) - OF_EVERY_NODE:
        said = name.replace("range_*", "range_0")
        assert f"`{said}`" in README, f"README.md does not mention {said}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"
