/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the KCIDB importer share; for nobody else. The document is read twice: first
 * all of it is checked, and where its checkouts, builds and tests begin is noted, a few bytes each;
 * then each submission is made of those elements that belong to it, read again.
 */
#ifndef IMPORTERS_KCIDB_H
#define IMPORTERS_KCIDB_H

#include "importers/json_parts.h"
#include "importers/result_file.h"
#include "importers/text_map.h"

struct kcidb_checkout {
	struct commit_in commit; /* without what belongs to a build */
	const char *id, *describe, *branch, *url, *origin;
};

struct kcidb_build {
	const char *id, *checkout, *arch, *config_url, *command, *origin;
	struct build_in build;
	int64_t started;
};

/* Where an element begins, by the number of its id. NULL: only its id is known. */
struct kcidb_places {
	struct text_map ids;
	const char **begin;
	size_t cap;
};

struct kcidb {
	struct import *in;
	struct ctx *c;
	const char *bytes, *end; /* of less than 4 GiB */
	struct arena *own;       /* what is noted */
	struct kcidb_places checkouts, builds;
	bool *tested; /* by number of a build */
	size_t tested_cap;
	/* Systems send what they know step by step: tests of builds that were told before. Where
	 * the file has no such list at all and the request names the commit, ids stand for
	 * themselves. */
	bool any_checkout, any_build;

	/* the build that was read again last, and its checkout; in read_again's arena */
	struct ctx read_again;
	size_t loaded; /* its number, or TEXT_MAP_NONE */
	struct kcidb_build build;
	struct kcidb_checkout checkout; /* id NULL: it leads nowhere */
};

/* Number of the id, whose element begins there; of two of one id the last counts. */
size_t kcidb_note(struct kcidb *k, struct kcidb_places *places, const char *id, const char *begin);
/* Checks one and notes where it begins. */
void kcidb_check_checkout(struct kcidb *k, const struct json_object *o, const char *begin);
void kcidb_check_build(struct kcidb *k, const struct json_object *o, const char *begin);
/* Makes a build the loaded one. */
void kcidb_load(struct kcidb *k, size_t build);
/* Setup and commit of the loaded build, into a submission that is begun and ends before another is
 * loaded. */
void kcidb_describe(const struct kcidb *k, struct record *r);

#endif
