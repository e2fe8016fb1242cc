/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Artifacts: files that belong to a run (job.yaml, config, dmesg …), kept once each by the digest
 * of their bytes, compressed where that helps. A name says one file of its run for ever.
 */
#ifndef DB_ARTIFACTS_H
#define DB_ARTIFACTS_H

#include "db/engine.h"
#include "server/base/out.h"

#define ARTIFACT_MAX      ((size_t)64 << 20) /* bytes of one */
#define ARTIFACT_NAME_MAX 255
#define ARTIFACTS_MAX     1000 /* of one run */
#define ARTIFACT_HEX      64

struct artifact_digest {
	uint8_t b[ARTIFACT_HEX / 2]; /* BLAKE2b-256 */
};
void artifact_hex(const struct artifact_digest *d, char hex[ARTIFACT_HEX + 1]);
bool artifact_parse(const char *hex, struct artifact_digest *d);

/* NULL, or what is wrong with a name: it must be one segment of a path. */
const char *artifact_name_fault(const char *name);

/* A file as it is kept. */
struct artifact {
	struct artifact_digest digest;
	int64_t size;         /* of the plain bytes */
	const char *encoding; /* of data: "identity" or "zstd" */
	const void *data;     /* NULL: it is here already */
	size_t ndata;
};
/* Digest and compressed form. Pure. data borrows the bytes, or is in the arena. */
void artifact_pack(struct arena *a, const void *bytes, size_t n, struct artifact *out);
/* The plain bytes, in the arena. E_INTERNAL when they are damaged, or are not those of the digest.
 */
int artifact_unpack(struct ctx *c, const struct artifact *f, const char **bytes);

/* The packed file, in the arena. E_NOTFOUND. */
int artifact_get(struct ctx *c, const struct artifact_digest *d, struct artifact *out);
int artifact_size(struct ctx *c, const struct artifact_digest *d, int64_t *size);
/* Its plain bytes, and they alone, held in memory once. */
int artifact_read(struct ctx *c, const struct artifact_digest *d, struct out *o);

/* A file of a run. */
struct run_artifact {
	const char *name;
	struct artifact_digest digest;
	int64_t size, received;
	const char *by; /* name of the token; NULL: the command line */
};
/* By name. */
int artifacts_of_run(struct ctx *c, int64_t run_id, struct run_artifact **out, size_t *n);

/* One that comes in. */
struct artifact_in {
	int64_t run_id;
	const char *name;
	struct artifact file;
	int64_t token_id;    /* 0: the command line */
	const char *who;     /* for the audit */
	const char *machine; /* that the token is bound to; NULL: any */
	bool known;          /* filled by the check: the run has it already */
};
/* Writer only, reads: E_NOTFOUND no such run, E_FORBIDDEN another machine's, E_CONFLICT the name
 * says another file, E_INVALID. */
int artifact_check(struct ctx *c, struct artifact_in *in);
int artifact_store(struct ctx *c, const struct artifact_in *in, int64_t now);

/* The run at a place of a submission; 0: there is none. */
int artifact_find_run(struct ctx *c, const char *series_digest, const char *key, int64_t position,
		      int64_t *run_id);

#endif
