"""The replacer ``clinical-surrogate``: what is clinical stays, what identifies somebody gets a surrogate.

A code, a score, a dose, a value of a test, a drug, a diagnosis and an age up to 89 are never invented and never
changed. A surrogate is put only for what is certainly of its kind; what is uncertain gets a numbered label.
"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.detectors.passes.never_personal import is_guess
from sfumato.document import Document, Edit, Span
from sfumato.generalize.clauses import may_widen
from sfumato.generalize.old_age import old_age_in
from sfumato.lexicon.name_lists import family_names, given_names, is_title, lookup_key, places
from sfumato.lexicon.tokens import LETTERS
from sfumato.replacers.base import language_of, numbered_label
from sfumato.replacers.kept import CHECKED_LABELS, KeptText
from sfumato.replacers.surrogate import Surrogate, is_postal_code, says_the_kind
from sfumato.replacers.surrogate_codes import kind_of_code
from sfumato.replacers.surrogate_names import InventedNames
from sfumato.vault.ledger import Ledger

_KEPT_LABELS = CHECKED_LABELS - {"DATETIME"}
_LIKELY = 0.7
"""The least score of a guess that is taken for certain."""


class ClinicalSurrogate(Surrogate):
    """Leave what is clinical, put surrogates for what identifies somebody, shift dates, label what is uncertain.

    Ages over 89, and dates of birth that tell them, become one group.
    """

    def __init__(self, *, ledger: Ledger, locale: str = "auto") -> None:
        super().__init__(ledger=ledger, locale=locale)
        self._certain: frozenset[str | None] = frozenset()

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        self._kept = KeptText(document.text)
        # All mentions of somebody are treated alike: one that is certain is enough.
        certain = {span.entity for span in spans if self._is_certain(document, span)}
        self._certain = frozenset(certain - {None})
        return super().replace(document, spans)

    def _replacement(self, document: Document, span: Span, names: InventedNames, locale: str) -> str | None:
        if not self._kept.is_in_secret(span):
            if old_age := self._old_age(document, span):
                return old_age
            if self._kept.is_clinical(span) or (span.label in _KEPT_LABELS and self._kept.may_stay(span)):
                return None
            is_certain = span.entity in self._certain or self._is_certain(document, span)
            if span.label == "DATETIME" or (span.label not in _KEPT_LABELS and is_certain):
                return super()._replacement(document, span, names, locale)
        return numbered_label(self._ledger, document, span)

    def _old_age(self, document: Document, span: Span) -> str | None:
        """The group of all ages over 89, in place of an age or a date of birth that tells one."""
        language = language_of(document)
        old_age = old_age_in(document.text, span.start, span.end, language)
        if old_age is None or span.label not in ("DEM", "DATETIME", "QUANTITY"):
            return None
        stays_true = may_widen(document.text, span.start, span.end, language, span.label)
        if old_age.kind == "event" or not stays_true:
            return numbered_label(self._ledger, document, span)
        if (old_age.start, old_age.end) != (span.start, span.end) and old_age.kind == "age":
            before = document.text[span.start : max(span.start, old_age.start)]
            after = document.text[min(span.end, old_age.end) : span.end]
            return f"{before}{old_age.replacement(document.text, language)}{after}"
        return old_age.replacement(document.text, language, self._dates.offset(document))

    def _is_certain(self, document: Document, span: Span) -> bool:
        """Whether a rule checked it, or what a detector judged by context is of its kind by its own form as well."""
        if not is_guess(span):
            return True
        text, label = document.text[span.start : span.end], span.label
        words = LETTERS.findall(text)
        if span.score < _LIKELY:
            return False
        if label == "CODE":
            return kind_of_code(document.text, span) is not None
        if label == "PERSON":
            names = [word for word in words if not is_title(word)]
            return any(map(self._is_name, names)) and not any(
                word.islower() and self._kept.is_everyday(word) and len(word) > 3 for word in names
            )
        has_name = any(word[0].isupper() and not self._kept.is_everyday(word) for word in words)
        if label == "ORG":
            return has_name and any(map(says_the_kind, words))
        if is_postal_code(document.text, span.start, span.end):
            return True
        is_listed = lookup_key(text) in places() or any(
            lookup_key(part.strip()) in places() for part in text.split(",")
        )
        return is_listed or (has_name and (any(map(says_the_kind, words)) or any(map(str.isdecimal, text))))

    def _is_name(self, word: str) -> bool:
        key = lookup_key(word)
        is_listed = key in given_names() or key in family_names()
        return word[0].isupper() and (is_listed or not (self._kept.is_everyday(word) or word.isupper()))
