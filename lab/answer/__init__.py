"""An answer with its sources: the context as it is sent, sentences that answer, what each of them rests on."""
