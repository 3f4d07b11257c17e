import json
import random
from types import SimpleNamespace

import pytest

trl = pytest.importorskip("trl")

from transformers import AutoTokenizer  # noqa: E402
from trl import GRPOTrainer  # noqa: E402
from trl.chat_template_utils import (  # noqa: E402
    add_response_schema,
    is_chat_template_prefix_preserving,
    parse_response,
    supports_tool_calling,
)

from tests.training.reference_policy.synthetic import make_transcript  # noqa: E402
from training.reference_policy.architecture import FIRST_ORDINARY_ID, VOCABULARY  # noqa: E402
from training.reference_policy.rendering import Part, render_episode, render_prompt, render_text  # noqa: E402
from training.reference_policy.tokenizer import train_tokenizer  # noqa: E402

ROWS = [make_transcript(random.Random(f"rendering {index}")) for index in range(60)]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    template_only = train_tokenizer([])
    folder = tmp_path_factory.mktemp("tokenizer")
    train_tokenizer(render_text(template_only, row["messages"], row["tools"]) for row in ROWS).save_pretrained(folder)
    return AutoTokenizer.from_pretrained(folder)


def test_vocabulary_has_exactly_the_models_size(tokenizer):
    assert len(tokenizer) == VOCABULARY
    assert sorted(tokenizer.get_vocab().values()) == list(range(VOCABULARY))


def test_special_tokens_stay_below_what_recall_draws(tokenizer):
    tags = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<tool_call>", "</tool_call>", "<tool_response>", "<tools>"]
    assert all(
        0 <= token < FIRST_ORDINARY_ID and token not in (1, 2) for token in tokenizer.convert_tokens_to_ids(tags)
    )
    assert (tokenizer.eos_token, tokenizer.pad_token) == ("<|im_end|>", "<|endoftext|>")


@pytest.mark.parametrize("name", ["Ann Lee", "CON-704", "555-123-046", "1250.75", "José Núñez"])
def test_a_value_is_the_same_tokens_in_prose_and_in_json(tokenizer, name):
    def encode(text):
        return tokenizer(text, add_special_tokens=False)["input_ids"]

    alone = encode(name)
    for text in (f"Call {name} today", json.dumps({"x": name}, ensure_ascii=False), f'{{"x":"{name}","y":1}}'):
        ids = encode(text)
        assert any(ids[i : i + len(alone)] == alone for i in range(len(ids))), text
        assert tokenizer.decode(ids) == text


def test_tool_calls_survive_decoding_without_special_tokens(tokenizer):
    ids = tokenizer('<tool_call>\n{"name": "x"}\n</tool_call><|im_end|>')["input_ids"]
    assert tokenizer.decode(ids, skip_special_tokens=True) == '<tool_call>\n{"name": "x"}\n</tool_call>'


def test_trl_knows_the_template_and_does_not_swap_it(tokenizer):
    assert supports_tool_calling(tokenizer)
    assert is_chat_template_prefix_preserving(tokenizer)
    assert add_response_schema(tokenizer).response_template is not None


@pytest.mark.parametrize("row", ROWS[:10])
def test_every_prompt_is_a_prefix_of_the_episode(tokenizer, row):
    episode = render_episode(tokenizer, row["messages"], row["tools"])
    for index, message in enumerate(row["messages"]):
        if message["role"] == "assistant":
            prompt = render_prompt(tokenizer, row["messages"][:index], row["tools"])
            assert episode.ids[: len(prompt)].tolist() == prompt
            assert episode.parts[len(prompt) - 1] == Part.CONTEXT
            assert episode.parts[len(prompt)] == Part.ASSISTANT


@pytest.mark.parametrize("row", ROWS[:10])
def test_trl_concatenates_the_same_ids_that_imitation_trains_on(tokenizer, row):
    """The prompt, then each turn as written and each tool result as GRPOTrainer appends it."""
    trainer = SimpleNamespace(
        processing_class=tokenizer, _tokenizer=tokenizer, chat_template=None, chat_template_kwargs={}, _is_vlm=False
    )
    episode = render_episode(tokenizer, row["messages"], row["tools"])
    messages = row["messages"]
    ids = render_prompt(tokenizer, messages[:2], row["tools"])
    for message in messages[2:]:
        if message["role"] == "assistant":
            end = episode.ids.tolist().index(tokenizer.eos_token_id, len(ids))
            ids += episode.ids[len(ids) : end + 1].tolist()
        else:
            ids += GRPOTrainer._get_tool_suffix_ids(trainer, [{**message, "name": "find_contacts"}])
    assert ids == episode.ids.tolist()


@pytest.mark.parametrize("row", ROWS[:10])
def test_trl_parses_a_rendered_turn_back_into_the_call(tokenizer, row):
    add_response_schema(tokenizer)
    prompt = render_prompt(tokenizer, row["messages"][:4], row["tools"])
    ids = render_episode(tokenizer, row["messages"], row["tools"]).ids.tolist()
    turn = ids[len(prompt) : ids.index(tokenizer.eos_token_id, len(prompt)) + 1]
    call = row["messages"][4]["tool_calls"][0]["function"]
    parsed = parse_response(tokenizer, turn, prefix=prompt, tools=row["tools"])
    assert [c["function"] for c in parsed["tool_calls"]] == [
        {"name": call["name"], "arguments": json.loads(call["arguments"])}
    ]


def test_arguments_given_as_object_or_text_render_alike(tokenizer):
    row = ROWS[0]
    as_objects = json.loads(json.dumps(row["messages"]))
    for message in as_objects:
        for call in message.get("tool_calls") or ():
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    assert render_text(tokenizer, as_objects, row["tools"]) == render_text(tokenizer, row["messages"], row["tools"])


def test_argument_tokens_are_the_json_after_the_name(tokenizer):
    row = ROWS[0]
    episode = render_episode(tokenizer, row["messages"], row["tools"])
    marked = tokenizer.decode(episode.ids[episode.parts == Part.ARGUMENTS])
    assert marked.count('": {"') == 2
    assert "find_contacts" not in marked


def test_prefix_is_everything_before_the_user_turn(tokenizer):
    row = ROWS[0]
    episode = render_episode(tokenizer, row["messages"], row["tools"])
    assert tokenizer.decode(episode.ids[episode.prefix_count :]).startswith(
        "<|im_start|>user\n" + row["messages"][1]["content"]
    )
