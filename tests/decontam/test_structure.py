"""Structure: how a task is built, and which benchmark tasks are built alike."""

from __future__ import annotations

from typing import Any

import pytest

from decontam.benchmark import BenchmarkTask
from decontam.decontaminate import decontaminate
from decontam.passages import passages_of_benchmark_task, passages_of_task
from decontam.reading import read
from decontam.settings import DecontaminationSettings
from decontam.structure import Fingerprint, StructureIndex, fingerprint_of_benchmark_task, fingerprint_of_task
from environment.contract import Change, Contract, Equals, Fact, Mentions, Phone
from environment.task import Task
from tests.decontam.made_tasks import made_benchmark, made_task

WORLD = {"gmail": {"messages": ({"id": "m1", "body": "Our policy: numbers come from e-mails."},)}}


def our_task(changes: tuple[Change, ...] = (), apps: tuple[str, ...] = ("gmail", "salesforce")) -> Task:
    task = made_task("Mend the number", WORLD)
    contract = Contract(all_of=changes or (updated("a"),))
    return task.model_copy(update={"apps": apps, "contract": contract})


def updated(label: str) -> Change:
    fields = {"Phone": (Phone(number="555-0142"),)}
    return Change(label=label, app="salesforce", collection="Contact", action="update", id=label, fields=fields)


def mailed(label: str) -> Change:
    return Change(
        label=label,
        app="gmail",
        collection="Message",
        action="create",
        key={"to": (Equals(value=label),)},
        fields={"body": (Mentions(facts=((Fact(spellings=("done",)),),)),)},
    )


def ours(*changes: Change) -> Fingerprint:
    task = our_task(changes)
    return fingerprint_of_task(task, read(passages_of_task(task)))


def theirs(**parts: Any) -> Fingerprint | None:
    task = BenchmarkTask(**({"name": "sales.a", "domain": "sales", "prompt": "do it", "row": 1} | parts))
    return fingerprint_of_benchmark_task(task, read(passages_of_benchmark_task(task)))


def test_a_fingerprint_of_ours_tells_every_aspect() -> None:
    assert ours(updated("a"), updated("b"), mailed("x")).in_words() == (
        "applications: Gmail, Salesforce\n"
        "rule in: Gmail\n"
        "changes: create in Gmail, 2 to 3 x update in Salesforce\n"
        "demands: phone, text, value\n"
        "must not happen: none"
    )


def test_a_benchmark_task_is_told_by_its_assertions_tools_and_world() -> None:
    sent = {"type": "gmail_message_sent_to_with_body_contains", "to": "a@x.test", "body_contains": ["1"]}
    found = theirs(
        initial_state={"gmail": {"messages": [{"id": "1", "body": "The policy changed"}]}},
        tools=("salesforce_update_contact", "google_sheets_read"),
        assertions=(
            {"type": "salesforce_field_equals", "record_id": "1", "field": "phone", "value": "1"},
            {"type": "salesforce_field_equals", "record_id": "1", "field": "fax", "value": "2"},
            sent,
            sent | {"to": "b@x.test"},
            {"type": "google_sheets_row_deleted", "row": 3},
            {"type": "gmail_message_not_sent_to", "to": "c@x.test"},
        ),
    )
    assert found is not None
    assert found.in_words() == (
        "applications: Gmail, Google Sheets, Salesforce\n"
        "rule in: Gmail\n"
        "changes: 2 to 3 x create in Gmail, delete in Google Sheets, update in Salesforce\n"
        "demands: text, value\n"
        "must not happen: wrong outcome"
    )


def test_a_benchmark_task_of_which_only_the_prompt_is_known_is_told_by_it() -> None:
    found = theirs(prompt="Mira's e-mail has a new number: it needs to be updated in Salesforce")
    assert found is not None
    assert found.in_words() == (
        "applications: Gmail, Salesforce\n"
        "rule in: not told\n"
        "changes: update in Salesforce\n"
        "demands: not told\n"
        "must not happen: not told"
    )
    assert theirs(prompt="Please handle this the way we normally do") is None


def test_aspects_that_one_side_does_not_tell_do_not_count() -> None:
    index = StructureIndex([None, theirs(prompt="Check the e-mail. Update the contact in Salesforce")])
    (found,) = index.look_alikes(ours(updated("a")))
    assert (found.number, found.share) == (1, 1.0)
    assert found.ours.splitlines()[0] == found.theirs.splitlines()[0] == "applications: Gmail, Salesforce"


@pytest.mark.parametrize(
    ("changes", "share"),
    [
        # Of Gmail, Salesforce, "update 1", "update 2", "create 1": what ours and theirs have in common.
        ((updated("a"), updated("b"), mailed("x")), 1.0),
        ((updated("a"), mailed("x")), 0.8),
        ((updated("a"),), 0.6),
        ((mailed("x"),), 0.6),
        ((updated("a"), updated("b"), updated("c"), updated("d"), mailed("x")), 0.8333),
    ],
)
def test_the_share_is_that_of_equal_parts_among_all(changes: tuple[Change, ...], share: float) -> None:
    rows = [{"type": "salesforce_field_equals", "record_id": str(n), "value": "1"} for n in range(2)]
    sent = {"type": "gmail_message_sent_to_with_body_contains", "to": "a", "body_contains": []}
    known = theirs(assertions=(*rows, sent))
    assert known is not None
    told = Fingerprint({aspect: known.parts[aspect] for aspect in ("applications", "changes")})
    found = StructureIndex([told], limit=0.01).look_alikes(ours(*changes))
    assert [look.share for look in found] == [share]
    assert len(StructureIndex([told]).look_alikes(ours(*changes))) == (share >= 0.8)


def test_look_alikes_come_the_most_alike_first_and_tasks_without_changes_are_none() -> None:
    near, nearer = theirs(prompt="Update Salesforce. Mail Mira."), theirs(prompt="Update Salesforce. Open the inbox.")
    silent = theirs(prompt="The inbox and Salesforce are there")
    found = StructureIndex([near, silent, nearer], limit=0.1).look_alikes(ours(updated("a")))
    assert [look.number for look in found] == [2, 0]
    assert StructureIndex([]).look_alikes(ours(updated("a"))) == ()


def test_what_is_built_alike_or_named_nearly_alike_is_reported_and_kept() -> None:
    public = BenchmarkTask(
        name="sales.number",
        domain="sales",
        prompt="Check the e-mail that came from Quantum Labs Inc. Update the contact in Salesforce as it says there",
        row=1,
    )
    contact = {"Id": "a", "Company": "Quantum Lab", "Note": "one two three four five six seven eight nine ten " * 2}
    task = our_task().model_copy(update={"world": {"salesforce": {"Contact": (contact,)}}, "id": "sales.made-1"})
    result = decontaminate([task], made_benchmark(public), (), DecontaminationSettings())
    (ruling,) = result.rulings
    assert ruling.kept
    assert [(notice.rule, notice.other, notice.similarity) for notice in ruling.reported] == [
        ("near_name", "sales.number", None),
        ("look_alike", "sales.number", 1.0),
    ]
    assert (ruling.reported[0].text, ruling.reported[0].shared) == ("Quantum Lab", ("quantum", "lab"))
    assert "update in Salesforce" in ruling.reported[1].text
    assert result.reported_counts() == {"near_name": 1, "look_alike": 1, "meaning_near": 0}
