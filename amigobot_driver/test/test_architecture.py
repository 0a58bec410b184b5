# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Which layer may import which: the imports of the source against one table."""

from __future__ import annotations

import ast
import graphlib
import sys
from collections.abc import Container, Iterator
from pathlib import Path

import pytest

PACKAGE = "amigobot_driver"
ROOT = Path(__file__).parents[1] / PACKAGE

#: layer: the layers it may import besides itself | the libraries besides the standard one. Only `ros` and `cli` may
#: know ROS. A layer is a folder or module of the package; the longest name that fits a module counts.
TABLE = """
__init__: api errors profiles robot
api: connection_policy driver errors packet_file profiles protocol robot signals wording
errors:
packet_file:
parallel:
resources: wording | yaml
signals:
wording:
protocol:
profiles: errors resources wording | yaml
profiles.description: errors profiles resources | xacro yaml
connection_policy:
robot: connection_policy errors profiles protocol wording
transport: connection_policy errors protocol transport.simulated | serial
transport.simulated: errors profiles protocol sim transport
sim: errors profiles protocol resources wording | serial yaml
driver: connection_policy profiles protocol robot transport
doctor: api connection_policy errors parallel profiles protocol resources robot stepped_driver transport wording \
    | serial
replay: protocol robot stepped_driver
parameter_table: resources robot
stepped_driver: robot
"""
#: What the subcommands that ask a running node import, when they are called.
ROS_OF_CLI = {"amigobot_msgs", "nav_msgs", "rclpy", "std_srvs"}
ANY_LIBRARY = None

RULES: dict[str, tuple[set[str], set[str] | None]] = {}
for line in TABLE.strip().splitlines():
    name, _, allowed = line.partition(":")
    own, _, libraries = allowed.partition("|")
    RULES[name] = set(own.split()), set(libraries.split())
RULES["cli"] = {*RULES, "ros"}, {"argcomplete", "serial", "yaml", *ROS_OF_CLI}
RULES["ros"] = RULES.keys() - {"api", "cli", "sim"}, ANY_LIBRARY

TOOLS = ROOT.parents[1] / "amigobot_tools" / "amigobot_tools"


def modules_of(root: Path) -> dict[str, Path]:
    """The modules of a package, by their name in it."""
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(root.rglob("*.py"))
    }


MODULES = modules_of(ROOT)


def layer_of(module: str) -> str | None:
    """The layer of a module, named from the package: "transport.serial" is in "transport"."""
    parts = module.split(".")
    names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return next((name for name in names if name in RULES), None)


def imports(
    source: str, module: str, *, is_package: bool, package: str = PACKAGE, modules: Container[str] = MODULES
) -> Iterator[str]:
    """What a module of the package imports, anywhere in it, by absolute name."""
    here = [package, *module.split(".")] if module != "__init__" else [package]
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
                yield name if name.removeprefix(f"{package}.") in modules else target


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_layer_may(module: str) -> None:
    layer, path = layer_of(module), MODULES[module]
    assert layer is not None, f"{module} is in no layer: give it a row in RULES"
    layers, libraries = RULES[layer]
    wrong = []
    for name in imports(path.read_text(encoding="utf-8"), module, is_package=path.stem == "__init__"):
        top, _, inner = name.partition(".")
        if top == PACKAGE:
            target = layer_of(inner or "__init__")
            allowed = target == layer or target in layers
        else:
            allowed = libraries is ANY_LIBRARY or top in libraries or top in sys.stdlib_module_names
        if not allowed:
            wrong.append(name)
    assert not wrong


@pytest.mark.parametrize("root", [ROOT, TOOLS], ids=lambda root: root.name)
def test_no_modules_import_each_other_in_a_cycle(root: Path) -> None:
    """`if TYPE_CHECKING` included; the error names the modules."""
    modules, graph = modules_of(root), {}
    for module, path in modules.items():
        source, is_package = path.read_text(encoding="utf-8"), path.stem == "__init__"
        names = imports(source, module, is_package=is_package, package=root.name, modules=modules)
        inner = {name.removeprefix(root.name).removeprefix(".") or "__init__" for name in names}
        graph[module] = inner & modules.keys() - {module}
    graphlib.TopologicalSorter(graph).prepare()


#: The layers that every tool may import; the first is the public Python API.
LAYERS_OF_TOOLS = {"__init__", "cli", "errors", "profiles", "signals", "wording"}
#: What a tool shows or tests besides, and the API does not have, by the tool's folder or module.
MORE_LAYERS_OF_TOOLS = {
    "bag": {"packet_file"},
    "calibrate": {"transport.simulated"},
    "dashboard": {
        *("doctor", "packet_file", "parameter_table", "protocol", "robot", "sim", "stepped_driver"),
        *("transport", "transport.simulated"),
    },
    "demo": {"sim"},
    "web": {"doctor", "packet_file", "protocol", "robot", "transport.simulated"},
    "verify": {
        *("connection_policy", "doctor", "packet_file", "protocol", "robot", "sim", "stepped_driver"),
        "transport.simulated",
    },
}


@pytest.mark.parametrize("tool", sorted({path.relative_to(TOOLS).parts[0] for path in TOOLS.rglob("*.py")}))
def test_a_tool_imports_only_its_named_layers(tool: str) -> None:
    found = set()
    for path in (TOOLS / tool).rglob("*.py") if (TOOLS / tool).is_dir() else [TOOLS / tool]:
        for name in imports(path.read_text(encoding="utf-8"), "tool", is_package=False):
            top, _, inner = name.removeprefix(f"{PACKAGE}.tool").partition(".")
            if top == PACKAGE and not name.startswith(f"{PACKAGE}.tool"):
                found.add(layer_of(inner) or "__init__")
    assert found - LAYERS_OF_TOOLS == MORE_LAYERS_OF_TOOLS.get(tool.removesuffix(".py"), set())
