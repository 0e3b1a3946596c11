"""Questions to tables: from a sentence to typed slots to one safe, parameterised SELECT, turn by turn.

    db = open_sample("candidates")                                  # or open_upload(name, bytes)
    turn = say(db, "三年以上经验、会 Python 的候选人", as_of=today)
    turn = say(db, "期望薪资不超过2万", as_of=today, before=turn.after)
    turn.answer, turn.result.rows, turn.query.bound, turn.new, turn.removed

`database` opens, `dialogue` talks, `answer` says slots in words, `free` lets a model write SQL; the rules are in
`rules` and what it calls, the words they know in `speech` and `hints`.
"""
