# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a launch file declares and what it would start: stand-ins take the place of `launch`, and nothing is started."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from ament_index_python.packages import get_package_share_directory

from amigobot_driver.resources import share
from amigobot_driver.ros.launch_parameters import parameters_in

#: The modules with stand-ins, and the module of the driver that imports them.
_MODULES = (
    *("launch", *(f"launch.{part}" for part in ("actions", "launch_description_sources", "substitutions"))),
    *("launch_ros", *(f"launch_ros.{part}" for part in ("actions", "parameter_descriptions", "substitutions"))),
)
_SUPPORT = "amigobot_driver.ros.launch_support"


def launch_file(name: str) -> Path:
    """A launch file of the driver."""
    return share("launch", f"{name}.launch.py")


@dataclass(frozen=True)
class Process:
    """A process that a launch file starts, with all that decides what it does."""

    executable: str
    name: str = ""
    namespace: str = "/"
    parameters: Mapping[str, Any] = field(default_factory=dict)  #: those that apply to a node of this name
    files: tuple[str, ...] = ()  #: its parameter files
    remappings: frozenset[tuple[str, str]] = frozenset()
    words: tuple[str, ...] = ()  #: the rest of the command line; temporary files by their content
    respawn: bool = False


class Started(list[Process]):
    """The processes in their order. `notes` are the texts of LogInfo."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[str] = []

    def of(self, name: str) -> list[Process]:
        """The processes with this name or executable."""
        return [process for process in self if name in (process.name, process.executable)]

    def the(self, name: str) -> Process:
        """The one process with this name or executable."""
        (process,) = self.of(name)
        return process


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
def _stand_ins() -> Iterator[None]:
    """In this block, `import launch` gives modules whose classes only keep what they are made from."""
    before = {name: sys.modules.pop(name) for name in (*_MODULES, _SUPPORT) if name in sys.modules}
    for name in _MODULES:
        sys.modules[name] = made = ModuleType(name)
        made.__path__ = []
        made.__getattr__ = _stand_in  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        for name in (*_MODULES, _SUPPORT):
            sys.modules.pop(name, None)
        sys.modules |= before


def loaded(file: Path) -> ModuleType:
    """A launch file as a module."""
    with _stand_ins():
        spec = importlib.util.spec_from_file_location(file.name.replace(".", "_"), file)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def declared(file: Path) -> dict[str, Mapping[str, Any]]:
    """The arguments of a launch file, by name: default_value, description and choices."""
    actions = loaded(file).generate_launch_description().given[0]
    arguments = [action for action in actions if action.kind == "DeclareLaunchArgument"]
    found = {action.given[0]: action.options for action in arguments}
    assert len(found) == len(arguments), "an argument is declared twice"
    return found


def started(file: Path, **arguments: str) -> Started:
    """What a launch file starts with these arguments."""
    result = Started()
    _include(file, _Scope(dict(arguments)), result)
    return result


@dataclass
class _Scope:
    """What the actions of a group share."""

    arguments: dict[str, str]
    namespace: str = ""
    remappings: tuple[tuple[str, str], ...] = ()


def _include(file: Path, scope: _Scope, result: Started) -> None:
    for action in loaded(file).generate_launch_description().given[0]:
        _visit(action, scope, result)


def _visit(action: _Action, scope: _Scope, result: Started) -> None:
    kind = action.kind
    if kind == "DeclareLaunchArgument":
        name, allowed = action.given[0], action.options.get("choices")
        value = scope.arguments.setdefault(name, _text(action.default_value))
        assert value is not None, f"argument {name} must be given"
        assert not allowed or value in allowed, f"argument {name} is {value!r}"
    elif kind == "OpaqueFunction":
        for inner in action.function(SimpleNamespace(launch_configurations=scope.arguments)):
            _visit(inner, scope, result)
    elif kind == "IncludeLaunchDescription":
        scope.arguments |= {name: _text(value) for name, value in action.options.get("launch_arguments", ())}
        (location,) = action.given[0].given
        _include(Path(_text(location)), scope, result)
    elif kind == "GroupAction":
        inherited = scope.arguments if action.options.get("forwarding", True) else {}
        inner_scope = replace(scope, arguments=dict(inherited))
        for inner in action.given[0]:
            _visit(inner, inner_scope, result)
    elif kind == "PushRosNamespace":
        scope.namespace = _joined(scope.namespace, action.given[0])
    elif kind == "SetRemap":
        scope.remappings = (*scope.remappings, (action.src, action.dst))
    elif kind in ("Node", "LifecycleNode"):
        result.append(_node(action, scope))
    elif kind == "ExecuteProcess":
        executable, *words = map(_text, action.cmd)
        result.append(Process(executable, words=_words(words), respawn=action.options.get("respawn", False)))
    else:
        assert kind == "LogInfo", f"nothing stands in for {kind}"
        result.notes.append(action.msg)


def _node(action: _Action, scope: _Scope) -> Process:
    options = action.options
    executable, name = options["executable"], options.get("name", "")
    namespace = f"/{_joined(scope.namespace, options.get('namespace', ''))}"
    parameters: dict[str, Any] = {}
    files = []
    for entry in options.get("parameters", ()):
        if isinstance(entry, Mapping):
            parameters |= {key: _value(value) for key, value in entry.items()}
        else:
            files.append(_text(entry))
            parameters |= parameters_in(Path(files[-1]), f"{namespace}/{name or executable}")
    words = _words([word for word in options.get("arguments", ()) if word != "--ros-args"])
    remappings = frozenset((*scope.remappings, *(options.get("remappings") or ())))
    respawn = options.get("respawn", False)
    return Process(executable, name, namespace, parameters, tuple(files), remappings, words, respawn)


def _words(words: list[str]) -> tuple[str, ...]:
    def content(word: str) -> str:
        path = Path(word)
        if word.startswith(tempfile.gettempdir()) and path.is_file():
            return path.read_text(encoding="utf-8")
        return word

    return tuple(map(content, words))


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
