"""HTML: everything in it that a reader or a machine can see is treated."""
