"""The way back: from a release to its original, and from any text that uses the replacements to the real values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from sfumato.document import LABELS, Document, Edit, Release, Span
from sfumato.errors import RestoreError
from sfumato.lexicon.name_lists import is_title
from sfumato.lexicon.phrases import PhraseIndex, PhraseMatch, fold_phrase
from sfumato.vault.ledger import NUMBERED, Mention, decrypt_tokens, words_in, written_forms
from sfumato.vault.store import Undo, Vault

# -- The way back in any text that uses the replacements, by what stands for whom.


_GLUED = re.compile(rf"(?<!\w)(?:{NUMBERED.pattern}){{2,}}(?!\w)")
_POSSESSIVE = re.compile(r"['’](?!\w)")


@dataclass(frozen=True, slots=True)
class Pair:
    """``replacement`` stands for ``original`` wherever it turns up."""

    replacement: str
    original: str
    label: str


class Pairs:
    """What stands for whom, over one or more releases.

    A replacement that stands for several different things (``****``, or ``PERSON_1`` of two documents) cannot be
    put back and is left where it is.
    """

    def __init__(self, mentions: Iterable[Mention]) -> None:
        originals: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for mention in mentions:
            originals[mention.replacement, mention.label][mention.entity].append(mention.original)
        stated = [
            Pair(replacement, _fullest(named), label)
            for (replacement, label), entities in originals.items()
            for named in entities.values()
        ]
        self._index: PhraseIndex[Pair] = PhraseIndex(match_case=False)
        self._known: dict[str, Pair] = {}
        # What the releases say goes before what follows from it.
        for group in (stated, [part for pair in stated for part in _parts(pair)]):
            unique = _unique([pair for pair in group if fold_phrase(pair.replacement) not in self._known])
            for pair in unique:
                self._known[fold_phrase(pair.replacement)] = pair
                for form in written_forms(pair.replacement):
                    self._index.add(form, pair)

    def put_back(self, document: Document) -> Release:
        """The document with every replacement in it turned back, whatever its case, and also before a possessive."""
        text = document.text

        def is_meant(hit: PhraseMatch[Pair]) -> bool:
            found = text[hit.start : hit.end]
            return " " not in found or found[0].isupper() or " " in hit.value.replacement  # "person 2" is prose

        hits = list(self._index.find(text, is_meant))
        return Release(document, tuple(_edit(text, hit) for hit in (*hits, *self._glued(text, hits))))

    def _glued(self, text: str, taken: Sequence[PhraseMatch[Pair]]) -> Iterator[PhraseMatch[Pair]]:
        """Labels of things that stood side by side, with nothing between them: ``CODE_1MISC_1``."""
        for word in _GLUED.finditer(text):
            parts = list(NUMBERED.finditer(text, *word.span()))
            pairs = [self._known.get(fold_phrase(part.group())) for part in parts]
            is_free = not any(hit.start < word.end() and word.start() < hit.end for hit in taken)
            # With a part that nobody knows, the word is no run of our labels.
            if is_free and None not in pairs:
                yield from (PhraseMatch(*part.span(), pair) for part, pair in zip(parts, pairs, strict=True) if pair)


_LABEL = re.compile(rf"(?<!\w)(?:{'|'.join(LABELS)})_\d+(?!\w)")


def labels_in(text: str) -> list[tuple[int, int]]:
    """Where numbered labels stand in a text, from left to right."""
    return [match.span() for match in _LABEL.finditer(text)]


def _unique(pairs: Sequence[Pair]) -> list[Pair]:
    by_form: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_form[fold_phrase(pair.replacement)].append(pair)
    return [group[0] for group in by_form.values() if len({fold_phrase(pair.original) for pair in group}) == 1]


def _fullest(mentions: Sequence[str]) -> str:
    """The mention that says most of a name: most whole words, then without a title, then the longest."""

    def fullness(mention: str) -> tuple[int, bool, int]:
        words = [word for word in mention.split() if not is_title(word)]
        whole = sum(len(word.strip(".,")) > 1 for word in words)
        return whole, not is_title(mention.split()[0] if mention.split() else ""), len(mention)

    return max(mentions, key=fullness)


def _parts(pair: Pair) -> list[Pair]:
    """A surrogate's first and last name stand for the original's, also where the release never used them alone."""
    if pair.label != "PERSON":
        return []
    ours, theirs = (list(dropwhile(is_title, name.split())) for name in (pair.replacement, pair.original))
    if len(ours) != len(theirs) or len(ours) < 2 or "," in pair.original:
        return []
    whole = Pair(" ".join(ours), " ".join(theirs), pair.label)
    return [whole] + [
        Pair(ours[at], theirs[at], pair.label) for at in (0, -1) if len(ours[at]) > 2 and len(theirs[at]) > 2
    ]


def _edit(text: str, hit: PhraseMatch[Pair]) -> Edit:
    pair = hit.value
    original = _in_case_of(text[hit.start : hit.end], pair)
    first, _, rest = original.partition(" ")
    before = text[: hit.start].split()[-1:] if hit.start and rest and is_title(first) else []
    if before and is_title(before[0]):
        original = rest  # "Mr PERSON_1" for "Mr Smith" is one Mr
    end = hit.end
    possessive = _POSSESSIVE.match(text, end)
    if possessive and fold_phrase(pair.replacement).endswith("s") and not fold_phrase(original).endswith("s"):
        original, end = original + possessive.group() + "s", possessive.end()  # James' -> Maria's
    return Edit(Span(hit.start, end, pair.label), original, ("vault",))


def _in_case_of(found: str, pair: Pair) -> str:
    if found == pair.replacement or pair.replacement.isupper() or pair.replacement.islower():
        return pair.original
    if found.isupper():
        return pair.original.upper()
    return pair.original.lower() if found.islower() else pair.original


# -- The way back: from a release to its original, and from any text that uses the replacements to the real values.


class Restorer:
    """Turns documents back with what a vault knows."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._everything: Pairs | None = None

    def about(self, released_id: str, text: str) -> Release:
        """The way back for a text that is about one released document; that document must be known.

        What other documents were released as plays no part in it, not even where one has exactly this text.
        """
        if self._vault.original_id(released_id) is None:
            raise RestoreError(
                "the vault has no release with this id; give the id of the release the text is about "
                "(release.document.id, or released_id in the audit)"
            )
        document = Document(released_id, text)
        exact = self._vault.undo_exactly(released_id, text)
        return exact[0].apply(document) if exact else self._put_back(document)

    def restore(self, document: Document) -> tuple[str, Release]:
        """The original id and the way back as a release: its ``text`` is the restored text.

        A text that was released exactly so is restored exactly. Any other text gets the real values put back where a
        replacement stands: by the release with the document's id where there is one, else by all the vault knows.
        """
        exact = self._vault.undo_exactly(document.id, document.text)
        if exact:
            return exact[0].original_id, exact[0].apply(document)
        same_text = self._vault.undo_by_text(document.text)
        if len({undo.pieces for undo in same_text}) > 1:
            raise RestoreError(
                f"this text was released {len(same_text)} times from different originals: give it its released id to "
                "say which (an id column, a file name, --document, or document=...)"
            )
        if same_text:
            return document.id, same_text[0].apply(document)
        original_id = self._vault.original_id(document.id)
        if original_id is not None:
            return original_id, self._put_back(document)
        return document.id, _with_tokens(self._all_pairs().put_back(document), self._vault)

    def _put_back(self, document: Document) -> Release:
        """By what was released with the document's id."""
        pairs = Pairs(self._vault.mentions(document.id, words_in(document.text)))
        return _with_tokens(pairs.put_back(document), self._vault)

    def _all_pairs(self) -> Pairs:
        if self._everything is None:
            self._everything = Pairs(mention for undo in self._vault.undo_all() for mention in undo.mentions())
        return self._everything


def _with_tokens(release: Release, vault: Vault) -> Release:
    """Encrypted values carry their original themselves, so they come back in any text."""
    found = decrypt_tokens(release.document.text, vault.key)
    taken = [edit.span for edit in release.edits]
    extra = tuple(edit for edit in found if not any(edit.span.overlaps(span) for span in taken))
    return Release(release.document, release.edits + extra)


def restore_with(text: str, releases: Iterable[Release]) -> str:
    """Put the real values back into a text, with the releases it was made from still at hand.

    Where they are all rewritten, a text without a replacement of theirs is an error: most of a rewrite stands for
    nothing, and a text that comes back as it went in is easily taken for the original.
    """
    given = list(releases)
    known = [(release.text, Undo.of(release)) for release in given]
    ways = {undo.pieces: undo for released, undo in known if released == text}
    document = Document("text", text)
    if len(ways) == 1:
        return next(iter(ways.values())).apply(document).text
    back = Pairs(mention for _, undo in known for mention in undo.mentions()).put_back(document)
    if not back.edits and given and all(release.rewrite is not None for release in given):
        raise RestoreError(
            "nothing in this text can be put back: the release was written anew, and only its exact text, or a label "
            "or invented name that was put in before, leads back to the original"
        )
    return back.text
