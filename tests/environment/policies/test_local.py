from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra `train` is not installed")

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from environment.policies.decoder import Decoder, Response
from environment.policies.local import LocalPolicy
from environment.policies.policy import Completion
from environment.policies.prefix_cache import PrefixCache
from tests.environment.policies.memorised import ANSWERS, FOUND, TOOLS, call_text, chat

PROMPTS = list(ANSWERS)


def open_policy(folder: Path, temperature: float = 0.0, **changes: Any) -> LocalPolicy:
    given = {"max_tokens": 64, "max_context": 512, **changes}
    return LocalPolicy(folder, temperature=temperature, **given)


def ask(policy: LocalPolicy, prompts: Sequence[str], seeds: Sequence[int] | None = None) -> list[Completion]:
    """Completions of chats that are asked at one time."""

    async def ask_all() -> list[Completion]:
        return await asyncio.gather(
            *(policy.complete(chat(p), TOOLS, s) for p, s in zip(prompts, seeds or range(len(prompts)), strict=True))
        )

    return asyncio.run(ask_all())


def written(completions: Sequence[Completion]) -> list[tuple[Any, ...]]:
    """What the completions say, without the time they took."""
    return [(one.message, one.finish, one.tokens_in, one.tokens_out) for one in completions]


def test_greedy_answers_are_those_of_the_librarys_own_generation(miniature: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(miniature, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(miniature)
    policy = open_policy(miniature)
    for prompt, completion in zip(PROMPTS, ask(policy, PROMPTS), strict=True):
        ids = torch.tensor([policy.prompt_ids(chat(prompt), TOOLS)])
        whole = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=64, do_sample=False)
        own = whole[0, ids.shape[1] :]
        assert (completion.tokens_in, completion.tokens_out) == (ids.shape[1], len(own))
        text = tokenizer.decode(own, skip_special_tokens=True)
        assert text == ANSWERS[prompt]
        if completion.finish == "stop":
            assert completion.message == {"role": "assistant", "content": text}


def test_calls_are_parsed_and_miswritten_ones_are_malformed(miniature: Path) -> None:
    prompts = ["Look up 5174.", "Look up two of them.", "Miswrite.", "Say nothing.", "What came of it?"]
    one, two, miswritten, nothing, after = ask(open_policy(miniature), prompts)
    assert one.finish == two.finish == "tool_calls"
    assert one.message["content"] == ""
    assert [call["function"]["arguments"] for call in one.message["tool_calls"]] == [
        '{"sheet": "Orders", "value": "5174"}'
    ]
    assert [(call["id"], call["function"]["name"]) for call in two.message["tool_calls"]] == [
        ("call_0", "look_up"),
        ("call_1", "look_up"),
    ]
    assert (miswritten.finish, miswritten.message["content"]) == ("malformed", ANSWERS["Miswrite."])
    assert (nothing.finish, nothing.message["content"], nothing.tokens_out) == ("stop", "", 1)
    assert after.message["content"] == "It is in row 7."


def test_a_response_does_not_depend_on_what_else_is_asked_at_the_time_or_was_before(miniature: Path) -> None:
    policy = open_policy(miniature)
    together = ask(policy, PROMPTS)
    again = ask(policy, PROMPTS)  # everything was read before
    alone = [ask(policy, [prompt])[0] for prompt in PROMPTS]
    narrow = ask(open_policy(miniature, batch=3), PROMPTS[::-1])[::-1]
    cold = [ask(open_policy(miniature), [prompt])[0] for prompt in PROMPTS[:2]]
    assert written(together) == written(again) == written(alone) == written(narrow)
    assert written(together)[:2] == written(cold)


def test_a_choice_depends_on_its_own_logits_and_numbers_alone(miniature: Path) -> None:
    decoder = Decoder(load(miniature), 1.0)
    logits = torch.from_numpy(np.random.default_rng(3).normal(0, 2, (40, 4096)).astype(np.float32))

    def choose(rows: Sequence[int]) -> list[int]:
        draws = [np.random.Generator(np.random.Philox(row)) for row in rows]
        return [token for _ in range(3) for token in decoder._choose(logits[list(rows)], draws)]

    together = np.array(choose(range(40))).reshape(3, 40)
    assert np.array_equal(np.array(choose(range(39, -1, -1))).reshape(3, 40)[:, ::-1], together)
    assert [choose([row]) for row in range(40)] == together.T.tolist()
    assert len(np.unique(together)) > 60


def test_choices_follow_the_models_probabilities_at_the_temperature(miniature: Path) -> None:
    decoder = Decoder(load(miniature), 2.0)
    shares = np.array([0.5, 0.25, 0.125, 0.125])
    logits = torch.full((1, 4096), float("-inf"))
    logits[0, 100:104] = torch.from_numpy(2.0 * np.log(shares)).float()
    count = 4000
    draws = [np.random.Generator(np.random.Philox(seed)) for seed in range(count)]
    chosen = np.array(decoder._choose(logits.expand(count, -1), draws))
    observed = np.bincount(chosen - 100, minlength=4) / count
    assert np.all(np.abs(observed - shares) < 4 * np.sqrt(shares * (1 - shares) / count))


def test_a_response_as_long_as_the_limit_is_cut(miniature: Path) -> None:
    policy = open_policy(miniature, max_tokens=5)
    [cut] = ask(policy, ["Look up 5174."])
    assert (cut.finish, cut.tokens_out) == ("length", 5)
    assert call_text("5174").startswith(cut.message["content"]) and "tool_calls" not in cut.message


def test_prompt_and_response_together_stay_within_the_context(miniature: Path) -> None:
    size = len(open_policy(miniature).prompt_ids(chat("Count."), TOOLS))
    [cut] = ask(open_policy(miniature, max_context=size + 3), ["Count."])
    assert (cut.finish, cut.tokens_out) == ("length", 3)
    [full] = ask(open_policy(miniature, max_context=size), ["Count."])
    assert (full.finish, full.tokens_in, full.tokens_out, full.message["content"]) == ("context", size, 0, "")


def test_times_add_up_to_the_time_that_was_spent(miniature: Path) -> None:
    policy = open_policy(miniature)
    began = time.perf_counter()
    completions = ask(policy, PROMPTS * 4)
    spent = time.perf_counter() - began
    assert 0.3 * spent < sum(one.seconds for one in completions) < spent


def test_a_chat_goes_on_where_it_was_left(miniature: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = open_policy(miniature)
    ask(policy, ["Look up 5174."])
    read: list[int] = []
    step = Decoder.step

    def counted(self: Decoder, responses: Sequence[Response]) -> None:
        read.append(sum(len(one.unread) for one in responses))
        step(self, responses)

    monkeypatch.setattr(Decoder, "step", counted)
    ask(policy, ["What came of it?"])
    tokenizer = AutoTokenizer.from_pretrained(miniature)
    result = f"<|im_end|>\n<|im_start|>user\n<tool_response>\n{FOUND}\n</tool_response><|im_end|>\n<|im_start|>"
    result += "assistant\n"
    assert read[0] == len(tokenizer(result, add_special_tokens=False)["input_ids"])
    assert set(read[1:]) == {1}


def test_a_policy_serves_one_job_after_another_even_when_one_was_cancelled(miniature: Path) -> None:
    policy = open_policy(miniature)

    async def cancelled() -> None:
        asking = asyncio.ensure_future(policy.complete(chat("Count."), TOOLS, 1))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    fresh = written(ask(open_policy(miniature), PROMPTS))
    for _ in range(2):
        asyncio.run(cancelled())
        assert written(ask(policy, PROMPTS)) == fresh


def test_a_failure_of_the_model_reaches_everybody_who_waits(miniature: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = open_policy(miniature, batch=2)

    async def ask_all() -> list[Any]:
        return await asyncio.gather(*(policy.complete(chat(p), TOOLS, 0) for p in PROMPTS), return_exceptions=True)

    with monkeypatch.context() as broken:
        broken.setattr(Decoder, "step", lambda self, responses: 1 / 0)
        outcomes = asyncio.run(asyncio.wait_for(ask_all(), 10))
    assert [type(one) for one in outcomes] == [ZeroDivisionError] * len(PROMPTS)
    assert all(one.finish != "length" for one in ask(policy, PROMPTS))


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_an_adapter_changes_fingerprint_and_answers_as_peft_says(miniature: Path, tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    torch.manual_seed(1)
    adapted = peft.get_peft_model(
        AutoModelForCausalLM.from_pretrained(miniature, dtype=torch.float32),
        peft.LoraConfig(r=4, lora_alpha=16, target_modules="all-linear", task_type="CAUSAL_LM"),
    )
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:
                parameter.normal_(0, 0.05)
    adapted.save_pretrained(tmp_path)
    adapted.eval()
    base, policy = open_policy(miniature), open_policy(miniature, adapter=tmp_path, max_tokens=12)
    assert base.fingerprint.adapter is None and policy.fingerprint.adapter is not None
    assert policy.fingerprint.revision == base.fingerprint.revision
    completions = ask(policy, PROMPTS)
    assert [one.message["content"] for one in completions] != [one.message["content"] for one in ask(base, PROMPTS)]
    for prompt in PROMPTS[:2]:
        ids = policy.prompt_ids(chat(prompt), TOOLS)
        with torch.no_grad():
            unmerged = adapted(torch.tensor([ids])).logits[0, -1]
            alone = first_logits(policy, ids)
        torch.testing.assert_close(alone, unmerged, atol=1e-4, rtol=1e-4)


def first_logits(policy: LocalPolicy, ids: list[int]) -> torch.Tensor:
    """The policy's logits after a prompt."""
    context, unread = policy._prefixes.take(ids, 0)
    return logits_after(policy._decoder, [Response(context, unread, 1, np.random.default_rng(0))])[0]


def logits_after(decoder: Decoder, responses: list[Response]) -> torch.Tensor:
    """Logits of one step, in the order of `responses`."""
    seen: list[torch.Tensor] = []
    choose = decoder._choose

    def noted(logits: torch.Tensor, draws: list[np.random.Generator]) -> list[int]:
        order = [next(i for i, one in enumerate(responses) if one.draw is draw) for draw in draws]
        seen.append(logits[torch.tensor(order).argsort()])
        return choose(logits, draws)

    decoder._choose = noted  # type: ignore[method-assign]
    decoder.step(responses)
    decoder._choose = choose  # type: ignore[method-assign]
    return seen[0]


def load(folder: Path) -> PreTrainedModel:
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()


def test_logits_of_contexts_read_together_are_those_of_each_read_alone(miniature: Path) -> None:
    model, decoder = load(miniature), Decoder(load(miniature), 0.0)
    cache = PrefixCache(decoder.read, 5)
    rng = np.random.default_rng(5)
    trunks = [rng.integers(16, 4000, size).tolist() for size in (70, 100)]
    prompts = [
        (trunks[0] + rng.integers(16, 4000, 30).tolist(), 70),
        (trunks[1] + rng.integers(16, 4000, 2).tolist(), 100),
        (rng.integers(16, 4000, 40).tolist(), 0),
        (trunks[0] + rng.integers(16, 4000, 1).tolist(), 70),
        (trunks[1] + rng.integers(16, 4000, 90).tolist(), 100),
    ]
    for _ in range(2):  # from nothing, then with everything known
        responses = [Response(*cache.take(*prompt), 9, np.random.default_rng(0)) for prompt in prompts]
        for count in range(70):  # beyond the room that contexts begin with
            logits = logits_after(decoder, responses)
            if count in (0, 1, 69):
                for (ids, _), response, row in zip(prompts, responses, logits, strict=True):
                    with torch.no_grad():
                        alone = model(torch.tensor([ids + response.written[:count]])).logits[0, -1]
                    torch.testing.assert_close(row, alone, atol=1e-4, rtol=1e-4)
        for response in responses:
            cache.keep(response.context)


def test_the_longest_known_beginning_is_taken_and_the_last_token_left_to_read(miniature: Path) -> None:
    decoder = Decoder(load(miniature), 0.0)
    cache = PrefixCache(decoder.read, 5)

    def read(ids: list[int]) -> tuple[int, int]:
        context, unread = cache.take(ids, 0)
        known = len(context.ids)
        decoder.step([Response(context, unread, 1, np.random.default_rng(0))])
        cache.keep(context)
        return known, len(unread)

    a, b = list(range(100, 120)), list(range(200, 230))
    assert read(a) == (0, 20)
    assert read(a) == (19, 1)
    assert read(a + b) == (20, 30)
    assert read(a + b[:10] + a) == (30, 20)
    assert read(b) == (0, 30)
    assert read(a + b) == (49, 1)


def test_the_least_recently_used_chats_make_room(miniature: Path) -> None:
    decoder = Decoder(load(miniature), 0.0)
    cache = PrefixCache(decoder.read, 3)
    for start in (100, 300, 500):
        cache.keep(decoder.read(list(range(start, start + 100))))
    cache.take([*range(100, 150), 1], 0)  # used again, so the second is the oldest
    cache.keep(decoder.read(list(range(700, 800))))
    known = [len(cache.take([*range(start, start + 50), 1], 0)[0].ids) for start in (100, 300, 500, 700)]
    assert known == [50, 0, 50, 50]


def test_a_folder_without_a_model_or_adapter_is_refused(miniature: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no model in"):
        open_policy(tmp_path)
    with pytest.raises(ValueError, match="there is no adapter in"):
        open_policy(miniature, adapter=tmp_path)


def test_a_model_with_sliding_windows_is_refused(miniature: Path) -> None:
    model = load(miniature)
    model.config.layer_types = ["full_attention", "sliding_attention"]
    with pytest.raises(ValueError, match="without full attention"):
        Decoder(model, 0.0)


def test_other_weights_or_settings_have_another_fingerprint(miniature: Path, tmp_path: Path) -> None:
    same = open_policy(miniature)
    moved = shutil.copytree(miniature, tmp_path / miniature.name)
    assert open_policy(moved).fingerprint == same.fingerprint
    for change in ({"temperature": 0.5}, {"max_tokens": 9}, {"max_context": 99}):
        assert open_policy(miniature, **change).fingerprint != same.fingerprint
    assert open_policy(miniature, batch=2).fingerprint == same.fingerprint
    model = load(moved)
    with torch.no_grad():
        next(model.parameters())[0, 0] += 1
    model.save_pretrained(moved)
    assert open_policy(moved).fingerprint.revision != same.fingerprint.revision
