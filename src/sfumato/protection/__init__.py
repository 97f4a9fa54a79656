"""The loop: attack a release, repair what the attack found, and verify what is left."""
