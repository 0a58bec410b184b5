# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The client-server protocol of the ActivMedia robots: bytes to typed values and back.

No I/O, no clock, no threads, no ROS. Two directions, one description of each packet and command:

    robot -> client   FrameDecoder.feed(bytes, now) -> Frame -> parse(frame.data) -> Packet
                      encode_frame(packet.encode()) -> bytes
    client -> robot   Command.VEL(200).encode() -> bytes
                      FrameDecoder.feed(bytes, now) -> Frame -> decode(frame.data) -> Instruction

`X as X` marks a name that other layers may import from here.
"""

from .commands import ACTIVMEDIA_COMMANDS as ACTIVMEDIA_COMMANDS
from .commands import ERRATIC_COMMANDS as ERRATIC_COMMANDS
from .commands import Arg as Arg
from .commands import Command as Command
from .commands import CommandsByNumber as CommandsByNumber
from .commands import CommandTable as CommandTable
from .commands import ErraticCommand as ErraticCommand
from .commands import Instruction as Instruction
from .commands import Value as Value
from .commands import decode as decode
from .config import AmigoShTail as AmigoShTail
from .config import ArcosTail as ArcosTail
from .config import Config as Config
from .decoder import Frame as Frame
from .decoder import FrameDecoder as FrameDecoder
from .erratic import ERRATIC_PACKETS as ERRATIC_PACKETS
from .erratic import Analog as Analog
from .erratic import DebugText as DebugText
from .erratic import ErraticConfig as ErraticConfig
from .erratic import ErraticEncoders as ErraticEncoders
from .erratic import Motor as Motor
from .erratic import ShortMotor as ShortMotor
from .erratic import Sonar as Sonar
from .frame import BITS_PER_BYTE as BITS_PER_BYTE
from .frame import FRAME_DATA as FRAME_DATA
from .frame import HEADER as HEADER
from .frame import MAX_SEND_COUNT as MAX_SEND_COUNT
from .frame import OVERHEAD as OVERHEAD
from .frame import Checksum as Checksum
from .frame import checksum as checksum
from .frame import checksum_with_count as checksum_with_count
from .frame import encode_frame as encode_frame
from .inspection import inspect_frame as inspect_frame
from .inspection import packets_of as packets_of
from .packet import BAUD_RATES as BAUD_RATES
from .packet import Malformed as Malformed
from .packet import Packet as Packet
from .packet import PacketTable as PacketTable
from .packet import TuningValues as TuningValues
from .packet import Unknown as Unknown
from .packets import ACTIVMEDIA_PACKETS as ACTIVMEDIA_PACKETS
from .packets import Aux as Aux
from .packets import Compass as Compass
from .packets import Encoders as Encoders
from .packets import Gripper as Gripper
from .packets import Gyro as Gyro
from .packets import GyroSample as GyroSample
from .packets import Io as Io
from .packets import Joystick as Joystick
from .packets import Playlist as Playlist
from .packets import Reset as Reset
from .packets import SyncEcho as SyncEcho
from .packets import SyncReply as SyncReply
from .packets import parse as parse
from .sip import Sip as Sip
from .sip import SipSonarReading as SipSonarReading
from .wire import signed as signed
