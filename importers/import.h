/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes in a foreign format -> submissions. An importer is a pure function: no SQL, no HTTP, no
 * files. importers.def lists them, one file a format.
 */
#ifndef IMPORTERS_IMPORT_H
#define IMPORTERS_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "db/artifacts.h"
#include "db/events.h"
#include "db/machines.h"
#include "db/submission.h"
#include "server/base/err.h"

/* A line of a copy of a store that is no submission. */
struct import_aside {
	enum { ASIDE_FILE, ASIDE_MACHINE, ASIDE_EVENT } kind;
	const char *by; /* name of the token that told it; NULL */
	int64_t received;
	/* a file of a run: digest of the series, the submission's key, the run's place in it */
	const char *series, *key, *name;
	int64_t position;
	struct artifact file;
	struct machine machine; /* name, description, state, expect_every */
	struct event event;     /* told by hand */
};

/* What was found in the bytes, in their order. */
struct import {
	struct ctx *ctx;
	/* from the request or the command line, for what the file does not say */
	const struct pair *axes; /* sorted by name */
	size_t naxes;
	const char *commit, *tree;
	bool is_copy; /* native: lines of `plumbline export` are taken, with all that they restore
		       */

	/* Called after each document of an array; negative (with its failure set) ends the reading.
	 * NULL: nobody asks. For who must bound what many documents come to. */
	int (*after_document)(void *arg);
	void *after_arg;

	/* filled by the importer */
	struct submission *subs; /* in the arena */
	size_t n, cap;
	bool is_array;              /* native: it was an array, faults carry item numbers */
	struct import_aside *aside; /* native, a copy: the line is no submission */
	struct native_names *names; /* native: the last list of metric names, shared with what
				       follows in this arena */
};

struct importer {
	const char *name;    /* "native", "fio" … */
	const char *summary; /* one line for lists */
	/* E_OK; or a failure with faults in the ctx, and then nothing of it may be stored. */
	int (*run)(struct import *in, const char *bytes, size_t n);
	/* The same for one line of a file that has a submission a line; NULL: the format has no
	 * such form. */
	int (*line)(struct import *in, const char *bytes, size_t n);
	/* How sure it is that these are its bytes: 0 no … 100 certain. NULL: never guessed. */
	int (*sniff)(const char *bytes, size_t n);
};

const struct importer *importer_find(const char *name); /* NULL */
size_t importer_count(void);
const struct importer *importer_at(size_t i);

/* Whether a text from elsewhere may become a name or value of what files do not say: 1 to max bytes
 * of UTF-8 without control characters, as in the files themselves. */
bool import_text_valid(const char *s, size_t max);

/* Room for one more submission; zeroed, with "unknown" where 0 would mean something. */
struct submission *import_add(struct import *in);

/* Limits of one document, and of the whole. */
#define NATIVE_DOCUMENT_MAX ((size_t)4 << 20)
#define NATIVE_BODY_MAX     ((size_t)64 << 20)
/* One line of a copy: an artifact of 64 MiB in base64, or a large submission beside all texts of
 * its commit. */
#define NATIVE_COPY_LINE_MAX ((size_t)96 << 20)
/* Documents of an array, or lines that a server takes at once: a tiny one becomes many times its
 * own size in memory. */
#define NATIVE_DOCUMENTS_MAX 20000

/* The native form (API.md): an object or a non-empty array. E_SYNTAX: not JSON, with line and
 * column in the text; E_TOO_LARGE: a document over 4 MiB; E_INVALID: faults listed, each with item
 * and path. */
int import_native(struct import *in, const char *bytes, size_t n);
/* One line of NDJSON, which is one object. */
int import_native_line(struct import *in, const char *bytes, size_t n);

#endif
