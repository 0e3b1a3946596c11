"""Uploads: formats, encodings, archives and tables, each file by its content; one bad file never loses the good ones."""
