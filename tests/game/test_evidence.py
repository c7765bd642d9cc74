"""Evidence in games: it reaches the policy with the rating it belongs to, and changes nothing else."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import pytest

import trueward as tw
from evidence_weighted import EvidenceWeighted
from trueward.adversaries.profiles import PROFILES
from trueward.engine.kernel import Ints
from trueward.engine.protocol import choose, draw_evidence, plan_attack, update
from trueward.engine.states import Setting, kept, new, single
from trueward.game import match

ARMS = tw.BinomialArms(n=10, p=[0.9, 0.7])
SHORT = {"horizon": 80, "seed": 3, "keep_history": True, "compiled": False}


class NumberedAttack(NamedTuple):
    trial: Annotated[Ints, single(kept)]


@plan_attack.register(NumberedAttack)
def show_the_trial(state, truth, table, rng):
    state.trial[0] += 1
    table[:] = state.trial[0]


@draw_evidence.register(NumberedAttack)
def give_round_and_trial(state, evidence, rng):
    for t in range(evidence.shape[0]):
        evidence[t, 0], evidence[t, 1] = t + 1, state.trial[0]


@dataclass(frozen=True)
class Numbered(tw.Adversary):
    """Shows the number of the trial as every reward, and gives it as evidence, with the number of the round."""

    signals = ("round", "trial")

    def start(self, arms, horizon):
        return new(NumberedAttack, Setting(arms.n_arms))


class ComparingState(NamedTuple):
    wrong: Annotated[Ints, single(0)]


@choose.register(ComparingState)
def play_the_second_arm_after_a_mistake(state, ask, rng):
    return 1 if state.wrong[0] > 0 else 0


@update.register(ComparingState)
def compare(state, seen, rng):
    state.wrong[0] += seen.evidence.size != 2 or seen.evidence[0] != seen.t or seen.evidence[1] != seen.reward


@dataclass(frozen=True)
class Comparing(EvidenceWeighted):
    def state(self, setting):
        assert setting.signals == ("round", "trial")
        return new(ComparingState, setting)


@pytest.mark.parametrize("slice_bytes", [1, match.SLICE_BYTES])
def test_evidence_arrives_with_its_own_rating(slice_bytes, monkeypatch):
    monkeypatch.setattr(match, "SLICE_BYTES", slice_bytes)  # a trial at a time, or all together
    trace = tw.play(Comparing(), ARMS, Numbered(), trials=5, **SHORT)
    assert trace.observed[:, 0].tolist() == [1, 2, 3, 4, 5]
    assert (trace.arms == 0).all()


def test_evidence_does_not_change_games_of_a_policy_that_ignores_it():
    policies = {"ucb": tw.UCB(sigma=1.3), "exp3": tw.EXP3(range=(0, 10)), "share": tw.UniformShare(tw.UCB(sigma=1.3))}
    for profile in PROFILES:
        without, with_it = (
            tw.play(policies, ARMS, tw.CarelessParticipants(profile, evidence=evidence), trials=3, **SHORT)
            for evidence in (False, True)
        )
        for name in policies:
            assert without[name].arms.tobytes() == with_it[name].arms.tobytes()
            assert without[name].observed.tobytes() == with_it[name].observed.tobytes()


def test_games_without_evidence_have_unchanged_numbers():
    trace = tw.play(tw.Uniform(), ARMS, tw.CarelessParticipants("open web poll"), **SHORT)
    missing = float("nan")
    ratings = [9, 9, 10, 9, 8, 10, 10, 10, 10, 10, 9, 10, 9, missing, missing, 0, missing, 0, missing, 9]
    assert "".join(map(str, trace.arms[0, :40])) == "0011101001100101100000001110010000111001"
    np.testing.assert_array_equal(trace.observed[0, :20], ratings)


def test_evidence_does_not_depend_on_number_of_trials_or_other_policies():
    people = tw.CarelessParticipants("crowd workers", evidence=True)
    alone = tw.play(EvidenceWeighted(), ARMS, people, trials=2, **SHORT)
    among = tw.play({"mine": EvidenceWeighted(), "ucb": tw.UCB(sigma=1.3)}, ARMS, people, trials=4, **SHORT)["mine"]
    assert (alone.arms == among.arms[:2]).all()


def test_policy_with_signals_ignores_missing_evidence():
    people, unsigned = tw.CarelessParticipants("crowd workers"), EvidenceWeighted(())
    assert (
        tw.play(EvidenceWeighted(), ARMS, people, **SHORT).arms == tw.play(unsigned, ARMS, people, **SHORT).arms
    ).all()
    attack = tw.OracleAttack(budget=0.2)
    assert attack.signals == ()
    assert (
        tw.play(EvidenceWeighted(), ARMS, attack, **SHORT).arms == tw.play(unsigned, ARMS, attack, **SHORT).arms
    ).all()


def test_policy_with_signals_plays_equal_games_interpreted_and_compiled():
    people = tw.CarelessParticipants("open web poll", evidence=True)
    slow, fast = (
        tw.play(EvidenceWeighted(), ARMS, people, trials=70, **SHORT | {"compiled": c}) for c in (False, True)
    )
    assert slow.arms.tobytes() == fast.arms.tobytes()
    assert slow.observed.tobytes() == fast.observed.tobytes()
