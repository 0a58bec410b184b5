# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Finds the subcommands of the `amigobot` command without importing them.

Those of this package are the modules named in `BUILT_IN`. Another package adds entry points of the group
`amigobot.subcommands`: the name of the entry point is the subcommand, its value is the module.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
from dataclasses import dataclass
from importlib.metadata import entry_points
from types import ModuleType

from .usage_error import UsageError

GROUP = "amigobot.subcommands"
#: Subcommands of this package; each is a module of the same name beside this one, but for `_MODULES`.
BUILT_IN = (
    *("aux", "config", "describe", "doctor", "dump", "find", "io", "record", "replay", "say", "sim", "sounds", "stop"),
)
_MODULES = {"aux": "aux_port"}  # Windows reserves the name aux: it could not check out the sources

_ROS = "source the setup file of ROS 2 (. /opt/ros/DISTRO/setup.bash), or in the sources use `./run amigobot`"
_WORKSPACE = "build the workspace with colcon and source its install/setup.bash, or in the sources use `./run amigobot`"
#: How to get a library that a subcommand needs, by its top-level module.
REMEDIES = {
    "aiohttp": "sudo apt-get install python3-aiohttp, or python3 -m pip install aiohttp",
    "amigobot_msgs": _WORKSPACE,
    "matplotlib": "sudo apt-get install python3-matplotlib, or python3 -m pip install matplotlib",
    "numpy": "sudo apt-get install python3-numpy, or python3 -m pip install numpy",
    "pygame": "sudo apt-get install python3-pygame, or python3 -m pip install pygame",
    "rclpy": _ROS,
    "rich": "sudo apt-get install python3-rich, or python3 -m pip install rich",
    "rosbags": "python3 -m pip install rosbags",
    "xacro": "sudo apt-get install ros-$ROS_DISTRO-xacro, or python3 -m pip install xacro",
}


@dataclass(frozen=True, slots=True)
class Subcommand:
    """One subcommand: its name and the module that implements it."""

    name: str
    module: str

    def load(self) -> ModuleType:
        """Import the module."""
        return importlib.import_module(self.module)

    def documentation(self) -> str:
        """Return the docstring of the module, which is not imported: `amigobot --help` names all subcommands."""
        spec = importlib.util.find_spec(self.module)
        source = getattr(spec.loader, "get_source", None) if spec else None
        text = source(self.module) if source else None
        return (ast.get_docstring(ast.parse(text)) or "") if text else ""

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return self.documentation().partition("\n")[0]


def find_subcommands() -> dict[str, Subcommand]:
    """Return every installed subcommand by its name, in alphabetical order. A built-in one wins over an entry point."""
    subcommands = {entry.name: Subcommand(entry.name, entry.value) for entry in entry_points(group=GROUP)}
    subcommands |= {name: Subcommand(name, f"{__package__}.{_MODULES.get(name, name)}") for name in BUILT_IN}
    return dict(sorted(subcommands.items()))


def explained(error: ImportError) -> UsageError:
    """Return the error that says how to install the missing library.

    Raises:
        ImportError: It is none of the libraries that a user has to install; this is a bug.
    """
    name = (error.name or "").partition(".")[0]
    if name not in REMEDIES:
        raise error
    return UsageError(f"needs {name}, which cannot be imported here; to install it: {REMEDIES[name]}")
