/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The migrations of the embedded engine, put into the program at build time (static/embed.c). */
#ifndef DB_EMBEDDED_H
#define DB_EMBEDDED_H

#include <stddef.h>

struct embedded_sql {
	int number;       /* 1 for 0001_init.sql */
	const char *name; /* "0001_init" */
	const char *text;
};

/* By number, without gaps, from 1. */
extern const struct embedded_sql migrations[];
extern const size_t migration_count;

#endif
