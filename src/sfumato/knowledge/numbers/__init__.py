"""Numbers in digits and in words: reading and writing them."""
