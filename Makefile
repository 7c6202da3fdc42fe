# SPDX-License-Identifier: MIT
#
# Thin targets over premake5.lua and tools/. `make help` lists them.
#
#   make build CONFIG=debug                      release (default), debug, asan
#   make build COMPILER=clang                    gcc (default), clang
#   make build ARCH=wasm                         native (default), aarch64, wasm
#   make test FILTER=name                        only tests whose name holds `name`
#   make install PREFIX=/usr/local DESTDIR=
#   HEM_DEPS=DIR make build                      third-party parts from DIR; tools/deps is not called

CONFIG ?= release
COMPILER ?= gcc
ARCH ?= native
GROUP ?= programs
FILTER ?=
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# The generated makefiles name their own compilers and flags.
unexport CC CXX AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS TARGET_ARCH

.PHONY: help build demo test bench check install format clean deps-core deps-test deps-bench

help:
	@echo "make build     the programs: build/bin/hemc, build/bin/hem, build/bin/hem_samples, and build/lib/libhem.a"
	@echo "make demo      compile a sample character, run it, and show the result"
	@echo "make test      all tests: each x86 backend, AArch64 under qemu, WebAssembly under node"
	@echo "make check     what CI runs: the tests, sanitizers, clang, fuzzing, and the rules of the repository"
	@echo "make bench     measure against other engines"
	@echo "make install   headers, library, pkg-config and CMake files, programs into PREFIX ($(PREFIX))"
	@echo "make format    clang-format over all sources"
	@echo "make clean     remove what was built; the dependencies stay"

build: deps-core
	@tools/build --cc=$(COMPILER) --arch=$(ARCH) --jobs=$(JOBS) $(CONFIG) $(GROUP)

demo: build
	@tools/demo

test: deps-test
	@JOBS=$(JOBS) tools/run_tests --filter="$(FILTER)" test

check: deps-test
	@JOBS=$(JOBS) tools/run_tests --filter="$(FILTER)" check

bench: deps-bench build
	@if ls tools/wasm/*.c >/dev/null 2>&1; then tools/build --arch=wasm --jobs=$(JOBS) release programs; fi
	@build/bin/hem bench

install: build
	@tools/install --prefix="$(PREFIX)" --destdir="$(DESTDIR)"

format: deps-test
	@tools/check_format --fix

clean:
	@rm -rf build/bin build/lib build/obj build/make build/include build/test

deps-core deps-test deps-bench:
	@if [ -z "$$HEM_DEPS" ]; then tools/deps $(@:deps-%=%); fi
