"""Whether one phrase is true of what another names, and says less."""
