"""An encoding is a way to store a text that hides its words: base64, quoted-printable, escapes, a raw mail."""

from __future__ import annotations

import base64
import binascii
import email
import email.errors
import email.header
import quopri
import re
from collections.abc import Iterator
from email.message import Message
from urllib.parse import unquote

_SHORTEST_BASE64 = 16
_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{_SHORTEST_BASE64},}}={{0,2}}")
_INSIDE_PROSE = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
_LINE = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_LINE_LETTERS = 40
_MAY_BE_LINES = re.compile(r"\n[ \t>]*[A-Za-z0-9+/_-]{40}")
_DATA_URL = re.compile(
    r"data:[^,\s\"'<>]{0,200};base64,"
    r"((?:[A-Za-z0-9+/_=-]|%3D|%2B|%2F|\r?\n[ \t]*(?=[A-Za-z0-9+/_=-]+(?:[\r\n\"'<>)]|$)))+)"
)
_QUOTED_PRINTABLE = re.compile(r"=(?:[0-9A-Fa-f]{2}|[ \t]*\r?\n)")
_CERTAINLY_QUOTED = re.compile(r"=(?:20|3D|[ \t]*\r?\n)")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([nrtfbv\"'/\\]))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "f": "\n", "v": "\n", "b": ""}
_HEADERS = re.compile(r"(?:[A-Za-z][A-Za-z0-9-]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*)+\r?\n")

# A note that merely begins "Subject: ..." is read as it stands.
_MAIL_HEADER = re.compile(
    r"^(?:MIME-Version|Content-Type|Content-Transfer-Encoding|Message-ID):", re.IGNORECASE | re.MULTILINE
)
_SHOWN_HEADERS = ("Subject", "From", "To", "Cc", "Bcc", "Reply-To")


def decoded_base64(text: str) -> str | None:
    """The text inside base64 or base64url (wrapped in lines or not), None when there is none."""
    # Addresses are the most frequent long strings without blanks.
    if len(text) < _SHORTEST_BASE64 or "@" in text or "." in text:
        return None
    compact = "".join(text.split())
    if not _BASE64.fullmatch(compact):
        return None
    standard = compact.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(standard + "=" * (-len(standard) % 4))
    except binascii.Error:
        return None
    return _readable(raw)


def base64_blocks(text: str) -> tuple[str, ...]:
    """The texts inside `data:` addresses and inside lines of nothing but base64; what says base64 is looked through."""
    return tuple(dict.fromkeys(_blocks(text)))


def _blocks(text: str) -> Iterator[str]:
    speaks = "6" in text and ("ase64" in text or "ASE64" in text)
    if speaks and "base64," in text:
        for match in _DATA_URL.finditer(text):
            lines = match[1].replace("%3D", "=").replace("%2B", "+").replace("%2F", "/").split("\n")
            # The last line may be a word of the text after the block.
            decoded = decoded_base64("".join(lines)) or decoded_base64("".join(lines[:-1]))
            if decoded is not None:
                yield decoded
    if "\n" in text and _MAY_BE_LINES.search("\n" + text) is not None:
        yield from _decoded_lines(text)
    if speaks:
        for match in _INSIDE_PROSE.finditer(text):
            if (decoded := decoded_base64(match.group())) is not None:
                yield decoded


def _decoded_lines(text: str) -> Iterator[str]:
    block: list[str] = []
    for line in [*text.split("\n"), ""]:
        bare = line.strip(" \t\r>")
        is_long = len(bare) >= _LINE_LETTERS and " " not in bare and _LINE.fullmatch(bare) is not None
        if is_long and (not block or len(bare) == len(block[-1])):
            block.append(bare)
            continue
        if block:
            # The last line is shorter; or else it is a word of the text after the block.
            is_last = _LINE.fullmatch(bare) is not None and len(bare) < len(block[-1])
            decoded = decoded_base64("".join([*block, bare])) if is_last else None
            decoded = decoded if decoded is not None else decoded_base64("".join(block))
            if decoded is not None:
                yield decoded
            block = [bare] if is_long and not is_last else []


def decoded_quoted_printable(text: str) -> str | None:
    """`text` with quoted-printable undone, None when nothing in it looks like that."""
    hits = _QUOTED_PRINTABLE.findall(text)
    if not hits or (len(hits) < 2 and not _CERTAINLY_QUOTED.search(text)):
        return None
    raw = quopri.decodestring(text.encode("utf-8", "surrogatepass"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def decoded_percent(text: str) -> str | None:
    """`text` with the percent signs of web addresses undone, None when nothing in it looks like that."""
    return unquote(text, errors="replace") if _PERCENT.search(text) is not None else None


def without_escapes(text: str) -> str | None:
    """`text` with the backslashes of strings in programs and in JSON undone, None when it has no such."""
    bare = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2]), text)
    return bare if bare != text else None


def mail_texts(text: str) -> dict[str, str]:
    """Headers that are shown, names of attachments and text parts of an RFC 5322 message, by name.

    Empty when `text` is no such message.
    """
    head = _HEADERS.match(text)
    if head is None or not _MAIL_HEADER.search(head.group()):
        return {}
    message = email.message_from_bytes(text.encode("utf-8", "surrogatepass"))
    texts: dict[str, str] = {}
    for number, part in enumerate(message.walk()):
        for name in _SHOWN_HEADERS:
            if name in part:
                texts[name.lower() if number == 0 else f"part{number}.{name.lower()}"] = _header(part, name)
        if (file := part.get_filename()) is not None:
            texts[f"part{number}.filename"] = file
        if (content := _content(part)) is not None:
            texts[f"part{number}"] = content
    return texts


def _header(part: Message, name: str) -> str:
    written = " ".join(str(part[name]).split())
    try:
        return str(email.header.make_header(email.header.decode_header(written)))
    except (email.errors.HeaderParseError, LookupError, UnicodeDecodeError, binascii.Error):
        return written


def _content(part: Message) -> str | None:
    """The text of a part that holds one, None otherwise."""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return None
    if part.get_content_maintype() != "text":
        return _readable(payload)
    is_encoded = str(part.get("Content-Transfer-Encoding", "")).strip().lower() in ("base64", "quoted-printable")
    # What isn't encoded was text before, whatever the charset that the message names.
    charset = (part.get_content_charset() or "utf-8") if is_encoded else "utf-8"
    try:
        return payload.decode(charset)
    except (LookupError, UnicodeDecodeError):
        return _readable(payload) or payload.decode("utf-8", errors="replace")


def _readable(raw: bytes) -> str | None:
    """The text that `raw` is in UTF-8, UTF-16 with its mark or Windows-1252; None when it is none that people read."""
    is_wide = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = raw.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
        # Any bytes are text in Windows-1252: only what is plain for the most part was meant so.
        if sum(letter.isascii() and (letter.isalpha() or letter.isspace()) for letter in text) < 0.8 * len(text):
            return None
    if not any(letter.isspace() for letter in text):
        return text if text.isascii() and decoded_base64(text) is not None else None  # encoded twice
    return text if all(c.isprintable() or c.isspace() or ord(c) in _SIGNS for c in text) else None


_SIGNS = frozenset((0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF))
"""Invisible signs that stand in texts all the same."""
