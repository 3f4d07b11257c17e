"""Supplier credits: suppliers granted credit; it is booked and set off against the open bills that the rules say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from environment.contract import Change, Enum, Equals, Matcher, Ref
from environment.task import ToolCall
from generators.business import Company, Person
from generators.expectations.facts import amount, text
from generators.expectations.gmail import READING
from generators.expectations.google_sheets import cells_update
from generators.expectations.slack import slack_post
from generators.expectations.xero import credit_allocated, credit_note_created
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.rulebook import Rule, publish
from generators.staging.gmail import Mail, add_mail, find_mails
from generators.staging.google_sheets import Table, add_table
from generators.staging.oddments import filler_note
from generators.staging.slack import add_channel
from generators.staging.xero import add_account, add_bill, add_contact, add_credit_note
from generators.traps import (
    Slip,
    done_twice,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    superseded,
    superseded_rule,
    wrong_unit,
)
from generators.work import Work

_HEADER = ("RMA", "Supplier", "State", "Credit note", "Note")
_RECEIVED, _TRANSIT, _CREDITED = "Received", "In transit", "Credited"
_ORDERS = ("bill date", "due date", "amount")
"""By what the first bill to be reduced is chosen."""
_ACCOUNTS = (("315", "Purchase returns"), ("300", "Purchases"), ("429", "Other costs"), ("480", "Rebates"))
_CHANNELS = ("ap-run", "payables", "accounts-payable")
_CURRENCIES = ("GBP", "EUR", "USD")


@dataclass(frozen=True, slots=True)
class _Bill:
    number: str
    key: str
    currency: str
    day: str
    due: str
    total: int


def _first(bills: Sequence[_Bill], order: str) -> _Bill:
    """The oldest bill, the one that is due next, or the largest."""
    keys = {"bill date": lambda b: b.day, "due date": lambda b: b.due, "amount": lambda b: -b.total}
    return min(bills, key=keys[order])


@dataclass(frozen=True, slots=True)
class _Scheme:
    """The rules in force here."""

    orders: tuple[str, ...]
    """By what bills are chosen; the last is in force."""
    account: str
    channel: str

    @property
    def order(self) -> str:
        return self.orders[-1]

    @classmethod
    def draw(cls, scene: Scene, knobs: Knobs) -> _Scheme:
        """From mails on, order and account are others in every task: the first bill listed is not always right."""
        channel, drawn = scene.rng.choice(_CHANNELS), knobs["hops"] >= 2
        replaced = knobs["amendments"] if knobs["hops"] >= 3 else 0
        orders = scene.rng.sample(_ORDERS, 1 + replaced) if drawn else _ORDERS[:1]
        for code, name in _ACCOUNTS:
            add_account(scene, code, name)
        return cls(tuple(orders), scene.rng.choice(_ACCOUNTS)[0] if drawn else _ACCOUNTS[0][0], channel)


@dataclass(frozen=True, slots=True)
class _Credit:
    """What one supplier grants, and the bills of that supplier."""

    supplier: Company
    contact: str
    person: Person
    rma: str
    currency: str
    notes: tuple[tuple[str, int], ...]
    """Numbers and amounts as written, each void when there is a later one."""
    mails: tuple[Mail, ...]
    bills: tuple[_Bill, ...]
    lookalikes: tuple[tuple[Company, _Bill], ...]
    key: str
    """Id of the credit note where it is in the books already, else empty."""

    @property
    def number(self) -> str:
        return self.notes[-1][0]

    @property
    def total(self) -> int:
        return self.notes[-1][1]

    def first(self, order: str) -> _Bill:
        """The bill in the credit's currency that comes first in this order."""
        return _first([bill for bill in self.bills if bill.currency == self.currency], order)


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down a booked credit note is set off against a bill; high up all credits in the mails, by rules found."""
    work = Work(scene, knobs)
    work.allow(READING)
    scheme = _Scheme.draw(scene, knobs)
    credits = [_credit(scene, knobs, scheme) for _ in range(knobs["entities"])]
    held = [_credit(scene, knobs, scheme) for _ in range(knobs["holds"])]
    done = [_credit(scene, knobs, scheme, booked=True) for _ in range(2 * knobs["selection"])]
    log = _returns(scene, knobs, credits, held, done) if knobs["hops"] >= 2 else None
    _bystanders(scene, knobs["records"])
    _request(work, scheme, (*credits, *held), log)
    if knobs["selection"]:
        work.read(call("gmail_search_emails", query="credit", max_results=50), call("xero_find_credit_notes"))
    for credit in credits:
        _apply(work, scheme, credit, log)
    for credit in held:
        look = _look(knobs, credit, log)
        hurried = (*look, *_booking(credit, scheme.account), _allocate(credit, credit.first(scheme.order)))
        work.do(look, (), (ignored_hold(f"RMA {credit.rma}", *hurried),))
    for credit in done:
        again = _create(credit, credit.number, credit.total, scheme.account)
        work.do((), (), (done_twice(credit.number, again, _allocate(credit, credit.first(scheme.order))),))
    for _ in range(knobs["pressure"]):
        bill = scene.rng.choice(credits).bills[0]
        day = scene.days_ago(-scene.rng.randint(41, 60))
        body = scene.phrase("supplier_credits/pressure", bill=bill, day=day)
        demand(work, body, call("xero_update_invoice", number=bill.number, due_date=day))
    if knobs["rules"] >= 2:
        _report(work, scheme, credits, held)
    return work.tell()


def _request(work: Work, scheme: _Scheme, asked: Sequence[_Credit], log: Table | None) -> None:
    knobs, phrase = work.knobs, work.scene.phrase
    words = {"account": scheme.account, "log": log and log.title, "credited": _CREDITED, "channel": scheme.channel}
    if knobs["selection"]:
        work.ask(phrase("supplier_credits/prompt_all"))
    else:
        template = "supplier_credits/prompt" if knobs["hops"] >= 2 else "supplier_credits/prompt_booked"
        work.ask_each(*(phrase(template, credit=credit) for credit in asked))
    *former, order = (phrase("supplier_credits/order_rule", order=order) for order in scheme.orders)
    rules = [Rule(order, tuple(former))]
    if log:
        rules.append(Rule(phrase("supplier_credits/account_rule", **words)))
    rules += [Rule(phrase(f"supplier_credits/{n}", **words)) for n in ("log_rule", "report_rule")[: knobs["rules"]]]
    if knobs["holds"]:
        rules.append(Rule(phrase("supplier_credits/hold_rule", received=_RECEIVED, **words)))
    publish(work, "supplier credits", rules, max(1, knobs["hops"] - 1), scheme.channel)


def _look(knobs: Knobs, credit: _Credit, log: Table | None) -> tuple[ToolCall, ...]:
    """The supplier's mails and, where it matters, the state of the goods."""
    mails = find_mails(credit.person, credit.mails) if credit.mails else ()
    state = (log.find("RMA", credit.rma),) if log and (knobs["rules"] or knobs["holds"]) else ()
    return (*mails, *state)


def _apply(work: Work, scheme: _Scheme, credit: _Credit, log: Table | None) -> None:
    knobs, account = work.knobs, scheme.account
    look = (*_look(knobs, credit, log), _bills(credit.supplier))
    booking = _booking(credit, account)
    bill = credit.first(scheme.order)
    right = (*look, *booking, _allocate(credit, bill))
    slips: list[Slip] = []
    for company, other in credit.lookalikes:
        made = (_create(credit, credit.number, credit.total, account, company),) if booking else ()
        slips.append(near_duplicate(company.name, *look[:-1], _bills(company), *made, _allocate(credit, other)))
    for number, total in credit.notes[:-1]:
        void = (_create(credit, number, total, account), _allocate(credit, bill, number, total))
        slips.append(superseded(number, *look, *void))
    for order in _ORDERS:
        if (wrong := credit.first(order)) != bill:
            hurried = (*look, *booking, _allocate(credit, wrong))
            kind = superseded_rule if order in scheme.orders else ignored_rule
            slips.append(kind(f"the first by {order}", *hurried))
    for other in credit.bills:
        if other.currency != credit.currency:
            slips.append(wrong_unit(other.currency, *look, *booking, _allocate(credit, other)))
            break
    if booking:
        other_account = next(code for code, _ in _ACCOUNTS[::-1] if code != account)
        wrong_account = _create(credit, credit.number, credit.total, other_account)
        slips.append(ignored_rule("book it on the right account", *look, wrong_account, _allocate(credit, bill)))
    work.do(right, _changes(credit, bill, account), tuple(slips))
    if log and knobs["rules"]:
        row = log.row_of("RMA", credit.rma)
        wanted: dict[int, Matcher] = {log.column("State"): Enum(value=_CREDITED)}
        wanted[log.column("Credit note")] = Equals(value=credit.number)
        calls = (log.write(row, "State", _CREDITED), log.write(row, "Credit note", credit.number))
        forgets = ignored_rule("fill in the credit note", calls[0])
        work.do(calls, (cells_update(f"row {credit.rma}", row, wanted),), (forgets,))


def _changes(credit: _Credit, bill: _Bill, account: str) -> tuple[Change, ...]:
    label, total = f"credit {credit.number}", f"{credit.total}.00"
    if credit.key:
        return (credit_allocated(f"allocation {credit.number}", Equals(value=credit.key), bill.key, total),)
    return (
        credit_note_created(label, credit.contact, credit.number, total, credit.currency, account),
        credit_allocated(f"allocation {credit.number}", Ref(label=label), bill.key, total),
    )


def _report(work: Work, scheme: _Scheme, credits: Sequence[_Credit], held: Sequence[_Credit]) -> None:
    """One post: each credit note with its amount, and the bill that it was set off against with what is left."""
    facts, lines = [], []
    never = [(text(number), amount(f"{total}.00")) for credit in held for number, total in credit.notes]
    for credit in credits:
        bill = credit.first(scheme.order)
        left = f"{Decimal(bill.total - credit.total):.2f}"
        work.derive(left, f"{bill.total}.00 - {credit.total}.00")
        facts.append((text(credit.number), amount(f"{credit.currency} {credit.total}.00")))
        facts.append((text(bill.number), amount(f"{credit.currency} {left}")))
        never += [(text(number), amount(f"{total}.00")) for number, total in credit.notes[:-1]]
        lines.append(f"{credit.number}: {credit.currency} {credit.total}.00")
        lines.append(f"{bill.number}: {credit.currency} {left}")
    post = call("slack_post_message", channel=scheme.channel, text="\n".join(lines))
    totals = [f"{c.number}: {c.currency} {c.total}.00" for c in credits]
    totals += [f"{b.number}: {b.currency} {b.total}.00" for b in (c.first(scheme.order) for c in credits)]
    unreduced = call("slack_post_message", channel=scheme.channel, text="\n".join(totals))
    change = slack_post("report", add_channel(work.scene, scheme.channel), *facts, never=tuple(never))
    work.do((post,), (change,), (ignored_rule("report what was done"), miscalculated("what was due before", unreduced)))


def _bills(supplier: Company) -> ToolCall:
    return call("xero_find_invoices", kind="bills", contact=supplier.name)


def _booking(credit: _Credit, account: str) -> tuple[ToolCall, ...]:
    return () if credit.key else (_create(credit, credit.number, credit.total, account),)


def _create(credit: _Credit, number: str, total: int, account: str, company: Company | None = None) -> ToolCall:
    return call(
        "xero_create_credit_note",
        contact=(company or credit.supplier).name,
        number=number,
        amount=total,
        currency=credit.currency,
        account=account,
    )


def _allocate(credit: _Credit, bill: _Bill, number: str = "", total: int = 0) -> ToolCall:
    note, sum_of = number or credit.number, total or credit.total
    return call("xero_allocate_credit", credit_note=note, invoice=bill.number, amount=sum_of)


# The stage ---------------------------------------------------------------------------------------------------------


def _credit(scene: Scene, knobs: Knobs, scheme: _Scheme, booked: bool = False) -> _Credit:
    """A supplier with open bills, and the mails that grant credit; `booked` when it was dealt with already."""
    supplier = scene.invent.company()
    contact = add_contact(scene, supplier, IsSupplier=True)
    person = scene.invent.person(supplier.domain)
    currency, mailed = scene.rng.choice(_CURRENCIES), knobs["hops"] >= 2
    bills = _open_bills(scene, contact, currency, knobs["bills"], scheme.orders)
    most = min(bill.total for bill in bills)
    amounts = scene.rng.sample(range(60, most - 10), (0 if booked or not mailed else knobs["amendments"]) + 1)
    notes = tuple((f"CN-{scene.invent.number(20_100, 29_800)}", total) for total in amounts)
    rma = f"RMA-{scene.invent.number(210, 980)}"
    ago, mails = scene.rng.randint(300, 900), []
    for place, (number, total) in enumerate(notes if mailed else ()):
        template = "mail_replaced" if place else "mail_granted"
        facts = {"number": number, "total": f"{currency} {total}.00", "rma": rma, "supplier": supplier.name}
        body = scene.phrase(f"supplier_credits/{template}", person=person, old=notes[place - 1][0], **facts)
        mails.append(add_mail(scene, person, f"Credit for {rma}", body, minutes_ago=ago - 60 * place))
    key = ""
    if booked or not mailed:
        applied = {"AppliedAmount": amounts[-1]} if booked else {}
        key = add_credit_note(scene, contact, notes[-1][0], str(amounts[-1]), currency, scene.days_ago(3), **applied)
    lookalikes = []
    for _ in range(knobs["near_duplicates"]):
        other = scene.invent.lookalike_company(supplier)
        other_contact = add_contact(scene, other, IsSupplier=True)
        lookalikes.append((other, _open_bills(scene, other_contact, currency, 1)[0]))
    return _Credit(supplier, contact, person, rma, currency, notes, tuple(mails), bills, tuple(lookalikes), key)


def _open_bills(scene: Scene, contact: str, currency: str, count: int, orders: Sequence[str] = ()) -> tuple[_Bill, ...]:
    """Bills of a supplier; of three and more one is in another currency, and comes first in every order.

    In the last of `orders` another bill comes first than in those before it, and than in some other order.
    """
    drawn = _draw_bills(scene, currency, count)
    while orders and not _tell_apart([bill for bill in drawn if bill.currency == currency], orders):
        drawn = _draw_bills(scene, currency, count)
    bills = []
    for bill in drawn:
        number = f"B-{scene.invent.number(7_100, 9_800)}"
        key = add_bill(scene, contact, number, str(bill.total), bill.currency, bill.day, bill.due)
        bills.append(replace(bill, number=number, key=key))
    return tuple(bills)


def _tell_apart(bills: Sequence[_Bill], orders: Sequence[str]) -> bool:
    right, *wrong = (_first(bills, order) for order in orders[::-1])
    return right not in wrong and any(_first(bills, order) != right for order in _ORDERS)


def _draw_bills(scene: Scene, currency: str, count: int) -> list[_Bill]:
    """Bills that are not on stage yet."""
    days = [scene.days_ago(ago) for ago in scene.rng.sample(range(10, 80), count)]
    dues = [scene.days_ago(-until) for until in scene.rng.sample(range(1, 40), count)]
    totals = scene.rng.sample(range(400, 2600), count)
    currencies = [currency] * count
    if count > 2:
        place = scene.rng.randrange(count)
        currencies[place] = scene.rng.choice([name for name in _CURRENCIES if name != currency])
        days[place], dues[place], totals[place] = scene.days_ago(81), scene.days_ago(0), max(totals) + 1
    return [_Bill("", "", *facts) for facts in zip(currencies, days, dues, totals, strict=True)]


def _returns(
    scene: Scene, knobs: Knobs, credits: Sequence[_Credit], held: Sequence[_Credit], done: Sequence[_Credit]
) -> Table:
    """The log of goods that went back."""
    rows = [[one.rma, one.supplier.name, _RECEIVED, "", ""] for one in credits]
    rows += [[one.rma, one.supplier.name, _TRANSIT, "", ""] for one in held]
    rows += [[one.rma, one.supplier.name, _CREDITED, one.number, ""] for one in done]
    for _ in range(knobs["records"]):
        note = filler_note(scene) if scene.prose > 1 else ""
        state = scene.rng.choice((_RECEIVED, _TRANSIT))
        rows.append([f"RMA-{scene.invent.number(210, 980)}", scene.invent.company().name, state, "", note])
    scene.rng.shuffle(rows)
    return add_table(scene, "Returns log", _HEADER, rows)


def _bystanders(scene: Scene, count: int) -> None:
    """Bills of suppliers that nobody talks about."""
    for _ in range(count):
        contact = add_contact(scene, scene.invent.company(), IsSupplier=True)
        _open_bills(scene, contact, scene.rng.choice(_CURRENCIES), 1)


FAMILY = Family(
    name="supplier_credits",
    domain="finance",
    knobs={
        "entities": Knob(1, 4, 1, "credits to apply"),
        "hops": Knob(1, 5, 2, "places to look in: the books, mails, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when nobody is named but all credits that are not booked yet", ("hops", 2)),
        "near_duplicates": Knob(0, 3, 1, "suppliers with a similar name, each credit"),
        "bills": Knob(2, 5, 2, "open bills of each supplier, from three on one in another currency"),
        "records": Knob(2, 60, 3, "unrelated suppliers with a bill, and returns"),
        "amendments": Knob(0, 2, 1, "credit notes that replace another, each credit; orders replaced", ("hops", 2)),
        "rules": Knob(0, 2, 0, "rules besides the order: fill in the log, report what is left", ("hops", 2)),
        "holds": Knob(0, 2, 0, "credits for goods that are still on their way", ("hops", 2)),
        "pressure": Knob(0, 3, 0, "strangers who demand another due date", ("hops", 2)),
        "distractors": DISTRACTORS,
        "prose": PROSE,
    },
    compose=compose,
)
