# Everything that a developer or CI runs. `make` alone prints the list.

GO       ?= go
FUZZTIME ?= 10s
BENCH    ?= .
COUNT    ?= 1
TIMEOUT  ?= 15m

GOLANGCI_VERSION := 2.15.0
GOFUMPT_VERSION  := 0.12.0

# The tools live in build/, which git ignores, and carry their version in the
# name: another version is another file, so nothing stale is ever used.
TOOLS    := $(CURDIR)/build/tools
GOLANGCI := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)
GOFUMPT  := $(TOOLS)/gofumpt-$(GOFUMPT_VERSION)

MODULES := . admin

# The race detector needs a C compiler; Go reports CGO_ENABLED=0 without one.
RACE := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)

# internal/e2e kills and restarts whole programs: `make crash` runs it.
UNIT = $$($(GO) list ./... | grep -v '/internal/e2e')

# What needs real database servers beside SQLite.
DATABASES := ./internal/store/... ./internal/besidejava/... ./internal/dbtest/... ./internal/rest/... ./internal/pagebench/...

.DEFAULT_GOAL := help
.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Compile both modules; examples go to build/examples, the admin to build/bin
	@set -e; for m in $(MODULES); do (cd $$m && $(GO) build ./...); done
	@mkdir -p build/examples build/bin
	$(GO) build -o build/examples/ ./examples/...
	cd admin && $(GO) build -o ../build/examples/ ./examples/... && $(GO) build -o ../build/bin/ ./cmd/...

.PHONY: test
test: ## Vet and test both modules with the race detector, on SQLite; needs nothing but Go
	$(if $(RACE),,@echo "note: no C compiler, so the tests run without the race detector")
	@set -e; for m in $(MODULES); do \
		echo "== go vet, go test $(RACE) in $$m"; \
		(cd $$m && $(GO) vet ./... && $(GO) test $(RACE) -timeout $(TIMEOUT) $(UNIT)); \
	done

.PHONY: race
race: ## Test both modules three times with the race detector
	@set -e; for m in $(MODULES); do (cd $$m && $(GO) test -race -count=3 -timeout 30m $(UNIT)); done

.PHONY: lint
lint: $(GOLANGCI) $(GOFUMPT) ## Run golangci-lint, go fix -diff and gofumpt on both modules
	@set -e; for m in $(MODULES); do \
		echo "== golangci-lint, go fix -diff in $$m"; \
		(cd $$m && $(GOLANGCI) run --config $(CURDIR)/.golangci.yml ./... && $(GO) fix -diff ./...); \
	done
	@.ci/formatted $(GOFUMPT)

.PHONY: fmt
fmt: $(GOLANGCI) ## Format both modules, and use newer forms of the language, as lint wants it
	@set -e; for m in $(MODULES); do \
		(cd $$m && $(GO) fix ./... && $(GOLANGCI) fmt --config $(CURDIR)/.golangci.yml ./...); \
	done

.PHONY: screens
screens: ## Picture every page of the console in every language, theme and width, into build/screens
	cd admin && $(GO) test -tags browser -count=1 -timeout 40m -run 'TestWalk|TestEmpty|TestActions|TestThrottle' ./internal/browsertest -everything

.PHONY: browser
browser: ## Prove the console in a real Chromium: every page, and what an operator does
	cd admin && $(GO) test -tags browser -count=1 -timeout 15m ./internal/browsertest

.PHONY: pictures
pictures: ## Make the pictures of README and tutorial anew, in docs/images
	cd admin && $(GO) test -tags browser,pictures -count=1 -run TestPictures ./internal/browsertest

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (10s)
	@GO=$(GO) .ci/fuzz $(FUZZTIME)

.PHONY: bench
bench: ## Run the published benchmark and print its table
	$(GO) run ./bench

.PHONY: admin-bench
admin-bench: ## Run the admin's benchmark on SQLite and MariaDB: about an hour
	cd admin && $(GO) run ./bench

.PHONY: page-bench
page-bench: ## Ask for every page and list with 1,000,000 runs on the three databases: about five minutes
	cd admin && $(GO) test -tags databases -run '^$$' -bench Pages -benchtime 10x -timeout 30m ./internal/pagebench \
		-runs 1000000 -jobs 10000 -audits 100000

.PHONY: microbench
microbench: ## Run the Go benchmarks that match BENCH (all), COUNT times (1)
	@set -e; for m in $(MODULES); do \
		(cd $$m && $(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./...); \
	done

.PHONY: long
long: ## Run the full-length crash and fault tests
	XXLJOB_LONG=1 $(GO) test -count=1 -timeout 4h -v ./internal/e2e/...
	cd admin && XXLJOB_LONG=1 $(GO) test -tags long -count=1 -timeout 4h -v ./internal/e2e/... ./internal/simulation/...
	cd admin && XXLJOB_LONG=1 $(GO) test -tags databases -count=1 -timeout 4h -v ./internal/besidejava/...

.PHONY: cover
cover: ## Write the coverage of both modules to build/cover and print the sums
	@mkdir -p build/cover
	@set -e; for m in $(MODULES); do \
		out=$(CURDIR)/build/cover/$$(basename $$(cd $$m && pwd)).out; \
		(cd $$m && $(GO) test -coverprofile $$out $(UNIT) && $(GO) tool cover -func $$out | tail -n 1); \
	done

.PHONY: golden
golden: ## Write the golden files anew; look at the diff before you commit
	@set -e; for f in $$(grep -rlE --include='*_test.go' 'flag\.Bool\("update"' . | grep -v '^./build/'); do \
		(cd $$(dirname $$f) && $(GO) test -count=1 . -update); \
	done

.PHONY: generate
generate: ## Run go generate in both modules
	@set -e; for m in $(MODULES); do (cd $$m && $(GO) generate ./...); done

.PHONY: databases
databases: ## Test the store on MariaDB and PostgreSQL too; installs them with apt-get if missing
	cd admin && $(GO) test -tags databases -count=1 -timeout 20m $(DATABASES)

.PHONY: interop
interop: ## Java's classes drive our executor; needs Maven and a JDK
	$(GO) test -tags interop -count=1 -timeout 30m ./internal/interop/...

.PHONY: admin-interop
admin-interop: ## Java executors work under our admin; needs Maven, a JDK and MariaDB
	cd admin && $(GO) test -tags interop -count=1 -timeout 30m ./internal/interop/...

.PHONY: crash
crash: ## Run the short forms of the executor's crash and fault tests
	$(GO) test -count=1 -timeout 20m ./internal/e2e/...

.PHONY: admin-crash
admin-crash: ## Run the short forms of the admin's crash and fault tests; needs the databases
	cd admin && $(GO) test -count=1 -timeout 20m ./internal/e2e/...

.PHONY: tidy
tidy: ## Tidy go.mod and go.sum of both modules
	@set -e; for m in $(MODULES); do (cd $$m && GOWORK=off $(GO) mod tidy); done

.PHONY: verify
verify: ## Run everything that CI runs
	.ci/run

.PHONY: clean
clean: ## Remove build/, which holds tools, examples, coverage and logs of CI
	rm -rf build

$(GOLANGCI):
	@mkdir -p $(TOOLS)/new
	GOWORK=off GOBIN=$(TOOLS)/new $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(GOLANGCI_VERSION)
	@mv $(TOOLS)/new/golangci-lint $@

$(GOFUMPT):
	@mkdir -p $(TOOLS)/new
	GOWORK=off GOBIN=$(TOOLS)/new $(GO) install mvdan.cc/gofumpt@v$(GOFUMPT_VERSION)
	@mv $(TOOLS)/new/gofumpt $@
