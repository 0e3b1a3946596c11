# What one does most often.  `just` users: the names are the same.
.PHONY: run test lint bench wheel

run:            ## start the app from this checkout
	python -m lab

test:           ## the whole suite
	python -m pytest

lint:           ## style and types
	ruff check . && mypy

bench:          ## every benchmark; LAB_COLLECTIONS names the folder of test collections
	for b in benchmarks/[a-z]*.py; do echo "== $$b"; python -m $$(echo $$b | sed 's|/|.|;s|.py$$||') || exit 1; done

wheel:          ## the wheel, with pages, guides and sample corpora inside
	python -m build --wheel
