"""Training, the local policy and a chat server must show a model the same prompt, token for token."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("trl")

from transformers import AutoTokenizer

from environment.episode import Episode
from environment.policies.hermes import parse_message
from environment.policies.local import LocalPolicy
from tests.training.jobs import EASY_TASKS, make_job
from training.environments import environment_name
from training.learning import _quiet_libraries, make_trainer
from training.plan import make_plan


@pytest.fixture(scope="module")
def trainer(tiny_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("prompts")
    path = folder / "tasks.jsonl"
    path.write_text("".join(task.model_dump_json() + "\n" for task in EASY_TASKS))
    updates = len(EASY_TASKS) // 2
    job = make_job(tiny_model, path, folder / "out", updates=updates, max_context=1500)
    with _quiet_libraries():
        return make_trainer(job, EASY_TASKS, make_plan(EASY_TASKS, updates, 2, "s"), lambda log: None, after=0)


@pytest.fixture(scope="module")
def policy(tiny_model):
    return LocalPolicy(tiny_model, temperature=1.0, max_tokens=40, max_context=1500)


def _first_prompt(trainer, task):
    """As the trainer renders it: through the dataset's row, the environment's reset and its tools."""
    row = next(row for row in trainer.train_dataset if row["task_id"] == task.id)
    assert row["environment"] == environment_name(task)
    environment = trainer.environment_factories[row["environment"]]()
    assert environment.reset(**{name: value for name, value in row.items() if name != "environment"}) is None
    trainer._batch_environments = [row["environment"]]
    (ids,), _, _ = trainer._tokenize_prompts([row["prompt"]])
    return ids, environment


@pytest.mark.parametrize("task", EASY_TASKS, ids=lambda task: task.family)
def test_first_prompts_are_the_same(trainer, policy, tiny_model, task):
    trained, _ = _first_prompt(trainer, task)
    episode = Episode(task)
    assert trained == policy.prompt_ids(episode.messages(), episode.specs)
    served = AutoTokenizer.from_pretrained(tiny_model).apply_chat_template(
        episode.messages(), tools=episode.specs, add_generation_prompt=True, return_dict=False
    )
    assert trained == served


@pytest.mark.parametrize("task", EASY_TASKS, ids=lambda task: task.family)
def test_prompts_after_each_tool_result_are_the_same(trainer, policy, tiny_model, task):
    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    trained, environment = _first_prompt(trainer, task)
    episode = Episode(task)
    messages = episode.messages()
    for call in task.reference:
        body = json.dumps({"name": call.tool, "arguments": dict(call.arguments)}, ensure_ascii=False)
        text = f"<tool_call>\n{body}\n</tool_call>"
        response = tokenizer(text + tokenizer.eos_token, add_special_tokens=False)["input_ids"]
        # as GRPOTrainer._tool_call_loop goes on
        (made,) = trainer._tokenizer.parse_response(response)["tool_calls"]
        answer = getattr(environment, made["function"]["name"])(**made["function"]["arguments"])
        suffix = trainer._get_tool_suffix_ids([{"role": "tool", "name": call.tool, "content": answer}])
        trained = trained + response + suffix
        # as rollout.py goes on
        message = parse_message(text)
        messages.append(message)
        function = message["tool_calls"][0]["function"]
        result = episode.call(function["name"], function["arguments"])
        messages.append({"role": "tool", "tool_call_id": "call_0", "name": call.tool, "content": result})
        assert trained == policy.prompt_ids(messages, episode.specs)
        assert trained == tokenizer.apply_chat_template(
            messages, tools=episode.specs, add_generation_prompt=True, return_dict=False
        )
