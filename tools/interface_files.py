# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write what is said about the interface of the node from the tables in the code.

./run python -m tools.interface_files

- config/amigobot.yaml, the default parameters, from config/parameters.yaml
- config/security/amigobot.policy.xml, from ros/topics.py, the services marked in ros/, and ros/actions.py
- the tables in docs/reference, between `<!-- generated: NAME -->` and `<!-- end -->`, from the same, from the files of
  amigobot_msgs, from the robot profiles and from the launch files
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from amigobot_driver.parameter_table import TABLE, Spec
from amigobot_driver.ros.actions import ACTIONS
from amigobot_driver.ros.interface import SERVICES
from amigobot_driver.ros.node import AmigobotNode
from amigobot_driver.ros.topics import PUBLISHED, SUBSCRIBED, Topic
from tools.reference_pages import PAGES, TABLES

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
PARAMETERS = ROOT / "amigobot_driver" / "config" / "amigobot.yaml"
POLICY = ROOT / "amigobot_driver" / "config" / "security" / "amigobot.policy.xml"

PARAMETERS_HEAD = """\
# The default parameters of the node, written by tools/interface_files.py. Copy this file, change the copy, and pass it
# to the launch file as params_file:=... The copy may contain the changed values only.
# /** matches every node in every namespace; a name such as /alpha/amigobot matches one node.
/**:
  ros__parameters:
"""
#: Its default depends on the ROS distribution.
BY_DISTRO = "enable_stamped_cmd_vel"

POLICY_FRAME = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- The least the node `amigobot` needs (SROS 2), written by tools/interface_files.py. Make a keystore and its enclave
     from this file:
       ros2 security create_keystore keys
       ros2 security create_enclave keys /amigobot
       ros2 security create_permission keys /amigobot amigobot.policy.xml
     With a namespace, give it in `ns`. Services and actions that you do not use can be taken out. -->
<policy version="0.2.0">
  <enclaves>
    <enclave path="/amigobot">
      <profiles>
        <profile ns="/" node="amigobot">
{}
        </profile>
      </profiles>
    </enclave>
  </enclaves>
</policy>
"""
#: Its modules have registered every service of the node.
NODE = AmigobotNode
#: What every node of ROS has.
ROS_PUBLISHED, ROS_SUBSCRIBED = ("/rosout", "/parameter_events"), ("/clock",)
ROS_SERVICES = (
    *("~/describe_parameters", "~/get_parameter_types", "~/get_parameters", "~/list_parameters", "~/set_parameters"),
    *("~/set_parameters_atomically", "~/get_type_description"),
)


def files() -> dict[Path, str]:
    """The content of each file as the code has it."""
    pages = {path: TABLES.filled(path.read_text(encoding="utf-8")) for path in (REFERENCE / name for name in PAGES)}
    return {PARAMETERS: parameters(), POLICY: policy(), **pages}


def parameters() -> str:
    """The parameter file."""
    return PARAMETERS_HEAD + "\n".join(f"    {line}".rstrip() for spec in TABLE for line in _entry(spec)) + "\n"


def _entry(spec: Spec) -> Iterator[str]:
    unit = f" [{spec.unit}]" if spec.unit else ""
    yield f"# {spec.description}" + (f"; {spec.range_text()}" if spec.allowed else unit)
    if spec.name == BY_DISTRO:
        yield f"# {spec.name}: true    # Kilted and later; false on Jazzy and earlier"
    else:
        yield yaml.safe_dump({spec.name: spec.default}).strip()


def policy() -> str:
    """The security policy."""
    groups = (
        ("topic", "publish", [*_names(PUBLISHED), *ROS_PUBLISHED]),
        ("topic", "subscribe", [*_names(SUBSCRIBED), *ROS_SUBSCRIBED]),
        ("service", "reply", [*sorted(SERVICES), *ROS_SERVICES]),
        ("action", "execute", list(ACTIONS)),
    )
    return POLICY_FRAME.format("\n".join(line for group in groups for line in _permission(*group)))


def _names(topics: Iterable[Topic]) -> list[str]:
    return [name for topic in topics for name in topic.names("*")]


def _permission(kind: str, subcommand: str, names: Iterable[str]) -> Iterator[str]:
    yield f'          <{kind}s {subcommand}="ALLOW">'
    yield from (f"            <{kind}>{name}</{kind}>" for name in names)
    yield f"          </{kind}s>"


if __name__ == "__main__":
    for path, content in files().items():
        path.write_text(content, encoding="utf-8")
