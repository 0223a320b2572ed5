"""Multi-actor: other people are handles and never profiles, their details stay put, and they can be forgotten.

Looks at every way a mention comes in and goes out: one handle for every spelling, none shared by two people or users;
sensitive interactions by consent and context; nothing of anybody on the admin surface; and forgetting all mentions of
somebody, after which no name leads to the handle and no byte of the words is left.
"""

from __future__ import annotations

from itertools import product
from typing import Final

from iris_memory.contracts.category import Context, Surface
from iris_memory.contracts.write import ActorMention, Refused, Statement, Written
from iris_memory.errors import UnknownMemoryError
from iris_memory.evals.stage import BASE, TERMS, Stage, raises, stage
from iris_memory.evals.tally import Tally
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.masking.others import mask_others, redact_pii_from_text

SPELLINGS: Final = (
    ("Zoë Brüning", "zoë brüning", "ZOE BRUNING", "Brüning, Zoë", "Dr. Zoë Brüning", "Zoe\u0308  Bru\u0308ning"),
    ("Łukasz Nowak", "lukasz nowak", "Nowak, Łukasz", "Mr Łukasz Nowak"),
    ("Anne-Marie O'Neill", "anne marie o neill", "O'Neill, Anne-Marie", "ANNE-MARIE O\u2019NEILL"),
    ("सीता", "सीता"),
)
_DETAILS: Final = ("zoe@brown.example", "+49 170 1234567", "12 Baker Street", "Zoë Brüning")


def run(tally: Tally) -> str:
    """Run the suite."""
    with stage() as place:
        with place.open("first") as iris:
            _handles(tally, iris)
            _interactions(tally, iris)
            _surfaces(tally, iris)
            _offers(tally, iris)
        _forgetting(tally, place)
    _masking(tally)
    spellings = sum(len(names) for names in SPELLINGS)
    return f"{spellings} spellings of {len(SPELLINGS)} people, every context and surface, forgetting with a scan"


def _person(iris: Iris, user: str, *more: str, tenant: str = "acme") -> PersonMemory:
    memory = iris.for_user(tenant=tenant, user=user)
    memory.consent.grant(*BASE, *more, terms=TERMS)
    return memory


def _handle(memory: PersonMemory, body: str, name: str, *, sensitive: bool = False) -> str:
    outcome = memory.remember(body, actor=ActorMention(name=name, sensitive_interaction=sensitive))
    assert isinstance(outcome, Written)
    assert outcome.entry.multi_actor is not None
    return outcome.entry.multi_actor.actor_handle


def _handles(tally: Tally, iris: Iris) -> None:
    memory, seen = _person(iris, "ada"), dict[str, int]()
    for number, names in enumerate(SPELLINGS):
        handles = {_handle(memory, f"note {number} {place}", name) for place, name in enumerate(names)}
        tally.check(f"one handle for person {number} in every spelling", len(handles) == 1)
        for place, name in enumerate(names):
            reached = memory.others.preview_forget(name).memories
            tally.same(f"spelling {place} of person {number} leads to all", reached, len(names))
        seen.update(dict.fromkeys(handles, number))
    tally.check("another handle for every person", len(seen) == len(SPELLINGS))
    for tenant, user in (("acme", "bob"), ("other", "ada")):
        others = {_handle(_person(iris, user, tenant=tenant), f"note {name}", name) for (name, *_) in SPELLINGS}
        tally.check(f"no handle is shared with {user} of {tenant}", not others & set(seen))
    listed = memory.others.mentions()
    tally.same("everybody is listed", {one.handle for one in listed}, set(seen))
    tally.same("each with a count", sorted(one.memories for one in listed), sorted(len(names) for names in SPELLINGS))
    told = "".join(one.model_dump_json() for one in listed)
    tally.check(
        "without a name or a fact", "note 0" not in told and not any(n in told for names in SPELLINGS for n in names)
    )


def _interactions(tally: Tally, iris: Iris) -> None:
    memory = _person(iris, "cleo")
    statement = Statement(body="argued about the flat", actor=ActorMention(name="Ben", sensitive_interaction=True))
    tally.check("no sensitive interaction without consent", isinstance(memory.remember(statement), Refused))
    tally.check("nor in a batch", isinstance(memory.remember_many([statement])[0], Refused))
    memory.consent.grant("multi_actor_sensitive", terms=TERMS)
    tally.check("with consent it is stored", isinstance(memory.remember(statement), Written))
    opens = {Context.RELATIONSHIP, Context.SAFETY, Context.CRISIS}
    for context, surface in product(Context, (Surface.ASSISTANT, Surface.SHELL, Surface.NOTEBOOK)):
        found = memory.recall("argued", contexts=[context], surface=surface)
        tally.same(f"a sensitive interaction in {context} on {surface}", bool(found.hits), context in opens)
        told = found.audit_envelope.suppression_counts.get("sensitive-category-outside-relevant-context", 0)
        tally.same(f"withheld in {context} on {surface} is counted", bool(told), context not in opens)
    memory.consent.revoke("multi_actor_sensitive")
    tally.check("not after the withdrawal", not memory.recall("argued", contexts=list(Context)).hits)


def _surfaces(tally: Tally, iris: Iris) -> None:
    memory = _person(iris, "dora")
    handle = _handle(memory, "likes jazz", "Zoë Brüning")
    for consumer in ("assistant", "admin", "support"):
        asks = iris.for_user(tenant="acme", user="dora", consumer=consumer)
        found = asks.recall("jazz", surface=Surface.ADMIN, contexts=list(Context), safety_critical_context=True)
        tally.check(f"nobody on the admin surface for {consumer}", handle not in found.model_dump_json())
    entry = memory.list().entries[0]
    views = (memory.show(entry.logical_id)[0], memory.history(entry.logical_id)[0], memory.recall("jazz").hits[0].entry)
    tally.check(
        "in the person's own views", all(one.multi_actor and one.multi_actor.actor_handle == handle for one in views)
    )
    chain = b"".join(iris.export_audit(tenant="acme"))
    tally.check("no handle and no name in the chain", handle.encode() not in chain and b"Zo" not in chain)


def _offers(tally: Tally, iris: Iris) -> None:
    memory = _person(iris, "emma")
    for detail in _DETAILS:
        outcome = memory.remember(f"Ask my colleague, {detail}, about it")
        offer = outcome.offer if isinstance(outcome, Written) else None
        tally.check("a detail is offered masked", offer is not None and detail not in offer.body)
    own = memory.remember("My email is emma@example.com")
    tally.check("the person's own is not", isinstance(own, Written) and own.offer is None)


def _forgetting(tally: Tally, place: Stage) -> None:
    with place.open("second") as iris:
        memory = _person(iris, "ada")
        first = _handle(memory, "quokka with Zoe", "Zoë Brüning")
        second = memory.remember("numbat", actor=ActorMention(name="zoe bruning"))
        assert isinstance(second, Written)
        memory.revise(second.entry.logical_id, "wombat with Zoe")
        other = _handle(memory, "dingo with Ben", "Ben")
        before = memory.others.preview_forget("Zoe Brüning")
        tally.same("a dry run counts", (before.memories, before.revisions, memory.list().total), (2, 3, 3))
        receipt = memory.others.forget_mentions("BRÜNING, Zoë")
        residue = receipt.residue
        tally.check("the receipt finds nothing left", residue is not None and not residue.found)
        tally.same("every tagged memory went", (receipt.memories, memory.list().total), (2, 1))
        tally.same("the handle went, the other stays", [one.handle for one in memory.others.mentions()], [other])
        for name in ("Zoë Brüning", first):
            tally.check("nobody by name or handle", raises(UnknownMemoryError, memory.others.preview_forget, name))
        tally.check("met anew under another handle", _handle(memory, "koala", "Zoë Brüning") != first)
    # the store is closed: nothing of it is in use while its files are read
    held = b"".join(path.read_bytes() for path in sorted((place.folder / "second").rglob("*")) if path.is_file())
    for word in ("quokka", "numbat", "wombat", first):
        tally.check("no byte is left", word.encode() not in held)


def _masking(tally: Tally) -> None:
    text = "my friend Zoë Brüning, zoe@brown.example, +49 170 1234567, lives at 12 Baker Street, London"
    for key in (b"a" * 32, b"b" * 32):
        masked = mask_others(text, key=key)
        tally.check("others are masked in an export", not any(detail in masked.text for detail in _DETAILS))
        tally.same("masked twice is masked once", mask_others(masked.text, key=key).text, masked.text)
    one, two = (redact_pii_from_text(text, key=key).tokens for key in (b"a" * 32, b"b" * 32))
    tally.check("no token is shared by two keys", not {token.tag for token in one} & {token.tag for token in two})
