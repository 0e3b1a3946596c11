"""Inside the index: what a search engine reads of its postings to answer a question, and what it may skip.

`postings` walks along the lists of a question, `readings` are what lessons expect of such a walk.
"""
