"""What a hostile reader of tasks has found once, and must not find again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

import pytest

from environment.attempt import RowChange
from environment.contract import Change, Date, Instant, Mentions, Omits
from environment.episode import Episode, derived_fields
from environment.matchers import Demands, accepts
from environment.rng import derive_rng
from environment.task import Task
from environment.verifier import verify
from generators.expectations.xero import credit_note_created
from generators.families import FAMILIES
from generators.family import OFFICE, Family, Scene
from generators.phrasing import TEMPLATES, joined
from generators.rulebook import Rule, publish
from generators.work import Work

EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES, ids=[family.name for family in FAMILIES])
PROSE = {"text", "body", "Body"}
IDS = {"id", "Id", "key", "row", "number"}
WORDING = "in force after {count} changes"


@cache
def top_task(family: Family, index: int) -> Task:
    """Everything as high as it goes, but for the bulk."""
    bulk = {"distractors": 1, "records": 4, "prose": 2}
    knobs = {name: min(knob.high, bulk.get(name, knob.high)) for name, knob in family.knobs.items()}
    return family.generate("quality", index, "train", knobs, "actions")


def drawn_task(family: Family, index: int, profile: Any) -> Task:
    knobs = family.draw_knobs(derive_rng("quality", family.name, index), profile)
    return family.generate("quality", index, "train", knobs, "actions")


@cache
def end_state(task_id: str, family: Family, index: int) -> tuple[RowChange, ...]:
    task = top_task(family, index)
    assert task.id == task_id
    episode = Episode(task, toolset="actions")
    for call in task.reference:
        episode.call(call.tool, dict(call.arguments))
    return episode.changes()


def is_strict(task: Task, changes: tuple[RowChange, ...]) -> bool:
    return verify(task.contract, changes, derived_fields()).strict


def judged_prose(task: Task) -> dict[tuple[str, str], str]:
    """(app, collection) -> field, for the messages that the contract reads as prose."""
    return {
        (change.app, change.collection): name
        for change in task.contract.changes()
        for name, matchers in change.fields.items()
        if name in PROSE and any(isinstance(matcher, Mentions) for matcher in matchers)
    }


def rewritten(task: Task, changes: tuple[RowChange, ...], rewrite: Callable[[str], str]) -> tuple[RowChange, ...]:
    fields = judged_prose(task)
    done = []
    for row in changes:
        name = fields.get((row.app, row.collection))
        if name and row.before is None and row.after and row.after.get(name):
            row = row.model_copy(update={"after": {**row.after, name: rewrite(row.after[name])}})
        done.append(row)
    return tuple(done)


def lines(text: str) -> list[str]:
    return text.split("\n")


def long_day(found: re.Match[str]) -> str:
    day = date.fromisoformat(found[0])
    return f"{day:%A}, {day.day} {day:%B %Y}"


MANNERS: dict[str, Callable[[str], str]] = {
    "greeting": lambda text: f"Hello everyone,\n\nhere is what you asked for:\n\n{text}\n\nBest regards,\nJo",
    "bullets": lambda text: "\n".join(f"- {line}" for line in lines(text)),
    "bold bullets": lambda text: "\n".join(f"* *{line.replace(': ', '*: ', 1)}" for line in lines(text)),
    "numbers": lambda text: "\n".join(f"{n}. {line}" for n, line in enumerate(lines(text), 1)),
    "table": lambda text: "\n".join(f"| {line.replace(': ', ' | ', 1)} |" for line in lines(text)),
    "one sentence": lambda text: "Here you are: " + ", ".join(line.rstrip(".") for line in lines(text)) + ".",
    "semicolons": lambda text: "; ".join(lines(text)),
    "arrows": lambda text: "\n".join(line.replace(": ", " → ", 1) for line in lines(text)),
    "backwards": lambda text: "\n".join(reversed(lines(text))),
    "nested": lambda text: "\n".join(line.replace(": ", "\n   - ", 1) for line in lines(text)),
    "html": lambda text: "<ul>" + "".join(f"<li>{line}</li>" for line in lines(text)) + "</ul>",
    "code": lambda text: f"```\n{text}\n```",
    "long days": lambda text: re.sub(r"\d{4}-\d\d-\d\d", long_day, text),
    "more facts": lambda text: f"{text}\nNothing else was changed, and two mails from strangers were ignored.",
}


@EACH_FAMILY
def test_honest_messages_pass_in_any_manner(family):
    for index in range(2):
        task = top_task(family, index)
        changes = end_state(task.id, family, index)
        for manner, rewrite in MANNERS.items():
            assert is_strict(task, rewritten(task, changes, rewrite)), (task.id, manner)


@EACH_FAMILY
def test_false_claims_added_to_an_honest_message_fail(family):
    task = top_task(family, 0)
    changes = end_state(task.id, family, 0)
    for change, claim in claims(task):
        said = ": ".join(fact.spellings[0] for fact in claim)
        name = judged_prose(task)[change.app, change.collection]
        rows = [row for row in changes if (row.app, row.collection) == (change.app, change.collection)]
        for row in rows:
            if row.before is None and row.after and meets(change, row.after):
                worse = row.model_copy(update={"after": {**row.after, name: f"{row.after[name]}\n{said}"}})
                assert not is_strict(task, tuple(worse if one is row else one for one in changes)), (task.id, said)


def claims(task: Task) -> Iterator[tuple[Change, Any]]:
    for change in task.contract.changes():
        for matchers in change.fields.values():
            yield from ((change, claim) for one in matchers if isinstance(one, Omits) for claim in one.claims)


def meets(change: Change, row: Any) -> bool:
    demands = {**change.key, **change.fields}
    return all(accepts(one, row.get(path), {}) for path, matchers in demands.items() for one in matchers)


@EACH_FAMILY
def test_a_report_must_not_claim_anything_of_what_was_held(family):
    if "holds" not in family.knobs:
        pytest.skip("nothing is held here")
    task = top_task(family, 0)
    reports = [change for change in task.contract.changes() if change.app == "slack"]
    assert reports
    matchers = [one for change in reports for one in change.fields["text"]]
    stated = [facts for one in matchers if isinstance(one, Mentions) for facts in one.facts]
    denied = {claim[0].spellings for one in matchers if isinstance(one, Omits) for claim in one.claims}
    left_out = denied - {facts[0].spellings for facts in stated}
    on_hold = any(fact.spellings == ("On hold",) for facts in stated for fact in facts)
    assert any(trap.name == "ignored_hold" for trap in task.traps)
    assert left_out or on_hold, task.id


@EACH_FAMILY
@pytest.mark.parametrize("profile", ["starter", "full"])
def test_days_that_are_set_lie_ahead(family, profile):
    for index in range(12):
        task = drawn_task(family, index, profile)
        now = datetime.fromisoformat(task.now)
        for change in task.contract.changes():
            matchers = [one for found in change.fields.values() for one in found]
            facts = [fact for one in matchers if isinstance(one, Mentions) for facts in one.facts for fact in facts]
            days = [one.day for one in matchers if isinstance(one, Date)]
            days += [fact.spellings[0] for fact in facts if fact.read_as == "date"]
            assert all(date.fromisoformat(day) >= now.date() for day in days), (task.id, now, days)
            moments = [datetime.fromisoformat(one.at) for one in matchers if isinstance(one, Instant)]
            assert all(moment > now for moment in moments), (task.id, now, moments)


@EACH_FAMILY
def test_people_write_in_office_hours_and_not_in_the_future(family):
    task = top_task(family, 1)
    now = datetime.fromisoformat(task.now)
    opens, closes = OFFICE
    written = [row["date"] for row in task.world.get("gmail", {}).get("Message", ())]
    written += [row["created_at"] for row in task.world.get("zendesk", {}).get("Comment", ())]
    written += [row["created"] for row in task.world.get("jira", {}).get("Comment", ())]
    moments = [datetime.fromisoformat(one) for one in written]
    posts = task.world.get("slack", {}).get("Message", ())
    moments += [datetime.fromtimestamp(int(row["ts"].partition(".")[0]), now.tzinfo) for row in posts]
    for moment in moments:
        assert moment <= now
        assert opens <= 60 * moment.hour + moment.minute <= closes, (task.id, moment)


def test_what_is_sent_later_stays_later():
    for index in range(40):
        scene = Scene(derive_rng("sent", "seven", index))
        moments = [scene.sent(minutes) for minutes in range(6_000, 0, -41)]
        assert moments == sorted(moments)
        assert len({moment.replace(second=0) for moment in moments}) == len(moments)
        assert scene.sent(0) == scene.business.now
        days = [(scene.business.now - timedelta(minutes=minutes)).date() for minutes in range(6_000, 0, -41)]
        assert [moment.date() for moment in moments] == days


@pytest.mark.parametrize("hops", [2, 3, 4])
def test_a_rule_in_force_is_younger_than_every_one_it_replaced(hops):
    for index in range(30):
        scene = Scene(derive_rng("rules", "seven", index))
        former = tuple(WORDING.format(count=count) for count in range(3))
        rules = [Rule(WORDING.format(count=3), former), Rule("Second rule."), Rule("Third rule.")]
        publish(Work(scene, {}), "leave", rules, hops, "people")
        dated = {count: when for count in range(4) for when in told_on(scene, WORDING.format(count=count))}
        assert sorted(dated, key=lambda count: dated[count]) == [0, 1, 2, 3], (index, dated)


def told_on(scene: Scene, text: str) -> Iterator[str]:
    """Days on which the text was told, wherever."""
    now = scene.business.now
    for mail in scene.rows.get("gmail", {}).get("Message", ()):
        if text in mail["body"]:
            yield mail["date"][:10]
    for post in scene.rows.get("slack", {}).get("Message", ()):
        if text in post["text"]:
            yield datetime.fromtimestamp(int(post["ts"].partition(".")[0]), now.tzinfo).date().isoformat()
    for row in scene.rows.get("google_sheets", {}).get("GridRow", ()):
        if any(text in str(cell) for cell in row["cells"]):
            yield row["cells"][2]


@EACH_FAMILY
def test_what_is_right_has_no_place_of_its_own_among_what_is_found(family):
    places: list[float] = []
    for index in range(40):
        task = drawn_task(family, index, "starter")
        episode, found = Episode(task, toolset="actions"), []
        for call in task.reference:
            answer = json.loads(episode.call(call.tool, dict(call.arguments)))
            if listed := next(iter(lists(answer)), None):
                found.append(listed)
                continue
            given = {str(value) for value in call.arguments.values()}
            for rows in found:
                hits = [n for n, row in enumerate(rows) if any(str(row[key]) in given for key in IDS & row.keys())]
                if len(rows) > 1 and len(hits) == 1:
                    places.append(hits[0] / (len(rows) - 1))
                    break
    if len(places) >= 10:
        assert places.count(0.0) < 0.9 * len(places) and places.count(1.0) < 0.9 * len(places), places


def lists(answer: Any) -> Iterator[list[dict[str, Any]]]:
    if isinstance(answer, list) and answer and all(isinstance(row, dict) for row in answer):
        yield answer
    elif isinstance(answer, dict):
        for value in answer.values():
            yield from lists(value)


@EACH_FAMILY
def test_nothing_that_is_found_looks_the_same_twice(family):
    for index in range(12):
        task = drawn_task(family, index, "full")
        episode = Episode(task, toolset="actions")
        for call in task.reference:
            for rows in lists(json.loads(episode.call(call.tool, dict(call.arguments)))):
                shown = [json.dumps({k: v for k, v in row.items() if k not in IDS}, sort_keys=True) for row in rows]
                assert len(set(shown)) == len(shown), (task.id, call)


@EACH_FAMILY
@pytest.mark.parametrize("profile", ["starter", "full"])
def test_requests_read_well(family, profile):
    ugly = re.compile(r"  | [,.]|\.\.|[{}]|\ba [aeio]|\bNone\b|\b(\w+) \1\b|\?\.|\b20\d\d-\d\d\b(?!-)")
    for index in range(40):
        prompt = drawn_task(family, index, profile).prompt
        assert not ugly.search(prompt), (ugly.search(prompt), prompt)
        assert prompt.rstrip()[-1] in ".?!", prompt


@EACH_FAMILY
def test_joining_a_channel_changes_nothing(family):
    task = top_task(family, 0)
    episode = Episode(task, toolset="api")
    for channel in task.world["slack"]["Channel"]:
        body = json.dumps({"channel": channel["id"]})
        call = {"method": "POST", "url": "https://slack.com/api/conversations.join", "body": body}
        assert json.loads(episode.call("api_fetch", call))["ok"]
    assert episode.changes() == ()


def test_every_line_of_a_credit_note_is_on_the_account():
    demands = Demands(credit_note_created("credit", "c-1", "CN-1", "30.00", "GBP", "315").fields)
    note = {"ContactID": "c-1", "Total": "30.00", "CurrencyCode": "GBP", "Status": "AUTHORISED"}
    one, other = ({"UnitAmount": "15.00", "AccountCode": code} for code in ("315", "429"))
    assert not demands.read({**note, "LineItems": [one, one]}, {}).wrong
    assert demands.read({**note, "LineItems": [one, other]}, {}).wrong


def test_several_things_are_asked_for_as_a_list_in_mixed_order():
    orders = set()
    for index in range(30):
        work = Work(Scene(derive_rng("asked", "seven", index)), {})
        work.ask_each("set the first.", "set the second.", "leave the third.")
        work.ask("go by the rules.")
        head, *listed, last = joined(work.asked).split("\n")
        assert head[-1] in ":?"
        assert sorted(listed) == ["- Leave the third.", "- Set the first.", "- Set the second."]
        assert last == "Go by the rules."
        orders.add(tuple(listed))
    assert len({listed[-1] for listed in orders}) == 3
    work.ask_each("set the first.")
    assert joined(work.asked[-1:]) == "set the first."


def test_rules_stand_by_themselves():
    for path in sorted(TEMPLATES.glob("*/*_rule.j2")):
        for phrasing in path.read_text("utf-8").split("\n---\n"):
            plain = re.sub(r"\{%.*?%\}", "", phrasing).strip()
            assert not re.match(r"(?:Then|Afterwards|Also|It|They|This)\b", plain), (path.name, plain)
