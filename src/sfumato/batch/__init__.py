"""Whole files and folders: what the command line does to them."""

from sfumato.batch.anonymize import anonymize_files
from sfumato.batch.detect import detect_files
from sfumato.batch.job import Progress
from sfumato.batch.restore import restore_files
from sfumato.batch.summary import Note, NothingRead, Summary

__all__ = ["Note", "NothingRead", "Progress", "Summary", "anonymize_files", "detect_files", "restore_files"]
