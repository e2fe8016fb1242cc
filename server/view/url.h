/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of this service, built from parts, each percent-encoded. Relative to the root; what
 * leaves the house (JSON, mails) is made absolute by url_absolute. Only url.c knows how a page's
 * address looks, one function a page.
 *
 *	html_link(o, url_series(a, digest), "hackbench on lkp-icl-2sp2");
 */
#ifndef VIEW_URL_H
#define VIEW_URL_H

#include <stddef.h>
#include <stdint.h>

struct arena;

struct url {
	char *s; /* valid as it stands in Location and, HTML-escaped, in an attribute */
};

/* A literal path, "/compare". */
struct url *url_path(struct arena *a, const char *path_literal);
/* Adds /segment (encoded). A segment with '/' or an empty one cannot be a path on every proxy: such
 * pages take ?name= instead, which the functions below do by themselves. */
void url_segment(struct arena *a, struct url *u, const char *segment);
/* Adds ?name=value or &name=value (both encoded). A NULL value adds nothing. */
void url_param(struct arena *a, struct url *u, const char *name, const char *value);
void url_param_int(struct arena *a, struct url *u, const char *name, int64_t value);
/* public_url ("" keeps it relative) before the path. */
char *url_absolute(struct arena *a, const char *public_url, const struct url *u);

/* An address from outside as a link, or NULL when it is neither http:// nor https://, or holds
 * spaces or control characters. */
struct url *url_external(struct arena *a, const char *address);

struct url *url_home(struct arena *a);
struct url *url_commit(struct arena *a, const char *name);
struct url *url_series(struct arena *a, const char *digest);
struct url *url_history(struct arena *a, const char *series_digest, const char *metric);
/* commits: names joined by ','. series may be NULL. */
struct url *url_compare(struct arena *a, const char *commits, const char *series_digest);
/* range: "A..B". series and metric may be NULL. */
struct url *url_range(struct arena *a, const char *range, const char *series_digest,
		      const char *metric);
struct url *url_run(struct arena *a, int64_t run_id);
/* name: under which a browser saves it, NULL: its digest. */
struct url *url_artifact(struct arena *a, const char *digest, const char *name);
struct url *url_correction(struct arena *a, int64_t id);
struct url *url_metric(struct arena *a, const char *name);
struct url *url_testcase(struct arena *a, const char *name);
struct url *url_machine(struct arena *a, const char *name);
/* A Message-Id, with or without <>. */
struct url *url_patch(struct arena *a, const char *message_id);
struct url *url_search(struct arena *a, const char *q);

#endif
