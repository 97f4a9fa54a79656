"""Places of the world: countries, regions, cities, rivers, and who lives there."""
