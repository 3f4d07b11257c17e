from __future__ import annotations

import asyncio
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("trl")

from transformers import AutoTokenizer, GenerationConfig

from environment.episode import Episode
from environment.policies.local import LocalPolicy
from tests.training.jobs import EASY_TASKS
from training.responses import ResponseReader, end_tokens

CALL = '<tool_call>\n{"name": "find", "arguments": {"name": "Ann"}}\n</tool_call>'
RESULT = "\n<|im_start|>user\n<tool_response>\n[]\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
END = "<|im_end|>"


@pytest.fixture(scope="module")
def tokenizer(tiny_model):
    return AutoTokenizer.from_pretrained(tiny_model)


@pytest.fixture(scope="module")
def reader(tokenizer):
    return ResponseReader(tokenizer, frozenset({tokenizer.eos_token_id}), 3, {})


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
    ending = reader.ending(ids, [])
    assert ending.end == end
    assert len(ending.lengths) == responses
    results = text.count(RESULT)
    assert sum(ending.lengths) == len(ids) - results * len(tokenizer(RESULT, add_special_tokens=False)["input_ids"])


def test_calls_that_the_turn_limit_left_open_are_known(tokenizer, reader):
    ids = tokenizer((CALL + END + RESULT) * 2 + CALL + END, add_special_tokens=False)["input_ids"]
    (call,) = reader.ending(ids, []).unanswered
    assert call["name"] == "find"
    assert call["arguments"] == {"name": "Ann"}


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


def test_every_token_that_the_model_was_published_with_ends_a_response(tokenizer):
    config = GenerationConfig(eos_token_id=[tokenizer.eos_token_id, tokenizer.pad_token_id])
    ends = end_tokens(tokenizer, config)
    assert ends == {tokenizer.eos_token_id, tokenizer.pad_token_id}
    assert end_tokens(tokenizer, None) == {tokenizer.eos_token_id}
    ids = tokenizer("Done.", add_special_tokens=False)["input_ids"]
    assert ResponseReader(tokenizer, ends, 3, {}).ending([*ids, tokenizer.pad_token_id], []).end == "answered"


def test_attempts_end_as_those_of_the_local_policy_do(tokenizer, reader, tiny_model):
    """What the policy calls the finish of a response, the reader finds in its tokens."""
    policy = LocalPolicy(tiny_model, temperature=1.2, max_tokens=60, max_context=1000)
    ends = {"stop": "answered", "tool_calls": "context_overflow", "length": "token_limit", "malformed": "malformed"}

    async def ask():
        chats = [(Episode(task), seed) for task in EASY_TASKS for seed in range(4)]
        return await asyncio.gather(*(policy.complete(e.messages(), e.specs, seed) for e, seed in chats))

    completions = asyncio.run(ask())
    assert len({completion.finish for completion in completions}) >= 2
    for completion in completions:
        text = completion.message["content"]
        for call in completion.message.get("tool_calls", ()):
            function = call["function"]
            body = f'{{"name": "{function["name"]}", "arguments": {function["arguments"]}}}'
            text += f"<tool_call>\n{body}\n</tool_call>"
        ids = tokenizer(text + END * (completion.finish != "length"), add_special_tokens=False)["input_ids"]
        assert reader.ending(ids, []).end == ends[completion.finish]
        assert bool(reader.parse_response(ids).get("tool_calls")) == (completion.finish == "tool_calls")


FIND = {
    "type": "function",
    "function": {
        "name": "find",
        "description": "Find.",
        "parameters": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Name"},
                "top": {"type": "integer", "description": "Most"},
            },
        },
    },
}


@pytest.fixture(scope="module")
def thinking_reader(tiny_model):
    """Of a template that writes calls as tags and begins responses inside a thought."""
    folder = Path(str(find_spec("trl").origin)).parent / "chat_templates"
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    tokenizer.chat_template = (folder / "qwen3_8.jinja").read_text()
    return tokenizer, ResponseReader(tokenizer, frozenset({tokenizer.eos_token_id}), 3, {"reasoning_effort": "medium"})


TAGGED = "Look.\n</think>\n\n<tool_call>\n<function=find>\n<parameter=name>\n7\n</parameter>\n"
TAGGED += "<parameter=top>\n7\n</parameter>\n</function>\n</tool_call>"
THOUGHTFUL_RESULT = RESULT + "<think>\n"


@pytest.mark.parametrize(
    ("text", "end", "responses"),
    [
        ("Easy.\n</think>\n\nDone." + END, "answered", 1),
        ("I could <tool_call> now.\n</think>\n\nDone." + END, "answered", 1),
        (TAGGED + END + THOUGHTFUL_RESULT + "So.\n</think>\n\nDone." + END, "answered", 2),
        ((TAGGED + END + THOUGHTFUL_RESULT) * 2 + TAGGED + END, "turn_limit", 3),
        (TAGGED, "token_limit", 1),
        ("Look.\n</think>\n\n<tool_call>\n<function=find>\n" + END, "malformed", 1),
    ],
)
def test_a_template_with_calls_of_its_own_is_read_by_trl(thinking_reader, text, end, responses):
    tokenizer, reader = thinking_reader
    ending = reader.ending(tokenizer(text, add_special_tokens=False)["input_ids"], [FIND])
    assert ending.end == end
    assert len(ending.lengths) == responses


def test_tagged_arguments_have_the_types_of_their_schema(thinking_reader):
    tokenizer, reader = thinking_reader
    ids = tokenizer(TAGGED + END, add_special_tokens=False)["input_ids"]
    (call,) = reader.parse_response(ids, tools=[FIND])["tool_calls"]
    assert call["function"] == {"name": "find", "arguments": {"name": "7", "top": 7}}
