/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What importers cost, on files that are made here:
 *
 *	importing stats FILE N      a stats.json of N metrics
 *	importing matrix FILE N     a matrix.json of N metrics and 20 runs
 *	importing tree DIR N        a result tree of N small runs, 6 a commit
 *	importing read FORMAT FILE  seconds of the importer, and of jansson for the same bytes (0:
 *	                            it refuses them), in turn, medians; bytes
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <sys/stat.h>

#include "importers/import.h"
#include "server/base/arena.h"

#define ROUNDS 41

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static FILE *open_or_die(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);

	if (!f)
		die("%s: %s", path, strerror(errno));
	return f;
}

/* Figures as the robot's have them: whole numbers, means with 17 digits, percentages. */
static void write_value(FILE *f, long i)
{
	double v = (double)(i % 977 + 1) * 1234.5 / 7.0;

	if (i % 3 == 0)
		fprintf(f, "%ld", (long)v);
	else if (i % 3 == 1)
		fprintf(f, "%.17g", v);
	else
		fprintf(f, "%.2f", v);
}

static int write_json(const char *path, long n, int runs)
{
	FILE *f = open_or_die(path, "w");

	for (long i = 0; i < n; i++) {
		fprintf(f, "%s\n  \"proc-vmstat.numa_local.node%ld\": %s", i ? "," : "{", i,
			runs ? "[" : "");
		for (int k = 0; k < (runs ? runs : 1); k++) {
			fputs(k ? ", " : "", f);
			write_value(f, i + k);
		}
		fputs(runs ? "]" : "", f);
	}
	fputs("\n}\n", f);
	return fclose(f) != 0;
}

/* --- a tree --- */

static void make_folders(char *path)
{
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0777);
		*p = '/';
	}
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		die("%s: %s", path, strerror(errno));
}

static void write_run(const char *root, long i)
{
	char folder[PATH_MAX / 2], path[PATH_MAX];
	long commit = i / 6, run = i % 6;
	FILE *f;

	snprintf(folder, sizeof(folder),
		 "%s/hackbench/performance-socket-4-process-100%%/lkp-a/debian.cgz/x86_64-rhel-8.3/"
		 "gcc-12/%040lx/%ld",
		 root, commit + 1, run);
	make_folders(folder);
	snprintf(path, sizeof(path), "%s/job.yaml", folder);
	f = open_or_die(path, "w");
	fprintf(f,
		"---\nsuite: hackbench\ntestcase: hackbench\nnr_threads: 100%%\niterations: 4\n"
		"hackbench:\n  mode: process\n  ipc: socket\ncpufreq_governor: performance\n"
		"testbox: lkp-a\ntbox_group: lkp-a\ncompiler: gcc-12\nrootfs: debian.cgz\n"
		"kconfig: x86_64-rhel-8.3\ncommit: %040lx\n",
		commit + 1);
	fclose(f);
	snprintf(path, sizeof(path), "%s/stats.json", folder);
	write_json(path, 20, 0);
}

/* --- reading --- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static char *read_file(const char *path, size_t *n)
{
	FILE *f = open_or_die(path, "r");
	struct stat st;
	char *bytes;

	if (fstat(fileno(f), &st) < 0)
		die("%s: %s", path, strerror(errno));
	bytes = malloc((size_t)st.st_size + 1);
	if (!bytes)
		die("out of memory");
	*n = fread(bytes, 1, (size_t)st.st_size, f);
	fclose(f);
	return bytes;
}

static double run_importer(const struct importer *format, const char *bytes, size_t n)
{
	static const struct pair axes[] = {{"tbox_group", "box"}, {"testcase", "bench"}};
	auto_arena struct arena *a = arena_new();
	double before = now();
	struct ctx c;
	struct import in = {.ctx = &c, .axes = axes, .naxes = 2, .commit = "v6.5"};

	ctx_init(&c, a, NULL);
	if (format->run(&in, bytes, n) < 0)
		die("%s", c.nfaults ? c.faults[0].message : c.detail);
	return now() - before;
}

static double run_jansson(const char *bytes, size_t n)
{
	double before = now();
	json_t *v = json_loadb(bytes, n, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);

	if (!v)
		return 0;
	json_decref(v);
	return now() - before;
}

static int read_both(const char *name, const char *path)
{
	const struct importer *format = importer_find(name);
	double ours[ROUNDS], theirs[ROUNDS];
	size_t n;
	char *bytes = read_file(path, &n);

	if (!format)
		die("no format %s", name);
	for (int i = 0; i < ROUNDS; i++) {
		ours[i] = run_importer(format, bytes, n);
		theirs[i] = run_jansson(bytes, n);
	}
	qsort(ours, ROUNDS, sizeof(double), by_value);
	qsort(theirs, ROUNDS, sizeof(double), by_value);
	printf("%.6f %.6f %zu\n", ours[ROUNDS / 2], theirs[ROUNDS / 2], n);
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "stats") == 0)
		return write_json(argv[2], strtol(argv[3], NULL, 10), 0);
	if (argc == 4 && strcmp(argv[1], "matrix") == 0)
		return write_json(argv[2], strtol(argv[3], NULL, 10), 20);
	if (argc == 4 && strcmp(argv[1], "tree") == 0) {
		for (long i = 0; i < strtol(argv[3], NULL, 10); i++)
			write_run(argv[2], i);
		return 0;
	}
	if (argc == 4 && strcmp(argv[1], "read") == 0)
		return read_both(argv[2], argv[3]);
	fputs("usage: importing stats|matrix|tree PATH N | read FORMAT FILE\n", stderr);
	return 2;
}
