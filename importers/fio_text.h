/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files behind fio's output for people share; for nobody else. */
#ifndef IMPORTERS_FIO_TEXT_H
#define IMPORTERS_FIO_TEXT_H

#include "importers/fio.h"
#include "importers/fio_line.h"

enum { SIDE_READ, SIDE_WRITE, SIDE_TRIM, SIDE_SYNC, SIDE_MIXED, SIDE_UNKNOWN, SIDES };
enum { KIND_SLAT, KIND_CLAT, KIND_LAT, KINDS };
#define SHARES_MAX 40

/* A direction of the job that is being read. */
struct fio_text_side {
	bool seen;
	double ios; /* NAN: not told */
	bool has[KINDS], has_percentiles[KINDS];
	struct fio_latency lat[KINDS];
	size_t percentile_cap[KINDS];
};

struct fio_text {
	struct fio_outputs *all;
	struct fio_line line;
	size_t quote, quoted; /* of this line, and of the fragment */
	const char *unknown;  /* what operations without a direction are called, "read_" or "" */

	bool open;        /* an output is being read: the one that was begun */
	bool has_job;     /* one of its jobs: its last */
	bool is_named;    /* it began with its head */
	bool ended;       /* the groups of the output were seen */
	bool disks;       /* lines of disks follow */
	bool job_file;    /* lines of a job file follow */
	bool old;         /* of fio 2, whose KB are 1024 bytes: by the last line of a direction */
	long group;       /* whose lines follow, -1 */
	unsigned grouped; /* directions of the group that were seen, as bits */
	unsigned rated;   /* directions that a job of the output told a bandwidth of */

	struct fio_text_side sides[SIDES];
	int side; /* that lines belong to */
	int rank; /* of the last latency among those that fio prints of a direction */
	struct fio_share shares[SHARES_MAX];
	size_t nshares;
	/* where percentiles in the lines that follow belong */
	struct fio_latency *percentiles;
	size_t *percentile_cap;
	double percentile_factor;

	char label[200], version[200]; /* of the output that follows; "" */
	struct fio_job defined;        /* options of its jobs, names are "<job>.<option>" */
	struct fio_job file;           /* options in a job file that was shown */
};

/* fio_text.c: a job is open after it. */
struct fio_job *fio_text_job(struct fio_text *t);
void fio_text_begin(struct fio_text *t);
/* fio_text_job.c: whether the line was one of a job's figures; then it was read. */
bool fio_text_read_job(struct fio_text *t);
/* Ends the job: what had to wait for its operations is added. */
void fio_text_end_job(struct fio_text *t);

#endif
