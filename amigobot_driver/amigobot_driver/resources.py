# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Finds the files that are installed with the code: in the source tree, or in share/ of the package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from .wording import wrong_type

PACKAGE = "amigobot_driver"
#: The C implementation, where PyYAML has it: an eighth of the time.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def share(*parts: str) -> Path:
    """Return the path of an installed file or folder, for example of the parts "config", "robots". Works without ROS.

    Raises:
        FileNotFoundError: The installation is incomplete.
    """
    for folder in Path(__file__).resolve().parents:
        for root in (folder, folder / "share" / PACKAGE):
            if (root / "config" / "robots").is_dir():
                return root.joinpath(*parts)
    raise FileNotFoundError(
        f"the files of {PACKAGE} (config/robots) are not installed beside {__file__}: install the package again"
    )


class _StrictLoader(yaml.SafeLoader):
    """Rejects duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r:.60} is given twice", node.start_mark)
        return super().construct_mapping(node, deep)


def read_mapping(file: Path, error: type[Exception]) -> dict[Any, Any]:
    """Return the mapping in a YAML file that a person has written.

    Args:
        file: The file.
        error: Raised if the file cannot be read, is not YAML, or has no mapping; its message is one line.
    """
    try:
        content = yaml.load(file.read_text(encoding="utf-8"), _StrictLoader)
    except OSError as problem:
        raise error(f"{file}: cannot be read ({problem})") from None
    except (yaml.YAMLError, ValueError, RecursionError) as problem:  # PyYAML passes on errors of dates and depth
        raise error(f"{file}: not YAML ({' '.join(str(problem).split())})") from None
    if not isinstance(content, dict):
        raise error(wrong_type(f"{file}: the content", content, "a mapping of keys to values"))
    return content


def read_yaml(file: Path) -> Any:
    """Return the content of a YAML file of this project."""
    return yaml.load(file.read_text(encoding="utf-8"), _LOADER)


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return both mappings as one, and those in them likewise; of two other values that of `over` counts."""
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result
