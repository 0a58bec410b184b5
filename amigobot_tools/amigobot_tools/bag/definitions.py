# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Message definitions, as the packages on this machine give them."""

from __future__ import annotations

from pathlib import Path

from ament_index_python import PackageNotFoundError, get_package_share_directory
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore


class Definitions:
    """The definition and the hash of every type that has been asked for, and of all that those contain."""

    def __init__(self) -> None:
        self.store: Typestore = get_typestore(Stores.EMPTY)

    def need(self, kind: str) -> None:
        """Find a type such as "nav_msgs/msg/Odometry". Raises LookupError when its package is not installed."""
        wanted, found = {kind}, {}
        while wanted:
            name = wanted.pop()
            if name not in found and name not in self.store.fielddefs:
                types = get_types_from_msg(_source(name).read_text(encoding="utf-8"), name)
                found.update(types)
                wanted |= {inner for _, fields in types.values() for _, field in fields for inner in _names(field)}
        self.store.register(found)


def _source(kind: str) -> Path:
    package, _, name = kind.split("/")
    try:
        path = Path(get_package_share_directory(package)) / "msg" / f"{name}.msg"
    except PackageNotFoundError:
        raise LookupError(f"the package {package}, with the type {kind}, is not installed") from None
    if not path.is_file():
        raise LookupError(f"{path}: this definition is not installed")
    return path


def _names(field: object) -> set[str]:
    """The message types in a field's description, which nests: (SEQUENCE, ((NAME, "std_msgs/msg/Header"), 0))."""
    if isinstance(field, str):
        return {field} if "/" in field else set()
    return {name for part in field for name in _names(part)} if isinstance(field, tuple) else set()
