"""Texts for property tests: literals in disguise, between text that means harm."""

from __future__ import annotations

import base64

from hypothesis import strategies as st
from owner_sample import owner

from iris_memory.evals.attacks import TRANSFORMATIONS
from iris_memory.masking.scan import Stretch, scan

DISGUISES = sorted(
    {
        written
        for literal in owner().literals
        for transformation in TRANSFORMATIONS
        if literal.kind in transformation.kinds
        for written in transformation.write(literal.text)
    }
)

AWKWARD = [
    "[owner:email#1]",
    "[owner~:email#1]",
    "[Owner : phone # 2]",
    "%5Bowner:name%231%5D",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAabc\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
    base64.b64encode(b"a longer run with ottoline.varga@gmail.com inside of it, and more").decode(),
    "Ottoline ", "Varga-Quill ", "221B ", "London ", "Dr. ", "+44 ", "@", "gmail.com", " at ", "\\n", "\\u00", "%20",
    "%", "%2", "&amp;", "&#", "&", "\\", "\\\\", "YWJj", "x" * 90, "\u200b", "\u0301", "é", "İ", "ß", "ﬁ", "Δ",
    "\U0001f600", "\ud83d", ", ", ". ", "\n", " ",
]  # fmt: skip

disguises = st.integers(0, len(DISGUISES) - 1).map(lambda index: DISGUISES[index])
texts = st.lists(st.one_of(disguises, st.sampled_from(AWKWARD), st.text(max_size=12)), max_size=12).map("".join)

apart = st.lists(st.one_of(disguises, st.sampled_from(AWKWARD)), max_size=8).map(" and then ".join)
"""The same, with words between: nothing is glued to anything."""


def stretches(text: str) -> list[Stretch]:
    return list(scan(text, owner()))
