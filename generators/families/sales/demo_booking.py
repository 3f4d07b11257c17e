"""Demo booking: customers want a demo, or another time for theirs; the calendar gets the time that the rules allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from environment.contract import Change, Mentions, Ref
from environment.task import ToolCall
from generators.business import Company, Person
from generators.expectations.facts import day, text
from generators.expectations.gmail import READING
from generators.expectations.google_calendar import event_created, event_moved, guest_added, notices
from generators.expectations.salesforce import task_on
from generators.expectations.slack import slack_post
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.rulebook import Rule, publish
from generators.staging.gmail import Mail, add_mail, find_mails
from generators.staging.google_calendar import add_calendar, add_event, clock, utc_offset
from generators.staging.oddments import filler_notes, unrelated_event_title
from generators.staging.salesforce import add_deal, add_record
from generators.staging.slack import add_channel
from generators.traps import (
    Slip,
    done_twice,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    out_of_scope,
    stale_row,
    superseded,
    superseded_rule,
    wrong_unit,
)
from generators.work import Work

_CHANNELS = ("demos", "sales-calendar", "meetings")
_LENGTH, _SHORT, _LONG = 45, 30, 60
"""Minutes of a demo: as a rule, of a small deal, of a large one."""
_EARLIEST = (8, 9, 10, 11)
_AHEAD = ((-3, -2), (2, 3))
"""Hours that customers' clocks are ahead of ours: of those who rise later, of those who rise earlier."""
_HOURS = ((11, 15), (7, 12))
"""Hours on our clock that they wish for."""
_TASKS = ("Prepare the demo", "Set up the demo", "Demo checklist")
_HOLDS = ("customer is on notice", "on notice, legal has the file", "on notice since last week")


@dataclass(frozen=True, slots=True)
class _Demo:
    """A demo that a customer writes about."""

    customer: Company
    guest: Person
    event: str
    """Id of the event; empty when there is none yet."""
    was: datetime
    """Start so far."""
    wishes: tuple[datetime, ...]
    """Starts as asked for, on our clock, corrections later."""
    theirs: timezone
    """The clock that the mails go by."""
    mails: tuple[Mail, ...]
    others: tuple[tuple[str, str, int], ...]
    """Customers with a similar name, each with its demo and the size of its deal."""
    past: tuple[str, ...]
    """Demos of the same customer that are over."""
    deal: str
    size: int
    busy: tuple[datetime, datetime] | None
    """Something else in the calendar on the day that is asked for."""

    def start(self, earliest: int, wish: datetime | None = None) -> datetime:
        """What the rules make of the last wish, or of another one when given."""
        begin = not_before(self.wishes[-1] if wish is None else wish, earliest)
        return self.busy[1] if self.busy and self.busy[0] <= begin < self.busy[1] else begin


def not_before(wish: datetime, earliest: int) -> datetime:
    """The wish, or that hour of the same day when it is earlier."""
    return max(wish, wish.replace(hour=earliest, minute=0))


@dataclass(frozen=True, slots=True)
class _Scheme:
    """The rules in force here, and the days that are left."""

    channel: str
    calendar: str
    earliest: tuple[int, ...]
    """Hours before which no demo begins; the last is in force."""
    large: int
    """Deals above this are large."""
    task: str
    days: list[datetime]
    """Working days to come on which there is nothing yet."""

    @classmethod
    def draw(cls, scene: Scene, knobs: Knobs) -> _Scheme:
        rng, now = scene.rng, scene.business.now
        midnight = now.replace(hour=0, minute=0)
        coming = [midnight + timedelta(days=ahead) for ahead in range(14, 120)]
        days = [one for one in coming if one.weekday() < 5]
        rng.shuffle(days)
        earliest = rng.sample(_EARLIEST, min(knobs["amendments"], 3) + 1) if knobs["hops"] >= 3 else [0]
        calendar = add_calendar(scene, scene.business.actor)
        return cls(
            rng.choice(_CHANNELS), calendar, tuple(earliest), 1_000 * rng.randint(20, 60), rng.choice(_TASKS), days
        )

    def start(self, demo: _Demo) -> datetime:
        return demo.start(self.earliest[-1])

    def minutes(self, knobs: Knobs, size: int) -> int:
        if knobs["rules"] < 2:
            return _LENGTH
        return _LONG if size > self.large else _SHORT


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down one demo is moved to a told time; high up all that customers ask for by mail, by rules to be found."""
    work = Work(scene, knobs)
    work.allow(READING)
    scheme = _Scheme.draw(scene, knobs)
    demos = [_demo(scene, knobs, scheme) for _ in range(knobs["entities"])]
    demos += [_demo(scene, knobs, scheme, new=True) for _ in range(knobs["bookings"])]
    held = [_demo(scene, knobs, scheme, note=scene.rng.choice(_HOLDS)) for _ in range(knobs["holds"])]
    done = [_demo(scene, knobs, scheme, done=True) for _ in range(knobs["selection"])]
    inside = [_rehearsal(scene, scheme) for _ in range(knobs["selection"])]
    unrelated = _fill(scene, knobs, scheme)
    _request(work, scheme, demos, held)
    if knobs["selection"]:
        work.read(call("gmail_search_emails", query="subject:demo", max_results=50))
    for demo in demos:
        _settle(work, scheme, demo)
    for demo in held:
        look, move = _look(knobs, scheme, demo), _move(demo.event, scheme.start(demo))
        work.do(look, (), (ignored_hold(f"the demo with {demo.customer.name}", *look, move),))
    for demo in done:
        again = _create(demo, demo.was, scheme.minutes(knobs, demo.size))
        work.do(_look(knobs, scheme, demo), (), (done_twice(f"the demo with {demo.customer.name}", again),))
    for event, mail, wish in inside:
        work.do(mail, (), (out_of_scope("an internal rehearsal", *mail, _move(event, wish)),))
    for customer, event in unrelated[: knobs["pressure"]]:
        body = scene.phrase("demo_booking/pressure", customer=customer)
        demand(work, body, call("google_calendar_cancel_event", id=event))
    if knobs["rules"]:
        _report(work, scheme, demos, held)
    else:
        work.instead(tuple(_in_utc(made, scene.business.now.tzinfo) for made in work.calls))
    return work.tell()


def _request(work: Work, scheme: _Scheme, demos: Sequence[_Demo], held: Sequence[_Demo]) -> None:
    knobs, phrase = work.knobs, work.scene.phrase
    words = {
        "scheme": scheme,
        "length": _LENGTH,
        "short": _SHORT,
        "long": _LONG,
        "new": knobs["bookings"],
        "sized": knobs["rules"] >= 2,
        "zoned": knobs["zones"],
        "zone": _zone(work.scene.business.now),
    }
    if knobs["selection"]:
        work.ask(phrase("demo_booking/prompt_all", **words))
    else:
        asked = []
        for demo in (*demos, *held):
            kind = "told" if knobs["hops"] < 2 else "mailed" if demo.event else "new"
            asked.append(phrase(f"demo_booking/prompt_{kind}", demo=demo, when=_when(demo.wishes[-1]), **words))
        work.ask_each(*asked)
    if knobs["stale_rows"]:
        work.ask(phrase("demo_booking/today"))
    rules = []
    if knobs["hops"] >= 3:
        former = tuple(phrase("demo_booking/earliest_rule", hour=old, **words) for old in scheme.earliest[:-1])
        rules.append(Rule(phrase("demo_booking/earliest_rule", hour=scheme.earliest[-1], **words), former))
    names = ["report_rule", "length_rule", "clash_rule", "task_rule"][: knobs["rules"]]
    names += [
        name
        for name, knob in (
            ("zone_rule", "zones"),
            ("new_rule", "bookings"),
            ("hold_rule", "holds"),
            ("guest_rule", "pressure"),
        )
        if knobs[knob]
    ]
    rules += [Rule(phrase(f"demo_booking/{name}", **words)) for name in names]
    publish(work, "demo times", rules, max(1, knobs["hops"] - 1), scheme.channel)


def _look(knobs: Knobs, scheme: _Scheme, demo: _Demo) -> tuple[ToolCall, ...]:
    """Everything that says when a demo will be, and for how long."""
    stem = demo.customer.name.split()[0]
    calls = [*find_mails(demo.guest, demo.mails)[knobs["selection"] :]] if demo.mails else []
    calls.append(call("google_calendar_find_events", query=stem))
    if knobs["holds"] and demo.event:
        calls.append(call("google_calendar_get_event", id=demo.event))
    if knobs["rules"] >= 2:
        calls.append(call("salesforce_find_opportunities", name=stem))
    if knobs["rules"] >= 3:
        calls.append(call("google_calendar_find_events", day=scheme.start(demo).date().isoformat()))
    return tuple(calls)


def _settle(work: Work, scheme: _Scheme, demo: _Demo) -> None:
    """Move or book a demo, and do what the rules ask for besides."""
    knobs, start, minutes = work.knobs, scheme.start(demo), scheme.minutes(work.knobs, demo.size)
    look = _look(knobs, scheme, demo)
    _declare(work, scheme, demo, minutes)
    work.allow(*notices([demo.guest.email], start, *([demo.was] if demo.event else ())))
    right = (*look, *_place(demo, demo.event, start, minutes))
    work.do(right, _expected(demo, start, minutes), tuple(_slips(knobs, scheme, demo, look)))
    if knobs["rules"] >= 4:
        _prepare(work, scheme, demo, start)


def _slips(knobs: Knobs, scheme: _Scheme, demo: _Demo, look: tuple[ToolCall, ...]) -> Iterator[Slip]:
    """Ways to give a demo the wrong time or length, or another one the right ones."""
    start, earliest, minutes = scheme.start(demo), scheme.earliest[-1], scheme.minutes(knobs, demo.size)
    wish = demo.wishes[-1]

    def placing(start: datetime, minutes: int = minutes, event: str = demo.event) -> tuple[ToolCall, ...]:
        return (*look, *_place(demo, event, start, minutes))

    for other, key, size in demo.others:
        yield near_duplicate(f"the demo with {other}", *placing(start, event=key))
        if (wrong_length := scheme.minutes(knobs, size)) != minutes:
            yield near_duplicate(f"the deal of {other}", *placing(start, wrong_length))
    for key in demo.past:
        yield stale_row(f"a past demo with {demo.customer.name}", *placing(start, event=key))
    for former in demo.wishes[:-1]:
        yield superseded(clock(former), *placing(demo.start(earliest, former)))
    for old in scheme.earliest[:-1]:
        if (wrong := demo.start(old)) != start:
            yield superseded_rule(f"{old}:00 as the earliest start", *placing(wrong))
    if start != wish:
        yield ignored_rule("not every wish can be met", *placing(wish))
    unconverted = demo.start(earliest, wish.astimezone(demo.theirs).replace(tzinfo=wish.tzinfo))
    if unconverted != start:
        yield wrong_unit("the customer's clock", *placing(unconverted))
    if minutes != _LENGTH:
        yield ignored_rule("the length goes by the deal", *placing(start, _LENGTH))
    if demo.event:
        yield ignored_rule("move the demo instead of booking another", *look, _create(demo, start, minutes))
    else:
        yield ignored_rule("invite the guest", *look, _create(demo, start, minutes, guests=()))


def _expected(demo: _Demo, start: datetime, minutes: int) -> tuple[Change, ...]:
    name = demo.customer.name
    if demo.event:
        return (event_moved(f"demo {name}", demo.event, start, minutes),)
    title = Mentions(facts=((text("Demo"), text(name)),))
    created = event_created(f"demo {name}", title, start, minutes)
    return created, guest_added(f"guest {name}", Ref(label=created.label), demo.guest.email)


def _declare(work: Work, scheme: _Scheme, demo: _Demo, minutes: int) -> None:
    """Say how the start and the end are worked out."""
    start, wish = scheme.start(demo), demo.wishes[-1].astimezone(demo.theirs)
    rule = f"{wish:%H:%M} on {wish:%Y-%m-%d}"
    if utc_offset(wish) != utc_offset(start):
        rule += f" {_zone(wish)} in {_zone(start)}"
    if start != demo.wishes[-1]:
        rule += ", or the first start that the rules allow that day"
    for value in (clock(start), start.isoformat()):
        work.derive(value, rule)
    work.derive((start + timedelta(minutes=minutes)).isoformat(), f"{rule}, and the length of the demo later")


def _prepare(work: Work, scheme: _Scheme, demo: _Demo, start: datetime) -> None:
    """Create the task that the rules ask for."""
    due, late = ((start - timedelta(days=days)).date().isoformat() for days in (1, 0))
    work.derive(due, f"the day before {late}")
    change = task_on(f"task {demo.customer.name}", demo.deal, scheme.task, due)
    right, wrong = (
        call("salesforce_create_task", subject=scheme.task, related_id=demo.deal, due_date=day) for day in (due, late)
    )
    work.do((right,), (change,), (miscalculated("the day of the demo", wrong), ignored_rule("create the task")))


def _report(work: Work, scheme: _Scheme, demos: Sequence[_Demo], held: Sequence[_Demo]) -> None:
    """One post that says on which day every demo is."""
    days = {demo.customer.name: scheme.start(demo).date().isoformat() for demo in demos}
    told = [(text(name), day(iso)) for name, iso in days.items()]
    never = [(text(name), day(other)) for name, iso in days.items() for other in days.values() if other != iso]
    for demo in demos:
        never += [(text(demo.customer.name), day(old.date().isoformat())) for old in demo.wishes[:-1]]
    never += [(text(demo.customer.name), day(scheme.start(demo).date().isoformat())) for demo in held]
    channel = add_channel(work.scene, scheme.channel)
    change = slack_post("report", channel, *told, never=tuple(never))
    lines = "\n".join(f"{name}: {iso}" for name, iso in days.items())
    work.do((call("slack_post_message", channel=scheme.channel, text=lines),), (change,), (ignored_rule("report"),))


def _demo(scene: Scene, knobs: Knobs, scheme: _Scheme, new: bool = False, done: bool = False, note: str = "") -> _Demo:
    """A demo on stage, those that are like it, and what the customer writes about it."""
    rng, customer = scene.rng, scene.invent.company()
    guest, mailed = scene.invent.person(customer.domain), knobs["hops"] >= 2
    side = rng.randint(0, 1)
    hours = timedelta(hours=rng.choice(_AHEAD[side]) * knobs["zones"])
    theirs = timezone((scene.business.now.utcoffset() or timedelta()) + hours)
    wishes = [
        scheme.days.pop().replace(hour=rng.randint(*_HOURS[side]), minute=rng.choice((0, 30)))
        for _ in range(1 + (knobs["amendments"] if mailed else 0))
    ]
    if done:
        wishes[-1] = wishes[-1].replace(hour=max(_EARLIEST) + 1)
    size, sizes = 1_000 * rng.randint(5, 90), knobs["rules"] >= 2
    was = wishes[-1] if done else _soon(scene)
    described = {"description": note} if note else {}
    minutes = scheme.minutes(knobs, size) if done else _LENGTH
    event = (
        "" if new else add_event(scene, scheme.calendar, f"Demo {customer.name}", was, minutes, [guest], **described)
    )
    deal = _deal(scene, customer, size) if sizes else ""
    if done and knobs["rules"] >= 4:
        due = (was - timedelta(days=1)).date().isoformat()
        add_record(scene, "Task", Subject=scheme.task, WhatId=deal, ActivityDate=due)
    others = []
    for _ in range(knobs["near_duplicates"]):
        other, other_size = scene.invent.lookalike_company(customer), 1_000 * rng.randint(5, 90)
        people = [scene.invent.bystander(other.domain)]
        key = add_event(scene, scheme.calendar, f"Demo {other.name}", _soon(scene), _LENGTH, people)
        others.append((other.name, key, other_size))
        if sizes:
            _deal(scene, other, other_size)
    past = [
        add_event(scene, scheme.calendar, f"Demo {customer.name}", _soon(scene, -1), _LENGTH, [guest])
        for _ in range(0 if new else knobs["stale_rows"])
    ]
    busy = None
    if knobs["rules"] >= 3 and not done and rng.random() < 0.6:
        begin = not_before(wishes[-1], scheme.earliest[-1])
        busy = begin, begin + timedelta(minutes=rng.choice((30, 60, 90)))
        add_event(
            scene, scheme.calendar, unrelated_event_title(scene), begin, (busy[1] - begin) // timedelta(minutes=1)
        )
    ago, mails = rng.randint(300, 4_000), []
    for place, wish in enumerate(wishes if mailed else ()):
        kind = "correction" if place else "new" if new else "move"
        zone = f"our local time ({_zone(wish.astimezone(theirs))})" if hours else "your time"
        facts = {"customer": customer, "guest": guest, "when": f"{_when(wish.astimezone(theirs))}, {zone}"}
        body = scene.phrase(f"demo_booking/mail_{kind}", **facts)
        mails.append(add_mail(scene, guest, "Demo", body, minutes_ago=ago - 40 * place))
    return _Demo(
        customer=customer,
        guest=guest,
        event=event,
        was=was,
        wishes=tuple(wishes),
        theirs=theirs,
        mails=tuple(mails),
        others=tuple(others),
        past=tuple(past),
        deal=deal,
        size=size,
        busy=busy,
    )


def _rehearsal(scene: Scene, scheme: _Scheme) -> tuple[str, tuple[ToolCall, ...], datetime]:
    """A colleague's wish about an internal event: its id, the calls that read the mail, and the time asked for."""
    colleague, wish = scene.invent.person(scene.business.company.domain), scheme.days.pop().replace(hour=14)
    title = f"Demo rehearsal, {colleague.name}"
    event = add_event(scene, scheme.calendar, title, _soon(scene), _LENGTH, [colleague])
    body = scene.phrase("demo_booking/mail_rehearsal", when=_when(wish), colleague=colleague)
    mail = add_mail(scene, colleague, "Demo rehearsal", body, minutes_ago=scene.rng.randint(300, 4_000))
    return event, find_mails(colleague, [mail])[1:], wish


def _fill(scene: Scene, knobs: Knobs, scheme: _Scheme) -> list[tuple[str, str]]:
    """Unrelated events, gone by or soon; returns customer and id of the demos among them."""
    demos = []
    for place in range(knobs["pressure"] + knobs["records"]):
        note = {"description": filler_notes(scene)} if scene.prose > 1 else {}
        start = _soon(scene, scene.rng.choice((1, -1)))
        if place < knobs["pressure"]:
            customer = scene.invent.company()
            guests = [scene.invent.bystander(customer.domain)]
            key = add_event(scene, scheme.calendar, f"Demo {customer.name}", _soon(scene), _LENGTH, guests, **note)
            demos.append((customer.name, key))
        else:
            minutes = scene.rng.choice((30, 60))
            add_event(scene, scheme.calendar, unrelated_event_title(scene), start, minutes, (), **note)
    return demos


def _deal(scene: Scene, customer: Company, size: int) -> str:
    stage, close = scene.rng.choice(("Qualification", "Needs Analysis")), scene.days_ago(-scene.rng.randint(130, 200))
    return add_deal(scene, customer, stage, size, close)


def _soon(scene: Scene, sign: int = 1) -> datetime:
    """A time on a working day of the next two weeks, or of the last four when `sign` is negative."""
    rng, now = scene.rng, scene.business.now
    while True:
        found = now + timedelta(days=rng.randint(1, 12) if sign > 0 else -rng.randint(1, 28))
        if found.weekday() < 5:
            return found.replace(hour=rng.randint(9, 16), minute=rng.choice((0, 30)))


def _when(moment: datetime) -> str:
    return f"{moment:%H:%M} on {moment:%Y-%m-%d}"


def _zone(moment: datetime) -> str:
    return f"UTC{utc_offset(moment):+d}"


def _place(demo: _Demo, event: str, start: datetime, minutes: int) -> tuple[ToolCall, ...]:
    """Book a demo, or move its event, or another one."""
    if not event:
        return (_create(demo, start, minutes),)
    sized = call("google_calendar_update_event", id=event, minutes=minutes)
    return (_move(event, start), *((sized,) if minutes != _LENGTH else ()))


def _move(event: str, start: datetime) -> ToolCall:
    return call("google_calendar_move_event", id=event, start=clock(start))


def _in_utc(made: ToolCall, zone: tzinfo | None) -> ToolCall:
    """The same call with its start, if it has one, in UTC instead of the calendar's zone."""
    start = made.arguments.get("start")
    if not isinstance(start, str):
        return made
    moment = datetime.fromisoformat(start).replace(tzinfo=zone).astimezone(UTC)
    return made.model_copy(update={"arguments": {**made.arguments, "start": f"{clock(moment)}Z"}})


def _create(demo: _Demo, start: datetime, minutes: int, guests: Sequence[str] | None = None) -> ToolCall:
    invited = [demo.guest.email] if guests is None else list(guests)
    title = f"Demo {demo.customer.name}"
    return call("google_calendar_create_event", title=title, start=clock(start), minutes=minutes, attendees=invited)


FAMILY = Family(
    name="demo_booking",
    domain="sales",
    knobs={
        "entities": Knob(1, 3, 1, "demos to move"),
        "hops": Knob(1, 5, 2, "places to look in: the calendar, mails, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when nobody is named but all who ask by mail", ("hops", 2)),
        "near_duplicates": Knob(0, 4, 2, "demos of customers with a similar name, each demo"),
        "stale_rows": Knob(0, 3, 1, "past demos of the same customer, each demo"),
        "records": Knob(2, 60, 4, "unrelated events"),
        "amendments": Knob(0, 2, 1, "mails that change the wish, each demo; earliest hours replaced", ("hops", 2)),
        "rules": Knob(0, 4, 1, "rules besides the time: report, length, clashes, task", ("hops", 2)),
        "zones": Knob(0, 1, 0, "1 when mails give the time on the customer's clock", ("hops", 2)),
        "bookings": Knob(0, 1, 0, "demos to book that are not in the calendar yet", ("hops", 2)),
        "holds": Knob(0, 2, 0, "demos that must stay where they are", ("hops", 2)),
        "pressure": Knob(0, 2, 0, "strangers who demand a change", ("hops", 2)),
        "distractors": replace(DISTRACTORS, needs=("hops", 2)),
        "prose": replace(PROSE, needs=("hops", 2)),
    },
    compose=compose,
)
