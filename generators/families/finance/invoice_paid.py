"""Invoice paid: customers wrote what they paid; the sheet gets the status that follows from the amount."""

from __future__ import annotations

from dataclasses import dataclass

from environment.contract import Enum
from environment.task import ToolCall
from generators.business import Company, Person
from generators.expectations import READING, amount, cells_update, mail_to, text
from generators.family import Family, Knob, Knobs, Scene, Story, call
from generators.phrasing import joined
from generators.plan import Slip, Step, ignored_rule, near_duplicate, superseded, tell
from generators.staging.gmail import add_mail
from generators.staging.google_sheets import Table, add_table
from generators.staging.noise import add_unrelated_mail

_HEADER = ("Invoice", "Customer", "Amount", "Status")
_PAID, _PART = "Paid", "Part paid"


@dataclass(frozen=True, slots=True)
class _Payment:
    customer: Company
    payer: Person
    invoice: str
    due: int
    paid: tuple[int, ...]
    """Amounts as written, corrections later; the last is right."""
    lookalikes: tuple[str, ...]
    mail: str
    """Id of the last mail."""

    @property
    def status(self) -> str:
        return _PAID if self.paid[-1] == self.due else _PART


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Each invoice has look-alikes; a payment below the amount is a part payment; with rules the payer is answered."""
    payments = [_payment(scene, knobs) for _ in range(knobs["entities"])]
    rows = [row for payment in payments for row in _rows(scene, payment)]
    for _ in range(knobs["records"]):
        rows.append([str(scene.invent.number(2_100, 9_800)), scene.invent.company().name, _value(scene), "Open"])
    scene.rng.shuffle(rows)
    table = add_table(scene, "Invoices", _HEADER, rows)
    row_ids = {str(row[0]): row_id for row, row_id in zip(rows, table.row_ids, strict=True)}
    add_unrelated_mail(scene, knobs["distractors"])
    scene.shuffle("gmail", "Message")
    prompts = [scene.phrase("invoice_paid/prompt", payment=payment, sheet=table.title) for payment in payments]
    prompts.append(scene.phrase("invoice_paid/status_rule", paid=_PAID, part=_PART))
    if knobs["rules"]:
        prompts.append(scene.phrase("invoice_paid/answer_rule"))
    steps = [step for payment in payments for step in _steps(scene, knobs, payment, table, row_ids)]
    actions = (
        *("gmail_search_emails", "google_sheets_find_rows", "google_sheets_update_cell"),
        *(("gmail_reply",) if knobs["rules"] else ()),
    )
    return tell(joined(prompts), steps, actions, allowed=(READING,))


def _steps(scene: Scene, knobs: Knobs, payment: _Payment, table: Table, row_ids: dict[str, str]) -> list[Step]:
    look = call("gmail_search_emails", query=f"from:{payment.payer.last}")
    find = call("google_sheets_find_rows", spreadsheet=table.title, column="Invoice", value=payment.invoice)
    row_id = row_ids[payment.invoice]
    slips: list[Slip] = [
        near_duplicate(number, look, find, _set_status(table, row_ids[number], payment.status))
        for number in payment.lookalikes
    ]
    for old in payment.paid[:-1]:
        status = _PAID if old == payment.due else _PART
        if status != payment.status:
            slips.append(superseded(str(old), look, find, _set_status(table, row_id, status)))
    other = _PART if payment.status == _PAID else _PAID
    slips.append(ignored_rule("compare with the amount", look, find, _set_status(table, row_id, other)))
    wanted = {table.column("Status"): Enum(value=payment.status)}
    done = _set_status(table, row_id, payment.status)
    steps = [Step((look, find, done), (cells_update(f"row {payment.invoice}", row_id, wanted),), tuple(slips))]
    if knobs["rules"]:
        answer = scene.phrase("invoice_paid/answer", payment=payment)
        facts = (text(payment.invoice), amount(str(payment.paid[-1])))
        change = mail_to(f"answer {payment.invoice}", payment.payer.email, facts)
        reply = call("gmail_reply", id=payment.mail, body=answer)
        steps.append(Step((reply,), (change,), (ignored_rule("answer the payer"),)))
    return steps


def _payment(scene: Scene, knobs: Knobs) -> _Payment:
    customer = scene.invent.company()
    payer = scene.invent.person(customer.domain)
    invoice, due = str(scene.invent.number(2_100, 9_800)), _value(scene)
    amounts = [due if scene.rng.random() < 0.5 else due - 10 * scene.rng.randint(1, 9)]
    for _ in range(knobs["amendments"]):
        amounts.append(due if amounts[-1] != due else due - 10 * scene.rng.randint(1, 9))
    ago, mail = scene.rng.randint(300, 600), ""
    for place, paid in enumerate(amounts):
        template = "mail_correction" if place else "mail_paid"
        body = scene.phrase(f"invoice_paid/{template}", invoice=invoice, paid=paid, payer=payer)
        mail = add_mail(scene, payer, f"Invoice {invoice}", body, minutes_ago=ago - 40 * place).id
    lookalikes = tuple(f"{invoice}-{letter}" for letter in "ABCDEF"[: knobs["near_duplicates"]])
    return _Payment(customer, payer, invoice, due, tuple(amounts), lookalikes, mail)


def _rows(scene: Scene, payment: _Payment) -> list[list[str | int]]:
    rows: list[list[str | int]] = [[payment.invoice, payment.customer.name, payment.due, "Open"]]
    for number in payment.lookalikes:
        rows.append([number, payment.customer.name, _value(scene), "Open"])
    return rows


def _value(scene: Scene) -> int:
    return scene.invent.number(15, 98) * 10


def _set_status(table: Table, row_id: str, status: str) -> ToolCall:
    return call(
        "google_sheets_update_cell",
        spreadsheet=table.title,
        row=table.row_number(row_id),
        column="Status",
        value=status,
    )


FAMILY = Family(
    name="invoice_paid",
    domain="finance",
    knobs={
        "entities": Knob(1, 4, 1, "payments"),
        "near_duplicates": Knob(0, 5, 2, "invoices with a similar number, each payment"),
        "records": Knob(2, 60, 4, "unrelated invoices"),
        "amendments": Knob(0, 3, 1, "mails that correct an amount, each payment"),
        "rules": Knob(0, 1, 1, "rules besides the status: answer the payer"),
        "distractors": Knob(0, 25, 2, "unrelated mails"),
    },
    compose=compose,
)
