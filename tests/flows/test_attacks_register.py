"""DSR-9: every kind of record either joins the withdrawal's cascade, or stands here with the reason why it need not."""

from __future__ import annotations

from iris_memory.flows.register import CASCADES, OF_TENANT
from iris_memory.ports.rows import RecordKind

EXEMPT = {
    RecordKind.CONSENT: "the ledger stays: it is the proof of the withdrawal",
    RecordKind.PAUSE: "a session and an instant",
    RecordKind.OPERATOR_NOTE: "an operator's own, under the operator's consents",
    RecordKind.OPERATOR_NOTE_USE: "instants",
    RecordKind.IDEMPOTENCY: "ids and codes; what was forgotten is answered as forgotten",
    RecordKind.FORGOTTEN: "keyed tags that keep words away",
    RecordKind.IMPORT: "keyed tags that keep rows away",
    RecordKind.SETTING: "opt-outs",
    RecordKind.DECIDED: "a count and a fingerprint",
    RecordKind.RECALL: "ids of what surfaced; `intend` takes out those that go",
    RecordKind.RIGHTS: "the person's own requests; their words go when a request is over",
    RecordKind.RIGHTS_CHALLENGE: "keyed digests of secrets",
    RecordKind.LEGAL_HOLD: "what a court asked to keep is no matter of consent",
    RecordKind.SHADOW: "kinds, counts and keyed digests of what guards saw",
    RecordKind.WRITE_BUDGET: "counts under keyed tags",
    RecordKind.MENTION: "handles under keyed tags, without a word about anybody; they go when they are forgotten",
    RecordKind.INSPECTION_READ: "who looked, when and why: the person's protection",
    RecordKind.USER_NOTICE: "what the person is to be told",
    RecordKind.DEVICE: "instants and platforms",
    RecordKind.DEVICE_NAME: "names of devices",
    RecordKind.DEVICE_NOTICE: "ids; the hook of continuations takes along those of places that go",
    RecordKind.TURN: "references without words",
    RecordKind.BRIDGE_SESSION: "instants and places",
    RecordKind.EXPORT_PART: "goes with its export, under one key",
}


def test_every_kind_joins_the_cascade_or_says_why_not() -> None:
    of_person = set(RecordKind) - OF_TENANT
    assert set(CASCADES) | set(EXEMPT) >= of_person, (
        "a new kind joins `register.CASCADES`, or stands here with a reason"
    )
    assert set(CASCADES) | set(EXEMPT) <= of_person
    assert not set(CASCADES) & set(EXEMPT)
    assert all(EXEMPT.values())
