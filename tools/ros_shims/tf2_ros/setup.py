# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

from setuptools import setup

setup(
    name="tf2_ros",
    version="0.1.0",
    packages=["tf2_ros"],
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/tf2_ros"]),
        ("share/tf2_ros", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    zip_safe=True,
)
