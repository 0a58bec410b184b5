"""Write config/amigobot.yaml, the default parameters of the node, from the table in the code.

./run python -m tools.parameter_file
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from amigobot_driver.ros.parameters import TABLE, Spec

FILE = Path(__file__).resolve().parents[1] / "amigobot_driver" / "config" / "amigobot.yaml"
HEAD = """\
# The default parameters of the node, written by tools/parameter_file.py. Copy this file, change the copy, and pass it
# to the launch file as params_file:=... The copy may contain the changed values only.
# /** matches every node in every namespace; a name such as /alpha/amigobot matches one node.
/**:
  ros__parameters:
"""
#: Its default depends on the ROS distribution.
BY_DISTRO = "enable_stamped_cmd_vel"


def text() -> str:
    return HEAD + "\n".join(f"    {line}".rstrip() for spec in TABLE for line in entry(spec)) + "\n"


def entry(spec: Spec) -> Iterator[str]:
    unit = f" [{spec.unit}]" if spec.unit else ""
    yield f"# {spec.description}" + (f"; {spec.range_text()}" if spec.allowed else unit)
    if spec.name == BY_DISTRO:
        yield f"# {spec.name}: true    # Kilted and later; false on Jazzy and earlier"
    else:
        yield yaml.safe_dump({spec.name: spec.default}).strip()


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
