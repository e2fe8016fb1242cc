/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether an importer hands on, one after the other, what it gathers otherwise. */
#ifndef TESTS_FUZZ_STREAM_H
#define TESTS_FUZZ_STREAM_H

#include "importers/import.h"

/* Ends the process when run() on the same bytes fails otherwise, or when what it hands on is not
 * whole->subs in their order. whole: after run(), with what was asked for still in it. */
void same_as_stream(const char *name, int (*run)(struct import *, const char *, size_t),
		    const struct import *whole, const char *bytes, size_t n);

#endif
