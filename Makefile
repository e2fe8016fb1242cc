# SPDX-License-Identifier: GPL-2.0-or-later
# Plumbline. `make help` lists the targets. Everything made lies under build/; paths are relative, so
# the folder may have a space in its name.

BUILD   = build
# V=1 shows the commands.
Q       = $(if $(V),,@printf "  %s\n" "$@";)
# The targets that build everything use all processors, whatever make itself was told.
PARALLEL = -j$(shell nproc)
CC      = gcc
CXX     = g++
OPT     = -O2 -g
WARN    = -Wall -Wextra -Wshadow -Wformat=2 -Wvla -Wpointer-arith -Wundef -Werror
WARN_C  = $(WARN) -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
HARDEN  = -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
ifdef SANITIZE
OPT     = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
HARDEN  = -fPIE
endif
ifdef THREADS
OPT     = -O1 -g -fno-omit-frame-pointer -fsanitize=thread
HARDEN  = -fPIE
endif
ifdef FUZZER
OPT     = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
HARDEN  = -fPIE -fsanitize=fuzzer-no-link
endif
CFLAGS   = -std=gnu17 $(OPT) $(WARN_C) $(HARDEN)
CXXFLAGS = -std=gnu++17 $(OPT) $(WARN) $(HARDEN)
CPPFLAGS = -I. -I$(BUILD)/gen -D_GNU_SOURCE -include server/base/banned.h $(LIBS_INC)
# Headers that lie in folders of their own.
LIBS_INC := $(shell pkg-config --cflags-only-I gmime-3.0 libxml-2.0 2>/dev/null | sed 's/-I/-isystem /g')
LDFLAGS  = -pie -Wl,-z,relro,-z,now
LIBS     = -lmicrohttpd -lsqlite3 -ljansson -lgit2 -lgmime-3.0 -lgobject-2.0 -lglib-2.0 -lxml2 \
	   -lz -lzstd -llzma -lsodium -lm -lpthread -lstdc++

SRC  = $(wildcard server/*.c server/*/*.c db/*.c importers/*.c)
OBJ  = $(SRC:%.c=$(BUILD)/%.o) $(BUILD)/server/base/num.o $(BUILD)/gen/embedded.o
CORE = $(filter-out $(BUILD)/server/main.o,$(OBJ))
UNIT = $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))
EMBED = $(sort $(wildcard static/*.css static/*.js static/*.svg static/*.json db/migrations/sqlite/*.sql))

.PHONY: all run check bench scale asan tsan faults fuzz install clean help deps deps-check units lint
all: $(BUILD)/plumbline $(BUILD)/invent

$(BUILD)/plumbline: $(OBJ)
	$(Q)$(CC) $(OPT) $(LDFLAGS) -o $@ $(OBJ) $(LIBS)

.PHONY: deps-build
deps-build:
	@deploy/packages.sh need build
$(OBJ) $(BUILD)/embed $(BUILD)/deploy/sample/invent.o: | deps-build

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.cc
	@mkdir -p $(@D)
	$(Q)$(CXX) -I. $(CXXFLAGS) -MMD -MP -c -o $@ $<

# Static files and migrations, as C arrays.
$(BUILD)/embed: static/embed.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O1 -D_GNU_SOURCE $(WARN_C) -o $@ $< -lz

$(BUILD)/gen/embedded.c: $(BUILD)/embed $(EMBED)
	@mkdir -p $(@D)
	$(Q)$(BUILD)/embed $(EMBED) > $@.tmp && mv $@.tmp $@

$(BUILD)/gen/embedded.o: $(BUILD)/gen/embedded.c
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/unit/%: tests/unit/%.c $(CORE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(CORE) -lcmocka $(LIBS)

# Faults of disk, power and memory. test_memory fails the program's own allocations.
FAULT_LAB = $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/fault/test_%,$(wildcard tests/fault/*.c)))
FAULT = $(patsubst tests/fault/%.c,$(BUILD)/fault/%,$(wildcard tests/fault/test_*.c))
WRAPPED = malloc calloc realloc strdup
$(BUILD)/fault/test_memory: LDFLAGS += $(WRAPPED:%=-Wl,--wrap=%)
$(BUILD)/fault/%: tests/fault/%.c $(FAULT_LAB) $(CORE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(FAULT_LAB) $(CORE) -lcmocka $(LIBS)

.PHONY: fault-tests
fault-tests: $(FAULT) $(FAULT_LAB)
-include $(FAULT_LAB:.o=.d) $(FAULT:=.d)

# Fuzz targets: with replay.c they run the committed inputs, with FUZZER=1 (clang) they are libFuzzer's.
FUZZ = $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_LAB = $(addprefix $(BUILD)/tests/fuzz/,must.o same.o stream.o head.o lab.o $(if $(FUZZER),,replay.o))
$(FUZZ): HARDEN += $(if $(FUZZER),-fsanitize=fuzzer)
$(BUILD)/fuzz/%: tests/fuzz/%.c $(FUZZ_LAB) $(CORE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(FUZZ_LAB) $(CORE) $(LIBS)

.PHONY: fuzz-tests
fuzz-tests: $(FUZZ) $(FUZZ_LAB)
-include $(FUZZ_LAB:.o=.d) $(FUZZ:=.d)

# The generator of the invented labs. No fused multiply-add: the same bytes on every machine.
INVENT = $(patsubst %.c,$(BUILD)/%.o,$(wildcard deploy/sample/*.c))
$(INVENT): HARDEN += -ffp-contract=off
$(BUILD)/invent: $(INVENT) $(BUILD)/server/base/num.o $(BUILD)/server/base/number_parse.o
	$(Q)$(CC) $(OPT) $(LDFLAGS) -o $@ $^ -lm -lstdc++

# The client and the bare limits of the benchmarks.
$(BUILD)/bench/%: tests/bench/%.c $(BUILD)/server/base/num.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lmicrohttpd -lsqlite3 -ljansson -lm -lpthread -lstdc++

$(BUILD)/bench/importing: tests/bench/importing.c $(CORE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(CORE) $(LIBS)

# Benchmarks of single rooms need those rooms.
BENCH_WHOLE = $(BUILD)/bench/judge $(BUILD)/bench/changepoints $(BUILD)/bench/mails
$(BENCH_WHOLE): $(BUILD)/bench/%: tests/bench/%.c $(CORE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(CORE) $(LIBS)

# How right the verdicts are. Made-up data are the same on every machine.
EVALUATE = $(BUILD)/evaluate/verdicts $(BUILD)/evaluate/change_points
VERDICTS = $(patsubst %,tests/evaluate/%.c,verdicts generate rivals days)
$(BUILD)/evaluate/verdicts: $(VERDICTS) $(wildcard tests/evaluate/*.h) $(CORE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -ffp-contract=off $(LDFLAGS) -o $@ $(VERDICTS) $(CORE) $(LIBS)

$(BUILD)/evaluate/change_points: tests/evaluate/change_points.c $(CORE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(CORE) $(LIBS)

# The walk over ranges alone.
$(BUILD)/bench/walk: tests/bench/walk.c $(CORE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(CORE) $(LIBS)

# Prints every SQL statement of the program, for tests/sql/prepare_postgres.sh.
$(BUILD)/list_statements: tests/sql/list_statements.c $(CORE)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(CORE) $(LIBS)

units: $(UNIT) $(BUILD)/list_statements

# All objects and no program: what the second compiler is asked for.
.PHONY: objects
objects: $(filter-out %/num.o,$(OBJ))

-include $(OBJ:.o=.d) $(UNIT:=.d) $(INVENT:.o=.d)

run: ## install what is missing, build, load the sample lab and serve it
	@deploy/packages.sh install build
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@deploy/sample/run.sh $(BUILD) $(LISTEN)

check: ## install what is missing, build and run every test
	@deploy/packages.sh install build check
	@$(MAKE) --no-print-directory $(PARALLEL) all units fault-tests fuzz-tests
	@tests/run.sh $(BUILD)

asan: ## build and run the tests with address and undefined-behaviour sanitizers
	@deploy/packages.sh install build check
	@tests/run.sh $(BUILD) sanitizers

tsan: ## build and run the unit tests and HTTP cases with the thread sanitizer
	@deploy/packages.sh install build check
	@tests/run.sh $(BUILD) threads

faults: ## the fault tests at length: every k, thousands of power cuts; prints the figures
	@deploy/packages.sh install build check
	@$(MAKE) --no-print-directory $(PARALLEL) fault-tests
	@FAULTS=long tests/run.sh $(BUILD) fault

SECONDS = 60
fuzz: ## make up inputs for every target; SECONDS=60 for each
	@deploy/packages.sh install build check fuzz
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=$(BUILD)/libfuzzer CC=clang CXX=clang++ FUZZER=1 fuzz-tests
	@tests/fuzz/run.sh $(BUILD)/libfuzzer/fuzz $(SECONDS)

# Each importer by itself, long enough to find what the targets above have no time for.
JOBS ?= $(shell nproc)
.PHONY: fuzz-formats
fuzz-formats: SECONDS = 600
fuzz-formats: ## make up inputs for every importer by itself; SECONDS=600 for each, JOBS of them at a time
	@deploy/packages.sh install build check fuzz
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=$(BUILD)/libfuzzer CC=clang CXX=clang++ FUZZER=1 fuzz-tests
	@JOBS=$(JOBS) tests/fuzz/run.sh $(BUILD)/libfuzzer/fuzz $(SECONDS) formats

lint: ## the house rules: who includes whom, sizes, escaping, layout
	@tests/lint/lint.sh

bench: ## measure against the limits of the libraries, side by side
	@deploy/packages.sh install build check
	@$(MAKE) --no-print-directory $(PARALLEL) all $(BUILD)/bench/client $(BUILD)/bench/limits $(BUILD)/bench/importing $(BENCH_WHOLE)
	@tests/bench/run.sh $(BUILD)

.PHONY: evaluate
evaluate: ## how often verdicts are wrong and what they find, beside other rules on the same data
	@deploy/packages.sh install build
	@$(MAKE) --no-print-directory $(PARALLEL) $(EVALUATE)
	@$(BUILD)/evaluate/verdicts
	@echo
	@$(BUILD)/evaluate/change_points tests/data/change-points.json

scale: ## the same pages with 1 million and with 100 million values stored
	@deploy/packages.sh install build check
	@$(MAKE) --no-print-directory $(PARALLEL) all $(BUILD)/bench/client
	@tests/bench/scale.sh $(BUILD)

.PHONY: ranges
ranges: ## 200 ranges of 50,000 commits against git, and how long the walk takes beside it
	@deploy/packages.sh install build check
	@$(MAKE) --no-print-directory $(PARALLEL) all $(BUILD)/bench/walk
	@tests/bench/range.sh $(BUILD)

.PHONY: load
load: ## 100 clients for a minute, then 16 bodies of 64 MiB at once: nothing lost, memory bounded
	@deploy/packages.sh install build check
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@PLUMBLINE=$(BUILD)/plumbline node tests/load/clients.mjs
	@PLUMBLINE=$(BUILD)/plumbline node tests/load/memory.mjs
	@PLUMBLINE=$(BUILD)/plumbline node tests/load/large_files.mjs

install: all ## copy the program to DESTDIR/usr/bin
	install -D -m 755 $(BUILD)/plumbline "$(DESTDIR)/usr/bin/plumbline"

clean: ## remove everything made
	rm -rf $(BUILD)

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile
