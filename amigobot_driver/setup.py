# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

import sys
from pathlib import Path

from setuptools import find_packages, setup

NAME = "amigobot_driver"
#: The repository; a package index resolves no relative link.
URL = "https://example.org/amigobot_driver"
FILES = f"{URL}/blob/main"
#: pip makes the command from its entry point. colcon puts entry points in lib/amigobot_driver, where `ros2 run` finds
#: them, and only a file in bin/ is on PATH.
COMMAND = [] if {"bdist_wheel", "editable_wheel"} & set(sys.argv) else [("bin", ["bin/amigobot"])]


def shared(*folders: str) -> list[tuple[str, list[str]]]:
    """Every file below these folders, to be installed in share/ at the same place."""
    files = [path for folder in folders for path in sorted(Path(folder).rglob("*")) if path.is_file()]
    return [(f"share/{NAME}/{path.parent}", [str(path)]) for path in files if path.suffix != ".pyc"]


setup(
    name=NAME,
    version="0.1.0",
    description="ROS 2 driver for the ActivMedia AmigoBot and its relatives",
    long_description=(Path(__file__).resolve().parent / "README.md").read_text("utf-8").replace("](../", f"]({FILES}/"),
    long_description_content_type="text/markdown",
    url=URL,
    project_urls={"Changelog": f"{FILES}/{NAME}/CHANGELOG.rst"},
    maintainer="amigobot_driver maintainers",
    maintainer_email="maintainers@example.org",
    license="Apache-2.0",
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *COMMAND,
        *shared("launch", "config", "systemd", "udev", "urdf", "rviz"),
    ],
    install_requires=["setuptools", "pyserial>=3.5", "PyYAML>=5.4"],
    extras_require={"test": ["pytest"]},  # otherwise `colcon test` runs unittest, which finds no tests
    python_requires=">=3.10",
    zip_safe=False,  # type checkers need py.typed as a file
    entry_points={
        "console_scripts": [
            "amigobot_node = amigobot_driver.ros.main:main",
            "amigobot = amigobot_driver.cli:main",
        ],
    },
)
