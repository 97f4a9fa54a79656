"""The recipes of published methods, as the group ``sfumato.recipes`` names them."""
