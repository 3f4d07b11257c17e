from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from trl import GRPOTrainer  # noqa: E402

from environment.task import Task  # noqa: E402
from tests.training.jobs import make_job  # noqa: E402
from training.learning import _quiet_libraries, make_trainer  # noqa: E402
from training.plan import make_plan  # noqa: E402


@pytest.fixture(scope="module")
def trainer(tiny_model, tiny_tasks, tmp_path_factory):
    tasks = [Task.model_validate_json(line) for line in tiny_tasks.read_text().splitlines()]
    job = make_job(tiny_model, tiny_tasks, tmp_path_factory.mktemp("trainer"), temperature=0.8)
    with _quiet_libraries():
        trainer = make_trainer(job, tasks, make_plan(tasks, 3, 2, "s"), lambda log: None, after=0)
    with torch.no_grad():
        generator = torch.Generator().manual_seed(0)
        for name, parameter in trainer.model.named_parameters():
            if "lora_" in name:
                parameter.normal_(0, 0.1, generator=generator)
    return trainer


def _batch():
    """Six rows of two prompts, mixed: ids, attention and which completion tokens count, padded as TRL pads."""
    generator = torch.Generator().manual_seed(1)
    prompts = [torch.randint(20, 800, (length,), generator=generator) for length in (31, 18)]
    lengths = [(0, 25), (1, 9), (0, 1), (1, 25), (0, 14), (1, 2)]
    ids, mask = torch.zeros(6, 31 + 25, dtype=torch.long), torch.zeros(6, 31 + 25, dtype=torch.long)
    for row, (which, length) in enumerate(lengths):
        prompt = prompts[which]
        ids[row, 31 - len(prompt) : 31] = prompt
        ids[row, 31 : 31 + length] = torch.randint(20, 800, (length,), generator=generator)
        mask[row, 31 - len(prompt) : 31 + length] = 1
    counted = mask[:, 31:].bool() & (torch.rand(6, 25, generator=generator) < 0.7)
    counted[:, 0] = True
    return ids, mask, counted


def _gradients(trainer, logps, counted):
    weights = torch.linspace(-1, 1, counted.sum())
    trainer.model.zero_grad()
    (logps[counted] * weights).sum().backward()
    return {name: p.grad.clone() for name, p in trainer.model.named_parameters() if p.requires_grad}


def test_shared_prompts_give_trls_own_log_probabilities_entropies_and_gradients(trainer):
    ids, mask, counted = _batch()
    trainer._written = counted
    ours = trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, 25, compute_entropy=True)
    trainer._written = None
    our_gradients = _gradients(trainer, ours[0], counted)
    trainer.model.set_attn_implementation("sdpa")
    theirs = GRPOTrainer._get_per_token_logps_and_entropies(trainer, trainer.model, ids, mask, 25, compute_entropy=True)
    their_gradients = _gradients(trainer, theirs[0], counted)
    trainer.model.set_attn_implementation("shared_prompt")
    torch.testing.assert_close(ours[0][counted], theirs[0][counted], atol=2e-5, rtol=0)
    torch.testing.assert_close(ours[1][counted], theirs[1][counted], atol=2e-5, rtol=0)
    assert not ours[0][~counted].any()
    assert max(gradient.abs().max() for gradient in their_gradients.values()) > 0.01
    for name, gradient in their_gradients.items():
        torch.testing.assert_close(our_gradients[name], gradient, atol=1e-4, rtol=1e-3)
