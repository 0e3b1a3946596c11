"""multilingual-e5-small: a neural embedder in a package, without a download.

`embedder` is the model, `native` the guard of the process that holds its library, `worker` the script of that process,
`kept_vectors` what was computed here and what comes with the pack: the vectors of the sample corpora in ``vectors``.
"""
