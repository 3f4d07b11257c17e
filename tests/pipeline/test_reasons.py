"""A verdict's reasons name the field, what was wanted and what stands there."""

from __future__ import annotations

import pytest

from environment.contract import Change, Contract, Equals, Matcher, Ref
from environment.episode import Episode
from environment.task import Task, ToolCall
from generators.families import FAMILIES
from pipeline.reasons import Explanation
from pipeline.task_source import Wish, generated
from pipeline.verdict_text import verdict_text
from pipeline.walk import walk
from tests.pipeline.contact_task import (
    CONTACT,
    DESK,
    FIND,
    HALL,
    NUMBER,
    OREN,
    OREN_TOO,
    POST,
    SAY,
    UPDATE,
    call,
    contact_task,
)


def judged(task: Task, *calls: ToolCall) -> Explanation:
    return walk(task, calls).explanation


def say(text: str) -> ToolCall:
    return call("slack_post_message", channel="desk", text=text)


def test_a_solved_task_has_no_reasons_to_give() -> None:
    found = judged(contact_task(), FIND, UPDATE, SAY)
    assert found.strict
    assert [(one.satisfied, one.reason, one.wrong) for one in found.expected] == [(True, "", ())] * 2
    assert found.collateral == ()


def test_a_wrong_value_is_told_with_what_was_wanted_and_what_was_there_before() -> None:
    task = contact_task()
    found = judged(task, call("salesforce_update_contact", id=OREN, phone="555-0199"), SAY)
    (wrong,) = found.expected[0].wrong
    assert (wrong.field, wrong.found, wrong.was) == ("Phone", "555-0199", "555-0100")
    assert wrong.wanted == f"is the telephone number {NUMBER}, in any spelling"
    assert found.expected[0].row_id == OREN
    text = verdict_text(task, found, 200)
    assert text.startswith("no pass, partial credit 0.50: 1 of 2 expected changes found, 0 collateral")
    assert 'found "555-0199", was "555-0100" before' in text


def test_of_prose_only_the_facts_that_are_missing_or_false_are_told() -> None:
    found = judged(
        contact_task(), UPDATE, call("slack_post_message", channel="desk", text="Orin Haddad has a new number")
    )
    wrong = found.expected[1].wrong
    assert [one.field for one in wrong] == ["text", "text"]
    assert wrong[0].wanted == f'states "Oren Haddad" with "{NUMBER}" as phone (in one clause or line)'
    assert wrong[1].wanted == 'does not claim "Orin Haddad"'
    only_one = judged(
        contact_task(),
        UPDATE,
        call("slack_post_message", channel="desk", text=f"{SAY.arguments['text']}. Not Orin Haddad? Orin Haddad"),
    )
    assert [one.wanted for one in only_one.expected[1].wrong] == ['does not claim "Orin Haddad"']


def test_what_was_not_touched_is_said_to_be_as_it_was() -> None:
    first, second = judged(contact_task()).expected
    assert first.reason == f"update salesforce.Contact {OREN} (Oren Haddad): the row is as it was at the beginning"
    assert second.reason == "no new row of slack.Message with the right 'channel'"


def test_a_row_made_in_the_wrong_place_is_named_as_the_nearest() -> None:
    found = judged(contact_task(), UPDATE, call("slack_post_message", channel="hall", text=SAY.arguments["text"]))
    assert f'wanted: it is "{DESK}" (desk); found "{HALL}" (hall)' in found.expected[1].reason
    assert [one.change.after and one.change.after["channel"] for one in found.collateral] == [HALL]


def test_a_stray_row_is_named_with_what_changed() -> None:
    task = contact_task()
    found = judged(task, UPDATE, SAY, call("salesforce_update_contact", id=OREN_TOO, phone=NUMBER))
    (stray,) = found.collateral
    assert stray.row == f"salesforce.Contact/{OREN_TOO} (update)"
    assert stray.reason == "nobody asked for a change of this row"
    assert f'Phone: "555-0101" -> "{NUMBER}"' in verdict_text(task, found, 200)


def test_a_further_field_of_an_expected_row_is_named() -> None:
    found = judged(contact_task(), call("salesforce_update_contact", id=OREN, phone=NUMBER, title="Chief"), SAY)
    (stray,) = found.collateral
    assert found.expected[0].satisfied
    assert stray.reason == "beside what 'number' expects of this row, it changed Title"


def test_a_deleted_row_that_was_to_be_updated_is_told() -> None:
    task = contact_task(actions=("salesforce_delete_record",))
    found = judged(task, call("salesforce_delete_record", id=OREN))
    assert found.expected[0].reason.endswith("instead it was deleted")
    assert found.collateral[0].reason == "nobody asked for this row's deletion"


def test_of_a_group_every_way_is_told() -> None:
    other = Change(
        label="other", app="salesforce", collection="Contact", action="update", id=OREN_TOO, fields=CONTACT.fields
    )
    task = contact_task(contract=Contract(all_of=(POST,), any_of=((CONTACT, other),)))
    missed = judged(task, SAY).expected[1]
    assert missed.reason.startswith("none of 2 ways was taken: ")
    assert OREN in missed.reason and OREN_TOO in missed.reason
    assert judged(task, SAY, call("salesforce_update_contact", id=OREN_TOO, phone=NUMBER)).strict


def test_a_reference_to_another_row_is_explained_by_its_label() -> None:
    answer = Change(
        label="answer",
        app="slack",
        collection="Message",
        action="create",
        key={"text": (Equals(value="done"),)},
        fields={"thread_ts": (Ref(label="word"),)},
    )
    task = contact_task(contract=Contract(all_of=(POST, answer)))
    missed = judged(task, SAY, say("done")).expected[1]
    assert [one.wanted for one in missed.wrong] == ["is the id of the row that meets 'word'"]


def test_an_element_that_a_list_lacks_is_wrong_in_all_its_fields() -> None:
    cells: dict[str, tuple[Matcher, ...]] = {
        "attachments[*].title": (Equals(value="a"),),
        "attachments[*].text": (Equals(value="b"),),
    }
    post = POST.model_copy(update={"fields": {**POST.fields, **cells}})
    found = judged(contact_task(contract=Contract(all_of=(post,))), SAY)
    assert [(one.field, one.wanted) for one in found.expected[0].wrong] == [
        ("attachments[*].title", 'is "a"'),
        ("attachments[*].text", 'is "b"'),
    ]


@pytest.mark.parametrize("name", [family.name for family in FAMILIES])
def test_every_trap_of_every_family_is_explained_as_the_verdict_counts_it(name: str) -> None:
    task = generated(name, Wish(profile="full", seed="reasons"))
    for trap in task.traps:
        episode = Episode(task, "actions")
        for one in trap.sprung:
            episode.call(one.tool, one.arguments)
        verdict, found = episode.verdict(), walk(task, trap.sprung).explanation
        assert [stray.row for stray in found.collateral] == list(verdict.collateral)
        for judgement, finding in zip(verdict.expected, found.expected, strict=True):
            assert (finding.label, finding.satisfied) == (judgement.label, judgement.satisfied)
            assert bool(finding.reason) is not judgement.satisfied
            assert list(dict.fromkeys(wrong.field for wrong in finding.wrong)) == list(judgement.wrong)
