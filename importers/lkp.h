/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the importers of the test robot's own files share: their JSON, the place of a run in a
 * result tree, and job.yaml. For nobody else, but the command that walks a tree.
 */
#ifndef IMPORTERS_LKP_H
#define IMPORTERS_LKP_H

#include <stdint.h>

#include "importers/import.h"
#include "importers/record.h"

/* --- JSON (lkp_json.c) --- */

/* A member of one of their files. Their programs write NaN and Infinity as words; such a value, and
 * null, is NAN here: not measured. */
struct lkp_row {
	const char *name;
	enum { LKP_NUMBER, LKP_NUMBERS, LKP_TEXTS } kind;
	double value;             /* the number; of several the mean of those that were measured */
	const char *first;        /* of numbers: where the first stands */
	const char *const *texts; /* the one member of texts is "stats_source" */
	size_t n;                 /* numbers or texts */
	long line;
};

/* Reads {"metric": number or array of numbers, …} into the arena, rows in the order of the file.
 * One pass without a tree, since a file of 256 MiB holds thirty million numbers; numbers of arrays
 * stay where they stand, to be read again, so memory goes by the rows. E_SYNTAX with line and
 * column; E_INVALID with a fault for each member of another form, "line 3: ["x"]" its path;
 * E_TOO_LARGE: more than NATIVE_METRICS_MAX members. */
int lkp_json_read(struct ctx *c, const char *bytes, size_t n, struct lkp_row **rows, size_t *nrows);
/* The number at *p, which moves to the next one of the array; the end of bytes is behind the array.
 * For as many as the row has. */
double lkp_row_next(const char **p, const char *end);
/* A fault at a row. */
int lkp_row_fault(struct ctx *c, const struct lkp_row *row, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* --- places (lkp_place.c) --- */

/* <testcase>/<path_params>/<tbox_group>/<rootfs>/<kconfig>/<compiler>/<commit>, and the run in it.
 */
struct lkp_place {
	const char *testcase, *path_params, *tbox_group, *rootfs, *kconfig, *compiler, *commit;
	int64_t run; /* -1: a commit's folder */
};
/* The last eight parts of a path that ends with a run's number, or the last seven of one that ends
 * with a commit. False: it has fewer, or they are not such names. */
bool lkp_place_of_run(struct arena *a, const char *path, struct lkp_place *out);
bool lkp_place_of_commit(struct arena *a, const char *path, struct lkp_place *out);
/* The key of a run's submission: the place, by which it is found again when a tree is imported
 * twice: <tbox_group>/<testcase>/<path_params>/<rootfs>/<kconfig>/<compiler>/<commit>/<run>. With
 * run -1 it ends with the slash, and is what all keys of the commit begin with. */
const char *lkp_key(struct arena *a, const struct lkp_place *p, int64_t run);
/* <testcase>/…/<commit>, as in the tree. */
const char *lkp_path(struct arena *a, const struct lkp_place *p);
/* A host's group: its name without the number at its end. */
const char *lkp_group_of_host(struct arena *a, const char *host);

/* --- YAML (lkp_yaml.c) --- */

/* A scalar of a block of maps: key and value, and the key that it stands under. */
struct lkp_scalar {
	const char *key, *parent; /* parent: NULL at the top */
	const char *value;
	long line;
};
/* The subset that job.yaml and last_state need: block maps of plain and quoted scalars. Lists,
 * literal blocks, flow collections, anchors and whatever else is stepped over; a last line without
 * its end is, too, since a value that was cut would look like another one. Reads anything and never
 * fails; at most 10,000 scalars. */
size_t lkp_yaml_read(struct arena *a, const char *bytes, size_t n, struct lkp_scalar **out);
/* Value of a key at the top, the last one; or NULL. */
const char *lkp_yaml_top(const struct lkp_scalar *list, size_t n, const char *key);

/* --- job.yaml (lkp_job.c, lkp_params.c) --- */

struct lkp_job {
	const struct lkp_scalar *list;
	size_t n;
};
/* The test's parameters among the scalars of a job: pairs sorted by name, each once.
 *
 * job.yaml holds them among its bookkeeping and does not say which they are; path_params does: it
 * is their values in the order of their names, joined by '-'. So the keys are parameters whose
 * values spell it (a value may also stand as name=value); where several would, names known as
 * parameters go first. Where nothing spells it, or there is no path, the names that are known are
 * taken, and *spelled is false. "defaults" is spelled by none. */
void lkp_params(struct arena *a, const struct lkp_job *job, const char *path_params,
		struct pair **out, size_t *n, bool *spelled);
/* Setup, commit and time of a run into the record, from its job (job.n 0: there is none) and its
 * place (NULL: the path says nothing). What the job says goes before what the path says. */
void lkp_job_apply(struct record *r, const struct lkp_job *job, const struct lkp_place *place);
/* The place of a run, by its path when that fits what the job says, else by the result_root of the
 * job. False: neither says. */
bool lkp_job_place(struct arena *a, const struct lkp_job *job, const char *path,
		   struct lkp_place *out);

/* --- runs --- */

/* The values of one run, all of the rows, into the record. (lkp_run.c) */
void lkp_take_values(struct record *r, const struct lkp_row *rows, size_t n);
/* True when the robot says that a run did not come to its end. */
bool lkp_is_incomplete(const struct lkp_row *rows, size_t n);

/* What is known of the runs of a matrix besides it. */
struct lkp_matrix {
	const struct lkp_row *rows;
	size_t n;
	const char *end;                /* of the bytes that they were read from */
	const struct lkp_place *commit; /* NULL: stats_source must say it, or the request */
	const struct lkp_job *job;      /* of one of its runs; NULL */
	/* Which runs to take; NULL: all. */
	bool (*wanted)(void *arg, int64_t run);
	void *arg;
};
/* A submission for each run whose place is known, with the key of that run; else one for all of
 * them. Fails as an importer does. (lkp_matrix.c) */
int lkp_matrix_take(struct import *in, const struct lkp_matrix *m);

/* Files of a run's folder that are read, or kept with the run: no others need be handed over.
 * Names are without .gz and .xz. Beside the runs "matrix.json" is, with "<n>/stats.json" (no
 * bytes) for each run that has its own and needs no column, and the "job.yaml" of any of them.
 * (lkp_result.c) */
bool lkp_part_wanted(const char *name);

#endif
