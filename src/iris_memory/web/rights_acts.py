"""The acts of the data-rights desk as pages offer them: when, with which words, and what each one asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from iris_memory.contracts.rights import (
    REASON_MOST,
    DenialGround,
    DeskRow,
    RightsKind,
    RightsRefused,
    RightsRequest,
    RightsState,
    VerificationMethod,
)
from iris_memory.front.rights import RightsDesk
from iris_memory.web.choices import Filled

_S = RightsState
Outcome = RightsRequest | RightsRefused
Run = Callable[[RightsDesk, str, str, Mapping[str, Any]], Outcome]

GROUNDS: Final = {ground.value: ground.value.replace("-", " ").capitalize() for ground in DenialGround}
_METHODS: Final = {
    VerificationMethod.OPERATOR_SIGNOFF.value: "I looked at who asks",
    VerificationMethod.COURT_ORDER.value: "A court ordered it",
}
_DECISIONS: Final = {
    "overturned": "Overturn it: the request is taken up again",
    "upheld": "Uphold it: it fails for good",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an act's form."""

    name: str
    label: str
    kind: str
    """`area`, `input`, `date`, `select`, `radios` or `tick`."""

    missing: str = ""
    """What is said where it is left out; empty where it may be."""

    hint: str = ""
    most: int = REASON_MOST
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Act:
    """One act: `reach` says before it what will happen, `done` after it what did."""

    name: str
    verb: str
    reach: tuple[str, ...]
    done: str
    run: Run
    states: frozenset[RightsState]
    fields: tuple[Field, ...] = ()
    decides: bool = False
    """Ends or changes something for good: it takes a deciding role and a fresh sign-in."""

    destroys: bool = False
    on_hold: bool | None = None
    kinds: frozenset[RightsKind] = frozenset(RightsKind)

    by_kind: Mapping[RightsKind, tuple[str, str]] = field(default_factory=dict)
    """Where the act does another thing for each kind of request: its verb, and what happens first."""

    def verb_for(self, row: DeskRow) -> str:
        """Return the words of the button for a request."""
        return self.by_kind[row.kind][0] if row.kind in self.by_kind else self.verb

    def reach_for(self, row: DeskRow) -> tuple[str, ...]:
        """Return what will happen to a request."""
        return (self.by_kind[row.kind][1], *self.reach) if row.kind in self.by_kind else self.reach

    def destroys_for(self, row: DeskRow) -> bool:
        """Say whether something is gone afterwards."""
        return self.destroys and row.kind is RightsKind.DELETE

    def is_offered(self, row: DeskRow) -> bool:
        """Say whether a request stands where this can be done. The rules have the last word when it is."""
        fits_hold = self.on_hold is None or self.on_hold == row.on_hold
        is_there = row.person_erased_at is None
        return row.state in self.states and row.kind in self.kinds and fits_hold and is_there

    def read(self, form: Filled, now: datetime) -> dict[str, Any]:
        """Return what the form wishes; mistakes are noted in it."""
        return {asked.name: _read(form, asked, now) for asked in self.fields}


def _read(form: Filled, asked: Field, now: datetime) -> Any:
    given = form.typed.get(asked.name, "").strip()
    if not given and not asked.missing:
        return False if asked.kind == "tick" else None
    if asked.kind == "date":
        return form.day(asked.name, missing=asked.missing or "Write the day as year, month, day.", after=now)
    if asked.kind in {"select", "radios"}:
        if given not in asked.choices:
            form.mistakes[asked.name] = asked.missing
        return given
    if asked.kind == "tick":
        return form.is_ticked(asked.name, missing=asked.missing)
    return form.text(asked.name, most=asked.most, missing=asked.missing)


_REASON: Final = Field("reason", "Reason", "area", "Write the reason. The person is told it.", "The person is told it.")
_LAW: Final = Field(
    "legal_reference",
    "Law behind it",
    "input",
    "Name the article or section, such as GDPR Art. 12(5).",
    "The article or section, such as GDPR Art. 12(5). The person is told it.",
    most=200,
)

_K = RightsKind
_FULFILMENTS: Final = {
    _K.ACCESS: (
        "Make the answer",
        "Everything that is held of the person is put together for them to read. Memory stays as it is.",
    ),
    _K.EXPORT: ("Make the export", "A file of what is held is made for the person. Memory stays as it is."),
    _K.DELETE: (
        "Forget what was named",
        "Whatever lies in the scopes or categories that the person named is forgotten: its keys are destroyed and"
        " nothing brings it back. A deletion with a grace sets aside now, and destroys when the grace is over.",
    ),
    _K.RECTIFY: ("Correct the memory", "The memory says what the person wrote from now on."),
    _K.RESTRICT: ("Set it aside", "What the person named stays stored and is used no more."),
    _K.OBJECT: ("Stop the processing", "The purposes that the person named stop at once."),
    _K.WITHDRAW_CONSENT: ("Take the consents back", "The consents end, with everything that rests on them."),
}

_ACTS: Final = (
    Act(
        "sign-off",
        "Record who asks",
        ("A proof of who asks is added to the request. With proof enough it counts as verified.", "It names you."),
        "Your proof was recorded.",
        lambda desk, request_id, actor, wish: desk.sign_off(
            request_id, wish["method"], actor=actor, declared=wish["declared"]
        ),
        frozenset({_S.SUBMITTED}),
        (
            Field("method", "How it is known who asks", "radios", "Choose how it is known.", choices=_METHODS),
            Field("declared", "The person also gave a signed declaration", "tick"),
        ),
        decides=True,
    ),
    Act(
        "start",
        "Take it up",
        ("The request is in progress from now on, and its trail names you.",),
        "The request is in progress.",
        lambda desk, request_id, actor, wish: desk.start(request_id, actor=actor),
        frozenset({_S.VERIFIED}),
        on_hold=False,
    ),
    Act(
        "extend",
        "Move the deadline",
        ("The deadline moves once, as far as the law allows, and not after it has passed.", "The person is told why."),
        "The deadline was moved, and the person told.",
        lambda desk, request_id, actor, wish: desk.extend(request_id, actor=actor, reason=wish["reason"]),
        frozenset({_S.SUBMITTED, _S.VERIFIED, _S.IN_PROGRESS, _S.APPEALED}),
        (_REASON,),
    ),
    Act(
        "hold",
        "Put it on hold",
        ("The request waits. Its deadline stays where it is.", "The person is told why."),
        "The request is on hold.",
        lambda desk, request_id, actor, wish: desk.hold(
            request_id, actor=actor, reason=wish["reason"], until=wish["until"]
        ),
        frozenset({_S.SUBMITTED, _S.VERIFIED, _S.IN_PROGRESS}),
        (
            _REASON,
            Field(
                "until",
                "Wait until (may stay empty)",
                "date",
                hint="A verified request that waits in vain closes after this day.",
            ),
        ),
        on_hold=False,
    ),
    Act(
        "resume",
        "Go on with it",
        ("The hold ends and the request goes on.",),
        "The hold ended.",
        lambda desk, request_id, actor, wish: desk.resume(request_id, actor=actor),
        frozenset({_S.SUBMITTED, _S.VERIFIED, _S.IN_PROGRESS}),
        on_hold=True,
    ),
    Act(
        "fulfil",
        "Carry it out",
        (
            "It cannot be taken back here; the person can appeal.",
            "What a legal hold in force covers is not destroyed, and the person is told that a part stays.",
            "Your id stands in the trail of the request.",
        ),
        "The request was carried out.",
        lambda desk, request_id, actor, wish: desk.fulfil(request_id, actor=actor),
        frozenset({_S.VERIFIED, _S.IN_PROGRESS}),
        (Field("sure", "I read what will be reached", "tick", "Tick this when you have read what will be reached."),),
        decides=True,
        destroys=True,
        on_hold=False,
        by_kind=_FULFILMENTS,
    ),
    Act(
        "complete",
        "Record that it was done elsewhere",
        ("The request is completed. A deletion or an export needs the fingerprint of what went or was given.",),
        "The request is completed.",
        lambda desk, request_id, actor, wish: desk.complete(
            request_id, actor=actor, result_fingerprint=wish["fingerprint"]
        ),
        frozenset({_S.IN_PROGRESS}),
        (
            Field(
                "fingerprint",
                "Fingerprint (may stay empty)",
                "input",
                hint="32 to 128 hexadecimal digits: the digest of the file that was given, or of the ids that went.",
                most=128,
            ),
        ),
        decides=True,
        on_hold=False,
    ),
    Act(
        "deny",
        "Deny it",
        (
            "The request fails. Nothing of the person's memory is changed.",
            "The person is told the ground, the law, and that they can appeal and complain.",
            "If they appeal, somebody else than you decides.",
        ),
        "The request was denied, and the person told.",
        lambda desk, request_id, actor, wish: desk.deny(
            request_id, actor=actor, ground=wish["ground"], legal_reference=wish["legal_reference"]
        ),
        frozenset({_S.VERIFIED, _S.IN_PROGRESS}),
        (Field("ground", "Ground", "select", "Choose the ground.", choices=GROUNDS), _LAW),
        decides=True,
    ),
    Act(
        "fail",
        "Record that it could not be done",
        ("The request ends without being granted, although nobody denied it.", "The person is told why."),
        "It was recorded that the request could not be carried out.",
        lambda desk, request_id, actor, wish: desk.fail(request_id, actor=actor, reason=wish["reason"]),
        frozenset({_S.IN_PROGRESS}),
        (_REASON,),
        decides=True,
    ),
    Act(
        "appeal",
        "Decide the appeal",
        (
            "Overturned, the request is taken up again. Upheld, it fails for good.",
            "Whoever decided before cannot decide the appeal.",
            "The person is told the outcome and the reason.",
        ),
        "The appeal was decided, and the person told.",
        lambda desk, request_id, actor, wish: desk.decide_appeal(
            request_id, actor=actor, overturned=wish["decision"] == "overturned", reason=wish["reason"]
        ),
        frozenset({_S.APPEALED}),
        (Field("decision", "Decision", "radios", "Choose the decision.", choices=_DECISIONS), _REASON),
        decides=True,
    ),
)

ACTS: Final[Mapping[str, Act]] = MappingProxyType({act.name: act for act in _ACTS})
