"""Runs over files and folders: anonymize, protect, detect and restore; resumable and atomic."""

from sfumato.runs.anonymize import anonymize_files, detect_files
from sfumato.runs.restore import restore_files
from sfumato.runs.summary import Note, NothingRead, Summary

__all__ = ["Note", "NothingRead", "Summary", "anonymize_files", "detect_files", "restore_files"]
