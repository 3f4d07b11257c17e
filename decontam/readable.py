"""A readable text is what a person would see of a stored string: encodings undone, markup dropped."""

from __future__ import annotations

import base64
import binascii
import email
import email.policy
import html
import re

_TAGS = (
    "a|abbr|address|article|aside|b|big|blockquote|body|br|button|caption|center|cite|code|col|colgroup|dd|del|details|"
    "div|dl|dt|em|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|img|input|ins|label|li|link|main|mark|"
    "meta|nav|ol|option|p|pre|q|s|section|select|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|"
    "time|title|tr|u|ul|[a-z]+:[a-z-]+"
)
# Only known tags: "<contact_id>" in a request is a placeholder that people read.
_TAG = re.compile(rf"</?({_TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_UNSEEN = re.compile(r"<(script|style)\b[^>]*>.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_INLINE = frozenset("a abbr b big cite code del em font i ins mark q s small span strike strong sub sup u".split())
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_DATA_URL = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.-]+)*;base64,")
_HEADERS = re.compile(r"(?:[A-Za-z][A-Za-z0-9-]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*)+\r?\n")

# A note that merely begins "Subject: ..." is read as it stands.
_MAIL_HEADER = re.compile(
    r"^(?:MIME-Version|Content-Type|Content-Transfer-Encoding|Message-ID):", re.IGNORECASE | re.MULTILINE
)


def without_markup(text: str) -> str:
    """`text` without HTML tags, comments, scripts and entities; a block tag separates words, an inline tag doesn't."""
    if "<" in text:
        seen = _CDATA.sub(r"\1", _UNSEEN.sub(" ", text))
        text = _TAG.sub(lambda tag: "" if tag.group(1).lower() in _INLINE else "\n", seen)
    return html.unescape(text) if "&" in text else text


def decoded_base64(text: str) -> str | None:
    """The text inside base64 or base64url (wrapped in lines or not), None when there is none."""
    if text.startswith("data:"):
        text = _DATA_URL.sub("", text, count=1)
    if "@" in text or "." in text:  # addresses, the most frequent long strings without blanks
        return None
    compact = "".join(text.split())
    if not _BASE64.fullmatch(compact):
        return None
    standard = compact.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        decoded = base64.b64decode(standard + "=" * (-len(standard) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    readable = any(letter.isspace() for letter in decoded) and all(c.isprintable() or c.isspace() for c in decoded)
    return decoded if readable else None


def mail_texts(text: str) -> dict[str, str]:
    """Subject and text parts of an RFC 5322 message by their name; empty when `text` is no such message."""
    head = _HEADERS.match(text)
    if head is None or not _MAIL_HEADER.search(head.group()):
        return {}
    message = email.message_from_string(text, policy=email.policy.default)
    texts = {"subject": str(message.get("Subject", ""))}
    for number, part in enumerate(message.walk()):
        payload = part.get_payload(decode=True)
        if part.get_content_maintype() == "text" and isinstance(payload, bytes):
            texts[f"part{number}"] = _as_text(payload, part.get_content_charset() or "utf-8")
    return texts


def _as_text(payload: bytes, charset: str) -> str:
    try:
        return payload.decode(charset, errors="replace")
    except LookupError:  # a charset that nobody knows
        return payload.decode("utf-8", errors="replace")
