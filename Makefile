# What one does most often.  `just` users: the names are the same.
.PHONY: run test nightly lint bench wheel

run:            ## start the app from this checkout
	python -m lab

test:           ## the whole suite
	python -m pytest

nightly:        ## the long proofs too: every drawn case, every width, every lesson on its page
	HYPOTHESIS_PROFILE=nightly python -m pytest -m "nightly or not nightly"

lint:           ## style and types
	ruff check . && mypy

BENCHMARKS = quality reading derive dialogue citations vectors runner ablate evaluate rerun rewrite rerank embedders pipeline retrieve text2sql first_paint routing classroom million lesson

bench:          ## every benchmark, each to its end; LAB_COLLECTIONS names the folder of test collections
	@failed=; for b in $(BENCHMARKS); do echo "== $$b"; python -m benchmarks.$$b || failed="$$failed $$b"; done; \
	test -z "$$failed" || { echo "not well:$$failed"; exit 1; }

wheel:          ## the wheel, with pages, guides and sample corpora inside
	python -m build --wheel
