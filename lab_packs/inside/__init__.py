"""Inside the index: what is read of postings, and what fewer bits of vectors cost.

`postings` walks along the lists of a question, `readings` are what lessons expect of such a walk.  `compressed`
searches vectors by their `codes`, and `compression` measures what they lose.
"""
