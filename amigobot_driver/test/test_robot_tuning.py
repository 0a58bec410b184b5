"""Working parameters: set, read back from CONFIGpac, sent again, re-applied; and the sonars' firing order."""

from __future__ import annotations

import pytest
from bench import Bench, lost

from amigobot_driver.protocol import Config, Sip
from amigobot_driver.robot import TUNABLE, Options, Outcome


@pytest.fixture(params=["amigo", "amigo-sh"])
def bench(request) -> Bench:
    bench = Bench(Options(), request.param)
    bench.connect()
    return bench


def want(bench: Bench, **values: int) -> Outcome:
    future = bench.ask(lambda: bench.robot.tuning.want(values, bench.now))
    bench.until(future.done)
    return future.result()


@pytest.mark.parametrize("name", [name for name in TUNABLE if name not in ("drift_factor", "ticks_mm", "sonar_cycle")])
def test_every_value_is_set_and_read_back(bench, name):
    value = getattr(bench.robot.tuning.config, name) + 7
    assert want(bench, **{name: value}) == Outcome(True, "confirmed by the robot")
    assert getattr(bench.robot.tuning.config, name) == value


@pytest.mark.parametrize(("name", "value"), [("drift_factor", -5), ("ticks_mm", 31), ("sonar_cycle", 60)])
def test_what_only_amigosh_has(name, value):
    sh, old = Bench(Options(), "amigo-sh"), Bench(Options(), "amigo")
    sh.connect()
    old.connect()
    assert want(sh, **{name: value}).success
    outcome = want(old, **{name: value})
    assert not outcome.success
    assert outcome.message == f"this robot's firmware has no {name}"


def test_what_the_firmware_lacks_does_not_hold_up_the_rest():
    bench = Bench(Options(), "amigo")
    bench.connect()
    assert not want(bench, ticks_mm=31, rot_kp=41).success
    bench.run(2.0)
    assert bench.robot.tuning.config.rot_kp == 41


def test_lost_frames_are_sent_again(bench):
    arrived = iter([lost] * 3)
    bench.up.fault = lambda frame: next(arrived, lambda whole: whole)(frame)
    assert want(bench, rot_kp=33, trans_acc=250).success


def test_a_robot_that_will_not_is_quoted(bench):
    def deaf(frame: bytes) -> bytes:
        return b"" if frame[3] == 82 else frame

    bench.up.fault = deaf
    outcome = want(bench, rot_kp=33)
    assert outcome == Outcome(False, "after 6 tries the robot reports rot_kp 30 instead of 33")
    assert "rot_kp" not in bench.robot.tuning.wanted


def test_a_robot_that_does_not_answer_is_said_so(bench):
    bench.down.fault = lambda frame: b"" if frame[3] == 0x20 else frame
    bench.unplug()
    bench.connect()
    bench.run(4.0)
    assert bench.robot.running
    assert bench.robot.tuning.config is None


def test_everything_is_applied_again_after_a_reconnect(bench):
    assert want(bench, rot_kp=33).success
    bench.unplug()
    bench.switch_on()
    bench.connect()
    bench.run(2.0)
    assert bench.robot.tuning.config.rot_kp == 33


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"rot_kp": 40000}, "ROTKP takes an integer from 0 to 32767, got 40000"),
        ({"rot_kp": -1}, "ROTKP takes an integer from 0 to 32767, got -1"),
        ({"low_battery": 100}, "low_battery cannot be set, these can: trans_vel_max"),
        ({"sonar_cycle": 500}, "SONARCYCLE takes an integer from 2 to 120, got 500"),
    ],
)
def test_nonsense_is_refused_before_anything_is_sent(bench, values, complaint):
    start = bench.now
    with pytest.raises(ValueError, match=complaint):
        bench.robot.tuning.want(values, bench.now)
    bench.run(0.2)
    assert not any(word.startswith(("ROTKP", "CONFIG", "SONARCYCLE")) for word in bench.words(start + 1e-6))


def test_options_are_applied_on_connecting():
    bench = Bench(Options(tuning={"trans_acc": 123, "rot_kv": 66}))
    bench.connect()
    bench.run(1.0)
    config = bench.robot.tuning.config
    assert (config.trans_acc, config.rot_kv) == (123, 66)


def test_nothing_is_sent_while_all_is_as_wanted(bench):
    bench.run(1.0)
    start = bench.now
    bench.run(60.0)
    assert set(bench.words(start)) == {"PULSE"}
    assert not [packet for _, packet in bench.heard(start) if isinstance(packet, Config)]


class TestSonarSequence:
    def fired(self, bench: Bench, seconds: float = 1.0) -> set[int]:
        start = bench.now
        bench.run(seconds)
        sips = (packet for _, packet in bench.heard(start) if isinstance(packet, Sip))
        return {reading.number for sip in sips for reading in sip.sonar}

    def poll(self, bench: Bench, *sonars: int) -> Outcome:
        future = bench.ask(lambda: bench.robot.poll_sonars(sonars, bench.now))
        bench.until(future.done)
        return future.result()

    def test_only_those_fire(self, bench):
        assert self.poll(bench, 2, 3) == Outcome(True, "sonars 2, 3 fire")
        assert self.fired(bench) == {2, 3}

    def test_none_named_is_all(self, bench):
        self.poll(bench, 2)
        assert self.poll(bench).success
        assert self.fired(bench) == set(range(8))

    def test_a_lost_frame_is_sent_again(self, bench):
        arrived = iter([lost])
        bench.up.fault = lambda frame: next(arrived, lambda whole: whole)(frame) if frame[3] == 3 else frame
        assert self.poll(bench, 0, 5).success

    def test_sonars_that_are_switched_off_are_said_so(self, bench):
        bench.ask(lambda: bench.robot.enable_sonar(False, bench.now))
        bench.run(1.0)
        outcome = self.poll(bench, 0, 5)
        assert not outcome.success
        assert "are they switched on?" in outcome.message

    @pytest.mark.parametrize(
        ("sonars", "complaint"),
        [((8,), "0 to 7"), ((-1,), "0 to 7"), ((1,) * 17, "up to 16 entries for each array of 8, not 17")],
    )
    def test_sonars_that_are_not_there_are_refused(self, bench, sonars, complaint):
        with pytest.raises(ValueError, match=complaint):
            bench.robot.poll_sonars(sonars, bench.now)

    def test_it_is_asked_for_on_connecting(self):
        bench = Bench(Options(sonar_sequence=(4, 5)))
        bench.connect()
        bench.run(1.0)
        assert self.fired(bench) == {4, 5}
