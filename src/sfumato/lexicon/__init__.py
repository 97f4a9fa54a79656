"""Facts about words, names, places, dates and numbers. Nothing here knows of anonymization."""
