# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Reads the files: YAML, launch files of ROS 1, Player's configuration files, and ARIA's `.p` files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from ...profiles import ProfileError, load_profile
from .rules import ImportFileError, Scalar, Source
from .sources import ARIA, P2OS, PLAYER, PLAYER_ANGLES, PLAYER_LENGTHS, ROSARIA, ROSARIA2

_MAX_SIZE = 1_000_000

#: The drivers of ROS by the name of their package or node.
_NODES = {"p2os_driver": P2OS, "p2os": P2OS, "rosaria": ROSARIA, "rosaria2": ROSARIA2, "rosaria2_node": ROSARIA2}
_YAML_SOURCES = (P2OS, ROSARIA, ROSARIA2)

Parameters = tuple[Source, dict[str, Scalar]]


def read(path: Path, source: Source | None = None) -> Parameters:
    """Read a file and find out whose it is, unless `source` says so.

    Raises:
        ImportFileError: The file cannot be read, or is none of a driver that is known.
    """
    content = _text(path)
    try:
        return _parsed(path, content, source)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise ImportFileError("is not YAML" + (f", see line {mark.line + 1}" if mark else "")) from None
    except RecursionError:
        raise ImportFileError("is nested too deeply for a parameter file") from None


def _parsed(path: Path, content: str, source: Source | None) -> Parameters:
    if path.suffix == ".p" or source is ARIA:
        return ARIA, _aria(path, content)
    if content.lstrip().startswith("<"):
        return _launch(content, source)
    if re.search(r"\bdriver\s*\(", content) or source is PLAYER:
        return PLAYER, _player(content)
    return _yaml(content, source)


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            content = file.read(_MAX_SIZE + 1)
    except OSError as error:
        raise ImportFileError(f"cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ImportFileError("is not a text file") from None
    if len(content) > _MAX_SIZE:
        raise ImportFileError(f"is too long for a parameter file, more than {_MAX_SIZE} characters")
    return content


# -- YAML -----------------------------------------------------------------------------------------------------


def _yaml(content: str, source: Source | None) -> Parameters:
    loaded = yaml.safe_load(content)
    if not isinstance(loaded, dict):
        raise ImportFileError("has no parameters; a file of p2os, RosAria, rosaria2, Player or ARIA is expected")
    names, flat = _flattened(loaded)
    return source or next((_NODES[name] for name in names if name in _NODES), None) or _guessed(flat), flat


def _flattened(content: Mapping[str, Any]) -> tuple[list[str], dict[str, Scalar]]:
    """The names of nodes and namespaces in a file, lower case, and the parameters below them."""
    names: list[str] = []
    flat: dict[str, Scalar] = {}
    for key, value in content.items():
        if isinstance(value, dict):
            inner_names, inner = _flattened(value)
            names += [str(key).strip("/").rpartition("/")[2].lower(), *inner_names]
            flat |= inner
        else:
            flat[str(key)] = _scalar(str(key), value)
    return names, flat


def _scalar(key: str, value: object) -> Scalar:
    if not isinstance(value, bool | int | float | str):
        raise ImportFileError(f"{key} is {value!r:.80}, a single value is expected")
    return value


def _guessed(given: Mapping[str, Scalar]) -> Source:
    """The driver that has most of the parameters."""
    found = {source.name: sum(key in source.rules for key in given) for source in _YAML_SOURCES}
    best = max(_YAML_SOURCES, key=lambda source: found[source.name])
    if list(found.values()).count(found[best.name]) > 1:
        raise ImportFileError("its parameters do not tell whose they are: say it with --source")
    return best


# -- launch files of ROS 1 ------------------------------------------------------------------------------------


def _launch(content: str, source: Source | None) -> Parameters:
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise ImportFileError(f"is not XML ({error})") from None
    arguments = {
        element.get("name", ""): element.get("value", element.get("default", "")) for element in root.iter("arg")
    }
    for node in root.iter("node"):
        found = source or _NODES.get(node.get("pkg", "").lower())
        if found and (source is None or node.get("pkg", "").lower() in _NODES):
            return found, dict(_node_parameters(root, node, arguments))
    raise ImportFileError("starts no node of p2os_driver, rosaria or rosaria2")


def _node_parameters(
    root: ElementTree.Element, node: ElementTree.Element, arguments: Mapping[str, str]
) -> Iterator[tuple[str, Scalar]]:
    name = node.get("name", "")
    for element in root.findall("param"):
        owner, _, key = element.get("name", "").strip("/").rpartition("/")
        if owner == name:
            yield key, _value(element, arguments)
    for element in node:
        if element.tag == "param":
            yield element.get("name", "").removeprefix("~"), _value(element, arguments)
        elif element.tag == "rosparam" and element.get("file"):
            raise ImportFileError(f"loads {element.get('file')}: import that file instead, or put its lines here")
        elif element.tag == "rosparam":
            loaded = yaml.safe_load(element.text or "")
            yield from _flattened(loaded if isinstance(loaded, dict) else {})[1].items()


def _value(element: ElementTree.Element, arguments: Mapping[str, str]) -> Scalar:
    """The value of a parameter, with `$(arg NAME)` replaced."""
    given = element.get("value")
    if given is None:
        raise ImportFileError(f"parameter {element.get('name')} has no value in the file")
    text = re.sub(r"\$\(arg (\w+)\)", lambda match: arguments.get(match[1], match[0]), given)
    if "$(" in text:
        raise ImportFileError(f"parameter {element.get('name')} is {text}: put its value in the place of $(...)")
    return _typed(text)


def _typed(text: str) -> Scalar:
    """A text as YAML reads it: 0.5 is a number, true is a boolean."""
    value = yaml.safe_load(text) if text else ""
    return value if isinstance(value, bool | int | float | str) else text


# -- Player ---------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"#[^\n]*|\"([^\"]*)\"|([()\[\]])|([^\s()\[\]\"#]+)")
_LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001}
_ANGLES = {"degrees": 0.017453292519943295, "radians": 1.0}


def _player(content: str) -> dict[str, Scalar]:
    """The options of the p2os driver, lengths in m and angles in rad."""
    sections = list(_sections([match for match in _TOKEN.finditer(content) if match.lastindex]))
    heads = {key: value for name, options in sections if not name for key, value in options.items()}
    drivers = [options for name, options in sections if name == "driver"]
    for options in drivers:
        if options.get("name") == "p2os":
            return _in_meters(options, str(heads.get("unit_length", "m")), str(heads.get("unit_angle", "degrees")))
    names = ", ".join(str(options.get("name")) for options in drivers) or "none"
    raise ImportFileError(f"has no driver p2os (its drivers: {names}); for an Erratic see docs/how-to/erratic.md")


def _sections(tokens: list[re.Match[str]]) -> Iterator[tuple[str, dict[str, Scalar]]]:
    """Each section with its options; the options outside of all sections have the name ""."""
    outside: dict[str, Scalar] = {}
    position = 0
    while position < len(tokens):
        name = tokens[position][0]
        if position + 1 < len(tokens) and tokens[position + 1][0] == "(":
            position, options = _options(tokens, position + 2)
            yield name, options
        elif position + 1 < len(tokens):
            outside[name] = _content(tokens[position + 1])
            position += 2
        else:
            raise ImportFileError(f"ends after {name!r:.40}")
    yield "", outside


def _options(tokens: list[re.Match[str]], position: int) -> tuple[int, dict[str, Scalar]]:
    """The options up to the closing parenthesis, and the place after it."""
    options: dict[str, Scalar] = {}
    while position < len(tokens) and tokens[position][0] != ")":
        key = tokens[position][0]
        position += 1
        if position < len(tokens) and tokens[position][0] == "[":
            end = next((place for place in range(position, len(tokens)) if tokens[place][0] == "]"), len(tokens))
            options[key] = " ".join(token[0] for token in tokens[position + 1 : end])
            position = end + 1
        elif position < len(tokens):
            options[key] = _content(tokens[position])
            position += 1
    if position >= len(tokens):
        raise ImportFileError("ends inside of a section: a closing parenthesis is missing")
    return position + 1, options


def _content(token: re.Match[str]) -> Scalar:
    return token[1] if token[1] is not None else _typed(token[0])


def _in_meters(options: dict[str, Scalar], length: str, angle: str) -> dict[str, Scalar]:
    if length not in _LENGTHS or angle not in _ANGLES:
        raise ImportFileError(f"its units are {length} and {angle}; known: m, cm, mm, degrees, radians")
    factors = dict.fromkeys(PLAYER_LENGTHS, _LENGTHS[length]) | dict.fromkeys(PLAYER_ANGLES, _ANGLES[angle])
    return {
        key: value * factors[key] if key in factors and isinstance(value, int | float) else value
        for key, value in options.items()
    }


# -- ARIA -----------------------------------------------------------------------------------------------------


def _aria(path: Path, content: str) -> dict[str, Scalar]:
    """The file itself as param_file, and the settings in it that are not facts about the robot."""
    try:
        load_profile(str(path))
    except ProfileError as error:
        raise ImportFileError(str(error)) from None
    lines = (line.partition(";")[0].split() for line in content.splitlines())
    settings = {words[0]: _typed(words[1]) for words in lines if len(words) > 1 and words[0] in ARIA.rules}
    return {"param_file": str(path.resolve()), **settings}
