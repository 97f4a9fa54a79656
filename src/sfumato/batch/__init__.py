"""Whole files and folders: what the command line does to them."""

from sfumato.batch.job import NothingRead, Progress, Summary
from sfumato.batch.tasks import anonymize_files, detect_files, restore_files

__all__ = ["NothingRead", "Progress", "Summary", "anonymize_files", "detect_files", "restore_files"]
