# Every task of the project. "make run" and "make test" install what they lack.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

BUILD := .cache/bin/build

.PHONY: help run check format test site serve generate bench model edge edge-run clean tools npm $(BUILD)

help: ## Say what there is
	@echo 'make run     build the site into dist/ and serve it on http://localhost:8080 or the next free port'
	@echo 'make check   format, vet, staticcheck, types and the fast tests (less than a minute)'
	@echo 'make test    run every test (some minutes)'
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 13

run: site ## Build the site and serve it
	@echo 'serving dist/; stop with Ctrl-C'
	@$(BUILD) serve

check: ## Check format, lines, vet, staticcheck, generated files, types, and run the fast tests
	@tools/check

format: npm ## Format Go and TypeScript
	@gofmt -w $$(git ls-files '*.go' | grep -v /testdata/)
	@cd web && node_modules/.bin/prettier --log-level warn --write src test

test: ## Run every test
	@tools/test

site: $(BUILD) npm ## Build the site into dist/
	@$(BUILD) site

serve: $(BUILD) ## Serve dist/ as it is
	@$(BUILD) serve

generate: $(BUILD) ## Write generated code again
	@$(BUILD) generate

bench: npm ## Measure: Go benchmarks, sizes, and what else tools/bench knows
	@tools/bench

model: ## Get the embedding model and its runtime
	@tools/model

edge: ## Build the edge bundle
	@tools/edge build

edge-run: ## Serve the edge bundle on this machine
	@tools/edge run

clean: ## Delete what was built (dist/, .cache/, web/node_modules/)
	rm -rf dist .cache web/node_modules

# Go knows better than make what is up to date.
$(BUILD): | tools
	@mkdir -p .cache/bin
	@go build -o $(BUILD) ./cmd/build

tools:
	@tools/need go node npm

npm: | tools
	@tools/npm
