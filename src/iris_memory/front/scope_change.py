"""Moving a memory to another scope, as the library offers it."""

from __future__ import annotations

from iris_memory.contracts.scope import AdapterScope, Scope, ScopeKey
from iris_memory.errors import ContractError
from iris_memory.flows import change_scope
from iris_memory.flows.change_scope import ScopeChangeOutcome, ScopeWish
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.front.given import known_id, member


def move(
    instruments: Instruments,
    caller: Caller,
    logical_id: str,
    to: Scope,
    *,
    adapter_scope: AdapterScope | str | None,
    read_only_copy: bool,
    expected: str | None,
    session: str | None,
) -> ScopeChangeOutcome:
    """Move a memory, or copy it read-only.

    Raises:
        ContractError: the target is no scope, or the adapter scope does not fit it.
        UnknownMemoryError: the person has no such memory.
    """
    if not isinstance(to, ScopeKey):
        raise ContractError("scope is one of the scope keys, such as `NotebookScope`")
    wish = ScopeWish(
        logical_id=known_id(logical_id),
        target=to,
        adapter=member(AdapterScope, adapter_scope) if adapter_scope is not None else None,
        read_only=read_only_copy,
        expected=expected,
        session_id=session,
    )
    return change_scope.change_scope(instruments, caller, wish)
