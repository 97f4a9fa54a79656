"""What is true of a phrase and less specific, one package a hierarchy; and how it is put into a sentence."""
