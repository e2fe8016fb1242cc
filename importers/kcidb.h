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
	size_t checkout; /* TEXT_MAP_NONE: the id dangles, which is a fault already */
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
};

void kcidb_read_checkout(struct kcidb *k, json_t *v, const struct json_at *at);
void kcidb_read_build(struct kcidb *k, json_t *v, const struct json_at *at);
/* Setup and commit of a build, into a submission that is begun. */
void kcidb_describe(const struct kcidb *k, const struct kcidb_build *b, struct record *r);

#endif
