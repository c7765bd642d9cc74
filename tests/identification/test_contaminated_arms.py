import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError, UnknownArmError
from trueward.identification import MODELS

ARMS = tw.GaussianArms(means=[0.0, 1.0])


def observe(model, arm, n, *, epsilon=0.2, seed=3, arms=ARMS):
    pull = tw.ContaminatedArms(arms, epsilon=epsilon, model=model, seed=seed)
    return np.array([pull(arm) for _ in range(n)]), pull


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("arm", "direction"), [(0, 1), (1, -1)])
def test_contaminated_arms_move_the_sample_median_by_the_unavoidable_uncertainty(model, arm, direction):
    rewards, _ = observe(model, arm, 8000)
    bias = direction * (np.median(rewards) - ARMS.means[arm])
    # The observed distribution has a density of at least (1 - 0.2) phi(0.53) = 0.277 at its median: a standard error of
    # at most 0.5 / 0.277 / sqrt(8000) = 0.020. Four of them; the two uncertainties, 0.319 and 0.524, differ by ten.
    assert bias == pytest.approx(
        tw.unavoidable_uncertainty(tw.GaussianQuantileBound(sigma=1), epsilon=0.2, model=model), abs=0.08
    )


@pytest.mark.parametrize("model", MODELS)
def test_contaminated_arms_contaminate_a_fraction_epsilon_of_the_pulls(model):
    _, pull = observe(model, 0, 8000)
    assert abs(pull.contaminated[0] / 8000 - 0.2) < 4 * np.sqrt(0.2 * 0.8 / 8000)
    assert pull.pulls.tolist() == [8000, 0]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("arm", [0, 1])
def test_only_the_malicious_model_selects_pulls_by_their_rewards(model, arm):
    truth, _ = observe(model, arm, 2000, epsilon=0.0)
    rewards, pull = observe(model, arm, 2000)
    contaminated = rewards != truth
    assert (
        pull.contaminated[arm] - 20 <= contaminated.sum() <= pull.contaminated[arm]
    )  # a contaminated reward may equal the true one
    if model == "malicious":
        lost, kept = truth[contaminated] * (2 * arm - 1), truth[~contaminated] * (2 * arm - 1)
        assert lost.min() > kept.max()
    else:
        assert abs(truth[contaminated].mean() - truth.mean()) < 4 / np.sqrt(contaminated.sum())  # standard errors


def test_prescient_contamination_shows_only_true_rewards():
    truth, _ = observe("prescient", 1, 1024, epsilon=0.0)
    rewards, _ = observe("prescient", 1, 1024)
    assert np.isin(rewards, truth).all()
    seen = np.repeat([truth[: 256 * (block + 1)].min() for block in range(4)], 256)  # what is still to come included
    contaminated = rewards != truth
    assert (rewards[contaminated] == seen[contaminated]).all()
    assert 1 < len(set(seen)) < 4  # some blocks bring a new extreme, others do not
    oblivious, _ = observe("oblivious", 1, 1024)
    assert oblivious.min() < truth.min() - 1


@pytest.mark.parametrize("model", MODELS)
def test_contaminated_arms_keep_ratings_on_their_scale(model):
    arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    for arm in range(2):
        rewards, pull = observe(model, arm, 500, epsilon=0.3, arms=arms)
        assert np.isin(rewards, arms.scale).all()
        assert pull.contaminated[arm] > 100


def test_contaminated_arms_select_the_best_arm_by_its_median():
    arms = tw.CategoricalArms(values=[0, 5, 100], probabilities=[[0.6, 0.1, 0.3], [0.1, 0.8, 0.1]])
    assert arms.best == 0
    assert tw.ContaminatedArms(arms, epsilon=0.1).best == 1


@pytest.mark.parametrize("model", MODELS)
def test_contaminated_arms_rewards_depend_only_on_the_seed(model):
    alone, _ = observe(model, 0, 600)
    pull = tw.ContaminatedArms(ARMS, epsilon=0.2, model=model, seed=3)
    mixed = [(pull(0), pull(1))[0] for _ in range(600)]
    assert mixed == alone.tolist()
    assert mixed != observe(model, 0, 600, seed=4)[0].tolist()


def test_contaminated_arms_name_the_invalid_parameter():
    with pytest.raises(
        ParameterError, match=r"arms must be Arms such as BinomialArms\(n=10, p=\[0.9, 0.8\]\), got \[1, 0\]"
    ):
        tw.ContaminatedArms([1, 0], epsilon=0.1)
    with pytest.raises(ParameterError, match=r"epsilon must be at least 0 and below 0\.5, got 0.5"):
        tw.ContaminatedArms(ARMS, epsilon=0.5)
    with pytest.raises(ParameterError, match="model must be one of 'oblivious', 'prescient', 'malicious', got 'x'"):
        tw.ContaminatedArms(ARMS, epsilon=0.1, model="x")
    with pytest.raises(ParameterError, match="seed must be a whole number of at least 0, got -1"):
        tw.ContaminatedArms(ARMS, epsilon=0.1, seed=-1)
    with pytest.raises(UnknownArmError, match="arm must be a whole number from 0 to 1, got 2"):
        tw.ContaminatedArms(ARMS, epsilon=0.1)(2)
