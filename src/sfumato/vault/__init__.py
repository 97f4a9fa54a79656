"""Keys, pseudonyms and the encrypted vault that restores originals."""

from sfumato.vault.ledger import Key, Ledger
from sfumato.vault.restore import Restorer, restore_with
from sfumato.vault.store import Vault

__all__ = ["Key", "Ledger", "Restorer", "Vault", "restore_with"]
