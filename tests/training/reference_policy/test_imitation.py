import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from tests.training.reference_policy.synthetic import make_transcript  # noqa: E402
from training.reference_policy.architecture import make_config, make_model  # noqa: E402
from training.reference_policy.imitation import (  # noqa: E402
    ImitationSettings,
    _batches,
    _choose_losses,
    fit_tokenizer,
    forward_hidden,
    imitate,
    render_rows,
    score,
)
from training.reference_policy.rendering import Part  # noqa: E402
from training.reference_policy.sampling import complete  # noqa: E402

ROWS = [make_transcript(random.Random(f"imitation {index}")) for index in range(12)]
SETTINGS = ImitationSettings(batch_tokens=900, batches_a_step=2)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def tokenizer():
    return fit_tokenizer(ROWS)


@pytest.fixture(scope="module")
def episodes(tokenizer):
    return render_rows(tokenizer, ROWS)


def test_sharing_the_prefix_gives_the_states_of_whole_sequences(episodes):
    model = make_model(make_config(), 0)
    batch = next(_batches(episodes, 900, 0, np.random.default_rng(0)))
    with torch.no_grad():
        shared = forward_hidden(model, batch)
        model.set_attn_implementation("sdpa")
        whole = torch.cat([batch.prefix.expand(len(batch.ids), -1), batch.ids], dim=1)
        plain = model.model(input_ids=whole, use_cache=False).last_hidden_state[:, len(batch.prefix) - 1 : -1]
    torch.testing.assert_close(shared, plain, atol=1e-4, rtol=1e-4)


def test_an_epoch_holds_every_episode_once(episodes):
    seen = [
        tuple(row[row != 0].tolist())
        for batch in _batches(episodes, 900, 0, np.random.default_rng(1))
        for row in batch.ids
    ]
    assert sorted(seen) == sorted(tuple(e.ids[e.prefix_count :].tolist()) for e in episodes)


def test_all_written_tokens_and_no_padding_carry_loss(episodes):
    for batch in _batches(episodes, 4000, 0, np.random.default_rng(1)):
        chosen = _choose_losses(batch, np.random.default_rng(0))
        assert chosen[batch.parts >= Part.ASSISTANT].all()
        assert not chosen[batch.parts == Part.PREFIX].any()
        assert 0.05 < chosen[batch.parts == Part.CONTEXT].float().mean() < 0.3


def test_same_seed_and_steps_give_equal_weights(tokenizer, episodes, tmp_path):
    trained = []
    for name, seed in [("a", 1), ("b", 1), ("c", 2)]:
        model = make_model(make_config(), 0)
        imitate(model, tokenizer, episodes, seed, tmp_path / name, steps=2, settings=SETTINGS)
        trained.append(model.lm_head.weight)
    assert torch.equal(trained[0], trained[1])
    assert not torch.equal(trained[0], trained[2])


def test_score_does_not_depend_on_who_shares_a_batch(tokenizer, episodes):
    model = make_model(make_config(), 0)
    together = score(model, episodes, tokenizer.pad_token_id)
    apart = [score(model, [episode], tokenizer.pad_token_id) for episode in episodes]
    assert together.argument_tokens == sum(one.argument_tokens for one in apart)
    assert together.right_episodes == sum(one.right_episodes for one in apart) == 0


def test_a_learned_episode_is_right_and_greedy_sampling_writes_it(tokenizer, episodes, tmp_path):
    model = make_model(make_config(), 0)
    one = episodes[:1]
    imitate(model, tokenizer, one, 1, tmp_path, steps=60, settings=ImitationSettings(batches_a_step=1))
    assert score(model, one, tokenizer.pad_token_id).right_episodes == 1
    ids = one[0].ids.tolist()
    first_turn = int(np.argmax(one[0].parts >= Part.ASSISTANT))
    end = ids.index(tokenizer.eos_token_id, first_turn)
    model.set_attn_implementation("sdpa")
    prompts = [ids[:first_turn], ids[1:first_turn]]
    written = complete(model.eval(), prompts, end - first_turn + 1, 0, torch.Generator().manual_seed(0))
    assert written[0] == ids[first_turn : end + 1]
