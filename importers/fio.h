/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the three readers of fio's output share; for nobody else. Each makes fio_outputs of the
 * bytes, fio.c makes submissions of those. */
#ifndef IMPORTERS_FIO_H
#define IMPORTERS_FIO_H

#include <stdint.h>

#include "importers/import.h"
#include "importers/text_map.h"

/* How the figures of several jobs become one of all. */
enum fio_how {
	FIO_ALONE, /* they do not */
	FIO_SUM,
	FIO_MEAN,  /* weighted */
	FIO_SHARE, /* the same; a job that does not tell it has 0 */
	FIO_MIN,
	FIO_MAX,
	FIO_SPREAD, /* a standard deviation: of all operations together, by their means */
};

struct fio_figure {
	uint32_t name; /* number in the output's names */
	enum fio_how how;
	const char *unit;       /* NULL */
	double v, weight, mean; /* mean: for FIO_SPREAD */
};

struct fio_output;

struct fio_job {
	struct arena *a;       /* for its lists */
	struct fio_output *of; /* NULL: options alone are kept in it */
	const char *name;
	struct fio_figure *figures;
	size_t n, cap;
	struct distribution_in *distributions; /* metric without "fio." */
	size_t ndistributions, distribution_cap;
	struct pair *options;
	size_t noptions, option_cap;
};

/* One output of fio: a run. */
struct fio_output {
	struct arena *a;       /* its own: all that it holds */
	struct text_map names; /* of figures, without "fio.", and of percentiles */
	struct fio_job *jobs;
	size_t njobs, cap, nfigures;
	struct fio_job whole; /* what is said of no single job: groups, disks, options of all */
	const char *version, *label; /* NULL */
	int64_t started;             /* TIME_NONE */
	/* what tells reports of one running fio from its further runs: when it was printed, in
	 * milliseconds (NAN) and how exactly; or what its jobs' processes come to (0) */
	double printed, printed_within;
	uint64_t processes;
	unsigned latencies; /* kinds that a fragment of text has, as bits; else 0 */
	unsigned reports;   /* that were printed on its way */
	bool failed;        /* fio says that a job ended with an error */
};

#define FIO_MANY_JOBS 100 /* of more, each keeps what adds up alone */
#define FIO_FIGURES_MAX                                                                            \
	200000              /* of one output; a job has about 100, of which the store takes half */
#define FIO_JOBS_MAX 100000 /* of one output */
#define FIO_EXCERPTS 1000   /* that can be parts of the same outputs */

/* The outputs of a file, one after the other: a reader begins one, adds to it and ends it. What
 * is whole goes to each, in the file's order and without reports on the way to another; then its
 * memory is gone. */
struct fio_outputs {
	struct ctx *ctx;
	int (*each)(struct fio_outputs *all, struct fio_output *o, void *arg);
	void *arg;
	struct fio_output *now; /* that is being read; NULL */
	size_t n;               /* that went to each */
	bool stopped;           /* each failed */

	struct fio_output *before;    /* waits for what follows: it may be a report on the way */
	struct fio_output **excerpts; /* as long as there is nothing else */
	size_t nexcerpts, excerpt_cap;
	struct arena *a; /* for the list of them */
	bool others;
};

/* Ends the one before. */
struct fio_output *fio_begin_output(struct fio_outputs *all);
void fio_end_output(struct fio_outputs *all);
/* The file's end: what waits goes to each. */
void fio_end(struct fio_outputs *all);
/* Whether reading on has no sense. */
bool fio_is_over(const struct fio_outputs *all);
/* One more of the output that is read. What is over FIO_JOBS_MAX is the last one again, and a
 * failure. */
struct fio_job *fio_add_job(struct fio_outputs *all, const char *name);

/* What is not finite is left out. weight: operations that a mean is of. */
void fio_add(struct fio_outputs *all, struct fio_job *j, enum fio_how how, double weight,
	     const char *unit, double v, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));
void fio_add_spread(struct fio_outputs *all, struct fio_job *j, double weight, const char *unit,
		    double v, double mean, const char *name);
void fio_add_option(struct fio_job *j, const char *name, const char *value);
const char *fio_figure_name(const struct fio_job *j, const struct fio_figure *f);

/* A latency of one kind in one direction. NAN: not told. */
struct fio_latency {
	const char *side, *kind; /* "read_" or "", "clat" */
	const char *unit;        /* "ns" or "us" */
	bool of_json;            /* names that the robot gave; else the unit is in all of them */
	double min, max, mean, stddev;
	double operations; /* that it is of; 0: not known */
	double weight;     /* among other jobs; 0: the operations */
	struct percentile_in *percentiles;
	size_t npercentiles;
	struct bucket_in *buckets;
	size_t nbuckets;
};
/* Its figures, and the distribution where there are percentiles or buckets. */
void fio_add_latency(struct fio_outputs *all, struct fio_job *j, const struct fio_latency *l);
void fio_add_distribution(struct fio_job *j, const struct distribution_in *d);
/* A copy that lives as long as the output, made once. */
const char *fio_text_kept(struct fio_output *o, const char *s, size_t n);

/* The shares of operations a bucket of latencies, as fio prints them beside the jobs. */
struct fio_share {
	char word[16];    /* as printed: "4", ">=2000" */
	const char *unit; /* ns, us, ms */
	double percent;
};
/* Figures latency_4us% and so on, and the distribution "latency" over the job's operations in
 * unit (ns or us). Shares of at least 2000 ms have no upper end: max is it where it is known. */
void fio_add_shares(struct fio_outputs *all, struct fio_job *j, const struct fio_share *list,
		    size_t n, double operations, double max, const char *unit);
/* What a bandwidth in KiB/s is called and stored in. */
void fio_add_bandwidth(struct fio_outputs *all, struct fio_job *j, const char *side, double kib);

/* Whether the earlier is what --status-interval made fio print on the way to the later one: all of
 * it is counted there again. */
bool fio_is_report(const struct fio_output *earlier, const struct fio_output *later);
/* Of such a one what only the first of them tells; copied. */
void fio_hand_on(const struct fio_output *from, struct fio_output *to);

/* Each adds what it finds. A failure or faults may be set in the ctx. */
void fio_read_json(struct fio_outputs *all, const char *bytes, size_t n);
void fio_read_terse(struct fio_outputs *all, const char *bytes, size_t n);
/* side: what the request says that the operations were, "read_"; "" when it does not. */
void fio_read_text(struct fio_outputs *all, const char *bytes, size_t n, const char *side);
/* Whether a line of the terse form is among the first bytes. */
bool fio_is_terse(const char *bytes, size_t n);

#endif
