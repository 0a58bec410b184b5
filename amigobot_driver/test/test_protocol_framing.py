# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Frames: the checksum, what may be sent, and how the decoder finds frames in a stream of anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amigobot_driver.protocol import FrameDecoder, checksum, encode_frame
from amigobot_driver.protocol.decoder import GAP_TIMEOUT

SYNC0 = bytes.fromhex("FAFB 03 00 0000")
STOP = bytes.fromhex("FAFB 03 1D 001D")
VEL200 = bytes.fromhex("FAFB 06 0B3BC800 D33B")
#: A frame whose checksum is wrong by one bit.
DAMAGED = bytes.fromhex("FAFB 06 0B3BC800 D33C")

#: s a byte takes at 9600 baud, 8N1
BYTE_TIME = 10 / 9600
#: The longest frame there is: count 255.
LONGEST = 258


def data_of(frame: bytes) -> bytes:
    return frame[3:-2]


def frame_of(data: bytes) -> bytes:
    """A frame of any legal length: receivers must take longer ones than `encode_frame` sends."""
    return b"\xfa\xfb" + bytes([len(data) + 2]) + data + checksum(data).to_bytes(2, "big")


def found(*chunks: bytes) -> list[bytes]:
    """The data of all frames in the chunks, when the link falls silent after them."""
    decoder = FrameDecoder()
    frames = [frame for chunk in chunks for frame in decoder.feed(chunk, now=0.0)]
    return [frame.data for frame in frames + decoder.feed(b"", now=1.0)]


def pending(decoder: FrameDecoder) -> int:
    """Bytes that wait for the rest of their frame; forgets them."""
    before = decoder.stats.skipped_bytes
    decoder.reset()
    return decoder.stats.skipped_bytes - before


@given(st.binary(min_size=1, max_size=253), st.data())
def test_the_checksum_shows_any_single_damaged_byte(data: bytes, draw: st.DataObject) -> None:
    at = draw.draw(st.integers(0, len(data) - 1))
    flip = draw.draw(st.integers(1, 255))
    damaged = bytearray(data)
    damaged[at] ^= flip
    assert checksum(bytes(damaged)) != checksum(data)


class TestEncodeFrame:
    @pytest.mark.parametrize("length", [1, 198])
    def test_lengths_that_every_receiver_takes(self, length: int) -> None:
        frame = encode_frame(bytes(length))
        assert len(frame) == length + 5
        assert frame[2] == length + 2

    @pytest.mark.parametrize("length", [0, 199, 253])
    def test_other_lengths_are_refused(self, length: int) -> None:
        with pytest.raises(ValueError, match=f"1 to 198 data bytes, not {length}"):
            encode_frame(bytes(length))


class TestResynchronization:
    """docs/protocol 1.4: only the checksum decides what a frame is, and a wrong header costs one byte."""

    @pytest.mark.parametrize("count", [3, 200, 201, 255])
    def test_every_legal_count_is_received(self, count: int) -> None:
        frame = frame_of(bytes(range(count - 2)))
        assert found(frame) == [data_of(frame)]

    def test_a_frame_ending_like_a_header_leaves_nothing_pending(self) -> None:
        decoder = FrameDecoder()
        assert [frame.data for frame in decoder.feed(frame_of(b"\x00\xfa"), now=0.0)] == [b"\x00\xfa"]
        assert (decoder.stats.skipped_bytes, pending(decoder)) == (0, 0)

    def test_errors_are_counted(self) -> None:
        decoder = FrameDecoder()
        decoder.feed(b"noise" + DAMAGED + VEL200 + STOP[:4], now=0.0)
        stats = decoder.stats
        assert (stats.frames, stats.checksum_errors) == (1, 1)
        assert (stats.bytes, stats.skipped_bytes) == (5 + 9 + 9 + 4, 5 + 9)
        assert pending(decoder) == 4


class TestGap:
    """A frame that stops arriving is given up after GAP_TIMEOUT, for any announced count."""

    def test_a_longer_pause_ends_the_frame(self) -> None:
        decoder = FrameDecoder()
        assert decoder.feed(STOP[:4], now=0.0) == []
        assert decoder.feed(STOP[4:], now=GAP_TIMEOUT + 0.01) == []
        assert decoder.stats.skipped_bytes == len(STOP)

    def test_reset_forgets_half_a_frame(self) -> None:
        decoder = FrameDecoder()
        decoder.feed(STOP[:4], now=0.0)
        decoder.reset()
        assert decoder.feed(STOP[4:] + VEL200, now=0.0)[0].data == data_of(VEL200)
        assert decoder.stats.skipped_bytes == len(STOP)


class TestStamp:
    """A frame's stamp is when its first byte was put on the wire: arrival less the bytes since then."""

    def stamps(self, *fed: tuple[bytes, float], byte_time: float = BYTE_TIME) -> list[float]:
        decoder = FrameDecoder(byte_time)
        return [frame.stamp for chunk, now in fed for frame in decoder.feed(chunk, now)]

    def test_the_stamp_of_a_frame_read_byte_by_byte(self) -> None:
        fed = [(VEL200[i : i + 1], 5.0 + (i + 1) * BYTE_TIME) for i in range(9)]
        assert self.stamps(*fed) == [pytest.approx(5.0)]

    def test_the_stamps_of_two_frames_in_one_read(self) -> None:
        """The first of them has been on the wire for longer."""
        assert self.stamps((VEL200 + STOP, 5.0)) == [
            pytest.approx(5.0 - 15 * BYTE_TIME),
            pytest.approx(5.0 - 6 * BYTE_TIME),
        ]

    def test_a_port_without_a_speed_stamps_the_arrival(self) -> None:
        assert self.stamps((VEL200 + STOP, 5.0), byte_time=0.0) == [5.0, 5.0]


# --- Properties


def searched(stream: bytes) -> list[bytes]:
    """What a stream that lies there complete holds, found the plain way."""
    frames, at = [], 0
    while at < len(stream):
        end = at + 3 + stream[at + 2] if at + 2 < len(stream) else at
        body = stream[at + 3 : end - 2]
        if body and end <= len(stream) and stream[at:end] == frame_of(body):
            frames.append(body)
            at = end
        else:
            at += 1
    return frames


FRAMES = st.binary(min_size=1, max_size=253).map(frame_of)
BEGINNINGS = [b"\xfa", b"\xfb", DAMAGED, *(b"\xfa\xfb" + count for count in (b"", b"\0", b"\2", b"\4", b"\xff"))]
#: Junk that looks like the beginning of something more often than chance would have it; a frame is no junk.
JUNK = (
    st.lists(st.binary(max_size=20) | st.sampled_from(BEGINNINGS)).map(b"".join).filter(lambda junk: not searched(junk))
)
STREAM = st.lists(FRAMES | JUNK, max_size=12).map(b"".join)


@st.composite
def chunked(draw: st.DrawFn, streams: st.SearchStrategy[bytes]) -> list[bytes]:
    """A stream, cut anywhere."""
    stream = draw(streams)
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    return [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


@given(chunked(STREAM))
def test_where_a_stream_is_cut_makes_no_difference(chunks: list[bytes]) -> None:
    assert found(*chunks) == searched(b"".join(chunks))


@given(chunked(STREAM | st.binary(max_size=600)), st.data())
def test_no_bytes_and_no_times_raise_or_pile_up(chunks: list[bytes], data: st.DataObject) -> None:
    decoder = FrameDecoder(byte_time=data.draw(st.sampled_from([0.0, BYTE_TIME])))
    now, fed, in_frames = 0.0, 0, 0
    for chunk in chunks:
        now += data.draw(st.sampled_from([0.0, 0.001, GAP_TIMEOUT, 2 * GAP_TIMEOUT]))
        frames = decoder.feed(chunk, now)
        fed += len(chunk)
        in_frames += sum(len(frame.data) + 5 for frame in frames)
        waiting = fed - in_frames - decoder.stats.skipped_bytes
        assert 0 <= waiting < LONGEST
        assert all(now - LONGEST - len(chunk) <= frame.stamp <= now for frame in frames)
    assert decoder.stats.bytes == fed
    assert pending(decoder) == waiting if chunks else True
    assert decoder.stats.bytes == in_frames + decoder.stats.skipped_bytes
