/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report mails: every variant of their tables, each a file of tests/data/mails with the cells that
 * it must give in FILE.expected, copied from the mails' own figures:
 *
 *	commit|machine|test|metric|mean|deviation|fails|runs|kind of change|change|base
 *	commit|machine|test|metric|run N|value
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include <dirent.h>
#include <math.h>

#include "importers/formats.h"
#include "server/analysis/comparison.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define FOLDER    "tests/data/mails/"
#define FILES_MAX 64
#define CELLS_MAX 4000

struct lab {
	struct ctx ctx;
	struct import in;
	char *bytes;
	size_t n;
};

#define give_up(...) (print_error(__VA_ARGS__), print_error("\n"), assert_true(false))

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *bytes;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	bytes = calloc(1, *n + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *n, f), *n);
	fclose(f);
	return bytes;
}

static void lab_begin(struct lab *l, const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), FOLDER "%s", name);
	*l = (struct lab){.bytes = read_file(path, &l->n)};
	l->n = strlen(l->bytes);
	ctx_init(&l->ctx, arena_new(), NULL);
	l->in.ctx = &l->ctx;
}

static void lab_end(struct lab *l)
{
	arena_free(l->ctx.arena);
	free(l->bytes);
}

static const char *real(struct arena *a, double v)
{
	char *s;

	if (isnan(v))
		return "-";
	for (int digits = 1;; digits++) {
		s = arena_fmt(a, "%.*g", digits, v);
		if (strtod(s, NULL) == v)
			break;
	}
	return s;
}

static const char *whole(struct arena *a, int64_t v)
{
	return v < 0 ? "-" : arena_fmt(a, "%lld", (long long)v);
}

/* A line for each cell and sample. Numbers are compared as numbers: see same_line. */
static size_t lines_of(struct lab *l, const char **lines)
{
	static const char *const kinds[] = {
		[PRINTED_NO] = "?",
		[PRINTED_BASE] = "-",
		[PRINTED_PCT] = "pct",
		[PRINTED_ABS] = "abs",
		[PRINTED_REPRODUCTION] = "reproduction",
	};
	struct arena *a = l->ctx.arena;
	size_t n = 0;

	for (size_t i = 0; i < l->in.n; i++) {
		const struct submission *s = &l->in.subs[i];
		const char *place =
			arena_fmt(a, "%s|%s|%s", s->commit.id, s->tbox_group, s->testcase);

		for (size_t k = 0; k < s->ncells && n < CELLS_MAX; k++) {
			const struct summary_in *c = &s->cells[k];

			lines[n++] = arena_fmt(a, "%s|%s|%s|%s|%s|%s|%s|%s|%s", place, c->metric,
					       real(a, c->mean), real(a, c->stddev_pct),
					       whole(a, c->fails), whole(a, c->runs),
					       kinds[c->printed], real(a, c->printed_change),
					       c->printed_base ? c->printed_base : "-");
		}
		for (size_t k = 0; k < s->nruns; k++) {
			const struct run_in *run = &s->runs[k];

			for (size_t v = 0; v < run->names->n && n < CELLS_MAX; v++)
				lines[n++] =
					arena_fmt(a, "%s|%s|run %zu|%s", place,
						  run->names->names[v], k, real(a, run->values[v]));
		}
	}
	return n;
}

/* Equal but for the way numbers are written; the sign of 0 counts. */
static bool same_line(const char *a, const char *b)
{
	while (*a && *b) {
		size_t n = strcspn(a, "|"), m = strcspn(b, "|");
		char *end_a, *end_b;
		double x = strtod(a, &end_a), y = strtod(b, &end_b);
		bool numbers = n && m && end_a == a + n && end_b == b + m;

		if (numbers ? x != y || signbit(x) != signbit(y) : n != m || memcmp(a, b, n) != 0)
			return false;
		a += n + (a[n] == '|');
		b += m + (b[m] == '|');
	}
	return *a == *b;
}

static size_t expected_of(struct lab *l, const char *name, const char **lines)
{
	char path[300], *text, *save = NULL;
	size_t n = 0, len;

	snprintf(path, sizeof(path), FOLDER "%s.expected", name);
	text = read_file(path, &len);
	for (char *p = strtok_r(text, "\n", &save); p; p = strtok_r(NULL, "\n", &save))
		lines[n++] = arena_str(l->ctx.arena, p);
	free(text);
	return n;
}

/* Takes a line off the list: false when it is not there. */
static bool take(const char **lines, size_t n, const char *line)
{
	for (size_t i = 0; i < n; i++) {
		if (lines[i] && same_line(lines[i], line)) {
			lines[i] = NULL;
			return true;
		}
	}
	return false;
}

static void check_file(const char *name)
{
	static const char *got[CELLS_MAX], *want[CELLS_MAX];
	size_t n, wanted, wrong = 0;
	struct lab l;

	lab_begin(&l, name);
	if (import_robot_mail(&l.in, l.bytes, l.n) < 0)
		give_up("%s: %s", name, l.ctx.detail);
	n = lines_of(&l, got);
	wanted = expected_of(&l, name, want);
	for (size_t i = 0; i < wanted; i++) {
		if (!take(got, n, want[i])) {
			print_error("%s: missing %s\n", name, want[i]);
			wrong++;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (got[i]) {
			print_error("%s: surplus %s\n", name, got[i]);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
	assert_true(wanted > 0);
	lab_end(&l);
}

static int is_fixture(const struct dirent *e)
{
	return e->d_name[0] != '.' && !strstr(e->d_name, ".expected") &&
	       !strstr(e->d_name, "no-table");
}

static void test_every_file_gives_its_cells(void **state)
{
	struct dirent **names;
	int n = scandir(FOLDER, &names, is_fixture, alphasort);

	(void)state;
	assert_true(n >= 18);
	for (int i = 0; i < n; i++) {
		check_file(names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

/* A figure of a cut mail is one of the whole mail's: nothing is made up of what is left. */
static void check_cut(struct lab *whole_mail, const char **want, size_t wanted, size_t at)
{
	static const char *got[CELLS_MAX];
	struct lab l = {0};
	char *copy = malloc(at ? at : 1);
	size_t n;
	int e;

	assert_non_null(copy);
	memcpy(copy, whole_mail->bytes, at);
	ctx_init(&l.ctx, arena_new(), NULL);
	l.in.ctx = &l.ctx;
	e = import_robot_mail(&l.in, copy, at);
	assert_true(e >= 0 || (e == E_INVALID && l.ctx.nfaults == 1));
	n = e < 0 ? 0 : lines_of(&l, got);
	for (size_t i = 0; i < n; i++) {
		const char *figures = strchr(strchr(strchr(got[i], '|') + 1, '|') + 1, '|') + 1;
		size_t name = strcspn(figures, "|"), k;

		for (k = 0; k < wanted; k++) {
			const char *other =
				strchr(strchr(strchr(want[k], '|') + 1, '|') + 1, '|') + 1;

			/* the last row's name can be cut */
			if (!strncmp(other, figures, name))
				break;
		}
		if (k == wanted)
			give_up("cut at %zu: %s", at, got[i]);
	}
	arena_free(l.ctx.arena);
	free(copy);
}

static void test_every_file_can_be_cut(void **state)
{
	static const char *want[CELLS_MAX];
	struct dirent **names;
	int n = scandir(FOLDER, &names, is_fixture, alphasort);

	(void)state;
	for (int i = 0; i < n; i++) {
		size_t wanted;
		struct lab l;

		lab_begin(&l, names[i]->d_name);
		wanted = expected_of(&l, names[i]->d_name, want);
		for (size_t at = 0; at < l.n; at++)
			check_cut(&l, want, wanted, at);
		lab_end(&l);
		free(names[i]);
	}
	free(names);
}

static const struct submission *of(const struct lab *l, const char *commit, size_t metrics)
{
	for (size_t i = 0; i < l->in.n; i++) {
		if (!strcmp(l->in.subs[i].commit.id, commit) && l->in.subs[i].ncells == metrics)
			return &l->in.subs[i];
	}
	give_up("no submission of %s", commit);
	return NULL;
}

static void test_claim_patch_and_warning_go_to_their_commits(void **state)
{
	const struct submission *s;
	struct lab l;

	(void)state;
	lab_begin(&l, "02-wrapped-rows.eml");
	assert_int_equal(import_robot_mail(&l.in, l.bytes, l.n), E_OK);
	assert_int_equal(l.in.n, 3);
	s = of(&l, "8cc621d2f45ddd3dc664024a647ee7adf48d79a5", 17);
	assert_string_equal(s->headline.metric, "fio.write_iops");
	assert_string_equal(s->headline.verdict, "regression");
	assert_string_equal(s->headline.base, "361a2a229fa31ab7f2b236b5946e434964d00762");
	assert_true(s->headline.change_pct == -21.8);
	assert_string_equal(s->commit.subject, "mm: fs: invalidate BH LRU during page migration");
	assert_string_equal(s->commit.tree, "torvalds/linux");
	assert_string_equal(s->report.message_id, "wrapped@example.org");
	assert_int_equal(s->report.date, 1717574400); /* date -u -d "2024-06-05 08:00" +%s */
	assert_string_equal(s->info[0].name, "machine");
	assert_non_null(strstr(s->info[0].value, "96 threads 2 sockets"));
	assert_false(s->commit.build.given);
	s = of(&l, "7bafb1c4e72a5e8d40cd0681b80b1ffeb31a064c", 17);
	assert_string_equal(s->commit.label, "the test patch");
	assert_int_equal(s->commit.build.nwarnings, 1);
	assert_string_equal(s->commit.build.warnings[0].file, "mm/swap.c");
	assert_int_equal(s->commit.build.warnings[0].line, 727);
	assert_int_equal(s->commit.build.warnings[0].column, 6);
	assert_string_equal(
		s->commit.build.warnings[0].message,
		"no previous prototype for 'lru_and_bh_lrus_drain' [-Wmissing-prototypes]");
	assert_false(s->headline.given);
	lab_end(&l);
}

/* "99.9% improvement" of a latency is a fall: the table has the sign. */
static void test_a_claim_takes_its_sign_from_the_table(void **state)
{
	struct lab l;
	const struct submission *s;

	(void)state;
	lab_begin(&l, "06-fails-and-means.eml");
	assert_int_equal(import_robot_mail(&l.in, l.bytes, l.n), E_OK);
	s = of(&l, "eccbbc7c00a5aae5e704d4002adfaf4c3fa4b30d", 8);
	assert_true(s->headline.change_pct == -99.9);
	assert_string_equal(s->headline.verdict, "improvement");
	lab_end(&l);
}

/* A list of commits by hand has no quotes; a word of a person is a label, not a subject. */
static void test_subjects_without_quotes(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, "06-space-in-a-value.eml");
	assert_int_equal(import_robot_mail(&l.in, l.bytes, l.n), E_OK);
	assert_string_equal(of(&l, "0c9567b36ae6f83c", 1)->commit.subject,
			    "perf/x86: remove() is declared once");
	assert_string_equal(of(&l, "a7138973beb1d124386472663cf", 1)->commit.label, "the fault");
	assert_null(of(&l, "a7138973beb1d124386472663cf", 1)->commit.subject);
	assert_string_equal(l.in.subs[0].axes[3].value, "Socket Activity");
	lab_end(&l);
}

/* "=50%" is no escape where nothing else is one. */
static void test_a_decoded_text_is_not_decoded_again(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, "03-label-of-quoted-printable.eml");
	assert_int_equal(import_robot_mail(&l.in, l.bytes, l.n), E_OK);
	assert_string_equal(l.in.subs[0].axes[3].name, "nr_task");
	assert_string_equal(l.in.subs[0].axes[3].value, "nr=50%");
	lab_end(&l);
}

static void test_a_thread_is_stored_once(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, "13-thread.mbox");
	assert_int_equal(import_robot_mail(&l.in, l.bytes, l.n), E_OK);
	/* four columns of the report, and the one that a reply adds */
	assert_int_equal(l.in.n, 5);
	for (size_t i = 0; i < l.in.n; i++)
		assert_int_not_equal(l.in.subs[i].report.date, TIME_NONE);
	lab_end(&l);
}

static void test_a_mail_without_a_table_says_so(void **state)
{
	struct lab l;

	(void)state;
	lab_begin(&l, "14-no-table.eml");
	assert_int_equal(import_robot_mail(&l.in, l.bytes, l.n), E_INVALID);
	assert_int_equal(l.ctx.nfaults, 1);
	assert_non_null(strstr(l.ctx.faults[0].message, "no table"));
	lab_end(&l);
}

static void test_the_request_completes(void **state)
{
	static const struct pair axes[] = {{"tbox_group", "rig-9"}, {"testcase", "xfstests"}};
	struct lab l;

	(void)state;
	lab_begin(&l, "10-names-and-notes.eml");
	l.in.axes = axes;
	l.in.naxes = 2;
	assert_int_equal(import_robot_mail(&l.in, l.bytes, l.n), E_OK);
	assert_string_equal(l.in.subs[0].tbox_group, "rig-9");
	assert_string_equal(l.in.subs[0].testcase, "xfstests");
	lab_end(&l);
	lab_begin(&l, "12-no-rows.eml"); /* it names its own */
	l.in.axes = axes;
	l.in.naxes = 2;
	assert_int_equal(import_robot_mail(&l.in, l.bytes, l.n), E_OK);
	assert_string_equal(l.in.subs[0].tbox_group, "lkp-icl-2sp9");
	lab_end(&l);
}

static void test_mails_are_recognised(void **state)
{
	static const char program[] = "Time: 1.5\nRunning in process mode\n";
	struct lab l;

	(void)state;
	lab_begin(&l, "01-quoted-six-deep.eml");
	assert_true(robot_mail_sniff(l.bytes, l.n) > 90);
	lab_end(&l);
	lab_begin(&l, "03-flattened.html");
	assert_true(robot_mail_sniff(l.bytes, l.n) > 80);
	lab_end(&l);
	assert_int_equal(robot_mail_sniff(program, sizeof(program) - 1), 0);
	assert_int_equal(robot_mail_sniff("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_file_gives_its_cells),
		cmocka_unit_test(test_every_file_can_be_cut),
		cmocka_unit_test(test_claim_patch_and_warning_go_to_their_commits),
		cmocka_unit_test(test_a_claim_takes_its_sign_from_the_table),
		cmocka_unit_test(test_subjects_without_quotes),
		cmocka_unit_test(test_a_decoded_text_is_not_decoded_again),
		cmocka_unit_test(test_a_thread_is_stored_once),
		cmocka_unit_test(test_a_mail_without_a_table_says_so),
		cmocka_unit_test(test_the_request_completes),
		cmocka_unit_test(test_mails_are_recognised),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("robot mail", tests, NULL, NULL);
}
