"""What Python offers: checks and their results by name, evidence in files and judged, texts as commands print them."""
