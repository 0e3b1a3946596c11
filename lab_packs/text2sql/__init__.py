"""Questions to tables: every word is accounted for, or the user is asked for clarification; then one safe SELECT.

    db = open_sample("candidates")                                  # or open_upload(name, bytes)
    turn = say(db, "三年以上经验、会 Python 的候选人", as_of=today)
    turn = say(db, "期望薪资不超过2万", as_of=today, before=turn)
    turn.answer, turn.result.rows, turn.query.bound, turn.new, turn.removed

The way of a question, module by module:

- words: `documents` has the schema's tables, columns and values as small documents (called so in `calling`, by `hints`),
  `keywords` the words that open slots, `lexicon` names of people; `tagging` finds the spans of a question;
- slots: `filling` fills the `slots` (what, show, measure, conditions, time, group, order and limit); numbers and days
  are read by `lab.text.quantities`;
- trees: `assembling` joins slots to one `tree` by foreign keys, with a score that is a sum of named components;
  `assembly` orders these readings; `turns` lays a turn over the tree that stands; `question` runs all of that;
- rows: `dialogue` decides whether to run, to ask for clarification or to name unknown words; `clauses` and `sql` build the
  query, `guard` runs it, `wording` and `answer` say it from the tree, `alignment` says which words became which SQL;
- around it: `database`, `upload` and `inspecting` (what a file is), `lessons` (and questions to begin with), `recall`
  (how well the lists of `documents` do), `solved` (the nearest questions whose SQL is known), `model_tree` and `free`
  (a language model's tree and SQL).
"""
