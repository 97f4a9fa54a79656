"""A file that shows nothing without its key, and leaves nothing beside it."""

from __future__ import annotations

from pathlib import Path

from sfumato.vault.store import Vault


def test_a_closed_vault_is_one_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    with Vault.open(tmp_path / "v.db", tmp_path / "v.key") as vault:
        vault.assign("s", "k", "anna", lambda taken: ["PERSON_1"])
    assert {path.name for path in tmp_path.iterdir()} == {"v.db", "v.key"}
    assert (tmp_path / "v.db").stat().st_mode & 0o777 == 0o600
