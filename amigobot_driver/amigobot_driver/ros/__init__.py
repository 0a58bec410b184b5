# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The ROS 2 side, the only package that imports rclpy: converts, publishes, and passes requests to the core."""

import contextlib
import sys

# Messages import the code generator rosidl_generator_py for one function of it, and that imports its parser of .idl
# files (lark, em, OpenSSL) if it can: 6.3 MB and 0.1 s of CPU for what no node does. `None` means "cannot be imported".
_PARSER = "rosidl_generator_py.generate_py_impl"
if _PARSER not in sys.modules:
    sys.modules[_PARSER] = None  # type: ignore[assignment]
    # A version that cannot do without is imported as a whole later.
    with contextlib.suppress(ImportError):
        import rosidl_generator_py  # noqa: F401
    del sys.modules[_PARSER]
