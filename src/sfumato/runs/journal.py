"""The work folder of a run: its journal of finished documents, so that a killed run resumes and gives the same bytes.

The journal has one line per finished document, in input order; the output files are written from it when it is
complete. The folder is confidential and is removed when the run is done.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from time import monotonic
from typing import IO, Any

from sfumato.errors import EncryptionKeyError, OutputError, SfumatoError
from sfumato.files import disk_full, open_confidential, private_folder, reports_full_disk, sync
from sfumato.formats.sources import WORK_SUFFIX
from sfumato.vault.database import VaultState
from sfumato.vault.store import Vault

_LOCK = "lock"
_FLUSH_EVERY = 200
_FLUSH_SECONDS = 1.0
"""So that a document that a language model took minutes for is not lost."""
_FLUSH_CHARACTERS = 1 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished document. ``text`` is None where it was withheld."""

    source: int
    id: str
    released_id: str | None
    text: str | None = field(repr=False)
    kept: dict[str, Any] = field(default_factory=dict, repr=False)
    edits: list[dict[str, Any]] = field(default_factory=list, repr=False)
    withheld: str | None = None
    numbered: bool = False
    """Whether the released id is a number and not text."""
    length: int = 0
    """Of the original."""
    rewritten: list[str] | None = field(default=None, repr=False)
    """Reasons of a text that was rewritten as a whole; its edits are what was replaced before that."""
    fallback_reason: str | None = None
    """Why the recipe's fallback was used instead of a language model."""
    line: int | None = None
    record: int | None = None
    """Its position in a file of several documents."""
    file_name_repeats: bool = False
    """Whether the name of the file that it is from repeats something that was replaced in it."""
    repeating_columns: list[str] = field(default_factory=list)
    """Kept columns whose value does."""
    values: list[str] = field(default_factory=list, repr=False)
    """Digests of what was replaced in it and tells by itself who is meant: no name in the run may repeat that."""
    vault_generation: int | None = None
    """How far the vault had come when this was written."""


def numbered_id(position: int) -> str:
    """The id of a document whose own id is not released."""
    return f"document-{position}"


_FIELDS = tuple(field.name for field in fields(Entry))


class WorkFolder:
    """The folder of one run, beside its output.

    ``fingerprint``: of everything that the output depends on. ``vault``: where the run records how to restore its
    documents; an entry is written only when the vault has it for good.
    """

    def __init__(self, out: Path, fingerprint: str, vault: Vault | None = None) -> None:
        self.path = out.parent / f".{out.name}{WORK_SUFFIX}"
        self._journal_path = self.path / "journal.jsonl"
        self._settings_path = self.path / "run.json"
        self._file: IO[bytes] | None = None
        self._vault = vault
        self._pending: list[Entry] = []
        self._pending_characters = 0
        self._flushed = monotonic()
        try:
            private_folder(self.path)
            self._lock = open_confidential(self.path / _LOCK, os.O_RDWR)
        except OSError as error:
            raise disk_full(error, self.path) or OutputError(
                f"{out}: cannot be written ({error.strerror}); choose another --out or check the permissions"
            ) from None
        self._take_lock(out)
        self._vault_generation: int | None = None
        self.done = 0
        """How many documents were finished by an earlier, interrupted run."""
        try:
            settings = self._settings_of(fingerprint)
            self.done = self._truncate_torn_line()
            self._check_vault(settings)
        except BaseException:
            self.leave()
            raise
        self.secret = bytes.fromhex(settings["secret"])
        """Random, and the same when the run is resumed."""

    def _take_lock(self, out: Path) -> None:
        try:
            import fcntl
        except ImportError:  # not on Windows
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise OutputError(f"{out}: another run is writing there; wait for it, or choose another --out") from None

    def _settings(self) -> dict[str, Any]:
        try:
            settings = json.loads(self._settings_path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return settings if isinstance(settings, dict) else {}

    def _settings_of(self, fingerprint: str) -> dict[str, Any]:
        """The settings of the run that is resumed, or those of a new one."""
        settings = self._settings()
        if settings.get("fingerprint") != fingerprint:
            self._journal_path.unlink(missing_ok=True)
            settings = {"fingerprint": fingerprint, "secret": secrets.token_hex(32)}
            self._write_settings(settings)
        return settings

    def _write_settings(self, settings: dict[str, Any]) -> None:
        with reports_full_disk(self.path):
            descriptor = open_confidential(self._settings_path, os.O_WRONLY | os.O_TRUNC)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(settings, file)
                file.flush()
                os.fsync(file.fileno())

    def _check_vault(self, settings: dict[str, Any]) -> None:
        """Raise where the vault lacks documents that the journal counts as done."""
        if self._vault is None:
            return
        if not self.done:
            self._write_settings({**settings, "vault": self._vault.state.id})
            return
        try:
            self._vault.check_not_older(VaultState(settings.get("vault", ""), self._vault_generation or 0), self.path)
            self._check_recorded(self._vault)
        except EncryptionKeyError as error:
            raise EncryptionKeyError(f"{error}; or delete {self.path} to begin this run anew") from None

    def _check_recorded(self, vault: Vault) -> None:
        for number, entry in enumerate(self.entries(), start=1):
            # Publishing may have begun, and may have given it a number because of what another document says.
            ids = (entry.released_id or "", numbered_id(number))
            if entry.text is not None and not any(vault.find_exact(name, entry.text) for name in ids):
                raise EncryptionKeyError(
                    f"{vault.path}: document {number} was finished by a run that stopped, and is not in this vault; "
                    "put the vault back that the run was started with"
                )

    def _truncate_torn_line(self) -> int:
        """Count the journal's complete lines and cut off what follows them."""
        if not self._journal_path.exists():
            return 0
        lines = size = 0
        with self._journal_path.open("rb+") as file:
            for line in file:
                try:
                    entry = json.loads(line.decode("utf-8", "surrogatepass"))
                except ValueError:  # a power failure may leave anything there
                    break
                if not line.endswith(b"\n") or not isinstance(entry, dict):
                    break
                lines += 1
                size += len(line)
                self._vault_generation = entry.get("vault_generation")
            file.truncate(size)
        return lines

    def append(self, entry: Entry) -> None:
        self._pending.append(entry)
        self._pending_characters += len(entry.text or "")
        if (
            len(self._pending) >= _FLUSH_EVERY
            or self._pending_characters >= _FLUSH_CHARACTERS
            or monotonic() - self._flushed > _FLUSH_SECONDS
        ):
            self.flush()

    def flush(self) -> None:
        """When this returns, all finished documents survive a power failure: in the vault first, then here."""
        if self._vault is not None:
            self._vault.sync()
        if not self._pending:
            return
        if self._vault is not None:
            self._vault_generation = self._vault.state.generation
        pending, self._pending, self._pending_characters = self._pending, [], 0
        with reports_full_disk(self.path):
            is_new = not self._journal_path.exists()
            if self._file is None:
                descriptor = open_confidential(self._journal_path, os.O_WRONLY | os.O_APPEND)
                self._file = os.fdopen(descriptor, "ab")
            for entry in pending:
                content = {name: getattr(entry, name) for name in _FIELDS} | {
                    "vault_generation": self._vault_generation
                }
                self._file.write(json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
            if is_new:
                sync(self.path)
        self._flushed = monotonic()

    @property
    def vault_state(self) -> VaultState | None:
        """Of the vault when the last document was finished, so that it is the same after a stop while publishing."""
        return None if self._vault is None else VaultState(self._vault.state.id, self._vault_generation or 0)

    def entries(self) -> Iterator[Entry]:
        """All finished documents, in input order."""
        self.flush()
        if not self._journal_path.exists():
            return
        with self._journal_path.open("rb") as file:
            for line in file:
                yield Entry(**json.loads(line.decode("utf-8", "surrogatepass")))

    def leave(self) -> None:
        """The run failed: keep the folder if something in it was finished and can be resumed."""
        with suppress(OSError, SfumatoError):  # what cannot be flushed is lost; the run's own error says why
            self.flush()
        with suppress(OSError):
            self._close_journal()
        always = {self._settings_path.name, _LOCK}
        if any(path.name not in always and path.stat().st_size for path in self.path.iterdir()):
            os.close(self._lock)
        else:
            self.remove()

    def remove(self) -> None:
        """The run is done, or nothing was finished."""
        self._close_journal()
        os.close(self._lock)
        shutil.rmtree(self.path)

    def _close_journal(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()
