"""Callback number: contacts have new telephone numbers; each is stored, and the next call planned, as the rules say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from environment.contract import Date, Enum, Phone
from environment.task import ToolCall
from generators.business import Person
from generators.expectations.facts import phone, text
from generators.expectations.gmail import READING, mail_to
from generators.expectations.google_sheets import cells_update
from generators.expectations.salesforce import note_on, record_update
from generators.expectations.slack import slack_post
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.rulebook import Rule, publish
from generators.staging.gmail import Mail, add_mail, find_mails
from generators.staging.google_sheets import Table, add_table
from generators.staging.oddments import filler_note
from generators.staging.salesforce import add_contact
from generators.staging.slack import add_channel
from generators.traps import (
    Slip,
    done_twice,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    not_done,
    out_of_scope,
    stale_row,
    superseded,
    superseded_rule,
    wrong_source,
)
from generators.work import Work

_PLAN = ("Name", "Tier", "Last call", "Next call", "Note")
_TIERS = ("Gold", "Silver", "Bronze")
_CHANNELS = ("contacts", "desk", "customers")
_NOTES = ("Phone changed", "Former phone", "Phone history")
_LEFT = ("Left the company", "No longer there", "Left last year")
_OPTED_OUT = ("opted out of calls", "wants no calls", "no calls, opted out")
_DAYS = 3
"""How many days back a request reaches that names nobody."""


@dataclass(frozen=True, slots=True)
class _Caller:
    """Somebody who told a new number."""

    person: Person
    contact: str
    former: str
    """What the contact holds at the start."""
    numbers: tuple[str, ...]
    """As told, corrections later; the last is right."""
    mails: tuple[Mail, ...]
    forged: str
    """A number that a mail from another address tells; empty when there is none."""
    namesakes: tuple[tuple[str, str], ...]
    """Names and contacts."""
    left: tuple[str, ...]
    """Contacts of the same person at earlier employers."""
    tier: str
    last_call: str
    note: str

    def next_call(self, days: int) -> str:
        """The day of the next call when Gold ones follow after `days` days and each lower tier a week later."""
        return (date.fromisoformat(self.last_call) + timedelta(days=self.wait(days))).isoformat()

    def wait(self, days: int) -> int:
        return days + 7 * _TIERS.index(self.tier)


@dataclass(frozen=True, slots=True)
class _Scheme:
    """The rules in force here."""

    days: tuple[int, ...]
    """From one call to the next for Gold; the last is in force."""
    channel: str
    note: str


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down one told number is stored; high up those of everybody who mailed one lately, by rules that are found."""
    work, rng = Work(scene, knobs), scene.rng
    work.allow(READING)
    days = tuple(rng.sample(range(11, 25), min(knobs["amendments"], 3) + 1)) if knobs["hops"] >= 3 else (0,)
    scheme = _Scheme(days, rng.choice(_CHANNELS), rng.choice(_NOTES))
    callers = [_caller(scene, knobs, forged=place < knobs["holds"]) for place in range(knobs["entities"])]
    held = [
        _caller(scene, knobs, note=rng.choice(_OPTED_OUT))
        if knobs["hops"] >= 3 and place % 2
        else _caller(scene, knobs, strange=True)
        for place in range(knobs["holds"])
    ]
    earlier = [_caller(scene, knobs, days_ago=rng.randint(5, 20)) for _ in range(knobs["selection"])]
    done = [_caller(scene, knobs, stored=True) for _ in range(knobs["selection"])]
    bystanders = [scene.invent.bystander(scene.invent.company().domain) for _ in range(knobs["records"])]
    contacts = [_contact(scene, person) for person in bystanders]
    people = (*callers, *held, *earlier, *done)
    plan = _plan(scene, scheme, people, done, bystanders) if knobs["hops"] >= 3 else None
    _request(work, scheme, (*callers, *held), plan)
    if knobs["selection"]:
        work.read(call("gmail_search_emails", query="subject:number", max_results=50))
    for caller in callers:
        _store(work, caller, plan)
        _follow_up(work, scheme, caller, plan)
    for caller in held:
        look = _look(caller, plan)
        work.do(look, (), (ignored_hold(caller.person.name, *look, _put(caller.contact, caller.numbers[-1])),))
    for caller in earlier:
        work.do((), (), (out_of_scope(caller.person.name, _put(caller.contact, caller.numbers[-1])),))
    for caller in done:
        if knobs["rules"] >= 2:
            work.do((), (), (done_twice(f"the note on {caller.person.name}", _note(scheme, caller)),))
    for person, contact in zip(bystanders[: knobs["pressure"]], contacts, strict=False):
        number = scene.invent.phone()
        demand(work, scene.phrase("callback_number/pressure", person=person, phone=number), _put(contact, number))
    if knobs["rules"]:
        _report(work, scheme, callers, held)
    return work.tell()


def _request(work: Work, scheme: _Scheme, asked: Sequence[_Caller], plan: Table | None) -> None:
    knobs, phrase = work.knobs, work.scene.phrase
    words = {"channel": scheme.channel, "note": scheme.note, "plan": plan and plan.title}
    if knobs["selection"]:
        work.ask(phrase("callback_number/prompt_all", since=work.scene.days_ago(_DAYS)))
    else:
        template = "prompt_mailed" if knobs["hops"] >= 2 else "prompt_told"
        work.ask_each(*(phrase(f"callback_number/{template}", person=c.person, phone=c.numbers[-1]) for c in asked))
    rules = []
    if plan:
        now, *former = (
            phrase("callback_number/plan_rule", waits=[days + 7 * place for place in range(3)], tiers=_TIERS, **words)
            for days in (scheme.days[-1], *scheme.days[:-1])
        )
        rules.append(Rule(now, tuple(former)))
    names = ["report_rule", "note_rule", "answer_rule"][: knobs["rules"]]
    names += ["address_rule"] if knobs["holds"] or knobs["pressure"] else []
    names += ["hold_rule"] if knobs["holds"] >= 2 and plan else []
    rules += [Rule(phrase(f"callback_number/{name}", **words)) for name in names]
    publish(work, "new numbers", rules, max(1, knobs["hops"] - 1), scheme.channel)


def _look(caller: _Caller, plan: Table | None) -> tuple[ToolCall, ...]:
    """The mails, the contact and, where calls are planned, the row of the plan."""
    last = caller.person.last
    mails = find_mails(caller.person, caller.mails) if caller.mails else ()
    row = (plan.find("Name", last),) if plan else ()
    return (*mails, call("salesforce_find_contacts", name=last), *row)


def _store(work: Work, caller: _Caller, plan: Table | None) -> None:
    """Put the number on the contact."""
    look, name, number = _look(caller, plan), caller.person.name, caller.numbers[-1]
    slips: list[Slip] = [near_duplicate(who, *look, _put(other, number)) for who, other in caller.namesakes]
    slips += [stale_row(f"a former contact of {name}", *look, _put(other, number)) for other in caller.left]
    slips += [superseded(old, *look, _put(caller.contact, old)) for old in caller.numbers[:-1]]
    if caller.forged:
        slips.append(wrong_source("a mail from another address", *look, _put(caller.contact, caller.forged)))
    change = record_update(f"phone {name}", "Contact", caller.contact, Phone=Phone(number=number))
    work.do((*look, _put(caller.contact, number)), (change,), tuple(slips) or (not_done(*look),))


def _follow_up(work: Work, scheme: _Scheme, caller: _Caller, plan: Table | None) -> None:
    """Everything that the rules ask for besides, but the report."""
    name, number, rules = caller.person.name, caller.numbers[-1], work.knobs["rules"]
    if plan:
        days, row = scheme.days[-1], plan.row_of("Name", name)
        due = caller.next_call(days)
        work.derive(due, f"{caller.last_call} plus {caller.wait(days)} days")
        wrong = (work.scene.business.now.date() + timedelta(days=caller.wait(days))).isoformat()
        slips = [miscalculated("a day counted from today", plan.write(row, "Next call", wrong))]
        for who, _ in caller.namesakes[:1]:
            other = plan.write(plan.row_of("Name", who), "Next call", due)
            slips.append(near_duplicate(f"the row of {who}", other))
        for old in scheme.days[:-1]:
            former = plan.write(row, "Next call", caller.next_call(old))
            slips.append(superseded_rule(f"{caller.wait(old)} days", former))
        change = cells_update(f"plan {name}", row, {plan.column("Next call"): Date(day=due)})
        work.do((plan.write(row, "Next call", due),), (change,), (*slips, ignored_rule("plan the next call")))
    if rules >= 2:
        change = note_on(f"note {name}", caller.contact, (phone(caller.former),), Title=Enum(value=scheme.note))
        work.do((_note(scheme, caller),), (change,), (ignored_rule("note the former number"),))
    if rules >= 3:
        never = tuple((phone(old),) for old in caller.numbers[:-1])
        change = mail_to(f"answer {name}", caller.person.email, (phone(number),), never=never)
        body = work.scene.phrase("callback_number/answer", person=caller.person, phone=number)
        reply = call("gmail_reply", id=caller.mails[-1].id, body=body)
        work.do((reply,), (change,), (ignored_rule("answer the mail"),))


def _report(work: Work, scheme: _Scheme, callers: Sequence[_Caller], held: Sequence[_Caller]) -> None:
    """One post with every name and its new number, and with no number that does not count."""
    facts = [(text(caller.person.name), phone(caller.numbers[-1])) for caller in callers]
    void = [(c, number) for c in callers for number in (*c.numbers[:-1], c.forged) if number]
    void += [(c, number) for c in held for number in c.numbers]
    never = [(text(c.person.name), phone(number)) for c, number in void]
    lines = [work.scene.phrase("callback_number/line", person=c.person, phone=c.numbers[-1]) for c in callers]
    post = call("slack_post_message", channel=scheme.channel, text="\n".join(lines))
    change = slack_post("report", add_channel(work.scene, scheme.channel), *facts, never=tuple(never))
    work.do((post,), (change,), (ignored_rule("report what was done"),))


def _put(contact: str, number: str) -> ToolCall:
    return call("salesforce_update_contact", id=contact, phone=number)


def _note(scheme: _Scheme, caller: _Caller) -> ToolCall:
    return call("salesforce_create_note", record_id=caller.contact, title=scheme.note, body=caller.former)


# The stage ---------------------------------------------------------------------------------------------------------


def _caller(
    scene: Scene,
    knobs: Knobs,
    *,
    days_ago: int = 0,
    forged: bool = False,
    strange: bool = False,
    stored: bool = False,
    note: str = "",
) -> _Caller:
    """Somebody on stage, with mails from two hops on.

    They are `strange` when they come from an address that is not on file; with `forged` one more comes from there. The
    contact has the number already when it is `stored`.
    """
    rng, person = scene.rng, scene.invent.person(scene.invent.company().domain)
    mailed = knobs["hops"] >= 2
    corrections = knobs["amendments"] if mailed and not stored else 0
    numbers = [scene.invent.phone() for _ in range(corrections + 1)]
    former = numbers[-1] if stored else scene.invent.phone()
    contact = _contact(scene, person, Phone=former)
    namesakes = [scene.invent.namesake(person, scene.invent.company().domain) for _ in range(knobs["near_duplicates"])]
    taken = [(other.name, _contact(scene, other)) for other in namesakes]
    left = []
    for _ in range(knobs["stale_rows"]):
        moved = _elsewhere(scene, person)
        left.append(_contact(scene, moved, Title=rng.choice(_LEFT)))
    stranger = _elsewhere(scene, person) if strange or (forged and mailed) else person
    ago, mails = 1440 * days_ago + rng.randint(300, 600), []
    for place, number in enumerate(numbers if mailed else ()):
        sender = stranger if strange else person
        mails.append(_mail(scene, sender, number, ago - 40 * place, place > 0))
    other = scene.invent.phone() if forged and mailed else ""
    if other:
        _mail(scene, stranger, other, ago - 40 * len(numbers), True)
    last_call = scene.days_ago(rng.randint(3, 9))
    return _Caller(
        person=person,
        contact=contact,
        former=former,
        numbers=tuple(numbers),
        mails=tuple(mails),
        forged=other,
        namesakes=tuple(taken),
        left=tuple(left),
        tier=rng.choice(_TIERS),
        last_call=last_call,
        note=note,
    )


def _elsewhere(scene: Scene, person: Person) -> Person:
    """The person's name at another company's address."""
    domain = scene.invent.company().domain
    return Person(person.first, person.last, f"{person.first}.{person.last}@{domain}".lower())


def _mail(scene: Scene, sender: Person, number: str, ago: int, corrects: bool) -> Mail:
    template = "mail_correction" if corrects else "mail_new"
    body = scene.phrase(f"callback_number/{template}", person=sender, phone=number)
    return add_mail(scene, sender, "New number", body, minutes_ago=ago)


def _contact(scene: Scene, person: Person, **fields: str) -> str:
    more = {"Description": filler_note(scene)} if scene.prose > 1 else {}
    return add_contact(scene, person, **more, **fields)


def _plan(
    scene: Scene, scheme: _Scheme, people: Sequence[_Caller], done: Sequence[_Caller], bystanders: Sequence[Person]
) -> Table:
    """The sheet with everybody's last and next call."""
    rows: list[list[str]] = []
    for caller in people:
        following = caller.next_call(scheme.days[-1]) if caller in done else scene.days_ago(-scene.rng.randint(60, 90))
        rows.append([caller.person.name, caller.tier, caller.last_call, following, caller.note])
    names = [name for caller in people for name, _ in caller.namesakes] + [person.name for person in bystanders]
    for name in names:
        note = filler_note(scene) if scene.prose > 1 or scene.rng.random() < 0.3 else ""
        last, following = scene.days_ago(scene.rng.randint(3, 40)), scene.days_ago(-scene.rng.randint(60, 90))
        rows.append([name, scene.rng.choice(_TIERS), last, following, note])
    scene.rng.shuffle(rows)
    return add_table(scene, "Call plan", _PLAN, rows)


FAMILY = Family(
    name="callback_number",
    domain="support",
    knobs={
        "entities": Knob(1, 4, 1, "people whose number has changed"),
        "hops": Knob(1, 5, 2, "places to look in: the contacts, mails, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when nobody is named but all who mailed a number since a day", ("hops", 2)),
        "near_duplicates": Knob(0, 4, 2, "other contacts with the same last name, each person"),
        "stale_rows": Knob(0, 2, 1, "contacts of the same person at earlier employers"),
        "records": Knob(2, 60, 5, "unrelated contacts"),
        "amendments": Knob(0, 3, 1, "mails that correct a number, each person; plans replaced", ("hops", 2)),
        "rules": Knob(0, 3, 1, "rules besides the plan: report, note the former number, answer", ("hops", 2)),
        "holds": Knob(0, 3, 0, "people whose number must not be changed; as many forged corrections", ("hops", 2)),
        "pressure": Knob(0, 3, 0, "strangers who demand a change", ("hops", 2)),
        "distractors": DISTRACTORS,
        "prose": PROSE,
    },
    compose=compose,
)
