# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a launch file would start, resolved without starting it: stand-ins take the place of `launch`."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import yaml
from ament_index_python.packages import get_package_share_directory

from amigobot_driver.ros.launch_support import parameters_in


@dataclass(frozen=True)
class Process:
    """A process that a launch file starts, with all that decides what it does."""

    executable: str
    name: str = ""
    namespace: str = "/"
    parameters: Mapping[str, Any] = field(default_factory=dict)  #: those that apply to a node of this name
    remappings: frozenset[tuple[str, str]] = frozenset()
    words: tuple[str, ...] = ()  #: the rest of the command line; temporary files by their content
    respawn: bool = False


def process(
    executable: str,
    namespace: str,
    parameter_files: Iterable[Path],
    remappings: Iterable[tuple[str, str]],
    words: Iterable[str],
    respawn: bool,
    name: str = "",
) -> Process:
    """A process whose parameters are looked up in its files as ROS does it."""
    parameters: dict[str, Any] = {}
    for file in parameter_files:
        parameters |= parameters_in(file, f"{namespace}/{name or executable}")
    shown = tuple(_content(word) for word in words)
    return Process(executable, name, namespace, parameters, frozenset(remappings), shown, respawn)


def _content(word: str) -> str:
    path = Path(word)
    if word.startswith(tempfile.gettempdir()) and path.is_file():
        return path.read_text(encoding="utf-8")
    return word


@dataclass(frozen=True)
class _Action:
    """Any action or substitution: what it is, and what it was made from."""

    kind: str
    given: tuple[Any, ...]
    options: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.options[name]
        except KeyError:
            raise AttributeError(name) from None


def _stand_in(kind: str) -> Callable[..., _Action]:
    return lambda *given, **options: _Action(kind, given, options)


@contextmanager
def stand_ins() -> Iterator[None]:
    """In this block, `import launch` gives modules whose classes only keep what they are made from."""

    def module(name: str) -> ModuleType:
        made = ModuleType(name)
        made.__path__ = []
        made.__getattr__ = _stand_in  # type: ignore[method-assign, assignment]
        return made

    names = ["launch", "launch_ros", "launch_ros.parameter_descriptions"]
    names += [f"launch.{part}" for part in ("actions", "event_handlers", "launch_description_sources", "substitutions")]
    names += [f"launch_ros.{part}" for part in ("actions", "substitutions")]
    with patch.dict(sys.modules, {name: module(name) for name in names}):
        yield


@dataclass
class _Scope:
    """What the actions of a group share."""

    arguments: dict[str, str]
    namespace: str = ""
    remappings: tuple[tuple[str, str], ...] = ()


def with_stand_ins(file: Path, arguments: Mapping[str, str]) -> list[Process]:
    """The processes as this module understands launch files."""
    with stand_ins():
        return list(_included(file, _Scope(dict(arguments))))


def _included(file: Path, scope: _Scope) -> Iterator[Process]:
    spec = importlib.util.spec_from_file_location(file.name.replace(".", "_"), file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for action in module.generate_launch_description().given[0]:
        yield from _visit(action, scope)


def _visit(action: _Action, scope: _Scope) -> Iterator[Process]:
    kind = action.kind
    if kind == "DeclareLaunchArgument":
        name = action.given[0]
        if name not in scope.arguments:
            assert "default_value" in action.options, f"argument {name} must be given"
            scope.arguments[name] = _text(action.default_value)
        allowed = action.options.get("choices")
        assert not allowed or scope.arguments[name] in allowed, f"argument {name} is {scope.arguments[name]!r}"
    elif kind == "OpaqueFunction":
        for inner in action.function(SimpleNamespace(launch_configurations=scope.arguments)):
            yield from _visit(inner, scope)
    elif kind == "IncludeLaunchDescription":
        scope.arguments |= {name: _text(value) for name, value in action.options.get("launch_arguments", ())}
        (location,) = action.given[0].given
        yield from _included(Path(_text(location)), scope)
    elif kind == "GroupAction":
        inherited = scope.arguments if action.options.get("forwarding", True) else {}
        inner_scope = replace(scope, arguments=dict(inherited))
        for inner in action.given[0]:
            yield from _visit(inner, inner_scope if action.options.get("scoped", True) else scope)
    elif kind == "PushRosNamespace":
        scope.namespace = _joined(scope.namespace, action.given[0])
    elif kind == "SetRemap":
        scope.remappings = (*scope.remappings, (action.src, action.dst))
    elif kind in ("Node", "LifecycleNode"):
        yield _node(action, scope)
    elif kind == "ExecuteProcess":
        executable, *words = map(_text, action.cmd)
        yield process(executable, "/", (), (), words, action.options.get("respawn", False))
    else:
        assert kind in ("LogInfo", "RegisterEventHandler", "EmitEvent"), f"nothing stands in for {kind}"


def _node(action: _Action, scope: _Scope) -> Process:
    options = action.options
    name, namespace = options.get("name", ""), _joined(scope.namespace, options.get("namespace", ""))
    files = []
    for entry in options.get("parameters", ()):
        if isinstance(entry, Mapping):
            with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False, encoding="utf-8") as copy:
                yaml.safe_dump({"/**": {"ros__parameters": {key: _value(item) for key, item in entry.items()}}}, copy)
            entry = copy.name
        files.append(Path(_text(entry)))
    words = [word for word in options.get("arguments", ()) if word != "--ros-args"]
    remappings = (*scope.remappings, *(options.get("remappings") or ()))
    return process(
        options["executable"], f"/{namespace}", files, remappings, words, options.get("respawn", False), name
    )


def _joined(outer: str, inner: str) -> str:
    return "/".join(part for part in (outer, inner.strip("/")) if part) if not inner.startswith("/") else inner[1:]


def _text(value: Any) -> Any:
    """A substitution's result."""
    if not isinstance(value, _Action):
        return value
    if value.kind == "PathJoinSubstitution":
        return "/".join(map(_text, value.given[0]))
    assert value.kind == "FindPackageShare", f"nothing stands in for {value.kind}"
    return get_package_share_directory(value.given[0])


def _value(value: Any) -> Any:
    return value.given[0] if isinstance(value, _Action) and value.kind == "ParameterValue" else value
