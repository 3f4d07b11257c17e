from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402
from peft import LoraConfig, get_peft_model  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402

from environment.rng import derive_seed  # noqa: E402
from training.sampler import Sampler  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")

LIMITS = {"temperature": 0.9, "max_response_tokens": 12, "max_context": 200, "seed": "tests"}
PROMPTS = [list(range(20, 60)), list(range(100, 127))]


def _adapted(tiny_model):
    """The tiny model with an adapter that changes something."""
    model = AutoModelForCausalLM.from_pretrained(tiny_model)
    model = get_peft_model(model, LoraConfig(r=4, lora_alpha=8, target_modules="all-linear"))
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_" in name:
                parameter.normal_(0, 0.1, generator=generator)
    return model.eval()


@pytest.fixture(scope="module")
def plain(tiny_model):
    return _adapted(tiny_model)


@pytest.fixture
def sampler(tiny_model):
    model = _adapted(tiny_model)
    return Sampler(model, frozenset({model.config.eos_token_id}), **LIMITS)


def _alone(plain, draw, conversation, limit):
    """One response by reading the whole conversation again for every token, unmerged and unbatched."""
    response: list[int] = []
    while len(response) < limit and (not response or response[-1] != plain.config.eos_token_id):
        with torch.inference_mode():
            logits = plain(input_ids=torch.tensor([conversation + response])).logits[0, -1]
        cumulative = (logits / LIMITS["temperature"]).softmax(-1).cumsum(-1)
        number = 1 - draw.random(dtype=np.float32)  # in (0, 1], as the decoder draws
        response.append(int((cumulative < number * cumulative[-1]).sum()))
    return response


def test_responses_are_those_of_the_plain_model_alone(plain, sampler):
    prompts = [prompt for prompt in PROMPTS for _ in range(3)]
    draws = [np.random.Generator(np.random.Philox(derive_seed("responses", "tests", "update 7", i))) for i in range(6)]
    first = sampler.begin(prompts, "update 7")
    assert first == [_alone(plain, draw, prompt, 12) for draw, prompt in zip(draws, prompts, strict=True)]
    assert len({tuple(response) for response in first[:3]}) > 1
    conversations = {i: prompts[i] + first[i] for i in range(6)}
    for turn, going in enumerate([(0, 2, 3, 4), (2, 4), (2,)]):
        for i in going:
            conversations[i] = conversations[i] + list(range(300, 303 + 2 * i + turn))
        asked = [conversations[i] for i in going]
        responses = sampler.resume(asked)
        assert responses == [_alone(plain, draws[i], conversations[i], 12) for i in going]
        for i, response in zip(going, responses, strict=True):
            conversations[i] = conversations[i] + response


def test_an_update_made_again_is_the_same_and_another_is_not(sampler):
    prompts = [PROMPTS[0]] * 4
    first = sampler.begin(prompts, "update 1")
    assert sampler.begin(prompts, "update 2") != first
    assert sampler.begin(prompts, "update 1") == first


def test_a_response_ends_where_the_context_does(tiny_model):
    model = _adapted(tiny_model)
    sampler = Sampler(model, frozenset(), **{**LIMITS, "max_context": 45})
    assert [len(response) for response in sampler.begin(PROMPTS, "update 1")] == [5, 12]


def test_a_conversation_that_was_never_begun_is_refused(sampler):
    sampler.begin(PROMPTS, "update 1")
    with pytest.raises(ValueError, match="continues none of this batch's attempts"):
        sampler.resume([[1, 2, 3]])
