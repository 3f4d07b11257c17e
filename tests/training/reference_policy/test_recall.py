import numpy as np
import pytest

torch = pytest.importorskip("torch")

from training.reference_policy.architecture import FIRST_ORDINARY_ID, VOCABULARY, make_config, make_model  # noqa: E402
from training.reference_policy.recall import LEVELS, measure_recall, train_recall  # noqa: E402
from training.reference_policy.recall_sequences import QUERY, SEP, Level, draw_batch  # noqa: E402


@pytest.mark.parametrize("level", range(len(LEVELS)))
def test_every_target_stands_in_the_context_at_its_distance(level):
    for seed in range(5):
        batch = draw_batch(LEVELS[level], 4096, np.random.default_rng(seed))
        rows, columns = np.nonzero(batch.targets)
        assert len(rows) > 0
        assert (batch.ids[rows, columns] == batch.ids[rows, columns - batch.distances[rows, columns]]).all()
        ordinary = (batch.ids >= FIRST_ORDINARY_ID) & (batch.ids < VOCABULARY)
        assert (ordinary | np.isin(batch.ids, (SEP, QUERY))).all()


def test_a_packed_batch_is_records_then_queries():
    batch = draw_batch(Level(records=(2, 2)), 4096, np.random.default_rng(3))
    assert batch.ids.shape[1] == 20
    assert (batch.ids[:, [0, 5]] == SEP).all()
    assert (batch.ids[:, [10, 15]] == QUERY).all()
    assert (np.nonzero(batch.targets[0])[0] == [13, 14, 18, 19]).all()


def test_no_two_records_of_a_sequence_share_a_whole_key():
    level = Level(records=(20, 20), key_tokens=(1, 3), value_tokens=(2, 2), lengths=(400, 400), queries=1)
    rng = np.random.default_rng(5)
    for _ in range(50):
        row = draw_batch(level, 400, rng).ids[0].tolist()
        keys = [tuple(row[i + 1 : i + 4]) for i, token in enumerate(row) if token == SEP]
        for i, key in enumerate(keys):
            assert not any(other[0] == key[0] and other[1] == key[1] for other in keys[i + 1 :])


def test_filler_takes_copies_hundreds_of_tokens_away():
    distances = [draw_batch(LEVELS[-1], 4096, np.random.default_rng(seed)).distances.max() for seed in range(20)]
    assert max(distances) > 600


def test_same_seed_and_steps_give_equal_weights(tmp_path):
    torch.set_num_threads(1)
    first, again, other = (
        train_recall(make_config(), seed, tmp_path / name, steps=2) for seed, name in [(1, "a"), (1, "b"), (2, "c")]
    )
    assert all(torch.equal(p, q) for p, q in zip(first.parameters(), again.parameters(), strict=True))
    assert not torch.equal(first.lm_head.weight, other.lm_head.weight)


def test_measured_recall_counts_every_target_once():
    torch.set_num_threads(1)
    counted = measure_recall(make_model(make_config(), 0), LEVELS[1], seed=1, batches=1)
    batch = draw_batch(LEVELS[1], 4096, np.random.default_rng((1, 999, 0)))
    assert sum(count for _, count in counted.values()) == batch.targets.sum()


def test_steps_and_minutes_exclude_each_other(tmp_path):
    with pytest.raises(ValueError, match="steps"):
        train_recall(make_config(), 1, tmp_path)
