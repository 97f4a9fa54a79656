"""Restores originals: exactly from a release, and in any text that uses the replacements."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile

from sfumato.detectors.structure import document_structure
from sfumato.document import LABELS, Document, Edit, Release, Span, resolve_overlaps
from sfumato.errors import RestoreError
from sfumato.formats.identifiers import is_in_code
from sfumato.lexicon.folding import fold, folded_form
from sfumato.lexicon.name_lists import is_title
from sfumato.lexicon.tokens import PhraseIndex, PhraseMatch, fold_phrase
from sfumato.vault.key import Key
from sfumato.vault.ledger import TokenCipher
from sfumato.vault.store import NUMBERED_LABEL, ReplacedMention, RestoreRecord, Vault, label_variants, lookup_words

_JOINED_LABELS = re.compile(rf"(?<!\w)(?:{NUMBERED_LABEL.pattern}){{2,}}(?!\w)")
_POSSESSIVE = re.compile(r"['’](?!\w)")
_LABEL = re.compile(rf"(?<!\w)(?:{'|'.join(LABELS)})_\d+(?!\w)")


class Restorer:
    """Restores documents with a vault."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._all: SubstitutionIndex | None = None

    def about(self, released_id: str, text: str) -> Release:
        """Restore a text that is about one released document; that document must be in the vault.

        Other documents are not used, not even one that was released with exactly this text.
        """
        if self._vault.original_id(released_id) is None:
            raise RestoreError(
                "the vault has no release with this id; give the id of the release the text is about "
                "(release.document.id, or released_id in the audit)"
            )
        document = Document(released_id, text)
        exact = self._vault.find_exact(released_id, text)
        return exact[0].apply(document) if exact else self._restore_by_id(document)

    def restore(self, document: Document) -> tuple[str, Release]:
        """The original id, and a release whose ``text`` is the restored text.

        A text that was released exactly so is restored exactly. In any other text replacements become the original
        values: those of the release with the document's id where there is one, else all in the vault.
        """
        exact = self._vault.find_exact(document.id, document.text)
        if exact:
            return exact[0].original_id, exact[0].apply(document)
        same_text = self._vault.find_by_text(document.text)
        if len({record.ranges for record in same_text}) > 1:
            raise RestoreError(
                f"this text was released {len(same_text)} times from different originals: give it its released id to "
                "say which (an id column, a file name, --document, or document=...)"
            )
        if same_text:
            return document.id, same_text[0].apply(document)
        original_id = self._vault.original_id(document.id)
        if original_id is not None:
            return original_id, self._restore_by_id(document)
        if self._all is None:
            records = self._vault.all_records()
            self._all = SubstitutionIndex(mention for record in records for mention in record.mentions())
        return document.id, decrypt_tokens(self._all.restore(document), self._vault.key)

    def _restore_by_id(self, document: Document) -> Release:
        """Only what the vault recorded for the document: a token that the text quotes may be of another one."""
        words = lookup_words(document.text) | lookup_words(folded_form(document.text))
        return SubstitutionIndex(self._vault.mentions(document.id, words)).restore(document)


def decrypt_tokens(release: Release, key: Key, document_id: str | None = None) -> Release:
    """Encrypted tokens carry their original themselves, so the key restores them in any text, without a vault.

    ``document_id``: only those of this document.
    """
    text = release.document.text
    if "enc_" not in text.casefold():
        return release
    taken = [edit.span for edit in release.edits]
    decrypted = TokenCipher(key).decrypt(text, document_id)
    extra = [edit for edit in decrypted if not any(edit.span.overlaps(span) for span in taken)]
    return Release(release.document, release.edits + _write_values(release.document, extra).edits)


def _write_values(document: Document, edits: Sequence[Edit]) -> Release:
    """The edits with their values written as the JSON, code, XML or table around them demands: it still parses."""
    if not edits:
        return Release(document)
    structure = document_structure(document)
    fitted = structure.fit_edits(
        [(edit, edit.span) for edit in structure.join_in_scalars(edits)], lambda span: is_in_code(document, span)
    )
    return Release(document, resolve_overlaps(fitted))


def restore_with(text: str, releases: Iterable[Release]) -> str:
    """Restore the original values in a text with the releases it was made from.

    Where all of them are rewritten, a text without a replacement of theirs is an error: most of a rewrite stands for
    nothing, and an unchanged text is easily taken for the original.
    """
    releases = list(releases)
    records = [RestoreRecord.of(release) for release in releases]
    exact = {record.ranges: record for record, release in zip(records, releases, strict=True) if release.text == text}
    document = Document("text", text)
    if len(exact) == 1:
        return next(iter(exact.values())).apply(document).text
    restored = SubstitutionIndex(mention for record in records for mention in record.mentions()).restore(document)
    if not restored.edits and releases and all(release.rewrite is not None for release in releases):
        raise RestoreError(
            "nothing in this text can be restored: the release was rewritten, and only its exact text, or a label or "
            "invented name that was put in before, leads back to the original"
        )
    return restored.text


def find_labels(text: str) -> list[tuple[int, int]]:
    """Ranges of the numbered labels in a text."""
    return [match.span() for match in _LABEL.finditer(text)]


@dataclass(frozen=True, slots=True)
class Substitution:
    """``replacement`` stands for ``original`` wherever it occurs."""

    replacement: str = field(repr=False)
    original: str = field(repr=False)
    label: str


class SubstitutionIndex:
    """What replacements stand for, over one or more releases.

    A replacement that stands for several different things (``****``, or ``PERSON_1`` of two documents) cannot be
    restored and stays.
    """

    def __init__(self, mentions: Iterable[ReplacedMention]) -> None:
        originals: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for mention in mentions:
            originals[mention.replacement, mention.label][mention.entity].append(mention.original)
        whole = [
            Substitution(replacement, _fullest(names), label)
            for (replacement, label), entities in originals.items()
            for names in entities.values()
        ]
        self._index: PhraseIndex[Substitution] = PhraseIndex(match_case=False)
        self._by_replacement: dict[str, Substitution] = {}
        # What the releases contain goes before parts of names, which follow from it.
        for group in (whole, [part for substitution in whole for part in _name_parts(substitution)]):
            new = [item for item in group if fold_phrase(item.replacement) not in self._by_replacement]
            for substitution in _unambiguous(new):
                self._by_replacement[fold_phrase(substitution.replacement)] = substitution
                for form in label_variants(substitution.replacement):
                    self._index.add(form, substitution)

    def restore(self, document: Document) -> Release:
        """The document with every replacement restored, in any case, also before a possessive and in disguise."""
        edits = sorted(self._edits(document.text), key=lambda edit: edit.span.start)
        seen = fold(document.text)
        if seen is not None:
            starts, ends = [edit.span.start for edit in edits], [edit.span.end for edit in edits]
            last = 0
            for edit in sorted(self._edits(seen.text), key=lambda edit: edit.span.start):
                start, end = seen.original(edit.span.start, edit.span.end)
                if start >= last and bisect_left(starts, end) <= bisect_right(ends, start):
                    edits.append(replace(edit, span=edit.span.moved(start, end)))
                    last = end
        return _write_values(document, edits)

    def _edits(self, text: str) -> list[Edit]:

        def is_meant(match: PhraseMatch[Substitution]) -> bool:
            phrase = text[match.start : match.end]
            return " " not in phrase or phrase[0].isupper() or " " in match.value.replacement  # "person 2" is prose

        matches = list(self._index.find(text, is_meant))
        return [_edit(text, match) for match in (*matches, *self._joined(text, matches))]

    def _joined(self, text: str, taken: Sequence[PhraseMatch[Substitution]]) -> Iterator[PhraseMatch[Substitution]]:
        """Labels of neighbouring spans with nothing between them: ``CODE_1MISC_1``."""
        for word in _JOINED_LABELS.finditer(text):
            labels = list(NUMBERED_LABEL.finditer(text, *word.span()))
            items = [self._by_replacement.get(fold_phrase(label.group())) for label in labels]
            is_free = not any(match.start < word.end() and word.start() < match.end for match in taken)
            # With an unknown part the word is no sequence of our labels.
            if is_free and None not in items:
                yield from (PhraseMatch(*label.span(), item) for label, item in zip(labels, items, strict=True) if item)


def _unambiguous(substitutions: Sequence[Substitution]) -> list[Substitution]:
    by_replacement: dict[str, list[Substitution]] = defaultdict(list)
    for item in substitutions:
        by_replacement[fold_phrase(item.replacement)].append(item)
    return [group[0] for group in by_replacement.values() if len({fold_phrase(item.original) for item in group}) == 1]


def _fullest(mentions: Sequence[str]) -> str:
    """The mention with most of a name: most whole words, then without a title, then the longest."""

    def fullness(mention: str) -> tuple[int, bool, int]:
        words = [word for word in mention.split() if not is_title(word)]
        whole = sum(len(word.strip(".,")) > 1 for word in words)
        return whole, not is_title(mention.split()[0] if mention.split() else ""), len(mention)

    return max(mentions, key=fullness)


def _name_parts(person: Substitution) -> list[Substitution]:
    """A surrogate's first and last name stand for the original's, also where the release never used them alone."""
    if person.label != "PERSON":
        return []
    ours, theirs = (list(dropwhile(is_title, name.split())) for name in (person.replacement, person.original))
    if len(ours) != len(theirs) or len(ours) < 2 or "," in person.original:
        return []
    untitled = Substitution(" ".join(ours), " ".join(theirs), person.label)
    return [untitled] + [
        Substitution(ours[index], theirs[index], person.label)
        for index in (0, -1)
        if len(ours[index]) > 2 and len(theirs[index]) > 2
    ]


def _edit(text: str, match: PhraseMatch[Substitution]) -> Edit:
    substitution, end = match.value, match.end
    original = _match_case(text[match.start : end], substitution)
    first, _, rest = original.partition(" ")
    before = text[: match.start].split()[-1:] if match.start and rest and is_title(first) else []
    if before and is_title(before[0]):
        original = rest  # "Mr PERSON_1" for "Mr Smith" has one Mr
    possessive = _POSSESSIVE.match(text, end)
    if possessive and fold_phrase(substitution.replacement).endswith("s") and not fold_phrase(original).endswith("s"):
        original, end = original + possessive.group() + "s", possessive.end()  # James' -> Maria's
    return Edit(Span(match.start, end, substitution.label), original, ("vault",))


def _match_case(phrase: str, substitution: Substitution) -> str:
    replacement, original = substitution.replacement, substitution.original
    if phrase == replacement or replacement.isupper() or replacement.islower():
        return original
    if phrase.isupper():
        return original.upper()
    return original.lower() if phrase.islower() else original
