"""The visitor and the class: what belongs to whom, how long it is kept, and how others join."""
