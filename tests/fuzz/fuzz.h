/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fuzz targets share. Each target is one file with LLVMFuzzerTestOneInput: libFuzzer calls
 * it with inputs it makes up (make fuzz), replay.c with those of tests/fuzz/corpus (make check).
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
/* For targets that have options of their own, --like=this; libFuzzer leaves those alone. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Ends the process with a word on what broke; assert() would do, but for the text. */
#define must(what, ...)                                                                            \
	do {                                                                                       \
		if (!(what))                                                                       \
			must_fail(__FILE__, __LINE__, #what, " " __VA_ARGS__);                     \
	} while (0)
void must_fail(const char *file, int line, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), noreturn));

/* Bytes behind a NUL that is not theirs, so that reading on is an error of the sanitizer's. The
 * caller frees. */
char *bytes_alone(const void *bytes, size_t n);

#endif
