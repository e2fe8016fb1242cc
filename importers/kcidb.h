/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the KCIDB importer share; for nobody else. */
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
	size_t checkout; /* TEXT_MAP_NONE: the id leads nowhere */
	const char *id, *arch, *config_url, *command, *origin;
	struct build_in build;
	int64_t started;
	bool tested;
};

struct kcidb {
	struct import *in;
	struct ctx *c;
	struct text_map checkout_ids, build_ids;
	struct kcidb_checkout *checkouts; /* by number in the maps */
	struct kcidb_build *builds;
	size_t checkout_cap, build_cap;
	/* Systems send what they know step by step: tests of builds that were told before. Where
	 * the file has no such list at all and the request names the commit, ids stand for
	 * themselves. */
	bool any_checkout, any_build;
};

void kcidb_read_checkout(struct kcidb *k, json_t *v, const struct json_at *at);
void kcidb_read_build(struct kcidb *k, json_t *v, const struct json_at *at);
/* A build of which only the id is known. Its number. */
size_t kcidb_bare_build(struct kcidb *k, const char *id);
/* Setup and commit of a build, into a submission that is begun. */
void kcidb_describe(const struct kcidb *k, const struct kcidb_build *b, struct record *r);

#endif
