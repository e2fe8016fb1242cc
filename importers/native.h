/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the native importer share; for nobody else. The form itself is in API.md's
 * "Uploading". */
#ifndef IMPORTERS_NATIVE_H
#define IMPORTERS_NATIVE_H

#include "importers/import.h"
#include "importers/json_read.h"

#define NATIVE_DEPTH_MAX    32    /* brackets inside brackets; the form itself needs 7 */
#define NATIVE_BRACKETS_MAX 50000 /* of a document: 200 bytes each in its tree */
#define NATIVE_RUNS_MAX     10000 /* of one submission */
#define NATIVE_METRICS_MAX  50000 /* of one run: their names stay in memory */
#define NATIVE_UNIT_MAX     64
#define NATIVE_AXES_MAX     256

/* The metric names of a run in the order they came in, and where each goes when they are sorted.
 * Programs write run after run in one order, so the next run is held against this one before
 * anything is sorted or copied. */
struct native_names {
	size_t n, bytes;
	char *block;        /* the texts, bytes long */
	const char **keys;  /* as they came */
	uint32_t *lengths;  /* of keys */
	uint32_t *rank;     /* keys[i] is names[rank[i]] */
	const char **names; /* sorted */
	struct metric_names sorted;
};

/* One body being read. */
struct native {
	struct import *in;
	struct ctx *ctx; /* of the document: the import's, or own where there is a stream */
	struct ctx own;
	const char *bytes, *end;
	size_t size;   /* of the document whose tree there is */
	bool one_line; /* NDJSON: places are columns */
	bool ended;    /* the stream takes no more */
};

/* Names of an object's members; NULL when one is at fault. quoted places. */
struct native_names *native_names_of(struct native *nv, json_t *object, const struct json_at *at);

/* Each reads one member of a submission into it. v is there; the commit's may be NULL, since its id
 * can come from elsewhere. */
void native_read_commit(struct native *nv, json_t *v, const struct json_at *at,
			struct commit_in *out);
void native_read_runs(struct native *nv, json_t *v, const struct json_at *at, struct submission *s);
void native_read_matrix(struct native *nv, json_t *v, const struct json_at *at,
			struct submission *s);
void native_read_summary(struct native *nv, json_t *v, const struct json_at *at,
			 struct submission *s);
/* After what is measured. */
void native_read_distributions(struct native *nv, json_t *v, const struct json_at *at,
			       struct submission *s);
/* After the units: those of distributions join them. at: of distributions. */
void native_add_units(struct native *nv, const struct json_at *at, struct submission *s);
/* What a copy of a store knows beyond the upload: on the command line alone. */
void native_read_stored(struct native *nv, json_t *v, const struct json_at *at,
			struct submission *s, size_t *nstatuses);
/* A line {"artifact": {…}}, {"machine": …} or {"event": …}: fills in->aside. False: it is none. */
bool native_read_aside(struct native *nv, json_t *v);
void native_read_report(struct native *nv, json_t *v, const struct json_at *at,
			struct report_in *out);
void native_read_headline(struct native *nv, json_t *v, const struct json_at *at,
			  struct headline_in *out);

/* Of a commit. v may be NULL. */
void native_read_build(struct ctx *c, json_t *v, const struct json_at *at, struct build_in *out);

/* A commit id (lower-cased) or ref name in the arena; a fault and NULL when it is neither. */
const char *native_commit_name(struct ctx *c, const struct json_at *at, const char *s,
			       bool *is_hex);
/* The same of a member; NULL when absent too. */
const char *native_read_commit_name(const struct json_object *o, const char *key, bool *is_hex);

int native_sniff(const char *bytes, size_t n);

#endif
