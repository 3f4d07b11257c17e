"""Small talk, handbook clauses and oddments: plenty, varied, cheap, and about nothing that a task is about."""

from __future__ import annotations

import re
import time
from collections import Counter
from datetime import datetime, timedelta

import pytest

from decontam.words import words_of
from environment.rng import derive_rng
from generators.families import FAMILIES
from generators.family import Scene
from generators.labels import find_labels
from generators.phrasing import TEMPLATES
from generators.staging.handbook import filler_clauses
from generators.staging.noise import add_chatter, add_unrelated_mail
from generators.staging.oddments import (
    filler_note,
    unrelated_bill_line,
    unrelated_event_title,
    unrelated_issue,
    unrelated_ticket,
)
from generators.staging.sentences import sentences, topics
from generators.staging.slack import add_channel, add_user
from generators.staging.small_talk import small_talk, unrelated_text

FOLDERS = ("noise", "short", "subjects", "handbook")
LISTS = ("notes", "events", "issues", "tickets", "bill_lines", "sections")
SLOT = re.compile(r"\{\{ [\w.]+ \}\}")
WEIGHTY = re.compile(
    r"\b(approv\w*|refus\w*|on hold|void\w*|replac\w*|instead|correct\w*|invoice\w*|order\w*|credit\w*|refund\w*|"
    r"payment\w*|paid|pay|contract\w*|reschedul\w*|postpone\w*|cancel\w*|deadline|overdue|urgent\w*|policy|must|please|"
    r"deal|deals|stage|shipment\w*|shipped|deliver\w*|escalat\w*|discount\w*|salary|vacation|holiday|days off)\b",
    re.I,
)


def scene(index: int) -> Scene:
    return Scene(derive_rng("noise", "seven", index))


def templates() -> list[str]:
    return [*(topic for folder in FOLDERS for topic in topics(f"shared/{folder}")), *(f"shared/{n}" for n in LISTS)]


def phrasings_of(template: str) -> list[str]:
    return [part.strip() for part in (TEMPLATES / f"{template}.j2").read_text("utf-8").split("\n---\n")]


def split_sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.?!])\s+", text) if part]


def shingles(text: str, size: int) -> set[tuple[str, ...]]:
    words = words_of(text)
    return {tuple(words[start : start + size]) for start in range(len(words) - size + 1)}


def mails_of(stage: Scene) -> list:
    return stage.rows["gmail"]["Message"]


def test_two_tasks_with_a_thousand_sentences_each_share_few_runs_of_words():
    one, two = (unrelated_text(scene(index), 1000) for index in (0, 1))
    five = shingles(one, 5), shingles(two, 5)
    assert len(five[0] & five[1]) / len(five[0] | five[1]) < 0.35
    thirteen = shingles(one, 13), shingles(two, 13)
    assert len(thirteen[0] & thirteen[1]) / len(thirteen[0] | thirteen[1]) < 0.005


def test_handbooks_of_two_tasks_share_few_runs_of_words():
    one, two = (" ".join(clause.text for clause in filler_clauses(scene(index), 40, 8)) for index in (0, 1))
    five = shingles(one, 5), shingles(two, 5)
    assert len(five[0] & five[1]) / len(five[0] | five[1]) < 0.35
    thirteen = shingles(one, 13), shingles(two, 13)
    assert len(thirteen[0] & thirteen[1]) / len(thirteen[0] | thirteen[1]) < 0.005


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 60, 500])
def test_a_text_has_as_many_sentences_as_asked_for(count):
    assert len(split_sentences(unrelated_text(scene(2), count))) == count


def test_a_long_text_has_paragraphs_of_a_few_sentences():
    sizes = [len(split_sentences(part)) for part in unrelated_text(scene(3), 60).split("\n\n")]
    assert len(sizes) > 10
    assert min(sizes) >= 2
    assert max(sizes) <= 6


def test_no_phrasing_comes_twice_before_all_have_come():
    stage = scene(4)
    forms = [s.form for topic in topics("shared/noise") for s in sentences(topic)]
    said = []
    while len(said) < len(forms):
        said += split_sentences(unrelated_text(stage, min(11, len(forms) - len(said))))
    for form in forms:
        pattern = re.compile(".+".join(map(re.escape, form.replace("%%", "%").split("%s"))), re.I)
        assert sum(bool(pattern.fullmatch(sentence)) for sentence in said) == 1, form


def test_a_lone_sentence_is_short_and_names_nobody():
    stage = scene(5)
    for topic in topics("shared/short"):
        for _ in range(30):
            assert len(small_talk(stage).line(topic).split()) <= 12
        assert not re.search(r"person|other|company", "".join(SLOT.findall("\n".join(phrasings_of(topic)))))


def test_there_are_many_topics_with_many_sentences_of_a_handy_length():
    names = topics("shared/noise")
    assert len(names) >= 12
    for topic in names:
        found = phrasings_of(topic)
        assert len(found) >= 25
        for text in found:
            assert len(SLOT.findall(text)) >= 3, text
            assert 8 <= len(SLOT.sub("slot", text).split()) <= 20, text
        base = topic.rpartition("/")[2]
        assert len(phrasings_of(f"shared/short/{base}")) >= 6
        assert len(phrasings_of(f"shared/subjects/{base}")) >= 6


def test_clauses_of_the_handbook_have_slots_enough():
    for matter in topics("shared/handbook"):
        for text in phrasings_of(matter):
            assert len(SLOT.findall(text)) >= 3, text


def test_no_sentence_is_written_twice():
    folders = ("noise", "short", "handbook")
    written = Counter(text for name in folders for topic in topics(f"shared/{name}") for text in phrasings_of(topic))
    assert not [text for text, count in written.items() if count > 1]


@pytest.mark.parametrize("template", templates())
def test_every_phrasing_can_be_filled(template):
    stage = scene(6)
    for _ in sentences(template):
        line = small_talk(stage).line(template)
        assert line
        assert not re.search(r"[{}%<>]", line)


@pytest.mark.parametrize("template", templates())
def test_nothing_reads_like_a_rule_or_a_document_of_a_task(template):
    for text in phrasings_of(template):
        assert not WEIGHTY.search(text), text
        assert not re.search(r"[a-z]-[a-z]", text), f"a hyphenated word may be a label: {text}"


def test_no_label_of_ours_is_among_the_words():
    task = FAMILIES[0].generate(
        "labels", 0, "train", {name: knob.low for name, knob in FAMILIES[0].knobs.items()}, "actions"
    )
    every = "\n".join(text for template in templates() for text in phrasings_of(template))
    assert every
    for family in FAMILIES:
        posing = task.model_copy(update={"family": family.name, "world": {"notes": {}}, "prompt": every})
        assert find_labels(posing, {}) == []


def test_mails_come_at_distinct_times_in_office_hours_of_the_last_four_weeks():
    stage = scene(7)
    add_unrelated_mail(stage, 120, 2)
    add_unrelated_mail(stage, 80)
    mails = mails_of(stage)
    moments = [datetime.fromisoformat(mail["date"]) for mail in mails]
    assert len(mails) == len(set(moments)) == 200
    now = stage.business.now
    for moment in moments:
        assert timedelta(0) < now - moment < timedelta(days=29)
        assert moment.weekday() < 5
        assert 7 <= moment.hour < 19


def test_some_mails_answer_an_earlier_one_on_its_subject():
    stage = scene(8)
    add_unrelated_mail(stage, 100, 3)
    mails = {mail["id"]: mail for mail in mails_of(stage)}
    replies = [mail for mail in mails.values() if mail["threadId"] != mail["id"]]
    assert 5 <= len(replies) <= 40
    for reply in replies:
        answered = mails[reply["threadId"]]
        assert reply["subject"] == f"Re: {answered['subject']}"
        assert reply["date"] > answered["date"]


def test_mails_come_from_colleagues_some_of_whom_write_again_and_from_other_companies():
    stage = scene(9)
    add_unrelated_mail(stage, 150, 2)
    senders = Counter(mail["from"] for mail in mails_of(stage))
    own = sum(count for sender, count in senders.items() if stage.business.company.domain in sender)
    assert 75 <= own <= 140
    assert max(senders.values()) >= 4
    assert min(senders.values()) == 1
    assert any("<news@" in sender for sender in senders)


def test_long_mails_greet_and_close_and_short_ones_are_a_bare_sentence():
    long, short = scene(10), scene(10)
    add_unrelated_mail(long, 20, 6)
    add_unrelated_mail(short, 20, 1)
    for mail in mails_of(long):
        greeting, *_, closing = mail["body"].split("\n\n")
        assert greeting.endswith(",")
        assert closing.split("\n")[-1] in mail["from"]
    assert all("\n" not in mail["body"] for mail in mails_of(short))


def test_mail_of_any_length_is_about_as_long_as_asked_for():
    stage = scene(11)
    add_unrelated_mail(stage, 60, 25)
    bodies = [mail["body"] for mail in mails_of(stage)]
    assert 60 * 25 * 0.9 < sum(len(split_sentences(body)) for body in bodies) - 2 * 60 < 60 * 25 * 1.1
    assert sum(len(body.split()) for body in bodies) > 25_000


def test_chatter_comes_from_all_users_and_some_of_it_in_threads():
    stage = scene(12)
    channel = add_channel(stage, "lounge")
    users = [add_user(stage, stage.invent.person("example.com")) for _ in range(3)]
    add_chatter(stage, channel, users, 60, 2)
    posts = stage.rows["slack"]["Message"]
    assert {post["user"] for post in posts} == set(users)
    roots = {post["ts"] for post in posts if "thread_ts" not in post}
    replies = [post for post in posts if "thread_ts" in post]
    assert 4 <= len(replies) <= 24
    assert all(reply["thread_ts"] in roots and reply["ts"] > reply["thread_ts"] for reply in replies)
    assert len({post["ts"] for post in posts}) == 60


def test_chatter_of_a_single_user_may_be_given_the_bare_id():
    stage = scene(13)
    channel = add_channel(stage, "lounge")
    user = add_user(stage, stage.invent.person("example.com"))
    add_chatter(stage, channel, user, 2)
    assert [post["user"] for post in stage.rows["slack"]["Message"]] == [user, user]


def test_a_thousand_posts_can_be_told_apart():
    stage = scene(14)
    channel = add_channel(stage, "lounge")
    add_chatter(stage, channel, add_user(stage, stage.invent.person("example.com")), 1000)
    assert len({post["id"] for post in stage.rows["slack"]["Message"]}) == 1000


def test_clauses_have_different_titles_and_as_many_sentences_as_asked_for():
    clauses = filler_clauses(scene(15), 60, 4)
    assert len({clause.title for clause in clauses}) == 60
    assert all(len(split_sentences(clause.text)) == 4 for clause in clauses)


def test_people_of_the_task_share_no_name_with_those_of_small_talk():
    for index in range(16, 22):
        stage = scene(index)
        people = [stage.invent.person("example.com") for _ in range(15)]
        companies = [stage.invent.company() for _ in range(15)]
        add_unrelated_mail(stage, 100, 8)
        people += [stage.invent.person("example.com") for _ in range(35)]
        companies += [stage.invent.company() for _ in range(60)]
        text = " ".join(f"{mail['from']} {mail['subject']} {mail['body']}" for mail in mails_of(stage))
        text = re.sub(rf"\b{stage.business.actor.first},", "", text)
        said = set(re.findall(r"[A-Z][a-z]+", text))
        assert not said & {name for person in people for name in (person.first, person.last)}
        assert not said & {company.name.split()[0] for company in companies}


def test_oddments_are_short_and_vary():
    stage = scene(23)
    notes = [filler_note(stage) for _ in range(200)]
    assert all(2 <= len(note.split()) <= 8 for note in notes)
    assert len(set(notes)) > 150
    for make in (unrelated_event_title, unrelated_bill_line):
        made = [make(stage) for _ in range(100)]
        assert len(set(made)) > 80
        assert all(2 <= len(line.split()) <= 10 for line in made)


@pytest.mark.parametrize("make", [unrelated_issue, unrelated_ticket])
def test_issues_and_tickets_have_a_headline_and_a_text_as_long_as_asked_for(make):
    stage = scene(24)
    for _ in range(30):
        headline, text = make(stage)
        assert headline and text and "\n" not in headline + text
    longer = [len(split_sentences(make(stage, 8)[1])) for _ in range(30)]
    assert set(longer) == {8}


def test_the_same_seed_says_the_same_and_another_seed_something_else():
    assert unrelated_text(scene(25), 40) == unrelated_text(scene(25), 40)
    assert unrelated_text(scene(25), 40) != unrelated_text(scene(26), 40)


def test_a_thousand_sentences_cost_little():
    unrelated_text(scene(27), 1000)
    seconds = []
    for index in range(5):
        stage = scene(28 + index)
        start = time.process_time()
        unrelated_text(stage, 1000)
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.015


def test_a_phrasing_that_is_more_than_plain_slots_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("generators.staging.sentences.TEMPLATES", tmp_path)
    (tmp_path / "odd.j2").write_text("{{ person }} met {{ person }}\n", "utf-8")
    with pytest.raises(ValueError, match="each once in a phrasing"):
        sentences("odd")
    with pytest.raises(ValueError, match="there is no template 'absent'"):
        sentences("absent")
