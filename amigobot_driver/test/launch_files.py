# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Launch files without `launch`: its classes are mocks that remember what they were made from."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock, patch

FOREIGN = ("launch", "launch_ros")
#: What a launch file may import: no package that a user would not have.
ALLOWED = {*sys.stdlib_module_names, *FOREIGN, "ament_index_python", "yaml", "amigobot_driver"}


@contextmanager
def mocked_launch(folder: Path) -> Iterator[Callable[[str], ModuleType]]:
    """Yields a function that loads a launch file of this folder by its name."""
    everything = {name for path in folder.glob("*.launch.py") for name in imported(path)}
    for name in everything:
        if name.startswith("amigobot_driver."):
            # Before sys.modules is patched, which forgets what is imported meanwhile: numpy can be loaded only once.
            with suppress(ImportError):
                importlib.import_module(name)
    names = {name for name in everything if name.split(".")[0] in FOREIGN}
    with patch.dict(sys.modules, {name: MagicMock(name=name) for name in names.union(FOREIGN)}):
        yield lambda name: _load(folder / f"{name}.launch.py")


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.name.replace(".", "_"), path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "exactly"):
        module.exactly = lambda value: value
    return module


def imported(path: Path) -> set[str]:
    """The modules that a file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


def declared(module: ModuleType) -> dict[str, dict[str, Any]]:
    """The arguments of a launch file, by name: default, description and choices."""
    module.DeclareLaunchArgument.reset_mock()
    module.generate_launch_description()
    calls = module.DeclareLaunchArgument.call_args_list
    arguments = {call.args[0]: call.kwargs for call in calls}
    assert len(arguments) == len(calls), "an argument is declared twice"
    return arguments


def started(module: ModuleType, **arguments: str) -> list[dict[str, Any]]:
    """The nodes that a launch file starts with these arguments: what they were made from."""
    values = {name: argument["default_value"] for name, argument in declared(module).items()}
    assert set(arguments) <= set(values)
    module.Node.reset_mock()
    module.start(MagicMock(launch_configurations=values | arguments))
    return [call.kwargs for call in module.Node.call_args_list]


def topics(content: Any) -> Iterator[str]:
    """The topics in an RViz file."""
    if isinstance(content, dict):
        for key, value in content.items():
            if key.endswith("Topic") and isinstance(value, dict):
                yield value["Value"]
            yield from topics(value)
    elif isinstance(content, list):
        for item in content:
            yield from topics(item)
