"""What class an English word mostly belongs to: verb, adjective, adverb; whatever is not listed is a noun.

Made from WordNet by ``training/build_word_classes.py``; licence in ``data/SOURCES.md``.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType


@cache
def word_classes() -> Mapping[str, str]:
    """Lower-cased word -> "verb", "past", "participle", "gerund", "adjective" or "adverb"."""
    packed = resources.files("sfumato.knowledge").joinpath("data", "word_classes.txt.gz").read_bytes()
    rows = (line.split("\t") for line in gzip.decompress(packed).decode("ascii").split("\n"))
    return MappingProxyType({word: kind for kind, words in rows for word in words.split()})
