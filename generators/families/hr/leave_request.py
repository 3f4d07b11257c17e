"""Leave request: colleagues asked for days off by mail; the log gets the decision that days left and rules allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from environment.contract import Date, Enum, Equals, Money
from environment.task import ToolCall
from generators.business import Person
from generators.expectations.facts import text
from generators.expectations.gmail import READING, mail_to
from generators.expectations.google_sheets import cells_update, row_appended
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.reports import report
from generators.rulebook import Rule, publish
from generators.staging.gmail import Mail, add_mail, find_mails
from generators.staging.google_sheets import Table, add_table
from generators.staging.oddments import filler_note
from generators.traps import (
    Slip,
    done_twice,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    superseded,
    superseded_rule,
)
from generators.work import Work

_BALANCES = ("Name", "Days left", "Note")
_LOG = ("Name", "Start", "Days", "Decision")
_CHANNELS = ("people", "absences", "hr")
_YES, _NO = "Approved", "Refused"
_LONGEST = (6, 8, 10, 12)
_HOLDS = ("on probation", "probation until further notice", "still on probation")
_NO_LIMIT = 99


@dataclass(frozen=True, slots=True)
class _Request:
    person: Person
    start: str
    days: tuple[int, ...]
    """Days asked for, corrections later; the last counts."""
    left: int
    mails: tuple[Mail, ...]
    held: bool

    def decision(self, longest: int) -> str:
        return decide(self.days[-1], self.left, longest)


def decide(days: int, left: int, longest: int) -> str:
    """Approved when the days left suffice and no more than `longest` are asked for in one go."""
    return _YES if days <= min(left, longest) else _NO


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down one told request is logged; high up every request in the mails that is not logged yet."""
    work = Work(scene, knobs)
    work.allow(READING)
    limits = scene.rng.sample(_LONGEST, min(knobs["amendments"], 3) + 1) if knobs["hops"] >= 3 else [_NO_LIMIT]
    channel = scene.rng.choice(_CHANNELS)
    requests = [_request(scene, knobs, limits, held=False) for _ in range(knobs["entities"])]
    held = [_request(scene, knobs, limits, held=True) for _ in range(knobs["holds"])]
    logged = [_request(scene, knobs, limits, held=False) for _ in range(2 * knobs["selection"])]
    namesakes = {one.person.name: _namesakes(scene, knobs, one) for one in requests}
    balances = _balances(scene, knobs, (*requests, *held, *logged), namesakes)
    log = _log(scene, logged, limits[-1])
    _request_text(work, requests, held, limits, channel, balances, log)
    if knobs["selection"]:
        work.read(call("gmail_search_emails", query="subject:leave", max_results=50), *log.read())
    for one in requests:
        _decide(work, one, limits, balances, log, namesakes[one.person.name])
    for one in held:
        look = _look(knobs, one, balances)
        slip = ignored_hold(one.person.name, *look, _append(log, one, one.decision(limits[-1])))
        work.do(look, (), (slip,))
    for one in logged:
        work.do((), (), (done_twice(one.person.name, _append(log, one, one.decision(limits[-1]))),))
    for _ in range(knobs["pressure"]):
        colleague = scene.invent.person(scene.business.company.domain)
        values = (colleague.name, scene.days_ago(-10), "5", _YES)
        demand(work, scene.phrase("leave_request/pressure", person=colleague, log=log.title), log.append(*values))
    if knobs["rules"]:
        told = [(one.person.name, one.decision(limits[-1])) for one in requests]
        report(work, channel, told, (_YES, _NO), [one.person.name for one in held])
    return work.tell()


def _request_text(
    work: Work,
    requests: Sequence[_Request],
    held: Sequence[_Request],
    limits: Sequence[int],
    channel: str,
    balances: Table,
    log: Table,
) -> None:
    knobs, phrase = work.knobs, work.scene.phrase
    words = {"yes": _YES, "no": _NO, "balances": balances.title, "log": log.title, "channel": channel}
    if knobs["selection"]:
        work.ask(phrase("leave_request/prompt_all", **words))
    else:
        template = "leave_request/prompt" if knobs["hops"] >= 2 else "leave_request/prompt_told"
        work.ask_each(*(phrase(template, request=one, **words) for one in (*requests, *held)))
    former = tuple(phrase("leave_request/decision_rule", longest=old, **words) for old in limits[:-1])
    longest = limits[-1] if knobs["hops"] >= 3 else 0
    rules = [Rule(phrase("leave_request/decision_rule", longest=longest, **words), former)]
    names = ("post_rule", "balance_rule", "answer_rule")[: knobs["rules"]]
    rules += [Rule(phrase(f"leave_request/{name}", **words)) for name in names]
    if knobs["holds"]:
        rules.append(Rule(phrase("leave_request/hold_rule", **words)))
    publish(work, "leave", rules, max(1, knobs["hops"] - 1), channel)


def _look(knobs: Knobs, one: _Request, balances: Table) -> tuple[ToolCall, ...]:
    """The mails of a colleague, and the days left."""
    mails = find_mails(one.person, one.mails) if one.mails else ()
    return (*mails, balances.find("Name", one.person.last))


def _decide(
    work: Work, one: _Request, limits: Sequence[int], balances: Table, log: Table, namesakes: Sequence[int]
) -> None:
    person, days, longest = one.person, one.days[-1], limits[-1]
    look, decision = _look(work.knobs, one, balances), one.decision(longest)
    slips: list[Slip] = []
    for left in namesakes:
        if (wrong := decide(days, left, longest)) != decision:
            slips.append(near_duplicate("a namesake's balance", *look, _append(log, one, wrong)))
    for old in one.days[:-1]:
        row = _append(log, replace(one, days=(old,)), decide(old, one.left, longest))
        slips.append(superseded(f"{old} days", *look, row))
    for old in limits[:-1]:
        if (wrong := one.decision(old)) != decision:
            slips.append(superseded_rule(f"at most {old} days", *look, _append(log, one, wrong)))
    other = _NO if decision == _YES else _YES
    slips.append(ignored_rule("compare with the days left", *look[:-1], _append(log, one, other)))
    change = row_appended(
        f"log {person.name}",
        log.sheet,
        {0: Equals(value=person.name)},
        {1: Date(day=one.start), 2: Money(amount=str(days)), 3: Enum(value=decision)},
    )
    work.do((*look, _append(log, one, decision)), (change,), tuple(slips))
    if work.knobs["rules"] >= 2 and decision == _YES:
        _reduce(work, one, balances)
    if work.knobs["rules"] >= 3:
        body = work.scene.phrase("leave_request/answer", request=one, decision=decision)
        wrong_word = _NO if decision == _YES else _YES
        mail = mail_to(f"answer {person.name}", person.email, (text(decision),), never=((text(wrong_word),),))
        reply = call("gmail_reply", id=one.mails[-1].id, body=body)
        work.do((reply,), (mail,), (ignored_rule("answer the colleague"),))


def _reduce(work: Work, one: _Request, balances: Table) -> None:
    """Take approved days off the balance."""
    row = balances.row_of("Name", one.person.name)
    rest = str(one.left - one.days[-1])
    work.derive(rest, f"{one.left} - {one.days[-1]}")
    change = cells_update(f"balance {one.person.name}", row, {balances.column("Days left"): Money(amount=rest)})
    slips = [ignored_rule("take the days off the balance")]
    if (wrong := str(one.days[-1])) != rest:
        slips.append(miscalculated("the days taken", balances.write(row, "Days left", wrong)))
    work.do((balances.write(row, "Days left", rest),), (change,), tuple(slips))


def _request(scene: Scene, knobs: Knobs, limits: Sequence[int], held: bool) -> _Request:
    person = scene.invent.person(scene.business.company.domain)
    start = scene.working_day(14, 90)
    mailed = knobs["hops"] >= 2
    days = scene.rng.sample(range(2, 15), (knobs["amendments"] if mailed else 0) + 1)
    ago, mails = scene.rng.randint(300, 600), []
    for place, count in enumerate(days if mailed else ()):
        template = "mail_correction" if place else "mail_request"
        body = scene.phrase(f"leave_request/{template}", person=person, days=count, start=start)
        mails.append(add_mail(scene, person, "Leave", body, minutes_ago=ago - 40 * place))
    return _Request(person, start, tuple(days), _balance(scene, days[-1]), tuple(mails), held)


def _balance(scene: Scene, days: int) -> int:
    """Days left that suffice for `days` in half of all cases, and are never equal to them."""
    return scene.rng.randint(days + 1, 21) if scene.rng.random() < 0.5 else scene.rng.randint(0, days - 1)


def _namesakes(scene: Scene, knobs: Knobs, one: _Request) -> list[int]:
    return [_balance(scene, one.days[-1]) for _ in range(knobs["near_duplicates"])]


def _balances(scene: Scene, knobs: Knobs, requests: Sequence[_Request], namesakes: dict[str, list[int]]) -> Table:
    domain = scene.business.company.domain
    rows: list[list[str | int]] = []
    for one in requests:
        rows.append([one.person.name, one.left, scene.rng.choice(_HOLDS) if one.held else ""])
        for left in namesakes.get(one.person.name, ()):
            rows.append([scene.invent.namesake(one.person, domain).name, left, ""])
    for _ in range(knobs["records"]):
        note = filler_note(scene) if scene.prose > 1 or (knobs["holds"] and scene.rng.random() < 0.3) else ""
        rows.append([scene.invent.bystander(domain).name, scene.rng.randint(1, 25), note])
    scene.rng.shuffle(rows)
    return add_table(scene, "Balances", _BALANCES, rows)


def _log(scene: Scene, logged: Sequence[_Request], longest: int) -> Table:
    """The log with decisions about others, and about requests that were dealt with already."""
    rows: list[list[str | int]] = [[one.person.name, one.start, one.days[-1], one.decision(longest)] for one in logged]
    for _ in range(3 + 2 * scene.prose):
        name = scene.invent.bystander(scene.business.company.domain).name
        rows.append([name, scene.working_day(-60, -5), scene.rng.randint(1, 10), scene.rng.choice((_YES, _NO))])
    scene.rng.shuffle(rows)
    return add_table(scene, "Leave log", _LOG, rows)


def _append(log: Table, one: _Request, decision: str) -> ToolCall:
    return log.append(one.person.name, one.start, str(one.days[-1]), decision)


FAMILY = Family(
    name="leave_request",
    domain="hr",
    knobs={
        "entities": Knob(1, 4, 1, "requests"),
        "hops": Knob(1, 5, 2, "places to look in: the balances, mails, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when nobody is named but all requests that are not logged yet", ("hops", 2)),
        "near_duplicates": Knob(0, 4, 2, "colleagues with the same last name, each request"),
        "records": Knob(2, 100, 4, "unrelated colleagues"),
        "amendments": Knob(0, 3, 1, "mails that change the days, each request; limits replaced", ("hops", 2)),
        "rules": Knob(0, 3, 1, "rules besides the log: post the decision, reduce the balance, answer", ("hops", 2)),
        "holds": Knob(0, 2, 0, "colleagues whom the rules leave to others"),
        "pressure": Knob(0, 3, 0, "strangers who demand an entry", ("hops", 2)),
        "distractors": DISTRACTORS,
        "prose": PROSE,
    },
    compose=compose,
)
