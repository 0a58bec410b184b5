# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The client-server protocol of the ActivMedia robots: bytes to typed values and back.

No I/O, no clock, no threads, no ROS. Two directions, one description of each packet and command:

    robot -> client   FrameDecoder.feed(bytes, now) -> Frame -> parse(frame.data) -> Packet
                      encode_frame(packet.encode()) -> bytes
    client -> robot   Command.VEL(200).encode() -> bytes
                      FrameDecoder.feed(bytes, now) -> Frame -> decode(frame.data) -> Instruction
"""

from .commands import Arg, Command, CommandTable, ErraticCommand, Instruction, Unlisted, Value, decode, find_command
from .config import AmigoShTail, ArcosTail, Config
from .decoder import DecoderStats, Frame, FrameDecoder
from .erratic import (
    ERRATIC_PACKETS,
    Analog,
    DebugText,
    ErraticConfig,
    ErraticEncoders,
    Motor,
    ShortMotor,
    Sonar,
)
from .frame import FRAME_DATA, HEADER, MAX_SEND_COUNT, OVERHEAD, Checksum, checksum, checksum_with_count, encode_frame
from .packet import Malformed, Packet, PacketTable, Parameters, Unknown
from .packets import (
    ACTIVMEDIA_PACKETS,
    Aux,
    Compass,
    Encoders,
    Gripper,
    Gyro,
    GyroSample,
    Io,
    Joystick,
    Playlist,
    Reset,
    SyncEcho,
    SyncReply,
    parse,
)
from .sip import Sip, SonarReading

#: Line speeds in the order of their codes in HOSTBAUD and CONFIGpac (docs/protocol.md E-16).
BAUD_RATES = (9600, 19200, 38400, 57600, 115200)

__all__ = [
    "ACTIVMEDIA_PACKETS",
    "BAUD_RATES",
    "ERRATIC_PACKETS",
    "FRAME_DATA",
    "HEADER",
    "MAX_SEND_COUNT",
    "OVERHEAD",
    "AmigoShTail",
    "Analog",
    "ArcosTail",
    "Arg",
    "Aux",
    "Checksum",
    "Command",
    "CommandTable",
    "Compass",
    "Config",
    "DebugText",
    "DecoderStats",
    "Encoders",
    "ErraticCommand",
    "ErraticConfig",
    "ErraticEncoders",
    "Frame",
    "FrameDecoder",
    "Gripper",
    "Gyro",
    "GyroSample",
    "Instruction",
    "Io",
    "Joystick",
    "Malformed",
    "Motor",
    "Packet",
    "PacketTable",
    "Parameters",
    "Playlist",
    "Reset",
    "ShortMotor",
    "Sip",
    "Sonar",
    "SonarReading",
    "SyncEcho",
    "SyncReply",
    "Unknown",
    "Unlisted",
    "Value",
    "checksum",
    "checksum_with_count",
    "decode",
    "encode_frame",
    "find_command",
    "parse",
]
