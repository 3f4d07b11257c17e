"""Tests of the proof: a sound task passes, and a task with any one flaw is stopped at the check that names it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from environment.apps import APPS
from environment.attempt import RowChange
from environment.contract import Allowance, Change, Contract, Equals, Fact, Mentions, Money, Phone, SetOf
from environment.episode import base_of, derived_fields
from environment.task import Derivation, Task, ToolCall, Trap, make_task
from environment.verifier import verify
from generators.proof import Case, End, ProofError, is_refusal, prove, same_bytes

OREN, HADDA, PETRA = "003000000000101AAA", "003000000000102AAA", "003000000000103AAA"
CHANNEL = "C0000000201"


def call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall(tool=tool, arguments=arguments)


def contact(key: str, first: str, last: str, phone: str) -> dict[str, Any]:
    email = f"{first}.{last}@larkfield-optics.com".lower()
    return {"Id": key, "FirstName": first, "LastName": last, "Email": email, "Phone": phone}


FIND = call("salesforce_find_contacts", name="Haddad")
SET = call("salesforce_update_contact", id=OREN, phone="555-0142")
POST = call("slack_post_message", channel="desk", text="Oren Haddad: 555-0142")
PHONE = Change(
    label="phone", app="salesforce", collection="Contact", action="update", id=OREN,
    fields={"Phone": (Phone(number="555-0142"),)},
)  # fmt: skip
NUMBER = Fact(read_as="phone", spellings=("555-0142",))
POSTED = Change(
    label="post", app="slack", collection="Message", action="create", key={"channel": (Equals(value=CHANNEL),)},
    fields={"text": (Mentions(facts=((Fact(spellings=("Oren Haddad",)), NUMBER),)),)},
)  # fmt: skip
NEAR = Trap(
    name="near_duplicate",
    note="Takes Oren Hadda.",
    sprung=(call("salesforce_update_contact", id=HADDA, phone="555-0142"), POST),
)


def a_task(**other: Any) -> Task:
    """Oren Haddad's new number goes on his contact and into a channel."""
    parts: dict[str, Any] = {
        "split": "train", "domain": "support", "family": "new_number", "seed": "s", "index": 0,
        "generator_version": "0", "knobs": {"hops": 1.0}, "apps": ("salesforce", "slack"),
        "actions": ("salesforce_find_contacts", "salesforce_update_contact", "slack_post_message"),
        "toolset": "actions", "now": "2026-03-04T09:20:00+00:00",
        "actor": {"name": "Ana Roth", "email": "ana@tarnwick.com", "company": "Tarnwick", "domain": "tarnwick.com"},
        "prompt": "Oren Haddad rang from 555-0142. Put it on his contact, then tell #desk name and number.",
        "world": {
            "salesforce": {
                "Contact": (
                    contact(OREN, "Oren", "Haddad", "555-0199"),
                    contact(HADDA, "Oren", "Hadda", "555-0117"),
                    contact(PETRA, "Petra", "Voss", "555-0155"),
                )
            },
            "slack": {"Channel": ({"id": CHANNEL, "name": "desk"}, {"id": "C0000000202", "name": "lunch"})},
        },
        "contract": Contract(all_of=(PHONE, POSTED)),
        "traps": (NEAR,),
        "reference": (FIND, SET, POST),
        "reorderings": ((0, 2, 1),),
        "alternatives": ((FIND, call("salesforce_update_contact", id=OREN, phone="(555) 0142"), POST),),
    }  # fmt: skip
    return make_task(**{**parts, **other})


def failed_check(task: Task) -> str:
    with pytest.raises(ProofError) as error:
        prove(task)
    assert error.value.task_id == task.id
    assert task.id in str(error.value)
    return error.value.check


def test_sound_task_is_proven_with_counts_of_every_kind():
    proof = prove(a_task())
    assert proof.references == 2
    assert set(proof.mutants) == {"nothing", "reading", "shotgun", "undone", "dropped", "altered", "trap", "stray"}
    assert proof.mutants["dropped"] == 2
    assert proof.mutants["altered"] >= 4
    assert proof.mutants["stray"] >= 4
    assert proof.equivalents["reordering"] == proof.equivalents["alternative"] == 1
    assert proof.equivalents["spelling"] >= 4
    assert proof.values_traced >= 6
    assert prove(a_task()) == proof


class Plodding(Case):
    """A proof that judges everything from nothing and does every solution from its first call, reading and all."""

    def is_strict(self, changes: Sequence[RowChange]) -> bool:
        return verify(self.task.contract, changes, derived_fields(self.apps)).strict

    def write(self, calls: Sequence[ToolCall]) -> End:
        run = self.run(calls)
        return End(run.changes, any(map(is_refusal, run.results)))


def test_a_proof_without_shortcuts_counts_the_same():
    late = Trap(
        name="superseded",
        note="Posts the old number.",
        sprung=(FIND, SET, call("slack_post_message", channel="desk", text="Oren Haddad: 555-0199")),
    )
    task = a_task(traps=(NEAR, late))
    case = Plodding(task, APPS, base_of(task))
    for check in case.checks().values():
        check()
    assert case.proof() == prove(task)
    assert case.proof().mutants["trap"] == 2


def test_a_hurried_solution_that_ends_well_is_stopped_wherever_it_leaves_the_reference():
    posted_twice = (FIND, SET, POST, call("salesforce_update_contact", id=OREN, phone="555-0142"))
    assert failed_check(a_task(traps=(NEAR, Trap(name="hurry", note="Sets it twice.", sprung=posted_twice)))) == "trap"


@pytest.mark.parametrize(
    ("reference", "what"),
    [
        ((FIND, SET), "unfinished"),
        ((FIND, SET, POST, POST), "done twice"),
        ((FIND, call("salesforce_update_contact", id="003000000000999AAA", phone="555-0142"), POST), "refused"),
        ((FIND, SET, call("slack_no_such_tool")), "unknown tool"),
        ((FIND, call("salesforce_update_contact", id=OREN, phone="555-0142", title="CEO"), POST), "collateral"),
    ],
)
def test_reference_that_does_not_pass_is_stopped(reference, what):
    assert failed_check(a_task(reference=reference, reorderings=())) == "reference", what


def test_contract_that_lets_everything_be_touched_is_stopped():
    free = Allowance(app="salesforce", collection="Contact", action="update", fields=("Phone",))
    posts = Allowance(app="slack", collection="Message", action="create")
    contract = Contract(all_of=(PHONE, POSTED), allowed=(free, posts))
    assert failed_check(a_task(contract=contract)) == "shotgun"


def test_contract_that_lets_a_whole_application_be_touched_is_stopped():
    free = [
        Allowance(app="slack", collection="Channel", action=action, fields=fields)
        for action, fields in (
            ("create", ()),
            ("delete", ()),
            (
                "update",
                tuple("id name is_private is_archived is_im user members topic purpose created creator".split()),
            ),
        )
    ]
    assert failed_check(a_task(contract=Contract(all_of=(PHONE, POSTED), allowed=tuple(free)))) == "stray"


def test_trap_that_does_no_harm_is_stopped():
    harmless = Trap(name="hurry", note="Skips the look-up.", sprung=(SET, POST))
    assert failed_check(a_task(traps=(NEAR, harmless))) == "trap"
    assert failed_check(a_task(traps=())) == "trap"


def test_other_order_or_route_that_fails_is_stopped():
    assert failed_check(a_task(reorderings=((0, 1),))) == "reordering"
    assert failed_check(a_task(alternatives=((FIND, POST),))) == "alternative"


def test_change_that_nobody_makes_is_stopped():
    other = POSTED.model_copy(
        update={"label": "mail", "app": "gmail", "key": {"to": (SetOf(members=("a@b.example",)),)}}
    )
    contract = Contract(all_of=(PHONE,), any_of=((POSTED, other),))
    assert failed_check(a_task(contract=contract)) == "dropped"


@pytest.mark.parametrize(
    "prompt",
    [
        "Oren Haddad has a new number. Put it on his contact, then tell #desk name and number.",
        "Oren Haddad rang from 555-0124. Put it on his contact, then tell #desk name and number.",
        "Oren Haddad rang from 555-0142. Put it on his contact, then tell the team name and number.",
    ],
)
def test_value_that_nobody_can_know_is_stopped(prompt):
    assert failed_check(a_task(prompt=prompt)) == "discoverability"


def test_id_that_was_not_looked_up_first_is_stopped():
    assert failed_check(a_task(reference=(SET, FIND, POST), reorderings=())) == "discoverability"


def test_prompt_that_gives_everything_away_is_stopped_where_it_should_be_found():
    assert failed_check(a_task(knobs={"hops": 2.0})) == "discoverability"


DEAL, OTHER_DEAL = "006000000000101AAA", "006000000000102AAA"


def a_sum(**other: Any) -> Task:
    """A deal's amount grows by a number of the prompt: 2,004 + 930 stands nowhere."""
    amount = Change(
        label="deal", app="salesforce", collection="Opportunity", action="update", id=DEAL,
        fields={"Amount": (Money(amount="2934.00"),)},
    )  # fmt: skip
    find = call("salesforce_find_opportunities", name="Larkfield")
    rows = [
        {"Id": key, "Name": f"{name} deal", "StageName": "Prospecting", "CloseDate": "2026-04-01", "Amount": value}
        for key, name, value in ((DEAL, "Larkfield", 2004), (OTHER_DEAL, "Larkhill", 500))
    ]
    parts: dict[str, Any] = {
        "apps": ("salesforce",),
        "actions": ("salesforce_find_opportunities", "salesforce_update_opportunity"),
        "prompt": "Larkfield ordered another 930, add it to the amount of their deal.",
        "world": {"salesforce": {"Opportunity": tuple(rows)}},
        "contract": Contract(all_of=(amount,)),
        "reference": (find, call("salesforce_update_opportunity", id=DEAL, amount=2934)),
        "traps": (
            Trap(
                name="replaced", note="Replaces.", sprung=(call("salesforce_update_opportunity", id=DEAL, amount=930),)
            ),
        ),
        "derivations": (Derivation(value="2934.00", rule="2004 + 930"),),
        "reorderings": (),
        "alternatives": (),
    }
    return a_task(**{**parts, **other})


def test_declared_rule_makes_a_value_known_when_its_operands_were_seen():
    assert prove(a_sum()).references == 2
    assert failed_check(a_sum(derivations=())) == "discoverability"
    assert failed_check(a_sum(derivations=(Derivation(value="2934.00", rule="2000 + 934"),))) == "discoverability"
    assert failed_check(a_sum(derivations=(Derivation(value="2934.00", rule="2934.00"),))) == "discoverability"


@pytest.mark.parametrize("word", ["This one is a decoy", "new_number", "near-duplicate of Oren", "NearDuplicate"])
def test_label_of_ours_in_the_world_is_stopped(word):
    world = dict(a_task().world)
    world["salesforce"] = {
        "Contact": (*world["salesforce"]["Contact"], {**contact("003000000000104AAA", "A", "B", "5"), "Title": word})
    }
    assert failed_check(a_task(world=world)) == "labels"


def test_same_bytes_ignores_the_proof_only():
    task = a_task()
    proven = task.model_copy(update={"proof": prove(task)})
    assert same_bytes(task, proven)
    assert not same_bytes(task, a_task(prompt=task.prompt + " "))
