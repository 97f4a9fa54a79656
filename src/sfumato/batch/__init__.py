"""Whole files and folders: what the command line does to them."""

from sfumato.batch.job import Progress
from sfumato.batch.summary import Note, NothingRead, Summary
from sfumato.batch.tasks import anonymize_files, detect_files, restore_files

__all__ = ["Note", "NothingRead", "Progress", "Summary", "anonymize_files", "detect_files", "restore_files"]
