"""Markup is HTML around what a person reads: tags, comments, scripts and entities."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from itertools import zip_longest

_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike "
    "strong sub sup time tt u var wbr".split()
)
_BLOCK = frozenset(
    "address article aside blockquote body br button caption center col colgroup dd details div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe img input legend li link main meta nav "
    "noscript object ol optgroup option p path picture pre script section select source style summary svg table tbody "
    "td template textarea tfoot th thead title tr ul video".split()
)
_VALUE = r"""\s*=\s*(?:"[^"]{0,9999}"|'[^']{0,9999}'|[^\s"'<>]+)"""
# What isn't written as attributes are is taken up to the next bracket when it has an equals sign at all.
_TAG = re.compile(
    r"<(?:(?P<comment>!--)|!\[CDATA\[|[!?][a-z\[][^<>]*>|(?P<end>/?)(?P<name>[a-z][a-z0-9-]*(?::[a-z-]+)?)"
    rf"(?P<attributes>(?:\s+[\w:@.-]+(?:{_VALUE})?)*\s*|\s[^<>]*=[^<>]*)/?>)|\]\]>",
    re.IGNORECASE,
)
_UNSEEN_END = {
    "!--": re.compile("-->"),
    "script": re.compile(r"</script\s*>", re.IGNORECASE),
    "style": re.compile(r"</style\s*>", re.IGNORECASE),
}
_ATTRIBUTE = re.compile(r"""([\w:@.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
_SAID = frozenset("abbr alt aria-description aria-label content label placeholder summary title value".split())
"""Attributes that people read or hear."""
_DRAWN = frozenset("class d points rel sizes srcset style transform viewbox".split())


@dataclass(frozen=True, slots=True)
class Shown:
    """What a person sees of a text with markup."""

    text: str
    """A block tag separates words, an inline tag doesn't; a picture shows its alternative text."""
    links: tuple[str, ...] = ()
    """Addresses behind its links, pictures and forms, in order, each once."""
    columns: tuple[str, ...] = ()
    """The cells of each column of its tables, a line each; the rows stand in the text."""
    unseen: tuple[str, ...] = ()
    """Comments, scripts, styles and texts in tags, of which people see few but whoever fetches the page all."""


@dataclass(slots=True)
class _Page:
    """A page as far as it has been read."""

    pieces: list[str] = field(default_factory=list)
    links: dict[str, None] = field(default_factory=dict)
    grid: list[list[str]] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    cell: int | None = None
    """Number of pieces before the open cell's first one."""

    def see(self, text: str) -> None:
        if text:
            self.pieces.append(text)

    def tag(self, name: str, is_end: bool, attributes: str) -> None:
        if name not in _INLINE:
            self.pieces.append("\n")
        if name in ("td", "th", "tr", "table"):
            self._close_cell()
            if name == "table":
                self.close_table()
            elif name == "tr" and not is_end:
                self.grid.append([])
            elif name in ("td", "th") and not is_end:
                self.cell = len(self.pieces)
        if "=" in attributes:
            for match in _ATTRIBUTE.finditer(attributes):
                self._attribute(name, match[1].lower(), match[2] or match[3] or match[4] or "")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if tag == "img" and name == "alt":
            self.pieces.append(f"{value}\n")
        elif (tag == "a" and name == "href") or "//" in value or value.startswith("mailto:"):
            self.links[value.strip()] = None
        elif name in _SAID or (" " in value and name not in _DRAWN):
            self.unseen.append(value)

    def _close_cell(self) -> None:
        if self.cell is not None and self.grid:
            self.grid[-1].append(" ".join("".join(self.pieces[self.cell :]).split()))
        self.cell = None

    def close_table(self) -> None:
        if len(self.grid) > 1:
            self.columns += ["\n".join(filter(None, cells)) for cells in zip_longest(*self.grid, fillvalue="")]
        self.grid = []


def shown(text: str) -> Shown:
    """What is seen of `text`; itself when it has no markup. Markup that was itself escaped is taken off too."""
    result = _shown(text)
    if "&lt;" in text and "<" in result.text:
        inner = _shown(result.text)
        return Shown(
            inner.text, result.links + inner.links, result.columns + inner.columns, result.unseen + inner.unseen
        )
    return result


def _shown(text: str) -> Shown:
    page = _Page()
    unclosed: set[str] = set()
    position = 0
    while (tag := _TAG.search(text, position)) is not None:
        name = (tag["name"] or "").lower()
        if name and not _is_tag(name, tag["attributes"]):
            page.see(text[position : tag.end()])
            position = tag.end()
            continue
        page.see(text[position : tag.start()])
        position = tag.end()
        if tag["comment"] or (name in _UNSEEN_END and not tag["end"]):
            kind = name or "!--"
            closing = _UNSEEN_END[kind].search(text, position) if kind not in unclosed else None
            if closing is None:  # a text about tags
                unclosed.add(kind)
                page.see(tag.group())
            else:
                page.unseen.append(text[position : closing.start()])
                position = closing.end()
            page.see("\n" if name else " ")
        elif name:
            page.tag(name, bool(tag["end"]), tag["attributes"])
    page.close_table()
    seen = "".join([*page.pieces, text[position:]]) if position else text
    links, columns, unseen = (tuple(map(_unescaped, part)) for part in (page.links, page.columns, page.unseen))
    return Shown(_unescaped(seen), links, columns, unseen)


def _is_tag(name: str, attributes: str) -> bool:
    """Whether HTML has it: "<contact_id>" is a placeholder that people read, "if a <b and c> d" a comparison."""
    if len(name) == 1 and "=" not in attributes and attributes.strip():
        return False
    return name in _INLINE or name in _BLOCK or ":" in name


def _unescaped(text: str) -> str:
    """`text` without entities, be they escaped once or twice."""
    if "&" not in text:
        return text
    once = html.unescape(text)
    return html.unescape(once) if "&amp;" in text else once
