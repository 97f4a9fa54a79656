"""Restore files: turn releases back into originals with a vault, or encrypted tokens with their key."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from sfumato.document import Document, Release, Withheld
from sfumato.errors import InputError, Problem
from sfumato.files import CONFIDENTIAL
from sfumato.formats.base import Columns
from sfumato.formats.sources import Source
from sfumato.isolation import attempt
from sfumato.progress import OnProgress, ignore_progress
from sfumato.runs.destination import Destination
from sfumato.runs.ids import name_key
from sfumato.runs.job import Job, Result
from sfumato.runs.summary import Summary
from sfumato.vault.database import VaultState
from sfumato.vault.key import Key
from sfumato.vault.ledger import find_tokens
from sfumato.vault.restore import Restorer, decrypt_tokens, find_labels
from sfumato.vault.store import Vault


def restore_files(
    inputs: Iterable[str | Path],
    out: Path,
    vault: Vault,
    *,
    columns: Columns | None = None,
    document_id: str | None = None,
    audit: Path | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Summary:
    """Turn releases back into originals, and replacements in any other text back into the real values.

    ``document_id``: the released id that the texts are about, for texts that do not carry it. ``audit``: of the run
    that released them; an earlier copy of its vault is refused.
    """
    restorer = Restorer(vault)
    destination = _OriginalDestination(out, mode=CONFIDENTIAL, vault=vault)
    if audit is not None:
        check_audit(vault, audit)
    depends_on = [str(vault.path.absolute()), asdict(vault.state), document_id]
    with Job(inputs, destination, columns=columns or Columns(), depends_on=depends_on, on_progress=on_progress) as job:
        return job.run(iter, partial(_restore, job, out, partial(_restored, restorer, document_id), _unknown_labels))


def _restore(
    job: Job,
    out: Path,
    restored: Callable[[Document], tuple[str, Release]],
    problems_of: Callable[[str], Iterable[str]],
    document: Document,
    position: int,
) -> Result:
    """A document restored, with its original id; the problems of its text are noted."""
    result = attempt(partial(restored, document), document)
    if isinstance(result, Withheld):
        return Result(result, "")
    original_id, release = result
    for problem in problems_of(release.text):
        job.summary.skip(Problem(out, f"document {position}: {problem}"))
    return Result(release, original_id)


def _restored(restorer: Restorer, document_id: str | None, document: Document) -> tuple[str, Release]:
    if document_id is None:
        return restorer.restore(document)
    return document.id, Release(document, restorer.about(document_id, document.text).edits)


def _unknown_labels(text: str) -> Iterator[str]:
    if left := len(find_labels(text)):
        yield f"{left} labels are not known, or stand for several things; use --document"


@dataclass(frozen=True, kw_only=True)
class _OriginalDestination(Destination):
    """Gives files their original names, and whole files that the vault has their original content."""

    vault: Vault

    def stored_original(self, source: Source, content: bytes) -> bytes | None:
        return self.vault.original_file(content, source.relative.as_posix())

    def file_name(self, source: Source, number: int) -> PurePosixPath:
        original = self.vault.original_file(name_key(source.path, source.relative))
        return source.relative if original is None else PurePosixPath(original.decode())


def decrypt_files(
    inputs: Iterable[str | Path],
    out: Path,
    key: Key,
    *,
    columns: Columns | None = None,
    document_id: str | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Summary:
    """Turn the tokens of the replacer ``encrypt`` back into the values they carry; all else needs a vault.

    ``document_id``: the original id of the document that the texts are about; tokens of others stay.
    """
    destination = Destination(out, mode=CONFIDENTIAL)
    depends_on = [key.derive("fingerprint").hex(), document_id]
    with Job(inputs, destination, columns=columns or Columns(), depends_on=depends_on, on_progress=on_progress) as job:
        summary = job.run(iter, partial(_restore, job, out, partial(_decrypted, key, document_id), _unread_tokens))
    if not summary.labels and not summary.problems:
        summary.skip(Problem(out, "nothing was restored: no token of this key; other replacements need --vault"))
    return summary


def _decrypted(key: Key, document_id: str | None, document: Document) -> tuple[str, Release]:
    return document.id, decrypt_tokens(Release(document), key, document_id)


def _unread_tokens(text: str) -> Iterator[str]:
    if left := len(find_tokens(text)):
        yield f"{left} tokens are of another key or document, or were changed"
    if left := len(find_labels(text)):
        yield f"{left} labels carry no value; give the vault, too (--vault)"


def check_audit(vault: Vault, audit: Path) -> None:
    """Raise where the vault is not the one that an audit names, or an earlier copy of it."""
    try:
        with audit.open(encoding="utf-8", errors="surrogatepass") as file:
            states = {VaultState.from_json(json.loads(line)["vault"]) for line in file}
    except OSError as error:
        raise InputError(f"{audit}: the audit cannot be read ({error.strerror}); check the name") from None
    except (ValueError, KeyError, TypeError):
        states = set()
    if not states:
        raise InputError(
            f"{audit}: does not say which vault it belongs to; give an audit in lines of JSON (--audit audit.jsonl) of "
            "a run with a vault, or leave it out"
        )
    for state in states:
        vault.check_not_older(state, audit)
