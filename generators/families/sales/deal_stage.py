"""Deal stage: open opportunities have moved; stage and amount follow from the news, the discount and the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from environment.contract import Enum, Matcher, Money
from environment.task import ToolCall
from generators.business import Company
from generators.expectations.facts import text
from generators.expectations.gmail import READING
from generators.expectations.salesforce import note_on, record_update, task_on
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.reports import report
from generators.rulebook import Rule, publish
from generators.staging.gmail import Mail, add_mail
from generators.staging.oddments import filler_notes
from generators.staging.salesforce import add_deal, add_record
from generators.staging.slack import add_channel, add_post, add_user
from generators.traps import (
    Slip,
    first_page_only,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    out_of_scope,
    stale_row,
    superseded,
    superseded_rule,
)
from generators.work import Work

_CHANNELS = ("deals", "pipeline", "forecast")
_EARLY = ("Prospecting", "Qualification", "Needs Analysis")
_REVIEW, _WON, _LOST = "Negotiation/Review", "Closed Won", "Closed Lost"
_LATER = ("Value Proposition", "Perception Analysis", "Proposal/Price Quote", _REVIEW)
_LIMITS = (20_000, 35_000, 50_000, 65_000)
_NO_LIMIT = 10**9
_PERCENTS = (4, 6, 8, 12, 15, 18, 22)
_REASONS = ("price", "timing", "missing features", "no budget", "a rival offer")
_PARTNER, _DIRECT = "Channel Partner / Reseller", ("Customer - Direct", "Prospect")
_TASKS = ("Check references", "Book the legal call", "Send the contract")
_NOTES = ("Reason", "Why we lost", "Loss")
_FIRST_PAGE = 20
"""Messages that reading a channel shows unless more are asked for."""


@dataclass(frozen=True, slots=True)
class _Deal:
    """A customer's open opportunity, and what is said about it."""

    customer: Company
    id: str
    close: str
    before: int
    """Amount before the news."""
    stage: str
    """As it was reported."""
    told: tuple[int, ...]
    """Amounts as reported, corrections later."""
    reasons: tuple[str, ...]
    """Why it was lost, corrections later; none when it was not."""
    percents: tuple[int, ...]
    """Discounts that the customer accepted by mail, corrections later; perhaps none."""
    mails: tuple[Mail, ...]
    others: tuple[tuple[str, str], ...]
    """Names and deals of similar customers."""
    other_percent: int
    """Discount that a customer with a similar name accepted; 0 when there is none."""
    closed: tuple[str, ...]
    """Deals of the same customer that are over."""

    def amount(self, told: int | None = None, percent: int | None = None) -> int:
        """What the rule makes of the report and the mail, or of other ones when given."""
        off = (self.percents[-1] if self.percents else 0) if percent is None else percent
        return discounted(self.told[-1] if told is None else told, off)

    def goes_to(self, limit: int, amount: int | None = None) -> str:
        """The stage that the rule makes of the amount, of another one when given."""
        return _REVIEW if (self.amount() if amount is None else amount) > limit else self.stage


def discounted(price: int, percent: int) -> int:
    """A price in hundreds less so many percent of it."""
    return price - price // 100 * percent


@dataclass(frozen=True, slots=True)
class _Scheme:
    """The rules in force here, and what is said where."""

    channel: str
    limits: tuple[int, ...]
    """Amounts above which a deal is reviewed; the last is in force."""
    owner: str
    """Colleague whose deals are asked for."""
    owners: tuple[str, ...]
    """User ids of that colleague and another one; none unless deals are chosen by owner."""
    task: str
    days: int
    """How long before the close date the task is due."""
    note: str
    news: list[tuple[int, str, str]] = field(default_factory=list)
    """Minutes ago, customer and text of each post."""

    @property
    def limit(self) -> int:
        return self.limits[-1]

    def owned(self, place: int) -> dict[str, Any]:
        return {"OwnerId": self.owners[place]} if self.owners else {}

    @classmethod
    def draw(cls, scene: Scene, knobs: Knobs) -> _Scheme:
        choice = scene.rng.choice
        found = knobs["hops"] >= 3
        limits = scene.rng.sample(_LIMITS, min(knobs["amendments"], 3) + 1) if found else [_NO_LIMIT]
        people = [scene.invent.person(scene.business.company.domain) for _ in range(2 * knobs["selection"])]
        owners = [add_record(scene, "User", FirstName=p.first, LastName=p.last, Email=p.email) for p in people]
        name = people[0].name if people else ""
        days = scene.rng.randint(3, 12)
        return cls(choice(_CHANNELS), tuple(limits), name, tuple(owners), choice(_TASKS), days, choice(_NOTES))


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down one told deal is moved; high up all of an owner's deals in the news, by rules to be found."""
    work = Work(scene, knobs)
    work.allow(READING)
    scheme = _Scheme.draw(scene, knobs)
    deals = [_deal(scene, knobs, scheme, silent=place % 4 == 3) for place in range(knobs["entities"])]
    lost = [_deal(scene, knobs, scheme, lost=True) for _ in range(knobs["rules"] // 4)]
    held = [_deal(scene, knobs, scheme, kind=_PARTNER) for _ in range(knobs["holds"])]
    foreign = [_deal(scene, knobs, scheme, owner=1) for _ in range(2 * knobs["selection"])]
    unrelated = [_unrelated(scene, scheme) for _ in range(knobs["records"])]
    if knobs["hops"] >= 2:
        _post_news(scene, scheme)
    _request(work, scheme, (*deals, *lost, *held))
    for deal in deals:
        _advance(work, scheme, deal)
        if knobs["rules"] >= 3:
            _plan(work, scheme, deal)
    for deal in lost:
        _lose(work, scheme, deal)
    for deal in held:
        look, move = _look(knobs, deal), _move(deal.id, deal.goes_to(scheme.limit), deal.amount())
        work.do(look, (), (ignored_hold(f"the deal of {deal.customer.name}", *look, move),))
    for deal in foreign:
        look, move = _look(knobs, deal), _move(deal.id, deal.goes_to(scheme.limit), deal.amount())
        work.do(look, (), (out_of_scope(f"the deal of {deal.customer.name}, which another owns", *look, move),))
    for name, key in unrelated[: knobs["pressure"]]:
        body = scene.phrase("deal_stage/pressure", customer=name, won=_WON)
        demand(work, body, call("salesforce_update_opportunity", id=key, stage=_WON))
    if knobs["rules"]:
        told = [(deal.customer.name, deal.goes_to(scheme.limit)) for deal in deals]
        told += [(deal.customer.name, _LOST) for deal in lost]
        left = [deal.customer.name for deal in (*held, *foreign)]
        report(work, scheme.channel, told, (*_LATER, _LOST), left)
    return work.tell()


def _request(work: Work, scheme: _Scheme, asked: Sequence[_Deal]) -> None:
    """Say what is asked for, publish the rules and read the news."""
    knobs, phrase = work.knobs, work.scene.phrase
    words = {"scheme": scheme, "review": _REVIEW, "lost": _LOST, "partner": _PARTNER}
    if knobs["selection"]:
        work.ask(phrase("deal_stage/prompt_owner", **words))
    else:
        template = "prompt_posted" if knobs["hops"] >= 2 else "prompt_told"
        work.ask_each(*(phrase(f"deal_stage/{template}", deal=deal, **words) for deal in asked))
    rules = []
    if knobs["hops"] >= 3:
        former = tuple(phrase("deal_stage/review_rule", limit=old, **words) for old in scheme.limits[:-1])
        rules.append(Rule(phrase("deal_stage/review_rule", limit=scheme.limit, **words), former))
    names = ["report_rule", "discount_rule", "task_rule", "lost_rule"][: knobs["rules"]]
    names += ["hold_rule"] if knobs["holds"] else []
    rules += [Rule(phrase(f"deal_stage/{name}", **words)) for name in names]
    publish(work, "moving deals", rules, max(1, knobs["hops"] - 1), scheme.channel)
    if len(scheme.news) + knobs["distractors"] + knobs["amendments"] > _FIRST_PAGE - 2:
        work.read(call("slack_read_channel", channel=scheme.channel, limit=5 * _FIRST_PAGE))
    elif knobs["hops"] == 2:
        work.read(call("slack_read_channel", channel=scheme.channel))


def _post_news(scene: Scene, scheme: _Scheme) -> None:
    channel = add_channel(scene, scheme.channel)
    seller = add_user(scene, scene.invent.person(scene.business.company.domain))
    for ago, _, said in scheme.news:
        add_post(scene, channel, seller, said, minutes_ago=ago)


def _look(knobs: Knobs, deal: _Deal) -> tuple[ToolCall, ...]:
    """Everything that says what becomes of a deal, the channel apart."""
    stem, calls = deal.customer.name.split()[0], []
    if knobs["holds"]:
        calls.append(call("salesforce_find_accounts", name=stem))
    if knobs["rules"] >= 2 and not deal.reasons:
        calls.append(call("gmail_search_emails", query=stem))
        calls += [call("gmail_read_email", id=mail.id) for mail in deal.mails if mail.long]
    return (*calls, call("salesforce_find_opportunities", name=stem))


def _advance(work: Work, scheme: _Scheme, deal: _Deal) -> None:
    """Write down a deal's new stage and amount."""
    look, amount, name = _look(work.knobs, deal), deal.amount(), deal.customer.name
    stage = deal.goes_to(scheme.limit)

    def writing(amount: int, stage: str | None = None, key: str = deal.id) -> tuple[ToolCall, ...]:
        return (*look, _move(key, stage or deal.goes_to(scheme.limit, amount), amount))

    slips = [near_duplicate(f"the deal of {other}", *writing(amount, stage, key)) for other, key in deal.others]
    slips += [stale_row(f"a closed deal of {name}", *writing(amount, stage, key)) for key in deal.closed]
    slips += [superseded(str(old), *writing(deal.amount(old))) for old in deal.told[:-1]]
    slips += [superseded(f"{old} percent", *writing(deal.amount(percent=old))) for old in deal.percents[:-1]]
    for old in scheme.limits[:-1]:
        if deal.goes_to(old) != stage:
            slips.append(superseded_rule(f"a limit of {old}", *writing(amount, deal.goes_to(old))))
    if stage != deal.stage:
        slips.append(ignored_rule("review large deals", *writing(amount, deal.stage)))
    if deal.percents:
        work.derive(str(amount), f"{deal.told[-1]} less {deal.percents[-1]} percent")
        slips.append(miscalculated("the amount before discount", *writing(deal.told[-1])))
    if deal.other_percent:
        slips.append(near_duplicate("a similar customer's mail", *writing(deal.amount(percent=deal.other_percent))))
    if amount != deal.before:
        half = call("salesforce_update_opportunity", id=deal.id, stage=stage)
        slips.append(ignored_rule("change the amount too", *look, half))
    fields: dict[str, Matcher] = {"StageName": Enum(value=stage), "Amount": Money(amount=str(amount))}
    change = record_update(f"deal {name}", "Opportunity", deal.id, **fields)
    work.do(writing(amount), (change,), (*slips, *_missed(scheme, deal)))


def _plan(work: Work, scheme: _Scheme, deal: _Deal) -> None:
    """Create the task that the rules ask for."""
    due = (date.fromisoformat(deal.close) - timedelta(days=scheme.days)).isoformat()
    work.derive(due, f"{deal.close} less {scheme.days} days")
    change = task_on(f"task {deal.customer.name}", deal.id, scheme.task, due)
    right, late = (
        call("salesforce_create_task", subject=scheme.task, related_id=deal.id, due_date=day)
        for day in (due, deal.close)
    )
    work.do((right,), (change,), (miscalculated("the close date", late), ignored_rule("create the task")))


def _lose(work: Work, scheme: _Scheme, deal: _Deal) -> None:
    """Close a lost deal and note why."""
    look, name, reason = _look(work.knobs, deal), deal.customer.name, deal.reasons[-1]

    def closing(key: str) -> tuple[ToolCall, ...]:
        return (*look, call("salesforce_update_opportunity", id=key, stage=_LOST))

    change = record_update(f"deal {name}", "Opportunity", deal.id, StageName=Enum(value=_LOST))
    slips = [near_duplicate(f"the deal of {other}", *closing(key)) for other, key in deal.others]
    work.do(closing(deal.id), (change,), (*slips, *_missed(scheme, deal)))
    notes = {
        why: call("salesforce_create_note", record_id=deal.id, title=scheme.note, body=why) for why in deal.reasons
    }
    never = tuple((text(other),) for other in _REASONS if other != reason)
    note = note_on(f"note {name}", deal.id, (text(reason),), never=never, Title=Enum(value=scheme.note))
    former = [superseded(why, notes[why]) for why in deal.reasons[:-1]]
    work.do((notes[reason],), (note,), (*former, ignored_rule("note why it was lost")))


def _missed(scheme: _Scheme, deal: _Deal) -> list[Slip]:
    """Overlooking a deal whose news is too old for the first page."""
    ago = min((ago for ago, customer, _ in scheme.news if customer == deal.customer.name), default=0)
    newer = sum(other < ago for other, _, _ in scheme.news)
    return [first_page_only(f"the news on {deal.customer.name}")] if newer >= _FIRST_PAGE else []


def _deal(
    scene: Scene,
    knobs: Knobs,
    scheme: _Scheme,
    owner: int = 0,
    kind: str = "",
    lost: bool = False,
    silent: bool = False,
) -> _Deal:
    """A deal on stage, what is like it, and what is said about it; a silent customer writes no mail."""
    rng, customer, owned = scene.rng, scene.invent.company(), scheme.owned(owner)
    account = _account(scene, knobs, customer, kind)
    corrections = knobs["amendments"] if knobs["hops"] >= 2 else 0
    before, *told = (100 * number for number in rng.sample(range(110, 981), 2 + corrections))
    close, stage = scene.days_ago(-rng.randint(20, 90)), rng.choice(_LATER[: 3 if knobs["hops"] >= 3 else 4])
    key = _add(scene, customer, rng.choice(_EARLY), before, close, **account, **owned)
    others = [scene.invent.lookalike_company(customer) for _ in range(knobs["near_duplicates"])]
    taken = []
    for other in others:
        theirs = _account(scene, knobs, other) | scheme.owned(rng.randint(0, 1))
        day = scene.days_ago(-rng.randint(20, 90))
        taken.append((other.name, _add(scene, other, rng.choice(_EARLY), 100 * rng.randint(110, 980), day, **theirs)))
    closed = []
    for _ in range(knobs["stale_rows"]):
        over, day = rng.choice((_WON, _LOST)), scene.days_ago(rng.randint(5, 300))
        closed.append(_add(scene, customer, over, 100 * rng.randint(110, 980), day, **account, **owned))
    *percents, other_percent = rng.sample(_PERCENTS, 2 + (knobs["amendments"] >= 2))
    mailed = knobs["rules"] >= 2 and not lost
    if silent or not mailed:
        percents = []
    sent = rng.randint(300, 4_000)
    mails = [_accept(scene, customer, percent, sent - 40 * place) for place, percent in enumerate(percents)]
    rivals = others[: int(mailed)]
    for other in rivals:
        _accept(scene, other, other_percent, rng.randint(100, 500))
    reasons = rng.sample(_REASONS, len(told)) if lost else []
    ago = rng.randint(300, 4_000)
    for place, amount in enumerate(told):
        template = f"{'lost' if lost else 'news'}{'_correction' if place else ''}"
        facts = {"customer": customer.name, "stage": stage, "amount": amount, "reason": reasons[place] if lost else ""}
        scheme.news.append((ago - 40 * place, customer.name, scene.phrase(f"deal_stage/{template}", **facts)))
    return _Deal(
        customer=customer,
        id=key,
        close=close,
        before=before,
        stage=stage,
        told=tuple(told),
        reasons=tuple(reasons),
        percents=tuple(percents),
        mails=tuple(mails),
        others=tuple(taken),
        other_percent=other_percent if rivals else 0,
        closed=tuple(closed),
    )


def _account(scene: Scene, knobs: Knobs, customer: Company, kind: str = "") -> dict[str, Any]:
    """The field that ties a deal to its customer's account, of this kind, where kinds matter."""
    if not knobs["holds"]:
        return {}
    return {"AccountId": add_record(scene, "Account", Name=customer.name, Type=kind or scene.rng.choice(_DIRECT))}


def _accept(scene: Scene, customer: Company, percent: int, ago: int) -> Mail:
    """A customer's mail about the discount."""
    buyer = scene.invent.bystander(customer.domain)
    body = scene.phrase("deal_stage/mail_discount", buyer=buyer, percent=percent)
    return add_mail(scene, buyer, f"{customer.name}: your offer", body, minutes_ago=ago)


def _unrelated(scene: Scene, scheme: _Scheme) -> tuple[str, str]:
    """A deal that nobody asks about: customer and id."""
    customer, rng = scene.invent.company(), scene.rng
    close = scene.days_ago(-rng.randint(10, 90))
    owned = scheme.owned(rng.randint(0, 1))
    return customer.name, _add(scene, customer, rng.choice(_EARLY), 100 * rng.randint(110, 980), close, **owned)


def _add(scene: Scene, customer: Company, stage: str, amount: int, close: str, **fields: Any) -> str:
    note = {"Description": filler_notes(scene)} if scene.prose > 1 else {}
    return add_deal(scene, customer, stage, amount, close, **note, **fields)


def _move(deal: str, stage: str, amount: int) -> ToolCall:
    return call("salesforce_update_opportunity", id=deal, stage=stage, amount=amount)


FAMILY = Family(
    name="deal_stage",
    domain="sales",
    knobs={
        "entities": Knob(1, 5, 1, "deals that have moved"),
        "hops": Knob(1, 5, 2, "places to look in: Salesforce, the channel, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when the deals are not named but all that somebody owns", ("hops", 2)),
        "near_duplicates": Knob(0, 4, 2, "deals of customers with a similar name, each deal"),
        "stale_rows": Knob(0, 3, 1, "closed deals of the same customer, each deal"),
        "records": Knob(2, 60, 4, "unrelated deals"),
        "amendments": Knob(0, 3, 1, "posts that correct what was said, each deal; limits replaced", ("hops", 2)),
        "rules": Knob(0, 4, 1, "rules besides the stage: report, discount, task, lost deals", ("hops", 2)),
        "holds": Knob(0, 2, 0, "partners' deals that are left alone", ("hops", 2)),
        "pressure": Knob(0, 2, 0, "strangers who demand a change", ("hops", 2)),
        "distractors": replace(DISTRACTORS, needs=("hops", 2)),
        "prose": replace(PROSE, needs=("hops", 2)),
    },
    compose=compose,
)
