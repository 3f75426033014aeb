# The two commands a newcomer needs are `make demo` and `make test`.
GO      ?= go
BIN     := bin/wf
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# -trimpath and no build id: the same source gives the same binary in any folder.
BUILD   := $(GO) build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)"

.PHONY: build demo test test-full lint regal bench coverage fmt generate clean

build: ## build bin/wf
	$(BUILD) -o $(BIN) ./cmd/wf

demo: build ## plan, approve, apply, report on a throwaway repository; no account, no network beyond modules
	@bash testdata/demo/run.sh $(abspath $(BIN))

test: ## unit, property and script tests: minutes, no network beyond modules
	$(GO) test -count=1 -timeout 30m ./...

test-full: ## the same with long simulations and more crash points
	WF_TEST_FULL=1 $(GO) test -count=1 -timeout 60m ./...

lint: ## formatting, vet, staticcheck; each with its reason in CONTRIBUTING.md
	@test -z "$$(gofmt -l cmd dsl planner materializer policies)" || { gofmt -l cmd dsl planner materializer policies; echo "run: make fmt"; exit 1; }
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	sed -n '/^<!-- file: .github\/workflows/,/^```$$/p' docs/ci.md | sed '1,2d;/^```/d' | $(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -

regal: ## the linter of Rego over the built-in layer and the examples; fetches it
	$(GO) run github.com/open-policy-agent/regal@v0.38.1 lint policies/rego policies/examples

fmt: ## gofmt everything
	gofmt -w cmd dsl planner materializer policies

generate: ## schema, reference pages, coverage table
	$(GO) generate ./...

bench: ## benchmarks; figures are ratios to peers in the same run, never asserted
	$(GO) test -run '^$$' -bench . -benchmem ./...

coverage: ## every requirement ID with the tests that name it
	$(GO) test -count=1 -run TestRequirementCoverage ./cmd/wf -v

clean: ## remove what this file made
	rm -rf bin coverage.out
