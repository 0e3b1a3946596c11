"""Milvus: a file, a server or a cluster that holds what outgrows one process, as lists of the lab.

`searches` has the operators, `engine` fills and opens corpora whose texts stay there (`corpus`), `command` is
``retrieval-lab index``, `measuring` compares its graph.  Under them are `shelf`, a collection, with its `notes`,
`terms` and `filters`, and `server`, the only module that calls Milvus.
"""
