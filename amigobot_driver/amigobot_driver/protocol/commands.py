# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The commands of a client (docs/protocol 2.2 and 4), one table row each, used by encoder and decoder.

`Command.VEL(200).encode()` is the frame for 200 mm/s forward; `decode(data)` returns the instruction. The Erratic has
some of these commands, and uses other numbers for commands of its own: `ERRATIC_COMMANDS` has both kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from .frame import Checksum, checksum, encode_frame
from .wire import signed

Value = int | bytes | None

#: Longest text argument that every firmware accepts (docs/protocol E-03).
MAX_TEXT = 195

_POSITIVE = 0x3B  # type byte of an argument from 0 on
_NEGATIVE = 0x1B  # type byte of an argument below 0, which is sent without its sign
_STRING = 0x2B  # type byte of a text


class Arg(Enum):
    """How a command carries its argument on the line."""

    NONE = auto()  #: nothing
    UINT = auto()  #: 0 ... 32767
    INT = auto()  #: -32768 ... 32767, sent as magnitude with the sign in the type byte
    WORD = auto()  #: two raw bytes as one word, 0 ... 65535
    TEXT = auto()  #: length-prefixed bytes


_RANGES = {Arg.UINT: (0, 0x7FFF), Arg.INT: (-0x8000, 0x7FFF), Arg.WORD: (0, 0xFFFF)}


class CommandTable(Enum):
    """A row: number, argument, firmware that supports it, meaning with unit, and the range if it is limited.

    Firmware: A AmigOS, S AmigoSH, P P2OS, R AROS/ARCOS, E Erratic, each with the first version if the manuals name
    one; "" if no manual lists the command.
    """

    def __init__(
        self, number: int, arg: Arg, firmware: str, summary: str, limits: tuple[int, int] | None = None
    ) -> None:
        self.number = number
        self.arg = arg
        self.firmware = {word[0]: word[1:] for word in firmware.split()}
        self.summary = summary
        self.limits = limits or _RANGES.get(arg)

    def __call__(self, value: Value = None) -> Instruction:
        """Return an instruction: this command with an argument.

        Raises:
            ValueError: The argument has the wrong type or is out of range.
        """
        if self.arg is Arg.NONE:
            if value is not None:
                raise ValueError(f"argument of {self.name} is {value!r:.80}, expected none")
        elif self.arg is Arg.TEXT:
            if not isinstance(value, bytes) or len(value) > MAX_TEXT:
                raise ValueError(f"argument of {self.name} is {value!r:.80}, expected up to {MAX_TEXT} bytes")
        elif self.limits is not None:
            low, high = self.limits
            if not isinstance(value, int) or not low <= value <= high:
                raise ValueError(f"argument of {self.name} is {value!r:.80}, expected an integer from {low} to {high}")
        return Instruction(self, value)


class Command(CommandTable):
    """All commands of the ActivMedia robots, docs/protocol 4.1."""

    PULSE = 0, Arg.NONE, "A1.0 S P1.0 R1.0 E", "reset the watchdog; SYNC0 outside a session"
    OPEN = 1, Arg.NONE, "A1.0 S P1.0 R1.0 E", "start the servers and the stream of SIPs; SYNC1"
    CLOSE = 2, Arg.NONE, "A1.0 S P1.0 R1.0 E", "end the session, motors and sonar off; SYNC2"
    POLLING = 3, Arg.TEXT, "A1.0 S P1.0 R1.0", "sonar firing sequence, sonar numbers from 1"
    ENABLE = 4, Arg.UINT, "A1.0 S P1.0 R1.0 E", "motors: 1 on, 0 off"
    SETA = 5, Arg.INT, "A1.0 S P1.0 R1.0 E", "translation acceleration (+) or deceleration (-), mm/s^2"
    SETV = 6, Arg.UINT, "A1.0 S P1.0 R1.0 E", "maximum translation velocity, mm/s"
    SETO = 7, Arg.NONE, "A1.0 S P1.0 R1.0 E", "odometry to (0, 0, 0)"
    MOVE = 8, Arg.INT, "S P1.0 R1.0 E", "drive a distance, mm"
    ROTATE = 9, Arg.INT, "S P1.0 R1.0", "rotate, deg/s; older twin of RVEL"
    SETRV = 10, Arg.UINT, "A1.0 S P1.0 R1.0 E", "maximum rotation velocity, deg/s"
    VEL = 11, Arg.INT, "A1.0 S P1.0 R1.0 E", "translate, mm/s, + forward"
    HEAD = 12, Arg.INT, "A1.0 S P1.0 R1.0 E", "turn to an absolute heading, deg, + counter-clockwise"
    DHEAD = 13, Arg.INT, "A1.0 S P1.0 R1.0 E", "turn relative to the current heading, deg"
    SAY = 15, Arg.TEXT, "S P1.0 R1.0", "tones: up to 20 pairs of duration (20 ms) and half-cycle"
    JOYREQUEST = 17, Arg.UINT, "R", "joystick packets: 0 none, 1 one, 2 stream"
    CONFIG = 18, Arg.NONE, "A1.0 S P1.4 R1.0 E", "request one CONFIGpac"
    ENCODER = 19, Arg.UINT, "A1.0 S P1.4 R1.0 E", "ENCODERpacs: 0 none, 1 one, 2 stream"
    SETRVDIR = 20, Arg.INT, "", "maximum rotation velocity for one direction, deg/s"
    RVEL = 21, Arg.INT, "A1.0 S P1.0 R1.0 E", "rotate, deg/s, + counter-clockwise"
    DCHEAD = 22, Arg.INT, "A1.0 S P1.0 R1.0 E", "turn relative to the last heading set-point, deg"
    SETRA = 23, Arg.INT, "A1.0 S P1.0 R1.0 E", "rotation acceleration (+) or deceleration (-), deg/s^2"
    SONAR = 28, Arg.UINT, "A1.0 S P1.0 R1.0 E", "sonar: 1 on, 0 off; AROS: bits 1-3 choose an array"
    STOP = 29, Arg.NONE, "A1.0 S P1.0 R1.0 E", "stop with normal deceleration, motors stay on"
    DIGOUT = 30, Arg.WORD, "A S P1.2 R1.0", "digital outputs: mask in the high byte, states in the low"
    VEL2 = 32, Arg.WORD, "A1.0 S P1.0 R1.0 E", "wheel velocities, signed bytes of 20 mm/s: high left, low right"
    GRIPPER = 33, Arg.UINT, "P1.3 R1.0", "gripper: 1 open, 2 close, 3 stop, 4 up, 5 down, 7 store, 8 deploy, 15 halt"
    ADSEL = 35, Arg.UINT, "A1.0 S P1.2 R1.0", "analog port reported in the SIP, from 1"
    GRIPPERVAL = 36, Arg.UINT, "P1.3", "how long the gripper presses or carries, 20 ms"
    GRIPREQUEST = 37, Arg.UINT, "R", "gripper packets: 0 none, 1 one, 2 stream"
    IOREQUEST = 40, Arg.UINT, "A1.2 S P1.E R1.2", "IOpacs: 0 none, 1 one, 2 stream"
    PTUPOS = 41, Arg.WORD, "P1.2", "servo: port 1-4 in the high byte, pulse width in the low"
    TTY2 = 42, Arg.TEXT, "A1.0 S P1.0 R1.0", "write to AUX1"
    GETAUX = 43, Arg.UINT, "A1.0 S P1.4 R1.0", "read n bytes from AUX1; 0 flushes", (0, MAX_TEXT)
    BUMPSTALL = 44, Arg.UINT, "S P1.5 R1.0", "bumpers stall: 0 none, 1 front, 2 rear, 3 both", (0, 3)
    TCM2 = 45, Arg.UINT, "P1.6 R1.0", "compass: 0 off, 1 in the SIP, 2 one packet, 3 stream, 4-7 calibrate"
    JOYDRIVE = 47, Arg.UINT, "P1.G R1.0", "1 lets a hardware joystick drive while connected"
    SONARCYCLE = 48, Arg.UINT, "S R1.8", "ms per ping", (2, 120)
    HOSTBAUD = 50, Arg.UINT, "S R1.0", "speed of the client port, code 0-4", (0, 4)
    AUX1BAUD = 51, Arg.UINT, "S R1.0", "speed of AUX1, code 0-4", (0, 4)
    AUX2BAUD = 52, Arg.UINT, "S R1.0", "speed of AUX2, code 0-4", (0, 4)
    AUX3BAUD = 53, Arg.UINT, "S R1.0", "speed of AUX3, code 0-4", (0, 4)
    E_STOP = 55, Arg.NONE, "A1.0 S P1.8 R1.0", "brake as hard as possible, hold until the next velocity"
    E_STALL = 56, Arg.UINT, "P1.E R1.0", "the stop button registers a stall"
    QSTOP = 57, Arg.NONE, "R", "quick stop"
    GYRO = 58, Arg.UINT, "S R1.8", "GYROpacs: 1 stream, 0 none"
    LCDWRITE = 59, Arg.TEXT, "R", "write to the LCD"
    TTY4 = 60, Arg.TEXT, "S R", "write to AUX3"
    GETAUX3 = 61, Arg.UINT, "S R", "read n bytes from AUX3; 0 flushes", (0, MAX_TEXT)
    BATTERYINFO = 62, Arg.UINT, "R", "battery packets"
    STEP = 64, Arg.NONE, "A1.0 P1.0 R1.0", "single step of the old simulator"
    TTY3 = 66, Arg.TEXT, "A1.3 S P1.4 R1.0", "write to AUX2"
    GETAUX2 = 67, Arg.UINT, "A1.3 S R1.1", "read n bytes from AUX2; 0 flushes", (0, MAX_TEXT)
    CHARGE = 68, Arg.UINT, "R1.7", "docking charger: 1 deploy, 0 retract"
    ARM_INFO = 70, Arg.NONE, "P R1.3", "request the arm's information packet"
    ARM_STATUS = 71, Arg.UINT, "P R1.3", "arm status packets: 0 none, 1 one, 2 stream"
    ARM_INIT = 72, Arg.NONE, "P R1.3", "initialize the arm"
    ARM_CHECK = 73, Arg.NONE, "P R1.3", "ask whether the arm is there"
    ARM_POWER = 74, Arg.UINT, "P R1.3", "arm servo power: 1 on, 0 off"
    ARM_HOME = 75, Arg.UINT, "P R1.3", "a joint to its home position, 255 all"
    ARM_PARK = 76, Arg.NONE, "P R1.3", "park the arm"
    ARM_POS = 77, Arg.WORD, "P R1.3", "joint position: position in the high byte, joint in the low"
    ARM_SPEED = 78, Arg.WORD, "P R1.3", "joint speed: speed in the high byte, joint in the low"
    ARM_STOP = 79, Arg.UINT, "P R1.3", "stop a joint"
    ARM_AUTOPARK = 80, Arg.UINT, "P R1.3", "seconds until the arm parks itself"
    ARM_GRIPPARK = 81, Arg.UINT, "P R1.3", "seconds until the arm's gripper parks itself"
    ROTKP = 82, Arg.UINT, "A1.3 S P1.M R1.1", "rotation PID, Kp"
    ROTKV = 83, Arg.UINT, "A1.3 S P1.M R1.1", "rotation PID, Kv"
    ROTKI = 84, Arg.UINT, "A1.3 S P1.M R1.1", "rotation PID, Ki"
    TRANSKP = 85, Arg.UINT, "A1.3 S P1.M R1.1", "translation PID, Kp"
    TRANSKV = 86, Arg.UINT, "A1.3 S P1.M R1.1", "translation PID, Kv"
    TRANSKI = 87, Arg.UINT, "A1.3 S P1.M R1.1", "translation PID, Ki"
    REVCOUNT = 88, Arg.UINT, "A1.3 S P1.M R1.1", "differential encoder count of a turn"
    DRIFTFACTOR = 89, Arg.INT, "S R1.0", "added to the left encoder, 1/8192"
    SOUND = 90, Arg.UINT, "A1.0 R1.0", "play a stored sound", (1, 255)
    PLAYLIST = 91, Arg.UINT, "A1.0 P1.E R1.0", "request a PLAYLISTpac; 0: all of them", (0, 255)
    SOUNDTOG = 92, Arg.UINT, "A1.0 S R1.0", "sounds: 0 mute, 1 on"
    TICKSMM = 93, Arg.UINT, "S R1.1", "encoder ticks per mm"
    BATTEST = 250, Arg.UINT, "S R", "pretend a battery voltage, 0.1 V; 0 the real one"
    BATTEMPTEST = 251, Arg.INT, "R", "pretend a battery temperature"
    TEMPTEST = 252, Arg.INT, "R", "pretend a controller temperature"
    RESET = 253, Arg.NONE, "S R", "reboot the controller"
    MAINTENANCE = 255, Arg.NONE, "S R", "enter the firmware loader: ends everything else"


class ErraticCommand(CommandTable):
    """The commands that only the Erratic has; their numbers collide with those of `Command` (docs/protocol 4.2)."""

    ANALOG = 71, Arg.UINT, "E", "analog packets: 1 stream, 0 none"
    SAVE = 72, Arg.NONE, "E", "write the tuning values to FLASH"
    PWM_FREQ = 73, Arg.UINT, "E", "motor PWM frequency, Hz", (4000, 16000)
    PWM_DUTY = 74, Arg.UINT, "E", "maximum duty: percent in the manual, per mille in Player (E-46)", (1, 1000)
    SERVO = 75, Arg.TEXT, "E", "servo 0-2 and its 16-bit position"
    TRANS_P = 80, Arg.UINT, "E", "translation PID"
    TRANS_D = 81, Arg.UINT, "E", "translation PID"
    TRANS_I = 82, Arg.UINT, "E", "translation PID"
    ROT_P = 83, Arg.UINT, "E", "rotation PID"
    ROT_D = 84, Arg.UINT, "E", "rotation PID"
    ROT_I = 85, Arg.UINT, "E", "rotation PID"
    NAME = 90, Arg.TEXT, "E", "the robot's name"
    SERIAL = 91, Arg.TEXT, "E", "the robot's serial number, 9 characters"
    TYPE = 92, Arg.TEXT, "E", "the robot's class"
    SUBTYPE = 93, Arg.TEXT, "E", "the robot's subclass"


@dataclass(frozen=True, slots=True)
class Instruction:
    """A command with its argument. Call a row of a table to create one; that checks the argument.

    A command that no table has is given by its number, to experiment with unusual firmware.
    """

    command: CommandTable | int  #: row of a table, or a number
    value: Value = None  #: argument, in the unit of the row

    @property
    def number(self) -> int:
        """Number of the command."""
        return self.command if isinstance(self.command, int) else self.command.number

    @property
    def name(self) -> str:
        """Name of the command, for messages."""
        return f"command {self.command}" if isinstance(self.command, int) else self.command.name

    def encode(self, check: Checksum = checksum) -> bytes:
        """Return the complete frame.

        Raises:
            ValueError, OverflowError: Number or argument does not fit a frame. The rows of a table check that before.
        """
        start, value = self.number.to_bytes(1, "little"), self.value
        if isinstance(value, bytes):
            return encode_frame(start + bytes((_STRING, len(value))) + value, check=check)
        if value is None:
            return encode_frame(start, check=check)
        kind = _NEGATIVE if value < 0 else _POSITIVE
        return encode_frame(start + bytes((kind,)) + abs(value).to_bytes(2, "little"), check=check)

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}({self.value!r})"


#: The commands of one dialect, by their numbers.
CommandsByNumber = Mapping[int, CommandTable]

ACTIVMEDIA_COMMANDS: CommandsByNumber = {row.number: row for row in Command}
ERRATIC_COMMANDS: CommandsByNumber = {row.number: row for row in (*Command, *ErraticCommand) if "E" in row.firmware}


def decode(data: bytes, commands: CommandsByNumber = ACTIVMEDIA_COMMANDS) -> Instruction | None:
    """Decode the data of a frame as the firmware of a robot does.

    Clients differ in how they send arguments (docs/protocol 2.2): surplus bytes are ignored, a missing argument is
    None, and both forms of a word with its high bit set are accepted. The value is not checked. Never raises.

    Returns:
        The instruction; None for an unknown number.
    """
    command = commands.get(data[0]) if data else None
    if command is None:
        return None
    return Instruction(command, _argument(command.arg, data))


def _argument(arg: Arg, data: bytes) -> Value:
    if arg is Arg.NONE:
        return None
    if arg is Arg.TEXT:
        return data[3 : 3 + data[2]] if len(data) > 2 else None
    if len(data) < 4:
        return None
    word = int.from_bytes(data[2:4], "little")
    if data[1] == _NEGATIVE:
        word = -word
    if arg is Arg.INT:
        # The firmware uses 16-bit integers, so two's complement from a client works too.
        return signed(word, 16)
    return word % 0x10000
