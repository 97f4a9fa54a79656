"""Words as words: their forms, classes and sentences, whatever they mean."""
