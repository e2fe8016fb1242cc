/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A submission as native JSON on one line, which import_native_line reads back to the same
 * submission. */
#ifndef IMPORTERS_NATIVE_WRITE_H
#define IMPORTERS_NATIVE_WRITE_H

#include "db/submission.h"
#include "server/base/out.h"
#include "server/view/json.h"

/* Without a line end. Samples are written as "runs"; of a copy of a store as "matrix" where that is
 * shorter. What is not known is left out. */
void native_write(struct out *o, const struct submission *s);

/* A file of a run, as a line of a copy of a store; the run is named by its place in a submission.
 * bytes NULL: a line before told them. */
struct artifact_line {
	const char *series, *key, *name, *by; /* by: NULL */
	int64_t position, received, size;
	const char *digest, *encoding;
	const void *bytes;
	size_t nbytes;
};
void native_write_artifact(struct out *o, const struct artifact_line *f);
struct machine;
void native_write_machine(struct out *o, const struct machine *m);
struct event;
void native_write_event(struct out *o, const struct event *k, const char *by);

/* native_write_copy.c, for native_write.c: members of the object that is open. */
bool native_write_matrix(struct jw *w, const struct submission *s); /* false: runs are shorter */
void native_write_distributions(struct jw *w, const struct submission *s);
void native_write_stored(struct jw *w, const struct submission *s);
void native_write_build(struct jw *w, const struct build_in *b);

#endif
