"""A planted overlap is a piece of a benchmark's text put into a task on purpose, disguised in a known way."""

from __future__ import annotations

import base64
import json
import quopri
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from decontam.benchmark import Benchmark, BenchmarkTask
from environment.rng import derive_rng
from environment.task import DOMAINS, Task

RUN = 13
Group = Literal["verbatim", "name", "copy", "paraphrase", "control"]
PLACES = ("prompt", "mail", "HTML mail", "base64 mail", "cell", "row of cells", "column of cells", "lines of a page")
"""Where the texts of the invented benchmark stand; a plant is taken from each of them in turn."""

_STEMS = "Zov Vex Pexl Quovr Xan Jorv Uzt Wexl Yphr Krov Tzel Druv Blovn Ghyr Snizl".split()
_ENDINGS = "rane umar istral oduna ebrix aquell untis orvana ilgor".split()
_SECONDS = "Quillon Ardent Bexley Cadmus Dovra Ferrant Gimbal Hollin Jasper Kindle Lumen Marrow".split()
_COMMON = (
    "Please let me know if you have any questions.",
    "Thanks a lot for your help with this, it is much appreciated!",
    "I hope this mail finds you well.",
    "Sent from my phone, please excuse typos",
)


@dataclass(frozen=True, slots=True)
class Companies:
    """The companies of one benchmark task, each known in one way."""

    typed: str
    """In a field of an account, with a legal suffix: Zovrane Quillon Inc."""
    domain: str
    """Only as the domain of an address: vexumar.com."""
    prose: str
    """Only in a sentence, with a legal suffix."""


@dataclass(frozen=True, slots=True)
class Source:
    """One task of the invented benchmark with what can be planted of it."""

    task: BenchmarkTask
    texts: Mapping[str, list[str]]
    """Place -> tokens of the text that stands there."""
    companies: Companies


Planter = Callable[[Task, Source, Random, int], Task]


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to plant."""

    name: str
    group: Group
    plant: Planter = field(compare=False)


# The benchmark


def invented_sources(vocabulary: Sequence[str], count: int) -> list[Source]:
    """Tasks in AutomationBench's format whose texts are drawn from `vocabulary`; no 13 words of them occur twice."""
    rng = derive_rng("planted_overlaps", count)
    names = [stem + ending for stem in _STEMS for ending in _ENDINGS]
    rng.shuffle(names)
    return [_source(rng, vocabulary, number, names) for number in range(count)]


def _source(rng: Random, vocabulary: Sequence[str], number: int, names: list[str]) -> Source:
    texts = {place: tokens(rng, vocabulary, 60) for place in PLACES}
    companies = Companies(
        typed=f"{names[number]} {rng.choice(_SECONDS)} Inc.",
        domain=f"{names[-1 - number].lower()}.com",
        prose=f"{names[len(names) // 2 - number // 2]}{'ix' if number % 2 else 'os'} {rng.choice(_SECONDS)} Ltd",
    )
    html = f"<div><p>{' '.join(texts['HTML mail'])}</p><table><tr><td>Best</td></tr></table></div>"
    mails = [
        {"id": "m1", "subject": "Plan", "body": f"Hello,\n\n{' '.join(texts['mail'])}\n\n{rng.choice(_COMMON)}"},
        {"id": "m2", "subject": "Page", "body": html, "from": f"ana@{companies.domain}"},
        {"id": "m3", "subject": "Raw", "body": base64.b64encode(" ".join(texts["base64 mail"]).encode()).decode()},
        {"id": "m4", "subject": "News", "body": f"A call from {companies.prose} came in. {_COMMON[number % 4]}"},
    ]
    phrases = _phrases(texts["row of cells"], 4)
    rows = [
        {"row_id": 1, "spreadsheet_id": "s1", "cells": {f"Column {n}": phrase for n, phrase in enumerate(phrases)}},
        {"row_id": 2, "spreadsheet_id": "s1", "cells": {"Column 0": " ".join(texts["cell"])}},
        *(
            {"row_id": n, "spreadsheet_id": "s2", "cells": {"Key": f"k{n}", "Note": phrase}}
            for n, phrase in enumerate(_phrases(texts["column of cells"], 3))
        ),
    ]
    blocks = [
        {"id": f"b{n}", "page_id": "p1", "type": "paragraph", "content": line}
        for n, line in enumerate(_phrases(texts["lines of a page"], 7))
    ]
    domain = DOMAINS[number % len(DOMAINS)]
    task = BenchmarkTask(
        name=f"{domain}.invented_{number}",
        domain=domain,
        prompt=" ".join(texts["prompt"]),
        initial_state={
            "gmail": {"messages": mails},
            "salesforce": {"accounts": [{"id": "a1", "name": companies.typed}]},
            "google_sheets": {"rows": rows},
            "notion": {"blocks": blocks},
            "slack": {"channels": [{"name": "general", "topic": "Sales Team"}]},
        },
        row=number + 1,
    )
    return Source(task, texts, companies)


def tokens(rng: Random, vocabulary: Sequence[str], count: int) -> list[str]:
    """Words in sentences, each with the punctuation that follows it."""
    found: list[str] = []
    while len(found) < count:
        sentence = [rng.choice(vocabulary) for _ in range(rng.randint(8, 17))]
        comma = rng.randrange(2, len(sentence) - 2)
        sentence[0], sentence[comma] = sentence[0].capitalize(), sentence[comma] + ","
        found += [*sentence[:-1], sentence[-1] + "."]
    return found[:count]


def benchmark_of(sources: Sequence[Source], further: Sequence[BenchmarkTask]) -> Benchmark:
    """The invented tasks and further ones as one benchmark."""
    tasks = [source.task for source in sources] + list(further)
    numbered = [task.model_copy(update={"row": row}) for row, task in enumerate(tasks, 1)]
    return Benchmark(tasks=tuple(numbered), source="invented", content_hash="0" * 64, is_stand_in=True)


# Putting text into a task

_TEXT_FIELDS = (
    ("gmail", "Message", "body"),
    ("slack", "Message", "text"),
    ("zendesk", "Comment", "body"),
    ("jira", "Issue", "description"),
    ("salesforce", "Opportunity", "Description"),
)


def _with_rows(task: Task, app: str, collection: str, rows: Sequence[Mapping[str, Any]]) -> Task:
    world = {name: dict(collections) for name, collections in task.world.items()}
    world.setdefault(app, {})[collection] = tuple(rows)
    return task.model_copy(update={"world": world})


def _rows(task: Task, app: str, collection: str) -> list[Mapping[str, Any]]:
    return list(task.world.get(app, {}).get(collection, ()))


def _added(task: Task, app: str, collection: str, *rows: Mapping[str, Any]) -> Task:
    return _with_rows(task, app, collection, [*_rows(task, app, collection), *rows])


def _in_a_text(task: Task, rng: Random, change: Callable[[str], str], only: str | None = None) -> Task:
    """The task with one of its texts changed; `only` names the application whose texts may be."""
    places = [
        (app, collection, name, number)
        for app, collection, name in _TEXT_FIELDS
        for number, row in enumerate(_rows(task, app, collection))
        if row.get(name) and (only is None or app == only)
    ]
    if not places:
        return _added(task, "gmail", "Message", {"id": "19a4c2e000099999", "body": change("Hello,")})
    app, collection, name, number = rng.choice(places)
    rows = _rows(task, app, collection)
    rows[number] = {**rows[number], name: change(str(rows[number][name]))}
    return _with_rows(task, app, collection, rows)


def _run(source: Source, rng: Random, place: int, length: int = RUN) -> list[str]:
    """Tokens in a row of the text at one of the places."""
    text = source.texts[PLACES[place % len(PLACES)]]
    start = rng.randrange(len(text) - length)
    return text[start : start + length]


def _inline(disguise: Callable[[list[str], Random], str], only: str | None = None) -> Planter:
    """A run, disguised, at the end of a text."""

    def plant(task: Task, source: Source, rng: Random, place: int) -> Task:
        return _in_a_text(task, rng, lambda text: f"{text} {disguise(_run(source, rng, place), rng)} Thanks!", only)

    return plant


def _whole(disguise: Callable[[str, Random], str], only: str | None = None) -> Planter:
    """A plain run in the middle of a text, which is disguised as a whole."""

    def plant(task: Task, source: Source, rng: Random, place: int) -> Task:
        def change(text: str) -> str:
            return disguise(f"{text}\n\nSo {' '.join(_run(source, rng, place))} that is all.", rng)

        return _in_a_text(task, rng, change, only)

    return plant


def _in_prompt(task: Task, source: Source, rng: Random, place: int) -> Task:
    return task.model_copy(update={"prompt": f"{task.prompt} {' '.join(_run(source, rng, place))} Thank you"})


def _phrases(words: Sequence[str], size: int) -> list[str]:
    return [" ".join(words[start : start + size]) for start in range(0, len(words), size)]


def _across(size: int) -> Planter:
    """Cells of one row, `size` words each."""

    def plant(task: Task, source: Source, rng: Random, place: int) -> Task:
        cells = ["x1", *_phrases(_run(source, rng, place), size), "x2"]
        row = {"id": "planted/0/r1", "sheet_id": "planted/0", "position": 1, "cells": cells}
        return _added(task, "google_sheets", "GridRow", row)

    return plant


def _down(size: int) -> Planter:
    """Cells of one column, `size` words each."""

    def plant(task: Task, source: Source, rng: Random, place: int) -> Task:
        rows = [
            {"id": f"planted/0/r{n}", "sheet_id": "planted/0", "position": n, "cells": [f"k{n}", phrase, n]}
            for n, phrase in enumerate(_phrases(_run(source, rng, place), size))
        ]
        return _added(task, "google_sheets", "GridRow", *rows)

    return plant


def _in_a_cell(task: Task, source: Source, rng: Random, place: int) -> Task:
    cells = ["Terms", f"Note: {' '.join(_run(source, rng, place))}", 12]
    row = {"id": "planted/0/r1", "sheet_id": "planted/0", "position": 1, "cells": cells}
    return _added(task, "google_sheets", "GridRow", row)


def _in_a_long_document(task: Task, source: Source, rng: Random, place: int) -> Task:
    filler = tokens(rng, sorted({word for text in source.texts.values() for word in text}), 5_000)
    middle = rng.randrange(5_000)
    body = " ".join([*filler[:middle], *_run(source, rng, place), *filler[middle:]])
    return _added(task, "notion", "pages", {"id": "p9", "title": "Handbook", "content": body})


def _in_nodes(task: Task, source: Source, rng: Random, place: int) -> Task:
    """A document of nodes in a Jira issue: runs of a line, lines of a list."""
    items = [
        {
            "type": "listItem",
            "content": [{"type": "paragraph", "content": [{"type": "text", "text": f"{word} "} for word in line]}],
        }
        for line in (phrase.split() for phrase in _phrases(_run(source, rng, place), 5))
    ]
    document = {"type": "doc", "version": 1, "content": [{"type": "orderedList", "content": items}]}
    return _added(task, "jira", "Issue", {"id": "99", "summary": "List", "description": document})


def _as_blocks(task: Task, source: Source, rng: Random, place: int) -> Task:
    """A page of Notion, a few words a block, blocks of different kinds."""
    blocks = [
        {"id": f"n{n}", "page_id": "p9", "type": kind, kind: {"rich_text": [{"type": "text", "plain_text": phrase}]}}
        for n, phrase in enumerate(_phrases(_run(source, rng, place), 3))
        for kind in ("to_do" if n % 2 else "paragraph",)
    ]
    return _added(task, "notion", "blocks", *blocks)


def _mixed_case(words: list[str], rng: Random) -> str:
    return " ".join(word.upper() if rng.random() < 0.5 else word.lower() for word in words)


def _other_punctuation(words: list[str], rng: Random) -> str:
    return "".join(word.strip(".,") + rng.choice((", ", "; ", " - ", " / ", "! ", ") (", " ... ")) for word in words)


def _unicode_punctuation(words: list[str], rng: Random) -> str:
    return "".join(rng.choice("\u201c\u2018\u00ab") + word.strip(".,") + "\u201d\u2014\u2009" for word in words)


def _inside_words(sign: str) -> Callable[[list[str], Random], str]:
    def disguise(words: list[str], rng: Random) -> str:
        return " ".join(word[: len(word) // 2] + sign + word[len(word) // 2 :] for word in words)

    return disguise


def _full_width(words: list[str], rng: Random) -> str:
    return " ".join("".join(chr(ord(c) + 0xFEE0) if 0x21 <= ord(c) <= 0x7E else c for c in word) for word in words)


def _accented(words: list[str], rng: Random) -> str:
    text = " ".join(words).replace("fi", "\ufb01").replace("fl", "\ufb02")
    return "".join(c + "\u0301" if c in "aeiou" and rng.random() < 0.3 else c for c in text)


def _listed(marks: Sequence[str], size: int) -> Callable[[list[str], Random], str]:
    def disguise(words: list[str], rng: Random) -> str:
        lines = enumerate(_phrases(words, size))
        return "\n" + "\n".join(f"{marks[n % len(marks)]} {phrase}" for n, phrase in lines) + "\n"

    return disguise


def _linked(words: list[str], rng: Random) -> str:
    return f"{' '.join(words[:4])} [{' '.join(words[4:7])}](https://intranet.test/a/b?x=1) {' '.join(words[7:])}"


def _chat_linked(words: list[str], rng: Random) -> str:
    link = f"<https://intranet.test/a|{' '.join(words[3:5])}>"
    return f"{' '.join(words[:3])} {link} {' '.join(words[5:8])} <@U0123ABC> {' '.join(words[8:])}"


def _broken_once(words: list[str], rng: Random) -> str:
    return f"{' '.join(words[:6])}\n{' '.join(words[6:])}"


def _hyphenated(text: str, rng: Random) -> str:
    lines = []
    for line in _phrases(text.split(), 8):
        head, _, last = line.rpartition(" ")
        is_broken = len(last) >= 6 and last.isalpha()
        lines.append(f"{head} {last[:3]}-\n{last[3:]}" if is_broken else line)
    return "\n".join(lines)


def _wrapped(text: str, rng: Random) -> str:
    return "\n".join(_phrases(text.split(), 8))


def _quoted(text: str, rng: Random) -> str:
    quoted = "\n".join(f"> {line}" for line in _phrases(text.split(), 9))
    return f"Agreed.\n\nOn Tue, 3 Mar 2026 at 09:20, Ana Birk <ana@birk.test> wrote:\n{quoted}"


def _quoted_and_rewrapped(text: str, rng: Random) -> str:
    lines = [f">> {line}" for line in _phrases(text.split(), 9)]
    # A mail program that breaks quoted lines again leaves their ends without a mark.
    return "JB> see below\n" + "\n".join(
        part for line in lines for part in (line[:30].rpartition(" ")[0], line[len(line[:30].rpartition(" ")[0]) + 1 :])
    )


def _outlook(text: str, rng: Random) -> str:
    head = "From: Ana Birk <ana@birk.test>\nSent: Tuesday, March 3, 2026 9:20 AM\nTo: Team\nSubject: RE: Plan"
    return f"See below.\n\n-----Original Message-----\n{head}\n\n{text}"


def _html(text: str, rng: Random) -> str:
    def styled(word: str) -> str:
        half = len(word) // 2
        return rng.choice(
            (word, f"<b>{word}</b>", f"{word[:half]}<i>{word[half:]}</i>", f"<span class='x'>{word}</span>")
        )

    words = [styled(word) for word in text.split()]
    lines = "<br/>\n".join(_phrases(words, 8))
    head = "<html><head><style>p {color: red}</style></head>"
    return f"{head}<body><p>Dear&nbsp;all,<br>{lines}</p><!-- end --></body></html>"


def _html_table(text: str, rng: Random) -> str:
    rows = "".join(f"<tr><td>{n}</td><td>{line}</td></tr>" for n, line in enumerate(_phrases(text.split(), 5)))
    return f"<table><tr><th>No</th><th>Text</th></tr>{rows}</table>"


def _pipe_table(text: str, rng: Random) -> str:
    return "| No | Text |\n|---|---|\n" + "\n".join(
        f"| {n} | {line} |" for n, line in enumerate(_phrases(text.split(), 5))
    )


def _base64(text: str, rng: Random) -> str:
    return base64.b64encode(text.encode()).decode()


def _base64_url(text: str, rng: Random) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _base64_lines(text: str, rng: Random) -> str:
    return "See the attachment:\n\n" + base64.encodebytes(text.encode()).decode() + "\nRegards"


def _base64_twice(text: str, rng: Random) -> str:
    return base64.b64encode(base64.b64encode(text.encode())).decode()


def _data_url(text: str, rng: Random) -> str:
    return f"Open <a href='data:text/plain;charset=utf-8;base64,{_base64(text, rng)}'>the note</a> please."


def _raw_mail(text: str, rng: Random) -> str:
    parts = [
        "From: Ana Birk <ana@birk.test>\r\nSubject: Plan\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/mixed; boundary="bound"\r\n',
        "--bound\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nSee the attachment.\r\n",
        "--bound\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n",
        base64.encodebytes(f"<p>{text}</p>".encode()).decode().replace("\n", "\r\n"),
        "--bound--\r\n",
    ]
    return _base64_url("\r\n".join(parts), rng)


def _quoted_printable(text: str, rng: Random) -> str:
    return quopri.encodestring(text.replace(" that", " \u2014 that").encode(), quotetabs=True).decode()


def _json(text: str, rng: Random) -> str:
    return json.dumps({"status": "done", "note": {"text": text}})


# Names


def _stem(company: str) -> str:
    return company.rpartition(" ")[0]


def _account(name: str) -> dict[str, str]:
    return {"Id": "001000000000999AAA", "Name": name}


def _typed(write: Callable[[Companies], str]) -> Planter:
    """An account of that name."""

    def plant(task: Task, source: Source, rng: Random, place: int) -> Task:
        return _added(task, "salesforce", "Account", _account(write(source.companies)))

    return plant


def _said(write: Callable[[Companies], str]) -> Planter:
    """A sentence in a text."""

    def plant(task: Task, source: Source, rng: Random, place: int) -> Task:
        return _in_a_text(task, rng, lambda text: f"{text} {write(source.companies)}")

    return plant


_ACCENTS = str.maketrans("aeiou", "\u00e4\u00e9\u00ef\u00f6\u00fc")


def _from_domain(domain: str) -> str:
    return domain.partition(".")[0].capitalize()


# Copies and paraphrases


def _near_copy(share: float) -> Planter:
    """A task of the benchmark with a share of its words exchanged, in request and world."""

    def plant(task: Task, source: Source, rng: Random, place: int) -> Task:
        vocabulary = sorted({word.strip(".,") for text in source.texts.values() for word in text})

        def changed(value: Any) -> Any:
            if isinstance(value, str):
                words = value.split(" ")
                return " ".join(rng.choice(vocabulary) if rng.random() < share else word for word in words)
            if isinstance(value, Mapping):
                return {key: changed(item) for key, item in value.items()}
            return [changed(item) for item in value] if isinstance(value, list) else value

        world = {
            app: {name: tuple(changed(rows)) for name, rows in collections.items()}
            for app, collections in source.task.initial_state.items()
            if app != "salesforce" and isinstance(collections, Mapping)
        }
        return task.model_copy(update={"prompt": changed(source.task.prompt), "world": world})

    return plant


# Controls


def _two_fields(task: Task, source: Source, rng: Random, place: int) -> Task:
    run = _run(source, rng, place)
    row = {"id": "19a4c2e000099999", "subject": " ".join(run[:7]), "body": " ".join(run[7:])}
    return _added(task, "gmail", "Message", row)


def _two_rows_and_columns(task: Task, source: Source, rng: Random, place: int) -> Task:
    """Neighbouring cells that are neither in one row nor in one column."""
    run = _run(source, rng, place)
    rows = [
        {"id": f"planted/0/r{n}", "sheet_id": "planted/0", "position": n, "cells": cells}
        for n, cells in enumerate((["", " ".join(run[:7])], [" ".join(run[7:]), ""]))
    ]
    return _added(task, "google_sheets", "GridRow", *rows)


def _twelve(task: Task, source: Source, rng: Random, place: int) -> Task:
    return _in_a_text(
        task, rng, lambda text: f"{text} forsooth {' '.join(_run(source, rng, place, RUN - 1))} perchance"
    )


def _interrupted(task: Task, source: Source, rng: Random, place: int) -> Task:
    run = _run(source, rng, place, 24)
    return _in_a_text(task, rng, lambda text: f"{text} forsooth {' '.join([*run[:12], 'verily', *run[12:]])} perchance")


def _common_phrases(task: Task, source: Source, rng: Random, place: int) -> Task:
    return _in_a_text(task, rng, lambda text: f"{_COMMON[2]}\n\n{text}\n\n{_COMMON[0]} {_COMMON[1]}\n{_COMMON[3]}")


def _another_company(companies: Companies) -> str:
    first, _, rest = _stem(companies.typed).partition(" ")
    return f"{first} {'Weavers' if rest else ''}".strip()


KINDS: tuple[Kind, ...] = (
    Kind("in the request", "verbatim", _in_prompt),
    Kind("in a message, post, comment or note", "verbatim", _inline(lambda words, rng: " ".join(words))),
    Kind("in an e-mail body", "verbatim", _inline(lambda words, rng: " ".join(words), "gmail")),
    Kind("in a cell", "verbatim", _in_a_cell),
    Kind("one word a cell, along a row", "verbatim", _across(1)),
    Kind("one word a cell, down a column", "verbatim", _down(1)),
    Kind("three words a cell, along a row", "verbatim", _across(3)),
    Kind("three words a cell, down a column", "verbatim", _down(3)),
    Kind("across a line break", "verbatim", _inline(_broken_once)),
    Kind("re-wrapped to lines of 8 words", "verbatim", _whole(_wrapped)),
    Kind("words broken by hyphens at the ends of lines", "verbatim", _whole(_hyphenated)),
    Kind("one bullet a line", "verbatim", _inline(_listed(("-", "*", "\u2022"), 1))),
    Kind("a numbered list", "verbatim", _inline(_listed([f"{n}." for n in range(1, 20)], 3))),
    Kind("a lettered list", "verbatim", _inline(_listed([f"{letter})" for letter in "abcdefghij"], 2))),
    Kind("check boxes", "verbatim", _inline(_listed(("- [ ]", "- [x]"), 2))),
    Kind("a table drawn with pipes", "verbatim", _whole(_pipe_table)),
    Kind("links in Markdown", "verbatim", _inline(_linked)),
    Kind("links and mentions of a chat", "verbatim", _inline(_chat_linked)),
    Kind("nodes of a document", "verbatim", _in_nodes),
    Kind("blocks of a page", "verbatim", _as_blocks),
    Kind("in a document of 5,000 words", "verbatim", _in_a_long_document),
    Kind("other case", "verbatim", _inline(_mixed_case)),
    Kind("other punctuation", "verbatim", _inline(_other_punctuation)),
    Kind("Unicode quotes and dashes", "verbatim", _inline(_unicode_punctuation)),
    Kind("zero-width characters in every word", "verbatim", _inline(_inside_words("\u200b"))),
    Kind("soft hyphens in every word", "verbatim", _inline(_inside_words("\u00ad"))),
    Kind("full-width letters", "verbatim", _inline(_full_width)),
    Kind("ligatures and combining accents", "verbatim", _inline(_accented)),
    Kind("HTML with tags inside words", "verbatim", _whole(_html)),
    Kind("column of an HTML table", "verbatim", _whole(_html_table)),
    Kind("quoted in a reply", "verbatim", _whole(_quoted, "gmail")),
    Kind("quoted twice and re-wrapped", "verbatim", _whole(_quoted_and_rewrapped, "gmail")),
    Kind("below the head of an older mail", "verbatim", _whole(_outlook, "gmail")),
    Kind("base64", "verbatim", _whole(_base64, "gmail")),
    Kind("base64url without padding", "verbatim", _whole(_base64_url, "gmail")),
    Kind("base64 in lines between other text", "verbatim", _whole(_base64_lines, "gmail")),
    Kind("base64 in base64", "verbatim", _whole(_base64_twice, "gmail")),
    Kind("in a data: address", "verbatim", _whole(_data_url, "gmail")),
    Kind("in an attachment of a raw mail", "verbatim", _whole(_raw_mail, "gmail")),
    Kind("quoted-printable", "verbatim", _whole(_quoted_printable, "gmail")),
    Kind("in JSON in a string", "verbatim", _whole(_json, "gmail")),
    Kind("the same, in a field", "name", _typed(lambda known: known.typed)),
    Kind("with another legal suffix", "name", _typed(lambda known: f"{_stem(known.typed)} GmbH")),
    Kind("without a suffix, in capitals", "name", _typed(lambda known: _stem(known.typed).upper())),
    Kind("with other spacing", "name", _typed(lambda known: _stem(known.typed).replace(" ", ""))),
    Kind("with a hyphen", "name", _typed(lambda known: _stem(known.typed).replace(" ", "-"))),
    Kind("with diacritics", "name", _typed(lambda known: _stem(known.typed).translate(_ACCENTS))),
    Kind(
        "as the domain of a mail address",
        "name",
        _said(lambda known: f"Write to ana@{_stem(known.typed).replace(' ', '').lower()}.com today."),
    ),
    Kind(
        "as a web address with a hyphen",
        "name",
        _said(lambda known: f"See https://www.{_stem(known.typed).replace(' ', '-').lower()}.co.uk/about for more."),
    ),
    Kind("in prose alone", "name", _said(lambda known: f"We heard from {_stem(known.typed)} yesterday.")),
    Kind("in prose alone, with 's", "name", _said(lambda known: f"It is {_stem(known.typed)}\u2019s parcel.")),
    Kind("in prose alone, in small letters", "name", _said(lambda known: f"call {_stem(known.typed).lower()} back")),
    Kind(
        "in prose alone, across a line break",
        "name",
        _said(lambda known: f"We heard from {_stem(known.typed).replace(' ', chr(10))} yesterday."),
    ),
    Kind(
        "in prose alone, with diacritics",
        "name",
        _said(lambda known: f"We heard from {_stem(known.typed).translate(_ACCENTS)} yesterday."),
    ),
    Kind("there a domain, here in a field", "name", _typed(lambda known: f"{_from_domain(known.domain)} Ltd")),
    Kind("there a domain, here in prose", "name", _said(lambda known: f"Has {_from_domain(known.domain)} paid?")),
    Kind("there in prose alone, here in a field", "name", _typed(lambda known: _stem(known.prose))),
    Kind("there in prose alone, here in prose", "name", _said(lambda known: f"Then {known.prose} cancelled.")),
    Kind(
        "there in prose alone, here a domain",
        "name",
        _said(lambda known: f"Ask info@{_stem(known.prose).replace(' ', '').lower()}.com for it."),
    ),
    Kind("a whole task, 5% of the words changed", "copy", _near_copy(0.05)),
    Kind("a whole task, 10% of the words changed", "copy", _near_copy(0.10)),
    Kind("a whole task, 25% of the words changed", "copy", _near_copy(0.25)),
    Kind("12 words in a row", "control", _twelve),
    Kind("24 words with a strange one in the middle", "control", _interrupted),
    Kind("13 words in two fields of one message", "control", _two_fields),
    Kind("13 words in two cells of neither one row nor one column", "control", _two_rows_and_columns),
    Kind("phrases that everybody uses", "control", _common_phrases),
    Kind("a company whose first word is that of another", "control", _typed(_another_company)),
    Kind("a field that names a department as a company", "control", _typed(lambda known: "Sales Team")),
    Kind("a field that names an application as a company", "control", _typed(lambda known: "Salesforce, Inc.")),
)
