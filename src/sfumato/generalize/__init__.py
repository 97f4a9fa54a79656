"""What is true of a phrase and less specific, one package a ladder; and how it is put into a sentence."""
