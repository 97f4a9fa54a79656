"""Sheets for human raters, and the agreement of annotators."""
