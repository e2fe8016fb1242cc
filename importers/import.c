/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of formats, and what every importer starts a submission with. Importers see bytes and
 * make submissions; where the bytes come from and where the submissions go is not their business.
 */
#include "importers/import.h"

#include <math.h>

#include "importers/formats.h"
#include "importers/native.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/utf8.h"

static const struct importer importers[] = {
#define IMPORTER(name, summary, run, line, sniff) {name, summary, run, line, sniff, NULL},
#define IMPORTER_OF_FOLDERS(name, summary, run, folder, sniff)                                     \
	{name, summary, run, NULL, sniff, folder},
#include "importers/importers.def"
#undef IMPORTER_OF_FOLDERS
#undef IMPORTER
};

size_t importer_count(void)
{
	return sizeof(importers) / sizeof(importers[0]);
}

const struct importer *importer_at(size_t i)
{
	return i < importer_count() ? &importers[i] : NULL;
}

const struct importer *importer_find(const char *name)
{
	for (size_t i = 0; i < importer_count(); i++) {
		if (strcmp(importers[i].name, name) == 0)
			return &importers[i];
	}
	return NULL;
}

bool import_text_valid(const char *s, size_t max)
{
	size_t n = strlen(s), bytes;

	for (size_t i = 0; i < n; i += bytes) {
		unsigned char ch = (unsigned char)s[i];

		bytes = utf8_length(s + i, n - i);
		if (!bytes || ch < 0x20 || ch == 0x7f || (bytes == 2 && utf8_is_c1(s + i)))
			return false;
	}
	return n > 0 && n <= max;
}

struct arena *import_room(const struct import *in)
{
	return in->stream ? in->stream->made : in->ctx->arena;
}

size_t import_count(const struct import *in)
{
	return in->n + (in->stream ? in->stream->taken : 0);
}

int import_take(struct import *in)
{
	struct import_stream *s = in->stream;
	int e;

	if (!s || !in->n || in->ctx->err)
		return in->ctx->err;
	e = s->take(in, s->arg);
	s->taken += in->n;
	in->subs = NULL;
	in->files = NULL;
	in->n = in->cap = in->nfiles = in->files_cap = 0;
	arena_reset(s->made);
	return e;
}

void import_blank(struct submission *s)
{
	*s = (struct submission){
		.started = TIME_NONE,
		.commit =
			{
				.author.date = TIME_NONE,
				.committer.date = TIME_NONE,
				.date = TIME_NONE,
				.patch = {.version = -1, .index = -1, .total = -1},
			},
		.report.date = TIME_NONE,
		.headline.change_pct = NAN,
	};
}

struct submission *import_add(struct import *in)
{
	struct submission *s;

	if (in->after_document) /* what it fails with ends the reading: see record_end */
		in->after_document(in->after_arg);
	in->subs = arena_grow(import_room(in), in->subs, &in->cap, in->n + 1, sizeof(*in->subs));
	s = &in->subs[in->n++];
	import_blank(s);
	return s;
}

void import_add_file(struct import *in, const struct import_file *f)
{
	in->files = arena_grow(import_room(in), in->files, &in->files_cap, in->nfiles + 1,
			       sizeof(*in->files));
	in->files[in->nfiles++] = *f;
}
