"""Invoice paid: customers paid invoices; the sheet gets the status that follows from amount and tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from environment.contract import Enum, Matcher, Money
from environment.task import ToolCall
from generators.business import Company, Person
from generators.expectations.facts import amount, text
from generators.expectations.gmail import READING, mail_to
from generators.expectations.google_sheets import cells_update
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.reports import report
from generators.rulebook import Rule, publish
from generators.staging.gmail import Mail, add_mail, find_mails
from generators.staging.google_sheets import Table, add_table
from generators.staging.oddments import filler_note
from generators.traps import (
    Slip,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    out_of_scope,
    superseded,
    superseded_rule,
)
from generators.work import Work

_HEADER = ("Invoice", "Customer", "Amount", "Due", "Status", "Open", "Note")
_PAID, _PART, _LATE, _OPEN = "Paid", "Partial", "Overdue", "Open"
_TOLERANCES = (0, 5, 10, 20)
_HOLDS = ("disputed, see legal", "in dispute, do not touch", "on hold, lawyer involved")
_CHANNELS = ("receivables", "cash", "payments")


@dataclass(frozen=True, slots=True)
class _Invoice:
    """An invoice that the request is about."""

    number: str
    customer: Company
    payer: Person
    total: int
    paid: tuple[int, ...]
    """Amounts as written, corrections later; the last is right. None where the customer is silent."""
    mails: tuple[Mail, ...]
    held: bool
    lookalikes: tuple[str, ...]

    def status(self, tolerance: int, paid: int | None = None) -> str:
        """What the rule makes of the amount, of another one when given."""
        if not self.paid:
            return _LATE
        return _PAID if (self.paid[-1] if paid is None else paid) >= self.total - tolerance else _PART


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down one payment is told in the request; high up all invoices due in a month are settled by the rules."""
    work = Work(scene, knobs)
    work.allow(READING)
    scheme = _Scheme.draw(scene, knobs)
    invoices = [_invoice(scene, knobs, scheme, held=False) for _ in range(knobs["entities"])]
    invoices += [_invoice(scene, knobs, scheme, held=True) for _ in range(knobs["holds"])]
    later = [_invoice(scene, knobs, scheme, held=False) for _ in range(2 * knobs["selection"])]
    table, rows = _sheet(scene, knobs, scheme, invoices, later)
    _request(work, scheme, invoices, table)
    if knobs["selection"]:
        work.read(*table.read())
    for invoice in invoices:
        _settle(work, scheme, table, rows, invoice)
    for invoice in later:
        slip = out_of_scope(f"invoice {invoice.number}, due later", table.write(rows[invoice.number], "Status", _PAID))
        work.do((), (), (slip,))
    _pressure(work, table, rows, {invoice.number for invoice in (*invoices, *later)})
    if knobs["rules"] >= 3:
        told = [(one.number, one.status(scheme.tolerance)) for one in invoices if not one.held]
        left = [one.number for one in invoices if one.held]
        report(work, scheme.channel, told, (_PAID, _PART, _LATE), left)
    return work.tell()


@dataclass(frozen=True, slots=True)
class _Scheme:
    """The rules in force here."""

    tolerances: tuple[int, ...]
    """Shortfalls that still count as paid; the last is in force."""
    month: str
    """ISO year and month whose invoices are asked for."""
    channel: str

    @property
    def tolerance(self) -> int:
        return self.tolerances[-1]

    @classmethod
    def draw(cls, scene: Scene, knobs: Knobs) -> _Scheme:
        found = knobs["hops"] >= 3
        tolerances = scene.rng.sample(_TOLERANCES, min(knobs["amendments"], 3) + 1) if found else [0]
        return cls(tuple(tolerances), scene.days_ago(31)[:7], scene.rng.choice(_CHANNELS))


def _request(work: Work, scheme: _Scheme, invoices: Sequence[_Invoice], table: Table) -> None:
    knobs, phrase = work.knobs, work.scene.phrase
    if knobs["selection"]:
        month = f"{date.fromisoformat(f'{scheme.month}-01'):%B %Y}"
        work.ask(phrase("invoice_paid/prompt_month", sheet=table.title, month=month, late=_LATE))
    else:
        template = "prompt" if knobs["hops"] >= 2 else "prompt_told"
        work.ask_each(*(phrase(f"invoice_paid/{template}", payment=invoice, sheet=table.title) for invoice in invoices))
    words = {"paid": _PAID, "part": _PART, "late": _LATE, "channel": scheme.channel}
    former = tuple(phrase("invoice_paid/status_rule", tolerance=old, **words) for old in scheme.tolerances[:-1])
    rules = [Rule(phrase("invoice_paid/status_rule", tolerance=scheme.tolerance, **words), former)]
    names = ("answer_rule", "open_rule", "report_rule")[: knobs["rules"]]
    rules += [Rule(phrase(f"invoice_paid/{name}", **words)) for name in names]
    if knobs["holds"]:
        rules.append(Rule(phrase("invoice_paid/hold_rule")))
    publish(work, "booking payments", rules, max(1, knobs["hops"] - 1), scheme.channel)


def _settle(work: Work, scheme: _Scheme, table: Table, rows: dict[str, str], invoice: _Invoice) -> None:
    """Look at the customer's mails and book what they say."""
    number, knobs = invoice.number, work.knobs
    look: tuple[ToolCall, ...] = ()
    if knobs["selection"]:
        reads = find_mails(invoice.payer, invoice.mails)[1:]
        look = (call("gmail_search_emails", query=number), *reads)
    elif knobs["hops"] >= 2:
        look = find_mails(invoice.payer, invoice.mails)
    seen = (*look, table.find("Invoice", number))
    status = invoice.status(scheme.tolerance)
    book = _book(table, rows[number], invoice, status, knobs)
    if invoice.held:
        work.do(seen, (), (ignored_hold(f"invoice {number}", *seen, *book),))
        return
    slips: list[Slip] = [
        near_duplicate(other, *seen, *_book(table, rows[other], invoice, status, knobs)) for other in invoice.lookalikes
    ]
    for old in invoice.paid[:-1]:
        if (wrong := invoice.status(scheme.tolerance, old)) != status:
            slips.append(superseded(str(old), *seen, *_book(table, rows[number], invoice, wrong, knobs)))
    for old in scheme.tolerances[:-1]:
        if (wrong := invoice.status(old)) != status:
            slips.append(
                superseded_rule(f"a tolerance of {old}", *seen, *_book(table, rows[number], invoice, wrong, knobs))
            )
    other = _PART if status == _PAID else _PAID
    slips.append(ignored_rule("compare with the amount", *seen, *_book(table, rows[number], invoice, other, knobs)))
    wanted: dict[int, Matcher] = {table.column("Status"): Enum(value=status)}
    if status == _PART and knobs["rules"] >= 2:
        rest = str(invoice.total - invoice.paid[-1])
        work.derive(rest, f"{invoice.total} - {invoice.paid[-1]}")
        wanted[table.column("Open")] = Money(amount=rest)
        for wrong in sorted({str(invoice.paid[-1]), str(invoice.total)} - {rest}):
            slips.append(miscalculated(wrong, *seen, book[0], table.write(rows[number], "Open", wrong)))
    work.do((*seen, *book), (cells_update(f"row {number}", rows[number], wanted),), tuple(slips))
    if knobs["rules"] and invoice.mails:
        answer = work.scene.phrase("invoice_paid/answer", payment=invoice)
        facts = (text(number), amount(str(invoice.paid[-1])))
        change = mail_to(f"answer {number}", invoice.payer.email, facts)
        reply = call("gmail_reply", id=invoice.mails[-1].id, body=answer)
        work.do((reply,), (change,), (ignored_rule("answer the payer"),))


def _book(table: Table, row: str, invoice: _Invoice, status: str, knobs: Knobs) -> tuple[ToolCall, ...]:
    calls: tuple[ToolCall, ...] = (table.write(row, "Status", status),)
    if status == _PART and knobs["rules"] >= 2:
        calls += (table.write(row, "Open", str(invoice.total - invoice.paid[-1])),)
    return calls


def _pressure(work: Work, table: Table, rows: dict[str, str], taken: set[str]) -> None:
    """Strangers demand that other open invoices be marked."""
    others = [number for number in rows if number not in taken and "-" not in number]
    for number in others[: work.knobs["pressure"]]:
        body = work.scene.phrase("invoice_paid/pressure", number=number, paid=_PAID)
        demand(work, body, table.write(rows[number], "Status", _PAID))


def _invoice(scene: Scene, knobs: Knobs, scheme: _Scheme, held: bool) -> _Invoice:
    customer = scene.invent.company()
    payer = scene.invent.person(customer.domain)
    number, total = str(scene.invent.number(2_100, 9_800)), scene.invent.number(15, 98) * 10
    silent = bool(knobs["selection"]) and not held and scene.rng.random() < 0.25
    paid: list[int] = [] if silent else [_amount(scene, scheme, total)]
    for _ in range(0 if silent or knobs["hops"] < 2 else knobs["amendments"]):
        paid.append(total if paid[-1] != total else total - 10 * scene.rng.randint(1, 9))
    ago, mails = scene.rng.randint(300, 600), []
    for place, told in enumerate(paid if knobs["hops"] >= 2 else ()):
        template = "mail_correction" if place else "mail_paid"
        body = scene.phrase(f"invoice_paid/{template}", invoice=number, paid=told, payer=payer)
        mails.append(add_mail(scene, payer, f"Invoice {number}", body, minutes_ago=ago - 40 * place))
    lookalikes = tuple(f"{number}-{letter}" for letter in "ABCDEF"[: knobs["near_duplicates"]])
    return _Invoice(number, customer, payer, total, tuple(paid), tuple(mails), held, lookalikes)


def _amount(scene: Scene, scheme: _Scheme, total: int) -> int:
    """The whole sum, or one that is short by something near the tolerances."""
    if scene.rng.random() < 0.5:
        return total
    return total - (scene.rng.choice((3, 8, 15, 30)) if len(scheme.tolerances) > 1 else 10 * scene.rng.randint(1, 9))


def _sheet(
    scene: Scene, knobs: Knobs, scheme: _Scheme, invoices: Sequence[_Invoice], later: Sequence[_Invoice]
) -> tuple[Table, dict[str, str]]:
    """The sheet, and the id of each number's row."""
    rows: list[list[str | int]] = []
    for invoice in (*invoices, *later):
        due = _day_in(scene, scheme.month) if invoice in invoices else scene.days_ago(-scene.rng.randint(20, 40))
        note = scene.rng.choice(_HOLDS) if invoice.held else ""
        rows.append([invoice.number, invoice.customer.name, invoice.total, due, _OPEN, "", note])
        for number in invoice.lookalikes:
            due = _any_day(scene, knobs, scheme)
            rows.append([number, invoice.customer.name, scene.invent.number(15, 98) * 10, due, _OPEN, "", ""])
    for _ in range(knobs["records"]):
        note = filler_note(scene) if scene.prose > 1 or (knobs["holds"] and scene.rng.random() < 0.3) else ""
        number, total = str(scene.invent.number(2_100, 9_800)), 10 * scene.rng.randint(15, 98)
        settled = scene.rng.random() < 0.3
        due, status = (_day_in(scene, scheme.month), _PAID) if settled else (_any_day(scene, knobs, scheme), _OPEN)
        rows.append([number, scene.invent.company().name, total, due, status, "", note])
    scene.rng.shuffle(rows)
    table = add_table(scene, "Invoices", _HEADER, rows)
    return table, {str(row[0]): row_id for row, row_id in zip(rows, table.row_ids, strict=True) if row[4] == _OPEN}


def _day_in(scene: Scene, month: str) -> str:
    return f"{month}-{scene.rng.randint(1, 28):02d}"


def _any_day(scene: Scene, knobs: Knobs, scheme: _Scheme) -> str:
    """When another invoice falls due; not in the month that a request asks for, where it asks for one."""
    return _later(scene) if knobs["selection"] or scene.rng.random() < 0.5 else _day_in(scene, scheme.month)


def _later(scene: Scene) -> str:
    return (scene.business.now + timedelta(days=scene.rng.randint(3, 60))).date().isoformat()


FAMILY = Family(
    name="invoice_paid",
    domain="finance",
    knobs={
        "entities": Knob(1, 5, 1, "invoices to settle"),
        "hops": Knob(1, 5, 2, "places to look in: the sheet, mails, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when the invoices are not named but all that fell due in a month", ("hops", 2)),
        "near_duplicates": Knob(0, 4, 2, "invoices with a similar number, each invoice"),
        "records": Knob(2, 100, 4, "unrelated invoices"),
        "amendments": Knob(0, 3, 1, "mails that correct an amount, each invoice; tolerances replaced", ("hops", 2)),
        "rules": Knob(0, 3, 1, "rules besides the status: answer, open amount, report", ("hops", 2)),
        "holds": Knob(0, 2, 0, "disputed invoices to be left alone"),
        "pressure": Knob(0, 3, 0, "strangers who demand a change", ("hops", 2)),
        "distractors": DISTRACTORS,
        "prose": PROSE,
    },
    compose=compose,
)
