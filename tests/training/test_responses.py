from __future__ import annotations

import json

import pytest

pytest.importorskip("transformers")

from transformers import AutoTokenizer

from training.responses import ResponseReader

CALL = '<tool_call>\n{"name": "find", "arguments": {"name": "Ann"}}\n</tool_call>'
RESULT = "\n<|im_start|>user\n<tool_response>\n[]\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
END = "<|im_end|>"


@pytest.fixture(scope="module")
def tokenizer(tiny_model):
    return AutoTokenizer.from_pretrained(tiny_model)


@pytest.fixture(scope="module")
def reader(tokenizer):
    return ResponseReader(tokenizer, max_turns=3)


@pytest.mark.parametrize(
    ("text", "end", "responses"),
    [
        ("Done." + END, "answered", 1),
        (CALL + END + RESULT + "Done." + END, "answered", 2),
        (CALL + END + RESULT + CALL + END + RESULT + "Done." + END, "answered", 3),
        (CALL + END + RESULT + CALL + END + RESULT + CALL + END, "turn_limit", 3),
        (CALL + END, "context_overflow", 1),
        (CALL + END + RESULT + CALL + END, "context_overflow", 2),
        ("I think that", "token_limit", 1),
        (CALL + END + RESULT + "I think", "token_limit", 2),
        (CALL, "token_limit", 1),
        ("<tool_call>{" + END, "malformed", 1),
        (CALL + END + RESULT + "<tool_call>\n[]\n</tool_call>" + END, "malformed", 2),
    ],
)
def test_the_end_of_an_attempt_follows_from_its_tokens(tokenizer, reader, text, end, responses):
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    ending = reader.ending(ids)
    assert ending.end == end
    assert len(ending.lengths) == responses
    results = text.count(RESULT)
    assert sum(ending.lengths) == len(ids) - results * len(tokenizer(RESULT, add_special_tokens=False)["input_ids"])


def test_calls_that_the_turn_limit_left_open_are_known(tokenizer, reader):
    ids = tokenizer((CALL + END + RESULT) * 2 + CALL + END, add_special_tokens=False)["input_ids"]
    (call,) = reader.ending(ids).unanswered
    assert call["name"] == "find"
    assert json.loads(call["arguments"]) == {"name": "Ann"}


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (CALL + END, [("find", {"name": "Ann"})]),
        (CALL + "\n" + CALL + END, [("find", {"name": "Ann"})] * 2),
        ('<tool_call>\n{"name": "find", "arguments": {"n": "7"}}\n</tool_call>' + END, [("find", {"n": "7"})]),
        ('<tool_call>\n{"name": "find", "arguments": [7]}\n</tool_call>' + END, [("find", {"arguments": "[7]"})]),
        ('<tool_call>\n{"name": "find", "arguments": null}\n</tool_call>' + END, [("find", {})]),
        (CALL, []),
        ("<tool_call>{" + END, []),
        ("Done." + END, []),
    ],
)
def test_trl_acts_on_the_calls_that_every_policy_acts_on(tokenizer, reader, text, calls):
    message = reader.parse_response(tokenizer(text, add_special_tokens=False)["input_ids"])
    made = [(call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls", ())]
    assert made == calls


@pytest.mark.parametrize("text", ["Done." + END, CALL + END, "cut", "<tool_call>{" + END, CALL])
def test_a_response_is_read_as_the_local_policy_reads_it(tokenizer, reader, tiny_model, text):
    from environment.policies.local import LocalPolicy

    policy = LocalPolicy(tiny_model, temperature=1.0, max_tokens=40, max_context=1000)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    theirs = policy._completion([], ids, 0.0)
    ours = reader.parse_response(ids)
    assert ours["content"] == theirs.message["content"] or "tool_calls" in ours
    assert bool(ours.get("tool_calls")) == (theirs.finish == "tool_calls")
    assert (reader.ending(ids).end == "token_limit") == (theirs.finish == "length")
    assert (reader.ending(ids).end == "malformed") == (theirs.finish == "malformed")
