"""Raw RFC 2822 text: what a mail is sent as, in base64url."""

from __future__ import annotations

import base64
import binascii
import html
import re
from dataclasses import dataclass
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header
from email.message import Message as Part

from environment.apps.kit import AppError

MAX_RECIPIENTS = 500


@dataclass(frozen=True, slots=True)
class Mime:
    """What of a raw text a mailbox keeps."""

    to: tuple[str, ...]
    cc: tuple[str, ...]
    bcc: tuple[str, ...]
    subject: str
    body: str
    in_reply_to: str
    references: tuple[str, ...]
    attachments: tuple[str, ...]


def encode(text: str) -> str:
    """base64url of UTF-8, the way the API writes and takes it."""
    return base64.urlsafe_b64encode(text.encode("utf-8", "replace")).decode()


def decode(data: str) -> bytes:
    """The bytes of base64url (plain base64 is taken too), padded or not."""
    plain = re.sub(r"\s", "", data).rstrip("=").replace("+", "-").replace("/", "_")
    try:
        if re.search(r"[^A-Za-z0-9_-]", plain):
            raise binascii.Error
        return base64.urlsafe_b64decode(plain + "=" * (-len(plain) % 4))
    except binascii.Error:
        raise AppError(400, "Invalid value at 'message.raw' (TYPE_BYTES), Base64 decoding failed") from None


def parse_raw(raw: str | None) -> Mime:
    """The parts of a raw text. Raises AppError 400 for what is no mail and for invalid addresses."""
    if not raw:
        raise AppError(400, "'raw' RFC822 payload message string or uploading message via /upload/* URL required")
    try:
        mail = message_from_bytes(decode(raw))
        bodies = list(mail.walk())
    except RecursionError:
        raise AppError(400, "Invalid message: its parts are nested too deep") from None
    plain, formatted, names = None, None, []
    for part in bodies:
        name = part.get_filename()
        if name is not None:
            names.append(_header(name))
        elif part.get_content_type() == "text/plain" and plain is None:
            plain = _text(part)
        elif part.get_content_type() == "text/html" and formatted is None:
            formatted = strip_html(_text(part))
    body = plain if plain is not None else formatted or ""
    mime = Mime(
        to=_recipients(mail, "To"),
        cc=_recipients(mail, "Cc"),
        bcc=_recipients(mail, "Bcc"),
        subject=" ".join(_header(_first(mail, "subject")).split()),
        body=body.replace("\r\n", "\n").replace("\r", "\n").strip("\n"),
        in_reply_to=_header(_first(mail, "in-reply-to")).strip(),
        references=tuple(_header(_first(mail, "references")).split()),
        attachments=tuple(names),
    )
    if len(mime.to) + len(mime.cc) + len(mime.bcc) > MAX_RECIPIENTS:
        raise AppError(400, f"Too many recipients: at most {MAX_RECIPIENTS}")
    return mime


def write_raw(to: str, subject: str, body: str, cc: str = "", in_reply_to: str = "", references: str = "") -> str:
    """A plain-text mail as raw base64url; line breaks in a header become blanks."""
    headers = {"To": to, "Cc": cc, "Subject": subject, "In-Reply-To": in_reply_to, "References": references}
    lines = [f"{name}: {_header_text(value)}" for name, value in headers.items() if value]
    kind = ["MIME-Version: 1.0", 'Content-Type: text/plain; charset="UTF-8"', "Content-Transfer-Encoding: 8bit"]
    return encode("\r\n".join([*lines, *kind, "", body]))


def strip_html(text: str) -> str:
    """The text that a browser would show, roughly: a line per block, no tags."""
    text = re.sub(r"<(script|style|head)\b[^>]*>.*?</\1\s*>", "", text, flags=re.IGNORECASE | re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"<(?:br|/p|/div|/tr|/li|/h[1-6])\b[^>]*>", "\n", text, flags=re.IGNORECASE)
    text = html.unescape(re.sub(r"<[^>]*>", "", text))
    return "\n".join(line.strip() for line in text.split("\n")).strip()


_ADDRESS = re.compile(
    r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}"
)


def _recipients(mail: Part, name: str) -> tuple[str, ...]:
    """Addresses of a header in lower case, each once."""
    found: dict[str, None] = {}
    for value in _raw_values(mail, name.lower()):
        for piece in re.findall(r'(?:"[^"]*"|[^",]|")+', _header(value)):
            if piece.strip():
                found[_address(piece.strip(), name)] = None
    return tuple(found)


def _address(text: str, name: str) -> str:
    bracketed = re.fullmatch(r"[^<>]*<\s*([^<>\s]*)\s*>", text)
    address = (bracketed[1] if bracketed else text).lower()
    if len(address) > 254 or not _ADDRESS.fullmatch(address):
        raise AppError(400, f"Invalid {name} header")
    return address


def _raw_values(mail: Part, name: str) -> list[str]:
    """Undecoded values: the parser's own decoding loses UTF-8 that was written without encoded words."""
    return [value for key, value in mail.raw_items() if key.lower() == name]


def _first(mail: Part, name: str) -> str:
    return next(iter(_raw_values(mail, name)), "")


def _header(value: str) -> str:
    """A header's text with encoded words decoded."""
    text = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if "=?" not in text:
        return text
    try:
        parts = decode_header(text)
    except MessageError:
        return text
    return "".join(_decoded(part, charset) if isinstance(part, bytes) else part for part, charset in parts)


def _text(part: Part) -> str:
    payload = part.get_payload(decode=True)
    return _decoded(payload, part.get_content_charset()) if isinstance(payload, bytes) else ""


def _decoded(data: bytes, charset: str | None) -> str:
    if charset in ("us-ascii", "ascii"):
        charset = "utf-8"
    try:
        return data.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")


def _header_text(value: str) -> str:
    line = " ".join(value.split())
    return line if line.isascii() else f"=?utf-8?B?{base64.b64encode(line.encode('utf-8', 'replace')).decode()}?="
