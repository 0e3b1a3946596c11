"""Language models on the pages: connecting one, what it would cost, what it writes, what would be downloaded."""
