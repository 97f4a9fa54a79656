# make demo   set everything up and run the main job on the examples
# make check  style, types and the fast tests: what to run while working
# make test   set everything up and run all tests but those that need torch, spaCy, Presidio or Ray
# make test-extras  install these and run the tests that need them; none may be skipped
# make test-deep    many random examples of every property, and the slow tests
# make test-offline  every command, recipe and a process that stays alive under strace; none may be skipped
# make test-pythons  make demo and make test with the oldest and the newest Python from 3.11 on that is found
# make lint   style and types
# make bench  speed and memory, printed, not asserted
# make bench-detect DATA=folder  detectors side by side
# make lock   requirements/*.txt anew after a change of a dependency; UPGRADE=--upgrade takes the newest versions
# make sbom   sbom.cdx.json and the tables of docs/licences.md from requirements/

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
# A module's tests stay in one process: what several of them share is made once.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder
DEMO   := demo-out

.PHONY: demo examples/released check test test-extras test-deep test-offline test-pythons lint bench bench-detect lock sbom clean

# Exact versions with hashes (make lock). --no-deps: the lists are complete, and what is not in them is not installed.
# --only-binary: building from source would fetch tools that nobody hashed. rouge-score has to be built, by those of build.txt.
INSTALL := $(PIP) install --require-hashes --no-deps --only-binary :all:
BUILD   := --no-binary rouge-score --no-build-isolation

# Stamps, so that the demo installs what a user installs and nothing more.
$(VENV)/.user: pyproject.toml requirements/build.txt requirements/user.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -r requirements/build.txt -r requirements/user.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.user requirements/dev.txt
	$(INSTALL) $(BUILD) -r requirements/dev.txt
	touch $@

# On Linux torch is the CPU build, not the one of gigabytes; CONTRIBUTING.md says how pip finds it.
$(VENV)/.extras: $(VENV)/.dev requirements/extras.txt
	$(INSTALL) $(BUILD) -r requirements/extras.txt
	touch $@

demo: $(VENV)/.user
	rm -rf $(DEMO) && mkdir $(DEMO)
	$(BIN)/sfumato anonymize examples/texts --out $(DEMO)/released --audit $(DEMO)/audit.jsonl \
	    --vault $(DEMO)/vault.db --key-file $(DEMO)/vault.key
	@printf '\n--- a ruling, before and after: vaguer, and still true\n'
	$(BIN)/sfumato anonymize examples/texts/ruling.txt --preview 1
	@printf '\n--- and the way back, for whoever has the key\n'
	$(BIN)/sfumato restore $(DEMO)/released --out $(DEMO)/restored \
	    --vault $(DEMO)/vault.db --key-file $(DEMO)/vault.key
	cmp examples/texts/ruling.txt $(DEMO)/restored/ruling.txt
	@printf '\n--- a model sees a letter with numbered labels; its answer gets the real names back\n'
	$(BIN)/sfumato anonymize examples/texts/letters/tenancy.txt --recipe labels --out $(DEMO)/to-model.txt \
	    --vault $(DEMO)/labels.db --key-file $(DEMO)/labels.key
	@echo 'Dear PERSON_1, thank you. We have reminded PERSON_2, and the plumber comes to LOC_1.' | tee $(DEMO)/answer.txt
	@$(BIN)/sfumato restore $(DEMO)/answer.txt --out $(DEMO)/answer-restored.txt --document tenancy \
	    --vault $(DEMO)/labels.db --key-file $(DEMO)/labels.key --json > $(DEMO)/answer.json
	@cat $(DEMO)/answer-restored.txt
	@printf '\n--- no name is left in these biographies; who is found all the same?\n'
	$(BIN)/sfumato attack examples/texts/biographies.json $(DEMO)/released/biographies.json \
	    --background examples/background/people.csv
	@printf '\n--- methods side by side: risk against information kept\n'
	$(BIN)/sfumato compare examples/texts/biographies.json --method none --method default --method labels --method redact \
	    --method all --background examples/background/people.csv --metric risk --metric tps --metric rouge-l \
	    --report $(DEMO)/report.html
	@printf '\n--- protected: attacked, repaired until nobody stands out among eleven, verified by other attacks\n'
	@# Ranks are drawn at random: exit code 1 says that a document had to be withheld this time.
	$(BIN)/sfumato protect examples/protect/cases.jsonl --out $(DEMO)/protected/cases.jsonl --k 11 --preview 2 \
	    --background examples/protect/people.csv --audit $(DEMO)/protected-audit.jsonl \
	    --key-file $(DEMO)/protected.key --report $(DEMO)/protected.html || test $$? -eq 1
	@printf '\n--- the certificate that goes with it: are these the files, and what was promised?\n'
	$(BIN)/sfumato certificate $(DEMO)/protected/cases.jsonl.certificate.json $(DEMO)/protected/cases.jsonl
	@printf '\nOpen %s/protected.html and %s/report.html. Look at %s/released (share it) and %s/audit.jsonl (keep it).\n' \
	    $(DEMO) $(DEMO) $(DEMO) $(DEMO)

# What the README and docs/generalization.md show; a test says when it is out of date.
examples/released: $(VENV)/.user
	$(BIN)/sfumato anonymize examples/texts/ruling.txt examples/texts/profile.txt --out $@

FAST := tests/attacks tests/detectors tests/lexicon tests/metrics tests/rewriters tests/vault tests/test_layers.py \
	tests/papers/attacks tests/papers/detectors tests/papers/metrics tests/papers/rewriters

check: $(VENV)/.dev lint
	$(PYTEST) -m 'not deep and not extras' $(FAST)

test: $(VENV)/.dev
	$(PYTEST)

test-extras: $(VENV)/.extras
	$(BIN)/python -m pytest -m extras --no-skips

test-deep: $(VENV)/.dev
	HYPOTHESIS_PROFILE=deep $(PYTEST) -m 'deep or not deep'

# Two at a time: one of them waits for two minutes.
test-offline: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m 'not extras' --no-skips tests/test_offline.py

test-pythons:
	.ci/test-pythons

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/throughput.py

# DATA: a folder laid out as training/tagger/README.md says; peers run where they are installed.
bench-detect: $(VENV)/.dev
	PYTHONPATH=. $(BIN)/python benchmarks/detect.py --data $(DATA)

# The largest list first: the others take their versions from it. uv looks for the CPU build of torch where pip does.
LOCK := UV_FIND_LINKS="$${UV_FIND_LINKS-$$PIP_FIND_LINKS}" UV_EXTRA_INDEX_URL="$${UV_EXTRA_INDEX_URL-$$PIP_EXTRA_INDEX_URL}" \
        $(BIN)/uv pip compile --quiet
lock: $(VENV)/.user
	$(INSTALL) -r requirements/lock.txt
	$(LOCK) $(UPGRADE) pyproject.toml --all-extras requirements/dev.in requirements/extras.in -o requirements/extras.txt
	$(LOCK) pyproject.toml --extra formats --extra llm --extra dev requirements/dev.in -c requirements/extras.txt \
	    -o requirements/dev.txt
	$(LOCK) pyproject.toml --extra formats -c requirements/extras.txt -o requirements/user.txt
	$(LOCK) $(UPGRADE) requirements/build.in -c requirements/extras.txt -o requirements/build.txt
	$(LOCK) $(UPGRADE) requirements/lock.in -o requirements/lock.txt

sbom: $(VENV)/.user
	$(BIN)/python -m requirements.inventory

clean:
	rm -rf $(VENV) $(DEMO)
