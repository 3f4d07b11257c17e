"""Tests of what a text states and which claims it makes."""

from __future__ import annotations

import time

import pytest

from environment.contract import Fact, Mentions, Omits
from environment.matchers import accepts


def text(*spellings: str) -> Fact:
    return Fact(spellings=spellings)


def money(spelling: str) -> Fact:
    return Fact(read_as="money", spellings=(spelling,))


def day(iso: str) -> Fact:
    return Fact(read_as="date", spellings=(iso,))


def phone(number: str) -> Fact:
    return Fact(read_as="phone", spellings=(number,))


def mentions(value: object, *tuples: tuple[Fact, ...]) -> bool:
    return accepts(Mentions(facts=tuples), value, {})


def omits(value: object, *claims: tuple[Fact, ...]) -> bool:
    return accepts(Omits(claims=claims), value, {})


APPROVED = text("Approved")


@pytest.mark.parametrize(
    "prose",
    [
        "Approved",
        "approved.",
        "The request has been *approved*.",
        "<p>Status:&nbsp;<b>Approved</b></p>",
        "_Approved_",
        "Not only approved but also paid",
        "No issues found, approved",
        "This is not a problem, it is approved",
        "Not rejected: approved",
        "Reviewed no later than Friday and approved",
        "It was not late and is Approved now",
        "Status: Not Approved yesterday\nStatus today: Approved",
        {"type": "doc", "content": [{"type": "paragraph", "content": [{"type": "text", "text": "It is Approved"}]}]},
    ],
)
def test_approval_is_stated(prose):
    assert mentions(prose, (APPROVED,))


@pytest.mark.parametrize(
    "prose",
    [
        "",
        None,
        "Not Approved",
        "The request isn't approved",
        "The request isn’t yet fully approved",
        "no longer approved",
        "It was never approved",
        "This cannot be approved",
        "can't be approved",
        "not going to be approved",
        "unapproved",
        "Un-approved",
        "disapproved",
        "Approvedish",
        "Approved: no",
        "Approved? No.",
        "neither reviewed nor approved",
        "without being approved",
        "failed to be approved",
        "~~Approved~~ on hold",
        "<s>Approved</s> on hold",
        "<del>Approved</del> on hold",
        "On Mon, 2 March 2026 Ana wrote:\n> Approved\n",
    ],
)
def test_approval_is_not_stated(prose):
    assert not mentions(prose, (APPROVED,))


GBP_930 = money("GBP 930.00")


@pytest.mark.parametrize(
    "prose",
    [
        "£930",
        "930 GBP",
        "GBP 930.00",
        "gbp 930",
        "930.00",
        "a credit of £930.00.",
        "(GBP 930.00)",
        "930 pounds",
        "£930,",
        "GBP930",
    ],
)
def test_amount_is_stated_in_any_spelling(prose):
    assert mentions(f"CN-20431: {prose}", (text("CN-20431"), GBP_930))


@pytest.mark.parametrize(
    "prose",
    [
        "EUR 930.00", "$930", "£93", "£9300", "£930.50", "£1,930", "930%", "RMA-930", "-£930", "930-B", "1.930,00 EUR",
        "£9,30.00.1", "930k", "not £930", "9:30", "930 EUR", "2930", "5,930.00",
    ],
)  # fmt: skip
def test_other_amount_is_not_taken_for_it(prose):
    assert not mentions(f"CN-20431: {prose}", (text("CN-20431"), GBP_930))


@pytest.mark.parametrize(
    "prose",
    ["1240", "£1,240", "GBP 1,240.00", "1.240,00 GBP", "GBP 1 240.00", "GBP 1 240,00", "1'240.00 GBP", "£1240.0"],
)
def test_thousands_are_read_in_any_style(prose):
    assert mentions(f"Total {prose} due", (money("GBP 1240.00"),))


@pytest.mark.parametrize(
    "prose",
    [
        "2026-03-04", "4 March 2026", "4 March", "March 4", "Mar 4, 2026", "Wednesday, 4 March 2026", "4th of March",
        "3/4/2026", "03/04/2026", "4.3.2026", "04-Mar-2026", "March 4th", "Wed, Mar 4", "2026-03-04T10:00",
        "4 Mar. 2026",
    ],
)  # fmt: skip
def test_day_is_stated_in_any_spelling(prose):
    assert mentions(f"The call is on {prose}.", (day("2026-03-04"),))


@pytest.mark.parametrize(
    "prose",
    ["2026-03-05", "4 March 2025", "14 March", "4 May", "4/3/2026", "2026-04-03", "March 40", "not on 4 March"],
)
def test_other_day_is_not_taken_for_it(prose):
    assert not mentions(f"The call is {prose}.", (day("2026-03-04"),))


@pytest.mark.parametrize(
    "prose",
    [
        "+1 415 555 0142",
        "(415) 555-0142",
        "415.555.0142",
        "1-415-555-0142",
        "4155550142",
        "<tel:+14155550142|415-555-0142>",
    ],
)
def test_phone_is_stated_in_any_spelling(prose):
    assert mentions(f"Call {prose}, please", (phone("+14155550142"),))


@pytest.mark.parametrize("prose", ["415 555 0124", "555-0142", "+44 415 555 0142", "415-555-01420", "9415 555 0142"])
def test_other_phone_is_not_taken_for_it(prose):
    assert not mentions(f"Call {prose}, please", (phone("+14155550142"),))


BILLS = (
    (text("B-7711"), money("GBP 612.40")),
    (text("B-7719"), money("EUR 1480.00")),
    (text("B-7730"), money("GBP 1074.00")),
)


@pytest.mark.parametrize(
    "prose",
    [
        "B-7711 GBP 612.40, B-7719 EUR 1,480.00, B-7730 GBP 1,074.00",
        "B-7711: £612.40\nB-7719: €1,480.00\nB-7730: £1,074.00",
        "GBP 612.40 is left on B-7711, EUR 1,480.00 on B-7719 and GBP 1,074.00 on B-7730",
        "GBP 612.40 is left on B-7711, and B-7719 has EUR 1,480.00; B-7730 has GBP 1,074.00.",
        "B-7711, B-7719 and B-7730 have GBP 612.40, EUR 1,480.00 and GBP 1,074.00 left respectively",
        "CN-20431 for £930.00 was applied to B-7730, which has GBP 1,074.00 left. B-7711 612.40, B-7719 1480.00 open",
        "Left: B-7711 (GBP 612.40), B-7719 (EUR 1,480.00), B-7730 (GBP 1,074.00, was GBP 2,004.00)",
        "• B-7711 – GBP 612.40 due 5 March\n• B-7719 – EUR 1,480.00 due 10 March\n• B-7730 – GBP 1,074.00",
        "B-7711\n- Left: GBP 612.40\n- Due: 5 March\nB-7719\n- Left: EUR 1,480.00\nB-7730\n- Left: GBP 1,074.00",
        "<table><tr><td>B-7711</td><td>GBP 612.40</td></tr><tr><td>B-7719</td><td>EUR 1,480.00</td></tr>"
        "<tr><td>B-7730</td><td>GBP 1,074.00</td></tr></table>",
        "| Bill | Left |\n|---|---|\n| B-7711 | GBP 612.40 |\n| B-7719 | EUR 1,480.00 |\n| B-7730 | GBP 1,074.00 |",
        "B-7711 is still open. It has GBP 612.40 left. B-7719 has EUR 1,480.00 left. B-7730: GBP 1,074.00.",
        "Paid GBP 50.00 fees, B-7730 has GBP 1,074.00, B-7711 GBP 612.40, B-7719 EUR 1,480.00",
        "B-7711 not affected: GBP 612.40; B-7719 not affected: EUR 1,480.00; B-7730 now GBP 1,074.00",
    ],
)
def test_pairs_are_stated(prose):
    assert mentions(prose, *BILLS)


@pytest.mark.parametrize(
    "prose",
    [
        "B-7711 EUR 1,480.00, B-7719 GBP 612.40, B-7730 GBP 1,074.00",
        "B-7711: EUR 1,480.00\nB-7719: GBP 612.40\nB-7730: GBP 1,074.00",
        "B-7711 has EUR 1,480.00. B-7719 has GBP 612.40. B-7730 has GBP 1,074.00.",
        "EUR 1,480.00 is left on B-7711, GBP 612.40 on B-7719, GBP 1,074.00 on B-7730",
        "B-7711, B-7719 and B-7730 have EUR 1,480.00, GBP 612.40 and GBP 1,074.00 left respectively",
        "B-7711 (EUR 1,480.00), B-7719 (GBP 612.40), B-7730 (GBP 1,074.00)",
        "B-7711\n- Left: EUR 1,480.00\nB-7719\n- Left: GBP 612.40\nB-7730\n- Left: GBP 1,074.00",
        "B-7711 GBP 612.40, B-7719 EUR 1,480.00, B-7730 GBP 2,004.00",
        "B-7711 GBP 612.40, B-7719 EUR 1,480.00",
        "B-7711 GBP 612.40, B-7719 GBP 1,480.00, B-7730 GBP 1,074.00",
        "B-7711, B-7719, B-7730",
        "GBP 612.40, EUR 1,480.00, GBP 1,074.00",
        "B-77110 GBP 612.40, B-7719 EUR 1,480.00, B-7730 GBP 1,074.00",
    ],
)
def test_swapped_or_missing_pairs_are_not_stated(prose):
    assert not mentions(prose, *BILLS)


def test_pairs_of_names_and_decisions_are_told_apart():
    pairs = ((text("Anna"), APPROVED), (text("Ben"), text("Rejected")))
    assert mentions("Anna: approved, Ben: rejected", *pairs)
    assert mentions("Approved Anna and rejected Ben", *pairs)
    assert not mentions("Anna: rejected, Ben: approved", *pairs)
    assert not mentions("Rejected Anna and approved Ben", *pairs)
    assert not mentions("Anna: not approved, Ben: rejected", *pairs)


def test_negation_reaches_a_few_words_but_not_whom_something_is_for():
    pair = (text("Larkfield Optics"), GBP_930)
    assert mentions("There is no change for Larkfield Optics, still GBP 930.00", pair)
    assert mentions("Do not forget the call with Larkfield Optics about GBP 930.00", pair)
    assert mentions("Mail from no-reply: Larkfield Optics owes GBP 930.00", pair)
    assert not mentions("It is not Larkfield Optics that owes GBP 930.00", pair)
    assert not mentions("Larkfield Optics does not owe GBP 930.00", pair)
    assert not mentions("not for Larkfield Optics: GBP 930.00", pair)


def test_abbreviations_and_decimals_do_not_end_a_clause():
    pair = (text("Larkfield Inc."), GBP_930)
    assert mentions("Larkfield Inc. gets 930.00 back", pair)
    assert mentions("We owe approx. £930.00 to Larkfield Inc. for it", pair)


APPLIED = tuple((text(number), text("applied", "credited")) for number in ("20417", "CN-20422", "CN-8831"))


@pytest.mark.parametrize(
    "prose",
    [
        None,
        "",
        "CN-20431 was applied to B-7730",
        "20417 is void and was not applied",
        "CN-20431 (GBP 930.00) was applied to B-7730. CN-20417 is void.",
        "CN-20431, which replaces CN-20417, was applied to B-7730",
        "CN-20431 (replacing CN-20417) was applied to B-7730",
        "CN-20431 replaces CN-20417 and was applied",
        "CN-20417 was replaced by CN-20431, which was applied",
        "Applied CN-20431 instead of the void CN-20417",
        "Instead of CN-20417, CN-20431 was applied",
        "CN-20431 was applied, CN-20417 is void",
        "CN-20431 was applied, CN-20417 was not",
        "CN-20417: void, CN-20431: applied",
        "CN-20417 is void so we applied CN-20431",
        "We applied CN-20431 because CN-20417 is void",
        "We applied CN-20431 as CN-20417 is void",
        "20417 is void and the replacement was applied",
        "CN-20422 will be applied when RMA-561 is received",
        "Once RMA-561 is received, CN-20422 can be applied",
        "CN-20422 is on hold: nothing applied until the goods are received",
        "I have not applied CN-20417, CN-20422 or CN-8831",
        "Not applied: CN-20417, CN-20422, CN-8831",
        "None of CN-20417, CN-20422 and CN-8831 was applied",
        "Neither CN-20417 nor CN-20422 was applied",
        "Applied: CN-20431. Not applied: CN-20417 (void), CN-20422 (in transit)",
        "Should CN-20422 be applied?",
        "CN-20431 was credited, not CN-20417",
        "CN-120417 was applied",
        "CN-20422-B was applied",
        "CN-20417 applied: no",
        "CN-20431 applied to B-7730; CN-20417, CN-20422 and CN-8831 left alone",
    ],
)
def test_harmless_prose_makes_no_claim(prose):
    assert omits(prose, *APPLIED)


@pytest.mark.parametrize(
    "prose",
    [
        "20417 was applied",
        "CN-20417 was applied to B-7730",
        "Applied CN-20417 for GBP 1,240.00",
        "CN-20417 and CN-20431 were applied",
        "CN-20431 and CN-20417 were applied",
        "Applied: CN-20431, CN-20417",
        "CN-20431 was applied and CN-20417 too",
        "CN-20417 was received on Monday and applied today",
        "CN-20417, as agreed, was applied",
        "CN-20417 (GBP 1,240.00) was applied",
        "CN-20417 - applied",
        "CN-20431: applied\nCN-20422: applied",
        "CN-20417 was not late and was applied",
        "Not only CN-20431 but also CN-20417 was applied",
        "We did not wait: CN-20417 was applied",
        "CN-20417 was not received. CN-20422 was applied.",
        "CN-20417 was not received and CN-20422 was applied",
        "<p>CN-8831 has been <b>credited</b></p>",
        "Is all done? CN-20417 was applied.",
    ],
)
def test_false_claims_are_found(prose):
    assert not omits(prose, *APPLIED)


STATUSES = ("Paid", "Partial", "Overdue")
TOLD = (("4610", "Partial"), ("8953", "Overdue"), ("5024", "Paid"))
FALSE_STATUSES = tuple((text(number), text(word)) for number, right in TOLD for word in STATUSES if word != right)
FALSE_DAYS = ((text("Ana Bo"), day("2026-03-02")), (text("Cy Do"), day("2026-03-11")))


@pytest.mark.parametrize(
    "prose",
    [
        "4610: Partial, 8953: Overdue, 5024: Paid.",
        "4610 Partial, 8953 Overdue, 5024 Paid",
        "4610 is Partial, 8953 is Overdue and 5024 is Paid",
        "Partial: 4610, Overdue: 8953, Paid: 5024",
        "4610, 8953 and 5024 are Partial, Overdue and Paid respectively",
        "4610: Partial, paid 110\n8953: Overdue, nothing came\n5024: Paid",
        "4610: Partial (paid 110 of 200)\n8953: Overdue\n5024: Paid in full",
        "4610 was partially paid: Partial",
        "4610 - Partial, they paid 110 and 90 is open",
    ],
)
def test_several_statuses_in_one_clause_are_told_apart(prose):
    assert omits(prose, *FALSE_STATUSES)


@pytest.mark.parametrize(
    "prose",
    [
        "4610: Paid, 8953: Overdue, 5024: Partial.",
        "4610 is Overdue, 8953 is Overdue and 5024 is Paid",
        "4610: Partial, Paid",
        "4610: Partial / Paid",
        "4610: Partial and paid",
        "4610: Partial or Paid",
        "4610, 8953 and 5024 are Paid, Overdue and Partial respectively",
        "4610: Partial\n4610: paid",
    ],
)
def test_a_second_status_is_a_claim(prose):
    assert not omits(prose, *FALSE_STATUSES)


@pytest.mark.parametrize(
    "prose",
    [
        "Ana Bo: 2026-03-04 (was 2026-03-02)\nCy Do: 2026-03-09 (formerly 2026-03-11)",
        "Ana Bo: 2026-03-04, corrected from 2026-03-02",
        "Ana Bo: moved from 2 March 2026 to 4 March 2026",
        "Ana Bo: 2026-03-02 -> 2026-03-04\nCy Do: 2026-03-11 → 2026-03-09",
        "Ana Bo starts 2026-03-04 (previously 2026-03-02), Cy Do starts 2026-03-09",
        "Ana Bo: 2026-03-04. For Ana Bo 2026-03-02 is void.",
    ],
)
def test_what_was_before_is_no_claim_beside_what_holds(prose):
    assert omits(prose, *FALSE_DAYS)


@pytest.mark.parametrize(
    "prose",
    [
        "Ana Bo: 2026-03-02",
        "Ana Bo was 2026-03-02",
        "Ana Bo: 2026-03-02 (was 2026-03-04)",
        "Ana Bo: moved from 4 March 2026 to 2 March 2026",
        "Ana Bo: 2026-03-04 -> 2026-03-02",
        "Ana Bo: 2026-03-04 or 2026-03-02",
        "Ana Bo: 2026-03-04\nAna Bo: 2026-03-02",
    ],
)
def test_a_second_day_is_a_claim(prose):
    assert not omits(prose, *FALSE_DAYS)


def test_a_void_number_is_told_without_a_claim_to_it():
    void = ((text("CN-20417"), money("1240.00")), (text("Jo Ek"), phone("555-0142")))
    assert omits("CN-20417 (GBP 1,240.00) is void.", *void)
    assert omits("CN-20417 over GBP 1,240.00 was withdrawn, CN-20431 counts", *void)
    assert omits("Jo Ek: 555-0177 (555-0142 was mistyped)", *void)
    assert omits("Jo Ek: 555-0177. A mail from elsewhere for Jo Ek with 555-0142 was ignored.", *void)
    assert not omits("CN-20417 (GBP 1,240.00) is booked, CN-20431 is void", *void)
    assert not omits("Jo Ek: 555-0142", *void)


def test_a_former_number_beside_the_new_one_is_no_claim():
    assert omits("Measured 2.8 mm/s, first reported 3.1 mm/s", (text("3.1"),))
    assert omits("The credit is 72.00 (was 48.00)", (money("48.00"),))
    assert omits("We have stored 555-0177 instead of 555-0142", (phone("555-0142"),))
    assert not omits("Measured 3.1 mm/s", (text("3.1"),))
    assert not omits("Measured 3.1 mm/s, first reported 2.8 mm/s", (text("3.1"),))
    assert not omits("The credit is 72.00 or 48.00", (money("48.00"),))
    assert not omits("The credit was 48.00", (money("48.00"),))


REPORT = ((text("CN-20431"), money("930.00")), *BILLS)


@pytest.mark.parametrize(
    "prose",
    [
        "CN-20431 applied: GBP 930.00 to B-7730.\nOpen bills: B-7711 – GBP 612.40, B-7719 – EUR 1,480.00, "
        "B-7730 – GBP 1,074.00.\n(CN-20417 is void and was not applied; CN-20422 waits for RMA-561.)",
        "Credit applied for Larkfield Optics: CN-20431, £930.00, against B-7730 (now £1,074.00 left). Still open: "
        "B-7711 £612.40; B-7719 €1,480.00. CN-20417 was voided and replaced by CN-20431, CN-20422 not applied as "
        "RMA-561 is still in transit.",
        "*Credit note applied*\n• Credit note: CN-20431\n• Amount: GBP 930.00\n\n*Open bills (Larkfield Optics)*\n"
        "• B-7711: GBP 612.40\n• B-7719: EUR 1,480.00\n• B-7730: GBP 1,074.00",
        "Applied CN-20431 (930.00 GBP) to bill B-7730. Left: B-7730 1,074.00 GBP | B-7711 612.40 GBP | "
        "B-7719 1,480.00 EUR",
        "CN-20431 for GBP 930.00 has been applied to B-7730, reducing it from GBP 2,004.00 to GBP 1,074.00. B-7711 "
        "(GBP 612.40) and B-7719 (EUR 1,480.00) are unchanged.",
        "Hi all, credit note CN-20431 over GBP 930.00 is booked against B-7730. What is left: GBP 612.40 on B-7711 "
        "(due 5 March), EUR 1,480.00 on B-7719 (due 10 March) and GBP 1,074.00 on B-7730 (due 19 March). FYI CN-8831 "
        "belongs to another supplier and CN-20417 is void.",
        "<p>CN-20431 &ndash; &pound;930.00 applied.</p><ul><li>B-7711: &pound;612.40</li>"
        "<li>B-7719: &euro;1,480.00</li><li>B-7730: &pound;1,074.00</li></ul>",
        "1. CN-20431: 930 applied to B-7730\n2. B-7711: 612.40 left\n3. B-7719: 1480 left\n4. B-7730: 1074 left",
    ],
)
def test_honest_reports_pass(prose):
    assert mentions(prose, *REPORT)
    assert omits(prose, *APPLIED)


@pytest.mark.parametrize(
    "prose",
    [
        "CN-20431 applied: GBP 930.00 to B-7730. CN-20422 applied: GBP 386.50. Open: B-7711 GBP 612.40, B-7719 EUR "
        "1,480.00, B-7730 GBP 1,074.00.",
        "CN-20431 and CN-8831 applied, GBP 930.00. Open: B-7711 GBP 612.40, B-7719 EUR 1,480.00, B-7730 GBP 1,074.00.",
        "CN-20431 GBP 930.00. Open: B-7711 GBP 612.40, B-7719 EUR 1,480.00, B-7730 GBP 2,004.00.",
        "CN-20431 GBP 930.00. Open: B-7711 GBP 612.40, B-7719 GBP 1,480.00, B-7730 GBP 1,074.00.",
        "CN-20431 GBP 930.00. Open: B-7711 GBP 1,074.00, B-7719 EUR 1,480.00, B-7730 GBP 612.40.",
        "CN-20417 GBP 930.00 applied. Open: B-7711 GBP 612.40, B-7719 EUR 1,480.00, B-7730 GBP 1,074.00.",
        "CN-20431 GBP 930.00 was credited. Open: B-7711 GBP 612.40 and B-7730 GBP 1,074.00.",
        "CN-20431 GBP 930.00; CN-20417 GBP 1,240.00 was credited too. B-7711 612.40, B-7719 1480.00, B-7730 1074.00",
    ],
)
def test_wrong_reports_fail(prose):
    assert not (mentions(prose, *REPORT) and omits(prose, *APPLIED))


def test_omitted_single_fact_counts_unless_negated():
    claim = (text("refund issued"),)
    assert not omits("Your refund issued today", claim)
    assert omits("There was no refund issued", claim)


@pytest.mark.parametrize(
    "part",
    [
        "1,",
        "123 ",
        "<p ",
        "~a",
        "and ",
        "not ",
        "B-7711 GBP 612.40, ",
        "20417, ",
        "applied 20417 ",
        "4 march ",
        "a-",
        "> ",
    ],
)
def test_long_text_is_judged_quickly(part):
    prose = part * (30_000 // len(part))
    start = time.process_time()
    mentions(prose, *BILLS, (day("2026-03-04"),), (phone("+14155550142"),))
    omits(prose, *APPLIED)
    assert time.process_time() - start < 2
