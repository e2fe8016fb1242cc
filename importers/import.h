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

/* A file of a folder that is imported as one: its name, without .gz or .xz (the bytes are plain).
 */
struct import_part {
	const char *name;
	const char *bytes;
	size_t n;
};

/* A file that belongs to a run: kept as an artifact behind its submission. */
struct import_file {
	size_t sub, run; /* which of in->subs, and which of its runs */
	const char *name;
	const void *bytes; /* of the part, or in the arena */
	size_t n;
};

struct import;

/* For files that are too large to be held as submissions: each is handed on as soon as it is whole,
 * and its memory is used again. What the file says wrong is found as it comes, so whoever wants all
 * or nothing reads it twice, or takes all back. */
struct import_stream {
	/* in->subs[0 … in->n) and in->files are whole; they are gone afterwards. Negative, with its
	 * failure set in in->ctx, ends the reading. */
	int (*take)(struct import *in, void *arg);
	void *arg;
	struct arena *records; /* what records hold that are being filled; emptied when none is */
	struct arena *made;    /* submissions; emptied after each take */
	size_t taken, open;    /* submissions handed on; records being filled. Begin at 0 */
};

/* What was found in the bytes, in their order. */
struct import {
	struct ctx *ctx;
	struct import_stream *stream; /* NULL: all submissions gather in ctx->arena */
	/* from the request or the command line, for what the file does not say */
	const struct pair *axes; /* sorted by name */
	size_t naxes;
	const char *commit, *tree;
	/* Where the bytes came from, made part of the keys: the file's path, so that equal values
	 * of another file are a genuine repeat and the same file again is a duplicate. What is
	 * piped or pasted has no place to be known by: the command line gives every reading of
	 * standard input a source of its own, made of the time in microseconds, since a piped run
	 * is a run that was just made. NULL: keys come from the content alone. */
	const char *source;
	bool is_copy; /* native: lines of `plumbline export` are taken, with all that they restore
		       */

	/* Called after each document of an array, and before each further submission; negative,
	 * with its failure set in ctx, ends the reading. NULL: nobody asks. For who must bound what
	 * many of them come to: without a stream that is arena_used of ctx->arena; with one it is
	 * called as often, and the sum of that arena's and the stream's two is what counts, which
	 * falls again. */
	int (*after_document)(void *arg);
	void *after_arg;

	/* filled by the importer */
	struct submission *subs; /* in the arena */
	size_t n, cap;
	struct import_file *files; /* of their runs; only a folder has some */
	size_t nfiles, files_cap;
	const char *remark; /* for people: what of the bytes was not taken, and why; NULL. In
			       ctx->arena */
	bool is_array;      /* native: it was an array, faults carry item numbers */
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
	/* A folder as one: its files in any order, those that the format reads (lkp_part_wanted).
	 * path: where it lies, for what only the path says. Fails as run does, with the name of a
	 * file at the beginning of a fault's path. NULL: each file of a folder stands for itself.
	 */
	int (*folder)(struct import *in, const char *path, const struct import_part *parts,
		      size_t n);
};

const struct importer *importer_find(const char *name); /* NULL */
size_t importer_count(void);
const struct importer *importer_at(size_t i);

/* What submissions without a stream may come to before after_document is asked again, in times of
 * the bytes: measured, rounded up. */
#define IMPORT_COST 6

/* The formats that bytes may be in, the surest first. */
#define IMPORT_GUESSES 4
struct import_guess {
	struct {
		const struct importer *format;
		int sure;
	} list[IMPORT_GUESSES];
	size_t n; /* 0: none fits */
};
void importer_guess(const char *bytes, size_t n, struct import_guess *out);
/* For people: "taken as fio", "taken as lkp-matrix; it could be lkp-json as well", or "no format of
 * ours fits what is in it; there are: …". In the arena. */
const char *importer_guess_words(struct arena *a, const struct import_guess *g);

/* "native lkp-result …": the names of all formats. In the arena. */
const char *importer_names(struct arena *a);

/* Whether a text from elsewhere may become a name or value of what files do not say: 1 to max bytes
 * of UTF-8 without control characters, as in the files themselves. */
bool import_text_valid(const char *s, size_t max);

/* Room for one more submission; zeroed, with "unknown" where 0 would mean something. */
struct submission *import_add(struct import *in);
/* One as it begins. */
void import_blank(struct submission *s);
/* Where submissions and all in them are to be made: ctx->arena, or the stream's. What an importer
 * keeps from one submission to the next belongs into ctx->arena. */
struct arena *import_room(const struct import *in);
/* The submissions so far are whole: hands them on where there is a stream, and then no pointer into
 * import_room() is good any more. Else nothing. E_OK, or what take failed with. */
int import_take(struct import *in);
/* How many there are before the next: handed on, and waiting in subs. */
size_t import_count(const struct import *in);
/* One more file of a run. The bytes are borrowed. */
void import_add_file(struct import *in, const struct import_file *f);

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
