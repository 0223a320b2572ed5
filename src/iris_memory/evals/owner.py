"""The owners of the masking suite: one with every kind of identity, one made of everyday words. Neither exists."""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.masking import PiiKind

USER_MD: Final = """---
title: who I am
identity:
  names: [Ottoline Varga-Quill, Ottoline, Zoë Müllersdorf, Jean-Luc d'Aubrey, Νίκος Υψηλάντης, Анна Котова]
  emails: [ottoline.varga@gmail.com, o_varga@quillworks.example, büro@müllersdorf.example]
  phones: ["+44 20 7946 0958", "+49 30 5550 1234"]
  addresses: ["221B Thornfield Street, London NW1 6XE", "Lindenhofstraße 17, 10178 Berlin"]
  handles: ["@ottoquill", otto_v-9]
  never_match: [Quillworks Ltd]
---
I write at https://ottoline9.example.com/garden-notes and my door code is plum-Teapot-4471-green.
"""
"""Their identity document."""

EVERYDAY_LITERALS: Final = (
    (PiiKind.NAME, "Mark"),
    (PiiKind.NAME, "Will Baker"),
    (PiiKind.NAME, "April"),
    (PiiKind.NAME, "Grace King"),
    (PiiKind.NAME, "Al"),
    (PiiKind.NAME, "Claire"),
    (PiiKind.NAME, "Ernst Wolf"),
    (PiiKind.NAME, "Tom"),
    (PiiKind.NAME, "Вера"),
    (PiiKind.EMAIL, "info@example.org"),
    (PiiKind.EMAIL, "me@gmail.com"),
    (PiiKind.PHONE, "555 0134"),
    (PiiKind.ADDRESS, "5 Hauptstraße, 10115 Berlin"),
    (PiiKind.ADDRESS, "12 Garden Street, London NW1 6XE"),
    (PiiKind.HANDLE, "@builder"),
    (PiiKind.HANDLE, "@will"),
    (PiiKind.LINK, "https://github.com/will"),
)
"""What somebody is called, and reached by, whose name is in every text."""
