"""Classes: many take the course together, click on interleaved lists or judge passages, each on a phone.

`classes` holds them, `polls` their tasks.  Of `pages`, `joining` leads into a class, by a `link` or a code; `course` is
a visitor's part in it on the page Course, with `slides` for the projector; `evaluate` is the view of the page Evaluate
for teachers, `students` what their students see, and `results` what comes out.
"""
