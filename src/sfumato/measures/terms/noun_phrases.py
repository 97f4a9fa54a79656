"""English noun phrases by word class, in place of a parser.

Close to what spaCy's small English pipeline marks (docs/utility.md has the agreement).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.knowledge.grammar.function_words import AUXILIARIES, DETERMINERS, ENGLISH, PREPOSITIONS, PRONOUNS
from sfumato.knowledge.grammar.word_classes import word_classes
from sfumato.measures.terms.tokens import Token
from sfumato.models.base import Range

_MONTHS = frozenset({"May", "March", "August"})
"""Those that are other words in lower case."""
_MAY_BEGIN = frozenset({"determiner", "noun", "adjective", "number", "participle"})
_DESCRIBED = frozenset({"noun", "adjective", "verb"})
_MAY_FOLLOW = frozenset({"noun", "adjective", "number", "participle", "gerund", "possessive", "adverb", "hyphen"})
_CLOSED = (
    ("determiner", DETERMINERS - {"that", "which", "what", "all", "both"}),
    ("pronoun", PRONOUNS | {"which", "what"}),
    ("adjective", frozenset("same other own several many few such more most less all both".split())),
    ("auxiliary", AUXILIARIES),
    ("function", ENGLISH),
)


def noun_chunks(text: str, words: Sequence[Token]) -> Iterator[Range]:
    """English noun phrases: a determiner, what describes the noun, and the nouns; pronouns alone too."""
    kinds = [_kind(word) for word in words]
    for at, word in enumerate(words):
        kinds[at] = _in_context(word, words[at - 1] if at else None, kinds, at)
    at = 0
    while at < len(words):
        if kinds[at] == "pronoun":
            yield words[at].start, words[at].end
            at += 1
            continue
        stop = at + 1 if kinds[at] in _MAY_BEGIN else at
        while stop < len(words) and stop > at and kinds[stop] in _MAY_FOLLOW and _joined(text, words, stop):
            stop += 1
        head = max((place for place in range(at, stop) if kinds[place] == "noun"), default=None)
        if head is None:
            at = max(at + 1, stop)
            continue
        yield words[at].start, words[head].end
        at = head + 1


def _kind(word: Token) -> str:
    key = word.key
    if key in ("'s", "'"):
        return "possessive"
    if not word.text[0].isalnum():
        return "hyphen" if word.text == "-" else "sign"
    if word.text[0].isdigit():
        return "number"
    if word.text in _MONTHS:
        return "noun"
    for kind, group in _CLOSED:
        if key in group:
            return kind
    if word.text[0].isupper() and key not in word_classes():
        return "noun"
    return word_classes().get(key, "noun")


def _in_context(word: Token, last: Token | None, kinds: Sequence[str], at: int) -> str:
    kind = kinds[at]
    before = kinds[at - 1] if at else "sign"
    after = kinds[at + 1] if at + 1 < len(kinds) else "sign"
    if kind == "verb":
        # "the trial judge": after a noun in the singular a verb would end in s.
        is_base = not word.key.endswith("s")
        follows_noun = before == "noun" and is_base and last is not None and not last.key.endswith("s")
        follows_preposition = last is not None and last.key in PREPOSITIONS and last.key != "to"
        describes = before in ("determiner", "adjective", "possessive")
        return "noun" if follows_noun or follows_preposition or describes else "verb"
    if kind in ("participle", "gerund"):
        describes = before in ("determiner", "adjective", "possessive", "adverb") and after in _DESCRIBED
        return "adjective" if describes else "verb"
    if kind == "adverb":
        return "adverb" if before == "determiner" and after in ("adjective", "participle") else "function"
    if kind == "adjective" and after not in _MAY_FOLLOW and before in ("determiner", "adjective"):
        return "noun"
    return kind


def _joined(text: str, words: Sequence[Token], at: int) -> bool:
    gap = text[words[at - 1].end : words[at].start]
    return not gap or (gap.isspace() and "\n" not in gap)
