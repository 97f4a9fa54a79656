"""Fine-tuning of any Hugging Face encoder to find entities. See README.md beside this file."""
