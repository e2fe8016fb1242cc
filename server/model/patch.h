/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A patch by any mail of it: the versions and parts that were tested or that git has, what was
 * measured of each, and each version against the one before: what it does differently, and how much
 * of a change it takes back.
 *
 * Mails belong together when their names say so (mail_name.h), or when they have the same subject
 * behind "[PATCH v2 3/7]" and, where it is known, the same author. Bounded by what is below; what
 * is left out is said.
 */
#ifndef MODEL_PATCH_H
#define MODEL_PATCH_H

#include "db/commits.h"
#include "server/history/links.h"
#include "server/model/compare.h"
#include "server/model/interdiff.h"

#define PATCH_PARTS_MAX    300 /* of all versions */
#define PATCH_JUDGED_MAX   24  /* parts whose results are put into a sentence */
#define PATCH_PAIRS_MAX    20  /* parts that are held against their earlier version */
#define PATCH_COMPARED_MAX 6   /* of these, how many are compared by their results */
#define PATCH_FIXES_MAX    6   /* parts of which is told what they take back of a regression */

/* What a part takes back of a regression that its base has against what was measured before it. */
struct patch_recovered {
	const char *compare; /* "before,base,patch": commits= of /compare */
	const struct compare_kept *kept;
	size_t n;
};

/* One part of one version, as it was tested on one base. */
struct patch_part {
	struct commit commit;
	const char *message_id, *subject; /* subject: without its tags; NULL: not known */
	int64_t version, index, total;    /* index, total: -1 where it is not told */
	const char *base;                 /* name; NULL: not known */
	bool asked, measured;
	const char
		*sentence; /* its results against its base, else the nearest measured ancestor; NULL
			    */
	const struct patch_recovered *recovered; /* by what they are held against */
	size_t nrecovered;
};

/* The same part in two versions that follow each other. */
struct patch_step {
	const struct patch_part *before, *after;
	const char *compare; /* "A..B,C..D": pairs= of /compare; NULL: a base is not known */
	bool one_base;       /* then commits= says the same shorter: "A,B,D" */
	const struct compare_kept *kept;
	size_t nkept;
	bool has_diffs; /* both are known, and interdiff is filled */
	struct interdiff interdiff;
};

struct patch_page {
	const char *message_id, *subject;
	struct patch_part *parts; /* by version, part, commit */
	size_t nparts;
	bool cut;
	struct patch_step *steps;
	size_t nsteps, steps_seen;
	struct linked_list in_git; /* commits that were made from one of the mails */
};

/* E_NOTFOUND: neither an upload nor a commit's Link: names the mail or a series that it is of. */
int patch_page_load(struct ctx *c, const char *message_id, struct patch_page *out);

#endif
