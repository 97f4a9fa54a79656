"""What class an English word mostly belongs to: verb, adjective, adverb; whatever is not listed is a noun.

Made from WordNet by ``training/build_word_classes.py``; licence in ``data/SOURCES.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from sfumato.knowledge import shipped


@cache
def word_classes() -> Mapping[str, str]:
    """Lower-cased word -> "verb", "past", "participle", "gerund", "adjective" or "adverb"."""
    rows = shipped.rows("word_classes")
    return MappingProxyType({word: kind for kind, words in rows for word in words.split()})
