"""Plug-ins for Sfumato, one to a module; pyproject.toml says by which names they are found."""
