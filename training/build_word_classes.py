"""Derive the table of English word classes that ``sfumato.lexicon.grammar`` ships.

Run it from the repository root with the folder that holds WordNet's ``index.sense``:
``python -m training.build_word_classes FOLDER``. Every word that is not mostly a noun is listed under its class.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from training.tables import listed, write

_CLASS = {"1": "noun", "2": "verb", "3": "adjective", "4": "adverb", "5": "adjective"}


def counts(folder: Path) -> Mapping[str, Counter[str]]:
    """How often each word stands in each class in the texts WordNet's makers tagged, and which classes it has."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for line in (folder / "index.sense").read_text(encoding="ascii").splitlines():
        key, _, _, count = line.split()
        lemma, _, rest = key.partition("%")
        if lemma.isalpha() and lemma.islower():
            found[lemma][_CLASS[rest[0]]] += int(count)
            found[lemma][f"has {_CLASS[rest[0]]}"] = 1
    return found


def irregular() -> dict[str, tuple[str, str]]:
    rows = (line.split() for line in listed("irregular_verbs"))
    return {base: (past, participle) for base, past, participle in rows}


def forms(verb: str, exceptions: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The forms of a verb other than its base, each with its class."""
    yield _third_person(verb), "verb"
    yield _stem(verb, "ing") + "ing", "gerund"
    if verb in exceptions:
        past, participle = exceptions[verb]
        yield past, "past"
        yield participle, "participle"
    else:
        yield _stem(verb, "ed") + "ed", "participle"


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb[-1] == "y" and verb[-2:-1] not in "aeiou" else verb + "s"


def _stem(verb: str, ending: str) -> str:
    if verb.endswith("ie") and ending == "ing":
        return verb[:-2] + "y"
    if verb.endswith("e") and not verb.endswith(("ee", "ye", "oe")):
        return verb[:-1]
    if verb[-1] == "y" and verb[-2:-1] not in "aeiou" and ending == "ed":
        return verb[:-1] + "i"
    if len(verb) > 2 and verb[-1] not in "aeiouwxy" and verb[-2] in "aeiou" and verb[-3] not in "aeiou":
        one_syllable = sum(letter in "aeiouy" for letter in verb) == 1
        if one_syllable or verb.endswith(("mit", "fer", "pel", "cur", "trol", "gin")):
            return verb + verb[-1]
    return verb


def classes(found: Mapping[str, Counter[str]]) -> dict[str, str]:
    """Each word that is not mostly a noun -> its class. Participles stay that: context makes them adjectives."""
    table: dict[str, str] = {}
    for word, count in found.items():
        best = max(("noun", "verb", "adjective", "adverb"), key=lambda kind: (count[kind], count[f"has {kind}"]))
        if best != "noun":
            table[word] = best
    exceptions = irregular()
    for word, count in sorted(found.items()):
        if not count["has verb"] or not (count["verb"] or not count["has noun"]) or len(word) < 2:
            continue
        for form, kind in forms(word, exceptions):
            is_noun = form in found and found[form]["noun"]
            is_plural = kind == "verb" and count["noun"] >= count["verb"]
            if not is_noun and not is_plural:
                table[form] = kind
    return table


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m training.build_word_classes FOLDER_WITH_index.sense")
    by_class: dict[str, list[str]] = defaultdict(list)
    found = counts(Path(sys.argv[1]))
    for word, kind in sorted(classes(found).items()):
        by_class[kind].append(word)
    write("en/word_classes", (f"{kind}\t{' '.join(words)}" for kind, words in sorted(by_class.items())))
    print(f"word_classes: {', '.join(f'{len(words)} {kind}' for kind, words in by_class.items())}")


if __name__ == "__main__":
    main()
