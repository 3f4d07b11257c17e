"""Tests of the verdict on a net change."""

from __future__ import annotations

import itertools
import time

import pytest

from environment.attempt import RowChange
from environment.contract import (
    Allowance,
    Change,
    Contract,
    Date,
    Enum,
    Equals,
    Fact,
    Mentions,
    Money,
    Omits,
    Ref,
    SetOf,
)
from environment.verifier import Judge, reference_levels, verify

DERIVED = {
    "xero": {"Invoices": frozenset({"AmountDue", "UpdatedDateUTC"})},
    "hubspot": {"deals": frozenset({"properties.hs_modified"})},
}


def fields(**demands):
    return {path.replace("__", "."): (matcher,) for path, matcher in demands.items()}


def update(label="task", app="asana", collection="tasks", id="T1", **demands):
    return Change(label=label, app=app, collection=collection, action="update", id=id, fields=fields(**demands))


def create(label, app, collection, key, **demands):
    return Change(
        label=label, app=app, collection=collection, action="create", key=fields(**key), fields=fields(**demands)
    )


def changed(before, after, app="asana", collection="tasks", id="T1", sent=False):
    return RowChange(app=app, collection=collection, id=id, before=before, after=after, sent=sent)


def created(after, app="gmail", collection="messages", id="M1", sent=False):
    return changed(None, after, app, collection, id, sent)


def judge(contract, *changes):
    verdict = verify(contract, changes, DERIVED)
    assert Judge(contract, DERIVED).is_strict(changes) is verdict.strict
    return verdict


DONE = Contract(all_of=(update(status=Enum(value="done")),))
MAIL = create("mail", "gmail", "messages", {"to": Equals(value="ana@tarnwick.example")}, subject=Equals(value="Hi"))


def test_expected_change_alone_is_strict():
    verdict = judge(DONE, changed({"status": "open"}, {"status": "Done"}))
    assert (verdict.strict, verdict.partial_credit, verdict.collateral) == (True, 1.0, ())
    assert verdict.expected[0].row_id == "T1"


def test_doing_nothing_earns_nothing():
    verdict = judge(DONE)
    assert (verdict.strict, verdict.partial_credit) == (False, 0.0)


def test_only_collateral_earns_nothing():
    assert judge(DONE, changed({"status": "open"}, {"status": "done"}, id="T2")).partial_credit == 0.0


def test_wrong_value_is_unsatisfied_and_no_collateral():
    verdict = judge(DONE, changed({"status": "open"}, {"status": "not done"}))
    assert (verdict.strict, verdict.partial_credit, verdict.collateral) == (False, 0.0, ())
    assert verdict.expected[0].wrong == ("status",)


def test_unlisted_field_on_an_expected_row_is_one_collateral_and_the_change_still_counts():
    verdict = judge(DONE, changed({"status": "open", "a": 1, "b": 1}, {"status": "done", "a": 2, "b": 2}))
    assert verdict.expected[0].satisfied
    assert verdict.collateral == ("asana.tasks/T1 (update)",)
    assert verdict.partial_credit == 0.5


def test_deleted_row_is_not_updated():
    verdict = judge(DONE, changed({"status": "open"}, None))
    assert verdict.collateral == ("asana.tasks/T1 (delete)",)
    assert not verdict.expected[0].satisfied


def test_derived_fields_are_ignored_unless_matched():
    row = ({"AmountDue": 10, "Reference": ""}, {"AmountDue": 5, "Reference": ""}, "xero", "Invoices", "I1")
    assert judge(DONE, changed(*row), changed({"status": "open"}, {"status": "done"})).strict
    matched = Contract(all_of=(update(app="xero", collection="Invoices", id="I1", AmountDue=Money(amount="5.00")),))
    assert judge(matched, changed(*row)).strict


def test_derived_path_inside_a_field_is_ignored():
    contract = Contract(
        all_of=(update(app="hubspot", collection="deals", id="D1", properties__stage=Equals(value="won")),)
    )
    before = {"properties": {"stage": "new", "amount": "5", "hs_modified": "1"}}
    good = {"properties": {"stage": "won", "amount": "5", "hs_modified": "2"}}
    bad = {"properties": {"stage": "won", "amount": "6", "hs_modified": "2"}}
    assert judge(contract, changed(before, good, "hubspot", "deals", "D1")).strict
    assert judge(contract, changed(before, bad, "hubspot", "deals", "D1")).collateral == ("hubspot.deals/D1 (update)",)


@pytest.mark.parametrize(
    ("after", "strict"),
    [
        (["RMA-553", "Credited", "CN-20431"], True),
        (["RMA-553", "Credited", "CN-20431", ""], True),
        (["RMA-554", "Credited", "CN-20431"], False),
        (["RMA-553", "Credited", "CN-20431", "note"], False),
        (["RMA-553", "Credited"], False),
        (["RMA-553", "Not Credited", "CN-20431"], False),
    ],
)
def test_only_listed_cells_of_a_row_may_change(after, strict):
    demands = {"cells[1]": (Equals(value="Credited"),), "cells[2]": (Equals(value="CN-20431"),)}
    change = Change(label="log", app="google_sheets", collection="rows", action="update", id="R1", fields=demands)
    row = changed({"cells": ["RMA-553", "Received"]}, {"cells": after}, "google_sheets", "rows", "R1")
    assert judge(Contract(all_of=(change,)), row).strict is strict


@pytest.mark.parametrize(
    ("after", "strict"),
    [
        (["ana", "ben"], True),
        (["ben", "ana"], True),
        (["ana", "ben", "cy"], False),
        (["ben"], False),
        (["ana"], False),
    ],
)
def test_star_lets_one_element_change(after, strict):
    change = Change(
        label="guest", app="google_calendar", collection="events", action="update", id="E1",
        fields={"attendees[*].email": (Equals(value="ben"),)},
    )  # fmt: skip

    def rows(names):
        return {"attendees": [{"email": name} for name in names]}

    row = changed(rows(["ana"]), rows(after), "google_calendar", "events", "E1")
    # replacing Ana by Ben looks like editing the only attendee, whose e-mail is the listed field
    assert judge(Contract(all_of=(change,)), row).strict is (strict or after == ["ben"])
    plain = change.model_copy(update={"fields": {"attendees[*]": (Equals(value="ben"),)}})
    row = changed({"attendees": ["ana"]}, {"attendees": after}, "google_calendar", "events", "E1")
    assert judge(Contract(all_of=(plain,)), row).strict is strict


def test_created_row_may_hold_unlisted_fields():
    assert judge(Contract(all_of=(MAIL,)), created({"to": "ana@tarnwick.example", "subject": "Hi", "cc": "x"})).strict


def test_created_row_with_right_key_and_wrong_value_is_unsatisfied_only():
    verdict = judge(Contract(all_of=(MAIL,)), created({"to": "ana@tarnwick.example", "subject": "Bye"}))
    assert (verdict.expected[0].wrong, verdict.collateral) == (("subject",), ())


def test_created_row_without_the_key_is_a_stray():
    verdict = judge(Contract(all_of=(MAIL,)), created({"to": "bob@tarnwick.example", "subject": "Hi"}))
    assert verdict.expected[0].row_id is None
    assert verdict.collateral == ("gmail.messages/M1 (create)",)


def test_second_copy_of_an_expected_message_is_collateral():
    row = {"to": "ana@tarnwick.example", "subject": "Hi"}
    verdict = judge(Contract(all_of=(MAIL,)), created(row), created(row, id="M2"))
    assert verdict.expected[0].satisfied
    assert len(verdict.collateral) == 1
    assert verdict.partial_credit == 0.5


def test_right_copy_is_preferred_to_a_wrong_one_in_any_order():
    rows = [created({"to": "ana@tarnwick.example", "subject": subject}, id=subject) for subject in ("Bye", "Hi", "Ho")]
    for order in itertools.permutations(rows):
        verdict = judge(Contract(all_of=(MAIL,)), *order)
        assert verdict.expected[0].row_id == "Hi"
        assert len(verdict.collateral) == 2


def test_sent_row_counts_although_it_was_deleted_later():
    assert judge(Contract(all_of=(MAIL,)), created({"to": "ana@tarnwick.example", "subject": "Hi"}, sent=True)).strict
    stray = created({"to": "bob@tarnwick.example"}, id="M2", sent=True)
    good = created({"to": "ana@tarnwick.example", "subject": "Hi"})
    assert judge(Contract(all_of=(MAIL,)), good, stray).collateral == ("gmail.messages/M2 (create)",)


def test_overlapping_changes_are_matched_one_to_one():
    wide = create("wide", "gmail", "messages", {"to": Equals(value="ana")})
    narrow = create("narrow", "gmail", "messages", {"to": Equals(value="ana")}, subject=Equals(value="Hi"))
    rows = created({"to": "ana", "subject": "Hi"}), created({"to": "ana", "subject": "Yo"}, id="M2")
    for order in (rows, rows[::-1]):
        assert judge(Contract(all_of=(wide, narrow)), *order).strict
    assert judge(Contract(all_of=(wide, narrow)), rows[0]).partial_credit == 0.5


def test_matching_is_largest_for_every_small_case():
    """Recomputes the largest number of satisfiable changes by trying every assignment."""
    words = ("a", "b", "c")
    changes = [
        create(f"c{n}", "gmail", "messages", {"to": Equals(value="ana")}, s=Enum(value=allowed[0], also=allowed[1:]))
        for n, allowed in enumerate((("a",), ("a", "b"), ("b", "c")))
    ]
    allowed = (("a",), ("a", "b"), ("b", "c"))
    for subjects in itertools.product(words, repeat=3):
        rows = [created({"to": "ana", "s": subject}, id=f"M{n}") for n, subject in enumerate(subjects)]
        best = max(
            sum(subjects[row] in allowed[n] for n, row in enumerate(order))
            for order in itertools.permutations(range(3))
        )
        verdict = judge(Contract(all_of=tuple(changes)), *rows)
        assert sum(judgement.satisfied for judgement in verdict.expected) == best
        assert verdict.collateral == ()


def test_group_of_equivalents_is_met_by_one_and_the_other_is_a_stray():
    post = create("post", "slack", "messages", {"channel": Equals(value="C1")})
    contract = Contract(any_of=((MAIL, post),))
    mail = created({"to": "ana@tarnwick.example", "subject": "Hi"})
    slack = created({"channel": "C1"}, "slack", "messages", "S1")
    assert judge(contract, mail).expected[0].label == "mail"
    assert judge(contract, slack).expected[0].label == "post"
    both = judge(contract, mail, slack)
    assert not both.strict
    assert (len(both.expected), len(both.collateral), both.partial_credit) == (1, 1, 0.5)


INVOICE = create("invoice", "xero", "Invoices", {"Reference": Equals(value="R")}, Total=Money(amount="10"))
PAYMENT = create("payment", "xero", "Payments", {"InvoiceID": Ref(label="invoice")}, Amount=Money(amount="10"))


def test_reference_is_resolved_whatever_the_order_of_rows():
    invoice = created({"Reference": "R", "Total": 10}, "xero", "Invoices", "I7")
    payment = created({"InvoiceID": "I7", "Amount": 10}, "xero", "Payments", "P1")
    wrong = created({"InvoiceID": "I8", "Amount": 10}, "xero", "Payments", "P1")
    contract = Contract(all_of=(PAYMENT, INVOICE))
    assert judge(contract, payment, invoice).strict
    assert judge(contract, wrong, invoice).collateral == ("xero.Payments/P1 (create)",)


def test_reference_to_a_wrong_row_still_counts_for_what_refers_to_it():
    invoice = created({"Reference": "R", "Total": 11}, "xero", "Invoices", "I7")
    payment = created({"InvoiceID": "I7", "Amount": 10}, "xero", "Payments", "P1")
    verdict = judge(Contract(all_of=(INVOICE, PAYMENT)), invoice, payment)
    assert [judgement.satisfied for judgement in verdict.expected] == [False, True]
    assert verdict.partial_credit == 0.5


def test_twin_parents_are_told_apart_by_what_refers_to_them():
    parents = [create(f"p{n}", "xero", "Invoices", {"Reference": Equals(value="R")}) for n in (1, 2)]
    children = [
        create(f"c{n}", "xero", "Payments", {"InvoiceID": Ref(label=f"p{n}"), "Amount": Money(amount=str(n))})
        for n in (1, 2)
    ]
    rows = [created({"Reference": "R"}, "xero", "Invoices", f"I{n}") for n in (1, 2)]
    for owners in (("I1", "I2"), ("I2", "I1")):
        paid = [
            created({"InvoiceID": owner, "Amount": n}, "xero", "Payments", f"P{n}") for n, owner in enumerate(owners, 1)
        ]
        assert judge(Contract(all_of=(*parents, *children)), *rows, *paid).strict


def test_circle_of_references_is_refused():
    one = create("one", "xero", "Invoices", {"a": Ref(label="two")})
    two = create("two", "xero", "Invoices", {"a": Ref(label="one")})
    with pytest.raises(ValueError, match="circle"):
        reference_levels(Contract(all_of=(one, two)))
    with pytest.raises(ValueError, match="refers to"):
        reference_levels(Contract(all_of=(create("one", "xero", "Invoices", {"a": Ref(label="gone")}),)))


READ = Allowance(app="gmail", collection="messages", action="update", fields=("labelIds",))


def test_allowance_covers_only_its_fields_rows_and_action():
    contract = Contract(all_of=(update(status=Enum(value="done")),), allowed=(READ,))
    done = changed({"status": "open"}, {"status": "done"})
    read = changed({"labelIds": ["UNREAD"], "x": 1}, {"labelIds": [], "x": 1}, "gmail", "messages", "M1")
    edited = changed({"labelIds": ["UNREAD"], "x": 1}, {"labelIds": [], "x": 2}, "gmail", "messages", "M1")
    deleted = changed({"labelIds": ["UNREAD"]}, None, "gmail", "messages", "M1")
    assert judge(contract, done, read).strict
    assert len(judge(contract, done, edited).collateral) == 1
    assert len(judge(contract, done, deleted).collateral) == 1


def test_allowance_may_depend_on_the_row():
    draft = Allowance(app="gmail", collection="drafts", action="create", where={"to": (Equals(value="ana"),)})
    gone = Allowance(app="gmail", collection="drafts", action="delete", where={"to": (Equals(value="ana"),)})
    contract = Contract(all_of=(update(status=Enum(value="done")),), allowed=(draft, gone))
    done = changed({"status": "open"}, {"status": "done"})
    for to, strays in (("ana", 0), ("bob", 1)):
        assert len(judge(contract, done, created({"to": to}, collection="drafts")).collateral) == strays
        assert len(judge(contract, done, changed({"to": to}, None, "gmail", "drafts", "D")).collateral) == strays


def test_allowed_field_may_change_on_an_expected_row():
    contract = Contract(
        all_of=(update(app="gmail", collection="messages", id="M1", star=Equals(value=True)),), allowed=(READ,)
    )
    row = changed({"labelIds": ["UNREAD"], "star": False}, {"labelIds": [], "star": True}, "gmail", "messages", "M1")
    assert judge(contract, row).strict


def test_expected_deletion_is_found():
    contract = Contract(all_of=(Change(label="gone", app="asana", collection="tasks", action="delete", id="T1"),))
    assert judge(contract, changed({"a": 1}, None)).strict
    assert judge(contract, changed({"a": 1}, {"a": 2})).partial_credit == 0.0


def test_partial_credit_counts_expected_and_collateral():
    contract = Contract(all_of=tuple(update(label=f"t{n}", id=f"T{n}", status=Enum(value="done")) for n in range(4)))
    rows = [changed({"status": "open"}, {"status": "done"}, id=f"T{n}") for n in (0, 1, 2, 7)]
    assert judge(contract, *rows).partial_credit == 3 / (4 + 1)


# Defect classes that audits found in public benchmarks of this kind, each as a case that must be judged rightly.


def test_defect_substring_acceptance():
    contract = Contract(
        all_of=(update(status=Enum(value="Approved"), note=Mentions(facts=((Fact(spellings=("Approved",)),),))),)
    )
    before = {"status": "New", "note": ""}
    assert judge(contract, changed(before, {"status": "approved", "note": "Approved by Ana"})).strict
    assert judge(contract, changed(before, {"status": "Not Approved", "note": "Approved"})).expected[0].wrong == (
        "status",
    )
    assert judge(contract, changed(before, {"status": "Approved", "note": "Not Approved"})).expected[0].wrong == (
        "note",
    )


def test_defect_grading_the_deed_instead_of_the_end_state():
    """A page created and then deleted, or archived, is not there: the net change says so."""
    page = create("page", "notion", "pages", {"title": Equals(value="Plan")}, archived=Equals(value=False))
    assert judge(Contract(all_of=(page,))).partial_credit == 0.0
    archived = created({"title": "Plan", "archived": True}, "notion", "pages", "N1")
    assert judge(Contract(all_of=(page,)), archived).partial_credit == 0.0


def test_defect_output_that_no_assertion_checks():
    """Everything that is asked is one expected change: leaving one out is not strict."""
    contract = Contract(all_of=(update(status=Enum(value="done")), MAIL))
    verdict = judge(contract, changed({"status": "open"}, {"status": "done"}))
    assert (verdict.strict, verdict.partial_credit) == (False, 0.5)


def test_defect_protected_records_changed_freely():
    done = changed({"status": "open"}, {"status": "done"})
    other = changed({"status": "open"}, {"status": "done"}, id="T9")
    assert not judge(DONE, done, other).strict


@pytest.mark.parametrize("amount", [930, 930.0, "930.00", "£930", "930 GBP", "GBP 930.00"])
@pytest.mark.parametrize("day", ["2026-03-04", "4 March 2026", "3/4/2026", "Mar 4, 2026"])
def test_defect_equivalent_formats_rejected(amount, day):
    contract = Contract(all_of=(update(total=Money(amount="930.00", currency="GBP"), due=Date(day="2026-03-04")),))
    assert judge(contract, changed({"total": None, "due": None}, {"total": amount, "due": day})).strict


def test_defect_order_that_depends_on_a_hash_seed():
    contract = Contract(all_of=(update(tags=SetOf(members=("a", "b", "c"))),))
    for order in itertools.permutations(("a", "b", "c")):
        assert judge(contract, changed({"tags": []}, {"tags": list(order)})).strict


def test_defect_claims_judged_by_words():
    claim = Omits(claims=((Fact(spellings=("20417",)), Fact(spellings=("applied",))),))
    post = create("post", "slack", "messages", {"channel": Equals(value="C1")}, text=claim)
    contract = Contract(all_of=(post,))
    for text, strict in (("20417 is void and was not applied", True), ("20417 was applied", False)):
        assert judge(contract, created({"channel": "C1", "text": text}, "slack", "messages", "S1")).strict is strict


def test_a_judge_asked_again_tells_equal_values_of_other_types_apart():
    contract = Contract(all_of=(update(done=Equals(value=1)),))
    judge_of_many = Judge(contract, DERIVED)
    ends = [changed({"done": 0}, {"done": value}) for value in (1, True, 1.0, 2, 1, True)]
    verdicts = [judge_of_many.verdict((end,)) for end in ends]
    assert verdicts == [judge(contract, end) for end in ends]
    assert [verdict.strict for verdict in verdicts] == [True, False, True, False, True, False]


def test_ordinary_verdict_takes_less_than_a_millisecond():
    facts = ((Fact(spellings=("B-7711",)), Fact(read_as="money", spellings=("GBP 612.40",))),)
    post = create("post", "slack", "messages", {"channel": Equals(value="C1")}, text=Mentions(facts=facts))
    contract = Contract(all_of=(INVOICE, PAYMENT, post, update(status=Enum(value="done"))), allowed=(READ,))
    rows = (
        created({"Reference": "R", "Total": 10}, "xero", "Invoices", "I7"),
        created({"InvoiceID": "I7", "Amount": 10}, "xero", "Payments", "P1"),
        created({"channel": "C1", "text": "CN-20431 applied. B-7711: GBP 612.40"}, "slack", "messages", "S1"),
        changed({"status": "open"}, {"status": "done"}),
    )
    judge(contract, *rows)
    seconds = []
    for _ in range(50):
        start = time.process_time()
        assert judge(contract, *rows).strict
        seconds.append(time.process_time() - start)
    assert sorted(seconds)[len(seconds) // 4] < 0.001
