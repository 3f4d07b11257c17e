"""What every family owes: equal tasks from equal inputs, a reference that passes, and worlds that share nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from environment.episode import Episode
from environment.rng import derive_rng
from environment.task import DOMAINS, Task, ToolCall, task_hash
from generators.families import FAMILIES, family_named
from generators.family import Family
from generators.proof import prove

FAMILY_IDS = [family.name for family in FAMILIES]
COUNT = 12


def starter_task(family: Family, seed: str, index: int) -> Task:
    knobs = family.draw_knobs(derive_rng("knobs", family.name, seed, index), "starter")
    return family.generate(seed, index, "train", knobs, "actions")


def full_task(family: Family, seed: str, index: int) -> Task:
    knobs = family.draw_knobs(derive_rng("knobs", family.name, seed, index), "full")
    return family.generate(seed, index, "train", knobs, "api")


def test_every_domain_has_a_family():
    assert {family.domain for family in FAMILIES} == set(DOMAINS)


@pytest.mark.parametrize("family", FAMILIES, ids=FAMILY_IDS)
@pytest.mark.parametrize("draw", [starter_task, full_task])
def test_reference_passes_and_doing_nothing_earns_zero(family, draw):
    for index in range(COUNT):
        task = draw(family, "seven", index)
        episode = Episode(task, toolset="actions")
        assert episode.verdict().partial_credit == 0
        for call in task.reference:
            assert "error" not in json.loads(episode.call(call.tool, dict(call.arguments))), (task.id, call)
        assert episode.verdict().strict, (task.prompt, episode.verdict())


@pytest.mark.parametrize("family", FAMILIES, ids=FAMILY_IDS)
def test_every_trap_fails(family):
    for index in range(COUNT):
        task = starter_task(family, "seven", index)
        for trap in task.traps:
            episode = Episode(task, toolset="actions")
            for call in trap.sprung:
                episode.call(call.tool, dict(call.arguments))
            assert not episode.verdict().strict, (task.prompt, trap.name)


@pytest.mark.parametrize("family", FAMILIES, ids=FAMILY_IDS)
def test_neighbouring_seeds_share_no_task(family):
    ids = [starter_task(family, seed, index).id for seed in ("seven", "eight") for index in range(COUNT)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("family", FAMILIES, ids=FAMILY_IDS)
def test_task_survives_json(family):
    task = full_task(family, "seven", 0)
    again = Task.model_validate_json(json.dumps(task.to_json()))
    assert task_hash(again) == task_hash(task)
    assert again.id == task.id


def test_another_process_with_another_hash_seed_makes_the_same_bytes():
    script = (
        "from tests.generators.test_families import *\n"
        "for family in FAMILIES:\n"
        "    for draw in (starter_task, full_task):\n"
        "        print(json.dumps(draw(family, 'seven', 3).to_json(), sort_keys=True))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop()


def test_a_knob_out_of_range_is_refused_with_its_range():
    family = family_named("callback_number")
    knobs = {name: knob.low for name, knob in family.knobs.items()}
    with pytest.raises(ValueError, match="entities of callback_number is 9; it goes from 1 to 4"):
        family.generate("seven", 0, "train", {**knobs, "entities": 9}, "actions")


def test_an_unknown_knob_is_refused():
    with pytest.raises(ValueError, match="has the knobs"):
        family_named("callback_number").generate("seven", 0, "train", {"depth": 1}, "actions")


@pytest.mark.parametrize("family", FAMILIES, ids=FAMILY_IDS)
@pytest.mark.parametrize("draw", [starter_task, full_task])
def test_every_task_can_be_proven(family, draw):
    for index in range(COUNT):
        proof = prove(draw(family, "proof", index))
        assert proof.references == 2
        assert {"nothing", "reading", "shotgun", "undone", "dropped", "altered", "trap", "stray"} <= set(proof.mutants)
        assert sum(proof.equivalents.values()) > 0


def replaced_post(task: Task, text: str) -> list[ToolCall]:
    """The reference with another text in its only post."""
    return [
        ToolCall(tool=call.tool, arguments={**call.arguments, "text": text})
        if call.tool == "slack_post_message"
        else call
        for call in task.reference
    ]


def strict_after(task: Task, calls: list[ToolCall]) -> bool:
    episode = Episode(task, toolset="actions")
    for call in calls:
        episode.call(call.tool, dict(call.arguments))
    return episode.verdict().strict


@pytest.mark.parametrize(
    ("name", "knobs", "others"),
    [
        ("leave_request", {"hops": 2, "rules": 1}, ("Approved", "Refused")),
        ("shipment_update", {"rules": 1}, ("Shipped", "Delivered", "Returned", "Delayed")),
    ],
)
def test_a_post_that_says_everything_at_once_is_not_accepted(name, knobs, others):
    family = family_named(name)
    lowest = {knob: found.low for knob, found in family.knobs.items()}
    task = family.generate("contradiction", 0, "train", {**lowest, **knobs}, "actions")
    post = next(call.arguments["text"] for call in task.reference if call.tool == "slack_post_message")
    assert strict_after(task, replaced_post(task, f"Hello, {post}"))
    assert not strict_after(task, replaced_post(task, f"{post.split(': ')[0]}: {' / '.join(others)}"))


def test_an_answer_with_an_outsider_in_copy_is_not_accepted():
    family = family_named("invoice_paid")
    lowest = {knob: found.low for knob, found in family.knobs.items()}
    task = family.generate("copy", 0, "train", {**lowest, "hops": 2, "rules": 1}, "actions")
    task = task.model_copy(update={"actions": (*task.actions, "gmail_send_email")})
    reply = next(call for call in task.reference if call.tool == "gmail_reply")
    payer = next(iter(task.contract.changes()[-1].key["to"])).members[0]
    mail = {"to": payer, "subject": "Invoice", "body": reply.arguments["body"]}
    rest = [call for call in task.reference if call is not reply]
    assert strict_after(task, [*rest, ToolCall(tool="gmail_send_email", arguments=mail)])
    copied = ToolCall(tool="gmail_send_email", arguments={**mail, "cc": "someone@elsewhere.example"})
    assert not strict_after(task, [*rest, copied])


def test_a_knob_without_effect_stands_at_its_lowest():
    family = family_named("deal_stage")
    knobs = {name: knob.high for name, knob in family.knobs.items()}
    task = family.generate("effect", 0, "train", {**knobs, "hops": 1}, "actions")
    assert task.knobs["amendments"] == 0
    assert family.generate("effect", 0, "train", knobs, "api").knobs["amendments"] == family.knobs["amendments"].high
