"""Structured text inside documents: JSON, XML, code, logs, tables. Which parts are values, and where they end."""
