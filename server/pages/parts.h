/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What several pages show in the same way: a commit, a series, a verdict, a list that was cut. HTML
 * parts write to r->out; JSON parts to the writer that is handed in. Every name is a link.
 */
#ifndef PAGES_PARTS_H
#define PAGES_PARTS_H

#include "db/commits.h"
#include "db/events.h"
#include "db/runs.h"
#include "db/series.h"
#include "server/analysis/comparison.h"
#include "server/pages/req.h"
#include "server/view/json.h"

struct url;

/* limit and cursor of a paged list: limit 1 to 1000, cursor 0 when absent. Faults are filed. */
struct page_cut {
	size_t limit;
	int64_t cursor;
};
struct page_cut part_page_cut(struct req *r, int64_t fallback_limit, int64_t fallback_cursor);
/* Cuts a page out of a whole list of n that is loaded: where it begins, and how many stand on it;
 * the cursor counts entries. next is -1 at the end. */
struct page_slice {
	size_t first, n;
	int64_t next;
};
struct page_slice part_page_slice(struct page_cut cut, size_t n);
/* The cursor that ends a JSON list: "next": n, or null when next is negative. */
void part_json_next(struct jw *w, int64_t next);
/* The link to the next page, or nothing when next is negative. */
void part_pager(struct req *r, int64_t next);

/* "hackbench on lkp-icl-2sp2" */
const char *part_series_title(struct arena *a, const struct series *s);
/* The axes besides testcase and tbox_group, "ipc: socket, mode: process". */
const char *part_series_rest(struct arena *a, const struct series *s);
/* A table of series with their counts. An empty list writes the sentence instead. */
void part_series_table(struct req *r, const struct series *list, size_t n, const char *when_empty);
/* {"id", "digest", "axes"}, with counts also "commits", "runs", "metrics", "last_upload". */
void part_json_series(struct jw *w, const char *name, const struct series *s, bool counts);
/* The same keys inside an object that is open. */
void part_json_series_keys(struct jw *w, const struct series *s, bool counts);
void part_json_series_list(struct jw *w, const char *name, const struct series *list, size_t n);
/* {"name": "value", …} of sorted pairs. */
void part_json_pairs(struct jw *w, const char *name, const struct pair *p, size_t n);
/* Two columns, name and value. */
void part_pairs_table(struct req *r, const struct pair *p, size_t n);

/* The commit as a link by its short name, then its subject or label. */
void part_commit(struct req *r, const struct commit *k);
/* One of several commits that a name may mean, as <li>: what tells it from the others, as a link.
 */
void part_candidate(struct req *r, const struct commit *k, struct url *url);
/* The same for programs: a fault for each, its path is what to ask for instead. */
void part_faults_of_many(struct req *r, const struct commit_list *many, size_t max);
/* {"id", "name", "subject"} */
void part_json_commit(struct jw *w, struct arena *a, const char *name, const struct commit *k);
/* [{"id", "machine", "at", "key", "old", "new", "note"}] */
void part_json_events(struct jw *w, const char *name, const struct event *list, size_t n);
/* A table of runs, newest first; an empty list writes the sentence instead. */
int part_runs_table(struct req *r, const struct run *runs, size_t n, const char *when_empty);

/* The note of a table of a quarantined machine; nothing when machine is NULL. */
void part_quarantine(struct req *r, const char *machine);
/* "▼ regression" with a class of its own: a verdict is told by word and sign, never by colour
 * alone. */
void part_verdict(struct out *o, enum verdict v);
const char *part_verdict_sign(enum verdict v);
/* "no commits", "1 commit", "2 commits": the plural is the singular and an s. */
const char *part_count(struct arena *a, int64_t n, const char *singular);
const char *part_series_count(struct arena *a, int64_t n); /* a word that is its own plural */
/* Where this server is reached, as far as it knows: for commands that can be run as they stand. */
const char *part_own_address(const struct req *r);

#endif
