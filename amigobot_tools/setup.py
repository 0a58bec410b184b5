# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

from pathlib import Path

from setuptools import find_packages, setup

NAME = "amigobot_tools"
#: The repository; a package index resolves no relative link.
URL = "https://example.org/amigobot_driver"
FILES = f"{URL}/blob/main"

setup(
    name=NAME,
    version="0.1.0",
    description="Tools for the AmigoBot and its relatives: teleoperation, live view, dashboard in a browser",
    long_description=(Path(__file__).resolve().parent / "README.md").read_text("utf-8").replace("](../", f"]({FILES}/"),
    long_description_content_type="text/markdown",
    url=URL,
    project_urls={"Changelog": f"{FILES}/{NAME}/CHANGELOG.rst"},
    maintainer="amigobot_driver maintainers",
    maintainer_email="maintainers@example.org",
    license="Apache-2.0",
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={NAME: ["py.typed", "dashboard/static/*", "web/static/*", "*/*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ],
    install_requires=[
        *("setuptools", "amigobot_driver"),
        *("aiohttp>=3.8", "argcomplete>=1.8", "matplotlib>=3.5", "numpy>=1.21", "PyYAML>=5.4", "rich>=11"),
    ],
    extras_require={"test": ["pytest"]},  # otherwise `colcon test` runs unittest, which finds no tests
    python_requires=">=3.10",
    zip_safe=False,
    entry_points={
        "amigobot.subcommands": [
            "calibrate = amigobot_tools.calibrate",
            "dashboard = amigobot_tools.dashboard",
            "demo = amigobot_tools.demo",
            "monitor = amigobot_tools.monitor",
            "teleop = amigobot_tools.teleop",
            "verify = amigobot_tools.verify",
            "wander = amigobot_tools.wander",
        ],
    },
)
