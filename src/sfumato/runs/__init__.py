"""Runs over files and folders: anonymize, protect, detect and restore; resumable and atomic."""
