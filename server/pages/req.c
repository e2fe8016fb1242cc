/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Typed parameters, addresses of the page itself, and the answers to errors. A bad parameter is
 * filed as a fault and reading goes on, so that one answer names all of them; req_status says it at
 * the end.
 */
#include "server/pages/req.h"

#include <assert.h>

#include "db/submission.h"
#include "server/base/clock.h"
#include "server/base/num.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define AXES_MAX 64 /* filters in one address */

static const char *const form_words[] = {"html", "json", "csv", "txt", "md"};
static const char *const form_labels[] = {"HTML", "JSON", "CSV", "text", "Markdown"};

const char *req_param(const struct req *r, const char *name)
{
	for (size_t i = r->nparams; i-- > 0;)
		if (!strcmp(r->params[i].name, name))
			return r->params[i].value;
	return NULL;
}

int64_t req_int(struct req *r, const char *name, int64_t min, int64_t max, int64_t fallback)
{
	const char *text = req_param(r, name);
	int64_t v;

	if (!text)
		return fallback;
	if (num_parse_int(text, min, max, &v))
		return v;
	fault(&r->ctx, name, "\"%.80s\" is not a whole number from %lld to %lld", text,
	      (long long)min, (long long)max);
	return fallback;
}

int req_enum(struct req *r, const char *name, const char *const *words, int fallback)
{
	const char *text = req_param(r, name);
	const char *list = "";

	if (!text)
		return fallback;
	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], text))
			return i;
		list = arena_fmt(r->ctx.arena, "%s%s%s", list, i ? ", " : "", words[i]);
	}
	fault(&r->ctx, name, "\"%.80s\" is none of: %s", text, list);
	return fallback;
}

bool req_bool(struct req *r, const char *name, bool fallback)
{
	return req_int(r, name, 0, 1, fallback) != 0;
}

int64_t req_time(struct req *r, const char *name)
{
	const char *text = req_param(r, name);
	int64_t t;

	if (!text)
		return TIME_NONE;
	if (clock_parse(text, &t))
		return t;
	fault(&r->ctx, name, "\"%.80s\" is not a time such as 2023-07-20 or 2023-07-20T03:01:00Z",
	      text);
	return TIME_NONE;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

/* The last of the same name wins, as in req_param. */
static void put_axis(struct pair *list, size_t *n, struct pair p)
{
	for (size_t i = 0; i < *n; i++) {
		if (!strcmp(list[i].name, p.name)) {
			list[i] = p;
			return;
		}
	}
	list[(*n)++] = p;
}

void req_axes(struct req *r, const char *prefix, const struct pair **pairs, size_t *n)
{
	size_t skip = strlen(prefix);
	struct pair *list = arena_array(r->ctx.arena, struct pair, AXES_MAX);

	*n = 0;
	for (size_t i = 0; i < r->nparams; i++) {
		const struct param *p = &r->params[i];
		if (strncmp(p->name, prefix, skip))
			continue;
		if (!p->name[skip])
			fault(&r->ctx, p->name, "a name is missing after \"%s\"", prefix);
		else if (*n == AXES_MAX)
			fault(&r->ctx, p->name, "more than %d filters", AXES_MAX);
		else
			put_axis(list, n, (struct pair){p->name + skip, p->value});
	}
	qsort(list, *n, sizeof(*list), by_name);
	*pairs = list;
}

const char *req_name(const struct req *r, int capture, const char *param)
{
	assert(capture >= 0 && capture < 4);
	const char *name = r->captures[capture];

	if (!name)
		name = req_param(r, param);
	return name && *name ? name : NULL;
}

int req_status(const struct req *r)
{
	return r->ctx.err;
}

/* --- addresses of this page ------------------------------------------------------------------- */

/* A name such as "stats.json" at the end of a path would be taken for a form. */
static bool ends_like_form(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (!strcmp(dot, ".json") || !strcmp(dot, ".csv") || !strcmp(dot, ".txt"));
}

static struct url *form_url(struct req *r, enum form f, const char *changed, const char *value)
{
	struct arena *a = r->ctx.arena;
	bool clash = ends_like_form(r->path);
	bool suffix =
		f != FORM_HTML && f != FORM_MD && !clash && r->path[strlen(r->path) - 1] != '/';
	struct url *u =
		url_path(a, suffix ? arena_fmt(a, "%s.%s", r->path, form_words[f]) : r->path);

	for (size_t i = 0; i < r->nparams; i++) {
		const struct param *p = &r->params[i];
		if (strcmp(p->name, "format") && (!changed || strcmp(p->name, changed)))
			url_param(a, u, p->name, p->value);
	}
	if (changed)
		url_param(a, u, changed, value);
	if (clash || (f != FORM_HTML && !suffix))
		url_param(a, u, "format", form_words[f]);
	return u;
}

struct url *req_url_form(struct req *r, enum form f)
{
	return form_url(r, f, NULL, NULL);
}

struct url *req_url_with(struct req *r, const char *name, const char *value)
{
	return form_url(r, r->form, name, value);
}

/* --- HTML ------------------------------------------------------------------------------------- */

void req_page_begin(struct req *r, const char *title, const char *nav)
{
	const char *forms[2 * FORM_MD + 1];
	size_t n = 0;

	for (int f = FORM_JSON; f <= FORM_MD; f++) {
		if (r->forms & 1u << f) {
			forms[n++] = form_labels[f];
			forms[n++] = req_url_form(r, (enum form)f)->s;
		}
	}
	forms[n] = NULL;
	layout_begin(r->out, &(struct page_frame){
				     .title = title,
				     .nav = nav,
				     .css_href = r->css_href,
				     .js_href = r->js_href,
				     .query = req_param(r, "q"),
				     .forms = n ? forms : NULL,
			     });
}

int req_page_end(struct req *r, int status)
{
	layout_end(r->out);
	return r->ctx.err < 0 ? (int)r->ctx.err : status;
}

int req_submit(struct req *r, struct job *j, int (*reply)(struct req *r, struct job *j))
{
	return r->submit(r, j, reply);
}
