/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the importer of report mails share; for nobody else. A mail becomes lines
 * (robot_mail_mime, _html, _text), these are read three times (_facts, _table with _head, _row and
 * _boot, _samples), and _store makes submissions of what was found. Everything of one mail lives in
 * an arena that the next mail reuses; only submissions are copied into the import's, and handed on
 * before the next mail is read.
 */
#ifndef IMPORTERS_ROBOT_MAIL_H
#define IMPORTERS_ROBOT_MAIL_H

#include "importers/import.h"

#define MAIL_BYTES_MAX   ((size_t)64 << 20) /* of one mail, with what is attached */
#define MAIL_TEXT_BYTES  ((size_t)16 << 20) /* of one text in it */
#define MAIL_MEMORY_MAX  ((size_t)96 << 20) /* that its texts may come to */
#define MAIL_PARTS_MAX   100                /* headers that open a part, of one mail */
#define MAIL_GROUPS_MAX  100                /* colons of a field of addresses */
#define MAIL_NESTING_MAX 20                 /* parts inside parts */
#define MAIL_COLUMNS_MAX 16                 /* commits of a table */
#define MAIL_QUOTES_MAX  32                 /* levels that are told apart */
#define MAIL_TABLES_MAX  20000
#define MAIL_TABLES_NEAR 500  /* of which those of one old report are */
#define MAIL_ROW_BYTES   4000 /* a longer line is no row */
#define MAIL_METRIC_MAX  1024
#define MAIL_NAME_MAX    255
#define MAIL_TEXT_MAX    4000

/* One line without its end, its quoting and spaces at its end; NUL-terminated. */
struct mail_line {
	const char *s;
	uint32_t len;
	uint16_t depth; /* of quoting */
	uint16_t part;  /* of the mail: nothing goes on from one part to the next */
};

/* A commit that the mail names anywhere. */
struct mail_commit {
	const char *name;
	bool is_hex;
	const char *subject, *label; /* NULL */
};

/* What a report says in words, above its table. Texts are NULL where it does not. */
struct mail_setup {
	size_t line;
	const char *testcase, *machine, *machine_name;
	struct pair *params;
	size_t nparams, params_cap;
	/* the commit that it is about */
	const char *commit, *subject, *tree;
	struct pair *links; /* url, base, patch_link, … */
	size_t nlinks, links_cap;
	/* what it claims */
	const char *metric, *verdict;
	double change;
	bool is_signed;
};

/* Names and values of an axes block. */
struct mail_block {
	size_t line;
	unsigned depth;
	struct pair *axes;
	size_t naxes;
	const char *machine; /* the line above it */
};

enum mail_change { CHANGE_NONE, CHANGE_PCT, CHANGE_ABS, CHANGE_REPRODUCTION };

struct mail_cell {
	bool given;
	double mean, stddev_pct; /* NAN */
	int64_t fails, runs;     /* -1 */
	enum mail_change kind;   /* against the first column */
	double change;
};

struct mail_row {
	const char *metric; /* in the line that was parsed */
	size_t metric_len;
	const char *aggregate; /* "TOTAL", "GEO-MEAN", … before the metric; NULL */
	struct mail_cell cells[MAIL_COLUMNS_MAX];
};

struct mail_table {
	size_t line, number;
	unsigned depth;
	size_t ncolumns;
	const char *heads[MAIL_COLUMNS_MAX];          /* as printed */
	struct mail_commit columns[MAIL_COLUMNS_MAX]; /* whose they are, once all is read */
	const struct mail_block *block;               /* NULL: none stood before it */
	bool is_loose;          /* the old head: changes without sign, or left out */
	const char *path_names; /* "testcase/testparams/testbox" of old tables */
	const char *path;       /* its rows are of this path; NULL */
	const char *aggregate;  /* its rows are over all paths; NULL */
	size_t nrows, rows_cap;
	const char **metrics;
	struct mail_cell *cells; /* ncolumns a row */
	size_t cells_cap;
};

/* Values of one metric in the runs of one commit, printed one by one. NAN: none in that run. */
struct mail_samples {
	size_t line;
	const char *metric, *commit;    /* commit NULL: not said */
	struct mail_commit of;          /* the same, once all is read */
	const struct mail_table *table; /* whose figures they are; NULL */
	double *values;
	size_t n, cap;
};

struct mail_warning {
	const char *file, *message;
	int64_t line, column;
};

/* Cells that this import has taken already, by hash; shared by the mails of a mailbox. */
struct mail_seen {
	uint64_t *slots;
	size_t n, size;
};

/* What stands in the mails and could not be taken. */
struct mail_left {
	size_t rows;         /* of figures, under no row of commits */
	size_t columns;      /* whose head is no commit's name */
	const char *subject; /* of the first such mail, in the import's arena */
};

struct mail {
	struct import *in;
	struct arena *a; /* of this mail */
	struct mail_seen *seen;
	struct mail_left left;
	const char *subject, *message_id, *url;
	int64_t date;
	const char *excess; /* which limit it is over; NULL */

	struct mail_line *lines;
	size_t nlines, lines_cap;
	unsigned nparts;
	struct mail_commit *commits;
	size_t ncommits, commits_cap;
	struct mail_setup *setups;
	size_t nsetups, setups_cap;
	struct mail_block **blocks;
	size_t nblocks, blocks_cap;
	struct mail_table **tables;
	size_t ntables, tables_cap;
	struct mail_samples *samples;
	size_t nsamples, samples_cap;
	struct warning *warnings;
	size_t nwarnings, warnings_cap;
};

/* True when the mail has come to more memory than one may: nothing more of it is read, and excess
 * says so. */
bool mail_is_full(struct mail *m);

/* --- bytes -> lines --- */
/* Splits the mail into its texts and adds their lines; sets subject, message_id, url and date. */
void mail_mime_read(struct mail *m, const char *bytes, size_t n);
/* True when the bytes begin with the head of a mail: fields, with one that only mails have. */
bool mail_has_head(const char *bytes, size_t n);
/* Text that is no mail: saved from a page or a terminal. Its head is guessed from its first lines.
 */
void mail_plain_read(struct mail *m, const char *bytes, size_t n);
/* Whether these bytes begin a page. */
bool mail_is_html(const char *bytes, size_t n);
/* The page's text, in the arena; its length in *len. Block quotes become "> ". */
char *mail_html_text(struct arena *a, const char *bytes, size_t n, size_t *len);
struct mail_coding {
	const char *charset; /* as labelled, or NULL */
	bool is_html, delsp; /* format=flowed with DelSp=yes: a soft end takes its space along */
	bool may_be_quoted_printable; /* nobody has decoded it */
};
/* Repairs the charset and adds the lines as one part. */
void mail_text_add(struct mail *m, const char *bytes, size_t n, const struct mail_coding *k);

/* --- lines -> what they say --- */
void mail_facts_read(struct mail *m);
/* The claim in a subject or sentence: "-12.5% regression of hackbench.throughput". False: none. */
bool mail_claim_read(struct mail *m, const char *s, struct mail_setup *out);
void mail_tables_read(struct mail *m);
void mail_samples_read(struct mail *m);
/* A table of boots whose head is line i; *next is behind it. False: it is no such head. */
bool mail_boots_read(struct mail *m, size_t i, size_t *next);
/* The report above a line; else the mail's first; NULL: it has none. */
const struct mail_setup *mail_setup_at(const struct mail *m, size_t line);

/* Rows of an old table whose metric is said below them. */
struct mail_paths {
	struct mail_row *rows;
	size_t n, cap;
	const struct mail_table *of;
};
/* A copy of t in the mail; NULL: there are too many. */
struct mail_table *mail_table_add(struct mail *m, const struct mail_table *t);
/* Puts a row that was read in t where it belongs. */
void mail_row_take(struct mail *m, struct mail_paths *p, struct mail_table *t,
		   const struct mail_row *row);

enum mail_row_kind {
	ROW_NOT,
	ROW_BEGUN, /* figures that may go on in the next line */
	ROW_WHOLE,
};
enum mail_row_kind mail_row_parse(const char *line, size_t len, size_t ncolumns, bool is_loose,
				  struct mail_row *row);

/* An axes block that begins at line i: NULL when there is none, else *next is behind it. */
struct mail_block *mail_block_read(struct mail *m, size_t i, size_t *next);
/* A line of n or more of the character c, and nothing else. */
bool mail_is_rule(const struct mail_line *l, char c, size_t n);
/* "96 threads 2 sockets …": of a machine. name: what stood before it and a colon, or NULL. */
const char *mail_machine_line(struct mail *m, const struct mail_line *l, const char **name);
/* Adds name and value unless the name is there, or either is no valid text. */
void mail_pair_add(struct mail *m, struct pair **pairs, size_t *n, size_t *cap, const char *name,
		   const char *value);
const char *mail_pair_find(const struct pair *pairs, size_t n, const char *name);
/* The path of an old table's row as axes. names: its head, NULL: machine, test, parameters. */
void mail_path_axes(struct mail *m, const char *names, const char *path, struct pair **pairs,
		    size_t *n, size_t *cap);

/* --- commits --- */
/* Length of the commit id (7 to 40 hex digits) that s begins with, and that ends there; 0. */
size_t mail_hex_length(const char *s);
/* A word that can be a commit: an id or a tag. */
bool mail_is_commit_name(const char *s, size_t n);
/* Notes a commit; subject and label may be NULL. */
void mail_commit_add(struct mail *m, const char *name, size_t n, const char *subject,
		     const char *label);
/* "a0fd217e6d ("subject") (label)" at s, with what follows in the next lines of the same depth.
 * False: it is no such entry. *next is the line behind it. */
bool mail_commit_entry(struct mail *m, size_t i, const char *s, size_t *next);
/* The longest name that the mail has for a head that was cut; subject and label are those of any
 * of its names. */
struct mail_commit mail_commit_resolve(struct mail *m, const char *head);
/* Whether the word that a list of commits begins with can be the name that was cut to this head. */
bool mail_names_head(const char *word, const char *head);
/* Whether two ids can be the same commit's. */
bool mail_same_commit(const char *a, const char *b);

/* --- submissions --- */
/* True when the hash is new. */
bool mail_seen_add(struct mail_seen *seen, uint64_t hash);
/* The number of tables and sample arrays that the mail has, taken or known already. */
size_t mail_store(struct mail *m);
/* A submission of a commit with the mail's report; axes and info are copied. */
struct submission *mail_submission(struct mail *m, const struct mail_commit *k,
				   const struct pair *axes, size_t naxes,
				   const struct mail_setup *setup, const char *machine);
/* Axes of a table, completed from the mail's words and from the request; sorted. *own: the table
 * said its machine itself. */
void mail_table_axes(struct mail *m, const struct mail_table *t, struct pair **axes, size_t *n,
		     bool *own);
/* The machine's description for a table: above its block, or in the words of the report, which has
 * its first block in mind. NULL: none. t may be NULL. */
const char *mail_table_machine(const struct mail *m, const struct mail_table *t,
			       const struct mail_setup *setup);
/* Those of a report that has no table. */
void mail_setup_axes(struct mail *m, const struct mail_setup *setup, struct pair **axes, size_t *n);
/* Headlines and warnings, put to the submissions from number first on, or into notes. */
void mail_store_claims(struct mail *m, size_t first);
void mail_store_warnings(struct mail *m, size_t first);
void mail_store_samples(struct mail *m);

#endif
