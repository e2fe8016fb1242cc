/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings: "key = value" lines in a file, then --key options; one table gives defaults, help and
 * limits. An unknown key is an error with its line. Limits with good values for everyone are in
 * limits.h instead.
 */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/err.h"
#include "server/base/out.h"

struct config {
	const char *database;     /* a file */
	bool database_is_default; /* it was not set: its folder may be made */
	const char *listen;       /* "127.0.0.1:8080" */
	const char *public_url;   /* "" or "https://perf.example.org" without a slash at the end */
	bool read_only;
	bool readers_need_token;
	int64_t max_body; /* bytes */
	int64_t queue_jobs, queue_bytes;
	int64_t connections;
	int64_t disk_reserve;
	int64_t page_cache; /* bytes */
	int64_t threads;    /* I/O threads, 0: as many as cores */
	const char *log_level;
};

/* Defaults; text in the arena of c. */
void config_init(struct ctx *c, struct config *cfg);
/* Reads a file. E_NOTFOUND, E_INVALID with the line. */
int config_read(struct ctx *c, const char *path, struct config *cfg);
/* Sets one setting; where says where it came from ("line 3", "--listen"). E_INVALID. */
int config_set(struct ctx *c, struct config *cfg, const char *key, const char *value,
	       const char *where);
/* Whether there is such a setting ('-' and '_' are the same), and whether it is yes or no. */
bool config_known(const char *key);
bool config_is_switch(const char *key);
/* Every setting with default and one line of help, as a file that config_read takes. */
void config_print(struct out *o);

#endif
