# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A gamepad drives only while its dead-man's button is held, and its loss stops the robot."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from fakes import FakeRemote

from amigobot_driver.cli import UsageError
from amigobot_tools import teleop
from amigobot_tools.gamepad import CLEAR, DEADMAN, STOP, Gamepad, GamepadLostError, gamepad
from amigobot_tools.hold import Hold
from amigobot_tools.teleop import TeleopPilot

REMOVED, DOWN = 1, 2


class Device(SimpleNamespace):
    """A gamepad with two axes."""

    def __init__(self, buttons: int = 10) -> None:
        self.axes, self.held = [0.0, 0.0], set[int]()
        super().__init__(
            get_name=lambda: "Test Pad",
            get_instance_id=lambda: 7,
            get_numaxes=lambda: 2,
            get_numbuttons=lambda: buttons,
            get_button=lambda number: number in self.held,
            get_axis=lambda number: self.axes[number],
        )


class Pygame(SimpleNamespace):
    """As much of pygame as is used."""

    def __init__(self, *devices: Device) -> None:
        self.events: list[SimpleNamespace] = []
        part = {"init": lambda: None, "quit": lambda: None}
        super().__init__(
            JOYDEVICEREMOVED=REMOVED,
            JOYBUTTONDOWN=DOWN,
            display=SimpleNamespace(**part),
            joystick=SimpleNamespace(**part, get_count=lambda: len(devices), Joystick=devices.__getitem__),
            event=SimpleNamespace(get=self._take, clear=self._take),
        )

    def _take(self) -> list[SimpleNamespace]:
        taken, self.events = self.events, []
        return taken


@pytest.fixture
def device() -> Device:
    return Device()


@pytest.fixture
def pygame(device: Device, monkeypatch: pytest.MonkeyPatch) -> Pygame:
    library = Pygame(device)
    monkeypatch.setitem(sys.modules, "pygame", library)
    return library


@pytest.fixture
def pad(pygame: Pygame) -> Iterator[Gamepad]:
    with gamepad() as pad:
        yield pad


@pytest.fixture
def remote() -> FakeRemote:
    return FakeRemote()


@pytest.fixture
def pilot(remote: FakeRemote) -> TeleopPilot:
    return TeleopPilot(remote, 0.2, 0.8, governor=False, hold=Hold())


def test_the_stick_drives_only_while_the_button_is_held(
    pad: Gamepad, device: Device, pilot: TeleopPilot, remote: FakeRemote
) -> None:
    device.axes = [0.0, -1.0]
    pilot.steer(*pad.read())
    pilot.update(1.0)
    assert remote.velocities == []
    device.held = {DEADMAN}
    pilot.steer(*pad.read())
    pilot.update(1.1)
    assert remote.velocities[-1] == pytest.approx((0.2, 0.0))
    device.axes = [-1.0, 0.0]
    pilot.steer(*pad.read())
    pilot.update(1.2)
    assert remote.velocities[-1] == pytest.approx((0.0, 0.8))
    device.held = set()
    pilot.steer(*pad.read())
    pilot.update(1.3)
    assert remote.velocities[-1] == (0.0, 0.0)


def test_buttons_latch_and_clear_the_emergency_stop(
    pad: Gamepad, pygame: Pygame, pilot: TeleopPilot, remote: FakeRemote
) -> None:
    for button in (STOP, CLEAR):
        pygame.events.append(SimpleNamespace(type=DOWN, instance_id=7, button=button))
        pilot.steer(*pad.read())
    assert remote.calls == ["emergency_stop", "clear_emergency_stop"]


def test_a_lost_gamepad_stops_robot_and_program(
    pad: Gamepad, pygame: Pygame, device: Device, pilot: TeleopPilot, remote: FakeRemote
) -> None:
    device.held, device.axes = {DEADMAN}, [0.0, -1.0]
    keys = SimpleNamespace(read=lambda timeout: [])

    def show(picture: object) -> None:
        assert remote.velocities[-1] == pytest.approx((0.2, 0.0))
        pygame.events.append(SimpleNamespace(type=REMOVED, instance_id=7))

    with pytest.raises(GamepadLostError, match="the gamepad Test Pad is disconnected"):
        teleop._loop(pilot, keys, pad, show)  # type: ignore[arg-type]
    assert remote.calls == ["stop"]


@pytest.mark.parametrize(
    ("library", "reason"),
    [(Pygame(), "no gamepad is connected"), (Pygame(Device(buttons=2)), "Test Pad has too few axes or buttons")],
)
def test_without_a_gamepad_the_reason_is_one_line(
    library: Pygame, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pygame", library)
    with pytest.raises(UsageError, match=reason), gamepad():
        pass
