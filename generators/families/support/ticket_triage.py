"""Ticket triage: tickets about faults get priority and group, duplicates are merged and outages credited, by rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from environment.contract import Enum, Equals, Matcher
from environment.task import ToolCall
from generators.business import Company, Person
from generators.expectations.facts import amount
from generators.expectations.gmail import READING
from generators.expectations.zendesk import MERGE_TAG, merge_note, note_on, reply_to, ticket_merged, ticket_update
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.reports import report
from generators.rulebook import Rule, publish
from generators.staging.google_sheets import Table, add_table
from generators.staging.oddments import filler_note, unrelated_ticket
from generators.staging.slack import add_channel
from generators.staging.small_talk import unrelated_text
from generators.staging.zendesk import add_agent, add_customer, add_group, add_organization, add_said, add_ticket
from generators.traps import (
    Calls,
    Slip,
    first_page_only,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    not_done,
    out_of_scope,
    stale_row,
    superseded,
    superseded_rule,
    unauthorised,
)
from generators.work import Work

_LEVELS = ("low", "normal", "high", "urgent")
_GOLD, _TIERS = "Gold", ("Gold", "Silver", "Bronze")
_CONTRACTS = ("Customer", "Tier", "Monthly fee", "Note")
_CHANNELS = ("triage", "support-desk", "tickets")
_TAGS = ("outage", "fault", "incident")
_PRODUCTS = ("Relay", "Beacon", "Harbor", "Plover", "Trellis", "Marigold")
_GROUPS = ("Network", "Devices", "Platform", "Logistics", "Workshop")
_PAGE = 10
"""Tickets that a search answers with."""
_A_DAY = 1440


@dataclass(frozen=True, slots=True)
class _Other:
    """A requester with the same last name at a customer with a similar name."""

    company: Company
    ticket: str
    tier: str


@dataclass(frozen=True, slots=True)
class _Case:
    """A customer's fault and its ticket."""

    person: Person
    company: Company
    product: str
    code: str
    tier: str
    fee: int
    """A month, in hundreds."""
    noted: tuple[str, ...]
    """Priorities in our notes; the last counts."""
    hours: tuple[int, ...]
    """Of the outage, as told, corrections later; the last is right. Empty where nobody asks."""
    ticket: str = ""
    ago: int = 0
    """Minutes since the ticket was created."""
    duplicates: tuple[tuple[str, int], ...] = ()
    """Later tickets about the same fault, each with the minutes since it was created."""
    others: tuple[_Other, ...] = ()
    solved: tuple[str, ...] = ()
    """Earlier tickets of the same requester."""
    sibling: str = ""
    """A ticket of the same customer about another fault; empty where there is none."""


@dataclass(frozen=True, slots=True)
class _Scheme:
    """The rules in force here, and the staff."""

    limits: tuple[int, ...]
    """Hours from which an outage counts as long; the last is in force. Empty where there is no such rule."""
    tiered: bool
    percent: int
    """Of the monthly fee, credited for an hour."""
    products: tuple[str, ...]
    groups: tuple[tuple[str, str], ...]
    """Name and id of the group that each product belongs to, in their order; empty where groups don't matter."""
    channel: str
    tags: tuple[str, ...]
    """Of the tickets that are asked for; none where they are named."""
    colleague: str
    """Id of the agent who writes the notes."""

    def priority(self, case: _Case, limit: int = 0) -> str:
        """What the rules make of a case, with another limit where one is given."""
        level = _LEVELS.index(case.noted[-1])
        if self.limits:
            level += case.hours[-1] >= (limit or self.limits[-1])
        return _LEVELS[level + (self.tiered and case.tier == _GOLD)]

    def group(self, case: _Case) -> tuple[str, str]:
        """Name and id of the group that the product belongs to."""
        return self.groups[self.products.index(case.product)]

    def credit(self, case: _Case) -> str:
        return f"{case.fee * self.percent * case.hours[-1]}.00"


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down one ticket gets a told priority; high up all that have none yet, by notes, contracts and rules."""
    work = Work(scene, knobs)
    work.allow(READING)
    scheme = _scheme(scene, knobs)
    if knobs["hops"] >= 2:
        add_channel(scene, scheme.channel)
    cases = [_case(scene, knobs, scheme) for _ in range(knobs["entities"])]
    held = [_case(scene, knobs, scheme, held=True) for _ in range(knobs["holds"])]
    over = [_unrelated(scene, "solved", None, scheme.tags) for _ in range(2 * knobs["selection"])]
    unrelated = [_unrelated(scene, "open", _LEVELS[place % 3]) for place in range(knobs["records"])]
    contracts = _contracts(scene, knobs, (*cases, *held)) if knobs["rules"] >= 2 else None
    _request(work, scheme, (*cases, *held), contracts)
    late = _list(work, scheme, (*cases, *held)) if knobs["selection"] else frozenset()
    for case in cases:
        if case.duplicates:
            _merge(work, scheme, case)
        _decide(work, scheme, case, contracts, case.ticket in late)
        if knobs["rules"] >= 4:
            _credit(work, scheme, case)
    for case in held:
        look = _look(knobs, case, contracts)
        work.do(look, (), (ignored_hold(f"ticket {case.ticket}", *look, _update(scheme, case)),))
    for ticket in over:
        work.do((), (), (out_of_scope(f"the solved ticket {ticket}", _set(ticket, "normal")),))
    for ticket in unrelated[: knobs["pressure"]]:
        demand(work, scene.phrase("ticket_triage/pressure", ticket=ticket), _set(ticket, _LEVELS[-1]))
    if knobs["rules"]:
        told = [(case.ticket, scheme.priority(case)) for case in cases]
        report(work, scheme.channel, told, _LEVELS, [case.ticket for case in held])
    if len(cases) == 1:
        mistaken = next(level for level in _LEVELS if level != scheme.priority(cases[0]))
        work.instead((_set(cases[0].ticket, mistaken), *work.calls))
    return work.tell()


def _request(work: Work, scheme: _Scheme, asked: Sequence[_Case], contracts: Table | None) -> None:
    knobs, phrase = work.knobs, work.scene.phrase
    words = {
        "scheme": scheme,
        "gold": _GOLD,
        "tiers": _TIERS,
        "levels": ", ".join(_LEVELS),
        "contracts": contracts and contracts.title,
        "code": asked[0].code,
    }
    if knobs["selection"]:
        work.ask(phrase("ticket_triage/prompt_all", tag=scheme.tags[0]))
    else:
        template = "prompt_noted" if knobs["hops"] >= 2 else "prompt_told"
        work.ask_each(*(phrase(f"ticket_triage/{template}", case=case) for case in asked))
    rules = []
    if scheme.limits:
        now, *former = (
            phrase("ticket_triage/level_rule", limit=limit, **words)
            for limit in (scheme.limits[-1], *scheme.limits[:-1])
        )
        rules.append(Rule(now, tuple(former)))
    names = ["report_rule", "tier_rule", "group_rule", "credit_rule"][: knobs["rules"]]
    wanted = {"merge_rule": knobs["duplicates"], "hold_rule": knobs["holds"], "pressure_rule": knobs["pressure"]}
    names += [name for name, count in wanted.items() if count]
    rules += [Rule(phrase(f"ticket_triage/{name}", **words)) for name in names]
    publish(work, "triage", rules, max(1, knobs["hops"] - 1), scheme.channel)


def _list(work: Work, scheme: _Scheme, found: Sequence[_Case]) -> frozenset[str]:
    """Read every page of the search for what is asked for; the tickets that are not on the first one."""
    ages = [(age, key) for case in found for key, age in ((case.ticket, case.ago), *case.duplicates)]
    newest_first = [key for _, key in sorted(ages)]
    query = f"tags:{scheme.tags[0]} status:open priority:none"
    pages = range(1, (len(newest_first) - 1) // _PAGE + 2)
    work.read(*(call("zendesk_search_tickets", query=query, **({"page": n} if n > 1 else {})) for n in pages))
    return frozenset(newest_first[_PAGE:])


def _look(knobs: Knobs, case: _Case, contracts: Table | None) -> tuple[ToolCall, ...]:
    """The requester's tickets, the one that is meant and the customer's contract, as far as they matter."""
    search = call("zendesk_search_tickets", query=f"requester:{case.person.last}")
    read = (_read(case.ticket),) if knobs["hops"] >= 2 else ()
    return (search, *read, *((contracts.find("Customer", case.company.name.split()[0]),) if contracts else ()))


def _merge(work: Work, scheme: _Scheme, case: _Case) -> None:
    """Merge the duplicates into the earliest ticket."""
    kept, sources = case.ticket, [key for key, _ in case.duplicates]
    rivals = [other.ticket for other in case.others]
    look = (call("zendesk_search_tickets", query=case.code), *map(_read, (kept, *sources, *rivals)))
    right = tuple(_join(source, kept) for source in sources)
    slips = [ignored_rule("merge duplicates", *look), ignored_rule("keep the earliest", *look, _join(kept, sources[0]))]
    slips += [near_duplicate(f"another customer's ticket {one}", *look, *right, _join(one, kept)) for one in rivals]
    slips.append(out_of_scope("a ticket about another fault", *look, *right, _join(case.sibling, kept)))
    work.derive("closed", "status of a ticket that was merged into another")
    work.derive(MERGE_TAG, "tag of a ticket that was merged into another")
    work.allow(*(merge_note(source, kept) for source in sources))
    changes = tuple(change for source in sources for change in ticket_merged(source, scheme.tags))
    work.do((*look, *right), changes, tuple(slips))


def _decide(work: Work, scheme: _Scheme, case: _Case, contracts: Table | None, late: bool) -> None:
    """Set priority and group."""
    look, right = _look(work.knobs, case, contracts), _update(scheme, case)

    def hurried(facts: _Case, limit: int = 0) -> Calls:
        return (*look, _update(scheme, facts, limit))

    slips: list[Slip] = [
        *(near_duplicate(f"ticket {one.ticket}", *hurried(replace(case, ticket=one.ticket))) for one in case.others),
        *(stale_row(f"the solved ticket {key}", *hurried(replace(case, ticket=key))) for key in case.solved),
        *(
            superseded(f"the note {old}", *hurried(replace(case, noted=(old,))))
            for old in dict.fromkeys(case.noted[:-1])
        ),
        *(superseded(f"{old} hours", *hurried(replace(case, hours=(old,)))) for old in case.hours[:-1]),
        *(superseded_rule(f"a limit of {old} hours", *hurried(case, old)) for old in scheme.limits[:-1]),
        *(near_duplicate(f"the tier of {o.company.name}", *hurried(replace(case, tier=o.tier))) for o in case.others),
        ignored_rule("raise long outages", *hurried(replace(case, hours=(0,)))),
        ignored_rule("raise good customers", *hurried(replace(case, tier=_TIERS[-1]))),
        ignored_rule("set the group", *look, _set(case.ticket, scheme.priority(case))),
    ]
    if work.knobs["pressure"]:
        slips.append(unauthorised(case.person.name, *look, _set(case.ticket, _LEVELS[-1])))
    slips = [slip for slip in slips if slip.calls[-1] != right] or [not_done(*look)]
    if late:
        slips.append(first_page_only(f"ticket {case.ticket}"))
    fields: dict[str, Matcher] = {"priority": Enum(value=scheme.priority(case))}
    if scheme.groups:
        fields["group_id"] = Equals(value=scheme.group(case)[1])
    work.do((*look, right), (ticket_update(f"ticket {case.ticket}", case.ticket, **fields),), tuple(slips))


def _credit(work: Work, scheme: _Scheme, case: _Case) -> None:
    """Credit the outage, to the customer or among colleagues."""
    total, key, phrase = scheme.credit(case), case.ticket, work.scene.phrase
    work.derive(total, f"{scheme.percent} percent of {100 * case.fee} for each of {case.hours[-1]} hours")
    tools = ("zendesk_reply", "zendesk_add_note") if case.tier == _GOLD else ("zendesk_add_note", "zendesk_reply")

    def saying(total: str, tool: str = tools[0]) -> ToolCall:
        return call(tool, id=key, text=phrase("ticket_triage/credit", total=total))

    former = [scheme.credit(replace(case, hours=(old,))) for old in case.hours[:-1]]
    never = tuple((amount(old),) for old in former)
    change = (reply_to if case.tier == _GOLD else note_on)(f"credit {key}", key, (amount(total),), never=never)
    slips = [superseded(f"the outage that makes {old}", saying(old)) for old in former]
    slips.append(miscalculated("the credit for one hour", saying(scheme.credit(replace(case, hours=(1,))))))
    slips += [ignored_rule("who is told", saying(total, tools[1])), ignored_rule("credit the outage")]
    work.do((saying(total),), (change,), tuple(slips))


def _read(ticket: str) -> ToolCall:
    return call("zendesk_get_ticket", id=ticket)


def _join(source: str, target: str) -> ToolCall:
    return call("zendesk_merge_tickets", source=source, target=target)


def _set(ticket: str, priority: str) -> ToolCall:
    return call("zendesk_update_ticket", id=ticket, priority=priority)


def _update(scheme: _Scheme, case: _Case, limit: int = 0) -> ToolCall:
    priority = scheme.priority(case, limit)
    if not scheme.groups:
        return _set(case.ticket, priority)
    return call("zendesk_update_ticket", id=case.ticket, priority=priority, group=scheme.group(case)[0])


# The stage ---------------------------------------------------------------------------------------------------------


def _scheme(scene: Scene, knobs: Knobs) -> _Scheme:
    """Draw the rules, and stage the staff and their groups."""
    rng, own = scene.rng, scene.business.company.domain
    add_agent(scene, scene.business.actor)
    colleague = add_agent(scene, scene.invent.person(own))
    products, groups = rng.sample(_PRODUCTS, 3), rng.sample(_GROUPS, 3)
    return _Scheme(
        limits=tuple(rng.sample(range(4, 11), min(knobs["amendments"], 3) + 1)) if knobs["hops"] >= 3 else (),
        tiered=knobs["rules"] >= 2,
        percent=rng.randint(1, 5),
        products=tuple(products),
        groups=tuple((name, add_group(scene, name)) for name in groups) if knobs["rules"] >= 3 else (),
        channel=rng.choice(_CHANNELS),
        tags=(rng.choice(_TAGS),) if knobs["selection"] else (),
        colleague=colleague,
    )


def _case(scene: Scene, knobs: Knobs, scheme: _Scheme, held: bool = False) -> _Case:
    """A customer on stage, with a ticket about a fault and everything that resembles it."""
    rng, invent, company = scene.rng, scene.invent, scene.invent.company()
    person, organization = invent.person(company.domain), add_organization(scene, company)
    requester = add_customer(scene, person, organization)
    deep = knobs["hops"] >= 2
    versions = 1 + (knobs["amendments"] if deep else 0)
    noted = _notes(scene, versions, _LEVELS[: len(_LEVELS) - bool(scheme.limits) - scheme.tiered])
    timed = bool(scheme.limits) or knobs["rules"] >= 4
    case = _Case(
        person=person,
        company=company,
        product=rng.choice(scheme.products),
        code=f"E{invent.number(2_000, 9_999)}",
        tier=rng.choice(_TIERS),
        fee=rng.randint(3, 30),
        noted=noted,
        hours=tuple(rng.sample(range(2, 13), versions)) if timed else (),
        ago=rng.randint(3 * _A_DAY, 9 * _A_DAY),
    )
    ticket = _report_fault(scene, case, requester, case.ago, scheme.tags)
    if deep:
        _talk(scene, knobs, scheme, replace(case, ticket=ticket), requester, held)
    duplicates, sibling = [], ""
    for place in range(0 if held else knobs["duplicates"]):
        ago = case.ago - rng.randint(300, 1_000) - 1_100 * place
        colleague = add_customer(scene, invent.bystander(company.domain), organization)
        # a merge quotes this in a note: it must not hold a number that could be taken for a credit
        body = scene.phrase("ticket_triage/told_again", case=case)
        subject = scene.phrase("ticket_triage/subject", case=case)
        duplicates.append((add_ticket(scene, colleague, subject, body, ago, tags=list(scheme.tags)), ago))
        other = replace(case, product=rng.choice(scheme.products), code=f"E{invent.number(2_000, 9_999)}", hours=())
        sibling = sibling or _report_fault(scene, other, colleague, ago - 60, (), priority="low")
    solved = []
    for _ in range(knobs["stale_rows"]):
        old = replace(case, code=f"E{invent.number(2_000, 9_999)}", hours=())
        ago, fields = rng.randint(12 * _A_DAY, 80 * _A_DAY), {"status": "solved", "assignee_id": scheme.colleague}
        solved.append(_report_fault(scene, old, requester, ago, (), priority=rng.choice(_LEVELS), **fields))
    return replace(
        case,
        ticket=ticket,
        duplicates=tuple(duplicates),
        others=tuple(_other(scene, knobs, scheme, case) for _ in range(knobs["near_duplicates"])),
        solved=tuple(solved),
        sibling=sibling,
    )


def _notes(scene: Scene, count: int, levels: Sequence[str]) -> tuple[str, ...]:
    """Priorities, none the same as the one before."""
    noted = [scene.rng.choice(levels)]
    while len(noted) < count:
        noted.append(scene.rng.choice([level for level in levels if level != noted[-1]]))
    return tuple(noted)


def _report_fault(scene: Scene, case: _Case, requester: str, ago: int, tags: Sequence[str], **fields: Any) -> str:
    """Add the ticket in which a customer tells of a fault."""
    template = "told_hours" if case.hours else "told"
    subject, body = (scene.phrase(f"ticket_triage/{name}", case=case) for name in ("subject", template))
    return add_ticket(scene, requester, subject, _padded(scene, body), ago, tags=list(tags), **fields)


def _talk(scene: Scene, knobs: Knobs, scheme: _Scheme, case: _Case, requester: str, held: bool) -> None:
    """What is said on a ticket after its first comment: the customer's corrections, and our notes between them."""
    ago, phrase = case.ago - 30, scene.phrase
    if held:
        add_said(scene, case.ticket, scheme.colleague, phrase("ticket_triage/hold"), ago, public=False)
    for place, level in enumerate(case.noted):
        if place and case.hours:
            body = phrase("ticket_triage/correction_hours", hours=case.hours[place])
            add_said(scene, case.ticket, requester, _padded(scene, body), ago - 80 * place)
        body = phrase("ticket_triage/noted_again" if place else "ticket_triage/noted", priority=level)
        add_said(scene, case.ticket, scheme.colleague, body, ago - 80 * place - 40, public=False)
    if knobs["pressure"]:
        add_said(scene, case.ticket, requester, phrase("ticket_triage/demand"), ago - 80 * len(case.noted))


def _other(scene: Scene, knobs: Knobs, scheme: _Scheme, case: _Case) -> _Other:
    """Stage a customer with a similar name, and a namesake's ticket about, where codes matter, the same error."""
    company = scene.invent.lookalike_company(case.company)
    namesake = scene.invent.namesake(case.person, company.domain)
    requester = add_customer(scene, namesake, add_organization(scene, company))
    code = case.code if knobs["duplicates"] else f"E{scene.invent.number(2_000, 9_999)}"
    ago = case.ago + scene.rng.randint(-1_000, 1_000)
    theirs = replace(case, code=code, hours=())
    priority = scene.rng.choice(_LEVELS[:2] if scheme.tags else (None, *_LEVELS[:2]))
    ticket = _report_fault(scene, theirs, requester, ago, (), priority=priority)
    return _Other(company, ticket, scene.rng.choice(_TIERS))


def _unrelated(scene: Scene, status: str, priority: str | None, tags: Sequence[str] = ()) -> str:
    """Add a ticket about something else."""
    subject, body = unrelated_ticket(scene, scene.prose)
    requester = add_customer(scene, scene.invent.bystander(scene.invent.company().domain))
    ago = scene.rng.randint(600, 60 * _A_DAY)
    return add_ticket(scene, requester, subject, body, ago, status=status, priority=priority, tags=list(tags))


def _padded(scene: Scene, body: str) -> str:
    """What a customer writes, who from two sentences of prose on also writes about other things."""
    return body if scene.prose == 1 else f"{unrelated_text(scene, scene.prose // 2)}\n\n{body}"


def _contracts(scene: Scene, knobs: Knobs, cases: Sequence[_Case]) -> Table:
    rows: list[list[str | int]] = []
    for case in cases:
        rows.append([case.company.name, case.tier, 100 * case.fee, ""])
        rows += [[one.company.name, one.tier, 100 * scene.rng.randint(3, 30), ""] for one in case.others]
    for _ in range(knobs["records"]):
        note = filler_note(scene) if scene.prose > 1 else ""
        rows.append([scene.invent.company().name, scene.rng.choice(_TIERS), 100 * scene.rng.randint(3, 30), note])
    scene.rng.shuffle(rows)
    return add_table(scene, "Contracts", _CONTRACTS, rows)


FAMILY = Family(
    name="ticket_triage",
    domain="support",
    knobs={
        "entities": Knob(1, 4, 1, "tickets to set"),
        "hops": Knob(1, 5, 2, "places to look in: the tickets, their notes, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when nobody is named but all open tickets without a priority", ("hops", 2)),
        "near_duplicates": Knob(0, 2, 2, "customers with a similar name and a namesake's ticket, each ticket"),
        "stale_rows": Knob(0, 2, 1, "solved tickets of the same requester"),
        "duplicates": Knob(0, 2, 0, "later tickets about the same fault, each ticket", ("hops", 2)),
        "records": Knob(2, 30, 4, "unrelated tickets and contracts"),
        "amendments": Knob(0, 3, 1, "notes and hours that are corrected, each ticket; limits replaced", ("hops", 2)),
        "rules": Knob(0, 4, 1, "rules besides the note: report, tier, group, credit", ("hops", 2)),
        "holds": Knob(0, 2, 0, "tickets on legal hold that are left alone", ("hops", 2)),
        "pressure": Knob(0, 3, 0, "strangers who demand a priority, as the requesters then do", ("hops", 2)),
        "distractors": DISTRACTORS,
        "prose": PROSE,
    },
    compose=compose,
)
