"""What lets the owner of a key, and nobody else, go back from a release."""

from sfumato.vault.ledger import Key, Ledger
from sfumato.vault.restore import Restorer, restore_with
from sfumato.vault.store import Vault

__all__ = ["Key", "Ledger", "Restorer", "Vault", "restore_with"]
