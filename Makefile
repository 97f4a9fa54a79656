# make demo   set everything up and run the main job on the examples
# make test   set everything up and run all tests
# make lint   style and types
# make bench  speed and memory, printed, not asserted
# make bench-detect DATA=folder  detectors side by side

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
DEMO   := demo-out

.PHONY: demo test lint bench bench-detect clean

# Two stamps, so that the demo installs what a user installs and nothing more.
$(VENV)/.user: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --constraint constraints.txt --editable '.[formats]'
	touch $@

$(VENV)/.dev: $(VENV)/.user
	$(PIP) install --constraint constraints.txt --editable '.[formats,dev]'
	touch $@

demo: $(VENV)/.user
	rm -rf $(DEMO) && mkdir $(DEMO)
	$(BIN)/sfumato anonymize examples --out $(DEMO)/released --audit $(DEMO)/audit.jsonl \
	    --vault $(DEMO)/vault.db --key-file $(DEMO)/vault.key
	@printf '\n--- a letter, before and after\n'
	$(BIN)/sfumato anonymize examples/letters/tenancy.txt --preview 1
	@printf '\n--- and the way back, for whoever has the key\n'
	$(BIN)/sfumato restore $(DEMO)/released --out $(DEMO)/restored \
	    --vault $(DEMO)/vault.db --key-file $(DEMO)/vault.key
	cmp examples/letters/tenancy.txt $(DEMO)/restored/letters/tenancy.txt
	@printf '\n--- a model saw only the release; its answer gets the real names back\n'
	@echo 'Dear PERSON_1, thank you. We have reminded PERSON_2, and the plumber comes to LOC_1.' | tee $(DEMO)/answer.txt
	@$(BIN)/sfumato restore $(DEMO)/answer.txt --out $(DEMO)/answer-restored.txt --document letters/tenancy \
	    --vault $(DEMO)/vault.db --key-file $(DEMO)/vault.key --json > $(DEMO)/answer.json
	@cat $(DEMO)/answer-restored.txt
	@printf '\n--- no name is left in these biographies; who is found all the same?\n'
	$(BIN)/sfumato attack examples/biographies.json $(DEMO)/released/biographies.json \
	    --background examples-background/people.csv
	@printf '\n--- methods side by side: risk against information kept\n'
	$(BIN)/sfumato compare examples/biographies.json --method none --method default --method redact --method all \
	    --background examples-background/people.csv --metric risk --metric tps --metric rouge-l \
	    --report $(DEMO)/report.html
	@printf '\nOpen %s/report.html. Look at %s/released (share it) and %s/audit.jsonl (keep it).\n' $(DEMO) $(DEMO) $(DEMO)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/throughput.py

# DATA: a folder laid out as training/tagger/README.md says; peers run where they are installed.
bench-detect: $(VENV)/.dev
	PYTHONPATH=. $(BIN)/python benchmarks/detect.py --data $(DATA)

clean:
	rm -rf $(VENV) $(DEMO)
