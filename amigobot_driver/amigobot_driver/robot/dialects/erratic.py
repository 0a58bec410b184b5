# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The Videre ERA / Erratic (docs/protocol 3.8, 4.2, 5.11 to 5.15; Erratic manual app. E).

It streams from power-up, has no handshake, and gives other numbers to some commands of the ActivMedia robots. Where its
manual and the deployed Player driver contradict each other, the profile decides (`Quirks`; docs/protocol E-40 to E-52).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...connection_policy import ANSWER_TIMEOUT, ERRATIC_SIP_TIMEOUT, GREETINGS
from ...profiles import Profile, Quirks
from ...protocol import (
    ERRATIC_COMMANDS,
    ERRATIC_PACKETS,
    Analog,
    Command,
    CommandTable,
    DebugText,
    Encoders,
    ErraticCommand,
    ErraticConfig,
    ErraticEncoders,
    Instruction,
    Io,
    Motor,
    Packet,
    ShortMotor,
    Sip,
    SipSonarReading,
    Sonar,
    SyncReply,
    Value,
    checksum,
    checksum_with_count,
    signed,
)
from .dialect import Dialect, HandshakeLine, Script

#: The Erratic's commands for those of ActivMedia. It has no hard brake: E_STOP stops with the normal deceleration.
_COUNTERPARTS: Mapping[CommandTable, CommandTable] = {
    Command.E_STOP: Command.STOP,
    Command.IOREQUEST: ErraticCommand.ANALOG,
    Command.TRANSKP: ErraticCommand.TRANS_P,
    Command.TRANSKV: ErraticCommand.TRANS_D,
    Command.TRANSKI: ErraticCommand.TRANS_I,
    Command.ROTKP: ErraticCommand.ROT_P,
    Command.ROTKV: ErraticCommand.ROT_D,
    Command.ROTKI: ErraticCommand.ROT_I,
}

#: Motor packets (20 a second) without one from the sonars after which these are off.
_SONAR_OFF_PACKETS = 10
_TURN = 4096  # units of a turn, of the ActivMedia robots
_DEGREES = 360  # units of a turn, of an Erratic


@dataclass(frozen=True, slots=True, kw_only=True)
class MotorSip(Sip):
    """A motor packet as a SIP. It does not report the motors; the flag is what the driver has commanded.

    Source: docs/protocol 5.11.
    """

    MOVING: ClassVar[int] = 0x83  #: id of the packet while a wheel turns
    UNREPORTED: ClassVar[int] = Sip.MOTORS


class ErraticDialect(Dialect):
    """CONFIG until it answers, then OPEN."""

    firmware = "E"
    fallback = "erratic"
    packets = ERRATIC_PACKETS
    commands = ERRATIC_COMMANDS
    streams_before_open = True
    sip_timeout = ERRATIC_SIP_TIMEOUT

    def __init__(self) -> None:
        super().__init__()
        self._quirks = Quirks()
        self._motors = False  #: as last commanded
        self._readings: list[SipSonarReading] = []  #: since the last motor packet
        self._packets_without_sonar = _SONAR_OFF_PACKETS  #: motor packets since the sonars' last one
        self._left = self._right = 0  #: ticks, in 32 bits

    def streams(self, packet: Packet) -> bool:
        """Return whether this is a motor packet."""
        return 0x80 <= packet.id <= 0x83

    def handshake(self, line: HandshakeLine, *, streaming: bool) -> Script[SyncReply | None]:
        """Send STOP, then CONFIG until it is answered."""
        # The robot may be driving, and the first command revives the velocity that its watchdog has stopped.
        line.send(Command.STOP())
        for _ in range(GREETINGS):
            line.send(Command.CONFIG())
            answer = yield from line.wait(ANSWER_TIMEOUT, lambda packet: isinstance(packet, ErraticConfig))
            if isinstance(answer, ErraticConfig):
                return SyncReply(name=answer.name, robot_class=answer.type, subclass=answer.subtype)
        return SyncReply(name="", robot_class="", subclass="") if streaming else None

    def supports(self, command: CommandTable, firmware: str) -> bool:
        """Return whether the Erratic has this command or an equivalent."""
        return "E" in command.firmware or command in _COUNTERPARTS

    def set_profile(self, profile: Profile) -> None:
        """Use the profile's choices where the sources contradict each other."""
        self._quirks = profile.quirks
        self.check = checksum_with_count if self._quirks.checksum_over_count else checksum

    # -- from the robot ---------------------------------------------------------------------------------------

    def on_packet(self, packet: Packet) -> Packet:
        """Translate motor, encoder, analog and sonar packets into those of the ActivMedia robots."""
        if isinstance(packet, Motor | ShortMotor):
            return self._sip(packet)
        if isinstance(packet, ErraticEncoders):
            self._left = _unwrapped(packet.left, self._left)
            self._right = _unwrapped(packet.right, self._right)
            return Encoders(left=signed(self._left, 32), right=signed(self._right, 32))
        if isinstance(packet, Analog):
            digital = packet.digital.to_bytes(2, "little")
            return Io(digital_in=tuple(digital), digital_out=(), analog=packet.analog)
        if isinstance(packet, Sonar):
            self._readings += packet.readings
            self._packets_without_sonar = 0
        elif isinstance(packet, DebugText):
            self.remarks.append(f"message of the robot: {packet.text.decode('ascii', 'replace').strip()!r}")
        return packet

    def _sip(self, motor: Motor | ShortMotor) -> MotorSip:
        """Translate positions of 24 bits into 15 bits, and add the sonar readings since the last motor packet."""
        readings, self._readings = tuple(self._readings), []
        self._packets_without_sonar += 1
        control = motor.heading_target if isinstance(motor, Motor) else motor.control or 0
        return MotorSip(
            id=motor.id,
            x=motor.x & 0x7FFF,
            y=motor.y & 0x7FFF,
            heading=self._counts(motor.heading),
            left_velocity=motor.left_velocity,
            right_velocity=motor.right_velocity,
            battery=motor.battery,
            left_stall_bumpers=int(motor.left_stalled),
            right_stall_bumpers=int(motor.right_stalled),
            control=self._counts(control),
            flags=Sip.MOTORS * self._motors | Sip.SONAR * (self._packets_without_sonar <= _SONAR_OFF_PACKETS),
            compass=0,
            sonar=readings,
        )

    def _counts(self, heading: int) -> int:
        """Return a heading in 4096 units per turn, -2048 to 2047."""
        counts = round(heading * _TURN / _DEGREES) if self._quirks.heading_in_degrees else heading
        return (counts + _TURN // 2) % _TURN - _TURN // 2

    def servo(self, number: int, counts: int) -> Instruction:
        """Return the command SERVO."""
        if not 0 <= counts <= 0xFFFF:
            raise ValueError(f"position is {counts} counts, allowed: 0 to 65535 counts")
        return ErraticCommand.SERVO(bytes((number,)) + counts.to_bytes(2, "little"))

    # -- to the robot -----------------------------------------------------------------------------------------

    def command(self, instruction: Instruction) -> Instruction | None:
        """Translate an ActivMedia command into that of the Erratic."""
        if isinstance(instruction.command, int):
            return instruction
        own = instruction.command if "E" in instruction.command.firmware else None
        command = own or _COUNTERPARTS.get(instruction.command)
        if command is None:
            return None
        if command is Command.ENABLE:
            self._motors = bool(instruction.value)
        elif command in (Command.OPEN, Command.CLOSE):
            self._motors = False
        return Instruction(command, self._argument(command, instruction.value))

    def _argument(self, command: CommandTable, value: Value) -> Value:
        if not isinstance(value, int):
            return value
        if command in (Command.ENCODER, ErraticCommand.ANALOG):
            return min(value, 1)  # there are no single packets
        if command is Command.VEL2 and self._quirks.left_wheel_first:
            return (value & 0xFF) << 8 | value >> 8
        if command is ErraticCommand.PWM_DUTY and self._quirks.duty_per_mille:
            return value * 10
        return value


def _unwrapped(new: int, old: int) -> int:
    """Extend a counter of 24 bits."""
    return old + signed(new - old, 24)
