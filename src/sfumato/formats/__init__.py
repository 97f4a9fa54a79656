"""File formats: documents from files, and files from releases. ``base`` has the interfaces, one module each format."""
