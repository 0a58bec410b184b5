"""Write config/amigobot.yaml, the node's parameters at their defaults, from the table in the code.

./run python -m tools.parameter_file
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from amigobot_driver.ros.parameters import TABLE, Spec

FILE = Path(__file__).resolve().parents[1] / "amigobot_driver" / "config" / "amigobot.yaml"
HEAD = """\
# The node's parameters at their defaults, written by tools/parameter_file.py. Give a copy with your own values to the
# launch file as params_file:=...; it needs to hold only what differs.
# /** is any node in any namespace; a name such as /alpha/amigobot means that one alone.
/**:
  ros__parameters:
"""
#: Its default is no single value.
BY_DISTRO = "enable_stamped_cmd_vel"


def text() -> str:
    return HEAD + "\n".join(f"    {line}".rstrip() for spec in TABLE for line in entry(spec)) + "\n"


def entry(spec: Spec) -> Iterator[str]:
    unit = f" [{spec.unit}]" if spec.unit else ""
    yield f"# {spec.description}" + (f"; {spec.range_text()}" if spec.allowed else unit)
    if spec.name == BY_DISTRO:
        yield f"# {spec.name}: true    # from Kilted on; false up to Jazzy"
    else:
        yield yaml.safe_dump({spec.name: spec.default}).strip()


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
