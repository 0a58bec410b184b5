# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Which layer may import which: the imports of the source against one table."""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "amigobot_driver"
ROOT = Path(__file__).parents[1] / PACKAGE

EVERY_LAYER = {
    "api",
    "cli",
    "connection_policy",
    "doctor",
    "driver",
    "errors",
    "findings",
    "odometry_file",
    "packet_file",
    "parallel",
    "profiles",
    "profiles.description",
    "protocol",
    "replay",
    "resources",
    "robot",
    "ros",
    "signals",
    "sim",
    "stepped_driver",
    "transport",
    "transport.simulated",
    "wording",
}
ANY_LIBRARY = None

#: What the subcommands that ask a running node import, when they are called.
ROS_OF_CLI = {"amigobot_msgs", "nav_msgs", "rclpy", "ros2doctor", "std_srvs"}

#: layer: the layers it may import besides itself, and the libraries besides the standard one. Only `ros` and `cli` may
#: know ROS. A layer is a folder or module of the package; the longest name that fits a module counts.
RULES: dict[str, tuple[set[str], set[str] | None]] = {
    "__init__": ({"api", "errors", "profiles", "robot"}, set()),
    "api": (
        {"connection_policy", "driver", "errors", "packet_file", "profiles", "protocol", "robot", "signals", "wording"},
        set(),
    ),
    "errors": (set(), set()),
    "packet_file": (set(), set()),
    "parallel": (set(), set()),
    "resources": (set(), set()),
    "signals": (set(), set()),
    "wording": (set(), set()),
    "protocol": (set(), set()),
    "profiles": ({"errors", "resources", "wording"}, {"yaml"}),
    "profiles.description": ({"errors", "profiles", "resources"}, {"yaml", "xacro"}),
    "connection_policy": (set(), set()),
    "robot": ({"connection_policy", "errors", "protocol", "profiles", "wording"}, set()),
    "transport": ({"connection_policy", "errors", "protocol", "transport.simulated"}, {"serial"}),
    "transport.simulated": ({"errors", "transport", "protocol", "sim", "profiles"}, set()),
    "sim": ({"protocol", "profiles", "resources", "wording"}, {"yaml", "serial"}),
    "driver": ({"connection_policy", "robot", "transport", "protocol", "profiles"}, set()),
    "findings": ({"robot", "wording"}, set()),
    "doctor": (
        {"api", "connection_policy", "errors", "parallel", "profiles", "protocol", "robot", "transport", "wording"},
        {"serial"},
    ),
    "odometry_file": ({"driver", "robot"}, set()),
    "replay": ({"robot", "protocol"}, set()),
    "stepped_driver": ({"robot"}, set()),
    "ros": (EVERY_LAYER - {"api", "cli", "sim"}, ANY_LIBRARY),
    "cli": (EVERY_LAYER, {"argcomplete", "serial", "yaml", *ROS_OF_CLI}),
}

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}


def layer_of(module: str) -> str | None:
    """The layer of a module, named from the package: "transport.serial" is in "transport"."""
    parts = module.split(".")
    names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return next((name for name in names if name in RULES), None)


def imports(source: str, module: str, *, is_package: bool) -> Iterator[str]:
    """What a module of the package imports, anywhere in it, by absolute name."""
    here = [PACKAGE, *module.split(".")] if module != "__init__" else [PACKAGE]
    folder = here if is_package else here[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else []
            target = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                # `from . import x` may name a module, `from .x import y` hardly ever does
                name = f"{target}.{alias.name}"
                yield name if name.removeprefix(f"{PACKAGE}.") in MODULES else target


def violations(source: str, module: str, *, is_package: bool = False) -> list[str]:
    layer = layer_of(module)
    assert layer is not None, f"{module} is in no layer: give it a row in RULES"
    layers, libraries = RULES[layer]
    wrong = []
    for name in imports(source, module, is_package=is_package):
        top, _, inner = name.partition(".")
        if top == PACKAGE:
            target = layer_of(inner or "__init__")
            allowed = target == layer or target in layers
        else:
            allowed = libraries is ANY_LIBRARY or top in libraries or top in sys.stdlib_module_names
        if not allowed:
            wrong.append(f"{module} imports {name}")
    return wrong


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_layer_may(module: str) -> None:
    path = MODULES[module]
    assert violations(path.read_text(encoding="utf-8"), module, is_package=path.stem == "__init__") == []


@pytest.mark.parametrize(
    ("module", "source", "forbidden"),
    [
        ("protocol.frame", "import struct\nfrom .wire import pack\nfrom . import wire", None),
        ("protocol.frame", "from ..profiles import Profile", "amigobot_driver.profiles"),
        ("protocol.frame", "import amigobot_driver.robot.robot", "amigobot_driver.robot.robot"),
        ("protocol.frame", "def late():\n    from .. import profiles", "amigobot_driver.profiles"),
        ("protocol.frame", "import yaml", "yaml"),
        ("profiles.library", "from ..resources import share\nimport yaml", None),
        ("robot.session", "from ..transport import Port", "amigobot_driver.transport"),
        ("robot.session", "from rclpy.node import Node", "rclpy.node"),
        ("transport.port", "from ..protocol import Frame\nimport serial.tools.list_ports", None),
        ("transport.port", "from ..sim import world", "amigobot_driver.sim"),
        ("transport.simulated", "from ..sim import world\nfrom ..profiles import Profile", None),
        ("sim.body", "from ..robot import Robot", "amigobot_driver.robot"),
        ("driver", "from .robot import Robot\nfrom .transport import Port", None),
        ("driver", "from std_msgs.msg import Header", "std_msgs.msg"),
        ("ros.node", "import rclpy, numpy\nfrom ..driver import Driver\nfrom ..robot import Robot", None),
        ("ros.node", "from ..sim import world", "amigobot_driver.sim"),
        ("ros.node", "from ..cli import main", "amigobot_driver.cli"),
        ("api.driving", "from ..driver import Driver\nfrom ..robot import Robot", None),
        ("api.driving", "from ..transport import open_port", "amigobot_driver.transport"),
        ("driver", "from .api import AmigoBot", "amigobot_driver.api"),
        ("errors", "from .robot import Outcome", "amigobot_driver.robot"),
        ("cli.drive", "from ..ros import node\nfrom ..sim import world", None),
        ("cli.drive", "import numpy", "numpy"),
        ("__init__", "from .protocol import Frame", "amigobot_driver.protocol"),
    ],
)
def test_the_rules_catch(module: str, source: str, forbidden: str | None) -> None:
    found = violations(source, module, is_package=module == "__init__")
    if forbidden is None:
        assert found == []
    else:
        assert len(found) == 1
        assert found[0].startswith(f"{module} imports {forbidden}")


def test_every_rule_names_layers_that_have_rules() -> None:
    assert set().union(*(layers for layers, _ in RULES.values())) <= RULES.keys()
    assert RULES.keys() - {"__init__"} == EVERY_LAYER


def import_graph(sources: dict[str, tuple[str, bool]]) -> dict[str, set[str]]:
    """The modules of the package that each module imports, `if TYPE_CHECKING` included.

    Args:
        sources: Text of each module, and whether it is the `__init__` of a folder.
    """
    graph = {}
    for module, (source, is_package) in sources.items():
        names = (name.partition(".") for name in imports(source, module, is_package=is_package))
        graph[module] = {inner or "__init__" for top, _, inner in names if top == PACKAGE} - {module}
    return graph


def import_cycle(graph: dict[str, set[str]]) -> list[str]:
    """One cycle of imports, each module imported by the one after it; empty if there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    sources = {name: (path.read_text(encoding="utf-8"), path.stem == "__init__") for name, path in MODULES.items()}
    assert import_cycle(import_graph(sources)) == []


def test_an_import_cycle_is_found_even_if_only_type_checkers_follow_it() -> None:
    firmware = "from . import hardware\nfrom .handshake import Handshake\n"
    handshake = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .firmware import ActivMediaFirmware\n"
    sources = {"sim.activmedia.firmware": (firmware, False), "sim.activmedia.handshake": (handshake, False)}
    cycle = import_cycle(import_graph(sources))
    assert set(cycle) == set(sources)
    sources["sim.activmedia.handshake"] = ("from ..session import Session", False)
    assert import_cycle(import_graph(sources)) == []


#: Calls that ask the middleware or write to it: each may take milliseconds, and the reader thread waits meanwhile.
SLOW = re.compile(
    r"get_\w+_by_topic|get_\w+_names\w*|get_(subscription|publisher)_count|count_\w+|publish\w*|sendTransform"
    r"|create_\w+|destroy_\w+|get_logger|debug|info|warn|warning|error|fatal|sleep|spin\w*|call"
)


def slow_calls_under_lock(source: str) -> list[str]:
    """Calls in SLOW, or of a function here that makes one, inside a `with ....robot():` block, as "LINE NAME"."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    slow: set[str] = set()
    while (
        new := {
            function.name
            for function in functions
            if any(SLOW.fullmatch(call.attr) or call.attr in slow for call in _attributes_called(function))
        }
        - slow
    ):
        slow |= new
    return [
        f"{call.lineno} {call.attr}"
        for block in ast.walk(tree)
        if isinstance(block, ast.With) and any(_takes_robot(item.context_expr) for item in block.items)
        for call in _attributes_called(ast.Module(block.body, []))
        if SLOW.fullmatch(call.attr)
        or (isinstance(call.value, ast.Name) and call.value.id == "self" and call.attr in slow)
    ]


def _attributes_called(tree: ast.AST) -> Iterator[ast.Attribute]:
    """What is called as an attribute: `self._publish()`, but not `len()`."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            yield call.func


def _takes_robot(expression: ast.expr) -> bool:
    return (
        isinstance(expression, ast.Call)
        and isinstance(expression.func, ast.Attribute)
        and expression.func.attr == "robot"
    )


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("ros.")])
def test_a_ros_module_does_nothing_slow_while_it_holds_the_robots_lock(module: str) -> None:
    assert slow_calls_under_lock(MODULES[module].read_text(encoding="utf-8")) == []


def test_a_slow_call_under_the_robots_lock_is_found() -> None:
    source = "with self._driver.robot() as robot:\n    if robot.running:\n        self._publisher.publish(robot.note)\n"
    assert slow_calls_under_lock(source) == ["3 publish"]
    assert slow_calls_under_lock("with driver.robot() as robot:\n    x = robot.x\nlog.warning(x)\n") == []
    source = (
        "def tell(self):\n    self.log.warn(1)\ndef look(self):\n    with self.driver.robot():\n        self.tell()\n"
    )
    assert slow_calls_under_lock(source) == ["5 tell"]


#: What ros/ may import from robot/: frozen values, constants and requests. `Robot` is only passed on and asked.
ROBOT_NAMES_FOR_ROS = {
    *("Robot", "Options", "RequestRefusedError", "Outcome", "WriteOutcome", "MotionGoal", "SonarArray", "SonarPoint"),
    *("RobotSnapshot", "take_snapshot", "take_sound_snapshot", "LinkState", "BatteryLevel"),
    *("Event", "BatteryChanged", "BumperReading", "CompassReading", "Configured", "EmergencyStopChanged"),
    *("EncoderReading", "FloorReading", "FrameSeen", "GripperReading", "Identified", "JoystickReading", "LinkChanged"),
    *("MotorCurrents", "Notice", "Odometry", "OdometryStale", "Received", "Report", "TurnRate"),
    *("MAX_ROUTINE", "SIP_VOLTS", "COMPASSES", "STALLS", "TUNABLE", "is_group"),
}
#: Names of variables and attributes that hold a live object of the core.
LIVE = {"robot", "_robot", "motion_goal"}
#: Attributes of a live object that hold no state of the robot: the future of its outcome.
ALLOWED_READS = {"motion_goal.ended"}


def robot_names(source: str) -> set[str]:
    """What a module of ros/ imports from robot/, "MODULE.NAME" if it is not from the package itself."""
    return {
        alias.name if node.module == "robot" else f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.level == 2 and (node.module or "").split(".")[0] == "robot"
        for alias in node.names
    }


def live_reads(source: str) -> list[str]:
    """Attributes of live objects that are read or set, as "LINE CHAIN"; a chain that ends in a call is a request."""
    tree = ast.parse(source)
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Subscript)}
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner | called:
            root: ast.expr = node
            while isinstance(root, ast.Attribute | ast.Subscript) and getattr(root, "attr", "") not in LIVE:
                root = root.value
            name = getattr(root, "attr", getattr(root, "id", ""))
            chain = ast.unparse(node)
            if name in LIVE and root is not node and chain not in ALLOWED_READS:
                found.append(f"{node.lineno} {chain}")
    return found


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("ros.")])
def test_a_ros_module_gets_only_frozen_values_from_the_robot(module: str) -> None:
    source = MODULES[module].read_text(encoding="utf-8")
    assert robot_names(source) <= ROBOT_NAMES_FOR_ROS
    assert live_reads(source) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("with driver.robot() as robot:\n    x = robot.motion.emergency", ["2 robot.motion.emergency"]),
        ("x = self._robot.senses.report.stamp", ["1 self._robot.senses.report.stamp"]),
        ("robot.motion.stats.refused += 1", ["1 robot.motion.stats.refused"]),
        ("x = robot.aux[0].reader.problem", ["1 robot.aux[0].reader.problem"]),
        ("f(motion_goal.remaining)", ["1 motion_goal.remaining"]),
        ("robot.aux[0].reader.listen(True)\nx = take_snapshot(robot).link.note", []),
        ("x = lambda robot, now: robot.turn(goal.angle, now)", []),
    ],
)
def test_a_read_of_a_live_object_is_found(source: str, found: list[str]) -> None:
    assert live_reads(source) == found


def test_an_import_of_a_live_component_is_found() -> None:
    source = "from ..robot import Report\nfrom ..robot.sensing.battery import BatteryMonitor"
    assert robot_names(source) == {"Report", "robot.sensing.battery.BatteryMonitor"}
