"""Waymark for Python: the generated client, with what every program needs around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from waymark_client import AuthenticatedClient
from waymark_client.types import Response

__all__ = ["WaymarkError", "connect", "data_of", "items"]

T = TypeVar("T")


class WaymarkError(Exception):
    """A refusal of the server. `error` is its name, `details` has the fields that are wrong."""

    def __init__(self, status: int, error: str, message: str, details: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.status = status
        self.error = error
        self.details = details


def connect(url: str, token: str, **options: Any) -> AuthenticatedClient:
    """A client of the server at `url`. An unknown field is an error. `options` are those of AuthenticatedClient."""
    headers = {"Prefer": "handling=strict", **options.pop("headers", {})}
    return AuthenticatedClient(base_url=url.rstrip("/"), token=token, headers=headers, **options)


def data_of(response: Response[Any]) -> Any:
    """`data` of a detailed response, or its text. Raises WaymarkError if the server refused the request."""
    if response.status_code < 400:
        return getattr(response.parsed, "data", response.parsed)
    refusal = response.parsed.to_dict() if hasattr(response.parsed, "to_dict") else {}
    raise WaymarkError(
        int(response.status_code),
        str(refusal.get("error", "Error")),
        str(refusal.get("message", f"The server answered {int(response.status_code)}.")),
        list(refusal.get("details", [])),
    )


def items(list_page: Callable[..., Response[Any]], client: AuthenticatedClient, **query: Any) -> Iterator[Any]:
    """
    Everything in a list that has cursors, page after page: none is missing or twice while others are made.
    `list_page` is `sync_detailed` of the list's module.
    """
    cursor: str | None = ""
    while cursor is not None:
        response = list_page(client=client, cursor=cursor, **query)
        yield from data_of(response)
        cursor = getattr(response.parsed, "next_cursor", None)
