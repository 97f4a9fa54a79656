"""What an ordinary word may become and still be true."""

from sfumato.protection.wordings.base import SUPPRESSED, Wording
from sfumato.protection.wordings.choose import wordings
from sfumato.protection.wordings.figures import figures
from sfumato.protection.wordings.quotations import quotations

__all__ = ["SUPPRESSED", "Wording", "figures", "quotations", "wordings"]
