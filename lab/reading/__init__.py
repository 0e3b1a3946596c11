"""Uploads: formats, encodings, archives and tables; content decides, and one bad file never loses the good ones."""
