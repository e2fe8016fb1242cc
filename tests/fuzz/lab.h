/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lab that requests meet: a few results of every kind, made once a process. */
#ifndef TESTS_FUZZ_LAB_H
#define TESTS_FUZZ_LAB_H

#include "db/engine.h"
#include "db/tokens.h"

struct fuzz_lab {
	char folder[64], path[96];
	struct ctx c;           /* c.db writes */
	char token[TOKEN_TEXT]; /* may do all */
};

/* Made at the first call, removed when the process ends. */
struct fuzz_lab *fuzz_lab(void);

#endif
