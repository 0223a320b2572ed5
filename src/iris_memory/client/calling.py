"""Calling: a request is made of an operation and what it was given, sent, and its answer read by its contract."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property
from types import TracebackType
from typing import Any, Final, Generic, Self, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, TypeAdapter

from iris_memory.client.problems import error_of
from iris_memory.client.shape import UNSET

T = TypeVar("T")
_SECONDS: Final = 60.0
_FIRST_ERROR: Final = 300


@dataclass(frozen=True)
class Operation(Generic[T]):
    """One operation of the API: its method, the template of its address, and what it answers."""

    method: str
    path: str
    answer: Any

    @cached_property
    def adapter(self) -> TypeAdapter[T]:
        """Reads an answer."""
        return TypeAdapter(self.answer)

    def read(self, answer: httpx.Response) -> T:
        """Return what was answered.

        Raises:
            ProblemError: the service refused, or could not.
        """
        if answer.status_code >= _FIRST_ERROR:
            raise error_of(answer.status_code, answer.content, answer.headers)
        return self.adapter.validate_json(answer.content)


def request_of(
    operation: Operation[Any],
    *,
    path: Mapping[str, str | int],
    query: Mapping[str, Any],
    headers: Mapping[str, Any],
    body: BaseModel | bytes | Any,
) -> dict[str, Any]:
    """Return the arguments of a request; what was left out is not sent."""
    told: dict[str, Any] = {
        "method": operation.method,
        "url": operation.path.format(**{name: quote(str(value), safe="") for name, value in path.items()}),
        "params": {name: _written(value) for name, value in query.items() if value is not UNSET and value is not None},
        "headers": {
            name: _written(value) for name, value in headers.items() if value is not UNSET and value is not None
        },
    }
    if isinstance(body, bytes):
        told["content"] = body
        told["headers"]["Content-Type"] = "application/octet-stream"
    elif body is not None:
        told["content"] = (
            body.model_dump_json(exclude_unset=True, by_alias=True)
            if isinstance(body, BaseModel)
            else TypeAdapter(type(body)).dump_json(body)
        )
        told["headers"]["Content-Type"] = "application/json"
    return told


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    return [_written(each) for each in value] if isinstance(value, (tuple, list, frozenset, set)) else str(value)


def _authorised(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


class Calls:
    """Sends requests one after the other. Use it as a context manager, or close it."""

    def __init__(self, address: str, *, token: str | None = None, http: httpx.Client | None = None) -> None:
        """Take where the service is, the token to show, and an `httpx` client of one's own if it must be."""
        self._http = http or httpx.Client(timeout=_SECONDS)
        self._address = address.rstrip("/")
        self._headers = _authorised(token)

    def _call(
        self,
        operation: Operation[T],
        *,
        path: Mapping[str, str | int] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> T:
        told = self._request(operation, path=path or {}, query=query or {}, headers=headers or {}, body=body)
        return operation.read(self._http.send(told))

    def _stream(
        self,
        operation: Operation[bytes],
        *,
        path: Mapping[str, str | int] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> Iterator[bytes]:
        told = self._request(operation, path=path or {}, query=query or {}, headers=headers or {}, body=body)
        answer = self._http.send(told, stream=True)
        try:
            if answer.status_code >= _FIRST_ERROR:
                raise error_of(answer.status_code, answer.read(), answer.headers)
            yield from answer.iter_bytes()
        finally:
            answer.close()

    def _request(self, operation: Operation[Any], **given: Any) -> httpx.Request:
        told = request_of(operation, **given)
        return self._http.build_request(
            told.pop("method"), self._address + told.pop("url"), headers=self._headers | told.pop("headers"), **told
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


class AsyncCalls:
    """Sends requests from an event loop. Use it as a context manager, or close it."""

    def __init__(self, address: str, *, token: str | None = None, http: httpx.AsyncClient | None = None) -> None:
        """Take where the service is, the token to show, and an `httpx` client of one's own if it must be."""
        self._http = http or httpx.AsyncClient(timeout=_SECONDS)
        self._address = address.rstrip("/")
        self._headers = _authorised(token)

    async def _call(
        self,
        operation: Operation[T],
        *,
        path: Mapping[str, str | int] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> T:
        told = self._request(operation, path=path or {}, query=query or {}, headers=headers or {}, body=body)
        return operation.read(await self._http.send(told))

    async def _stream(
        self,
        operation: Operation[bytes],
        *,
        path: Mapping[str, str | int] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> AsyncIterator[bytes]:
        told = self._request(operation, path=path or {}, query=query or {}, headers=headers or {}, body=body)
        answer = await self._http.send(told, stream=True)
        try:
            if answer.status_code >= _FIRST_ERROR:
                raise error_of(answer.status_code, await answer.aread(), answer.headers)
            async for piece in answer.aiter_bytes():
                yield piece
        finally:
            await answer.aclose()

    def _request(self, operation: Operation[Any], **given: Any) -> httpx.Request:
        told = request_of(operation, **given)
        return self._http.build_request(
            told.pop("method"), self._address + told.pop("url"), headers=self._headers | told.pop("headers"), **told
        )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()
