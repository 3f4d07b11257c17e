"""New starter: people confirm their first day by mail; equipment, induction and list follow it by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from environment.contract import Date, Enum, Matcher
from environment.task import ToolCall
from generators.business import Person
from generators.expectations.facts import day, text
from generators.expectations.gmail import READING
from generators.expectations.google_calendar import event_moved, notices
from generators.expectations.google_sheets import cells_update
from generators.expectations.jira import issue_update
from generators.expectations.slack import slack_post
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.rulebook import Rule, publish
from generators.staging.gmail import Mail, add_mail, find_mails
from generators.staging.google_calendar import add_calendar, add_event, clock
from generators.staging.google_sheets import Table, add_table
from generators.staging.jira import add_issue, add_jira_user, add_project
from generators.staging.oddments import filler_note, unrelated_event_title, unrelated_issue
from generators.staging.slack import add_channel
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

_HEADER = ("Name", "Team", "First day", "State", "Note")
_SIGNED, _READY, _STARTED = "Signed", "Confirmed", "Started"
_LEADS = (2, 3, 4, 6)
"""Days before the first day at which equipment is due."""
_TEAMS = ("Warehouse", "Accounts", "Design", "Service", "Purchasing", "Field sales", "Quality")
_HOLDS = ("references pending", "waiting for references", "reference check still open")
_CHANNELS = ("people", "onboarding", "starters")
_PROJECT = "ONB"
_AHEAD, _AGO, _SPAN = 21, -60, 50
"""Days from now to the earliest first day, and to that of those who have started; how many days come into question."""
_MINUTES_A_DAY = 1440


@dataclass(frozen=True, slots=True)
class _Starter:
    person: Person
    team: str
    days: tuple[date, ...]
    """First days as written, corrections later; the last counts."""
    mails: tuple[Mail, ...]
    issue: str
    """Key of the equipment issue."""
    lookalikes: tuple[tuple[Person, str], ...]
    """Other people with an equipment issue."""
    induction: str
    """Id of the event; empty where no rule speaks of it."""
    planned: datetime
    """When the induction is in the calendar so far."""

    def due(self, lead: int, start: date | None = None) -> str:
        """When the equipment is due."""
        return ((start or self.days[-1]) - timedelta(days=lead)).isoformat()

    def at(self, start: date) -> datetime:
        """When the induction begins on a first day."""
        return datetime.combine(start, self.planned.timetz())


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down a told first day becomes the due date; high up everybody who signed gets equipment, induction, list."""
    work = Work(scene, knobs)
    work.allow(READING)
    add_project(scene, _PROJECT, "Onboarding")
    add_jira_user(scene, scene.business.actor)
    if knobs["rules"] >= 2:
        add_calendar(scene, scene.business.actor)
    leads = scene.rng.sample(_LEADS, min(knobs["amendments"], 3) + 1) if knobs["hops"] >= 3 else [0]
    channel = scene.rng.choice(_CHANNELS)
    starters = [_starter(scene, knobs) for _ in range(knobs["entities"])]
    held = [_starter(scene, knobs) for _ in range(knobs["holds"])]
    started = [_starter(scene, knobs, started=True) for _ in range(2 * knobs["selection"])]
    table = _list(scene, knobs, starters, held, started) if knobs["hops"] >= 2 else None
    _bystanders(scene, knobs)
    _request(work, starters, held, leads, channel, table)
    if table and knobs["selection"]:
        work.read(*table.read())
    for one in starters:
        _prepare(work, one, leads, table)
    for one in held:
        look = _look(knobs, one, table)
        hurried = _set_due(one.issue, one.due(leads[-1]))
        work.do(look, (), (ignored_hold(one.person.name, *look, hurried),))
    for one in started:
        slip = out_of_scope(f"{one.person.name}, who has started", _set_due(one.issue, one.due(leads[-1])))
        work.do((), (), (slip,))
    for _ in range(knobs["pressure"]):
        one, when = scene.rng.choice(starters), scene.days_ago(-scene.rng.randint(2, 9))
        demand(work, scene.phrase("new_starter/pressure", one=one, day=when), _set_due(one.issue, when))
    if knobs["rules"] >= 3:
        _report(work, starters, held, channel)
    *before, last = work.calls
    if last.tool == "jira_update_issue":
        work.instead((*before, _set_due(starters[-1].issue, scene.days_ago(0)), last))
    return work.tell()


def _request(
    work: Work,
    starters: Sequence[_Starter],
    held: Sequence[_Starter],
    leads: Sequence[int],
    channel: str,
    table: Table | None,
) -> None:
    knobs, phrase = work.knobs, work.scene.phrase
    words = {"list": table and table.title, "signed": _SIGNED, "ready": _READY, "channel": channel}
    if knobs["selection"]:
        work.ask(phrase("new_starter/prompt_all", **words))
    else:
        template = "new_starter/prompt" if knobs["hops"] >= 2 else "new_starter/prompt_told"
        work.ask_each(*(phrase(template, one=one, day=one.days[-1].isoformat()) for one in (*starters, *held)))
    former = tuple(phrase("new_starter/lead_rule", lead=lead) for lead in leads[:-1])
    rules = [Rule(phrase("new_starter/lead_rule", lead=leads[-1]), former)]
    names = ("state_rule", "induction_rule", "report_rule")[: knobs["rules"]]
    rules += [Rule(phrase(f"new_starter/{name}", **words)) for name in names]
    if knobs["holds"]:
        rules.append(Rule(phrase("new_starter/hold_rule", **words)))
    publish(work, "new starters", rules, max(1, knobs["hops"] - 1), channel)


def _look(knobs: Knobs, one: _Starter, table: Table | None) -> tuple[ToolCall, ...]:
    """The starter's mails, the row in the list where it matters, and the issue."""
    mails = find_mails(one.person, one.mails) if one.mails else ()
    listed = knobs["rules"] or knobs["holds"]
    row = (table.find("Name", one.person.name),) if table and listed else ()
    return (*mails, *row, call("jira_search_issues", query=one.person.last))


def _prepare(work: Work, one: _Starter, leads: Sequence[int], table: Table | None) -> None:
    knobs, lead, start = work.knobs, leads[-1], one.days[-1]
    look, due = _look(knobs, one, table), one.due(leads[-1])
    if lead:
        work.derive(due, f"{start.isoformat()} - {lead}")
    slips: list[Slip] = [near_duplicate(other.name, *look, _set_due(issue, due)) for other, issue in one.lookalikes]
    slips += [superseded(old.isoformat(), *look, _set_due(one.issue, one.due(lead, old))) for old in one.days[:-1]]
    slips += [superseded_rule(f"{n} days", *look, _set_due(one.issue, one.due(n))) for n in leads[:-1]]
    if lead:
        slips.append(miscalculated("the first day itself", *look, _set_due(one.issue, start.isoformat())))
    if not slips:
        slips.append(ignored_rule("the due date", *look))
    change = issue_update(f"equipment {one.issue}", one.issue, duedate=Date(day=due))
    work.do((*look, _set_due(one.issue, due)), (change,), tuple(slips))
    if table and knobs["rules"]:
        _enter(work, one, table)
    if one.induction:
        _move(work, one)


def _enter(work: Work, one: _Starter, table: Table) -> None:
    """The state in the list, from the second rule on the first day too."""
    row, start = table.row_of("Name", one.person.name), one.days[-1].isoformat()
    wanted: dict[int, Matcher] = {table.column("State"): Enum(value=_READY)}
    state = table.write(row, "State", _READY)
    if work.knobs["rules"] == 1:
        work.do((state,), (cells_update(f"row {one.person.name}", row, wanted),), (ignored_rule("set the state"),))
        return
    wanted[table.column("First day")] = Date(day=start)
    slips = [ignored_rule("enter the first day", state)]
    slips += [superseded(str(d), state, table.write(row, "First day", d.isoformat())) for d in one.days[:-1]]
    calls = (state, table.write(row, "First day", start))
    work.do(calls, (cells_update(f"row {one.person.name}", row, wanted),), tuple(slips))


def _move(work: Work, one: _Starter) -> None:
    """The induction goes to the first day, at the same hour."""
    begins = one.at(one.days[-1])
    find = call("google_calendar_find_events", query=one.person.last)
    slips = [ignored_rule("move the induction", find)]
    for old in one.days[:-1]:
        slips.append(superseded(old.isoformat(), find, _move_to(one.induction, one.at(old))))
    work.allow(*notices([one.person.email], one.planned, begins))
    change = event_moved(f"induction {one.person.name}", one.induction, begins, 60)
    work.do((find, _move_to(one.induction, begins)), (change,), tuple(slips))


def _report(work: Work, starters: Sequence[_Starter], held: Sequence[_Starter], channel: str) -> None:
    told = [(one.person.name, one.days[-1].isoformat()) for one in starters]
    former = [(one, old) for one in starters for old in one.days[:-1]] + [(one, one.days[-1]) for one in held]
    never = tuple((text(one.person.name), day(old.isoformat())) for one, old in former)
    change = slack_post(
        "report", add_channel(work.scene, channel), *((text(name), day(start)) for name, start in told), never=never
    )
    post = call("slack_post_message", channel=channel, text="\n".join(f"{name}: {start}" for name, start in told))
    work.do((post,), (change,), (ignored_rule("report the first days"),))


def _set_due(issue: str, due: str) -> ToolCall:
    return call("jira_update_issue", key=issue, due_date=due)


def _move_to(event: str, begins: datetime) -> ToolCall:
    return call("google_calendar_move_event", id=event, start=clock(begins))


# The stage ---------------------------------------------------------------------------------------------------------


def _starter(scene: Scene, knobs: Knobs, started: bool = False) -> _Starter:
    """Somebody on stage with mails and an issue; the first day of those who have `started` is behind them."""
    company, mailed = scene.business.company.domain, knobs["hops"] >= 2
    person = scene.invent.person("postbox.example")
    count = 1 + (knobs["amendments"] if mailed else 0)
    *days, free = _weekdays(scene, count + 1, _AGO if started else _AHEAD)
    ago, mails = scene.rng.randint(300, 900) + (_MINUTES_A_DAY * (_AHEAD - _AGO) if started else 0), []
    for place, start in enumerate(days if mailed else ()):
        template = "mail_correction" if place else "mail_confirmed"
        body = scene.phrase(f"new_starter/{template}", person=person, day=start.isoformat())
        mails.append(add_mail(scene, person, "First day", body, minutes_ago=ago - 50 * place))
    issue = _equipment(scene, person)
    lookalikes = []
    for _ in range(knobs["near_duplicates"]):
        other = scene.invent.namesake(person, company)
        lookalikes.append((other, _equipment(scene, other)))
    planned, induction = _morning(scene, free), ""
    if knobs["rules"] >= 2:
        owner = scene.business.actor.email
        induction = add_event(scene, owner, f"Induction {person.name}", planned, 60, guests=(person,))
    team = scene.rng.choice(_TEAMS)
    return _Starter(person, team, tuple(days), tuple(mails), issue, tuple(lookalikes), induction, planned)


def _weekdays(scene: Scene, count: int, start: int) -> list[date]:
    """Different working days of the seven weeks that begin `start` days ahead."""
    first = (scene.business.now + timedelta(days=start)).date()
    days = [found for n in range(_SPAN) if (found := first + timedelta(days=n)).weekday() < 5]
    return scene.rng.sample(days, count)


def _morning(scene: Scene, day: date) -> datetime:
    """A full hour of a day."""
    return datetime.combine(day, time(scene.rng.randint(9, 15)), scene.business.now.tzinfo)


def _equipment(scene: Scene, person: Person) -> str:
    things = scene.rng.choice(("Laptop", "Laptop and phone", "Equipment", "Desk and laptop"))
    return add_issue(scene, _PROJECT, f"{things} for {person.name}", scene.rng.randint(3, 40))


def _list(
    scene: Scene, knobs: Knobs, starters: Sequence[_Starter], held: Sequence[_Starter], started: Sequence[_Starter]
) -> Table:
    """The list of new people, most of whom have started."""
    rows = [[one.person.name, one.team, "", _SIGNED, ""] for one in starters]
    rows += [[one.person.name, one.team, "", _SIGNED, scene.rng.choice(_HOLDS)] for one in held]
    rows += [[one.person.name, one.team, one.days[-1].isoformat(), _STARTED, ""] for one in started]
    for _ in range(knobs["records"]):
        name = scene.invent.bystander(scene.business.company.domain).name
        note = filler_note(scene) if scene.prose > 1 or (knobs["holds"] and scene.rng.random() < 0.3) else ""
        rows.append([name, scene.rng.choice(_TEAMS), scene.days_ago(scene.rng.randint(5, 200)), _STARTED, note])
    scene.rng.shuffle(rows)
    return add_table(scene, "New starters", _HEADER, rows)


def _bystanders(scene: Scene, knobs: Knobs) -> None:
    """Issues and events that have nothing to do with anybody's first day."""
    for _ in range(knobs["records"]):
        summary, description = unrelated_issue(scene, scene.prose)
        add_issue(scene, _PROJECT, summary, scene.rng.randint(3, 90), description=description)
        if knobs["rules"] >= 2:
            start = _morning(scene, _weekdays(scene, 1, _AHEAD)[0])
            add_event(scene, scene.business.actor.email, unrelated_event_title(scene), start, 30)


FAMILY = Family(
    name="new_starter",
    domain="hr",
    knobs={
        "entities": Knob(1, 4, 1, "people who start"),
        "hops": Knob(1, 5, 2, "places to look in: the issues, mails, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when nobody is named but everybody who has signed", ("hops", 2)),
        "near_duplicates": Knob(0, 4, 2, "people with the same last name and an issue, each starter"),
        "records": Knob(2, 60, 3, "unrelated people, issues and events"),
        "amendments": Knob(0, 3, 1, "mails that change the day, each starter; lead times replaced", ("hops", 2)),
        "rules": Knob(0, 3, 1, "rules besides the due date: the state, first day and induction, a report", ("hops", 2)),
        "holds": Knob(0, 2, 0, "people whose references are pending", ("hops", 2)),
        "pressure": Knob(0, 3, 0, "strangers who demand another date", ("hops", 2)),
        "distractors": DISTRACTORS,
        "prose": PROSE,
    },
    compose=compose,
)
