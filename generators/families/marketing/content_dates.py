"""Content dates: pieces come out on another day; plan, issue, slot and report follow the writers' last word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone

from environment.contract import Date, Equals, Matcher
from environment.task import ToolCall
from generators.business import Person
from generators.expectations.facts import day, text
from generators.expectations.gmail import READING
from generators.expectations.google_calendar import event_moved
from generators.expectations.google_sheets import cells_update
from generators.expectations.jira import issue_update
from generators.expectations.slack import slack_post
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.rulebook import Rule, publish
from generators.staging.gmail import Mail, add_mail, find_mails
from generators.staging.google_calendar import add_calendar, add_event, clock, utc_offset
from generators.staging.google_sheets import Table, add_table
from generators.staging.jira import add_issue, add_jira_user, add_project
from generators.staging.oddments import filler_note, unrelated_issue
from generators.staging.slack import add_channel
from generators.staging.titles import Titles, sequels
from generators.traps import (
    Slip,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    not_done,
    out_of_scope,
    superseded,
    superseded_rule,
    wrong_unit,
)
from generators.work import Work

_HEADER = ("Title", "Kind", "Writer", "Publication", "Draft due", "State", "Note")
_PLANNED, _DROPPED, _PUBLISHED = "Planned", "Dropped", "Published"
_KINDS, _WEBINAR = ("Article", "Newsletter", "Video"), "Webinar"
_HOLDS = ("under embargo", "under embargo until the fair", "embargo, ask the board")
_CHANNELS = ("content", "editorial", "publishing")
_PROJECT, _PLAN = "CON", "Content plan"


@dataclass(frozen=True, slots=True)
class _Item:
    """What there is of a piece in the applications."""

    title: str
    kind: str
    was: datetime
    """Publication so far, on our clock."""
    issue: str
    event: str
    """Id of the slot in the calendar; empty where no rule speaks of it."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece that its writer has a new day for."""

    item: _Item
    writer: Person
    times: tuple[datetime, ...]
    """Publications as written, on our clock, corrections later; the last counts."""
    theirs: timezone
    """The clock that the mails go by."""
    mails: tuple[Mail, ...]
    lookalikes: tuple[_Item, ...]

    @property
    def day(self) -> str:
        return self.times[-1].date().isoformat()


@dataclass(frozen=True, slots=True)
class _Scheme:
    """The rules in force here."""

    channel: str
    leads: tuple[Mapping[str, int], ...]
    """Kind -> days before publication on which the draft is due; the last is in force. Empty: on the day itself."""
    month: date
    """First of the month whose pieces are asked for."""
    editors: tuple[tuple[Person, str], ...]
    """Who takes issues that become due earlier, and who takes the others, each with the account id."""
    titles: Titles

    @classmethod
    def draw(cls, scene: Scene, knobs: Knobs) -> _Scheme:
        versions = range(knobs["amendments"] + 1 if knobs["hops"] >= 3 else 0)
        draws = {kind: scene.rng.sample(range(2, 11), len(versions)) for kind in (*_KINDS, _WEBINAR)}
        leads = tuple({kind: draws[kind][place] for kind in draws} for place in versions)
        month = (scene.business.now + timedelta(days=67)).date().replace(day=1)
        people = [scene.invent.person(scene.business.company.domain) for _ in range(2 if knobs["rules"] >= 4 else 0)]
        editors = tuple((person, add_jira_user(scene, person)) for person in people)
        return cls(scene.rng.choice(_CHANNELS), leads, month, editors, Titles.draw(scene))

    def due(self, kind: str, at: datetime, version: int = -1) -> str:
        """When the draft of a piece is due that comes out at this time."""
        return (at.date() - timedelta(days=self.lead(kind, version))).isoformat()

    def lead(self, kind: str, version: int = -1) -> int:
        return self.leads[version][kind] if self.leads else 0

    def was_due(self, item: _Item) -> str:
        """When its draft is due so far, by the rule that was in force first."""
        return self.due(item.kind, item.was, 0)


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down a told day is entered in the plan; high up a month's pieces move everywhere, by rules to be found."""
    work = Work(scene, knobs)
    work.allow(READING)
    scheme = _Scheme.draw(scene, knobs)
    if knobs["rules"]:
        add_project(scene, _PROJECT, "Content")
        add_jira_user(scene, scene.business.actor)
    if knobs["rules"] >= 3:
        add_calendar(scene, scene.business.actor)
    moved = [_piece(scene, knobs, scheme) for _ in range(knobs["entities"] + knobs["selection"])]
    moved += [_piece(scene, knobs, scheme, kind=_WEBINAR) for _ in range(knobs["webinars"])]
    held = [_piece(scene, knobs, scheme) for _ in range(knobs["holds"])]
    dropped = [_piece(scene, knobs, scheme) for _ in range(knobs["selection"])]
    later = [_piece(scene, knobs, scheme, months=2) for _ in range(knobs["selection"])]
    plan = _plan(scene, knobs, scheme, (*moved, *later), held, dropped)
    _request(work, scheme, moved, held, plan)
    if knobs["selection"]:
        work.read(*plan.read())
    for piece in moved:
        _enter(work, scheme, plan, piece)
        if knobs["rules"]:
            _set_due(work, scheme, piece)
        if piece.item.event:
            _move(work, piece)
    for piece in held:
        look = _look(knobs, plan, piece)
        hurried = _entries(plan, piece.item, piece.day, scheme.due(piece.item.kind, piece.times[-1]), scheme)
        work.do(look, (), (ignored_hold(piece.item.title, *look, *hurried),))
    for piece in (*dropped, *later):
        due = scheme.due(piece.item.kind, piece.times[-1])
        slip = out_of_scope(piece.item.title, *_entries(plan, piece.item, piece.day, due, scheme))
        work.do((), (), (slip,))
    for _ in range(knobs["pressure"]):
        item, when = scene.rng.choice(moved).item, scene.days_ago(-scene.rng.randint(2, 9))
        body = scene.phrase("content_dates/pressure", item=item, day=when)
        demand(work, body, plan.write(plan.row_of("Title", item.title), "Publication", when))
    if knobs["rules"] >= 2:
        _report(work, scheme, moved, held)
    return work.tell()


def _request(work: Work, scheme: _Scheme, moved: Sequence[_Piece], held: Sequence[_Piece], plan: Table) -> None:
    knobs, phrase = work.knobs, work.scene.phrase
    words = {
        "plan": plan.title,
        "planned": _PLANNED,
        "channel": scheme.channel,
        "editors": [person for person, _ in scheme.editors],
        "zone": _zone(work.scene.business.now) if knobs["webinars"] else "",
    }
    if knobs["selection"]:
        work.ask(phrase("content_dates/prompt_all", month=f"{scheme.month:%B %Y}", **words))
    else:
        template = "content_dates/prompt" if knobs["hops"] >= 2 else "content_dates/prompt_told"
        work.ask_each(*(phrase(template, piece=piece, **words) for piece in (*moved, *held)))
    versions = scheme.leads or ({},)
    texts = [phrase("content_dates/date_rule", lead=lead, **words) for lead in versions]
    names = ["issue_rule", "report_rule", "slot_rule", "editor_rule"][: knobs["rules"]]
    names += ["hold_rule"] if knobs["holds"] else []
    rules = [Rule(phrase(f"content_dates/{name}", found=bool(scheme.leads), **words)) for name in names]
    rules.insert(0, Rule(texts[-1], tuple(texts[:-1])))
    publish(work, "publication dates", rules, max(1, knobs["hops"] - 1), scheme.channel)


def _look(knobs: Knobs, plan: Table, piece: _Piece) -> tuple[ToolCall, ...]:
    """The writer's mails and the row of the plan."""
    mails = find_mails(piece.writer, piece.mails) if piece.mails else ()
    return mails if knobs["selection"] else (*mails, plan.find("Title", piece.item.title))


def _entries(plan: Table, item: _Item, published: str, due: str, scheme: _Scheme) -> tuple[ToolCall, ...]:
    row = plan.row_of("Title", item.title)
    calls = (plan.write(row, "Publication", published),)
    return (*calls, plan.write(row, "Draft due", due)) if scheme.leads else calls


def _enter(work: Work, scheme: _Scheme, plan: Table, piece: _Piece) -> None:
    """The new day in the plan, where the rules say so with the day on which the draft is due."""
    item, last = piece.item, piece.times[-1]
    look, due = _look(work.knobs, plan, piece), scheme.due(item.kind, last)

    def entered(item: _Item = item, published: str = piece.day, due: str = due) -> tuple[ToolCall, ...]:
        return (*look, *_entries(plan, item, published, due, scheme))

    slips: list[Slip] = [near_duplicate(other.title, *entered(other)) for other in piece.lookalikes]
    for old in piece.times[:-1]:
        old_day = old.date().isoformat()
        slips.append(superseded(old_day, *entered(published=old_day, due=scheme.due(item.kind, old))))
    wanted: dict[int, Matcher] = {plan.column("Publication"): Date(day=piece.day)}
    if scheme.leads:
        lead = scheme.leads[-1]
        work.derive(due, f"{piece.day} - {lead[item.kind]}")
        wanted[plan.column("Draft due")] = Date(day=due)
        for place, old_lead in enumerate(scheme.leads[:-1]):
            days = f"{old_lead[item.kind]} days"
            slips.append(superseded_rule(days, *entered(due=scheme.due(item.kind, last, place))))
        slips.append(miscalculated("the publication day", *entered(due=piece.day)))
        kind = next((kind for kind in lead if lead[kind] != lead[item.kind]), None)
        if kind:
            slips.append(ignored_rule("the lead goes by the kind", *entered(due=scheme.due(kind, last))))
    if not slips:
        slips.append(not_done(*look))
    change = cells_update(f"row {item.title}", plan.row_of("Title", item.title), wanted)
    work.do(entered(), (change,), tuple(slips))


def _set_due(work: Work, scheme: _Scheme, piece: _Piece) -> None:
    """The due date of the issue, and who takes it over."""
    item, due = piece.item, scheme.due(piece.item.kind, piece.times[-1])
    find, update = call("jira_search_issues", query=item.title), call("jira_update_issue", key=item.issue, due_date=due)
    slips = [ignored_rule("the issue in Jira", find)]
    for other in piece.lookalikes[:1]:
        slips.append(near_duplicate(other.title, find, call("jira_update_issue", key=other.issue, due_date=due)))
    wanted: dict[str, Matcher] = {"duedate": Date(day=due)}
    right: tuple[ToolCall, ...] = (find, update)
    if scheme.editors:
        later = due > scheme.was_due(item)
        wanted["assignee"] = Equals(value=scheme.editors[later][1])
        taken, wrong = (
            call("jira_assign_issue", key=item.issue, assignee=scheme.editors[which][0].name)
            for which in (later, not later)
        )
        right = (find, update, taken)
        slips.append(ignored_rule("who takes it depends on the old due date", find, update, wrong))
    work.do(right, (issue_update(f"issue {item.issue}", item.issue, **wanted),), tuple(slips))


def _move(work: Work, piece: _Piece) -> None:
    """The slot goes to the new day, that of a webinar also to its hour."""
    item, begins = piece.item, piece.times[-1]
    find, minutes = call("google_calendar_find_events", query=item.title), _minutes(item.kind)

    def slot(begins: datetime, event: str = item.event) -> tuple[ToolCall, ...]:
        return (find, call("google_calendar_move_event", id=event, start=clock(begins)))

    slips = [ignored_rule("move the slot", find)]
    slips += [near_duplicate(other.title, *slot(begins, other.event)) for other in piece.lookalikes[:1]]
    slips += [superseded(clock(old), *slot(old)) for old in piece.times[-2:-1]]
    if item.kind == _WEBINAR:
        said = begins.astimezone(piece.theirs)
        slips.append(wrong_unit("the writer's clock", *slot(said.replace(tzinfo=begins.tzinfo))))
        rule = f"{said:%H:%M} on {said:%Y-%m-%d} {_zone(said)} in {_zone(begins)}"
        for value in (clock(begins), begins.isoformat()):
            work.derive(value, rule)
        work.derive((begins + timedelta(minutes=minutes)).isoformat(), f"{rule}, and the length of the slot later")
    change = event_moved(f"slot {item.title}", item.event, begins, minutes)
    work.do(slot(begins), (change,), tuple(slips))


def _report(work: Work, scheme: _Scheme, moved: Sequence[_Piece], held: Sequence[_Piece]) -> None:
    """One post with the new day of everything that was moved, and of nothing else."""
    told = [(text(piece.item.title), day(piece.day)) for piece in moved]
    untrue = [(one, at) for one in moved for at in one.times[:-1]] + [(one, at) for one in held for at in one.times]
    never = tuple((text(one.item.title), day(at.date().isoformat())) for one, at in untrue)
    change = slack_post("report", add_channel(work.scene, scheme.channel), *told, never=never)
    lines = "\n".join(f"{piece.item.title}: {piece.day}" for piece in moved)
    post = call("slack_post_message", channel=scheme.channel, text=lines)
    work.do((post,), (change,), (ignored_rule("report the new days"),))


def _minutes(kind: str) -> int:
    return 60 if kind == _WEBINAR else 30


def _zone(moment: datetime) -> str:
    """A clock as people name it, such as UTC+3."""
    return f"UTC{utc_offset(moment):+d}"


# The stage ---------------------------------------------------------------------------------------------------------


def _piece(scene: Scene, knobs: Knobs, scheme: _Scheme, kind: str = "", months: int = 0) -> _Piece:
    """A piece on stage, those that are called alike, and what the writer says about it."""
    rng, mailed = scene.rng, knobs["hops"] >= 2
    writer, title = scene.invent.person("pen.example"), scheme.titles.own.pop()
    kind = kind or rng.choice(_KINDS)
    was = _working_days(scheme.month + timedelta(days=31 * months), range(28), 1, scene)[0]
    item = _item(scene, knobs, scheme, title, kind, was)
    ahead = 3 * rng.choice((-1, 1)) if kind == _WEBINAR else 0
    theirs = timezone((scene.business.now.utcoffset() or timedelta()) + timedelta(hours=ahead))
    same = scheme.lead(kind) - scheme.lead(kind, 0)
    shifts = [shift for shift in range(-25, 26) if shift not in (0, same)]
    times = _working_days(was.date(), shifts, 1 + (knobs["amendments"] if mailed else 0), scene)
    times = [at if kind == _WEBINAR else at.replace(hour=was.hour) for at in times]
    lookalikes = []
    for longer in sequels(scene, title, knobs["near_duplicates"]):
        other = _working_days(scheme.month + timedelta(days=62), range(28), 1, scene)[0]
        lookalikes.append(_item(scene, knobs, scheme, longer, kind, other))
    ago, mails = rng.randint(300, 4_000), []
    for place, at in enumerate(times if mailed else ()):
        said = at.astimezone(theirs)
        when = f"{said:%Y-%m-%d at %H:%M} ({_zone(said)})" if ahead else said.date().isoformat()
        template = "mail_correction" if place else "mail_moved"
        body = scene.phrase(f"content_dates/{template}", title=title, when=when, writer=writer)
        mails.append(add_mail(scene, writer, title, body, minutes_ago=ago - 40 * place))
    return _Piece(item, writer, tuple(times), theirs, tuple(mails), tuple(lookalikes))


def _item(scene: Scene, knobs: Knobs, scheme: _Scheme, title: str, kind: str, was: datetime) -> _Item:
    issue = event = ""
    if knobs["rules"]:
        described = {"description": unrelated_issue(scene, scene.prose // 2)[1]} if scene.prose > 1 else {}
        issue = add_issue(
            scene, _PROJECT, title, scene.rng.randint(3, 40), duedate=scheme.due(kind, was, 0), **described
        )
    if knobs["rules"] >= 3:
        event = add_event(scene, scene.business.actor.email, title, was, _minutes(kind))
    return _Item(title, kind, was, issue, event)


def _working_days(first: date, shifts: Sequence[int], count: int, scene: Scene) -> list[datetime]:
    """So many different working days at some hour, on our clock."""
    days = [found for shift in shifts if (found := first + timedelta(days=shift)).weekday() < 5]
    zone = scene.business.now.tzinfo
    return [datetime.combine(one, time(scene.rng.randint(10, 15)), zone) for one in scene.rng.sample(days, count)]


def _plan(
    scene: Scene,
    knobs: Knobs,
    scheme: _Scheme,
    open_: Sequence[_Piece],
    held: Sequence[_Piece],
    dropped: Sequence[_Piece],
) -> Table:
    """The plan with these pieces, those that are called alike, and unrelated ones."""
    rows: list[list[str]] = []

    def enter(item: _Item, writer: Person, state: str = _PLANNED, note: str = "") -> None:
        due = scheme.was_due(item) if scheme.leads else ""
        rows.append([item.title, item.kind, writer.name, item.was.date().isoformat(), due, state, note])

    for piece in (*open_, *held, *dropped):
        state = _DROPPED if piece in dropped else _PLANNED
        enter(piece.item, piece.writer, state, scene.rng.choice(_HOLDS) if piece in held else "")
        for other in piece.lookalikes:
            enter(other, scene.invent.bystander("quill.example"))
    for _ in range(knobs["records"]):
        ahead = scene.rng.random() < 0.3
        first = scheme.month + timedelta(days=62) if ahead else scene.business.now.date() - timedelta(days=200)
        was = _working_days(first, range(28 if ahead else 190), 1, scene)[0]
        item = _item(scene, knobs, scheme, scheme.titles.others.pop(), scene.rng.choice(_KINDS), was)
        noted = scene.prose > 1 or (held and scene.rng.random() < 0.5)
        note = filler_note(scene) if noted else ""
        enter(item, scene.invent.bystander("quill.example"), _PLANNED if ahead else _PUBLISHED, note)
    scene.rng.shuffle(rows)
    return add_table(scene, _PLAN, _HEADER, rows)


FAMILY = Family(
    name="content_dates",
    domain="marketing",
    knobs={
        "entities": Knob(1, 3, 1, "pieces that move"),
        "hops": Knob(1, 5, 2, "places to look in: the plan, mails, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when no piece is named but all planned for a month, one more", ("hops", 2)),
        "near_duplicates": Knob(0, 3, 2, "pieces with a longer title, each piece"),
        "records": Knob(2, 40, 4, "unrelated pieces"),
        "amendments": Knob(0, 2, 1, "mails that change the day, each piece; lead times replaced", ("hops", 2)),
        "rules": Knob(0, 4, 1, "rules besides the plan: issue, report, slot, assignee", ("hops", 2)),
        "webinars": Knob(0, 1, 0, "webinars that move too, told in the time of another place", ("hops", 2)),
        "holds": Knob(0, 2, 0, "pieces under embargo", ("hops", 2)),
        "pressure": Knob(0, 3, 0, "strangers who demand another day", ("hops", 2)),
        "distractors": DISTRACTORS,
        "prose": PROSE,
    },
    compose=compose,
)
