"""The encoder of the late-interaction attack: trained so that pieces about one person find each other."""
