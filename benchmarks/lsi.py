"""How long the similarity indexes of 200 mentions in a note of 20 kB take: ``python -m benchmarks.lsi``."""

from __future__ import annotations

import random
import time

from sfumato.document import Document, Edit, Release, Span
from sfumato_papers.metrics.levenshtein import similarities

CHARACTERS, MENTIONS, SEED = 20_000, 200, 7
_SYLLABLES = "ba be co da el fi gra hu in jo ka lo mi nor ost pa qui ro sta tum ur ve wil zen".split()


def note() -> tuple[Document, list[Span]]:
    """Sentences of made-up words, with names of two words spread over them."""
    chance = random.Random(SEED)
    words: list[str] = []
    size = 0
    while size < CHARACTERS:
        word = "".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4)))
        word = word.capitalize() + "." if chance.random() < 0.06 else word
        words.append(word)
        size += len(word) + 1
    starts = [sum(len(word) + 1 for word in words[:at]) for at in range(len(words))]
    chosen = sorted(chance.sample(range(0, len(words) - 1, 2), MENTIONS))
    spans = [Span(starts[at], starts[at] + len(words[at]) + 1 + len(words[at + 1]), "PERSON") for at in chosen]
    return Document("note", " ".join(words)), spans


def main() -> None:
    document, spans = note()
    words = document.text.split(" ")
    shuffled = random.Random(SEED).sample(words, len(words))
    rewritten = [other if at % 3 else word for at, (other, word) in enumerate(zip(words, shuffled, strict=True))]
    releases = {
        "numbered labels": Release(document, tuple(Edit(span, f"PERSON_{at}") for at, span in enumerate(spans))),
        "suppressed": Release(document, tuple(Edit(span, "") for span in spans)),
        "one word in three rewritten": Release.rewritten(document, " ".join(rewritten)),
        "rewritten, nothing alike": Release.rewritten(document, " ".join(shuffled)),
    }
    for name, release in releases.items():
        for within in ("sentence", "note"):
            began = time.process_time()
            found = similarities(release, spans, within)
            print(f"{name:28} within {within:8} {len(found)} mentions {time.process_time() - began:6.2f} s")


if __name__ == "__main__":
    main()
