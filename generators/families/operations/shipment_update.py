"""Shipment update: a channel tells what became of orders; the sheet gets status and delivery day, customers a mail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from environment.contract import Date, Enum, Equals, Matcher, Money
from environment.task import ToolCall
from generators.business import Company, Person
from generators.expectations.facts import day, text
from generators.expectations.gmail import READING, mail_to
from generators.expectations.google_sheets import cells_update, row_appended
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.reports import report
from generators.rulebook import Rule, publish
from generators.staging.google_sheets import PAGE, Table, add_table
from generators.staging.oddments import filler_note
from generators.staging.slack import add_channel, add_post, add_user
from generators.traps import (
    Calls,
    Slip,
    done_twice,
    first_page_only,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    out_of_scope,
    superseded,
    superseded_rule,
)
from generators.work import Work

_NARROW = ("Order", "Customer", "Status", "Note")
_WIDE = ("Order", "Customer", "Contact", "Service", "Leaves", "Status", "Delivery", "Note")
_LOG = ("Order", "Customer", "Delivery")
_SHIPPED, _DELIVERED, _RETURNED, _DELAYED = _STATUSES = ("Shipped", "Delivered", "Returned", "Delayed")
_PACKED, _ON_HOLD = "Packed", "On hold"
_CHANNELS, _RULES = ("warehouse", "dispatch", "loading-bay"), ("logistics", "freight", "shipping-desk")
_TRANSIT, _LOGS = ("Services", "Carriers", "Transit days"), ("Delays", "Late orders", "Delay log")
_NOTES = ("", "", "fragile", "two parcels", "gift")
_HOLDS = ("HOLD by quality", "HOLD by credit", "HOLD by customs")
_SERVICES = ("Road", "Road saver", "Rail", "Rail express", "Sea", "Sea direct", "Air", "Air freight")
_EXTRAS = (2, 3, 4, 5, 7)
"""Days that a delay costs."""
_POSTS_SHOWN = 20
"""Posts that reading a channel answers with."""


@dataclass(frozen=True, slots=True)
class _Order:
    number: str
    customer: Company
    contact: Person
    service: str
    leaves: date
    statuses: tuple[str, ...]
    """As posted, corrections later; the last is right. None where nobody posted."""
    held: bool
    note: str
    lookalikes: tuple[str, ...]

    @property
    def status(self) -> str:
        return self.statuses[-1] if self.statuses else _DELAYED


@dataclass(frozen=True, slots=True)
class _Scheme:
    """What is in force here."""

    extras: tuple[int, ...]
    """Days that a delay costs, the last in force; none where no rule asks for delivery days."""
    transit: dict[str, int]
    """Days that each service takes."""
    leaves: date
    """The day that is asked about."""
    channel: str
    rules_channel: str
    services: str
    """The sheet that says how many days each service takes."""
    delays: str
    """The sheet that logs delays."""

    @classmethod
    def draw(cls, scene: Scene, knobs: Knobs) -> _Scheme:
        replaced = min(knobs["amendments"], 3) if knobs["hops"] >= 3 else 0
        asked = knobs["hops"] >= 3 or knobs["rules"] >= 2
        extras = tuple(scene.rng.sample(_EXTRAS, 4))[: replaced + 1 if asked else 0]
        transit = dict(zip(_SERVICES, scene.rng.sample(range(5, 23), len(_SERVICES)), strict=True))
        leaves = date.fromisoformat(scene.working_day(-4, -1))
        names = [scene.rng.choice(found) for found in (_CHANNELS, _RULES, _TRANSIT, _LOGS)]
        return cls(extras, transit, leaves, *names)

    def delivery(self, order: _Order, status: str = "", extra: int | None = None, service: str = "") -> str:
        """The day when an order arrives, or would with another value; empty where the rule asks for none."""
        status = status or order.status
        if not self.extras or status not in (_SHIPPED, _DELAYED):
            return ""
        late = (self.extras[-1] if extra is None else extra) if status == _DELAYED else 0
        return (order.leaves + timedelta(days=self.transit[service or order.service] + late)).isoformat()


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down one status is told in the request; high up all that left on a day, as a channel has it, by the rules."""
    work = Work(scene, knobs)
    work.allow(READING)
    scheme, more = _Scheme.draw(scene, knobs), 2 * knobs["selection"]
    orders = [_order(scene, knobs, scheme, first=not place) for place in range(knobs["entities"])]
    orders += [_order(scene, knobs, scheme, silent=True) for _ in range(more)]
    held = [_order(scene, knobs, scheme, held=True) for _ in range(knobs["holds"])]
    later = [_order(scene, knobs, scheme, away=1 + place) for place in range(more)]
    done = [_order(scene, knobs, scheme, first=True) for _ in range(more)]
    table, others = _sheet(scene, knobs, scheme, (*orders, *held, *later), done)
    delays = add_table(scene, scheme.delays, _LOG, _delays(scene, scheme, done)) if knobs["rules"] >= 3 else None
    if knobs["rules"] >= 2:
        scene.rows.setdefault("gmail", {"Message": []})
    posts = sum(len(one.statuses) for one in (*orders, *held, *later)) + knobs["distractors"]
    if knobs["hops"] >= 2:
        _post_news(scene, scheme, (*orders, *held, *later))
    _request(work, scheme, (*orders, *held), table)
    if more:
        work.read(*table.read())
    elif knobs["hops"] >= 2 and posts <= _POSTS_SHOWN:
        work.read(call("slack_read_channel", channel=scheme.channel))
    for order in (*orders, *held):
        search = knobs["hops"] >= 2 and (more or posts > _POSTS_SHOWN)
        look = (call("slack_search_messages", query=order.number),) if search else ()
        seen: Calls = (*look, *(() if more else (table.find("Order", order.number),)))
        if order.held:
            work.do(seen, (), (ignored_hold(f"order {order.number}", *seen, *_book(scheme, table, order)),))
        else:
            _update(work, scheme, table, order, seen)
            _tell_delay(work, scheme, delays, order)
    for order in later:
        work.do((), (), (out_of_scope(f"order {order.number}, of another day", *_book(scheme, table, order)),))
    for order in done if delays else ():
        work.do((), (), (done_twice(f"the mail on {order.number}", _mail(scene, order, scheme.delivery(order))),))
    for number in others:
        body = scene.phrase("shipment_update/pressure", number=number, delivered=_DELIVERED)
        demand(work, body, table.write(table.row_of("Order", number), "Status", _DELIVERED))
    if knobs["rules"]:
        told = [(one.number, one.status) for one in orders] + [(one.number, _ON_HOLD) for one in held]
        report(work, scheme.channel, told, (*_STATUSES, *([_ON_HOLD] if held else [])))
    return work.tell()


def _request(work: Work, scheme: _Scheme, orders: Sequence[_Order], table: Table) -> None:
    knobs, scene = work.knobs, work.scene
    words = {"channel": scheme.channel, "sheet": table.title, "packed": _PACKED, "shipped": _SHIPPED}
    words |= {"delayed": _DELAYED, "on_hold": _ON_HOLD, "services": scheme.services, "delays": scheme.delays}
    if knobs["selection"]:
        work.ask(scene.phrase("shipment_update/prompt_day", leaves=scheme.leaves.isoformat(), **words))
    else:
        template = "shipment_update/prompt_posted" if knobs["hops"] >= 2 else "shipment_update/prompt_told"
        work.ask_each(*(scene.phrase(template, order=order, **words) for order in orders))
    rules = []
    if scheme.extras:
        *former, now = (scene.phrase("shipment_update/delivery_rule", extra=extra, **words) for extra in scheme.extras)
        rules.append(Rule(now, tuple(former)))
    single = len(orders) == 1
    names = ("report_rule", "mail_rule", "log_rule")[: knobs["rules"]]
    rules += [Rule(scene.phrase(f"shipment_update/{name}", single=single, **words)) for name in names]
    if knobs["holds"]:
        rules.append(Rule(scene.phrase("shipment_update/hold_rule", reported=bool(knobs["rules"]), **words)))
    publish(work, "shipments", rules, max(1, knobs["hops"] - 1), scheme.rules_channel)
    if scheme.extras:
        rows = list(scheme.transit.items())
        scene.rng.shuffle(rows)
        work.read(*add_table(scene, scheme.services, ("Service", "Days"), rows).read())


def _update(work: Work, scheme: _Scheme, table: Table, order: _Order, seen: Calls) -> None:
    """Write down what became of an order, and tell the customer where the rules ask for it."""
    row, due = table.row_of("Order", order.number), scheme.delivery(order)
    slips: list[Slip] = [
        near_duplicate(other, *seen, *_book(scheme, table, order, row=table.row_of("Order", other)))
        for other in order.lookalikes
    ]
    slips += [superseded(old, *seen, *_book(scheme, table, order, status=old)) for old in order.statuses[:-1]]
    if not order.statuses:
        slips.append(ignored_rule("set what nobody posted on", *seen))
    if work.knobs["selection"] and table.row_ids.index(row) >= PAGE:
        slips.append(first_page_only(f"order {order.number}"))
    if "lifted" in order.note:
        slips.append(ignored_rule("a lifted hold does not count", *seen))
    wanted: dict[int, Matcher] = {table.column("Status"): Enum(value=order.status)}
    if due:
        wanted[table.column("Delivery")] = Date(day=due)
        extra = f" + {scheme.extras[-1]}" if order.status == _DELAYED else ""
        work.derive(due, f"{order.leaves.isoformat()} + {scheme.transit[order.service]}{extra}")
        wrong = order.leaves.isoformat()
        slips.append(miscalculated("the day on which it leaves", *seen, *_book(scheme, table, order, due=wrong)))
        other = next(name for name in _SERVICES if name != order.service and name.split()[0] in order.service.split())
        wrong = scheme.delivery(order, service=other)
        slips.append(near_duplicate(f"the service {other}", *seen, *_book(scheme, table, order, due=wrong)))
        for old in scheme.extras[:-1] if order.status == _DELAYED else ():
            wrong = scheme.delivery(order, extra=old)
            slips.append(superseded_rule(f"{old} days more", *seen, *_book(scheme, table, order, due=wrong)))
    if due and work.knobs["rules"] >= 2 and order.status == _SHIPPED:
        mail = _mail(work.scene, order, due)
        slips.append(out_of_scope("a mail on what is in time", *seen, *_book(scheme, table, order), mail))
    if not slips:
        slips.append(Slip("not_done", "Reports success without the change.", seen))
    change = cells_update(f"row {order.number}", row, wanted)
    work.do((*seen, *_book(scheme, table, order)), (change,), tuple(slips))


def _tell_delay(work: Work, scheme: _Scheme, delays: Table | None, order: _Order) -> None:
    """Tell the customer of a delayed order, and log it, where the rules ask for it."""
    scene, number, due = work.scene, order.number, scheme.delivery(order)
    if order.status != _DELAYED or work.knobs["rules"] < 2:
        return
    never = tuple((text(number), day(scheme.delivery(order, extra=old))) for old in scheme.extras[:-1])
    told = mail_to(f"mail {number}", order.contact.email, (text(number), day(due)), never=never)
    punctual = _mail(scene, order, scheme.delivery(order, status=_SHIPPED))
    mistakes = (ignored_rule("tell the customer"), miscalculated("the day without the delay", punctual))
    work.do((_mail(scene, order, due),), (told,), mistakes)
    if delays:
        key: dict[int, Matcher] = {0: Money(amount=number)}
        cells: dict[int, Matcher] = {1: Equals(value=order.customer.name), 2: Date(day=due)}
        entry = delays.append(number, order.customer.name, due)
        work.do((entry,), (row_appended(f"log {number}", delays.sheet, key, cells),), (ignored_rule("log the delay"),))


def _book(
    scheme: _Scheme, table: Table, order: _Order, status: str = "", due: str = "", row: str = ""
) -> tuple[ToolCall, ...]:
    """Status and delivery day of an order, or what somebody writes who takes another one."""
    row, status = row or table.row_of("Order", order.number), status or order.status
    due = due or scheme.delivery(order, status)
    return (table.write(row, "Status", status), *((table.write(row, "Delivery", due),) if due else ()))


def _mail(scene: Scene, order: _Order, due: str) -> ToolCall:
    body = scene.phrase("shipment_update/customer_mail", order=order, due=due)
    return call("gmail_send_email", to=order.contact.email, subject=f"Order {order.number}", body=body)


# The stage ---------------------------------------------------------------------------------------------------------


def _order(
    scene: Scene,
    knobs: Knobs,
    scheme: _Scheme,
    first: bool = False,
    silent: bool = False,
    held: bool = False,
    away: int = 0,
) -> _Order:
    """An order that leaves `away` days after the day asked about; the first one is delayed where delays matter."""
    number, customer = str(scene.invent.number(1_100, 9_800)), scene.invent.company()
    contact, service = scene.invent.person(customer.domain), scene.rng.choice(_SERVICES)
    statuses = scene.rng.sample(_STATUSES, len(_STATUSES))
    if first and scheme.extras:
        statuses = [*(one for one in statuses if one != _DELAYED), _DELAYED]
    corrected = min(knobs["amendments"], len(_STATUSES) - 1) if knobs["hops"] >= 2 else 0
    posted = () if silent else tuple(statuses[-1 - corrected :])
    hold, lifted, note = scene.rng.choice(_HOLDS), scene.rng.random() < 0.5, scene.rng.choice(_NOTES)
    if held or (knobs["holds"] and lifted):
        note = hold if held else f"{hold}, lifted"
    lookalikes = tuple(f"{number}-{letter}" for letter in "ABCDEF"[: 0 if held or away else knobs["near_duplicates"]])
    leaves = scheme.leaves + timedelta(days=away)
    return _Order(number, customer, contact, service, leaves, posted, held, note, lookalikes)


def _sheet(
    scene: Scene, knobs: Knobs, scheme: _Scheme, orders: Sequence[_Order], done: Sequence[_Order]
) -> tuple[Table, list[str]]:
    """The sheet, and the numbers of packed orders that strangers ask for."""
    rows: list[dict[str, str]] = []
    for order in (*orders, *done):
        status = _DELAYED if order in done else _PACKED
        rows.append(_row(order.number, order.customer, order.contact, order.service, order.leaves, status, order.note))
        rows[-1]["Delivery"] = scheme.delivery(order) if order in done else ""
        rows += [_unrelated(scene, scheme, number, order.customer) for number in order.lookalikes]
    others = [str(scene.invent.number(1_100, 9_800)) for _ in range(knobs["pressure"])]
    rows += [_unrelated(scene, scheme, number, scene.invent.company(), packed=True) for number in others]
    for _ in range(knobs["records"]):
        number = str(scene.invent.number(1_100, 9_800))
        rows.append(_unrelated(scene, scheme, number, scene.invent.company(), packed=scene.rng.random() < 0.7))
    scene.rng.shuffle(rows)
    header = _WIDE if scheme.extras or knobs["selection"] else _NARROW
    return add_table(scene, "Shipments", header, [[row[name] for name in header] for row in rows]), others


def _unrelated(scene: Scene, scheme: _Scheme, number: str, customer: Company, packed: bool = True) -> dict[str, str]:
    """A row that is packed for another day, or has left already."""
    away = scene.rng.randint(1, 12) if packed else -scene.rng.randint(0, 30)
    note = "; ".join(filler_note(scene) for _ in range(scene.prose // 2)) or scene.rng.choice(_NOTES)
    status = _PACKED if packed else scene.rng.choice((_SHIPPED, _DELIVERED))
    service, leaves = scene.rng.choice(_SERVICES), scheme.leaves + timedelta(days=away)
    return _row(number, customer, scene.invent.bystander(customer.domain), service, leaves, status, note)


def _row(
    number: str, customer: Company, contact: Person, service: str, leaves: date, status: str, note: str
) -> dict[str, str]:
    values = (number, customer.name, contact.email, service, leaves.isoformat(), status, "", note)
    return dict(zip(_WIDE, values, strict=True))


def _delays(scene: Scene, scheme: _Scheme, done: Sequence[_Order]) -> list[list[str]]:
    """What is in the log already."""
    rows = [[order.number, order.customer.name, scheme.delivery(order)] for order in done]
    for _ in range(5 * scene.prose):
        number, back = str(scene.invent.number(1_100, 9_800)), scene.rng.randint(3, 90)
        rows.append([number, scene.invent.company().name, scene.days_ago(back)])
    scene.rng.shuffle(rows)
    return rows


def _post_news(scene: Scene, scheme: _Scheme, orders: Sequence[_Order]) -> None:
    channel = add_channel(scene, scheme.channel)
    driver = add_user(scene, scene.invent.person(scene.business.company.domain))
    for order in orders:
        ago = scene.rng.randint(300, 600)
        for place, status in enumerate(order.statuses):
            template = "shipment_update/correction" if place else "shipment_update/news"
            news = scene.phrase(template, order=order, status=status)
            add_post(scene, channel, driver, news, minutes_ago=ago - 40 * place)


FAMILY = Family(
    name="shipment_update",
    domain="operations",
    knobs={
        "entities": Knob(1, 4, 1, "orders to bring up to date"),
        "hops": Knob(1, 5, 2, "places to look in: the sheet, the channel, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when the orders are not named but all that were to leave on a day", ("hops", 2)),
        "near_duplicates": Knob(0, 3, 2, "rows with a similar order number, each order"),
        "records": Knob(2, 80, 5, "unrelated rows"),
        "amendments": Knob(0, 2, 1, "posts that correct a status, each order; delays' days replaced", ("hops", 2)),
        "rules": Knob(0, 3, 1, "rules besides the status: report, mail to who waits longer, log of delays"),
        "holds": Knob(0, 2, 0, "orders on hold to be left alone"),
        "pressure": Knob(0, 3, 0, "strangers who demand a status", ("hops", 2)),
        "distractors": DISTRACTORS,
        "prose": PROSE,
    },
    compose=compose,
)
