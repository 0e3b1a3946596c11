"""The visitor: what belongs to whom, how long it is kept, and who takes part."""
