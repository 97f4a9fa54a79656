"""Whole files and folders: what the command line does to them."""

from sfumato.runs.anonymize import anonymize_files, detect_files
from sfumato.runs.restore import restore_files
from sfumato.runs.summary import Note, NothingRead, Summary

__all__ = ["Note", "NothingRead", "Summary", "anonymize_files", "detect_files", "restore_files"]
