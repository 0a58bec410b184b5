# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Reads the files: YAML, launch files in XML, Player's configuration files, and ARIA's `.p` files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from ...profiles import ProfileError, load_profile
from .launch_xml import read_launch
from .rules import Given, ImportFileError, Scalar, Source
from .sources import ARIA, P2OS, PLAYER, PLAYER_ANGLES, PLAYER_LENGTHS, ROSARIA, ROSARIA2
from .values import scalar, sections, typed

_MAX_SIZE = 1_000_000

#: The drivers of ROS by the name of their package or node.
_NODES = {"p2os_driver": P2OS, "p2os": P2OS, "rosaria": ROSARIA, "rosaria2": ROSARIA2, "rosaria2_node": ROSARIA2}
_YAML_SOURCES = (P2OS, ROSARIA, ROSARIA2)
#: Names around parameters that are of no node in particular.
_EVERY_NODE = {"**", "ros__parameters"}


def read(path: Path, source: Source | None = None) -> Given:
    """Read a file and find out whose it is, unless `source` says so.

    Raises:
        ImportFileError: The file cannot be read, or is none of a driver that is known.
    """
    if path.suffix == ".py":
        raise ImportFileError("is a launch file in Python, which is not read: import the YAML file that it loads")
    content = _text(path)
    try:
        return _parsed(path, content, source)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or " ".join(str(error).split())
        where = f", line {mark.line + 1}" if mark else ""
        raise ImportFileError(f"is not valid YAML: {problem}{where}") from None
    except RecursionError:
        raise ImportFileError("is nested too deeply for a parameter file") from None


def _parsed(path: Path, content: str, source: Source | None) -> Given:
    if path.suffix == ".p" or source is ARIA:
        return Given(ARIA, _aria(path, content))
    if content.lstrip().startswith("<"):
        return read_launch(content, source, _NODES)
    if re.search(r"\bdriver\s*\(", content) or source is PLAYER:
        return _player(content)
    return _yaml(content, source)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_SIZE + 1)
        size = max(len(content), path.stat().st_size)  # a pipe has no size
    except OSError as error:
        raise ImportFileError(f"cannot be read ({error.strerror})") from None
    if size > _MAX_SIZE:
        raise ImportFileError(f"is {size} bytes long, allowed: up to {_MAX_SIZE} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte {error.start} is {content[error.start]:#04x}"
        raise ImportFileError(f"is not a text file in UTF-8: {found}") from None


# -- YAML -----------------------------------------------------------------------------------------------------


def _yaml(content: str, source: Source | None) -> Given:
    loaded = yaml.safe_load(content)
    if not isinstance(loaded, dict):
        raise ImportFileError("has no parameters, expected a file of p2os, RosAria, rosaria2, Player or ARIA")
    found = [(path, values) for path, values in sections(loaded) if values]
    nodes = {node for path, _ in found if (node := _node(path))}
    if len(nodes) > 1:
        names = ", ".join(sorted("/".join(node) for node in nodes))
        raise ImportFileError(f"has parameters of several robots ({names}): keep those of one in a copy")
    parameters: dict[str, Scalar] = {}
    origin: dict[str, str] = {}
    notes = []
    # What a file says about every node comes first: the node's own values replace it.
    for path, values in sorted(found, key=lambda section: bool(_node(section[0]))):
        name = "/".join(path) or "the beginning of the file"
        if nodes and not _node(path) and not set(path) <= _EVERY_NODE:
            notes.append(f"section {name}: of another node")
            continue
        for key, value in values.items():
            if not nodes and parameters.get(key, value) != value:
                places = f"{origin[key]} and in {name}"
                raise ImportFileError(f"{key} is in {places}: delete the other one in a copy of the file")
            parameters[key], origin[key] = scalar(key, value), name
    for node in nodes:
        if len(node) > 1:
            namespace = "/".join(node[:-1])
            notes.append(f"namespace {namespace}: start the launch file with namespace:={namespace}")
        source = source or _NODES[node[-1].lower()]
    return Given(source or _guessed(parameters), parameters, tuple(notes))


def _node(path: tuple[str, ...]) -> tuple[str, ...]:
    """The part of a path that ends with the name of a driver, or nothing."""
    return next((path[: index + 1] for index, name in enumerate(path) if name.lower() in _NODES), ())


def _guessed(given: Mapping[str, Scalar]) -> Source:
    """The driver that has most of the parameters."""
    found = {source.name: sum(key in source.rules for key in given) for source in _YAML_SOURCES}
    best = max(_YAML_SOURCES, key=lambda source: found[source.name])
    if list(found.values()).count(found[best.name]) > 1:
        raise ImportFileError("its parameters do not show which driver they are for: give --source")
    return best


# -- Player ---------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"#[^\n]*|\"([^\"]*)\"|([()\[\]])|([^\s()\[\]\"#]+)")
_LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001}
_ANGLES = {"degrees": 0.017453292519943295, "radians": 1.0}


def _player(content: str) -> Given:
    """The options of the p2os driver, lengths in m and angles in rad."""
    sections = list(_sections([match for match in _TOKEN.finditer(content) if match.lastindex]))
    heads = {key: value for name, options in sections if not name for key, value in options.items()}
    drivers = [options for name, options in sections if name == "driver"]
    robot = next((options for options in drivers if options.get("name") == "p2os"), None)
    if robot:
        units = (str(heads.get("unit_length", "m")), str(heads.get("unit_angle", "degrees")))
        others = (str(options.get("name")) for options in drivers if options is not robot)
        return Given(PLAYER, _in_meters(robot, *units), tuple(f"driver {name}: not imported" for name in others))
    names = ", ".join(str(options.get("name")) for options in drivers) or "none"
    raise ImportFileError(f"has no driver p2os (its drivers: {names}); for an Erratic see its page in docs")


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
    """The options up to the closing parenthesis, and the position after it."""
    options: dict[str, Scalar] = {}
    while position < len(tokens) and tokens[position][0] != ")":
        key = tokens[position][0]
        position += 1
        if position < len(tokens) and tokens[position][0] == "[":
            end = next((index for index in range(position, len(tokens)) if tokens[index][0] == "]"), len(tokens))
            options[key] = " ".join(token[0] for token in tokens[position + 1 : end])
            position = end + 1
        elif position < len(tokens):
            options[key] = _content(tokens[position])
            position += 1
    if position >= len(tokens):
        raise ImportFileError("ends inside of a section: a closing parenthesis is missing")
    return position + 1, options


def _content(token: re.Match[str]) -> Scalar:
    return token[1] if token[1] is not None else typed(token[0])


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
    settings = {words[0]: typed(words[1]) for words in lines if len(words) > 1 and words[0] in ARIA.rules}
    return {"param_file": str(path.resolve()), **settings}
