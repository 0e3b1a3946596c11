"""Training of the built-in bilingual static model: from a folder of pairs and texts to the files that ship.

One module a step, each a command (`python -m training.tokenizer --help`); `python -m training.all` runs
them in turn.  Needs more than the lab itself: see README.md.
"""
