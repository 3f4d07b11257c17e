import random

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

from environment.episode import SYSTEM_PROMPT, Episode  # noqa: E402
from environment.record import canonical_json  # noqa: E402
from generators.demonstrations import policy_tasks  # noqa: E402
from tests.training.reference_policy.synthetic import SYSTEM, TOOLS, make_transcript  # noqa: E402
from training.reference_policy.build import build  # noqa: E402
from training.reference_policy.imitation import ImitationSettings  # noqa: E402
from training.reference_policy.recipe import WEIGHTS, make_fingerprint, read_recipe  # noqa: E402
from training.reference_policy.tokenizer import chat_template  # noqa: E402


def test_a_build_loads_with_the_auto_classes_and_names_what_it_was_made_for(tmp_path):
    import json

    torch.set_num_threads(1)
    transcripts = tmp_path / "transcripts.jsonl"
    rows = [make_transcript(random.Random(f"recipe {index}")) for index in range(8)]
    transcripts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "out"
    recipe = build(
        transcripts, "a test", tmp_path / "work", out, seed=1, recall_steps=1, imitation_steps=1,
        held_out_count=2, settings=ImitationSettings(batch_tokens=900),
    )  # fmt: skip
    assert recipe == read_recipe(out)
    assert recipe.differences(make_fingerprint([SYSTEM], TOOLS)) == ()
    assert recipe.differences(make_fingerprint([SYSTEM + " Now."], TOOLS[:2])) == ("system_prompt", "toolset")
    model, tokenizer = AutoModelForCausalLM.from_pretrained(out), AutoTokenizer.from_pretrained(out)
    assert model.dtype == torch.bfloat16
    assert (
        model.generation_config.eos_token_id == tokenizer.eos_token_id == tokenizer.convert_tokens_to_ids("<|im_end|>")
    )


def test_fingerprint_ignores_the_order_of_tools_but_not_of_their_keys():
    backwards = [dict(reversed(tool.items())) for tool in TOOLS]
    assert make_fingerprint([SYSTEM], TOOLS) == make_fingerprint([SYSTEM], TOOLS[::-1])
    assert make_fingerprint([SYSTEM], TOOLS) != make_fingerprint([SYSTEM], backwards)


def test_shipped_weights_are_those_of_their_recipe():
    import hashlib

    weights = (WEIGHTS / "model.safetensors").read_bytes()
    assert hashlib.sha256(weights).hexdigest() == read_recipe().weights_sha256


def test_shipped_weights_were_trained_on_the_prompt_the_template_and_the_tools_of_today():
    tasks = policy_tasks(range(40))
    tools = {canonical_json(spec): spec for task in tasks for spec in Episode(task).specs}
    changed = read_recipe().differences(make_fingerprint([SYSTEM_PROMPT], tools.values()))
    assert not changed, (
        f"the shipped weights were trained on another {', '.join(changed)}; train again with the commands of "
        "training/reference_policy/README.md"
    )
    assert AutoTokenizer.from_pretrained(WEIGHTS).chat_template == chat_template()
