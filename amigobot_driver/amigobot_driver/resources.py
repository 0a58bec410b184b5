"""Where the files that are shipped beside the code are: the source tree, or share/ of the installed package."""

from __future__ import annotations

from pathlib import Path

PACKAGE = "amigobot_driver"


def share(*parts: str) -> Path:
    """The path of a shipped file or folder, such as share("config", "robots").

    Found without ROS, from where this module lies. Raises FileNotFoundError when the installation is incomplete.
    """
    for folder in Path(__file__).resolve().parents:
        for root in (folder, folder / "share" / PACKAGE):
            if (root / "config" / "robots").is_dir():
                return root.joinpath(*parts)
    raise FileNotFoundError(f"the files of {PACKAGE} (config/robots) are not installed beside {__file__}")
