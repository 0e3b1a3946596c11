"""Questions to tables: every word of a question is accounted for, or it is asked back; then one safe SELECT.

    db = open_sample("candidates")                                  # or open_upload(name, bytes)
    turn = say(db, "三年以上经验、会 Python 的候选人", as_of=today)
    turn = say(db, "期望薪资不超过2万", as_of=today, before=turn)
    turn.answer, turn.result.rows, turn.query.bound, turn.new, turn.removed

The way of a question, module by module:

- words: `linking` finds all that each can be, in `naming` (the schema's names and values, by `hints`), `lexicon` (what
  makes a question a question), `numbers` and `dates`;
- phrases: `reader` puts pieces together; `quantities`, `values`, `conditions`, `measures`, `tops` and `phrases` make
  `facts` of them, the cheapest that account for every word;
- trees: `assembling` tries every table; `lacking`, `ranking` and `drafting` make its `tree`; `reading` lays a turn over
  the tree that stands and weighs what a question can mean, `dialogue` runs one, asks back or names what is not
  understood;
- rows: `clauses` and `sql` build the query, `guard` runs it, `wording` and `answer` say it from the tree, `alignment`
  says which words became which SQL;
- around it: `database`, `upload` and `inspecting` (what a file is), `lessons` (and questions to begin with),
  `model_tree` and `free` (a language model's tree and SQL).
"""
