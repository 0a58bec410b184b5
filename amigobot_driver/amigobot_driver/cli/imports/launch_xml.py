# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Reads launch files in XML: the parameters of the robot's driver, and what else stands in the file.

A parameter file can hold parameters only. So each element and attribute that is none is named, with what to do.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

import yaml

from .rules import Given, ImportFileError, Scalar, Source
from .values import scalar, sections, typed

_ARGUMENT = re.compile(r"\$\((?:arg|var) (\w+)\)")
#: Elements and attributes of a node that need no counterpart here.
_SILENT_ELEMENTS = {"arg", "let"}
_SILENT_ATTRIBUTES = {"pkg", "type", "exec", "name", "ns", "namespace", "args", "output", "if", "unless", "cwd"}
_PUSHES = ("push_ros_namespace", "push-ros-namespace")
_TRUE, _FALSE = ("true", "1"), ("false", "0")


#: The page that says how to rename a topic of this driver.
_PAGE = "documentation: Start the driver with a launch file"

#: The old and the new name of a topic.
_Remap = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Placed:
    """An element with what the groups around it, and the elements before it, say about it."""

    element: Element
    namespace: str
    remaps: tuple[_Remap, ...]


def read_launch(content: str, source: Source | None, nodes: Mapping[str, Source]) -> Given:
    """Return what a launch file gives to the first node of a driver in `nodes`, which has them by their packages.

    Raises:
        ImportFileError: The file is not XML, starts no such node, or has a value that only a launch can compute.
    """
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise ImportFileError(f"is not XML ({error})") from None
    return _Launch(root).given(source, nodes)


class _Launch:
    """One launch file."""

    def __init__(self, root: Element) -> None:
        self._root = root
        # Arguments inside of an <include> are those of another file.
        arguments = [argument for argument in root.findall("arg") + root.findall(".//group/arg")]
        values = {a.get("name", ""): a.get("value", a.get("default")) for a in arguments + root.findall(".//let")}
        self._arguments = {name: value for name, value in values.items() if value is not None}
        self._notes: list[str] = []
        self._topics: Mapping[str, str] = {}

    def given(self, source: Source | None, nodes: Mapping[str, Source]) -> Given:
        placed = list(self._placed(self._root))
        robots = [p for p in placed if p.element.tag == "node" and p.element.get("pkg", "").lower() in nodes]
        if not robots:
            raise ImportFileError("starts no node of p2os_driver, rosaria or rosaria2")
        robot = robots[0]
        source = source or nodes[robot.element.get("pkg", "").lower()]
        self._topics = source.topics
        parameters = dict(self._parameters(placed, robot))
        for other in placed:
            if other is not robot and other.element.tag not in _SILENT_ELEMENTS:
                self._name(other.element, is_robot=other in robots)
        return Given(source, parameters, tuple(self._notes))

    # -- where an element stands

    def _placed(self, parent: Element, namespace: str = "", remaps: tuple[_Remap, ...] = ()) -> Iterator[_Placed]:
        """Each element of the file and of its groups that is launched, in the order of the file."""
        for element in parent:
            if not self._is_launched(element):
                continue
            if element.tag == "group":
                yield from self._placed(element, self._joined(namespace, element.get("ns", "")), remaps)
            elif element.tag in _PUSHES:
                namespace = self._joined(namespace, element.get("namespace", ""))
            elif element.tag in ("remap", "set_remap"):
                remaps = (*remaps, self._remap(element))
            else:
                yield _Placed(element, namespace, remaps)

    def _is_launched(self, element: Element) -> bool:
        for attribute, launched in (("if", _TRUE), ("unless", _FALSE)):
            condition = self._resolved(element.get(attribute, launched[0])).strip().lower()
            if condition not in _TRUE + _FALSE:
                raise ImportFileError(
                    f"has the condition {attribute}={condition!r:.80}: put true or false in its place"
                )
            if condition not in launched:
                name = element.get("name") or element.get("file") or element.get("ns") or ""
                self._notes.append(f"{element.tag} {name}: is not launched ({attribute} is {condition})")
                return False
        return True

    def _resolved(self, text: str) -> str:
        """The text with the arguments of the file in it; another `$(...)` stays."""
        return _ARGUMENT.sub(lambda match: self._arguments.get(match[1], match[0]), text)

    def _joined(self, namespace: str, name: str) -> str:
        name = self._resolved(name).rstrip("/")
        if not name:
            return namespace
        return name if name.startswith("/") else f"{namespace}/{name}"

    def _remap(self, element: Element) -> _Remap:
        return self._resolved(element.get("from", "")), self._resolved(element.get("to", ""))

    # -- the node of the robot

    def _parameters(self, placed: list[_Placed], robot: _Placed) -> Iterator[tuple[str, Scalar]]:
        """The parameters of the node, the strongest last; what else it has becomes notes."""
        node = robot.element
        namespace = self._joined(robot.namespace, node.get("ns", "") or node.get("namespace", ""))
        path = self._joined(namespace, node.get("name", ""))
        for other in list(placed):
            if other.element.tag in ("param", "rosparam"):
                found = list(self._outside(other, robot.namespace, path))
                yield from found
                if found:
                    placed.remove(other)
        remaps = list(robot.remaps)
        for element in filter(self._is_launched, node):
            if element.tag == "param" and element.get("from"):
                raise _loads(element.get("from", ""))
            if element.tag == "param":
                yield element.get("name", "").removeprefix("~"), self._value(element)
            elif element.tag == "rosparam":
                for _, values in sections(self._content(element)):
                    yield from ((key, scalar(key, value)) for key, value in values.items())
            elif element.tag == "remap":
                remaps.append(self._remap(element))
            else:
                self._name(element)
        yield from self._command_line(node, remaps)
        self._say(node, namespace, [self._renamed(remap, namespace, path) for remap in remaps])

    def _outside(self, other: _Placed, namespace: str, path: str) -> Iterator[tuple[str, Scalar]]:
        """The parameters of the node at `path` in an element outside of it."""
        name = other.element.get("name", "")
        if other.element.tag == "param" and name.startswith("~"):
            if f"{namespace}/".startswith(f"{other.namespace}/"):
                yield name.removeprefix("~"), self._value(other.element)
        elif other.element.tag == "param":
            owner, _, key = self._joined(other.namespace, name).rpartition("/")
            if owner == path:
                yield key, self._value(other.element)
        elif not other.element.get("file"):
            start = self._joined(other.namespace, other.element.get("ns", ""))
            for names, values in sections(self._content(other.element)):
                if "/".join((start, *names)) == path:
                    yield from ((key, scalar(key, value)) for key, value in values.items())

    def _command_line(self, node: Element, remaps: list[_Remap]) -> Iterator[tuple[str, Scalar]]:
        """The private parameters (`_name:=value`) in the arguments of the node; remappings are added to `remaps`."""
        for word in self._resolved(node.get("args", "")).split():
            key, is_given, value = word.partition(":=")
            if is_given and key.startswith("_") and not key.startswith("__"):
                yield key[1:], typed(self._known(key[1:], value))
            elif is_given and not key.startswith("__"):
                remaps.append((key, value))
            else:
                self._notes.append(f"args {word}: the driver has no such argument")

    def _renamed(self, remap: _Remap, namespace: str, path: str) -> str:
        """Say what to do for a remap of the node at `path`: nothing, if the topic has that name here by itself."""
        old, new = remap
        name = old.removeprefix("~").removeprefix("/") if old.startswith("~") else self._joined(namespace, old)
        name = name.removeprefix(f"{path}/").removeprefix(f"{namespace}/")
        here = self._topics.get(name, name)
        if self._joined(namespace, new) == f"{namespace}/{here}":
            return f"remap {old} to {new}: nothing to do, the topic has this name here"
        return f'remap {old} to {new}: write SetRemap("{here}", "{new}") in a launch file of yours ({_PAGE})'

    def _say(self, node: Element, namespace: str, remaps: list[str]) -> None:
        """Name what the node has beside parameters, its remaps first."""
        if namespace:
            self._notes.append(f"namespace {namespace}: start the launch file with namespace:={namespace.strip('/')}")
        self._notes += remaps
        for attribute, value in node.items():
            if attribute == "respawn" and value.lower() in _TRUE:
                self._notes.append("respawn: start the launch file with use_respawn:=true")
            elif attribute not in _SILENT_ATTRIBUTES and value.lower() not in _FALSE:
                self._notes.append(f"{attribute}={value}: an attribute of the node, not a parameter")

    def _name(self, element: Element, is_robot: bool = False) -> None:
        """Name an element that is left out."""
        name = self._resolved(element.get("name") or element.get("file") or element.get("ns") or "")
        if is_robot:
            why = "a second robot; for its parameters delete the first one in a copy, and import that"
        elif element.tag == "node":
            why = "not the driver of the robot; start it from a launch file of yours"
            name = f"{name} ({element.get('pkg', '')})"
        elif element.tag == "include":
            why = "not followed; import that file too if it sets parameters of the robot"
        elif element.tag in ("param", "rosparam"):
            why = "not a parameter of the robot's node" if not element.get("file") else "not read; import that file too"
        else:
            why = "not a parameter"
        self._notes.append(f"{element.tag} {name}: {why}")

    # -- values

    def _content(self, element: Element) -> dict[Any, Any]:
        """What a <rosparam> has between its tags."""
        if element.get("file"):
            raise _loads(element.get("file", ""))
        loaded = yaml.safe_load(self._known("<rosparam>", self._resolved(element.text or "")))
        if element.get("param"):
            return {element.get("param"): loaded}
        if loaded is not None and not isinstance(loaded, dict):
            raise ImportFileError(f"has a <rosparam> without names: {loaded!r:.80}")
        return loaded or {}

    def _value(self, element: Element) -> Scalar:
        given = element.get("value")
        if given is None:
            raise ImportFileError(f"parameter {element.get('name')} has no value in the file")
        return typed(self._known(element.get("name", ""), self._resolved(given)))

    def _known(self, name: str, text: str) -> str:
        if "$(" in text:
            unknown = next(line.strip() for line in text.splitlines() if "$(" in line)
            raise ImportFileError(f"parameter {name} is {unknown}: put its value in the place of $(...)")
        return text


def _loads(file: str) -> ImportFileError:
    return ImportFileError(f"loads {file}: import that file instead, or put its lines here")
