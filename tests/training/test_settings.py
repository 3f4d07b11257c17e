from __future__ import annotations

import pytest

from tests.training.jobs import REWARD, SETTINGS, make_settings
from training.settings import TrainingSettings


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"reward": {**REWARD, "overlong_buffer": 41}}, "overlong_buffer 41 exceeds max_response_tokens 40"),
        ({"max_response_tokens": 1000}, "leaves no room for a prompt in max_context 1000"),
        ({"micro_batch": 3}, "micro_batch 3 does not divide the 4 attempts"),
        ({"warmup_updates": 3}, "warmup_updates 3 must be fewer than updates 3"),
        ({"generation": "vllm_server"}, "training.vllm.server_url is missing"),
        ({"lora_dropout": 0.1}, "Extra inputs are not permitted"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_settings(**changes)


@pytest.mark.parametrize("name", ["learning_rate", "temperature", "max_turns", "scale_rewards", "reward", "save_every"])
def test_what_changes_a_result_has_no_default(name):
    with pytest.raises(ValueError, match="Field required"):
        TrainingSettings.model_validate({key: value for key, value in SETTINGS.items() if key != name})
