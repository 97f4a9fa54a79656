"""Keys, pseudonyms and the encrypted vault that restores originals."""
