"""Answers of a model: the pseudonyms of one request turned back, in an answer as a whole and while it is written.

Laws:

* however a model cuts its text into deltas, what the client puts together is what it gets from the whole;
* a text that is JSON itself (the arguments of a tool call, an answer in a JSON format) stays JSON: what is put into it
  is escaped as in a JSON string;
* what could still become a pseudonym is held back, and given out with the end of its text at the latest, as a delta of
  the same kind; then the numbers of later events move up.

It reads the chunks of `/v1/chat/completions` and `/v1/completions` and the events of `/v1/responses`; in anything else
every text is taken as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.pseudonyms import Exchange
from iris_memory.masking.render import unmasked
from iris_memory.masking.streaming import UnmaskStream

ARGUMENTS: Final = frozenset({"arguments", "args"})
"""Entries whose text is JSON."""

_PARTS: Final = frozenset({"content", "refusal", "reasoning", "reasoning_content", "arguments", "input", "text"})
"""Entries of a chunk that are a part of a text, not a text."""

_DELTA: Final = ".delta"
_PLACE: Final = ("item_id", "output_index", "content_index", "summary_index")
_OVER: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_JSON_TEXTS: Final = frozenset({"content", "text", "response.output_text"})
"""Where the text of an answer stands that was asked for in JSON."""

_ARGUMENT_EVENTS: Final = frozenset({"response.function_call_arguments", "response.mcp_call_arguments"})

Key = tuple[Any, ...]


class QuotedExchange(Exchange):
    """An exchange whose texts are put into a JSON string."""

    __slots__ = ("_inner",)

    def __init__(self, inner: Exchange) -> None:
        """Take the exchange that issued the pseudonyms."""
        super().__init__(inner.pseudonyms)
        self._inner = inner

    def vocabulary(self) -> dict[str, str | None]:
        """Return what the inner one may have to turn back."""
        return self._inner.vocabulary()

    def turned_back(self, token: str, *, grants: frozenset[PiiKind]) -> str:
        """Return what a word is turned back into, escaped."""
        return json.dumps(self._inner.turned_back(token, grants=grants), ensure_ascii=False)[1:-1]


class Answers:
    """Turns back the pseudonyms of one request, for the kinds granted to whoever made it."""

    def __init__(self, exchange: Exchange, *, kinds: frozenset[PiiKind], as_json: bool = False) -> None:
        """Take what was issued. `as_json` says that the request asked for answers in JSON."""
        self._plain = exchange
        self._quoted = QuotedExchange(exchange)
        self._kinds = kinds
        self._as_json = as_json

    @property
    def has_any(self) -> bool:
        """Whether there is anything to turn back."""
        return bool(self._plain.vocabulary())

    def whole(self, value: Any, *, name: str = "") -> Any:
        """Return an answer, or a part of one that stands under a name, with its pseudonyms turned back."""
        if isinstance(value, str):
            return self.text_of(value, name)
        if isinstance(value, Mapping):
            return {inner: self.whole(part, name=inner) for inner, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.whole(part, name=name) for part in value]
        return value

    def text(self, name: str) -> UnmaskStream:
        """Return what turns back one text that comes in parts, by the name that it stands under."""
        return UnmaskStream(exchange=self._exchange(name), grants=self._kinds)

    def text_of(self, text: str, name: str) -> str:
        """Return one text as a whole, by the name that it stands under."""
        return unmasked(text, exchange=self._exchange(name), grants=self._kinds)

    def _exchange(self, name: str) -> Exchange:
        quoted = name in ARGUMENTS or name in _ARGUMENT_EVENTS or (self._as_json and name in _JSON_TEXTS)
        return self._quoted if quoted else self._plain


class AnswerStream:
    """One answer that is written event by event."""

    def __init__(self, answers: Answers) -> None:
        """Take what turns pseudonyms back."""
        self._answers = answers
        self._texts: dict[Key, UnmaskStream] = {}
        self._chunk: dict[str, Any] = {}
        self._delta: dict[Key, dict[str, Any]] = {}
        self._added = 0

    def feed(self, event: Any) -> list[Any]:
        """Take an event and return those that go on: itself, and before it what was held back where it ends."""
        if not isinstance(event, Mapping):
            return [self._answers.whole(event)]
        if isinstance(event.get("choices"), list):
            return list(self._of_chunk(dict(event)))
        if isinstance(event.get("type"), str):
            return list(self._of_response(dict(event)))
        return [self._answers.whole(event)]

    def finish(self) -> list[Any]:
        """Return what is still held back, where an answer ended without saying so."""
        return [one for key in list(self._texts) for one in self._flushed(key)]

    # -- chunks ----------------------------------------------------------------------------------------------------

    def _of_chunk(self, chunk: dict[str, Any]) -> Iterator[Any]:
        self._chunk = {name: part for name, part in chunk.items() if name not in {"choices", "usage"}}
        choices = []
        for place, choice in enumerate(chunk["choices"]):
            if not isinstance(choice, Mapping):
                choices.append(choice)
                continue
            number = _index(choice, place)
            keys: list[Key] = []
            fed = self._fed(dict(choice), (number,), keys)
            ended = choice.get("finish_reason") is not None
            for key in [key for key in self._texts if key[0] == number]:
                # a text is over where another one of its choice goes on, or the choice is
                if (ended or keys) and key not in keys:
                    yield from self._flushed(key)
            if ended:
                # what this very chunk begins ends with it
                for key in keys:
                    held = self._texts.pop(key).finish() if key in self._texts else ""
                    _put(fed, key[1:], held)
            choices.append(fed)
        yield {
            **self._answers.whole({name: part for name, part in chunk.items() if name != "choices"}),
            "choices": choices,
        }

    def _fed(self, value: Any, key: Key, keys: list[Key]) -> Any:
        """Feed every part of a text in a choice to its stream, and take what is no part as a whole."""
        if isinstance(value, Mapping):
            return {name: self._fed(part, (*key, name), keys) for name, part in value.items()}
        if isinstance(value, list):
            return [self._fed(part, (*key, _index(part, place)), keys) for place, part in enumerate(value)]
        if not isinstance(value, str):
            return value
        if key[-1] not in _PARTS or "logprobs" in key:
            return self._answers.whole(value, name=str(key[-1]))
        if key not in self._texts:
            self._texts[key] = self._answers.text(str(key[-1]))
        if value:
            keys.append(key)
        return self._texts[key].feed(value)

    # -- events ----------------------------------------------------------------------------------------------------

    def _of_response(self, event: dict[str, Any]) -> Iterator[Any]:
        kind = event["type"]
        place = tuple(event.get(name) for name in _PLACE)
        if kind.endswith(_DELTA) and isinstance(event.get("delta"), str):
            key = ("event", kind.removesuffix(_DELTA), *place)
            if key not in self._texts:
                self._texts[key] = self._answers.text(str(key[1]))
            self._delta[key] = {name: part for name, part in event.items() if name not in {"logprobs", "obfuscation"}}
            yield self._numbered({**event, "delta": self._texts[key].feed(event["delta"])})
            return
        over = ("event", kind.removesuffix(".done"), *place)
        for key in [key for key in self._texts if key == over or kind in _OVER]:
            yield from self._flushed(key, before=event)
        yield self._numbered(self._answers.whole(event))

    def _numbered(self, event: dict[str, Any]) -> dict[str, Any]:
        """Move the number of an event up by what was put in before it."""
        number = event.get("sequence_number")
        return {**event, "sequence_number": number + self._added} if isinstance(number, int) else event

    # -- both ------------------------------------------------------------------------------------------------------

    def _flushed(self, key: Key, *, before: Mapping[str, Any] | None = None) -> Iterator[Any]:
        held = self._texts.pop(key).finish()
        if not held:
            return
        if key[0] == "event":
            last = self._delta[key]
            number = last.get("sequence_number")
            put = {**last, "delta": held}
            if isinstance(number, int):
                # it takes the number of the event that it comes before
                put["sequence_number"] = number + 1 if before is None else before.get("sequence_number", number + 1)
            yield self._numbered(put)
            self._added += 1
            return
        choice: dict[str, Any] = {"index": key[0], "finish_reason": None}
        _put(choice, key[1:], held)
        yield {**self._chunk, "choices": [choice]}


def _put(choice: dict[str, Any], path: Key, text: str) -> None:
    """Add a part of a text to a choice, at the path of its text; lists are addressed by the index of their parts."""
    at: Any = choice
    for step, following in pairwise(path):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(step, int):
            found = next((part for part in at if isinstance(part, dict) and part.get("index") == step), None)
            if found is None:
                found = {"index": step}
                at.append(found)
            at = found
        else:
            if at.get(step) is None:
                at[step] = empty
            at = at[step]
    if isinstance(at, dict):
        at[path[-1]] = (at.get(path[-1]) or "") + text


def _index(part: Any, place: int) -> int:
    index = part.get("index", place) if isinstance(part, Mapping) else place
    return index if isinstance(index, int) else place
