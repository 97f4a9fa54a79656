"""One and several of the kinds: *members of the clergy*, *arm or hand injuries*, *people giving evidence*."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.knowledge.grammar import inflection

_TAIL = re.compile(
    r"(?= (?:of|in|at|with|from|for|to|by|on|who|under|deprived|giving|present|responsible|working|involved|subject|"
    r"active|living|receiving|managing|passing|watching) )"
)
"""Where what follows the head noun starts; unlike names, kinds are joined by "or" before their head."""
_NO_PLURAL = re.compile(r"(?:sis|itis|us|ss)$")


def plural(phrase: str) -> str:
    """The phrase of several."""
    core, *rest = _TAIL.split(phrase, maxsplit=1)
    return inflection.plural(core) + "".join(rest)


def singulars(phrase: str) -> Iterator[str]:
    """What may be one of these, likeliest first; nothing where the head noun does not look like a plural."""
    core, rest = inflection.head(phrase)
    one = inflection.in_singular(phrase)
    if one != phrase:
        yield one
    if core.endswith("s") and not _NO_PLURAL.search(core):
        yield core[:-1] + rest
        if core.endswith("es"):
            yield core[:-2] + rest
            yield core[:-2] + "is" + rest
