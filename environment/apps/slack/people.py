"""The methods about people and files: users.*, auth.test and files.*."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from environment.apps.kit import Args, Call
from environment.apps.slack.method import method
from environment.apps.slack.rows import File, User
from environment.apps.slack.views import file_view, user_view
from environment.apps.slack.workspace import TEAM_ID, acting_user, page, paged, refuse, user_of


class NoArgs(Args):
    pass


class UsersArgs(Args):
    limit: int | None = Field(None, description="Users a page, at most 1000; 1000 by default")
    cursor: str | None = Field(None, description="next_cursor of the page before")
    include_locale: bool = Field(False, description="Ignored here")
    team_id: str | None = Field(None, description="Ignored here")


class UserArgs(Args):
    user: str = Field(description="ID of the user")
    include_locale: bool = Field(False, description="Ignored here")


class EmailArgs(Args):
    email: str = Field(description="E-mail address of the user")


class FilesArgs(Args):
    channel: str | None = Field(None, description="Only files shared in this channel")
    user: str | None = Field(None, description="Only files of this user")
    types: str = Field("all", description="File types, separated by commas; all by default")
    count: int = Field(100, description="Files a page, at most 1000")
    page: int = Field(1, description="Number of the page")


class FileArgs(Args):
    file: str = Field(description="ID of the file")


def test_auth(call: Call, args: NoArgs) -> Any:
    """Checks authentication & identity."""
    me = acting_user(call)
    company = call.actor.get("company", "acme")
    return {
        "ok": True,
        "url": "https://acme.slack.com/",
        "team": company,
        "user": me.name,
        "team_id": TEAM_ID,
        "user_id": me.id,
    }


def list_users(call: Call, args: UsersArgs) -> Any:
    """Lists all users in a Slack team."""
    shown, cursor = page(call.tables.all(User), args.limit, args.cursor, 1000)
    return {
        "ok": True,
        "members": [user_view(user) for user in shown],
        "cache_ts": int(call.now.timestamp()),
        **paged(cursor),
    }


def get_user(call: Call, args: UserArgs) -> Any:
    """Gets information about a user."""
    return {"ok": True, "user": user_view(user_of(call, args.user))}


def find_user_by_email(call: Call, args: EmailArgs) -> Any:
    """Find a user with an email address."""
    wanted = args.email.strip().lower()
    for user in call.tables.all(User):
        if (user.email or "").lower() == wanted and wanted and not user.deleted:
            return {"ok": True, "user": user_view(user)}
    return refuse("users_not_found")


def list_files(call: Call, args: FilesArgs) -> Any:
    """List for a team, in a channel, or from a user with applied filters."""
    kinds = {kind.strip() for kind in args.types.split(",")}
    found = [
        file
        for file in call.tables.all(File)
        if (args.channel is None or args.channel in file.channels)
        and (args.user is None or file.user == args.user)
        and ("all" in kinds or file.filetype in kinds)
    ]
    size, number = min(max(args.count, 1), 1000), min(max(args.page, 1), 1_000_000)
    pages = max(1, -(-len(found) // size))
    shown = found[(number - 1) * size : number * size]
    paging = {"count": size, "total": len(found), "page": number, "pages": pages}
    return {"ok": True, "files": [file_view(file) for file in shown], "paging": paging}


def get_file(call: Call, args: FileArgs) -> Any:
    """Gets information about a file."""
    return {"ok": True, "file": file_view(call.tables.find(File, args.file) or refuse("file_not_found"))}


ROUTES = (
    method("test_auth", "auth.test", "read", NoArgs, test_auth, "who am I"),
    method("list_users", "users.list", "read", UsersArgs, list_users, "people members"),
    method("get_user", "users.info", "read", UserArgs, get_user, "person profile"),
    method("find_user_by_email", "users.lookupByEmail", "read", EmailArgs, find_user_by_email, "person"),
    method("list_files", "files.list", "read", FilesArgs, list_files),
    method("get_file", "files.info", "read", FileArgs, get_file),
)
