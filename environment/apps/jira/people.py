"""Endpoints of users, and how others find and name them."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field

from environment.apps.jira.entry import known_issue, known_project, page_of, site
from environment.apps.jira.rows import User, account_id
from environment.apps.kit import AppError, Args, Call, Route


class NoArgs(Args):
    """Nothing to say."""


class OneUser(Args):
    accountId: str = Field(description="Account id")


class SearchUsers(Args):
    query: str | None = Field(None, description="Start of a word of the name, or of the e-mail address")
    accountId: str | None = Field(None, description="Account id")
    startAt: int = Field(0, description="Users to skip")
    maxResults: int = Field(50, description="Users to return, at most 1000")


class AssignableUsers(SearchUsers):
    project: str | None = Field(None, description="Key or id of the project")
    issueKey: str | None = Field(None, description="Key of the issue")


class AllUsers(Args):
    startAt: int = Field(0, description="Users to skip")
    maxResults: int = Field(50, description="Users to return, at most 1000")


def me(call: Call) -> User:
    """Whom the agent acts as: the user with the actor's e-mail address, else one that stands in no row."""
    email = call.actor["email"]
    for user in call.tables.all(User):
        if user.emailAddress.lower() == email.lower():
            return user
    return User(accountId=account_id(0), displayName=call.actor["name"], emailAddress=email)


def find_user(call: Call, key: str) -> User | None:
    found = call.tables.find(User, key)
    return me(call) if found is None and key == account_id(0) else found


def user_view(root: str, user: User) -> dict[str, Any]:
    return {
        "self": f"{root}/user?accountId={user.accountId}",
        "accountId": user.accountId,
        "accountType": "atlassian",
        "emailAddress": user.emailAddress,
        "displayName": user.displayName,
        "active": user.active,
        "timeZone": user.timeZone,
    }


def matches(user: User, query: str) -> bool:
    """Whether each word of the query starts a word of the user's name, or all of it the e-mail address."""
    wanted = query.casefold().split()
    words = re.split(r"[\s.'-]+", user.displayName.casefold())
    named = all(any(word.startswith(want) for word in words) for want in wanted)
    return named or user.emailAddress.casefold().startswith(query.strip().casefold())


def myself(call: Call, args: NoArgs) -> dict[str, Any]:
    """Get the user that you are."""
    return {**user_view(site(call), me(call)), "locale": "en_GB"}


def get_user(call: Call, args: OneUser) -> dict[str, Any]:
    """Get a user by account id."""
    return user_view(site(call), known_user(call, args.accountId))


def search_users(call: Call, args: SearchUsers) -> list[dict[str, Any]]:
    """Find users by name or e-mail address."""
    if args.query is None and args.accountId is None:
        raise AppError(400, "Either the 'query', 'accountId' or 'property' query parameter must be provided.")
    return _found(call, args, call.tables.all(User))


def assignable_users(call: Call, args: AssignableUsers) -> list[dict[str, Any]]:
    """Find users that issues of a project can be assigned to."""
    if args.project is None and args.issueKey is None:
        raise AppError(400, "Either the 'project' or the 'issueKey' query parameter must be provided.")
    if args.issueKey is not None:
        known_issue(call, args.issueKey)
    if args.project is not None:
        known_project(call, args.project)
    return _found(call, args, [user for user in call.tables.all(User) if user.active])


def all_users(call: Call, args: AllUsers) -> list[dict[str, Any]]:
    """List all users."""
    return [user_view(site(call), user) for user in page_of(call.tables.all(User), args.startAt, args.maxResults, 1000)]


def known_user(call: Call, key: str) -> User:
    """The user. Raises 404 for an unknown account id."""
    user = find_user(call, key)
    if user is None:
        raise AppError(404, f"The user with account id '{key[:80]}' does not exist or you do not have permission.")
    return user


def _found(call: Call, args: SearchUsers, users: list[User]) -> list[dict[str, Any]]:
    if args.accountId is not None:
        users = [user for user in users if user.accountId == args.accountId]
    if args.query is not None:
        users = [user for user in users if matches(user, args.query)]
    return [user_view(site(call), user) for user in page_of(users, args.startAt, args.maxResults, 1000)]


ROUTES = (
    Route("myself", "GET", "/myself", "read", NoArgs, myself, as_action=False, keywords="current user who am I"),
    Route("get_user", "GET", "/user", "read", OneUser, get_user, as_action=False),
    Route("search_users", "GET", "/user/search", "read", SearchUsers, search_users, as_action=False),
    Route(
        "search_assignable_users",
        "GET",
        "/user/assignable/search",
        "read",
        AssignableUsers,
        assignable_users,
        as_action=False,
    ),
    Route("list_users", "GET", "/users/search", "read", AllUsers, all_users, as_action=False),
)
