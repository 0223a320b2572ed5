"""The words of each consent: what it allows, what stops without it, and the exact text that is agreed to."""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.contracts.consent import SENSITIVE_CONSENT_PREFIX, OptOut
from iris_memory.contracts.consent import ConsentType as T
from iris_memory.rules.consent import CONSENT_NAMES, category_of
from iris_memory.tables.categories import CATEGORIES as CATEGORY_ROWS
from iris_memory.tables.totality import total
from iris_memory.web.wording import CATEGORIES, listed


class ConsentWords(NamedTuple):
    """One consent in plain words; `allows` and `stops` are whole sentences."""

    title: str
    allows: str
    stops: str

    @property
    def terms(self) -> str:
        """The exact text that is shown and agreed to; its hash is kept with the answer."""
        return f"{self.title}. {self.allows} I can take this back at any time. Then: {self.stops}"


_TYPES: Final = total(
    "consent words",
    T,
    [
        (
            T.DATA_PROCESSING,
            ConsentWords(
                "Working with what I say",
                "What I say may be worked with, so that the assistant can use it in its answers.",
                "Every place is closed: nothing is remembered and nothing is used. What is kept stays until forgotten.",
            ),
        ),
        (
            T.DATA_STORAGE,
            ConsentWords(
                "Keeping what I say",
                "What I say may be kept on disk beyond the session it was said in.",
                "Memory lives in the session alone and ends with it. What is kept stays, unread, until forgotten.",
            ),
        ),
        (
            T.SENSITIVE_DATA,
            ConsentWords(
                "Sensitive memory",
                "Sensitive kinds of memory may be kept, each with a consent of its own beside this one.",
                "Every sensitive memory is forgotten for good, and the consent of each sensitive kind ends with it.",
            ),
        ),
        (
            T.PERSONALIZATION,
            ConsentWords(
                "Fitting answers to me",
                "Memory may be sorted by subject area, so that answers fit me.",
                "Memory by subject area is used no more.",
            ),
        ),
        (
            T.CROSS_DOMAIN_SHARING,
            ConsentWords(
                "Sharing across subject areas",
                "What was said in one subject area may be used in another.",
                "Memory across subject areas is used no more.",
            ),
        ),
        (
            T.CROSS_DEVICE,
            ConsentWords(
                "Going on on another device",
                "Where I was may be carried to my other devices, sensitive matters included.",
                "Sensitive matters are carried to no other device.",
            ),
        ),
        (
            T.TENANT_PROCESSING,
            ConsentWords(
                "Memory kept by the organisation",
                "The organisation that runs this may keep memory about me for its own work.",
                "What the organisation keeps about me is used no more.",
            ),
        ),
        (
            T.OPERATOR_REVIEW,
            ConsentWords(
                "Review by operators",
                "Operators may review my memory when they have a reason that is written down.",
                "Memory in operator review is used no more.",
            ),
        ),
        (
            T.MULTI_ACTOR_SENSITIVE,
            ConsentWords(
                "Sensitive matters with other people",
                "Sensitive matters between me and somebody else may be kept. Nobody else gets a profile.",
                "Every memory of a sensitive matter with somebody else is forgotten for good.",
            ),
        ),
        (
            T.MODEL_IMPROVEMENT,
            ConsentWords(
                "Improving the models",
                "What I say may be used to improve the models behind the assistant.",
                "What I say is used to improve nothing.",
            ),
        ),
    ],
)

ORDINARY: Final = tuple(one.value for one in T if one not in {T.SENSITIVE_DATA, T.MULTI_ACTOR_SENSITIVE})
SENSITIVE: Final = (
    T.SENSITIVE_DATA.value,
    T.MULTI_ACTOR_SENSITIVE.value,
    *sorted(name for name in CONSENT_NAMES if name.startswith(SENSITIVE_CONSENT_PREFIX)),
)

OPT_OUTS: Final = total(
    "opt-out words",
    OptOut,
    [
        (OptOut.MEMORY, "All of memory"),
        (OptOut.PERSONALIZATION, "Fitting answers to me"),
        (OptOut.EMBODIED, "Scenes and poses"),
        (OptOut.BIOMETRIC, "Measures of my body"),
        (OptOut.HISTORY, "The history of conversations"),
        (OptOut.CROSS_DOMAIN, "Sharing across subject areas"),
        (OptOut.NOTEBOOKS, "Notebooks"),
        (OptOut.OPERATOR_COPILOT, "Notes of operators"),
        (OptOut.TENANT, "Memory kept by the organisation"),
    ],
)


def consent_words(name: str) -> ConsentWords:
    """Return the words of a consent by its name, such as `data_storage` or `category:medical`."""
    category = category_of(name)
    if category is None:
        return _TYPES[T(name)]
    word = CATEGORIES[category]
    contexts = listed(sorted(one.value for one in CATEGORY_ROWS[category].contexts), "or")
    return ConsentWords(
        word,
        f"Memory filed under {word} may be kept, and is used in {contexts} contexts alone.",
        f"Every memory filed under {word} is forgotten for good, with all that was made from it.",
    )
