"""Whether a word stands in what is full of ids and signatures.

A short word turns up in hexadecimal and base64 by chance: ``ada`` is three hexadecimal digits, so a plain ``in`` over
an audit event fails one run in a hundred. What leaks is written as a word, so a word is looked for as one.
"""

import re

_WITHIN = r"0-9A-Za-z+/=_"


def stands_in(word: str, text: object) -> bool:
    """Whether a word stands in a text, in bytes, or in how a value is written, with no letter or digit beside it."""
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return re.search(rf"(?<![{_WITHIN}]){re.escape(word)}(?![{_WITHIN}])", said, re.IGNORECASE) is not None
