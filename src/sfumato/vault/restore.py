"""The way back: from a release to its original, and from any text that uses the replacements to the real values."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.document import Document, Release
from sfumato.errors import RestoreError
from sfumato.vault.mentions import words_in
from sfumato.vault.pairs import Pairs
from sfumato.vault.store import Vault
from sfumato.vault.tokens import decrypt_tokens
from sfumato.vault.undo import Undo


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
