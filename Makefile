# What one does most often.  `just` users: the names are the same.
.PHONY: run test core nightly lowest newest lint bench peers findings wheel dependencies docs

run:            ## start the app from this checkout
	python -m lab

test:           ## the suite: a fixed sample of the long proofs, the same on every day
	python -m pytest

core:           ## the suite of the core, in a copy without lab_packs and an environment without its entry points
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; mkdir "$$folder/lab"; \
	git archive HEAD | tar -x -C "$$folder/lab" --exclude=lab_packs && python -m venv --without-pip "$$folder/env" && \
	python -c 'import sys; print(*(path for path in sys.path if path.endswith("-packages")), sep="\n")' \
		> "$$(echo "$$folder"/env/lib/python*/site-packages)/packages.pth" && cd "$$folder/lab" && \
	if "$$folder/env/bin/python" -c 'import lab_packs' 2> "$$folder/none"; then \
		echo "lab_packs is installed as a package: install the lab with pip install -e"; exit 1; \
	else "$$folder/env/bin/python" -m pytest $(TESTS); fi

nightly:        ## all of the long proofs: every drawn case, every width, every lesson on its page
	HYPOTHESIS_PROFILE=nightly python -m pytest -m "nightly or not nightly"

peers:          ## what is said of other software, with that software: it is no dependency of the tests
	python -m pip install -q haystack-ai==3.4.1 llama-index-core==0.14.25
	python -m pytest -m "nightly or not nightly" tests/oracles/test_lift.py tests/oracles/test_other_fusions.py

findings:       ## surprises of other software, each with its pinned packages
	@for script in findings/*.sh; do echo "== $$script"; $$script || exit 1; done

lowest:         ## the lowest versions that pyproject.toml allows: commands and two pages with them
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	python -m venv "$$folder" && "$$folder/bin/python" -m pip install -q uv && \
	"$$folder/bin/uv" pip install -q --python "$$folder/bin/python" --resolution lowest-direct \
		-e '.[datasets,langchain,scale]' && \
	"$$folder/bin/python" tests/lowest.py

newest:         ## the newest versions that pip finds: the suite with them
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	python -m venv "$$folder" && "$$folder/bin/python" -m pip install -q --upgrade pip && \
	"$$folder/bin/python" -m pip install -q -e '.[test]' && \
	"$$folder/bin/python" -m pip list && "$$folder/bin/python" -m pytest

dependencies:   ## constraints.txt and docs/licences.md, from what is installed
	python -m maintenance.dependencies constraints --write && python -m maintenance.dependencies licences --write

lint:           ## style and types
	ruff check . && mypy

BENCHMARKS = references quality rerank embedders rewrite routing spelling derive dialogue citations answers abstain text2sql \
	retrieve pipeline vectors million codes graph lengths operators engine runner evaluate ablate grow reading \
	first_paint light rerun classroom lesson soak size

bench:          ## every benchmark to its end, results in benchmarks/results; LAB_COLLECTIONS: the test collections
	@failed=; for b in $(BENCHMARKS); do echo "== $$b"; python -m benchmarks.$$b --write || failed="$$failed $$b"; done; \
	test -z "$$failed" || { echo "not well:$$failed"; exit 1; }

wheel:          ## the wheel, with pages, guides, sample corpora and their indexes inside
	python -m build --wheel --no-isolation

docs:           ## the documentation as a site, in build/site (extra `docs`)
	mkdocs build -f docs/en.yml && mkdocs build -f docs/zh.yml
